"""The files that a candidate and its tests make, by language, with the file that writes the seal."""

from __future__ import annotations

import re
import secrets

from sandboxes.go_packages import MAIN_FILE as GO_MAIN_FILE
from sandboxes.go_packages import SEAL_FILE as GO_SEAL_FILE

JAVA_IMPORT = re.compile(r"^[ \t]*import\s+[\w.*\s]+;[ \t]*$", re.MULTILINE)
JAVA_PACKAGE = re.compile(r"^[ \t]*package\s+([\w.]+)\s*;[ \t]*$", re.MULTILINE)
JAVA_PUBLIC = re.compile(
    r"^[ \t]*public\s+(?:(?:final|abstract|sealed|strictfp)\s+)*(?:class|interface|enum|record)\s+(\w+)", re.M
)
JAVA_TYPE = re.compile(r"\b(?:class|interface|enum|record)\s+(\w+)")
JAVA_MAIN = re.compile(r"\bstatic\s+(?:final\s+)?void\s+main\s*\(")
GO_PACKAGE = re.compile(r"^package\s+\w+[ \t]*;?[ \t]*$", re.MULTILINE)
GO_IMPORT = re.compile(r"^import\s+(?:\(([^)]*)\)|([^\n(]+))", re.MULTILINE)
GO_TEST = re.compile(r"^func\s+(Test\w*)\s*\(\s*\w+\s+\*testing\.T\s*\)", re.MULTILINE)
ES_MODULE = re.compile(r"^\s*(?:import\s+[\w{*\"']|export\s)", re.MULTILINE)

# What is run: named in these files of the program's folder.
JAVA_LIST_FILE, JAVA_MAIN_FILE, NODE_FILE = "code_eval_files", "code_eval_main", "code_eval_run.js"

# Each runs the program, and if it ends well copies its own input, which is the seal, to its output. Where the language
# allows it, that is taken before the program's first line, and is then not there any more.
JAVA_SEAL = """\
public class CodeEvalSeal {
    public static void main(String[] arguments) throws Throwable {
        java.io.PrintStream out = System.out;
        byte[] seal = System.in.readAllBytes();
        new java.io.FileOutputStream(java.io.FileDescriptor.in).getChannel().truncate(0);
        java.lang.reflect.Method main = Class.forName("%s").getDeclaredMethod("main", String[].class);
        main.setAccessible(true);
        try {
            main.invoke(null, (Object) new String[0]);
        } catch (java.lang.reflect.InvocationTargetException error) {
            throw error.getCause();
        }
        System.out.flush();
        out.write(seal, 0, seal.length);
        out.flush();
    }
}
"""
# The first file of the candidate's package: so its variable has a value before the candidate does anything. The name is
# drawn for each program, so that no candidate has it.
GO_SEAL_OF_CODE = """\
package %s

import (
	codeEvalIO "io"
	codeEvalOS "os"
)

var %s = func() []byte {
	seal, _ := codeEvalIO.ReadAll(codeEvalOS.Stdin)
	codeEvalOS.Stdin.Truncate(0)
	return seal
}()
"""
GO_SEAL = """\
package main

import (
	"os"
	"testing"
	"testing/internal/testdeps"

	candidate "candidate"
)

func main() {
	stdout := os.Stdout
	tests := []testing.InternalTest{%s}
	status := testing.MainStart(testdeps.TestDeps{}, tests, nil, nil, nil).Run()
	if status == 0 {
		stdout.Write(candidate.%s)
	}
	os.Exit(status)
}
"""
JAVASCRIPT_SEAL = """\
const fs = require("fs");
const write = fs.writeSync;
const seal = fs.readFileSync(0);
fs.ftruncateSync(0);
const said = console.assert;
console.assert = (condition, ...words) => {
  said.call(console, condition, ...words);
  if (!condition) process.exitCode = 1;
};
let sealed = false;
process.on("beforeExit", () => {
  if (!sealed && !process.exitCode) write(1, seal);
  sealed = true;
});
%s
"""
BASH_SEAL = """\
. ./candidate.sh
status=$?
[ "$status" -eq 0 ] && cat
exit "$status"
"""
# Types are taken away and not checked, as the compilers of test runners do it: that takes a tenth of the time.
TRANSPILE = """\
const fs = require("fs");
const folders = ["/usr/share/nodejs/", "/usr/lib/node_modules/", "/usr/local/lib/node_modules/"];
const ts = require(folders.map((folder) => folder + "typescript").find((path) => fs.existsSync(path)) || "typescript");
const { outputText, diagnostics } = ts.transpileModule(fs.readFileSync("candidate.ts", "utf8"), {
  fileName: "candidate.ts",
  reportDiagnostics: true,
  compilerOptions: { module: "commonjs", target: "es2020", esModuleInterop: true },
});
const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => "", getNewLine: () => "\\n" };
process.stderr.write(ts.formatDiagnostics(diagnostics, host));
if (diagnostics.length) process.exit(1);
fs.writeFileSync("candidate.js", outputText);
"""


def java_files(candidate: str, tests: str) -> dict[str, str]:
    """Java's files are named by their public type. Each part has the imports of both."""
    files, main = java_parts([candidate, tests])
    listed = [*files, "CodeEvalSeal.java"]
    return {
        **files,
        "CodeEvalSeal.java": JAVA_SEAL % main,
        JAVA_LIST_FILE: "\n".join(listed) + "\n",
        JAVA_MAIN_FILE: "CodeEvalSeal\n",
    }


def java_script_files(candidate: str, tests: str) -> dict[str, str]:
    """The candidate alone, whose `main` is run."""
    files, main = java_parts([candidate])
    return {**files, JAVA_LIST_FILE: "\n".join(files) + "\n", JAVA_MAIN_FILE: main + "\n"}


def java_parts(texts: list[str]) -> tuple[dict[str, str], str]:
    """(files of the parts of a program, the class whose `main` is the last)."""
    imports = list(dict.fromkeys(found[0].strip() for text in texts for found in JAVA_IMPORT.finditer(text)))
    files, main = {}, "Main"
    for number, text in enumerate(text for text in texts if text.strip()):
        package = JAVA_PACKAGE.search(text)
        body = JAVA_IMPORT.sub("", JAVA_PACKAGE.sub("", text))
        found = JAVA_PUBLIC.search(body) or JAVA_TYPE.search(body)
        name = found[1] if found else f"Part{number}"
        path = f"{name}.java" if f"{name}.java" not in files else f"part{number}/{name}.java"
        files[path] = (f"package {package[1]};\n" if package else "") + "\n".join(imports) + "\n" + body
        if begins := JAVA_MAIN.search(body):
            in_class = class_around(body[: begins.start()])
            main = f"{package[1]}.{in_class}" if package else in_class
    return files, main


def class_around(before: str) -> str:
    """The outermost type that is open at the end of a text."""
    outermost = [
        found[1]
        for found in JAVA_TYPE.finditer(before)
        if before.count("{", 0, found.start()) == before.count("}", 0, found.start())
    ]
    return outermost[-1] if outermost else "Main"


def go_files(candidate: str, tests: str) -> dict[str, str]:
    """One file of both parts, with the imports of both once, and the program that runs its tests."""
    imports = list(dict.fromkeys(line for text in (candidate, tests) for line in go_imports(text)))
    bodies = [GO_IMPORT.sub("", GO_PACKAGE.sub("", text, count=1)) for text in (candidate, tests)]
    names = [name for body in bodies for name in GO_TEST.findall(body)]
    source = "package candidate\n\nimport (\n" + "".join(f"\t{line}\n" for line in imports) + ")\n" + "\n".join(bodies)
    listed, seal = ", ".join(f'{{"{name}", candidate.{name}}}' for name in names), go_seal_name()
    return {
        "candidate.go": source,
        GO_SEAL_FILE: GO_SEAL_OF_CODE % ("candidate", seal),
        GO_MAIN_FILE: GO_SEAL % (listed, seal),
    }


def go_seal_name() -> str:
    """A name for the variable that has the seal."""
    return f"Seal{secrets.token_hex(16)}"


def go_script_files(candidate: str, tests: str) -> dict[str, str]:
    """The candidate alone, which is a program."""
    return {"candidate.go": candidate}


def go_imports(text: str) -> list[str]:
    """What a Go text imports: 'name "path"' each."""
    groups = [block or single for block, single in GO_IMPORT.findall(text)]
    lines = [re.sub(r"//.*", "", line).strip().rstrip(";") for group in groups for line in re.split(r"[\n;]", group)]
    return [line for line in lines if line]


def javascript_files(candidate: str, tests: str) -> dict[str, str]:
    """One file of both parts; one that imports or exports is a module."""
    files, statement = javascript_parts(candidate + "\n" + tests)
    return {**files, NODE_FILE: JAVASCRIPT_SEAL % statement}


def javascript_script_files(candidate: str, tests: str) -> dict[str, str]:
    """The candidate alone."""
    files, statement = javascript_parts(candidate)
    return {**files, NODE_FILE: statement + "\n"}


def javascript_parts(source: str) -> tuple[dict[str, str], str]:
    """(the file of a program, the statement that runs it)."""
    if ES_MODULE.search(source):
        return {"candidate.mjs": source}, 'import("./candidate.mjs");'
    return {"candidate.js": source}, 'require("./candidate.js");'


def typescript_files(candidate: str, tests: str) -> dict[str, str]:
    """One file of both parts, which becomes candidate.js."""
    return {**typescript_parts(candidate + "\n" + tests), NODE_FILE: JAVASCRIPT_SEAL % 'require("./candidate.js");'}


def typescript_script_files(candidate: str, tests: str) -> dict[str, str]:
    """The candidate alone."""
    return {**typescript_parts(candidate), NODE_FILE: 'require("./candidate.js");\n'}


def typescript_parts(source: str) -> dict[str, str]:
    """A program, and what makes candidate.js of it."""
    return {"candidate.ts": source, "code_eval_transpile.js": TRANSPILE}


def bash_files(candidate: str, tests: str) -> dict[str, str]:
    """One file of both parts."""
    return {"candidate.sh": candidate + "\n" + tests, "code_eval_seal.sh": BASH_SEAL}
