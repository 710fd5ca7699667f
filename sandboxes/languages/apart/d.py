"""Tests in D that compare results of calls with data: one `unittest` block of assertions, as in MultiPL-E."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from sandboxes.languages.apart.plain_data import Call
from sandboxes.languages.apart.plain_tests import PlainTests, Reader, or_none

IMPORT = re.compile(r"^[ \t]*import[ \t]+std(?:\.\w+)+[ \t]*;[ \t]*$", re.MULTILINE)
LIBRARY = frozenset("abs fabs isClose cast".split())

# It imports no module of Phobos, which takes long to compile.
PROGRAM = """\
%(imports)s
%(methods)s
unittest
{
    string codeEvalAll;
%(statements)s
%(types)s
    codeEvalWriteLine(codeEvalAll);
}

void main(){}

void codeEvalAdd(T)(ref string all, T value)
{
    all ~= all.length ? "," : "\\n[";
    codeEvalWrite(all, value);
}

void codeEvalWrite(T)(ref string all, T value)
{
    static import core.stdc.stdio;

    char[64] text = 0;
    static if (is(T : const(char)[])) codeEvalQuote(all, value);
    else static if (is(immutable T == immutable bool)) all ~= value ? "true" : "false";
    else static if (is(immutable T == immutable char)) codeEvalQuote(all, [value]);
    else static if (is(T : real) && !is(T : long) && !is(T : ulong))
    {
        // The shortest text that is read as the same number.
        foreach (digits; 1 .. 22)
        {
            import core.stdc.stdlib : strtold;

            auto length = core.stdc.stdio.snprintf(text.ptr, text.length, "%%.*Lg", digits, cast(real) value);
            if (cast(T) strtold(text.ptr, null) != value && digits < 21) continue;
            auto shown = text[0 .. length].idup;
            all ~= shown == "nan" || shown == "-nan" ? "NaN" : shown == "inf" ? "Infinity"
                : shown == "-inf" ? "-Infinity" : shown;
            break;
        }
    }
    else static if (is(T : ulong) || is(T : long))
    {
        auto format = T.min < 0 ? "%%lld" : "%%llu";
        all ~= text[0 .. core.stdc.stdio.snprintf(text.ptr, text.length, format.ptr, cast(long) value)].idup;
    }
    else static if (is(T == K[V], K, V))
    {
        auto between = "{";
        // In D both are written as [].
        if (!value.length) all ~= "[]";
        foreach (key, each; value)
        {
            string name;
            codeEvalWrite(name, key);
            all ~= between;
            all ~= name[0] == '"' ? name : '"' ~ name ~ '"';
            all ~= ":";
            codeEvalWrite(all, each);
            between = ",";
        }
        if (value.length) all ~= "}";
    }
    else static if (is(typeof(value[0])) && is(typeof(value.length) : size_t) && !is(typeof(value.expand)))
    {
        all ~= "[";
        foreach (place, each; value)
        {
            all ~= place ? "," : "";
            codeEvalWrite(all, each);
        }
        all ~= "]";
    }
    else
    {
        all ~= "[";
        foreach (place, each; value.expand)
        {
            all ~= place ? "," : "";
            codeEvalWrite(all, each);
        }
        all ~= "]";
    }
}

void codeEvalQuote(ref string all, const(char)[] value)
{
    all ~= '"';
    foreach (each; value)
    {
        if (each == '"' || each == '\\\\') all ~= '\\\\';
        if (each >= ' ') all ~= each;
        else all ~= "\\\\u00" ~ "0123456789abcdef"[each >> 4] ~ "0123456789abcdef"[each & 15];
    }
    all ~= '"';
}

void codeEvalWriteLine(string all)
{
    static import core.stdc.stdio;

    core.stdc.stdio.fflush(null);
    core.stdc.stdio.printf("%%.*s]\\n", cast(int) all.length, all.ptr);
}
"""


class DReader(Reader):
    """Reads tests in D."""

    record = "    codeEvalAdd(codeEvalAll, %s);\n"
    foreign = LIBRARY
    constructors = frozenset(("tuple",))

    def own_operand(self) -> Any:
        """Take a list, a table, a tuple, or a call."""
        if self.take("["):
            return self.list_or_table()
        if self.take("tuple", "("):
            return self.items(")")
        return self.call()

    def check_equal(self, call: Any, value: Any, neutral: str) -> None:
        """Note that a call and a value are equal by `==`. A float that is compared with a double becomes one."""
        if isinstance(call, Call) and isinstance(value, float) and neutral[-1] not in "fFL":
            call = replace(call, source=f"cast(double) ({call.source})")
        super().check_equal(call, value, neutral)
        self.allow_character(value)

    def statement(self) -> None:
        """Take a statement of the block."""
        first = self.at
        if self.take("assert", "("):
            self.comparison()
            self.expect(")", ";")
        else:
            self.expect("alias", "candidate", "=")
            self.keep_statement(first)


@or_none
def d_tests(tests: str) -> PlainTests:
    """Return tests whose calls and results are apart.

    Raises:
        NotPlain: if they do more than compare results with data.
    """
    reader = DReader(IMPORT.sub("", tests))
    methods = "" if reader.next_is("unittest") else reader.method("code_eval_candidate", ".")
    reader.expect("unittest", "{")
    while not reader.take("}"):
        reader.statement()
    reader.expect("void", "main", "(", ")", "{", "}")
    types = f"    static assert(is(typeof({reader.shape}) == bool));" if reader.shape else ""
    parts = {"imports": "\n".join(IMPORT.findall(tests)), "methods": methods, "types": types}
    return reader.result(PROGRAM % {**parts, "statements": "".join(reader.statements)})
