"""SandboxFusion's language `jest`: files of one test file that jest runs, with a project around it.

Jest's own command runs in the process that starts, without workers. It finds every test file in the program's folder.
Its transformer is TypeScript's compiler, which needs no package beside jest. What jest stores stays in that folder.
"""

from __future__ import annotations

import json

from fastapi import Request

from code_tasks.server.foreign.programs import execute, make_raw_run, raw_limits
from code_tasks.server.protocols.texts import decoded, encoded
from code_tasks.server.request_state import service_of
from sandboxes import SandboxUnavailable
from sandboxes.languages.apart.javascript_jest_runner import FIND_JEST, HINT
from sandboxes.languages.compilers.typescript_compiler import FIND_TYPESCRIPT

TEST_FILE = "candidate.test.ts"
TRANSFORMER_FILE, REPORTER_FILE = "code_eval_transformer.js", "code_eval_reporter.js"
PROJECT_FILE = "package.json"

REPORT_FILE = "jest-report.json"
"""The file with jest's results, which clients of SandboxFusion fetch."""

CONFIG = {
    "cache": False,
    "cacheDirectory": "<rootDir>/.jest",
    "haste": {"forceNodeFilesystemAPI": True},
    "testResultsProcessor": f"<rootDir>/{REPORTER_FILE}",
    "transform": {r"\.[jt]sx?$": f"<rootDir>/{TRANSFORMER_FILE}"},
    "watchman": False,
}

# A test that leaves, or a listener of a test's, would end jest with the status that it likes.
JEST_SOURCE = f"""\
"use strict";
const fs = require("fs");
const path = require("path");
{FIND_JEST}
if (!command) {{
  console.error("jest is not installed");
  process.exit(1);
}}
require("./{TRANSFORMER_FILE}");
const reporter = require("./{REPORTER_FILE}");
const {{ reallyExit }} = process;
process.reallyExit = (status) => reallyExit.call(process, status || (reporter.hasPassed ? 0 : 1));
process.on("exit", () => {{
  if (!reporter.hasPassed) process.exitCode = process.exitCode || 1;
}});
process.env.FORCE_COLOR = "0";
process.argv.splice(1, process.argv.length, command, "--runInBand", "--config", {json.dumps(json.dumps(CONFIG))});
require(fs.realpathSync(command));
"""
"""The program, in JavaScript, that runs the test files of its folder as the command `jest` does."""

# Mocks of modules are set up before the imports, as by jest's own transformer. Fields without a value are types.
TRANSFORMER = f"""\
"use strict";
{FIND_TYPESCRIPT}
const compilerOptions = {{
  module: ts.ModuleKind.CommonJS,
  target: ts.ScriptTarget.ES2022,
  esModuleInterop: true,
  sourceMap: true,
  useDefineForClassFields: false,
}};
const getCurrentDirectory = () => process.cwd();
const host = {{ getCanonicalFileName: (name) => name, getCurrentDirectory, getNewLine: () => "\\n" }};
const MOCKING = ["deepUnmock", "disableAutomock", "enableAutomock", "mock", "unmock"];

function mocks(statement) {{
  let call = ts.isExpressionStatement(statement) && statement.expression;
  if (!call || !ts.isCallExpression(call)) return false;
  while (ts.isCallExpression(call)) {{
    const callee = call.expression;
    if (!ts.isPropertyAccessExpression(callee) || !MOCKING.includes(callee.name.text)) return false;
    call = callee.expression;
  }}
  return ts.isIdentifier(call) && call.text === "jest";
}}

const importsJest = (statement) =>
  ts.isImportDeclaration(statement) && statement.moduleSpecifier.text === "@jest/globals";
const rank = (statement) => (importsJest(statement) ? 0 : mocks(statement) ? 1 : 2);
const before = [() => (source) => {{
  const statements = [...source.statements].sort((one, other) => rank(one) - rank(other));
  return ts.factory.updateSourceFile(source, statements);
}}];

exports.process = (text, fileName) => {{
  const options = {{ fileName, reportDiagnostics: true, compilerOptions, transformers: {{ before }} }};
  const {{ outputText, sourceMapText, diagnostics }} = ts.transpileModule(text, options);
  const error = new SyntaxError(ts.formatDiagnostics(diagnostics, host));
  // Jest shows the line that throws, which is here.
  error.stack = error.message;
  if (diagnostics.length) throw error;
  return {{ code: outputText, map: sourceMapText }};
}};
"""

REPORTER = f"""\
"use strict";
const fs = require("fs");
module.exports = (results) => {{
  fs.writeFileSync("{REPORT_FILE}", JSON.stringify(results));
  module.exports.hasPassed = results.success;
  return results;
}};
"""

CANARY = "test('canary', () => { const sum: number = 2 + 3; expect(sum).toBe(5); });\n"


def jest_files(code: str) -> dict[str, bytes]:
    """Return the files beside JEST_SOURCE, by name. A request's own project would be in their way.

    Args:
        code: the test file, in TypeScript or JavaScript.
    """
    own = {TRANSFORMER_FILE: TRANSFORMER, REPORTER_FILE: REPORTER, PROJECT_FILE: "{}\n"}
    return {TEST_FILE: encoded(code)} | {name: encoded(text) for name, text in own.items()}


async def require_jest(request: Request) -> None:
    """Run a test that passes, unless one has passed before.

    Raises:
        SandboxUnavailable: if it does not pass, so that nothing is known about any other test.
        QueueFull, ShuttingDown: if it was not run to its end.
    """
    service = service_of(request)
    if "jest" in service.test_runners:
        return
    settings = service.settings
    limits = raw_limits(service, settings.max_timeout, settings.max_memory_mb << 20)
    files = jest_files(CANARY)
    run = make_raw_run(service, JEST_SOURCE, "javascript", limits, settings.max_compile_timeout, files=files)
    end = (await execute(request, run)).run
    if end is None or not end.succeeded:
        reason = " ".join(decoded(end.stderr).split())[:300] or end.detail if end else "it has not run"
        raise SandboxUnavailable(
            f"the sandbox of this server can't run tests for jest ({reason}); {HINT}, and Debian's node-typescript"
        )
    service.test_runners.add("jest")
