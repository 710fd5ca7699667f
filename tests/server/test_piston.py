"""Piston's endpoints run programs, and judge them with the runtimes of open-r1's packages."""

import json

import pytest

from support.languages import require_languages
from support.server_client import serving

pytestmark = pytest.mark.slow
CASE = {
    "input.txt": "3\r\n",
    "correct_output.txt": "6\r\n\r\n",
    "grader_config": "TIME_LIMIT=5\nMEMORY_LIMIT=512\nINPUT_MODE=stdio",
}
IOI = {
    "graders/sum.h": "int sum(int, int);",
    "graders/grader.cpp": '#include "sum.h"\n#include <cstdio>\n'
    'int main() { int a, b; if (scanf("%d %d", &a, &b) == 2) printf("%d\\n", sum(a, b)); }',
    "graders/grader_config.json": json.dumps(
        {"task_type": "Batch", "code": "sum", "time_limit": 5, "memory_limit": 1 << 29}
    ),
    "input.txt": "1 2\n",
    "correct_output.txt": "3\n",
}
# Gives half of the points to an output that is one too small.
CHECKER = """\
#include <cstdio>
#include <fstream>
int main(int, char **names) {
    std::ifstream expected(names[2]), output(names[3]);
    int wanted = 0, found = 0;
    expected >> wanted, output >> found;
    puts(wanted == found ? "1.0" : wanted == found + 1 ? "0.5" : "0.0");
    fputs("Output is looked at", stderr);
}
"""


@pytest.fixture(scope="module")
def client():
    """Serve Python and C++."""
    require_languages("cpp")
    with serving(allowed_languages=("python", "cpp"), max_timeout=30.0) as client:
        yield client


def execute(client, language, files, prefix="/api/v2", **fields):
    """Return the answer for files by their names, the program first."""
    listed = [{"name": name, "content": content} for name, content in files.items()]
    body = {"language": language, "version": "*", "files": listed, **fields}
    return client.post(f"{prefix}/execute", json=body)


def score(client, language, name, program, **files):
    """Return what open-r1 reads of the answer for a program and its case: (compile.code, run.code, stdout)."""
    answer = execute(client, language, {name: program, **CASE, **files}, run_timeout=15000).json()
    return answer["compile"]["code"], answer["run"]["code"], answer["run"]["stdout"].strip()


@pytest.mark.parametrize("prefix", ["/api/v2", "/api/v2/piston"])
def test_runtimes(client, prefix):
    """The runtimes of the languages that work here are listed with their versions, under both prefixes."""
    runtimes = {one["language"]: one for one in client.get(f"{prefix}/runtimes").json()}
    assert {"python", "c++", "c++17", "cf_python3", "cms"} <= set(runtimes)
    assert "rust" not in runtimes
    assert len(runtimes["python"]["version"].split(".")) == 3
    assert "cms_ioi" in runtimes["cms"]["aliases"]


@pytest.mark.parametrize("prefix", ["/api/v2", "/api/v2/piston"])
def test_a_program(client, prefix):
    """A program has arguments, input with a last line break, other files, and an end."""
    program = "import sys\nprint(sys.argv[1:], sys.stdin.read() == 'x\\n', open('b.txt').read())\nsys.exit(3)"
    files = {"a.py": program, "b.txt": "B"}
    answer = execute(client, "py", files, prefix, args=["1"], stdin="x").json()
    assert (answer["language"], "compile" in answer) == ("python", False)
    assert (answer["run"]["stdout"], answer["run"]["code"], answer["run"]["signal"]) == ("['1'] True B\n", 3, None)


def test_a_program_that_takes_too_long(client):
    """Limits are milliseconds, and a program beyond them was killed."""
    run = execute(client, "python", {"a.py": "while True: pass"}, run_timeout=500).json()["run"]
    assert (run["code"], run["signal"], run["status"]) == (None, "SIGKILL", "TO")


def test_a_program_that_is_compiled(client):
    """The compiler's end is in `compile`, and in `run` too where there is no run."""
    good = execute(client, "c++", {"a.cpp": "int main() {}"}, compile_timeout=30000).json()
    assert (good["compile"]["code"], good["run"]["code"]) == (0, 0)
    bad = execute(client, "cpp", {"a.cpp": "int main() {"}, compile_timeout=30000).json()
    assert bad["compile"] == bad["run"]
    assert bad["run"]["code"] == 1


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ({"language": "zig"}, "zig-* runtime is unknown"),
        ({"language": "rust"}, "rust-* runtime is unknown"),
        ({"version": "2.7"}, "python-2.7 runtime is unknown"),
        ({"run_timeout": 31000}, "run_timeout"),
        ({"run_memory_limit": 1 << 40}, "run_memory_limit"),
        ({"files": []}, "files"),
        ({"files": [{"content": "eA==", "encoding": "base64"}]}, "utf8 encoded file"),
        ({"files": [{"content": ""}, {"name": "../b", "content": ""}]}, "files.1.name"),
    ],
)
def test_requests_that_are_refused(client, body, word):
    """A request that can't be carried out gets piston's status and a message."""
    answer = client.post(
        "/api/v2/execute", json={"language": "python", "version": "*", "files": [{"content": ""}], **body}
    )
    assert (answer.status_code, word in answer.json()["message"]) == (400, True)


@pytest.mark.parametrize(
    ("program", "result"),
    [
        ("print(int(input()) * 2)", (0, 0, "1")),
        ("print(7)", (0, 0, "0")),
        ("raise ValueError", (0, 1, "0")),
        ("print(6", (0, 1, "0")),
        ("import os\nos.write(1, b'1')\nos.write(2, b'Output is correct')\nos._exit(0)", (0, 0, "0")),
        ("print(open('correct_output.txt').read())", (0, 1, "0")),
    ],
)
def test_codeforces_in_python(client, program, result):
    """A program is judged by its case, and can neither read the expected output nor write its score."""
    assert score(client, "cf_python3", "main.python", program) == result


@pytest.mark.parametrize(
    ("program", "result"),
    [
        ("#include <iostream>\nint main() { int a; std::cin >> a; std::cout << 2 * a; }", (0, 0, "1")),
        ("int main() { return x; }", (1, 1, "")),
    ],
)
def test_codeforces_in_cpp(client, program, result):
    """A program that can't be compiled has no score."""
    assert score(client, "c++17", "main.cpp", program) == result


def test_a_checker_of_codeforces(client):
    """A problem's own checker decides."""
    checker = "import sys\nprint(int(open(sys.argv[3]).read().strip() in ('6', 'six')))"
    assert score(client, "cf_python3", "main.python", "print('six')", **{"checker.py": checker}) == (0, 0, "1")
    assert score(client, "cf_python3", "main.python", "print('five')", **{"checker.py": checker}) == (0, 0, "0")


def test_a_checker_that_does_not_work(client):
    """A checker that fails is no wrong answer: the request is to be tried again."""
    files = {"main.python": "print(6)", **CASE, "checker.py": "nonsense"}
    answer = execute(client, "cf_python3", files)
    assert (answer.status_code, "checker" in answer.json()["message"]) == (504, True)


def test_codeforces_without_an_expected_output(client):
    """Without an expected output, the program's own is the answer."""
    files = {"main.python": "print(int(input()) * 2)", **{name: CASE[name] for name in ("input.txt", "grader_config")}}
    assert execute(client, "cf_python3", files).json()["run"]["stdout"] == "6\n"


@pytest.mark.parametrize(("source", "score"), [("print(6)", "1"), ("print(1)", "0")])
def test_codeforces_without_an_input(client, source, score):
    """With an expected output a program is judged, also without an input: its own output is never the score."""
    files = {"main.python": source, **{name: CASE[name] for name in CASE if name != "input.txt"}}
    assert execute(client, "cf_python3", files).json()["run"]["stdout"] == f"{score}\n"


@pytest.mark.parametrize(
    ("body", "plain", "checked"),
    [
        ("return a + b;", "1", "1.0"),
        ("return a + b - 1;", "0", "0.5"),
        ("return 0;", "0", "0.0"),
        ("__builtin_trap();", "0", "0"),
    ],
)
def test_ioi(client, body, plain, checked):
    """A submission is built with its grader, and its output is compared, or gets the points of the checker."""
    submission = {"graders/sum.cpp": f'#include "sum.h"\nint sum(int a, int b) {{ {body} }}'}
    runs = [
        execute(client, "cms_ioi", {**submission, **IOI, **more}, run_timeout=8000).json()["run"]
        for more in ({}, {"checker/checker.cpp": CHECKER})
    ]
    assert [run["stdout"].strip() for run in runs] == [plain, checked]


def test_an_ioi_submission_that_can_t_be_built(client):
    """A submission that can't be compiled has the compiler's words, in `compile`."""
    answer = execute(client, "cms_ioi", {"graders/sum.cpp": "int sum(", **IOI}).json()
    assert (answer["compile"]["code"], "error" in answer["compile"]["stderr"]) == (1, True)
