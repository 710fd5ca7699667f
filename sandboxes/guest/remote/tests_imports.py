"""Finds what tests import of libraries, because a candidate that is called by them would find these names too.

In one interpreter, tests that import `math` make up for a candidate that forgot to.
"""

from __future__ import annotations

import ast
import functools
import re

from ..common.library_values import SAFE_MODULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Collection, Iterator


@functools.lru_cache(maxsize=16)
def imports_of(tests: str) -> tuple[str, ...]:
    """Return what tests import at their top: texts "name:module:" for modules, "name:module:part" for parts of them."""
    if "import" not in tests:
        return ()
    try:
        body = ast.parse(tests).body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return ()
    found = []
    for node in body:
        if isinstance(node, ast.Import):
            parts = [(alias.asname or alias.name, alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            parts = [(alias.asname or alias.name, node.module or "", alias.name) for alias in node.names]
        else:
            continue
        found += ["%s:%s:%s" % part for part in parts if part[0].isidentifier() and part[1] in SAFE_MODULES]
    return tuple(found)


def absent_imports(tests: str, exports: Collection[Collection[str]]) -> list[str]:
    """Return those imports of tests whose names a candidate does not define.

    Args:
        tests: source.
        exports: texts that begin with the names that the candidate defines.
    """
    imports = imports_of(tests)
    own = {text.partition(":")[0] for texts in exports for text in texts} if imports else set()
    return [text for text in imports if text.partition(":")[0] not in own]


def missing_imports(texts: Collection[str], candidate: str, namespace: Collection[str]) -> Iterator[str]:
    """Yield the statements that import what a candidate mentions without defining it.

    Args:
        texts: as `imports_of` gives them.
        candidate: source.
        namespace: the names that it defines.
    """
    for text in texts:
        name, module, part = text.split(":")
        if name not in namespace and re.search(r"\b%s\b" % name, candidate):
            yield "from %s import %s as %s" % (module, part, name) if part else "import %s as %s" % (module, name)
