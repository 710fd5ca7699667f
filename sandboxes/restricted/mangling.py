"""Names such as `self.__balance`, to which Python adds the class's when it compiles."""

from __future__ import annotations

import ast

# Of each kind of node, the fields with names of variables or attributes.
FIELDS: dict[type[ast.AST], tuple[str, ...]] = {
    ast.Name: ("id",),
    ast.Attribute: ("attr",),
    ast.FunctionDef: ("name",),
    ast.ClassDef: ("name",),
    ast.arg: ("arg",),
    ast.keyword: ("arg",),
    ast.Global: ("names",),
    ast.Nonlocal: ("names",),
    ast.ExceptHandler: ("name",),
    ast.MatchAs: ("name",),
    ast.MatchStar: ("name",),
    ast.MatchMapping: ("rest",),
    ast.MatchClass: ("kwd_attrs",),
}


def mangle(node: ast.ClassDef) -> None:
    """Changes the names in a class's body as Python's compiler would, which finds nothing left to change.

    Guards get attributes' names as texts, and the compiler changes no texts.
    """
    prefix = node.name.lstrip("_")
    if prefix:
        _change(node.body, f"_{prefix}")


def _change(nodes: list[ast.AST] | list[ast.stmt] | list[ast.expr], prefix: str) -> None:
    for node in nodes:
        for field in FIELDS.get(type(node), ()):
            old = getattr(node, field)
            if isinstance(old, list):
                setattr(node, field, [_mangled(name, prefix) for name in old])
            elif old is not None:
                setattr(node, field, _mangled(old, prefix))
        if isinstance(node, ast.ClassDef):
            # Its body has names of its own, which its own visit changes.
            _change([*node.bases, *node.decorator_list], prefix)
            _change(node.keywords, prefix)  # type: ignore[arg-type]
        else:
            _change(list(ast.iter_child_nodes(node)), prefix)


def _mangled(name: str, prefix: str) -> str:
    return prefix + name if name[:2] == "__" and name[-2:] != "__" else name
