"""Robot descriptions of every format become one `Description`: URDF, xacro, SDF, MJCF and their meshes."""
