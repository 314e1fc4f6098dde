from didymos.describe.xml_file import Element
def read_sdf(root: Element, packages):
    raise root.error("SDF")
