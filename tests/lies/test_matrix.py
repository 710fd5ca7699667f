"""The matrix of lies is large, the same each time, and fair: honest programs pass its tests in plain Python."""

from lies.liars import LIES
from lies.matrix import count, pairs, program_with, sample
from lies.oracle import passes
from lies.reaches import REACHES
from lies.uses import USES

WANTED = 50_000
SAMPLED = 20


def test_matrix_is_large():
    """There are at least 50,000 combinations."""
    assert count() >= WANTED


def test_names_are_unique():
    """A combination's name finds its sources: each table's names are unique, and none has the sign between them."""
    for table in (REACHES, LIES, USES):
        names = [each.name for each in table]
        assert len(set(names)) == len(names) and not any(" / " in name for name in names)


def test_samples_are_reproducible():
    """The same seed gives the same programs."""
    one, other = ([(each.name, each.candidate, each.tests) for each in sample(SAMPLED, seed=1)] for _ in range(2))
    assert one == other


def test_all_tokens_are_filled_in():
    """No token of a template is left in a program."""
    for each in sample(300, seed=2):
        text = each.candidate + each.tests
        assert not any(token in text for token in ("VALUE", "GOT", "USE", "WANT")), each.name


def test_honest_twins_pass():
    """The right value, on the same way and in the same use, passes the same tests in plain Python."""
    chosen = sample(SAMPLED, seed=3)
    twins = [program_with(each.use.want, each.reach, each.use) + "\n\n" + each.tests for each in chosen]
    assert [each.name for each, passed in zip(chosen, passes(twins), strict=True) if not passed] == []


def test_lies_can_be_made():
    """No lie fails for an error of its source. Its class, if it has one, takes any arguments."""
    made = [f"{each.source}\n{each.value}\n{'Lie(1, 2)' if each.has_class else ''}" for each in LIES]
    assert [each.name for each, passed in zip(LIES, passes(made), strict=True) if not passed] == []


def test_uses_of_a_defined_builtin_are_left_out():
    """Tests don't call the builtin that the candidate defines but to reach its result."""
    defined = {(reach.name, use.name) for reach, use in pairs()}
    assert ("builtin sorted", "list sorted") not in defined and ("builtin max", "list sorted") in defined
