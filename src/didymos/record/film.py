"""Films: pictures in a row as an MP4 (H.264), which every browser and slide show plays.

`ffmpeg` does it: the one of the extra `video`, or that of the system.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from didymos.errors import InputError
from didymos.extras import missing
from didymos.record.canvas import Pixels
from didymos.record.own_file import NAME

__all__ = ["ffmpeg", "write_film"]


def ffmpeg() -> str:
    """The program; where there is none, an `InputError` with the command that brings it."""
    try:
        from imageio_ffmpeg import get_ffmpeg_exe

        return str(get_ffmpeg_exe())
    except (ImportError, RuntimeError):
        found = shutil.which("ffmpeg")
    if found is None:
        raise missing("an .mp4 needs", "ffmpeg", "video")
    return found


def write_film(pictures: Iterable[Pixels], size: tuple[int, int], fps: float, path: Path) -> Path:
    """Write pictures, shape [height, width, 3] each, of `size` width, height [pixel], at `fps` [1/s]; odd sizes lose a pixel.

    A file that was there stays until the new one is complete.
    """
    fresh = path.with_name(f".{path.stem}.part.mp4")
    command = [
        ffmpeg(), "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{size[0]}x{size[1]}",
        "-r", f"{fps:g}", "-i", "-",
        "-an", "-vf", "crop=trunc(iw/2)*2:trunc(ih/2)*2", "-c:v", "libx264", "-preset", "veryfast", "-crf", "20",
        "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-fflags", "+bitexact", "-flags:v", "+bitexact",
        "-metadata", f"comment={NAME}", str(fresh),
    ]  # fmt: skip
    try:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        assert process.stdin is not None
        assert process.stderr is not None
        try:
            for picture in pictures:
                process.stdin.write(picture.tobytes())
            process.stdin.close()
        except BrokenPipeError:
            pass  # it says why
        except BaseException:
            process.kill()
            raise
        finally:
            said = process.stderr.read().decode(errors="replace").strip()
            process.stderr.close()
            process.wait()
        if process.returncode != 0:
            raise InputError(f"ffmpeg could not write it: {said.splitlines()[-1] if said else process.returncode}", file=path)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
    return path
