"""Some tasks of a benchmark are chosen by their ids, and by their number."""

import pytest

from code_tasks.benchmarks.chosen_tasks import choose_tasks
from code_tasks.benchmarks.readers import InputError

PROBLEMS = {f"HumanEval/{number}": number for number in range(20)}


@pytest.mark.parametrize(
    ("task_ids", "limit", "numbers"),
    [
        ((), None, [*range(20)]),
        ((), 3, [0, 1, 2]),
        ((), 100, [*range(20)]),
        (("HumanEval/7", "HumanEval/2"), None, [2, 7]),
        (("HumanEval/7", "HumanEval/2"), 1, [2]),
    ],
)
def test_order(task_ids, limit, numbers):
    """Chosen tasks keep the order of the problems, whatever the order of their ids."""
    assert [*choose_tasks(PROBLEMS, task_ids, limit).values()] == numbers


@pytest.mark.parametrize(
    ("unknown", "message"),
    [
        ("humaneval_7", "there is no task 'humaneval_7'; write 'HumanEval/7' if you mean that one"),
        ("7", "there is no task '7'; write 'HumanEval/7' if you mean that one"),
        ("HumanEvil/12", "there is no task 'HumanEvil/12'; near it are 'HumanEval/12', "),
        ("zzz", "there is no task 'zzz'; the first of 20 is 'HumanEval/0'"),
    ],
)
def test_unknown_ids(unknown, message):
    """An id that no problem has is an error with the ids near it, otherwise with one that shows how ids look."""
    with pytest.raises(InputError) as raised:
        choose_tasks(PROBLEMS, ["HumanEval/1", unknown])
    assert str(raised.value).startswith(message)


def test_all_unknown_ids_are_named():
    """Several unknown ids are one error."""
    with pytest.raises(InputError) as raised:
        choose_tasks(PROBLEMS, ["HumanEval/x", "HumanEval/y"])
    assert len(str(raised.value).splitlines()) == 2
