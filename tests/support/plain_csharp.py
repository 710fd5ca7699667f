"""Candidates in C# whose results are compared elsewhere, and others that are equal in JSON alone.

Each entry is (candidate, tests).
"""

USINGS = "using System;\nusing System.Collections.Generic;\nusing System.Diagnostics;\n"


def asserted(kind, *conditions):
    """Return tests as our reader of MultiPL-E writes them, which assert conditions about `F`, of a type."""
    body = "".join(f"    Debug.Assert({condition});\n" for condition in conditions)
    return (
        f"{USINGS}class CodeEvalTests {{\n    static {kind} F(long a) {{ return code_eval_candidate::Problem.F(a); }}\n"
        f"    public static void Main(string[] args) {{\n{body}    }}\n}}\n"
    )


def returning(kind, body, *conditions, around=""):
    """Return (candidate, tests): a function of a type that returns something, and conditions about it."""
    candidate = f"class Problem {{ public static {kind} F(long a) {{ return {body}; }} }}\n"
    return f"{USINGS}{candidate}{around}", asserted(kind, *conditions)


def same(value):
    """Return a condition that the result is the same as a value."""
    return f"CodeEval.Same.Values(F(1), ({value}))"


OWN = "class Own : KIND { }\n"
LONGS = "new List<long>(new long[]{(long)1L, (long)2L})"
HONEST = {
    "numbers": returning("long", "a + 1", "F(1) == (2L)", "F(1).Equals(2)", "F(4294967296) == 4294967297"),
    "real numbers": returning("double", "-a / 10.0", "F(1) == (-0.1)", "F(0) == 0.0", "F(50).Equals(-5.0)"),
    "numbers that may be missing": returning("long?", "a > 0 ? a : (long?)null", "F(1) == 1", "F(-1) == null"),
    "texts and characters": returning("string", '"\\"" + a', 'F(1).Equals("\\"1")', 'F(2) == "\\"2"'),
    "a character": returning("char", "(char)(a + 96)", "F(1) == 'a'", "F(2) == 98"),
    "lists of lists": returning(
        "List<List<long>>",
        "new List<List<long>> { new List<long> { a, 2 }, new List<long>(), null }",
        same(f"new List<List<long>>(new List<long>[]{{{LONGS}, new List<long>(), null}})"),
    ),
    "a table": returning(
        "Dictionary<string, List<double>>",
        'new Dictionary<string, List<double>> { { "b", null }, { "a", new List<double> { a / 2.0 } } }',
        same('new Dictionary<string, List<double>>(){{"a", new List<double>(new double[]{0.5})}, {"b", null}}'),
    ),
    "an array": returning("long[][]", "new[] { new[] { a } }", same("new long[][]{new long[]{1}}")),
    "tuples": returning(
        "Tuple<long, string, List<bool>>",
        'Tuple.Create(a, "x", new List<bool> { true })',
        same('Tuple.Create(1L, "x", new List<bool>(new bool[]{true}))'),
    ),
    "a list without numbers": returning("List<long?>", "new List<long?>()", same("new List<long?>()")),
    "a character that may be missing": returning("char?", "a > 0 ? 'a' : (char?)null", "F(1) == 97", "F(0) == null"),
}
ATTACKS = {
    "a list of its own": returning(
        "List<long>",
        "new Own { 1, 2 }",
        same(LONGS),
        around=OWN.replace("KIND", "List<long>"),
    ),
    "a list of its own in a list": returning(
        "List<List<long>>",
        "new List<List<long>> { new Own { 1, 2 } }",
        same(f"new List<List<long>>(new List<long>[]{{{LONGS}}})"),
        around=OWN.replace("KIND", "List<long>"),
    ),
    "a table of its own": returning(
        "Dictionary<long, long>",
        "new Own { { 1, 2 } }",
        same("new Dictionary<long, long>(){{1, 2}}"),
        around=OWN.replace("KIND", "Dictionary<long, long>"),
    ),
    "a list of its own in a table": returning(
        "Dictionary<long, List<long>>",
        "new Dictionary<long, List<long>> { { 1, new Own { 1, 2 } } }",
        same(f"new Dictionary<long, List<long>>(){{{{1, {LONGS}}}}}"),
        around=OWN.replace("KIND", "List<long>"),
    ),
    "a list that shows other elements": returning(
        "List<long>",
        "new Own()",
        same(LONGS),
        around="class Own : List<long>, System.Collections.IEnumerable {\n"
        "    System.Collections.IEnumerator System.Collections.IEnumerable.GetEnumerator()\n"
        "    { return new long[] { 1, 2 }.GetEnumerator(); } }\n",
    ),
    "a tuple of its own": returning(
        "Tuple<long, long>",
        "new Own()",
        same("Tuple.Create(1L, 2L)"),
        around="class Own : Tuple<long, long> { public Own() : base(1, 2) { } }\n",
    ),
    "an array of another class": returning("long[]", "(long[])(object)new ulong[] { 1, 2 }", same("new long[]{1, 2}")),
    "an array of its own lists": returning(
        "List<long>[]",
        "new Own[] { new Own { 1, 2 } }",
        same(f"new List<long>[]{{{LONGS}}}"),
        around=OWN.replace("KIND", "List<long>"),
    ),
    "a writer of its own": (
        f"{USINGS}static class CodeEvalResults {{ public static void Add<T>(T a) {{ }} }}\n"
        "class Problem { public static long F(long a) { return 3; } }\n",
        asserted("long", "F(1) == 2L"),
    ),
    "a character by Equals": returning("char", "(char)(a + 96)", "F(1).Equals(97)"),
    "another number": returning("double", "0.1f", "F(1) == 0.1"),
}
