"""Make `src/didymos/web/vendor/three.js` anew: what our pages use of three.js, in one small module.

    python tools/vendor_three.py

takes the npm packages `three` and `esbuild` in the versions below into a temporary folder, bundles and minifies. Needs npm.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

THREE, ESBUILD = "0.187.0", "0.28.2"
VENDOR = Path(__file__).resolve().parents[1] / "src" / "didymos" / "web" / "vendor"
USED = (
    "BufferAttribute", "BufferGeometry", "CanvasTexture", "Color", "DirectionalLight", "DoubleSide", "EqualStencilFunc", "Group",
    "HemisphereLight", "IncrementStencilOp", "Line", "LineBasicMaterial", "Matrix4", "Mesh", "MeshBasicMaterial",
    "MeshLambertMaterial", "PerspectiveCamera", "PlaneGeometry", "Scene", "ShaderMaterial", "Sprite", "SpriteMaterial", "Vector3",
    "WebGLRenderer",
)  # fmt: skip
HEAD = (
    f"// three.js {THREE}, MIT licence (three.LICENSE): what our pages use of the npm package, with its OrbitControls,\n"
    f"// bundled and minified by esbuild {ESBUILD}; tools/vendor_three.py makes it anew.\n"
)


def main() -> None:
    """Write the module and the licence."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "package.json").write_text("{}")
        run = ["npm", "install", "--no-audit", "--no-fund", f"three@{THREE}", f"esbuild@{ESBUILD}"]
        subprocess.run(run, cwd=folder, check=True)
        entry = folder / "entry.js"
        entry.write_text(
            f'export {{ {", ".join(USED)} }} from "three";\n'
            'export { OrbitControls } from "three/addons/controls/OrbitControls.js";\n'
        )
        options = ["--bundle", "--minify", "--format=esm", "--legal-comments=none", "--charset=utf8"]
        bundled = subprocess.run(
            [folder / "node_modules" / ".bin" / "esbuild", entry, *options], check=True, capture_output=True, text=True
        )
        (VENDOR / "three.js").write_text(HEAD + bundled.stdout, encoding="utf-8")
        shutil.copy(folder / "node_modules" / "three" / "LICENSE", VENDOR / "three.LICENSE")


if __name__ == "__main__":
    main()
