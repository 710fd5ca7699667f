"""How functions of the tests reach the candidate's process: by name where it has them too, else to be called back."""

import sys

from .libraries import SAFE_MODULES
from .names import BOUND_METHOD, FUNCTION

VARIABLE_ARGUMENTS, VARIABLE_KEYWORDS = 0x04, 0x08
LIBRARY_MODULES = SAFE_MODULES | {"builtins", "_operator", "_functools", "_heapq", "_bisect"}
ANY_PARAMETERS = ("*args, **kwargs", "(), {}, args, {}, kwargs")


class Default:
    """Stands for a default of the tests' function, which stays there: it may be an expected value."""

    def __repr__(self):
        """Shows in a signature as this."""
        return "..."


DEFAULT = Default()


def signature(function):
    """Returns a function's parameters as source, and how `build_callback` passes them on.

    Args:
        function: a Python function, or a method that is bound to an object.
    """
    bound = int(type(function) is BOUND_METHOD)
    function = getattr(function, "__func__", function)
    code = function.__code__
    count = code.co_argcount + code.co_kwonlyargcount
    rest = [bool(code.co_flags & flag) for flag in (VARIABLE_ARGUMENTS, VARIABLE_KEYWORDS)]
    names = list(code.co_varnames[: count + sum(rest)])
    if not all(name.isidentifier() for name in names) or bound > code.co_argcount:
        return ANY_PARAMETERS
    first_default = code.co_argcount - len(function.__defaults__ or ())
    given = {*names[first_default : code.co_argcount], *(function.__kwdefaults__ or ())}
    parameters = [name + "=_default" if name in given else name for name in names[:count]]
    keyword_only = parameters[code.co_argcount :]
    parameters[code.co_argcount :] = []
    if code.co_posonlyargcount > bound:
        parameters.insert(code.co_posonlyargcount, "/")
    parameters = parameters[bound:]
    extra, more = "()", "{}"
    if rest[0]:
        extra = names[count]
        parameters.append("*" + extra)
    elif keyword_only:
        parameters.append("*")
    parameters += keyword_only
    if rest[1]:
        more = names[-1]
        parameters.append("**" + more)
    needed = [name for name in names[bound : code.co_argcount] if name not in given]
    optional = [name for name in names[bound : code.co_argcount] if name in given]
    named = names[code.co_argcount : count]
    pairs = ["{%s}" % ", ".join("%r: %s" % (name, name) for name in group) for group in (optional, named)]
    passed = "(%s), %s, %s, %s, %s" % ("".join(name + ", " for name in needed), pairs[0], extra, pairs[1], more)
    return ", ".join(parameters), passed


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


def arguments_of(needed, optional, rest, named, more):
    """Returns the positional arguments and the keywords of a call, without those that are left to their defaults.

    Args:
        needed: values of the parameters that have no default, in order.
        optional: values of those that have one, by name, in order; DEFAULT where the caller gave none.
        rest: values of `*args`.
        named: values of keyword-only parameters, by name, likewise.
        more: values of `**kwargs`.
    """
    values, keywords = list(needed), {}
    for place, (name, value) in enumerate(optional.items(), len(values)):
        if value is DEFAULT:
            continue
        if len(values) == place:
            values.append(value)
        else:
            # One before it is left out.
            keywords[name] = value
    keywords.update((name, value) for name, value in named.items() if value is not DEFAULT)
    return (*values, *rest), {**keywords, **more}


def build_callback(name, is_async, parameters, passed, ask):
    """Returns a function with the parameters of another process's, so that what looks at them finds them.

    Args:
        name: of the function.
        is_async: whether it is awaited.
        parameters: as `signature` gives them.
        passed: likewise.
        ask: called with the arguments, a tuple, and the keywords, a dict.
    """
    prefix, awaiting = ("async ", "await ") if is_async else ("", "")
    name = name if name.isidentifier() else "function"
    source = "%sdef %s(%s):\n return %s_ask(*_arguments(%s))" % (prefix, name, parameters, awaiting, passed)
    if parameters == ANY_PARAMETERS[0] and not is_async:
        return lambda *args, **kwargs: ask(args, kwargs)
    namespace = {"_ask": ask, "_arguments": arguments_of, "_default": DEFAULT}
    exec(source, namespace)
    return namespace[name]
