"""POST /execute_batch runs scripts as open-r1's routers do: a reward is the value of a script's last expression."""

import json

import pytest

from support.server_client import serving

pytestmark = pytest.mark.slow

# open-r1's own script runs the candidate for each case, and ends with the share of right outputs.
SCRIPT = """
    import json
    import subprocess

    def share(code, cases):
        right = 0
        for case in cases:
            command = ["python3", "-c", code]
            run = subprocess.run(command, input=case["input"], text=True, capture_output=True, timeout=5)
            right += run.returncode == 0 and run.stdout.strip() == case["output"]
        return right / len(cases)

    share({code}, json.loads({cases}))
    """


@pytest.fixture(scope="module")
def client():
    """Serve Python and Bash, one script at a time for each worker."""
    with serving(allowed_languages=("python", "bash"), max_candidates=40, max_timeout=30.0) as client:
        yield client


def execute(client, scripts, languages=None, timeout=20):
    """Return the answers for scripts."""
    body = {"scripts": scripts, "languages": languages or ["python"] * len(scripts), "timeout": timeout}
    answer = client.post("/execute_batch", json={**body, "request_timeout": 28})
    assert answer.status_code == 200, answer.text
    return answer.json()


def reward(answer):
    """Return the reward that open-r1 reads out of an answer of E2B's router. None: it leaves the sample out."""
    results = (answer["execution"] or {"results": []})["results"]
    texts = [result["text"] for result in results if result["is_main_result"]]
    return float(texts[0]) if texts else None


def test_rewards(client):
    """Rewards are in the scripts' order."""
    cases = json.dumps([{"input": str(number), "output": str(number * number)} for number in range(2)])
    programs = ["n = int(input())\nprint(n * n)", "print(0)", "nonsense"]
    scripts = [SCRIPT.format(code=repr(program), cases=repr(cases)) for program in programs]
    assert [reward(answer) for answer in execute(client, scripts)] == [1.0, 0.5, 0.0]


def test_the_fields_of_an_execution(client):
    """An execution has results, logs, an error and a count. Morph's client reads the text beside it."""
    answer, raised = execute(client, ["print(1)\n0.5", "print(2)\n1 / 0"])
    assert answer == {
        "execution": {
            "results": [{"text": "0.5", "is_main_result": True}],
            "logs": {"stdout": ["1\n"], "stderr": []},
            "error": None,
            "execution_count": 1,
        },
        "exception_str": None,
        "text": "0.5",
    }
    assert (raised["execution"]["results"], raised["text"]) == ([], "2\n")
    assert raised["execution"]["error"]["name"] == "ZeroDivisionError"
    assert set(raised["execution"]["error"]) == {"name", "value", "traceback"}


def test_scripts_without_an_end(client):
    """A script that takes too long has no execution, and the others have theirs."""
    late, right = execute(client, ["while True: pass", "1"], timeout=2)
    assert (late["execution"], late["text"], reward(right)) == (None, None, 1.0)
    assert "time limit" in late["exception_str"]


def test_more_seconds_than_the_owner_allows(client):
    """A script with more seconds has those of the owner. One that needs more has no execution, so no wrong reward."""
    assert reward(execute(client, ["1"], timeout=300)[0]) == 1.0


def test_a_script_that_leaves(client):
    """A script that ends its process has an error and no reward."""
    [answer] = execute(client, ["import os\nos._exit(3)"])
    assert (reward(answer), answer["execution"]["error"]["value"]) == (None, "ended with status 3")


def test_a_value_that_is_longer_than_output_may_be(client):
    """A value counts as output, because one answer has those of all scripts."""
    long, right = execute(client, ["'x' * 19_000_000", "'x' * 1000"])
    assert (long["execution"], long["text"]) == (None, None)
    assert "output limit" in long["exception_str"]
    assert len(right["text"]) == 1002


# Each is a candidate that the script runs in a process of its own.
FORGERIES = [
    "import glob, os, signal\nfor name in ['answer', *glob.glob('answer*')]: open(name, 'w').write('1.0')\n"
    "os.kill(os.getppid(), signal.SIGKILL)",
    "import glob, os, time\nif os.fork() == 0:\n os.setsid()\n while True:\n  for name in glob.glob('answer_*'):\n"
    "   data = open(name, 'rb').read()\n   open(name, 'wb').write(data.replace(b'0.0', b'1.0'))",
    "import os\nfor name in ('mem', 'maps', 'environ', 'fd/0'):\n"
    " try: print(open(f'/proc/{os.getppid()}/{name}', 'rb').read(1))\n except OSError: continue\n else: print('found')",
    "import sys\nprint(sys.__stdin__.read(), open(0).read())",
]


@pytest.mark.parametrize("candidate", FORGERIES)
def test_candidates_that_forge_a_reward(client, candidate):
    """A candidate in a process of its own neither writes the script's answer nor reads its cases."""
    cases = json.dumps([{"input": "", "output": "the secret output"}])
    [answer] = execute(client, [SCRIPT.format(code=repr(candidate), cases=repr(cases))])
    assert reward(answer) in (None, 0.0)
    # A traceback of the script shows its own lines, which have the cases.
    assert "secret" not in json.dumps((answer["execution"]["logs"], answer["text"]))


def test_other_languages(client):
    """Scripts of other languages have output and no value."""
    shell, unknown = execute(client, ["echo 1", "puts 1"], ["bash", "ruby"])
    assert (shell["execution"]["logs"]["stdout"], reward(shell), shell["text"]) == (["1\n"], None, "1\n")
    assert (unknown["execution"], "ruby" in unknown["exception_str"]) == (None, True)


def test_a_batch_that_is_larger_than_the_workers(client):
    """All scripts of a batch run, however few workers there are."""
    assert [reward(answer) for answer in execute(client, [str(number) for number in range(40)])] == [*range(40)]


@pytest.mark.parametrize("body", [{"languages": []}, {"scripts": ["1"] * 41, "languages": ["python"] * 41}])
def test_batches_that_are_refused(client, body):
    """A batch with other numbers of languages, or with too many scripts, is refused."""
    whole = {"scripts": ["1"], "languages": ["python"], "timeout": 5, "request_timeout": 5, **body}
    assert client.post("/execute_batch", json=whole).status_code == 400


def test_health(client):
    """The router's state is the server's."""
    assert client.get("/health").json() == {"status": "ok"}
