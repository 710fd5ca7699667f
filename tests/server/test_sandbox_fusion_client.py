"""The client of SandboxFusion, as the package index has it, works with this server."""

import asyncio

import pytest

from support.server_client import serving

sandbox_fusion = pytest.importorskip("sandbox_fusion", reason="its client works up to Python 3.13")
pytestmark = pytest.mark.slow
ROW = {
    "id": 1,
    "content": "Double the number.",
    "labels": "{}",
    "test": [{"input": {"stdin": f"{number}\n"}, "output": {"stdout": f"{2 * number}\n"}} for number in range(3)],
}
RIGHT, WRONG = "```python\nprint(int(input()) * 2)\n```", "```python\nprint(int(input()) ** 2)\n```"
MAPPING = sandbox_fusion.SummaryMapping(CompileFailed="compile", RunFailed="run", RunTimeout="late")


@pytest.fixture(scope="module")
def endpoint():
    """Serve, and return the address."""
    with serving() as client:
        yield str(client.base_url)


def submission(completion, **config):
    """Return the request of a submission."""
    config = sandbox_fusion.TestConfig(dataset_type="CommonOJDataset", language="python", provided_data=ROW, **config)
    return sandbox_fusion.SubmitRequest(dataset="any", id=1, completion=completion, config=config)


def test_run_code(endpoint):
    """A program's output comes back, and the client's summary names its end."""
    for code, output, summary in [
        ("print(input())", "3\n", "Success"),
        ("raise SystemExit(1)", "", "run"),
        ("while True: pass", "", "late"),
    ]:
        request = sandbox_fusion.RunCodeRequest(code=code, language="python", stdin="3", run_timeout=2)
        result = sandbox_fusion.run_code(request, endpoint, max_attempts=1)
        assert (result.run_result.stdout, sandbox_fusion.summary_run_code_result(result, MAPPING)) == (output, summary)


def test_run_code_asynchronously(endpoint):
    """Several programs run at once over the client's asynchronous face."""
    requests = [sandbox_fusion.RunCodeRequest(code=f"print({number})", language="python") for number in range(8)]

    async def run_all():
        return await asyncio.gather(*(sandbox_fusion.run_code_async(one, endpoint, 1) for one in requests))

    assert [result.run_result.stdout for result in asyncio.run(run_all())] == [f"{number}\n" for number in range(8)]


def test_a_language_that_is_not_there(endpoint):
    """The client raises an error with the server's reason."""
    request = sandbox_fusion.RunCodeRequest(code="", language="julia")
    with pytest.raises(Exception, match="the language 'julia' is not available"):
        sandbox_fusion.run_code(request, endpoint, max_attempts=1)


def test_submissions(endpoint):
    """A submission is judged by all cases up to the first that fails, or by all of them."""
    right = sandbox_fusion.submit(submission(RIGHT), endpoint, max_attempts=1)
    assert (right.accepted, [test.passed for test in right.tests], right.extracted_type) == (True, [True] * 3, "fenced")
    wrong = sandbox_fusion.submit(submission(WRONG), endpoint, max_attempts=1)
    assert (wrong.accepted, [test.passed for test in wrong.tests]) == (False, [True, False])
    every = asyncio.run(
        sandbox_fusion.submit_async(submission(WRONG, extra={"run_all_cases": True}), endpoint, max_attempts=1)
    )
    assert (every.accepted, [test.passed for test in every.tests]) == (False, [True, False, True])


def test_many_slow_cases(endpoint):
    """A submission whose cases may take longer together than the owner allows is refused."""
    slow = submission(RIGHT, run_timeout=60)
    slow.config.provided_data = {**ROW, "test": ROW["test"] * 21}
    with pytest.raises(Exception, match="63 cases of 60 s"):
        sandbox_fusion.submit(slow, endpoint, max_attempts=1)


def test_a_submission_without_code(endpoint):
    """A completion without code is judged, and passes nothing."""
    result = sandbox_fusion.submit(submission("I don't know."), endpoint, max_attempts=1)
    assert (result.accepted, result.extracted_code, result.extracted_type) == (False, "", "empty")


def test_a_submission_s_own_extraction(endpoint):
    """A request's own logic finds the code, in a sandbox."""
    logic = "submit_code_blocks([CodeBlock(priority=40, code=completion.split('|')[1], language='python')])"
    config = {"custom_extract_logic": logic}
    result = sandbox_fusion.submit(submission("x|print(int(input()) * 2)|y", **config), endpoint, max_attempts=1)
    assert (result.accepted, result.extracted_code) == (True, "print(int(input()) * 2)")


def test_an_extraction_that_fails(endpoint):
    """Logic that fails is the client's error, and no wrong answer."""
    with pytest.raises(Exception, match="NameError"):
        sandbox_fusion.submit(submission(RIGHT, custom_extract_logic="nonsense"), endpoint, max_attempts=1)


def test_a_candidate_that_writes_a_verdict(endpoint):
    """A candidate that prints what the server answers passes nothing."""
    forged = "```python\nprint('{\"accepted\": true}')\nimport os\nos._exit(0)\n```"
    assert not sandbox_fusion.submit(submission(forged), endpoint, max_attempts=1).accepted


def test_prompts(endpoint):
    """Prompts of problems that a request brings along come back with the wanted language."""
    config = sandbox_fusion.TestConfig(dataset_type="CommonOJDataset", language="python", provided_data=[ROW, ROW])
    prompts = sandbox_fusion.get_prompts(sandbox_fusion.GetPromptsRequest(dataset="any", config=config), endpoint)
    config = sandbox_fusion.TestConfig(dataset_type="CommonOJDataset", language="python", provided_data=ROW)
    one = sandbox_fusion.get_prompt_by_id(
        sandbox_fusion.GetPromptByIdRequest(dataset="any", config=config, id=1), endpoint
    )
    assert prompts == [one, one]
    assert one.prompt.startswith("Double the number.")


def test_a_token_in_the_url():
    """The client sends the password of its URL, which the server takes for a token."""
    with serving(tokens={"trainer": "a-token-for-this-test"}) as client:
        url = str(client.base_url).replace("http://", "http://any:a-token-for-this-test@")
        request = sandbox_fusion.RunCodeRequest(code="print(1)", language="python")
        sync = sandbox_fusion.run_code(request, url, max_attempts=1)
        other = asyncio.run(sandbox_fusion.run_code_async(request, url, max_attempts=1))
        assert sync.run_result.stdout == other.run_result.stdout == "1\n"
        assert client.post("/run_code", json={"code": "", "language": "python"}).status_code == 401
