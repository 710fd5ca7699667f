"""Java records of CodeCorrectness whose tests use Mockito or Hamcrest."""

from dataclasses import replace

import pytest

from code_tasks.correctness import CorrectnessChecker, Record
from code_tasks.correctness.java import LIBRARIES, used_libraries
from sandboxes import SandboxUnavailable
from support.correctness_programs import JAVA, JUNIT_5, MOCKITO, SHOP, SHOP_TEST
from support.languages import require_languages
from support.requirements import WALL_SECONDS, unavailable

pytestmark = [pytest.mark.slow, pytest.mark.languages]

SECONDS = 6 * WALL_SECONDS
HAMCREST = SHOP_TEST % (
    "",
    "@Test void f() { org.hamcrest.MatcherAssert.assertThat(new Shop(n -> 2).total(), org.hamcrest.Matchers.is(%s)); }",
)
UNUSED = 'when(prices.of("b")).thenReturn(1);'
EXTENDED = SHOP_TEST % ("@ExtendWith(MockitoExtension.class)", "@Mock Shop.Prices prices; @Test void f() { %s }")
LENIENT = EXTENDED.replace("@ExtendWith(MockitoExtension.class)", "@MockitoSettings(strictness = Strictness.LENIENT)")
PARAMETER = SHOP_TEST % (
    "@MockitoSettings",
    '@Test void f(@Mock Shop.Prices prices) { when(prices.of("a")).thenReturn(4); '
    'assertEquals(%s, new Shop(prices).total("a")); }',
)
NESTED = SHOP_TEST % (
    "@ExtendWith(MockitoExtension.class)",
    "@Mock Shop.Prices prices; @Nested class Inner { @Mock Shop.Prices inner; "
    '@Test void f() { assertEquals(%s, prices.of("a") + inner.of("a")); } }',
)
FINAL = SHOP_TEST % ("", "@Test void f() { mock(Shop.class); }")
NEWER = [
    "@Test void f() { try (var shop = mockStatic(Shop.class)) {} }",
    "@Test void f() { try (MockedStatic<Shop> shop = null) {} }",
    "@Test void f() { verifyNoInteractions(mock(Shop.class)); }",
    "@BeforeEach void f() { MockitoAnnotations.openMocks(this); } @Test void g() {}",
    "@Mock(strictness = Mock.Strictness.LENIENT) Shop.Prices prices; @Test void f() {}",
]
NO_SUCH_NAME = SHOP_TEST % ("", "@Test void f() { mock(Shop.class).nothing(); }")

LABELLED = {
    **{f"{name}, {label}": (code, label) for name, tests in MOCKITO.items() for label, code in tests.items()},
    "extension": (EXTENDED % 'assertEquals(0, prices.of("a"));', "success"),
    "extension, failing test": (EXTENDED % 'assertEquals(1, prices.of("a"));', "failed"),
    "strict by default": (EXTENDED % UNUSED, "failed"),
    "lenient": (LENIENT % UNUSED, "success"),
    "parameter": (PARAMETER % 4, "success"),
    "parameter, failing test": (PARAMETER % 5, "failed"),
    "nested": (NESTED % 0, "success"),
    "nested, failing test": (NESTED % 1, "failed"),
    "Hamcrest with JUnit 5": (HAMCREST % 0, "success"),
    "Hamcrest with JUnit 5, failing test": (HAMCREST % 1, "failed"),
    "not a name of Mockito": (NO_SUCH_NAME, "failed"),
}
TOO_OLD = {"final": FINAL, **{f"newer {number}": SHOP_TEST % ("", code) for number, code in enumerate(NEWER)}}


@pytest.fixture(scope="module")
def checked():
    """Provide the checked records by name, which are run together for speed."""
    codes = {name: code for name, (code, _) in LABELLED.items()} | TOO_OLD
    focal = {"final": SHOP.replace("public class", "public final class")}
    records = [Record(name, focal.get(name, SHOP), code, "java", "") for name, code in codes.items()]
    require_languages("java")
    found = CorrectnessChecker(timeout=SECONDS, compile_timeout=SECONDS, progress=False).check(records)
    for each in found:
        if isinstance(each.results[0], SandboxUnavailable):
            unavailable(each.problem)
    return {each.record.id: each for each in found}


@pytest.mark.parametrize("name", LABELLED)
def test_labels(checked, name):
    """Mocks, runners, the extension for JUnit 5 and Hamcrest's matchers work as their documentation says."""
    assert checked[name].label == LABELLED[name][1], checked[name]


@pytest.mark.parametrize("name", TOO_OLD)
def test_older_mockito(checked, name):
    """A test for a newer Mockito than the installed one says nothing about the code, and gets no label."""
    assert checked[name].label is None, checked[name]
    assert "the installed version" in checked[name].problem


def test_missing_jar(monkeypatch):
    """Without its jar, records with Mockito are the sandbox's failure, which says what to install; others are run."""
    monkeypatch.setitem(LIBRARIES, "Mockito", replace(LIBRARIES["Mockito"], jars=("nothing-of-that-name.jar",)))
    records = [Record("1", SHOP, FINAL, "java", "failed"), Record("2", JAVA, JUNIT_5, "java", "success")]
    require_languages("java")
    checker = CorrectnessChecker(timeout=SECONDS, compile_timeout=SECONDS, progress=False)
    lacking, other = checker.check(records, repeats=2)
    assert [type(result) for result in lacking.results] == [SandboxUnavailable] * 2
    assert (lacking.label, lacking.agrees, other.label) == (None, None, "success")
    assert lacking.problem == (
        "java records need Mockito, which the subprocess sandbox does not have: install Debian's package "
        'libmockito-java, or use sandbox="docker" with an image that has it'
    )


@pytest.mark.parametrize(
    ("test_code", "names"),
    [
        ("import org.mockito.Mock;", ("Mockito",)),
        ("import static org.mockito.Mockito.*;", ("Mockito",)),
        ("class T { Object x = org.mockito.Mockito.mock(T.class); }", ("Mockito",)),
        ("import static org.hamcrest.Matchers.is;\nimport org.mockito.*;", ("Mockito", "Hamcrest")),
        ("// import org.mockito.Mock;\nclass T {}", ()),
    ],
)
def test_libraries_of_a_record(test_code, names):
    """A record uses the libraries whose packages its code or its test names outside of comments."""
    assert used_libraries(Record("1", "class C {}", test_code, "java", "")) == names
    assert used_libraries(Record("1", test_code, "class T {}", "java", "")) == names
