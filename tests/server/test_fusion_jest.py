"""SandboxFusion's `jest` runs a test file by jest's own command, and its output, status and report are jest's."""

import base64
import json
import uuid

import pytest

from support.languages import require_languages
from support.observers import all_gone
from support.requirements import unavailable
from support.server_client import serving

pytestmark = pytest.mark.slow

TYPESCRIPT = """\
import { describe, expect, test } from '@jest/globals';

interface Pair { a: number; b: number }
function add({ a, b }: Pair): number {
  return BODY;
}

describe('add', () => {
  test('small', () => { expect(add({ a: 2, b: 3 })).toBe(5); });
  test('zero', () => { expect(add({ a: 0, b: 0 })).toBe(0); });
});
"""
JAVASCRIPT = """\
const add = (a, b) => BODY;
describe('add', () => {
  test('small', () => { expect(add(2, 3)).toBe(5); });
  test('zero', () => { expect(add(0, 0)).toBe(0); });
});
"""
EACH = pytest.mark.parametrize("code", [TYPESCRIPT, JAVASCRIPT], ids=["typescript", "javascript"])
FAILURE = """\
  ● add › small

    expect(received).toBe(expected) // Object.is equality

    Expected: 5
    Received: 6
"""
LEAVING = {
    "in a test": "test('a', () => { process.exit(0); });",
    "while it is loaded": "process.exit(0);\ntest('a', () => {});",
    "without a word": "test('a', () => { process.reallyExit(0); });",
    "after a promise": "test('a', async () => { await null; process.exitCode = 0; process.exit(); });",
    "after a failure": "process.on('exit', () => process.reallyExit(0));\ntest('a', () => { expect(1).toBe(2); });",
    "in a hook": "test('a', () => {});\nafterAll(() => { process.exit(0); });",
    "never": "globalThis.setTimeout = () => 0;\ntest('a', () => new Promise(() => {}));",
}
MOCK = """\
import fs, { existsSync } from 'fs';
import { expect, jest, test } from '@jest/globals';
jest.mock('fs', () => ({ existsSync: jest.fn().mockReturnValue(7), default: { constants: 8 }, __esModule: true }));
test('mocked', () => { expect([existsSync('/'), fs.constants]).toEqual([7, 8]); });
"""
FIELDS = "class A { constructor() { this.size = 3; } }\nclass B extends A { size: number; }\n"


@pytest.fixture(scope="module")
def client():
    """Serve JavaScript."""
    require_languages("javascript")
    with serving(allowed_languages=("javascript",), max_timeout=60.0) as client:
        answer = run_code(client, "test('a', () => {});")
        if answer.status_code != 200:
            unavailable(answer.json()["detail"])
        yield client


def run_code(client, code, language="jest", **fields):
    """Return the response for a file."""
    return client.post("/run_code", json={"language": language, "code": code, "run_timeout": 30, **fields})


def end_of(client, code, **fields):
    """Return (status, how the run ended) of a file."""
    answer = run_code(client, code, **fields).json()
    assert answer["compile_result"] is None, answer
    return answer["status"], answer["run_result"]


@EACH
def test_a_file_that_passes(client, code):
    """A file whose tests pass is a success, with jest's output."""
    status, run = end_of(client, code.replace("BODY", "a + b"))
    assert (status, run["return_code"]) == ("Success", 0)
    assert run["stderr"].startswith("PASS ./candidate.test.ts\n")
    assert "Tests:       2 passed, 2 total\n" in run["stderr"]


@EACH
def test_a_file_that_fails(client, code):
    """A file with a failed test is none, and jest's output shows the line of the file."""
    status, run = end_of(client, code.replace("BODY", "a * b"))
    assert (status, run["return_code"]) == ("Failed", 1)
    assert FAILURE in run["stderr"]
    line = next(line for line in run["stderr"].splitlines() if line.startswith("    >"))
    number = next(number for number, text in enumerate(code.splitlines(), 1) if "'small'" in text)
    assert line.replace(" ", "").startswith(f">{number}|")


def test_the_report(client):
    """Jest's report can be fetched, with a result of each test."""
    answer = run_code(client, TYPESCRIPT.replace("BODY", "a * b"), fetch_files=["jest-report.json"]).json()
    [suite] = json.loads(base64.b64decode(answer["files"]["jest-report.json"]))["testResults"]
    assert suite["testFilePath"].endswith("/candidate.test.ts")
    assert [(test["fullName"], test["status"]) for test in suite["testResults"]] == [
        ("add small", "failed"),
        ("add zero", "passed"),
    ]


def test_files_of_the_project(client):
    """Files lie beside the test file, which imports them, and test files among them run too."""
    texts = {
        "sums.ts": "export const add = (a: number, b: number): number => a + b;\n",
        "more.test.js": "import { add } from './sums';\ntest('b', () => { expect(add(1, 1)).toBe(3); });\n",
        "package.json": '{"type": "module", "jest": {"testMatch": []}}',
    }
    files = {name: base64.b64encode(text.encode()).decode() for name, text in texts.items()}
    code = "import { add } from './sums';\ntest('a', () => { expect(add(1, 1)).toBe(2); });\n"
    status, run = end_of(client, code, files=files)
    assert (status, "Tests:       1 failed, 1 passed, 2 total" in run["stderr"]) == ("Failed", True)


@pytest.mark.parametrize(
    "code",
    [MOCK, FIELDS + "test('a', () => { expect(new B().size).toBe(3); });"],
    ids=["mocks of modules", "fields without a value"],
)
def test_meanings_of_babel_s(client, code):
    """Mocks are set up before the imports, and fields without a value are types, as with SandboxFusion's compiler."""
    status, run = end_of(client, code)
    assert status == "Success", run["stderr"]


def test_a_syntax_error(client):
    """A file that is no TypeScript fails, with the place."""
    status, run = end_of(client, "test('a', () => { expect(1) toBe(1); });\n")
    assert (status, run["return_code"]) == ("Failed", 1)
    assert "Test suite failed to run" in run["stderr"]
    assert "candidate.test.ts(1,29): error" in run["stderr"]


def test_no_test_is_no_success(client):
    """A file without a test has not passed."""
    status, run = end_of(client, "export const a = 1;\n")
    assert (status, "must contain at least one test" in run["stderr"]) == ("Failed", True)


@pytest.mark.parametrize("code", LEAVING.values(), ids=LEAVING.keys())
def test_leaving_early_is_no_success(client, code):
    """A file that leaves with status 0, and whose tests have not passed, has failed."""
    status, run = end_of(client, code)
    assert (status, run["return_code"]) == ("Failed", 1)


def test_limits_hold(client):
    """A test that never ends has timed out, and the next one runs."""
    status, run = end_of(client, "test('a', () => { for (;;) {} });", run_timeout=3)
    assert (status, run["status"]) == ("Failed", "TimeLimitExceeded")
    assert end_of(client, "test('a', () => {});")[0] == "Success"


def test_no_process_is_left(client):
    """A process that a test starts and leaves alone ends with the run."""
    code = """\
    const { spawn } = require('child_process');
    test('a', (done) => {
      const child = spawn(process.execPath, ['-e', "console.log(1); setInterval(() => {}, 9)", MARKER],
        { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
      child.unref();
      child.stdout.once('data', () => { child.stdout.destroy(); done(); });
    });
    """
    marker = f"left-by-jest-{uuid.uuid4()}"
    assert end_of(client, code.replace("MARKER", f"'{marker}'"))[0] == "Success"
    assert all_gone(marker)


def test_nothing_is_stored_outside(client):
    """Jest stores nothing outside of the program's folder, where it stores its map of files."""
    code = """\
    const fs = require('fs');
    const os = require('os');
    const list = (folder) => fs.existsSync(folder) ? fs.readdirSync(folder) : [];
    test('a', () => {
      console.log(JSON.stringify([list(os.tmpdir()), list(os.homedir()).filter((name) => name !== '.jest')]));
      console.log(JSON.stringify([fs.readdirSync('.jest').length > 0]));
    });
    """
    run = end_of(client, code)[1]
    found = [json.loads(line) for line in run["stdout"].splitlines() if line.strip().startswith("[")]
    assert found[1] == [True]
    assert not [name for names in found[0] for name in names if "jest" in name and name != "jest-report.json"]


@pytest.mark.languages("javascript")
def test_jest_is_missing(tmp_path_factory):
    """Where jest is missing no test has failed: the request is refused, and the error says what to install."""
    folder = tmp_path_factory.mktemp("commands")
    for name in ("sh", "node"):
        (folder / name).symlink_to(f"/usr/bin/{name}")
    folder.chmod(0o755)
    options = {"env": {"PATH": str(folder)}, "read_only_paths": [str(folder)]}
    with serving(allowed_languages=("javascript",), options=options) as client:
        answer = run_code(client, "test('a', () => {});")
    assert answer.status_code == 504
    assert "can't run tests for jest (jest is not installed); install Debian's package jest" in answer.json()["detail"]
