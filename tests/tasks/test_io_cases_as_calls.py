"""Cases that are calls of a function get the verdicts of the benchmarks' own graders."""

import json

import pytest

from sandboxes.tasks.io_cases import parse_cases
from support.metric_and_command import load_metric

# Where the graders of a shape disagree, the stricter one is followed. LiveCodeBench's never unwraps a list of one, and
# verl's does, on data of the same shape.
TEXTS = [
    # (inputs, outputs, what the function returns, whether LiveCodeBench's and lighteval's graders call it right)
    ("[1,2]\n3", "6", "sum(args[0]) + args[1]", True),
    ("[1,2]\n3", "6", "5", False),
    ("1", "[5]", "5", False),
    ("1", "[5]", "[5]", True),
    ("1", "[5]", "(5,)", True),
    ("1", "[5]", "[[5]]", False),
    ("1", "[1, 2]", "1", False),
    ("1", "[[1, 2]]", "[(1, 2)]", False),
    ("1", "[[1, 2], [3, 4]]", "[[1, 2], [3, 4]]", True),
    ("1", "[[1, 2], [3, 4]]", "[(1, 2), (3, 4)]", False),
    ("1", "[[1, 2]]", "([1, 2],)", True),
    ('"ab"', '"ba"', "args[0][::-1]", True),
    ('"ab"', '"5"', "5", False),
    ('"a\u2028b\x85"', "4", "len(args[0])", True),
    ("1", "true", "True", True),
    ("1", "null", "None", True),
    ("1", "null", "0", False),
    ("1", "1", "1.0", True),
    ("1", "0.3", "0.1 + 0.2", False),
    ("1", "Infinity", "float('inf')", True),
    ("1", "[-Infinity, 1]", "[-float('inf'), 1]", True),
    ("1", "Infinity", "10 ** 400", False),
    ("1", "NaN", "float('nan')", False),
    ('{"1": 2}', "2", "args[0]['1']", True),
    ("1", '{"a": [1]}', "{'a': [1]}", True),
    ("1", '{"a": [1]}', "{'a': (1,)}", False),
    ("1", "[1]", "{1}", False),
    ("1\r\n2\r", "3", "args[0] + args[1]", True),
    ("1", "[]", "[]", True),
    ("1", "[]", "None", False),
    ("1", "[]", "()", True),
]
VALUES = [
    # (inputs, outputs, what the function returns, whether the graders of APPS and TACO call it right)
    ([[1, 2]], [3], "sum(args)", True),
    ([[1, 2]], [[3]], "sum(args)", True),
    ([[1, 2]], [[3]], "[3]", True),
    ([[1, 2]], [[3]], "(3,)", True),
    ([[1, 2]], [[3]], "[[3]]", False),
    ([[1, 2]], [[3]], "4", False),
    ([[1]], [[[1, 2]]], "(1, 2)", True),
    ([[1]], [[[1, 2]]], "1", False),
    ([[1]], [[[[1, 2], [3, 4]]]], "[(1, 2), (3, 4)]", True),
    ([[1]], [[[1, 2], [3, 4]]], "[(1, 2), (3, 4)]", False),
    ([[1]], [[[1, 2], [3, 4]]], "([1, 2], [3, 4])", True),
    ([["ab"]], ["ba"], "args[0][::-1]", True),
    ([["ab"]], [["ba"]], "args[0][::-1]", True),
    ([["ab"]], ["5"], "5", False),
    ([["ab"]], ["[5]"], "[5]", False),
    ([[1]], [[None]], "None", True),
    ([[1]], [[]], "[]", True),
    ([[1]], [[]], "None", False),
    ([[{"1": 2}]], [2], "args[0][1]", True),
    ([[{"1": 2}]], [2], "args[0]['1']", False),
    ([[{"a": 2}]], [2], "args[0]['a']", True),
    ([[1]], [{"1": 2}], "{1: 2}", True),
    ([[1]], [[{"1": 2}]], "{1: 2}", True),
    ([[1]], [{"1": 2}], "{'1': 2}", False),
    ([[]], [7], "7", True),
    ([[1], [2]], [[1, 2], [5]], "[[1, 2], [5]][args[0] - 1]", True),
]
STRICTER = [
    # The graders of APPS and TACO call these right: their data does not wrap results, but they unwrap them.
    ([[1]], [[1, 2]], "1", False),
    ([[1], [2]], [[1, 2], [5]], "[[1, 2], 5][args[0] - 1]", False),
    ([[1], [2]], [[], [5]], "[[], 5][args[0] - 1]", False),
]
FORGERIES = {
    "equal to all": "class Same:\n    def __eq__(self, other): return True\n    __ne__ = lambda *args: False\n"
    "def f(*args): return Same()\n",
    "an int equal to all": "class Same(int):\n    def __eq__(self, other): return True\ndef f(*args): return Same(1)\n",
    "a list equal to all": "class Same(list):\n    def __eq__(self, other): return True\ndef f(*args): return Same()\n",
    "a tuple of its own": "class Same(tuple):\n    def __iter__(self): raise StopIteration\n"
    "    __eq__ = lambda *args: True\ndef f(*args): return Same()\n",
    "a list of such": "class Same:\n    def __eq__(self, other): return True\ndef f(*args): return [Same()]\n",
    "rows of such": "class Same(tuple):\n    def __eq__(self, other): return True\ndef f(*args): return [Same()]\n",
    "names of the harness": "def is_right(*args): return True\ndef run_calls_of_code_eval(*args): pass\n"
    "code_eval_called = print\ndef f(*args): return 1\n",
    "a Solution that raises": "class Solution:\n    def __init__(self): raise NameError\ndef f(*args): return 1\n",
    "another name": "def f(*args): raise NameError('f')\n",
    "leaves": "def f(*args): raise SystemExit(0)\n",
    "StopIteration": "def f(*args): raise StopIteration\n",
    "a coroutine": "async def f(*args): return 6\n",
    "a generator": "def f(*args): yield 6\n",
    "a class": "class f:\n    def __init__(self, *args): pass\n    def __eq__(self, other): return True\n",
    "None": "f = None\n",
    "nothing": "",
}


def task(given, wanted):
    """Return a reference of one case, or of several."""
    inputs, outputs = (given, wanted) if isinstance(given, list) else ([given], [wanted])
    return {"inputs": inputs, "outputs": outputs, "fn_name": "f"}


def passes(rows, **options):
    """Return whether each function of a table passes, in order."""
    candidates = [[f"def f(*args):\n    return {row[2]}\n"] for row in rows]
    references = [task(row[0], row[1]) for row in rows]
    _, results = load_metric().compute(predictions=candidates, references=references, k=1, timeout=30.0, **options)
    return [results[number][0][1]["passed"] for number in range(len(rows))]


@pytest.mark.parametrize("rows", [TEXTS, VALUES, STRICTER], ids=["texts", "values", "stricter"])
@pytest.mark.parametrize("grading", ["shared", "separate"])
def test_answers(rows, grading):
    """Each answer is right exactly if the graders of its benchmark accept it."""
    found = zip(rows, passes(rows, grading=grading), strict=True)
    assert [(row, passed) for row, passed in found if passed is not row[3]] == []


@pytest.mark.parametrize("rows", [TEXTS, VALUES], ids=["texts", "values"])
def test_answers_in_a_list_of_dicts(rows):
    """Cases given as one dict each get the same verdicts."""
    rows = [row for row in rows if not isinstance(row[0], list) or len(row[0]) == 1]
    references = []
    for row in rows:
        inputs, outputs, _ = task(row[0], row[1]).values()
        pairs = zip(inputs, outputs, strict=True)
        references.append([{"input": each, "output": wanted, "func_name": "f"} for each, wanted in pairs])
    candidates = [[f"class Solution:\n    def f(self, *args):\n        return {row[2]}\n"] for row in rows]
    _, results = load_metric().compute(predictions=candidates, references=references, k=1, timeout=30.0)
    found = [results[number][0][1]["passed"] for number in range(len(rows))]
    assert [(row, passed) for row, passed in zip(rows, found, strict=True) if passed is not row[3]] == []


@pytest.mark.slow
def test_answers_under_a_policy():
    """Cases under the policy of "restricted" get the same verdicts."""
    rows = [(given, wanted, returned.replace("args", "a"), right) for given, wanted, returned, right in TEXTS + VALUES]
    candidates = [[f"def f(*a):\n    return {row[2]}\n"] for row in rows]
    references = [task(row[0], row[1]) for row in rows]
    options = {"k": 1, "timeout": 30.0, "sandbox": "restricted", "grading": "shared"}
    _, results = load_metric().compute(predictions=candidates, references=references, **options)
    found = [results[number][0][1]["passed"] for number in range(len(rows))]
    assert [(row, passed) for row, passed in zip(rows, found, strict=True) if passed is not row[3]] == []


@pytest.mark.parametrize("reference", [task("[1,2]\n3", "6"), task([[[1, 2], 3]], [[6]]), task([[1]], [[[6, 6]]])])
def test_forged_answers(reference):
    """Candidates with separate grading can't pass by an object, exception or name of their own."""
    candidates = list(FORGERIES.values())
    options = {"k": 1, "timeout": 30.0, "grading": "separate"}
    _, results = load_metric().compute(predictions=[candidates], references=[reference], **options)
    assert [name for name, (_, result) in zip(FORGERIES, results[0], strict=True) if result["passed"]] == []


@pytest.mark.parametrize("grading", ["shared", "separate"])
def test_names_of_the_harness_are_the_candidate_s(grading):
    """A right candidate may have functions with the harness's internal names."""
    names = "is_right plain called calls wanted record found first".split()
    code = "".join(f"def {name}(x): return x\n" for name in names)
    code += f"def f(*args): return {'('.join(names)}(sum(args){')' * len(names)}\n"
    options = {"k": 1, "timeout": 30.0, "grading": grading}
    reference = {"inputs": [[1, 2], [2, 2]], "outputs": [3, 4], "fn_name": "f"}
    _, results = load_metric().compute(predictions=[[code]], references=[reference], **options)
    assert results[0][0][1]["passed"], results[0][0][1]["detail"]


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        (task("[1,2]\n3 4", "6"), "the input of a call has '3 4', which is not JSON"),
        (task("1", "abc"), "the output of a call has 'abc', which is not JSON"),
        ({"inputs": ["1", [1]], "outputs": ["1", 1], "fn_name": "f"}, "and not both"),
        (task([5], [5]), "the input of a call must be a list of its arguments, not 5"),
        (task([{"a": 1}], [5]), "the input of a call must be a list of its arguments"),
        ({**task("1", "1"), "fn_name": "f()"}, r"fn_name must be the name of a function.*not 'f\(\)'"),
        ({**task("1", "1"), "fn_name": ["f"]}, "fn_name must be the name of a function"),
        ({**task("1", "1"), "fn_name": "class"}, "fn_name must be the name of a function"),
        ([{"input": [1], "output": 1, "type": "function_call"}], 'type "function_call" need "fn_name"'),
    ],
)
def test_faults_of_calls(reference, message):
    """Invalid cases of calls are an error that gives the reason."""
    for form in (reference, json.dumps(reference)):
        with pytest.raises((ValueError, TypeError), match=message):
            parse_cases(form)


def test_the_name_in_the_metadata():
    """DeepCoder's cases name the function in each case's metadata."""
    cases = parse_cases([{"input": "1", "output": "2", "testtype": "functional", "metadata": {"func_name": "f"}}])
    assert (cases.function, cases.cases[0].input, cases.cases[0].output) == ("f", [1], 2)
