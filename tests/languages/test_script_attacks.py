"""Candidates in scripting languages, SQL, Java, Go, OCaml and others that want an unearned pass, and honest ones."""

import pytest

from sandboxes import Limits
from sandboxes.languages.programs import build_program
from sandboxes.languages.registry import LANGUAGES
from support import (
    attacks_ada,
    attacks_bash,
    attacks_clojure,
    attacks_coq,
    attacks_csharp,
    attacks_d,
    attacks_elixir,
    attacks_fortran,
    attacks_go,
    attacks_haskell,
    attacks_java,
    attacks_javascript,
    attacks_javascript_apart,
    attacks_kotlin,
    attacks_lua,
    attacks_ocaml,
    attacks_octave,
    attacks_perl,
    attacks_php,
    attacks_python,
    attacks_r,
    attacks_racket,
    attacks_ruby,
    attacks_scala,
    attacks_sql,
    honest_ada,
    honest_compiled,
    honest_csharp,
    honest_d,
    honest_fortran,
    honest_javascript,
    honest_kotlin,
    honest_languages,
    honest_scala,
    honest_scripts,
    honest_sql,
)
from support.languages import language_pool
from support.requirements import WALL_SECONDS
from support.selection import chosen_parameters

ATTACKS = {
    "javascript": attacks_javascript.ATTACKS | attacks_javascript_apart.ATTACKS,
    "typescript": attacks_javascript.TYPESCRIPT,
    "java": attacks_java.ATTACKS,
    "go": attacks_go.ATTACKS,
    "bash": attacks_bash.ATTACKS,
    "ruby": attacks_ruby.ATTACKS,
    "php": attacks_php.ATTACKS,
    "lua": attacks_lua.ATTACKS,
    "perl": attacks_perl.ATTACKS,
    "r": attacks_r.ATTACKS,
    "octave": attacks_octave.ATTACKS,
    "racket": attacks_racket.ATTACKS,
    "elixir": attacks_elixir.ATTACKS,
    "clojure": attacks_clojure.ATTACKS,
    "coq": attacks_coq.ATTACKS,
    "ocaml": attacks_ocaml.ATTACKS,
    "haskell": attacks_haskell.ATTACKS,
    "ada": attacks_ada.ATTACKS,
    "csharp": attacks_csharp.ATTACKS,
    "d": attacks_d.ATTACKS,
    "fortran": attacks_fortran.ATTACKS,
    "sql": attacks_sql.ATTACKS,
    "scala": attacks_scala.ATTACKS,
    "kotlin": attacks_kotlin.ATTACKS,
    "python3.11": attacks_python.ATTACKS,
}
TESTS = {
    "javascript": attacks_javascript.TESTS,
    "typescript": attacks_javascript.TESTS,
    "java": attacks_java.TESTS,
    "go": attacks_go.TESTS,
    "bash": attacks_bash.TESTS,
    "ruby": attacks_ruby.TESTS,
    "php": attacks_php.TESTS,
    "lua": attacks_lua.TESTS,
    "perl": attacks_perl.TESTS,
    "r": attacks_r.TESTS,
    "octave": attacks_octave.TESTS,
    "racket": attacks_racket.TESTS,
    "elixir": attacks_elixir.TESTS,
    "clojure": attacks_clojure.TESTS,
    "coq": attacks_coq.TESTS,
    "ocaml": attacks_ocaml.TESTS,
    "haskell": attacks_haskell.TESTS,
    "ada": attacks_ada.TESTS,
    "csharp": attacks_csharp.TESTS,
    "d": attacks_d.TESTS,
    "fortran": attacks_fortran.TESTS,
    "sql": attacks_sql.TESTS,
    "scala": attacks_scala.TESTS,
    "kotlin": attacks_kotlin.TESTS,
    "python3.11": attacks_python.TESTS,
}
HONEST = {
    "javascript": honest_javascript.JAVASCRIPT,
    "typescript": honest_javascript.TYPESCRIPT,
    "java": honest_languages.JAVA,
    "go": honest_languages.GO,
    "bash": honest_languages.BASH,
    "ruby": honest_scripts.RUBY,
    "php": honest_scripts.PHP,
    "lua": honest_scripts.LUA,
    "perl": honest_scripts.PERL,
    "r": honest_scripts.R,
    "octave": honest_scripts.OCTAVE,
    "racket": honest_scripts.RACKET,
    "elixir": honest_scripts.ELIXIR,
    "clojure": honest_scripts.CLOJURE,
    "coq": attacks_coq.HONEST,
    "ocaml": honest_compiled.OCAML,
    "haskell": honest_compiled.HASKELL,
    "ada": honest_ada.ADA,
    "csharp": honest_csharp.CSHARP,
    "d": honest_d.D,
    "fortran": honest_fortran.FORTRAN,
    "sql": honest_sql.SQL,
    "scala": honest_scala.SCALA,
    "kotlin": honest_kotlin.KOTLIN,
    "python3.11": attacks_python.HONEST,
}
LIMITS = Limits(wall_seconds=WALL_SECONDS)
# The time for programs that never end is shorter.
SHORT = Limits(wall_seconds=2.5)
ENDLESS = ("a thread that writes", "a short answer", "no answer", "no end")
NO_ENTRY = [
    ("ada", attacks_ada.ATTACKS["a main of its own"][1], "package Tests is\nend Tests;\n"),
    ("csharp", attacks_csharp.ATTACKS["a main of its own"][1], "class Tests { static void Check() {} }\n"),
    ("scala", attacks_scala.ATTACKS["a main of its own"][1], "object Tests { def check(): Unit = () }\n"),
    ("kotlin", attacks_kotlin.ATTACKS["a main of its own"][1], "fun claim() {}\n"),
    ("fortran", attacks_fortran.ATTACKS["a program of its own"][1], "subroutine check\nend subroutine\n"),
]
"""(language, candidate with an entry point, tests without one). D's tests need no `main`."""

# Attacks on tests that could run apart, where they do not.
SHARED = "javascript, shared"
TESTS[SHARED], HONEST[SHARED] = TESTS["javascript"], {}
ATTACKS[SHARED] = {
    name: attack
    for name, attack in attacks_javascript.ATTACKS.items()
    if not LANGUAGES["javascript"].reason_for_candidate((*attack[2:], TESTS[SHARED])[0])
}

SHARED_FORTRAN = "fortran, shared"
TESTS[SHARED_FORTRAN], HONEST[SHARED_FORTRAN] = TESTS["fortran"], {}
ATTACKS[SHARED_FORTRAN] = {
    name: attack
    for name, attack in attacks_fortran.ATTACKS.items()
    if LANGUAGES["fortran"].plain_tests((*attack[2:], TESTS["fortran"])[0])
}

EACH_ATTACK = [(language, name) for language, attacks in ATTACKS.items() for name in attacks]
EACH_SHAPE = [(language, name) for language, shapes in HONEST.items() for name in shapes]


def run_all(name, programs):
    """Return the verdicts on {key: (candidate, tests, limits)}, in a language and a grading."""
    language, _, grading = name.partition(", ")
    pool = language_pool(language)
    # Many attacks have the same honest counterpart.
    different = list(dict.fromkeys(programs.values()))
    made = [build_program(language, *program, grading=grading or "auto") for program in different]
    # Each worker would have a compiler of its own, which gets fast with many programs.
    verdicts = dict(zip(different, pool.run_all(made, 1), strict=True))
    return {key: verdicts[program] for key, program in programs.items()}


@pytest.fixture(scope="module")
def verdicts(request):
    """Return a function (language) -> {(kind, name): verdict} of the programs that tests ask for.

    Those of a language run together.
    """
    asked = {(each["language"], each.get("name")) for each in chosen_parameters(request)}
    known = {}

    def of(language):
        if language not in known:
            programs = {}
            for name, (wrong, honest, *tests) in ATTACKS[language].items():
                if (language, name) in asked:
                    text = tests[0] if tests else TESTS[language]
                    programs["wrong", name] = (wrong, text, SHORT if name in ENDLESS else LIMITS)
                    programs["right", name] = (honest, text, LIMITS)
            for name, (candidate, tests) in HONEST[language].items():
                if (language, name) in asked:
                    programs["shape", name] = (candidate, tests, LIMITS)
            known[language] = run_all(language, programs)
        return known[language]

    return of


@pytest.mark.parametrize(("language", "name"), EACH_ATTACK)
def test_a_wrong_candidate_does_not_pass(verdicts, language, name):
    """A wrong candidate does not pass, whatever else it does."""
    verdict = verdicts(language)["wrong", name]
    assert (verdict.passed, verdict.attempts) == (False, 1), verdict


@pytest.mark.parametrize(("language", "name"), EACH_ATTACK)
def test_its_honest_counterpart_passes(verdicts, language, name):
    """A right candidate that uses the same means without harm passes."""
    verdict = verdicts(language)["right", name]
    assert verdict.passed, (verdict.detail, verdict.stderr)


@pytest.mark.parametrize(("language", "name"), EACH_SHAPE)
def test_a_right_candidate_of_each_shape_passes(verdicts, language, name):
    """A right candidate, as models and benchmarks write it, passes."""
    verdict = verdicts(language)["shape", name]
    assert verdict.passed, (verdict.detail, verdict.stderr)


def test_a_wait_without_end_is_told():
    """The error output of a program whose tests wait for a promise that is never settled reports that."""
    candidate, _, tests = ATTACKS["javascript"]["promise that never settles"]
    [verdict] = run_all("javascript", {"": (candidate, tests, LIMITS)}).values()
    assert verdict.stderr == "the tests wait for a promise that is never settled\n"


def test_an_error_after_an_await_is_told():
    """The detail of tests in JavaScript that fail in an async function has their message."""
    program = attacks_javascript.TIMES, attacks_javascript.MAIN, LIMITS
    [verdict] = run_all("javascript", {"": program}).values()
    assert (verdict.grading, verdict.detail) == ("separate", "ended with status 1: Error: no sum")


@pytest.mark.parametrize(("language", "candidate", "tests"), NO_ENTRY, ids=[language for language, *_ in NO_ENTRY])
def test_tests_without_an_entry_fail(language, candidate, tests):
    """Tests that define no program do not borrow the candidate's."""
    [verdict] = run_all(language, {"": (candidate, tests, LIMITS)}).values()
    assert verdict.outcome.value in ("compile_error", "failed")


def test_tests_without_a_test_fail():
    """Go tests without a test function and without `main` fail every candidate."""
    tests = 'package main\n\nimport "testing"\n\nfunc checkAdd(t *testing.T) {}\n'
    candidate = HONEST["go"]["HumanEvalPack"][0]
    [verdict] = run_all("go", {"": (candidate, tests, LIMITS)}).values()
    assert verdict.detail == "ended with status 1: there is no test"
