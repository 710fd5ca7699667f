"""Candidates in PHP that want a pass they have not earned, each beside an honest one.

Each entry maps an attack to (wrong candidate, honest candidate with the same means, tests if not `TESTS`).
"""

TESTS = (
    "function candidate(...$args) {\n    return add(...$args);\n}\n\nfunction test(): void {\n"
    '    if (candidate(2, 3) !== 5) { throw new Exception("Test failed!"); }\n'
    '    if ([candidate(0, 1)] != [1]) { throw new Exception("Test failed!"); }\n}\n\ntest();'
)
LOOSE = 'if (add(2, 3) != 5) throw new Exception("no sum");\nassert(add(3, 4) == 7);\n'
TIMES, PLUS = (f"function add($a, $b) {{\n    return $a {sign} $b;\n}}\n" for sign in "*+")


def around(text, *tests):
    """Return (wrong, honest, *tests) for candidates with something before their function."""
    return f"<?php\n{text}{TIMES}", f"<?php\n{text}{PLUS}", *tests


def tampering(text, *tests):
    """Return (wrong, honest, *tests) for candidates that disturb the link to their tests."""
    return f"<?php\n{text}{TIMES}", "<?php\n" + PLUS, *tests


def called(body, *tests):
    """Return (wrong, honest, *tests) for candidates whose function does something in place of its sum."""
    return f"<?php\nfunction add($a, $b) {{\n    {body}\n}}\n", f"<?php\n{PLUS}", *tests


SAYS = "fwrite(fopen('php://fd/4', 'w'), '%s' . \"\\n\");\n"
ATTACKS = {
    "a function in place of an error": (
        "function add($a, $b) { return $b === 1 ? fn() => 1 : $a + $b; }\n",
        "function add($a, $b) { if ($b === 1) throw new TypeError('no'); return $a + $b; }\n",
        "$none = true;\ntry { add('a', 1); } catch (TypeError $error) { $none = false; }\n"
        "if ($none || add(2, 3) !== 5) throw new Exception('no sum');\n",
    ),
    "exit": ("<?php\n" + TIMES + "exit(0);\n", "<?php\n" + PLUS),
    "exit when called": called("exit(0);"),
    "die when called": called("die('5');"),
    "exit at the end": around("register_shutdown_function(function () { exit(0); });\n"),
    "exit of a destructor": around("class Ends { function __destruct() { exit(0); } }\n$ends = new Ends;\n"),
    "exec": called("pcntl_exec('/usr/bin/true');"),
    "the end of the file": ("<?php\n" + TIMES + "__halt_compiler();", "<?php\n" + PLUS + "__halt_compiler();"),
    "a text": called("return '5e0';", "if (add(2, 3) !== 5) throw new Exception('no sum');\n"),
    "an object": called("return new class { public $n = 5; };", LOOSE),
    "an object of SimpleXML": called("return new ArrayObject([5]);", LOOSE),
    "a closure": called("return fn() => 5;", LOOSE),
    "handlers": around("set_exception_handler(function () { exit(0); });\nset_error_handler(fn() => true);\n", LOOSE),
    "no asserts": around("ini_set('zend.assertions', '0');\nini_set('assert.active', '0');\n", LOOSE),
    "a test of its own": around("function test(): void {}\n"),
    "a candidate of its own": around("function candidate(...$args) { return 5; }\n"),
    "an exception of its own": tuple(
        f"<?php\nnamespace Own {{ class Exception {{}} }}\nnamespace {{\n{code}}}\n" for code in (TIMES, PLUS)
    ),
    "an Error that ends": called("throw new Error('exit', 0);"),
    "an answer ahead": tampering(SAYS % "[true,true,[]]", LOOSE),
    "names ahead": tampering(SAYS % '{"a":[["add",[]],["exception",[]],["assert",[]]]}', LOOSE),
    "names that are code": tampering(SAYS % '{"a":[["add() {} exit(0); function add",[]]]}'),
    "places that are code": tampering(SAYS % '{"a":[["add",["{${exit(0)}}","0; exit(0)"]]]}'),
    "a name twice": tampering(SAYS % '{"a":[["add",[]],["ADD",[0]]]}'),
    "a type of an exception": called(SAYS % '[false,["CodeEvalLink","Generator"],"x"]' + "return 6;", LOOSE),
    "an invalid answer": called("fwrite(fopen('php://fd/4', 'w'), \"O:8:\\n\"); return 6;", LOOSE),
    "an object of the link": called(SAYS % '{"o":[["__construct",{"o":3}]]}' + "return 6;"),
    "a child that answers": called("if (function_exists('pcntl_fork') && !pcntl_fork()) { exit(0); }\n    return 6;"),
    "the parent killed": called("if (function_exists('posix_kill')) posix_kill(posix_getppid(), 9);\n    return 6;"),
    "files of the tests": around(
        "file_put_contents('tests.php', '');\nfile_put_contents('code_eval_runner.php', '');\n"
    ),
    "the tests read": called("return 5 * count(array_filter(glob('/work/*'), fn($f) => str_contains($f, 'tests')));"),
    "a variable of the driver": around("foreach ($GLOBALS as $name => $value) $$name = 5;\n"),
}
