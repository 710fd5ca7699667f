"""The part of compiled headers that GCC would do again for each program: the templates that the headers use themselves.

Functions of the standard library's headers use templates. GCC generates these only at the end of a source file, and a
compiled header is written before its end. Each program therefore generated them all, which took most of the time of
reading a compiled header. A plugin has GCC generate them before it writes the compiled header. GCC needs no plugin
to read it.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path

from sandboxes.errors import SandboxUnavailable
from sandboxes.languages.compilers.quick_builds import run_tool

logger = logging.getLogger("code_eval")

LAST_FUNCTION = "__code_eval_last_of_headers"
"""Name of the function after whose definition the plugin acts."""

LAST_LINE = f"inline void {LAST_FUNCTION}() {{}}\n"
"""The last line of headers that are compiled with the plugin."""

# GCC's own declarations are in packages that few have installed. All names are those of the C++ ABI. 1 is
# PLUGIN_FINISH_PARSE_FUNCTION. A GCC in which one of them is another does not load the plugin, or fails.
PLUGIN = """\
int plugin_is_GPL_compatible;
extern void register_callback(const char *plugin, int event, void (*callback)(void *, void *), void *data);
extern const char *name_of(void *declaration, int flags) __asm__("_Z14decl_as_stringP9tree_nodei");
extern void instantiate(int retries) __asm__("_Z29instantiate_pending_templatesi");

static void after_function(void *function, void *data) {
    if (__builtin_strstr(name_of(function, 0), "LAST(")) instantiate(0);
}

int plugin_init(const char **names, void *version) {
    register_callback(names[0], 1, after_function, 0);
    return 0;
}
""".replace("LAST", LAST_FUNCTION)


def compile_header(header: Path, compiled: Path, *options: str) -> None:
    """Compile a header that ends with LAST_LINE, with the plugin if this machine's GCC takes it.

    Args:
        header: its path.
        compiled: where the compiled header is written: beside it, in a folder that can be written to.
        options: of the compiler.

    Raises:
        SandboxUnavailable: if the compiler is not installed, or fails.
    """
    command = ("g++", *options, "-x", "c++-header", "-o", str(compiled), str(header))
    plugin, source, program = (compiled.with_name(name) for name in ("plugin.so", "plugin.c", "empty.cpp"))
    try:
        source.write_text(PLUGIN)
        program.touch()
        run_tool("gcc", "-shared", "-fPIC", "-O1", "-o", str(plugin), str(source))
        run_tool(*command, f"-fplugin={plugin}")
        # GCC 14 makes compiled headers of some classes that it then fails to read.
        run_tool("g++", *options, "-include", str(header), "-S", "-o", os.devnull, str(program))
    except SandboxUnavailable as error:
        logger.info("C++ headers are compiled without their templates: %s", error)
        run_tool(*command)
    finally:
        for path in (plugin, source, program):
            path.unlink(missing_ok=True)
