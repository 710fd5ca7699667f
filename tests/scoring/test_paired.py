"""Paired differences of pass@k, beside independent computations of the same values."""

import itertools
import math
import operator
from fractions import Fraction

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from scipy import stats

from code_tasks.scoring import paired
from code_tasks.scoring.estimates import pass_at_k_from_counts
from code_tasks.scoring.paired import paired_differences, sign_flip_p_value, t_quantile

pytestmark = pytest.mark.slow

counts = st.integers(1, 6).flatmap(lambda samples: st.tuples(st.just(samples), st.integers(0, samples)))
pairs = st.lists(st.tuples(counts, counts), min_size=1, max_size=10)
differences = st.lists(st.fractions(-1, 1, max_denominator=6).filter(bool), min_size=1, max_size=10)


def runs(pairs):
    """Return the counts of two runs by task."""
    return tuple({f"t/{number}": pair[run] for number, pair in enumerate(pairs)} for run in (0, 1))


def one_sample_each(both, baseline_alone, other_alone, neither):
    """Return the counts of two runs with one sample of each task, from the cells of McNemar's table."""
    cells = {(1, 1): both, (1, 0): baseline_alone, (0, 1): other_alone, (0, 0): neither}
    return runs([((1, old), (1, new)) for (old, new), size in cells.items() for _ in range(size)])


def enumerated_p_value(values):
    """Return the share of all signs for which the sum is at least as far from 0."""
    signs = itertools.product((1, -1), repeat=len(values))
    sums = [abs(sum(map(operator.mul, each, values))) for each in signs]
    return sum(each >= abs(sum(values)) for each in sums) / len(sums)


@given(pairs, st.integers(1, 3))
def test_estimates(pairs, k):
    """The estimates are those of each run, the difference is that of the estimates, and its error is over tasks."""
    found, left_out = paired_differences(*runs(pairs), [k])
    if any(min(old[0], new[0]) < k for old, new in pairs):
        assert (found, len(left_out)) == ([], 1)
        return
    [difference] = found
    of_runs = [pass_at_k_from_counts(run, [k])[0][0] for run in runs(pairs)]
    assert [vars(each) for each in (difference.baseline, difference.other)] == [
        pytest.approx(vars(each), nan_ok=True) for each in of_runs
    ]
    failing = [[math.comb(n - c, k) / math.comb(n, k) for n, c in pair] for pair in pairs]
    per_task = [old - new for old, new in failing]
    assert difference.difference == pytest.approx(np.mean(per_task), abs=1e-12)
    if len(pairs) > 1:
        assert difference.standard_error == pytest.approx(stats.sem(per_task), abs=1e-12)
    else:
        assert math.isnan(difference.standard_error)


@given(differences)
def test_p_value_is_that_of_all_signs(values):
    """The p-value is the share of all signs that give a sum at least as far from 0."""
    assert sign_flip_p_value(values) == pytest.approx(enumerated_p_value(values))


@given(differences)
def test_drawn_p_value(values):
    """A p-value from drawn signs is close to that of all signs."""
    drawn = paired.drawn_p_value([float(value) for value in values])
    assert drawn == pytest.approx(enumerated_p_value(values), abs=0.02)


def test_signs_are_drawn_if_sums_are_too_many(monkeypatch):
    """If there are too many sums, the p-value comes from drawn signs, and is the same each time."""
    values = [Fraction(1, prime) for prime in (2, 3, 5, 7, 11, 2, 3, 5, 7, 11)]
    exact = sign_flip_p_value(values)
    monkeypatch.setattr(paired, "MAX_EXACT_STEPS", 1000)
    drawn = sign_flip_p_value(values)
    assert drawn == sign_flip_p_value(values) != exact
    assert drawn == pytest.approx(exact, abs=0.002)


@pytest.mark.parametrize(("baseline_alone", "other_alone"), [(0, 3), (2, 9), (7, 7), (30, 12), (0, 400)])
def test_one_sample_of_each_task_is_mcnemars_test(baseline_alone, other_alone):
    """With one sample of each task the p-value is that of McNemar's exact test."""
    [difference], _ = paired_differences(*one_sample_each(20, baseline_alone, other_alone, 20), [1])
    expected = stats.binomtest(other_alone, baseline_alone + other_alone).pvalue
    assert difference.p_value == pytest.approx(expected)


def test_equal_runs():
    """Equal runs have the difference 0, the p-value 1, and no interval, which would have no width."""
    [difference], _ = paired_differences(*one_sample_each(20, 0, 0, 5), [1])
    assert (difference.difference, difference.p_value, difference.interval) == (0, 1, None)


@pytest.mark.parametrize(("different", "has_interval"), [(4, False), (5, True)])
def test_interval_needs_different_tasks(different, has_interval):
    """There is an interval from five different tasks on."""
    [difference], _ = paired_differences(*one_sample_each(20, 1, different - 1, 5), [1])
    assert difference.different_tasks == different
    assert (difference.interval is not None) is has_interval


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(lambda pair: pair[0] != pair[1]), min_size=5))
def test_interval(passed):
    """The interval is Student's, for the mean of the differences, and ends at -1 and 1."""
    [difference], _ = paired_differences(*runs([((4, old), (4, new)) for old, new in passed]), [1])
    values = [(new - old) / 4 for old, new in passed]
    if np.std(values) == 0:
        assert difference.interval is None
    else:
        expected = stats.t.interval(0.95, len(values) - 1, np.mean(values), stats.sem(values))
        assert difference.interval == pytest.approx(np.clip(expected, -1, 1), abs=0.0005)


@pytest.mark.parametrize("degrees", [4, 5, 7, 10, 30, 163, 100_000])
def test_t_quantile(degrees):
    """The quantile is Student's."""
    assert t_quantile(degrees) == pytest.approx(stats.t.ppf(0.975, degrees), abs=0.001)


def test_pairing_makes_differences_of_easy_and_hard_tasks_small():
    """A small difference at each task counts more than in a comparison of runs that are not paired."""
    pairs = [((100, passed), (100, passed + 5)) for passed in (*range(0, 96, 5), 90, 1)]
    pairs[0] = ((100, 0), (100, 4))
    [difference], _ = paired_differences(*runs(pairs), [1])
    unpaired = math.hypot(difference.baseline.standard_error, difference.other.standard_error)
    assert difference.standard_error < unpaired / 50


def test_no_interval_without_a_spread():
    """If all tasks differ by the same, their spread says nothing about the difference, and there is no interval."""
    [difference], _ = paired_differences(*runs([((1, 0), (1, 1))] * 6), [1])
    assert (difference.difference, difference.interval) == (1.0, None)


def test_sums_that_fill_the_memory_are_drawn(monkeypatch):
    """Two tasks can have more different sums than memory holds. Their signs are drawn."""
    monkeypatch.setattr(paired, "exact_p_value", lambda whole: pytest.fail(f"{sum(map(abs, whole))} sums in memory"))
    [difference], _ = paired_differences(*runs([((32, 0), (32, 16)), ((32, 1), (32, 20))]), [10])
    assert difference.p_value == pytest.approx(0.5, abs=0.02)
