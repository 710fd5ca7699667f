"""BigCodeBench's `/predict` on the Space, called by gradio_client."""

import pytest
from gradio_client.exceptions import AppError

from support.bigcodebench_records import (
    HANGING,
    HOSTILE,
    RIGHT,
    WRONG,
    predict,
    record_of,
    samples_of,
    statuses_of,
    write_records,
)
from support.space_server import serving

pytestmark = pytest.mark.slow
COMPLETIONS = [RIGHT, WRONG, HANGING, HOSTILE["equal to all"], HOSTILE["kills all"], HOSTILE["skips its tests"]]


@pytest.fixture(scope="module")
def offering(tmp_path_factory):
    """Serve a Space that offers a problem for each of COMPLETIONS, and one that needs a package."""
    path = tmp_path_factory.mktemp("problems") / "problems.jsonl"
    needing = record_of(len(COMPLETIONS), canonical_solution="    import no_such_library\n    return []\n")
    write_records(path, [*[record_of(number) for number in range(len(COMPLETIONS))], needing])
    with serving(CODE_EVAL_BENCHMARKS=f"bigcodebench={path}", CODE_EVAL_MAX_TIMEOUT="5") as server:
        yield server


@pytest.fixture
def samples(tmp_path):
    """Return a function that writes a file of completions and returns its path."""
    path = tmp_path / "model--bigcodebench-complete.jsonl"
    return lambda *completions: write_records(path, samples_of(*completions))


def test_verdicts(offering, samples):
    """Each candidate has its status, and the answer its facts."""
    chosen = [f"BigCodeBench/{number}" for number in range(len(COMPLETIONS))]
    results, pass_at_k = predict(offering.url, samples(*COMPLETIONS), selective_evaluate=chosen)
    assert statuses_of(results) == [["pass"], ["fail"], ["timeout"], ["fail"], ["fail"], ["fail"]]
    assert pass_at_k == {
        **{"pass@1": pytest.approx(1 / 6), "model": "model", "split": "complete", "subset": "full"},
        **{"calibrated": True, "gt_pass_rate": 1.0, "failed_tasks": []},
    }


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"subset": "hard"}, "does not offer the subset 'hard'"),
        ({"pass_k": "ten"}, "pass_k must be numbers"),
        ({"min_time_limit": 6}, "min_time_limit is 6, and this server allows at most 5"),
        ({"selective_evaluate": "BigCodeBench/0,x"}, "selective_evaluate names 'x'"),
        ({}, "Missing problems in samples"),
        ({"check_gt_only": True}, "could not run a program, so that there are no verdicts.*no_such_library"),
    ],
)
def test_refusals(offering, samples, parameters, message):
    """A request that can't be honoured is an error with a reason, and so is a package that is missing."""
    with pytest.raises(AppError, match=message):
        predict(offering.url, samples(RIGHT), **parameters)


def test_a_file_that_is_not_there(samples, tmp_path):
    """A dataset that the Space can't read is an error of the request, without a path of the server."""
    with serving(CODE_EVAL_BENCHMARKS=f"bigcodebench={tmp_path}/nothing.jsonl") as server:
        with pytest.raises(AppError, match="there is no such file") as error:
            predict(server.url, samples(RIGHT))
        assert str(tmp_path) not in str(error.value)


def test_a_space_without_problems(space, samples):
    """A Space that offers no problems says what its owner can do."""
    with pytest.raises(AppError, match="its owner can add .* to CODE_EVAL_BENCHMARKS"):
        predict(space.url, samples(RIGHT))
