"""No program escapes the policy "restricted" by RestrictedPython's advisories or by gaps in our own guards."""

import keyword

import pytest

from support.escape_programs import BOTH, LIBERAL, NAMES, assert_fails
from support.restricted_programs import refusal_of

both = pytest.mark.parametrize("settings", BOTH, ids=NAMES)
INSPECTED = {
    "gi_frame": "(i for i in [1])",
    "gi_code": "(i for i in [1])",
    "gi_yieldfrom": "(i for i in [1])",
    "f_globals": "0",
    "f_locals": "0",
    "f_builtins": "0",
    "f_back": "0",
    "f_code": "0",
    "f_trace": "0",
    "tb_frame": "0",
    "tb_next": "0",
    "co_code": "0",
    "cr_frame": "0",
    "cr_code": "0",
    "cr_await": "0",
    "cr_origin": "0",
    "ag_frame": "0",
    "ag_code": "0",
    "ag_await": "0",
}
DUNDERS = (
    "__class__ __bases__ __base__ __mro__ __subclasses__ __dict__ __globals__ __code__ __closure__ __builtins__ "
    "__self__ __func__ __wrapped__ __getattribute__ __setattr__ __delattr__ __reduce__ __reduce_ex__ __setstate__ "
    "__init_subclass__ __traceback__ __context__ __cause__ __module__ __annotations__ __defaults__ __import__"
).split()
WAYS = {
    "an attribute": "out = ({value}).{name}",
    "getattr": "out = getattr({value}, '{name}')",
    "getattr with a default": "found = getattr({value}, '{name}', 0)\nif found != 0:\n    out = found\nassert False",
    "setattr": "class A:\n    pass\nsetattr(A(), '{name}', 1)\nout = 1",
    "an attribute that is set": "class A:\n    pass\nA().{name} = 1\nout = 1",
    "an attribute that is deleted": "class A:\n    pass\ndel A().{name}\nout = 1",
    "an attribute that is added to": "class A:\n    pass\nA().{name} += 1\nout = 1",
    "a pattern": "match {value}:\n    case object({name}=found):\n        out = found\nassert False",
    "a pattern by place": "class A:\n    __match_args__ = ('{name}',)\n"
    "match A():\n    case A(found):\n        out = found\nassert False",
    "format": "out = '{{0.{name}}}'.format({value})",
    "format_map": "out = '{{x.{name}}}'.format_map({{'x': {value}}})",
    "str.format": "out = str.format('{{0.{name}}}', {value})",
    "map": "out = list(map(str.format, ['{{0.{name}}}'], [{value}]))",
}
REFUSAL = r"restricted name|invalid attribute|AssertionError|not safe|no attribute|can't be changed"


@both
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", [*INSPECTED, *(name for name in DUNDERS if name != "__init_subclass__")])
def test_no_way_leads_to_what_the_interpreter_keeps_in_objects(name, way, settings):
    """Frames (CVE-2023-37271), code, async generators' `ag_*`, classes and their dicts can't be read or set."""
    assert_fails(WAYS[way].format(name=name, value=INSPECTED.get(name, "lambda: 0")), settings, REFUSAL)


@pytest.mark.parametrize("path", ["gi_frame.f_globals", "__class__", "real.__class__"])
@pytest.mark.parametrize("call", ["operator.attrgetter('{}')((i for i in []))", "operator.methodcaller('{}')(0)"])
def test_operators_read_attributes_as_programs_do(call, path):
    """operator.attrgetter and methodcaller return nothing that `getattr` refuses."""
    assert_fails(
        f"import operator\nout = {call.format(path)}", LIBERAL, "restricted name|invalid attribute|no attribute"
    )


@both
@pytest.mark.parametrize(
    "source",
    [
        "class S(str):\n    def f(self):\n        return super().format(1)\nout = S('{0.__class__}').f()",
        "class S(str):\n    def __call__(self):\n        pass\nclass A:\n    def f(self):\n        pass\n"
        "out = type(A().f)(S('{0.__class__}'), 1).format(1)",
        "out = type(dict[int, int])(str, int).format('{0.__class__}', 1)",
        "class S(str):\n    pass\nout = S('{0.__class__}').format(1)",
        "out = getattr('{0.__class__}', 'form' + 'at')(1)",
    ],
    ids=["super()", "a method's function", "a type hint's origin", "a subclass", "a name put together"],
)
def test_no_text_is_formatted_without_guards(source, settings):
    """str.format reads only attributes that programs can read, however it is reached (CVE-2023-41039)."""
    assert_fails(source, settings, "not safe|invalid attribute")


@pytest.mark.parametrize("source", ["'%(x.__class__)s' % {'x': 1}", "f'{x!r.__class__}'", "'{0.__class__}' % ()"])
def test_other_formatting_reads_no_attributes(source):
    """`%` and f-strings read attributes only as the program's own code does."""
    assert_fails(f"x = 1\nfound = {source}\nassert 'class' not in found or '.__class__' in found\n1 / 0", {}, ".")


@both
@pytest.mark.parametrize("subject", ["type", "list", "math", "1", "lambda: 0"])
def test_an_attribute_error_does_not_show_its_object(subject, settings):
    """`AttributeError.obj` does not expose an object behind a guard (CVE-2024-47532)."""
    source = f"try:\n    ({subject}).nothing\nexcept AttributeError as error:\n    out = error.obj"
    assert_fails(source, settings, "of an AttributeError")


@both
def test_there_are_no_star_excepts(settings):
    """`except*`, which could confuse types in the interpreter, is refused (CVE-2025-22153)."""
    assert_fails(
        "try:\n    1 / 0\nexcept* Exception as e:\n    out = e", settings, "TryStar statements are not allowed"
    )


@both
@pytest.mark.parametrize("name", ["ExceptionGroup", "BaseExceptionGroup", "open", "eval", "exec", "compile", "globals"])
def test_some_builtins_are_not_there(name, settings):
    """Programs lack the builtins that make exception groups, compile text, open files or show names."""
    assert_fails(f"found = {name}\nout = 1", settings, "NameError")


BINDINGS = {
    "assignment": "{} = 1",
    "a list": "[a, {}] = 1, 2",
    "several targets": "a = b, {} = 1, 2",
    "a star": "a, *{} = 1, 2",
    "an annotation": "{}: int = 1",
    "a bare annotation": "{}: int",
    "augmented assignment": "{} += 1",
    "del": "del {}",
    "for": "for {} in [1]: pass",
    "for of tuples": "for a, {} in [(1, 2)]: pass",
    "with": "with a as {}: pass",
    "with of tuples": "with a as (b, {}): pass",
    "except": "try: pass\nexcept Exception as {}: pass",
    "import": "import math as {}",
    "import of a name": "from math import pi as {}",
    "import by its name": "import {}",
    "def": "def {}(): pass",
    "class": "class {}: pass",
    "walrus": "({} := 1)",
    "a positional-only argument": "def f({}, /): pass",
    "an argument": "def f(a, {}): pass",
    "an argument with a default": "def f({}=1): pass",
    "a keyword-only argument": "def f(*, {}): pass",
    "*args": "def f(*{}): pass",
    "**kwargs": "def f(**{}): pass",
    "lambda's positional-only argument": "lambda {}, /: 0",
    "lambda's argument": "lambda {}: 0",
    "lambda's keyword-only argument": "lambda *, {}: 0",
    "lambda's *args": "lambda *{}: 0",
    "lambda's **kwargs": "lambda **{}: 0",
    "global": "def f():\n    global {}",
    "nonlocal": "def f():\n    def g():\n        nonlocal {}",
    "a list comprehension": "[0 for {} in [1]]",
    "a set comprehension": "{{0 for {} in [1]}}",
    "a dict comprehension": "{{0: 0 for {} in [1]}}",
    "a generator": "(0 for a, {} in [])",
    "a capture": "match 1:\n    case {}: pass",
    "as in a pattern": "match 1:\n    case 1 as {}: pass",
    "a star in a pattern": "match 1:\n    case [1, *{}]: pass",
    "a mapping's rest": "match 1:\n    case {{1: 2, **{}}}: pass",
    "an attribute's pattern": "match 1:\n    case int(real={}): pass",
    "an alternative's pattern": "match 1:\n    case [{0}] | (1, {0}): pass",
    "in a class": "class A:\n    {} = 1",
    "a method": "class A:\n    def {}(self): pass",
}
GUARDS = "_getattr_ _getitem_ _getiter_ _write_ _own_ _apply_ _print_ _match_ _inplace_ _unpack_sequence_".split()


@both
@pytest.mark.parametrize(
    "guard", [*GUARDS, "__builtins__", "__metaclass__", "__import__", "__name__", "_tmp0_", "_print"]
)
@pytest.mark.parametrize("binding", BINDINGS)
def test_no_binding_takes_a_guards_name(binding, guard, settings):
    """Guards can't be replaced, by positional-only arguments (CVE-2026-55830) or any other binding."""
    assert f'"{guard}" is an invalid' in refusal_of(BINDINGS[binding].format(guard), **settings)


@both
@pytest.mark.parametrize(
    "written", ["ｅval('1')", "__ｉmport__('os')", "().__ｃlass__", "x = ＿getattr_", "(lambda ＿write_: 0)"]
)
def test_other_characters_for_the_same_names_are_refused(written, settings):
    """Names are compared after Unicode's NFKC, as Python reads them."""
    assert keyword.iskeyword(written) or refusal_of(written, **settings)


@both
@pytest.mark.parametrize(
    ("source", "refusal"),
    [
        ("out = type('X', (), {})", "takes 1 positional argument"),
        ("out = type[int]('X', (), {})", "takes 1 positional argument"),
        ("out = type.__call__('X', (), {})", "takes 1 positional argument"),
        ("out = type.__call__(type, 'X', (), {})", "takes 1 positional argument"),
        ("out = type.__new__(type, 'X', (), {})", "own classes alone"),
        ("out = type(type)('X', (), {})", "takes 1 positional argument"),
        ("out = type(lambda: 0)(1, {})", "can't be made"),
        ("type(list).__init__(list, int, int)\nout = 1", "own"),
        ("class A:\n    def f(self): pass\nout = type(A().f)(type[int], 1).real", "has no attribute"),
        ("class A:\n    def f(self): pass\nout = type(A().f)(type[int], 1).make", "has no attribute"),
        ("import typing\nout = typing.Annotated[type[int], 1].real", "has no attribute"),
        ("import functools\nout = functools.GenericAlias(type[int], ()).real", "has no attribute"),
        ("out = type(lambda: 0).mro()[0](1, {})", "can't be made"),
        ("out = type(int).mro(type(lambda: 0))[0](1, {})", "can't be made"),
        (
            "import dataclasses\n@dataclasses.dataclass\nclass A:\n    x: int = 0\n"
            "class F(type(dataclasses.fields(A)[0]).mro()[0]):\n    pass\nout = F",
            "can't derive from",
        ),
        ("class M(type):\n    pass\nout = M", "can't derive from"),
        ("class M(type[int]):\n    pass\nout = M", "can't derive from"),
        ("class M(type(list)):\n    pass\nout = M", "can't derive from"),
        ("class M(type(math)):\n    pass\nout = M", "can't derive from"),
        ("class A(metaclass=type):\n    pass\nout = A", '"metaclass" is not allowed'),
        ("class A(**{'metaclass': type}):\n    pass\nout = A", r'by "\*\*" are not allowed'),
        ("class A(_root=True):\n    pass\nout = A", '"_root" is an invalid keyword'),
        ("out = __build_class__(lambda: 0, 'X')", '"__build_class__" is an invalid'),
        ("class A:\n    __class__ = int\nout = A", "invalid variable name"),
        ("class A:\n    def __getattribute__(self, name): pass\nout = A", "invalid variable name"),
        ("class A:\n    def __reduce_ex__(self, version): pass\nout = A", "invalid variable name"),
        ("class A:\n    def __instancecheck__(self, value): pass\nout = A", "invalid variable name"),
    ],
)
def test_classes_are_made_by_class_statements_alone(source, refusal, settings):
    """Programs have no three-argument `type`, no metaclass, and no method that changes how classes are made."""
    assert_fails(source, settings, refusal)


@both
@pytest.mark.parametrize(
    "target",
    ["int.x", "math.x", "math.pi", "list.x", "random.Random.x", "getattr.x", "len.x", "type.x", "dict[int, int].x"],
)
@pytest.mark.parametrize("write", ["{0} = 1", "del {0}", "{0} += 1", "for {0} in [1]: pass", "setattr({1}, 'x', 1)"])
def test_what_all_share_is_not_changed(write, target, settings):
    """Shared modules, classes and functions keep their attributes."""
    source = write.format(target, target.rpartition(".")[0])
    assert_fails(source + "\nout = 1", settings, "can't be changed|has no attribute|can't be had")


@both
@pytest.mark.parametrize(
    "source",
    ["import os", "import sys", "from os import path", "import collections_x", "from . import x", "import math.os"],
)
def test_modules_that_are_not_allowed_are_not_imported(source, settings):
    """Only what `allowed_imports` names can be imported, whatever its prefix."""
    assert_fails(f"{source}\nout = 1", settings, "ImportError|ModuleNotFoundError")
