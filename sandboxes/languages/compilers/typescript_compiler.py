"""The TypeScript compiler, and a snapshot of Node with it loaded, which is made once. Used by `javascript`.

Most of the compiler's time goes into loading itself, and the declarations of the language's library.
"""

from __future__ import annotations

import glob
import hashlib
import json
import os
import shutil
import tempfile
from functools import lru_cache
from pathlib import Path

from sandboxes.backends.host_state import PROGRAM_PATH, QUICK_FOLDERS
from sandboxes.errors import SandboxUnavailable
from sandboxes.languages.base import TESTS_FOLDER
from sandboxes.languages.compilers.quick_builds import REFUSED_STATUS, folder_states, prepare, prepared_path, run_tool

TRANSPILE_FILE = "code_eval_transpile.js"

CHECKED_FILE = "code_eval_checked.ts"
"""The file whose types are checked, if there is one."""

SNAPSHOT = "typescript.blob"
LIBRARIES = tuple(sorted(glob.glob("/usr/lib/*/libnode.so.*")))
"""The files of Node in Debian, beside its command."""

FOLDERS = ("/usr/share/nodejs/", "/usr/lib/node_modules/", "/usr/local/lib/node_modules/")

# Types are removed and not checked, as in the compilers of test runners. That takes a tenth of the time. Candidate and
# tests may import the same name, so the variables of imports are declared by `var`.
TRANSPILE_FILES = """\
const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => "", getNewLine: () => "\\n" };
const report = (diagnostics) => {
  process.stderr.write(ts.formatDiagnostics(diagnostics, host));
  if (diagnostics.length) process.exit(refused);
};
if (fs.existsSync(checked)) {
  const program = ts.createProgram([checked], options, compilerHost);
  const source = program.getSourceFile(checked);
  report([...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]);
  fs.unlinkSync(checked);
}
for (const name of ["candidate", "tests"].filter((name) => fs.existsSync(`${name}.ts`))) {
  const { outputText, diagnostics } = ts.transpileModule(fs.readFileSync(`${name}.ts`, "utf8"), {
    fileName: `${name}.ts`,
    reportDiagnostics: true,
    compilerOptions: { module: "commonjs", target: "es2020", esModuleInterop: true },
  });
  report(diagnostics);
  const imports = /^const (\\w+ = (?:__importStar\\(|__importDefault\\()?require\\()/gm;
  const isApart = name === "tests" && fs.existsSync(testsFolder);
  if (isApart) fs.unlinkSync("tests.ts");
  fs.writeFileSync(`${isApart ? testsFolder : "."}/${name}.js`, outputText.replace(imports, "var $1"));
}
"""

FIND_PACKAGE = f"""\
const fs = require("fs");
const folders = {json.dumps(FOLDERS)};
const found = folders.map((folder) => folder + "typescript").find((path) => fs.existsSync(path));
"""
FIND_TYPESCRIPT = f'{FIND_PACKAGE}const ts = require(found || "typescript");\n'
FILES = f'const checked = "{CHECKED_FILE}";\nconst testsFolder = "{TESTS_FOLDER}";\n'
OPTIONS = "const options = { target: ts.ScriptTarget.ESNext, types: [] };\n"
TRANSPILE = f"{FIND_TYPESCRIPT}{FILES}{OPTIONS}const compilerHost = undefined;\nconst refused = 1;\n" + TRANSPILE_FILES

# A script that makes a snapshot can require Node's own modules alone. The declarations of the language's library, which
# are most of what a check of types reads, are then in the snapshot.
LOAD = """\
const path = found + "/lib/typescript.js";
const module_ = { exports: {} };
const load = new Function("module", "exports", "require", "__filename", "__dirname", fs.readFileSync(path, "utf8"));
load(module_, module_.exports, require, path, found + "/lib");
const ts = module_.exports;
"""
KEEP_LIBRARY = """\
const library = new Map();
function hostWithLibrary() {
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile;
  host.getSourceFile = (name, ...rest) => {
    if (!name.startsWith(found + "/lib/")) return read(name, ...rest);
    if (!library.has(name)) library.set(name, read(name, ...rest));
    return library.get(name);
  };
  return host;
}
const source = "const twice = async (x: number): Promise<number[]> => [x, x].map((each) => 2 * each);";
fs.writeFileSync("sample.ts", source);
const sample = ts.createProgram(["sample.ts"], options, hostWithLibrary());
sample.getSemanticDiagnostics(sample.getSourceFile("sample.ts"));
ts.transpileModule(source, { compilerOptions: { module: "commonjs", target: "es2020", esModuleInterop: true } });
"""
MAIN = 'require("v8").startupSnapshot.setDeserializeMainFunction(() => {\nconst compilerHost = hostWithLibrary();\n'
MAKE_SNAPSHOT = (
    f"{FIND_PACKAGE}{FILES}{LOAD}{OPTIONS}{KEEP_LIBRARY}const refused = {REFUSED_STATUS};\n{MAIN}{TRANSPILE_FILES}"
    + "});\n"
)


@lru_cache(maxsize=1)
def snapshot_folder() -> str:
    """Return the name of the snapshot's folder, which depends on Node and on the compiler.

    Raises:
        SandboxUnavailable: if one of them is not installed.
    """
    path = shutil.which("node", path=PROGRAM_PATH)
    compilers = [f"{folder}typescript/lib/typescript.js" for folder in FOLDERS]
    found = folder_states(*compilers)
    if path is None or not found:
        raise SandboxUnavailable("node or the package typescript is not installed")
    state = (folder_states(os.path.realpath(path), *LIBRARIES), found, MAKE_SNAPSHOT)
    return f"{QUICK_FOLDERS}typescript-{hashlib.sha256(repr(state).encode()).hexdigest()[:12]}"


def snapshot_path() -> str:
    """Return the path of the snapshot; "" if there is no compiler here."""
    return prepared_path(snapshot_folder, SNAPSHOT)


def prepare_snapshot() -> tuple[str, ...]:
    """Return the folder of the snapshot, which programs must see. The first call makes the snapshot."""

    def compile_into(partial: Path, folder: Path) -> None:
        with tempfile.TemporaryDirectory() as work:
            Path(work, "snapshot.js").write_text(MAKE_SNAPSHOT)
            run_tool("node", "--snapshot-blob", str(partial / SNAPSHOT), "--build-snapshot", "snapshot.js", folder=work)

    return prepare(snapshot_folder, compile_into)
