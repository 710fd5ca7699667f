"""Tests in C# that compare results of calls with data: a `Main` of assertions, as in MultiPL-E."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from sandboxes.languages.apart.c_numbers import single
from sandboxes.languages.apart.plain_data import Call, is_number, table
from sandboxes.languages.apart.plain_tests import PlainTests, Reader, or_none
from sandboxes.languages.apart.plain_tokens import NotPlain

USING = re.compile(r"^[ \t]*using[ \t]+[\w.]+[ \t]*;[ \t]*$", re.MULTILINE)
CASTS = {"long": int, "int": int, "double": float, "float": float, "string": str, "bool": bool, "char": str}
RESULTS = frozenset(
    "Collections Dictionary Generic List System Tuple bool byte char decimal double float int long sbyte short static"
    " string uint ulong ushort".split()
)
"""Words before the name of a function whose results have known classes. An object may be of any."""

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

    internal static void Add<T>(T value) {
        text.Append(between);
        between = ",";
        Write(value, typeof(T));
    }

    // `==` takes a character for its number.
    internal static int Number(char value) { return value; }
    internal static int? Number(char? value) { return value; }
    internal static T Number<T>(T value) { return value; }

    internal static void Finish() { System.Console.Out.WriteLine(text.Append("]")); }

    static void Write(object value, System.Type type) {
        var culture = System.Globalization.CultureInfo.InvariantCulture;
        type = System.Nullable.GetUnderlyingType(type) ?? type;
        if (value == null) text.Append("null");
        else if (value.GetType() != type) {
            // An object that is equal to no data, such as a list of a class of the candidate's.
            text.Append("{");
            Quote(value.GetType().FullName);
            text.Append(":null}");
        }
        else if (value is bool) text.Append((bool)value ? "true" : "false");
        else if (value is string || value is char) Quote(value.ToString());
        else if (value is double) text.Append(((double)value).ToString("R", culture));
        // The text of a float may have one of two lengths. That of the same double has all of its digits.
        else if (value is float) text.Append(((double)(float)value).ToString("R", culture));
        else if (value is System.Collections.IDictionary) {
            string before = "{";
            if (((System.Collections.IDictionary)value).Count == 0) text.Append(before);
            foreach (System.Collections.DictionaryEntry each in (System.Collections.IDictionary)value) {
                text.Append(before);
                Quote(System.Convert.ToString(each.Key, culture));
                text.Append(":");
                Write(each.Value, type.GetGenericArguments()[1]);
                before = ",";
            }
            text.Append("}");
        }
        else if (value is System.Collections.IEnumerable) {
            var element = type.IsArray ? type.GetElementType() : type.GetGenericArguments()[0];
            string before = "[";
            foreach (object each in (System.Collections.IEnumerable)value) {
                text.Append(before);
                Write(each, element);
                before = ",";
            }
            text.Append(before == "[" ? "[]" : "]");
        }
        else if (type.IsGenericType) {
            string before = "[";
            foreach (var part in type.GetProperties()) {
                text.Append(before);
                Write(part.GetValue(value), part.PropertyType);
                before = ",";
            }
            text.Append("]");
        }
        else text.Append(System.Convert.ToString(value, culture));
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
    foreign = LIBRARY
    constructors = frozenset(("List", "Dictionary", "Create"))
    casts = CASTS
    equality = "Equals"
    single = staticmethod(single)

    def own_operand(self) -> Any:
        """Take a list, a table, a tuple, or a call."""
        if self.take("new"):
            return self.made()
        if self.take("Tuple", ".", "Create", "("):
            return self.items(")")
        if self.take("null"):
            return None
        return self.call()

    def made(self) -> Any:
        """Take what follows `new`."""
        kind = self.name()
        self.skip_type_arguments()
        if self.next_is("["):
            while self.take("["):
                self.expect("]")
            return self.braces()
        if kind not in ("List", "Dictionary"):
            raise NotPlain(kind)
        self.expect("(")
        found = self.items(")")
        if kind == "Dictionary":
            return table(self.braces() if self.next_is("{") and not found else found)
        if found and (len(found) != 1 or not isinstance(found[0], list)):
            raise NotPlain("a list made of something else")
        return found[0] if found else []

    def check_equal(self, call: Any, value: Any, neutral: str) -> None:
        """Note that a call and a value are equal by `==`, which asks of most objects whether they are the same."""
        if isinstance(value, list | dict):
            raise NotPlain("objects that are compared with ==")
        if isinstance(call, Call) and is_number(value):
            call = replace(call, source=f"CodeEvalResults.Number({call.source})")
        super().check_equal(call, value, neutral)

    def check_results(self) -> None:
        """Check that the function's results have the classes that its type names. Its first token comes next."""
        words = []
        while not self.next_is("("):
            if self.peek() is self.end:
                raise NotPlain("no function")
            words.append(self.peek())
            self.at += 1
        # The last one is the function's name.
        if {token.text for token in words[:-1] if token.kind == "name"} - RESULTS:
            raise NotPlain("results of other classes")
        self.at -= len(words)

    def statement(self) -> None:
        """Take an assertion."""
        self.expect("Debug", ".", "Assert", "(")
        if self.take("CodeEval", ".", "Same", ".", "Values", "("):
            left = self.operand()
            self.expect(",")
            self.check(left, self.data())
            self.expect(")")
        else:
            self.comparison()
        self.expect(")", ";")


@or_none
def csharp_tests(tests: str) -> PlainTests:
    """Return tests whose calls and results are apart.

    Raises:
        NotPlain: if they do more than compare results with data.
    """
    reader = CsharpReader(USING.sub("", tests))
    reader.expect("class")
    name = reader.name()
    reader.expect("{")
    reader.check_results()
    methods = reader.method("code_eval_candidate", "::", "Problem", ".")
    reader.expect("public", "static", "void", "Main", "(", "string", "[", "]", "args", ")", "{")
    while not reader.take("}"):
        reader.statement()
    reader.expect("}")
    parts = {"usings": "\n".join(USING.findall(tests)), "name": name, "methods": methods}
    return reader.result(PROGRAM % {**parts, "statements": "".join(reader.statements)})
