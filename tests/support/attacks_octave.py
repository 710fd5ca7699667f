"""Candidates in Octave that want a pass they have not earned, each beside an honest one.

Each entry maps an attack to (wrong candidate, honest candidate with the same means, tests if not `TESTS`).
"""

TESTS = (
    "function ans = test()\ncandidate = @add;\n  assert(isequaln(candidate(2, 3),5));\n"
    "  assert(isequaln(candidate(0, 1),1));\nend\ntest();\n"
)
PLAIN = "if (! (add(2, 3) == 5)) error('no sum'); end\nif (! (add(3, 4) == 7)) error('no sum'); end\n"
EQUAL = "assert(add(2, 3), 5);\nassert(add(0, 1), 1);\n"
CAUGHT = "try\n  add(-1, 1);\n  error('none');\ncatch e\n  assert(e.message, 'negative');\nend\nassert(add(2, 3), 5);\n"
MAP = "sums = containers.Map(1, add(2, 3));\nassert(sums(1), 5);\n"
TIMES, PLUS = (f"function res = add(a, b)\n  res = a {sign} b;\nend\n" for sign in "*+")
STOPS = "function res = add(a, b)\n  if (a < 0) error('negative'); end\n  res = a + b;\nend\n"


def around(text, *tests):
    """Return (wrong, honest, *tests) for candidates with something after their function."""
    return TIMES + text, PLUS + text, *tests


def called(body, *tests):
    """Return (wrong, honest, *tests) for candidates whose function does something in place of its sum."""
    return f"function res = add(a, b)\n  {body}\nend\n", PLUS, *tests


def written(name, *lines):
    """Return statements that write a file."""
    texts = ", ".join(f'"{line}\\n"' for line in lines)
    return f"file = fopen('{name}', 'w');\nfputs(file, [{texts}]);\nfclose(file);\n"


TRUE = "function varargout = %s(varargin)\n  varargout = {true};\nend\n"
# An answer is the number of its bytes and values: the class and the sizes of each, or 13 and a number, and its content.
ANSWERS = """\
function part = row(kind, value)
  part = [uint8(kind), uint8(2), typecast(size(value), 'uint8'), uint8(value)];
end
function say(varargin)
  out = fopen('/dev/fd/4', 'w');
  bytes = [varargin{:}];
  fwrite(out, [typecast(numel(bytes), 'uint8'), bytes], 'uint8');
  fclose(out);
end
"""
EMPTY = "[uint8('L'), uint8(2), typecast([0, 0], 'uint8')]"
SIZES = "[uint8(2), typecast([1, 1], 'uint8')]"
RIGHT = f"say(row(12, true), [uint8('L'), {SIZES}, uint8(13), typecast(5, 'uint8')], {EMPTY})"
CODE = f"say(row(12, true), [uint8('L'), {SIZES}, uint8(%s)], [uint8('L'), {SIZES}, row(11, 'x')])"
OBJECT = (
    "classdef same\\n  methods\\n    function r = eq(varargin) r = true; end\\n"
    "    function r = isequaln(varargin) r = true; end\\n    function r = isequal(varargin) r = true; end\\n"
    "    function r = ne(varargin) r = false; end\\n  end\\nend"
)

SPREAD = (
    "function spread()\n  r = [{'/'}; glob('../*/'); glob('../../*/work/')];\n"
    "  for k = 1:numel(r)\n    file = fopen([r{k} 'isequaln.m'], 'w');\n    if (file < 0) continue, end\n"
    '    fputs(file, "function r = isequaln(varargin)\\n  r = true;\\nend\\n");\n    fclose(file);\n'
    "  end\nend\nspread();\n"
)
ATTACKS = {
    "exit": (TIMES + "exit(0);\n", PLUS),
    "exit when called": called("exit(0);"),
    "quit": called("quit(0, 'force');"),
    "exit at the end": around("function leave()\n  exit(0);\nend\natexit('leave');\n"),
    "a return": (TIMES + "return\n", PLUS + "return\n"),
    "an assert of its own": around(TRUE % "assert"),
    "an isequaln of its own": around(TRUE % "isequaln" + TRUE % "isequal"),
    "an isequal of its own": around(TRUE % "isequal", "assert(isequal(add(2, 3), 5));\n"),
    "operators of its own": around(TRUE % "eq" + TRUE % "plus" + TRUE % "not", PLAIN),
    "an error of its own": around("function error(varargin)\nend\n", PLAIN),
    "a print_usage of its own": around(TRUE % "print_usage", EQUAL),
    "a cellfun of its own": around(TRUE % "cellfun" + TRUE % "all" + TRUE % "size_equal"),
    "a test of its own": around("function test()\nend\n"),
    "a candidate of its own": around("candidate = @(varargin) 5;\n", "candidate = @add;\n" + EQUAL),
    "variables of the tests": around("assert = 1;\nisequaln = true;\ne = 5;\ntrue = 1;\nans = 5;\n"),
    "a package of its own": around("containers = struct('Map', 5 * ones(9));\n", MAP),
    "a function with the name of a package": around(
        "function res = containers()\n  res = struct('Map', 5 * ones(9));\nend\n", MAP
    ),
    "warnings off": around("warning('off', 'all');\nbeep_on_error(false);\n"),
    "a class of its own": (
        written("same.m", OBJECT) + "function res = add(a, b)\n  res = same();\nend\n",
        written("same.m", OBJECT) + PLUS,
        EQUAL,
    ),
    "a struct that claims equality": called("res = struct('eq', @(varargin) true, 'isequal', true);"),
    "a function handle": called("res = @(varargin) true;", EQUAL),
    "a function handle in place of an error": (
        "function res = add(a, b)\n  if (a < 0) res = @() 1; else res = a + b; end\nend\n",
        STOPS,
        "failed = false;\ntry\n  add(-1, 1);\ncatch\n  failed = true;\nend\nassert(failed);\nassert(add(2, 3), 5);\n",
    ),
    "text in place of a number": called("res = char(a + b);", "assert(isequal(class(add(60, 5)), 'double'));\n"),
    "another class": called("res = int32(a + b);", EQUAL),
    "a logical value": called("res = true;", "assert(add(0, 1), 1);\n"),
    "a vector": called("res = [5, 1];"),
    "nothing": called("res = [];"),
    "no result": called("", EQUAL),
    "NaN": called("res = NaN;"),
    "an error": called("error('Octave:some-id', 'the sum is %d', a + b);"),
    "an empty error": called("rethrow(struct('message', '', 'identifier', ''));", "add(2, 3);\n"),
    "an unwind": called("unwind_protect\n  res = 6;\n  unwind_protect_cleanup\n    exit(0);\n  end_unwind_protect"),
    "evalin": around("evalin('base', 'candidate = @(varargin) 5;');\nassignin('caller', 'candidate', 5);\n"),
    "evalin when called": called("evalin('caller', 'exit(0)'); evalin('base', 'return'); res = 6;"),
    "a return in its caller": called("evalin('caller', 'return;'); res = 6;"),
    "an answer ahead": (TIMES + ANSWERS + RIGHT + ";\n" + RIGHT + ";\n", PLUS, PLAIN),
    "an answer when called": (
        ANSWERS + f"function res = add(a, b)\n  {RIGHT}; exit(0);\nend\n",
        PLUS,
        PLAIN,
    ),
    "an answer of an unknown kind": (
        ANSWERS + f"function res = add(a, b)\n  {CODE % 99}; res = 6;\nend\n",
        PLUS,
        PLAIN,
    ),
    "an answer with other sizes": (
        ANSWERS + "function res = add(a, b)\n"
        "  say(row(12, true), [uint8('L'), uint8(2), typecast([1e9, 1e9], 'uint8')]); res = 6;\nend\n",
        PLUS,
        PLAIN,
    ),
    "an answer with half a length": called("out = fopen('/dev/fd/4', 'w'); fwrite(out, 'abc'); exit(0);", PLAIN),
    "names ahead": (
        TIMES + ANSWERS + "say([uint8('L'), uint8(2), typecast([1, 2], 'uint8'), row(11, 'assert'), row(11, 'error')], "
        "[uint8('L'), uint8(2), typecast([0, 2], 'uint8')]);\n",
        PLUS,
    ),
    "names that are code": (
        TIMES
        + ANSWERS
        + "say([uint8('L'), uint8(2), typecast([1, 1], 'uint8'), row(11, 'x() end; exit(0); function y')], "
        "[uint8('L'), uint8(2), typecast([1, 2], 'uint8'), row(11, 'end'), row(11, 'x')]);\n",
        PLUS,
    ),
    "the link closed": called("fclose('all'); res = 6;"),
    "the link closed by its loading": around("fclose('all');\n"),
    "files of the tests": around(written("tests.m", "") + written("code_eval_runner.m", "")),
    "a start file in the folder": around(
        written(".octaverc", "exit(0);") + written("code_eval_start.m", "exit(0);") + written("startup.m", "exit(0);")
    ),
    "a function file in the folder": around(
        written("isequaln.m", "function r = isequaln(varargin)\\nr = true;\\nend")
        + written("assert.m", "function assert(varargin)\\nend")
    ),
    "function files in all folders": (TIMES + SPREAD, PLUS),
    "function files in all folders, and tests that look again": (
        TIMES + SPREAD,
        PLUS,
        "exist('a_name_of_nothing');\nrehash();\ntry\n  a_name_of_nothing();\ncatch\nend\n" + TESTS,
    ),
    "a folder of the path": around("addpath(pwd());\n" + written("isequaln.m", "function r = isequaln(varargin)")),
    "a child in the background": (
        TIMES + "if (fork() == 0)\n  while true\n    out = fopen('/dev/fd/4', 'w');\n    fwrite(out, 'x');\n"
        "    fclose(out);\n  end\nend\n",
        PLUS + "if (fork() == 0)\n  exec('sleep', {'60'});\nend\n",
    ),
    "no results where one is an argument": (
        ANSWERS + f"function res = add(a, b)\n  say(row(12, true), {EMPTY}, {EMPTY}); res = 6;\nend\n",
        PLUS,
        EQUAL,
    ),
    "results without end": ("function varargout = add(a, b)\n  varargout = {};\nend\n", PLUS, EQUAL),
    "a value in place of the tests' function": (
        TIMES + "check = 1:9;\n",
        PLUS + "check = 1:9;\n",
        "function check(x)\n  assert(x, 5);\nend\ncheck(add(2, 3));\n",
    ),
    "a value that tests add to": (
        TIMES + "wrong = -9;\n",
        PLUS + "wrong = 0;\n",
        "wrong(1) = add(2, 3) - 5;\nwrong(2) = add(0, 1) - 1;\nassert(! any(wrong));\n",
    ),
    "a function in place of the tests' variable": (
        TIMES + "function r = all_sums()\n  r = {5, 1, 0};\nend\n",
        PLUS + "function r = all_sums()\n  r = {5, 1, 0};\nend\n",
        "all_sums{1} = add(2, 3);\nall_sums{2} = add(0, 1);\nassert(all_sums, {5, 1});\n",
    ),
    "a function of MATLAB's": (
        "function res = add(a, b)\n  res = 6;\nend\nfunction res = string(x)\n  res = 6;\nend\n",
        PLUS + "function res = string(x)\n  res = 5;\nend\n",
        "try\n  right = isequal(add(2, 3), string(5));\ncatch\n  right = isequal(add(2, 3), 5);\nend\nassert(right);\n",
    ),
    "a message that is no text": (
        ANSWERS
        + f"function res = add(a, b)\n  if (a < 0) say(row(12, false), {EMPTY}, {EMPTY}); end\n  res = a + b;\nend\n",
        STOPS,
        CAUGHT,
    ),
    "an answer of nested lists": (
        ANSWERS
        + f"function res = add(a, b)\n  say(row(12, true), repmat([uint8('L'), {SIZES}], 1, 999)); res = 6;\nend\n",
        PLUS,
        PLAIN,
    ),
    "a map with a key of another kind": (
        ANSWERS + "function res = add(a, b)\n"
        f"  say(row(12, true), [uint8('L'), {SIZES}, uint8('M'), {EMPTY}], {EMPTY}); res = 6;\nend\n",
        PLUS,
        PLAIN,
    ),
    "two answers to one call": (
        ANSWERS + f"function res = add(a, b)\n  {RIGHT}; {RIGHT}; res = 6;\nend\n",
        PLUS,
        EQUAL,
    ),
    "an identifier of Octave's": (
        "function res = add(a, b)\n  error(struct('message', '', 'identifier', 'Octave:bad-alloc'));\nend\n",
        PLUS,
        "add(2, 3);\nassert(add(2, 3), 5);\n",
    ),
    "a crash": called("builtin('rethrow', struct('message', 'x', 'identifier', 'a:b', 'stack', 5));"),
    "a signal": called("kill(getpid(), 9);"),
    "a file that is read": called(
        "names = glob('/proc/*/cwd/tests.m'); res = 6; if (! isempty(names)) exit(0); end",
    ),
}
