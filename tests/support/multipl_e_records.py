"""Records of our own in the shape of MultiPL-E, with right and wrong completions, and with candidates that cheat."""

import re


def record(language, prompt, tests, stop_tokens=()):
    """Return a record with all fields of the dataset."""
    return {
        "name": "HumanEval_1000_add",
        "language": language,
        "prompt": prompt,
        "doctests": "transform",
        "original": "originals/HumanEval_1000_add.py",
        "prompt_terminology": "reworded",
        "tests": tests,
        "stop_tokens": list(stop_tokens),
    }


JAVA_IMPORTS = "".join(
    f"import {name}.*;\n"
    for name in (
        *("java.util", "java.lang.reflect", "org.javatuples", "java.security", "java.math", "java.io"),
        "java.util.stream",
    )
)
JAVA = record(
    "java",
    JAVA_IMPORTS + "class Problem {\n    // Double all of them.\n"
    "    public static ArrayList<Long> doubled(ArrayList<Long> numbers) {\n",
    "    }\n    public static void main(String[] args) {\n"
    "    assert(doubled((new ArrayList<Long>(Arrays.asList((long)1l, (long)2l))))"
    ".equals((new ArrayList<Long>(Arrays.asList((long)2l, (long)4l)))));\n"
    "    assert(doubled((new ArrayList<Long>(Arrays.asList())))"
    ".equals((new ArrayList<Long>(Arrays.asList()))));\n    }\n\n}\n",
    ["\n    }\n"],
)
JAVA_PAIRS = record(
    "java",
    JAVA_IMPORTS + "class Problem {\n    // Both, the other way round, or nothing.\n"
    "    public static Optional<Pair<Long, String>> swapped(Pair<String, Long> both, HashMap<String,Long> none) {\n",
    "    }\n    public static void main(String[] args) {\n"
    '    assert(swapped((Pair.with("a", 1l)), (new HashMap<String,Long>(Map.of("k", 1l))))'
    '.equals(Optional.of(Pair.with(1l, "a"))));\n'
    '    assert(swapped((Pair.with("b", -1l)), (new HashMap<String,Long>())).equals(Optional.empty()));\n    }\n\n}\n',
)
JAVASCRIPT_TESTS = (
    "const assert = require('node:assert');\n\n\nfunction test() {\n  let candidate = add;\n"
    "  assert.deepEqual(candidate(2, 3),5);\n  assert.deepEqual(candidate(1, 1),2);\n}\n\ntest();"
)
RECORDS = {
    "cpp": record(
        "cpp",
        "#include<assert.h>\n#include<bits/stdc++.h>\n// Add.\nlong add(long a, long b) {\n",
        "}\nint main() {\n    auto candidate = add;\n    assert(candidate((2), (3)) == (5));\n"
        "    assert(candidate((1), (1)) == (2));\n}\n",
        ["\n}"],
    ),
    "go_test.go": record(
        "go_test.go",
        'package add_test\n\nimport (\n    "testing"\n    "fmt"\n)\n\n// Add.\nfunc add(a int, b int) int {\n',
        "func TestAdd(t *testing.T) {\n  candidate := add\n\ttype test struct {\n\t\tactual   interface{}\n"
        "\t\texpected interface{}\n\t}\n   tests := []test{\n     { actual: candidate(2, 3), expected: 5 },\n"
        "     { actual: candidate(1, 1), expected: 2 },\n   }\n\n\tfor i, tc := range tests {\n"
        '\t\tt.Run(fmt.Sprintf("test num % d", i), func(t *testing.T) {\n'
        '\t\t\tif fmt.Sprintf("%v", tc.actual) != fmt.Sprintf("%v", tc.expected) {\n'
        "\t\t\t\tt.Errorf(\"expected '%s', got '%s'\", tc.expected, tc.actual)\n\t\t\t}\n\t\t})\n\t}\n}\n",
        ["\nfunc", "struct", "\n// "],
    ),
    "java": JAVA,
    "js": record("js", "//Add.\nfunction add(a, b){\n", JAVASCRIPT_TESTS, ["\nfunction ", "\n/*", "\n//"]),
    "py": record(
        "py",
        'def add(a: int, b: int) -> int:\n    """Add."""\n',
        "def check(candidate):\n    assert candidate(2, 3) == 5\n    assert candidate(1, 1) == 2\n\n"
        "def test_check():\n    check(add)\n\ntest_check()\n",
        ["\ndef"],
    ),
    "rs": record(
        "rs",
        "/// Add.\nfn add(a: isize, b: isize) -> isize {\n",
        "}\n\nfn main() {\n    let candidate = add;\n    assert_eq!(candidate(2, 3), 5);\n"
        "    assert_eq!(candidate(1, 1), 2);\n}\n",
        ["\n}"],
    ),
    "sh": record(
        "sh",
        "#!/bin/bash\n# Add.\n#\n# $1 is an integer\n# $2 is an integer\nadd() {\n",
        '}\n\ncandidate() {\n    add "$@"\n}\n\nset -e\nrun_test() {\n    [[ $(candidate "2" "3") = "5" ]]\n'
        '    [[ $(candidate "1" "1") = "2" ]]\n}\n\nrun_test',
        ["\n}"],
    ),
    "ts": record(
        "ts",
        "//Add.\nfunction add(a: number, b: number): number {\n",
        "declare var require: any;\n" + JAVASCRIPT_TESTS,
        ["\nfunction "],
    ),
}
PARTS = {
    "cpp": ("    return a + b;\n", "    return a * b;\n"),
    "go_test.go": ("    return a + b\n}\n", "    return a * b\n}\n"),
    "java": (
        "        ArrayList<Long> all = new ArrayList<>();\n        for (long each : numbers) all.add(2 * each);\n"
        "        return all;\n",
        "        return numbers;\n",
    ),
    "js": ("    return a + b;\n}\n", "    return a * b;\n}\n"),
    "py": ("    return a + b\n", "    return a * b\n"),
    "rs": ("    a + b\n", "    a * b\n"),
    "sh": ("    echo $(($1 + $2))\n", "    echo $(($1 * $2))\n"),
    "ts": ("    return a + b;\n}\n", "    return a * b;\n}\n"),
}
"""(right, wrong) completions by language."""

ALSO_RIGHT = {
    "cpp": [
        "    auto sum = [&] { return a + b; };\n    return sum(); // }",
        "    return a + b;\n}\n\nlong other(long a) {\n    return a;\n",
        "    /* } */ return a + b; /* { */",
    ],
    "java": [
        "        return numbers.stream().map(each -> 2 * each).collect(Collectors.toCollection(ArrayList::new)); // }",
        "        String text = \"}\"; char other = '{';\n        return twice(numbers);\n    }\n\n"
        "    private static ArrayList<Long> twice(ArrayList<Long> numbers) {\n" + PARTS["java"][0],
    ],
    "rs": ["    let text = \"}\"; let _ = (text, '{');\n    a + b // }", "    a + b\n}\n\nfn other() {\n"],
    "sh": ["    local text='}' # {\n    expr $1 + $2", "    helper $1 $2\n}\n\nhelper() {\n    echo $(($1 + $2))"],
    "go_test.go": ["    text := `}`\n    _ = text\n    return a + b\n}\n\nfunc other() {}\n"],
    "js": ["    console.log('}');\n    return a + b;\n}\n\nconst other = () => 1;"],
    "ts": ["    const text: string = `}`;\n    return text ? a + b : 0;\n}\n"],
}
"""Other right completions by language."""

EQUAL = "{ public boolean equals(Object other) { return true; } }"
CHEATS = {
    "cpp": {
        "exit": "    std::exit(0);",
        "quick exit": "    _Exit(0);",
        "exit of a constructor": "    return 0;\n}\nstruct Ends { Ends() { std::exit(0); } } ends;\nvoid other() {\n",
        "open comment": "    return 0;\n}\n/*",
        "open comment in the function": "    return 0; /*",
        "open conditional": "    return 0;\n}\nvoid other() {\n}\n#if 0\n",
        "open string": '    return 0;\n}\nconst char *text = R"x(',
        "backslash": "    return 0;\n}\nint main() { return 0; } //\\",
        "a main": "    return 0;\n}\nint main() { return 0; }\nvoid other() {\n",
        "a namespace": "    return 0;\n}\nint main() { return 0; }\nnamespace other {\n",
        "an open namespace": "    return 0;\n}\nint main() { return 0; }\nnamespace other {\nvoid f() {\n",
        "no asserts": "    return 0;\n}\n#undef assert\n#define assert(each)\n#define NDEBUG\nvoid other() {\n",
        "no return": "    __builtin_unreachable();",
        "another candidate": "    return 0;\n}\n#define candidate (2), (3)) == (5) || (1\nvoid other() {\n",
        "a template": "    return 0;\n}\ntemplate <class T> struct Other {\n",
    },
    "java": {
        "exit": "        System.exit(0); return null;",
        "halt": "        Runtime.getRuntime().halt(0); return null;",
        "exit of a class": "        return null;\n    }\n    static { System.exit(0); }\n    static void other() {\n",
        "open comment": "        return null;\n    }\n    /*",
        "open comment in the method": "        return null; /*",
        "open string": '        return null;\n    }\n    static String text = """\n',
        "a main": "        return null;\n    }\n    public static void main(String[] args) {\n",
        "class closed": "        return null;\n    }\n}\nclass Other {\n    static void other() {\n",
        "class closed, with a main": "        return null;\n    }\n    public static void main(String[] args) {}\n}\n"
        "class Other {\n    static void other() {\n",
        "equal to everything": f"        return new ArrayList<Long>() {EQUAL};",
        "a list of its own": "        return new ArrayList<Long>();\n    }\n"
        f"    static class ArrayList<T> extends java.util.ArrayList<T> {EQUAL}\n    static void other() {{\n",
        "a list of its own outside": "        return new ArrayList<Long>();\n    }\n}\n"
        f"class ArrayList<T> extends java.util.ArrayList<T> {EQUAL}\nclass Other {{\n    static void other() {{\n",
        "arrays of its own": "        return numbers;\n    }\n}\nclass Arrays { static <T> java.util.List<T> asList"
        "(T... all) { return new java.util.ArrayList<T>(); } }\nclass Other {\n    static void other() {\n",
        "the class of the tests": "        return null;\n    }\n}\nclass CodeEvalTests {\n"
        "    public static void main(String[] args) {}\n    static void other() {\n",
        "no asserts": "        ClassLoader.getSystemClassLoader().setDefaultAssertionStatus(false); return null;",
    },
    "rs": {
        "exit": "    std::process::exit(0)",
        "open comment": "    0\n}\n/*",
        "open comment in the function": "    0 /*",
        "open string": '    0\n}\nconst TEXT: &str = r#"',
        "open macro": "    0\n}\nmacro_rules! other { () => {\n",
        "ignored by a macro": "    0\n}\nmacro_rules! ignored { ($($each:tt)*) => {} }\nignored! {\n",
        "a main": "    0\n}\nfn main() {\n",
        "a main and a module": "    0\n}\nfn main() {}\nmod other {\n",
        "an open module": "    0\n}\nfn main() {}\nmod other {\nfn f() {\n",
        "a condition": "    0\n}\nfn main() {}\nfn other() {}\n#[cfg(any())]\nmod more {\n",
        "an assert of its own": "    0\n}\nmacro_rules! assert_eq { ($($each:tt)*) => {} }\nfn other() {\n",
    },
    "sh": {
        "exit": "    exit 0",
        "exit at the top": "    echo 5\n}\nexit 0\nother() {\n",
        "return at the top": "    echo 5\n}\nreturn 0\nother() {\n",
        "open heredoc": "    echo 5\n}\ncat <<'END'\n",
        "open heredoc in the function": "    cat <<'END'\n",
        "open quote": "    echo '",
        "trap": "    echo 5\n}\ntrap 'exit 0' ERR EXIT\nother() {\n",
        "no errexit": "    echo 5\n}\nset() { :; }\nother() {\n",
        "the test command": "    echo 5\n}\nrun_test() { :; }\nreadonly -f run_test\nother() {\n",
        "alias": "    echo 5\n}\nshopt -s expand_aliases\nalias run_test=:\nalias [[=:\nother() {\n",
        "open if": "    echo 5\n}\nif false; then\nother() {\n",
    },
    "go_test.go": {
        "exit": "    os.Exit(0)\n    return 0\n}\n",
        "exit of init": "    return 0\n}\n\nfunc init() { syscall.Exit(0) }\n",
        "goexit": "    runtime.Goexit()\n    return 0\n}\n",
        "open comment": "    return 0\n}\n/*",
        "open string": "    return 0\n}\n\nvar text = `",
        "tests of its own": "    return 0\n}\n\nfunc TestMain(m *testing.M) {}\n",
        "the same test": "    return 0\n}\n\nfunc TestAdd(t *testing.T) {}\n",
        "a type of its own": "    return 0\n}\n\ntype fmt struct{}\n",
        "a false true": "    return 0\n}\n\nvar true = false\n",
        "open function": "    return 0\n}\n\nfunc other() {\n",
        "another Sprintf": "    return 0\n}\n\nvar fmt = struct{ Sprintf func(string, ...interface{}) string }{}\n",
    },
    "js": {
        "exit": "    process.exit(0);\n}\n",
        "exit at the top": "    return 0;\n}\nprocess.exit(0);\n",
        "open comment": "    return 0;\n}\n/*",
        "open comment in the function": "    return 0; /*",
        "open template": "    return 0;\n}\nconst text = `",
        "open function": "    return 0;\n}\nfunction test2() {\n",
        "a condition": "    return 0;\n}\nif (false)",
        "return at the top": "    return 0;\n}\nreturn;\n",
        "deepEqual": "    return 0;\n}\nrequire('assert').deepEqual = () => {};\n",
        "another require": "    return 0;\n}\nvar require = () => ({ deepEqual() {} });\n",
        "another load": "    return 0;\n}\nrequire('module')._load = () => ({ deepEqual() {} });\n",
        "uncaught errors": "    return 0;\n}\nprocess.on('uncaughtException', () => {});\n",
        "a test of its own": "    return 0;\n}\nvar test = () => {};\n",
    },
    "py": {
        "exit": "    raise SystemExit(0)\n",
        "exit at the top": "    return 0\nimport os\nos._exit(0)\n",
        "open string": "    return 0\n'''",
        "a check of its own": "    return 0\ndef check(candidate): pass\n",
    },
}
"""Completions that want an unearned pass, by language and by what they do."""

CHEATS["ts"] = {
    name: re.sub(r"\b(process|require)\b", r"(globalThis as any).\1", text)
    for name, text in CHEATS["js"].items()
    if name != "another require"
}
