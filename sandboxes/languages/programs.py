"""Programs of candidates with tests: the recipe that a language has for them, the plan of their runs, the program."""

from __future__ import annotations

import secrets
from dataclasses import replace
from functools import lru_cache
from typing import Any

from sandboxes.contract import Limits, Program
from sandboxes.grading import chosen_grading
from sandboxes.guest.common.interactors import TESTS
from sandboxes.languages.apart.plain_tests import PlainTests
from sandboxes.languages.base import (
    COMPILE_SECONDS,
    TESTS_FOLDER,
    TOKEN_BYTES,
    Recipe,
    SeparateRecipe,
    SplitRecipe,
    compiler_limits,
)
from sandboxes.languages.registry import LANGUAGES
from sandboxes.languages.steps import Command, StepPlan, TestRun, step_program


@lru_cache(maxsize=64)
def plan_for(
    name: str,
    limits: Limits,
    compile_seconds: float = COMPILE_SECONDS,
    needs: tuple[str, ...] = (),
    plain: PlainTests | None = None,
) -> StepPlan:
    """Return the plan of a language's programs with tests. The same arguments give the same object.

    Args:
        name: of LANGUAGES.
        limits: of the run.
        compile_seconds: wall seconds of each compiler.
        needs: files that the compilers need, as in `Recipe`.
        plain: the tests, if their results are compared elsewhere.
    """
    recipe = LANGUAGES[name].with_tests
    assert isinstance(recipe, Recipe)
    build = recipe.build(compiler_limits(limits, compile_seconds))
    if needs:
        build = tuple(replace(command, needs=(*command.needs, *needs)) for command in build)
    if plain is None:
        return StepPlan(build, (TestRun(recipe.run(limits), writes_token=True),), sources=recipe.sources)
    run = TestRun(recipe.run(limits), plain.name, expected=plain.expected, checker="results", writes_token=True)
    return StepPlan(build, (run,), grading="separate", sources=recipe.sources)


@lru_cache(maxsize=64)
def plan_without_tests(name: str, limits: Limits, compile_seconds: float = COMPILE_SECONDS) -> StepPlan:
    """Return the plan of candidates that are their own tests, which nobody can keep from them.

    Args:
        name: of LANGUAGES.
        limits: of the run.
        compile_seconds: wall seconds of each compiler.
    """
    recipe = LANGUAGES[name].standalone
    return StepPlan(recipe.build(compiler_limits(limits, compile_seconds)), (TestRun(recipe.run(limits)),))


@lru_cache(maxsize=64)
def separate_plan(name: str, tests: str, limits: Limits) -> StepPlan:
    """Return the plan of programs whose tests run apart from the candidate. The same arguments give the same object.

    Args:
        name: of LANGUAGES.
        tests: source.
        limits: of each side.
    """
    language = LANGUAGES[name]
    recipe = language.apart or language.with_tests
    assert isinstance(recipe, SeparateRecipe)
    return talking_plan((), recipe, limits, {"files": recipe.tests_files(tests)}, recipe.needs(tests))


@lru_cache(maxsize=64)
def split_plan(name: str, limits: Limits, compile_seconds: float = COMPILE_SECONDS) -> StepPlan:
    """Return the plan of programs whose tests are built with the candidate, and run apart from it.

    Args:
        name: of LANGUAGES.
        limits: of each side.
        compile_seconds: wall seconds of each compiler.
    """
    language = LANGUAGES[name]
    recipe = language.apart or language.with_tests
    assert isinstance(recipe, SplitRecipe)
    build = recipe.build(compiler_limits(limits, compile_seconds))
    return talking_plan(build, recipe, limits, {"files": {}, "folder": TESTS_FOLDER})


def talking_plan(
    build: tuple[Command, ...],
    recipe: SeparateRecipe | SplitRecipe,
    limits: Limits,
    tests: dict[str, Any],
    needs: tuple[str, ...] = (),
) -> StepPlan:
    """Return the plan of programs whose tests are their interactor.

    Args:
        build: the build commands.
        recipe: how both sides are run.
        limits: of each side.
        tests: where the tests' files come from: "files", and "folder" if the build makes them.
        needs: files that the tests need, as in `SeparateRecipe`.
    """
    run = recipe.run_tests(limits)
    run = replace(run, needs=(*run.needs, *needs))
    judge = {**tests, "build": [], "run": run.as_json(), "convention": TESTS}
    # The interactor has no input, and expects no output.
    runs = (TestRun(recipe.run_candidate(limits), expected="", checker=""),)
    return StepPlan(build, runs, grading="separate", interactor=judge)


def reason_for_candidate(name: str, tests: str) -> str:
    """Return why tests in a language run in the candidate's process under the grading "auto"; "" if they don't.

    Args:
        name: of NAMES.
        tests: source.
    """
    language = LANGUAGES.get(name)
    if language is not None and language.apart is not None:
        return language.reason_for_candidate(tests)
    if language is not None and language.plain_tests(tests):
        return ""
    return f"the tests are in {name}" if language is None or isinstance(language.with_tests, Recipe) else ""


def recipe_for(name: str, tests: str, grading: str = "auto") -> Recipe | SeparateRecipe | SplitRecipe:
    """Return the recipe of a candidate with tests.

    Args:
        name: of LANGUAGES.
        tests: source.
        grading: one of GRADINGS. It chooses in languages with two recipes for tests.

    Raises:
        ValueError: if the tests can't run apart, and have to.
    """
    language = LANGUAGES[name]
    framework = language.only_apart(tests)
    if language.apart is None or grading == "shared" and not framework:
        return language.with_tests
    reason = language.reason_for_candidate(tests)
    if reason and framework:
        raise ValueError(f"{reason}, and tests for {framework} never run with the candidate")
    return language.with_tests if reason and chosen_grading(grading, reason) == "shared" else language.apart


def build_program(
    name: str,
    candidate: str,
    tests: str,
    limits: Limits,
    compile_seconds: float = COMPILE_SECONDS,
    grading: str = "auto",
) -> Program:
    """Build the program of a candidate and its tests.

    Args:
        name: of LANGUAGES.
        candidate: source.
        tests: source that ends with a status other than 0 if the candidate is wrong.
        limits: of the run.
        compile_seconds: wall seconds of each compiler.
        grading: as in `recipe_for`.

    Raises:
        ValueError: as `recipe_for`.
    """
    token = secrets.token_hex(TOKEN_BYTES)
    language = LANGUAGES[name]
    recipe = recipe_for(name, tests, grading) if tests.strip() else language.with_tests
    names: tuple[str, ...] = ()
    plain = language.plain_tests(tests) if grading != "shared" else None
    if isinstance(recipe, Recipe) and plain is not None:
        files = recipe.files(candidate, plain.tests)
        plan = plan_for(name, limits, compile_seconds, recipe.needs(files), plain)
    elif isinstance(recipe, Recipe):
        files = recipe.files(candidate, tests)
        names = recipe.test_names(tests if tests.strip() else candidate)
        plan = plan_for(name, limits, compile_seconds, recipe.needs(files))
    elif not tests.strip():
        files = language.standalone.files(candidate, "")
        plan = plan_without_tests(name, limits, compile_seconds)
    elif isinstance(recipe, SplitRecipe):
        files = recipe.files(candidate, tests)
        plan = split_plan(name, limits, compile_seconds)
    else:
        files = recipe.candidate_files(candidate)
        plan = separate_plan(name, tests, limits)
    return step_program(files, plan, limits, token, name, names)
