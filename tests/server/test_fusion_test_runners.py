"""SandboxFusion's names of test runners, `go_test`, `junit` and `D_ut`, run a file with candidate and tests."""

import pytest

from support.languages import require_languages
from support.server_client import serving

pytestmark = pytest.mark.slow

GO = """\
package main
import "testing"
func add(a, b int) int { return BODY }
func TestAdd(t *testing.T) { if add(2, 3) != 5 { t.Fatal("no sum") } }
func TestZero(t *testing.T) { if add(0, 0) != 0 { t.Fatal("no sum") } }
"""
JAVA = """\
import org.junit.jupiter.api.Test;
import static org.junit.jupiter.api.Assertions.*;
public class Sums {
    public static int add(int a, int b) { return BODY; }
}
class SumsTest {
    @Test void sum() { assertEquals(5, Sums.add(2, 3)); }
    @Test void zero() { assertEquals(0, Sums.add(0, 0)); }
}
"""
D = """\
int add(int a, int b) { return BODY; }
unittest { assert(add(2, 3) == 5); }
unittest { assert(add(0, 0) == 0); }
void main() {}
"""
FILES = [("go_test", GO), ("junit", JAVA), ("D_ut", D)]
EACH = pytest.mark.parametrize(("language", "code"), FILES, ids=[name for name, _ in FILES])


@pytest.fixture(scope="module")
def client():
    """Serve Go, Java and D."""
    require_languages("go", "java", "d")
    with serving(allowed_languages=("go", "java", "d"), max_timeout=60.0) as client:
        yield client


def run_code(client, language, code, **fields):
    """Return the answer for a file."""
    body = {"language": language, "code": code, "compile_timeout": 60, "run_timeout": 20, **fields}
    return client.post("/run_code", json=body)


@EACH
@pytest.mark.parametrize(("body", "status", "code_of_run"), [("a + b", "Success", 0), ("a * b", "Failed", 1)])
def test_tests_decide(client, language, code, body, status, code_of_run):
    """A file whose tests pass is a success, and one with a failure is none."""
    answer = run_code(client, language, code.replace("BODY", body)).json()
    assert answer["status"] == status
    assert answer["run_result"]["return_code"] == code_of_run


def test_compilers_are_told(client):
    """Files of JUnit and D are compiled first, as SandboxFusion tells it. `go test` has no compiler of its own."""
    junit, d, go_test = (
        run_code(client, *program).json()["compile_result"]
        for program in (
            ("junit", JAVA.replace("BODY", "a * b")),
            ("D_ut", D.replace("BODY", "a * b")),
            ("go_test", GO.replace("BODY", "a + b")),
        )
    )
    assert (junit["status"], d["status"], go_test) == ("Finished", "Finished", None)


@EACH
def test_a_compile_error(client, language, code):
    """A file that does not compile has no run."""
    answer = run_code(client, language, code.replace("BODY", "a +")).json()
    assert (answer["status"], answer["run_result"]) == ("Failed", None)
    assert answer["compile_result"]["return_code"] == 1


# A `main` of D's is enough.
@pytest.mark.parametrize(("language", "code"), FILES[:2], ids=["go_test", "junit"])
def test_no_test_is_no_success(client, language, code):
    """A file without a test has not passed."""
    lines = code.replace("BODY", "a + b").splitlines()
    without = "\n".join(line for line in lines if "func Test" not in line and "@Test" not in line)
    assert run_code(client, language, without.replace('import "testing"', "")).json()["status"] == "Failed"


@EACH
def test_leaving_early_is_no_success(client, language, code):
    """A file whose candidate leaves with status 0 has not passed."""
    leaves = {
        "go_test": "func() int { os.Exit(0); return 0 }()",
        "junit": "java.util.Map.of(System.class, 1).size()",
        "D_ut": "() { import core.stdc.stdlib; exit(0); return 0; }()",
    }
    text = code.replace("BODY", leaves[language]).replace('import "testing"', 'import ("testing"; "os")')
    text = text.replace("{ return java", "{ Runtime.getRuntime().halt(0); return java")
    answer = run_code(client, language, text).json()
    assert (answer["status"], answer["run_result"]["return_code"]) == ("Failed", 1)


@EACH
def test_files_are_refused(client, language, code):
    """A file beside it is an error that says where all of the code goes."""
    answer = run_code(client, language, code, files={"a.txt": "YQ=="})
    assert answer.status_code == 400
    assert f"{language} takes no files here" in answer.text
