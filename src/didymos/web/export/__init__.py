"""The exported page: logs of runs or of real robots as one HTML file that needs no server and no network."""

from didymos.web.export.export_page import ExportedPage, export_page

__all__ = ["ExportedPage", "export_page"]
