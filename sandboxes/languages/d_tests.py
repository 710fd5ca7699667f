"""Tests in D that compare results of calls with data: one `unittest` block of assertions, as in MultiPL-E."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from sandboxes.languages.plain_tests import NotPlain, PlainTests, Reader

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
    callables = LIBRARY

    def own_operand(self) -> Any:
        """Take a list, a table, a tuple, or a call."""
        if self.take("["):
            return self.list_or_table()
        if self.take("tuple", "("):
            return self.items(")")
        return self.call()

    def list_or_table(self) -> Any:
        """Take what stands between square brackets: elements, or keys and values."""
        found: list[Any] = []
        table: dict[str, Any] = {}
        while not self.take("]"):
            value = self.data()
            if self.take(":"):
                table[value if isinstance(value, str) else str(value)] = self.data()
            else:
                found.append(value)
            if not self.next_is("]"):
                self.expect(",")
        if table and found:
            raise NotPlain("a list with keys")
        return table or found

    def statement(self) -> None:
        """Take a statement of the block."""
        first = self.at
        if self.take("assert", "("):
            self.comparison()
            self.expect(")", ";")
        else:
            self.expect("alias", "candidate", "=")
            self.keep_statement(first)

    def method(self) -> str:
        """Take a function that only calls the candidate's, as our reader of MultiPL-E writes it, and return it."""
        first = self.at
        while not self.next_is("{"):
            if self.peek().kind not in ("name", "symbol") or self.peek() is self.end or self.next_is(";"):
                raise NotPlain("no function")
            self.at += 1
        self.expect("{", "return", "code_eval_candidate", ".")
        self.call()
        self.expect(";", "}")
        return self.source(first)


@lru_cache(maxsize=256)
def d_tests(tests: str) -> PlainTests | None:
    """Return tests whose calls and results are apart; None if they do more than compare results with data."""
    try:
        reader = DReader(IMPORT.sub("", tests))
        methods = "" if reader.next_is("unittest") else reader.method()
        reader.expect("unittest", "{")
        while not reader.take("}"):
            reader.statement()
        reader.expect("void", "main", "(", ")", "{", "}")
        if reader.peek() is not reader.end:
            return None
        types = f"    static assert(is(typeof({reader.shape}) == bool));" if reader.shape else ""
        parts = {"imports": "\n".join(IMPORT.findall(tests)), "methods": methods, "types": types}
        return reader.result(PROGRAM % {**parts, "statements": "".join(reader.statements)})
    except (NotPlain, RecursionError):
        return None
