"""The build's one choice that pyproject.toml can't express: a package with the compiled part, or without it."""

import os
import sysconfig
from glob import glob

from setuptools import Extension, setup

FOLDER = "sandboxes/guest/forkserver"
# A free-threaded Python has another ABI, and can't load the extension.
is_pure = bool(os.environ.get("CODE_EVAL_PURE_PYTHON") or sysconfig.get_config_var("Py_GIL_DISABLED"))

extension = Extension(
    "sandboxes.guest.forkserver._forking",
    sources=sorted(glob(f"{FOLDER}/*.c")),
    depends=sorted(glob(f"{FOLDER}/*.h")),
    # Everything works without a compiler, but slower.
    optional=True,
    py_limited_api=True,
    # Debug information has the folder's path. Without it the same compiler makes the same file on each node of a
    # cluster.
    extra_compile_args=["-g0"],
)

if is_pure:
    setup()
else:
    # The tag says that one wheel serves this Python and all newer ones, as Py_LIMITED_API in _forking.h does.
    setup(ext_modules=[extension], options={"bdist_wheel": {"py_limited_api": "cp311"}})
