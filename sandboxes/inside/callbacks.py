"""How functions of the tests reach the candidate's process: by name where it has them too, else to be called back."""

import sys

from .libraries import SAFE_MODULES
from .names import BOUND_METHOD, FUNCTION

VARIABLE_ARGUMENTS, VARIABLE_KEYWORDS = 0x04, 0x08
LIBRARY_MODULES = SAFE_MODULES | {"builtins", "_operator", "_functools", "_heapq", "_bisect"}
ANY_PARAMETERS = ("*args, **kwargs", "args, kwargs", [])


def signature(function):
    """A function's parameters as source, how they are passed on, and the values of their defaults.

    Args:
        function: a Python function, or a method that is bound to an object.
    """
    bound = int(type(function) is BOUND_METHOD)
    function = getattr(function, "__func__", function)
    code, defaults = function.__code__, list(function.__defaults__ or ())
    names = list(code.co_varnames)
    positional = names[: code.co_argcount]
    keyword_only = names[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    rest = names[code.co_argcount + code.co_kwonlyargcount :]
    if not all(name.isidentifier() for name in names) or bound > len(positional):
        return ANY_PARAMETERS
    first_default = len(positional) - len(defaults)
    parameters = [
        name if k < first_default else "%s=_defaults[%d]" % (name, k - first_default)
        for k, name in enumerate(positional)
    ]
    if code.co_posonlyargcount > bound:
        parameters.insert(code.co_posonlyargcount, "/")
    parameters, passed, keywords = parameters[bound:], positional[bound:], []
    if code.co_flags & VARIABLE_ARGUMENTS:
        name = rest.pop(0)
        parameters.append("*" + name)
        passed.append("*" + name)
    elif keyword_only:
        parameters.append("*")
    for name in keyword_only:
        keywords.append("%r: %s" % (name, name))
        given = function.__kwdefaults__ or {}
        parameters.append("%s=_defaults[%d]" % (name, len(defaults)) if name in given else name)
        defaults += [given[name]] if name in given else []
    if code.co_flags & VARIABLE_KEYWORDS:
        name = rest.pop(0)
        parameters.append("**" + name)
        keywords.append("**" + name)
    arguments = "(%s), {%s}" % ("".join(each + ", " for each in passed), ", ".join(keywords))
    return ", ".join(parameters), arguments, defaults


def named_function(value):
    """The node for a function of the standard library, which each process has; None if it is not one."""
    name = getattr(value, "__qualname__", None)
    module = getattr(value, "__module__", None) or getattr(getattr(value, "__objclass__", None), "__module__", None)
    if type(name) is not str or module not in LIBRARY_MODULES:
        return None
    found = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return ["named", module, name] if found is value else None


def parameters_of(function):
    """What `signature` says, or any parameters where it can't tell."""
    if type(function) is FUNCTION or type(getattr(function, "__func__", None)) is FUNCTION:
        return signature(function)
    return ANY_PARAMETERS


def build_callback(name, is_async, parameters, passed, defaults, ask):
    """A function with the parameters of another process's, so that what looks at them finds them.

    Args:
        name: of the function.
        is_async: whether it is awaited.
        parameters: as `signature` gives them.
        passed: likewise.
        defaults: likewise.
        ask: called with the arguments, a tuple, and the keywords, a dict.
    """
    prefix, awaiting = ("async ", "await ") if is_async else ("", "")
    name = name if name.isidentifier() else "function"
    source = "%sdef %s(%s):\n return %s_ask(%s)" % (prefix, name, parameters, awaiting, passed)
    if parameters == ANY_PARAMETERS[0] and not is_async:
        return lambda *args, **kwargs: ask(args, kwargs)
    namespace = {"_ask": ask, "_defaults": defaults}
    exec(source, namespace)
    return namespace[name]
