"""Tests in C# that compare results of calls with data: a `Main` of assertions, as in MultiPL-E."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from sandboxes.languages.plain_tests import Call, NotPlain, PlainTests, Reader

USING = re.compile(r"^[ \t]*using[ \t]+[\w.]+[ \t]*;[ \t]*$", re.MULTILINE)
NUMBERS = ("long", "int", "double", "float", "string", "bool", "char")
LIBRARY = frozenset("Array CodeEval Debug Dictionary Enumerable List Math Tuple".split())

PROGRAM = """\
%(usings)s
class %(name)s {
%(methods)s
    public static void Main(string[] args) {
%(statements)s
        CodeEvalResults.Finish();
    }
}
static class CodeEvalResults {
    static readonly System.Text.StringBuilder text = new System.Text.StringBuilder();
    static string between = "\\n[";

    internal static void Add(object value) {
        text.Append(between);
        between = ",";
        Write(value);
    }

    internal static void Finish() { System.Console.Out.WriteLine(text.Append("]")); }

    static void Write(object value) {
        var culture = System.Globalization.CultureInfo.InvariantCulture;
        if (value == null) text.Append("null");
        else if (value is bool) text.Append((bool)value ? "true" : "false");
        else if (value is string || value is char) Quote(value.ToString());
        else if (value is double) text.Append(((double)value).ToString("R", culture));
        else if (value is float) text.Append(((float)value).ToString("R", culture));
        else if (value is System.Collections.IDictionary) {
            string before = "{";
            if (((System.Collections.IDictionary)value).Count == 0) text.Append(before);
            foreach (System.Collections.DictionaryEntry each in (System.Collections.IDictionary)value) {
                text.Append(before);
                Quote(System.Convert.ToString(each.Key, culture));
                text.Append(":");
                Write(each.Value);
                before = ",";
            }
            text.Append("}");
        }
        else if (value is System.Collections.IEnumerable) WriteAll((System.Collections.IEnumerable)value);
        else if (value.GetType().FullName.StartsWith("System.Tuple`")) {
            var parts = new System.Collections.ArrayList();
            foreach (var part in value.GetType().GetProperties())
                if (part.Name.StartsWith("Item")) parts.Add(part.GetValue(value));
            WriteAll(parts);
        }
        else text.Append(System.Convert.ToString(value, culture));
    }

    static void WriteAll(System.Collections.IEnumerable all) {
        string before = "";
        text.Append("[");
        foreach (object each in all) {
            text.Append(before);
            Write(each);
            before = ",";
        }
        text.Append("]");
    }

    static void Quote(string value) {
        text.Append('"');
        foreach (char each in value) {
            if (each == '"' || each == '\\\\') text.Append('\\\\');
            if (each < ' ' || char.IsSurrogate(each)) text.Append("\\\\u" + ((int)each).ToString("x4"));
            else text.Append(each);
        }
        text.Append('"');
    }
}
"""


class CsharpReader(Reader):
    """Reads tests in C#."""

    record = "        CodeEvalResults.Add(%s);\n"

    def own_operand(self) -> Any:
        """Take a list, a table, a tuple, or a call."""
        if self.take("new"):
            return self.made()
        if self.take("Tuple", ".", "Create", "("):
            return self.items(")")
        if self.take("null"):
            return None
        return self.call()

    def call(self) -> Call:
        """Take a call of the candidate's method."""
        first = self.at
        if self.name() in LIBRARY or not self.next_is("("):
            raise NotPlain("no call of the candidate's")
        self.skip_brackets()
        return Call(self.source(first))

    def made(self) -> Any:
        """Take what follows `new`."""
        kind = self.name()
        self.skip_type_arguments()
        if self.next_is("["):
            while self.take("["):
                self.expect("]")
            return self.elements()
        if kind not in ("List", "Dictionary"):
            raise NotPlain(kind)
        self.expect("(")
        found = self.items(")")
        if kind == "Dictionary":
            pairs = self.elements() if self.next_is("{") and not found else []
            if found or not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
                raise NotPlain("a table made of something else")
            return {key if isinstance(key, str) else str(key): value for key, value in pairs}
        if found and (len(found) != 1 or not isinstance(found[0], list)):
            raise NotPlain("a list made of something else")
        return found[0] if found else []

    def elements(self) -> list[Any]:
        """Take elements in braces, which may be such themselves."""
        self.expect("{")
        found: list[Any] = []
        while not self.take("}"):
            found.append(self.elements() if self.next_is("{") else self.data())
            if not self.next_is("}"):
                self.expect(",")
        return found

    def parenthesised(self) -> Any:
        """Take an operand, or a cast and its operand."""
        if self.peek().text in NUMBERS and self.peek(1).text == ")":
            self.at += 2
            return self.operand()
        return super().parenthesised()

    def statement(self) -> None:
        """Take an assertion."""
        self.expect("Debug", ".", "Assert", "(")
        first = self.at
        if self.take("CodeEval", ".", "Same", ".", "Values", "("):
            left = self.operand()
            self.expect(",")
            self.check(left, self.data())
            self.expect(")")
        else:
            try:
                left = self.operand()
                self.expect(".", "Equals", "(")
                self.check(left, self.parenthesised())
            except NotPlain:
                self.at = first
                self.comparison()
        self.expect(")", ";")

    def method(self) -> str:
        """Take a method that only calls the candidate's, as our reader of MultiPL-E writes it, and return it."""
        first = self.at
        self.expect("static")
        while not self.next_is("("):
            if self.peek().kind not in ("name", "symbol") or self.peek() is self.end or self.next_is(";"):
                raise NotPlain("no method")
            self.at += 1
        self.skip_brackets()
        self.expect("{", "return", "code_eval_candidate", "::", "Problem", ".")
        self.call()
        self.expect(";", "}")
        return self.source(first)


@lru_cache(maxsize=256)
def csharp_tests(tests: str) -> PlainTests | None:
    """Return tests whose calls and results are apart; None if they do more than compare results with data."""
    try:
        reader = CsharpReader(USING.sub("", tests))
        reader.expect("class")
        name = reader.name()
        reader.expect("{")
        methods = reader.method()
        reader.expect("public", "static", "void", "Main", "(", "string", "[", "]", "args", ")", "{")
        while not reader.take("}"):
            reader.statement()
        reader.expect("}")
        if reader.peek() is not reader.end:
            return None
        parts = {"usings": "\n".join(USING.findall(tests)), "name": name, "methods": methods}
        return reader.result(PROGRAM % {**parts, "statements": "".join(reader.statements)})
    except (NotPlain, RecursionError):
        return None
