"""Runs the official graders of benchmarks whose tests are cases, for `official_grader.py`.

Graders that want a service, such as Docker, get a stand-in that runs the same commands in a folder. CodeContests and
xCodeEval have sandboxes that can't be had here: their comparison is theirs, and programs are run as they run them.
"""

import ast
import asyncio
import importlib
import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap
import types

from stand_ins import CommandTimeoutError, Container, RuntimeModule, SandboxClient, package, unpack

OPEN_R1 = "src/open_r1/rewards.py"
SECONDS = {"codecontests": 10, "xcodeeval": 6}
DEEPCODER_PARTS = ("codeforces", "livecodebench")
COMPARISON = """
#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
FUNCTIONS
int main(int argc, char** argv) { std::cout << OutputsMatch(argv[1], argv[2]); }
"""


def load(benchmark, folder):
    """Return what `grade` needs of a grader."""
    return LOADERS[benchmark.partition("/")[0]](folder)


def load_codecontests(folder):
    """Compile the comparison of CodeContests. Return the program's path."""
    with open(os.path.join(folder, "execution/tester_sandboxer.cc"), encoding="utf-8") as file:
        text = file.read()
    names = "std::vector<std::string> SplitAndLowercase", "bool ValuesMatch", "bool OutputsMatch"
    functions = [re.search(rf"^{re.escape(name)}\(.*?^}}$", text, re.MULTILINE | re.DOTALL)[0] for name in names]
    source = os.path.join(tempfile.mkdtemp(), "match.cc")
    with open(source, "w", encoding="utf-8") as file:
        file.write(COMPARISON.replace("FUNCTIONS", "\n".join(functions)))
    libraries = ["-labsl_strings", "-labsl_strings_internal", "-labsl_throw_delegate", "-labsl_raw_logging_internal"]
    subprocess.run(["g++", "-std=c++17", source, "-o", source[:-3], *libraries, "-labsl_int128"], check=True)
    return source[:-3]


def load_xcodeeval(folder):
    """Return the function of ExecEval that compares two outputs."""
    with open(os.path.join(folder, "execution_engine/execution_engine.py"), encoding="utf-8") as file:
        tree = ast.parse(file.read())
    [function] = [node for node in tree.body if getattr(node, "name", "") == "init_validate_outputs"]
    space = {"gmpy2": importlib.import_module("gmpy2")}
    exec(ast.unparse(function), space)  # noqa: S102 (a grader's own text)
    return space["init_validate_outputs"]()


def load_verifiable_coding(folder):
    """Return the script that open-r1 sends to its sandbox."""
    with open(os.path.join(folder, OPEN_R1), encoding="utf-8") as file:
        tree = ast.parse(file.read())
    [function] = [node for node in tree.body if getattr(node, "name", "") == "code_reward"]
    return next(node.value.value for node in function.body if isinstance(node, ast.Assign))


def load_synthetic1(folder):
    """Return Genesys's verifier of code, with a container of ours."""
    sys.path.insert(0, os.path.join(folder, "src"))
    runs = types.SimpleNamespace(run=lambda *args, **options: Container())
    sys.modules["docker"] = types.ModuleType("docker")
    sys.modules["docker"].from_env = lambda: types.SimpleNamespace(containers=runs)
    # The container of the language is made anew for each pair.
    verifier = importlib.import_module("genesys.verifiers.code_test_verifier").CodeVerifier()
    verifier._close_containers = lambda: None
    return verifier


def load_intellect3(folder):
    """Return the module of INTELLECT-3's environment that runs cases, with a client of ours."""
    service = sys.modules["prime_sandboxes"] = types.ModuleType("prime_sandboxes")
    service.AsyncSandboxClient, service.CommandTimeoutError = SandboxClient, CommandTimeoutError
    package(folder, "code_env", "code_env/code_env")
    package(folder, "code_env.utils", "code_env/code_env/utils")
    helpers = sys.modules["code_env.utils.sandbox_utils"] = types.ModuleType("sandbox_utils")
    helpers.upload_and_extract_bundle = unpack
    module = importlib.import_module("code_env.utils.verification_utils")
    # No candidate uses pandas, whose import takes seconds.
    module.BASE_IMPORTS = module.BASE_IMPORTS.replace("import pandas as pd\n", "")
    return module


def load_synthetic2(folder):
    """Return prime-rl's reward of SYNTHETIC-2's code problems, of the commit before its removal."""
    sys.modules["pyext"] = types.ModuleType("pyext")
    sys.modules["pyext"].RuntimeModule = RuntimeModule
    for name in ("zeroband", "zeroband/inference", "zeroband/inference/genesys"):
        package(folder, name.replace("/", "."), f"src/{name}")
    return importlib.import_module("zeroband.inference.genesys.code").evaluate_code


def load_deepcoder(folder):
    """Return rLLM's modules that run cases, by the parts of DeepCoder: TACO's, Codeforces' and LiveCodeBench's."""
    for name in ("rllm", "rllm/rewards", "rllm/rewards/code_utils"):
        package(folder, name.replace("/", "."), name)
    # The grader's own copy of pyext needs an older Python.
    pyext = sys.modules["rllm.rewards.code_utils.pyext2"] = types.ModuleType("pyext2")
    pyext.RuntimeModule = RuntimeModule
    modules = [importlib.import_module(f"rllm.rewards.code_utils.{name}") for name in ("taco", *DEEPCODER_PARTS)]
    modules[0].BASE_IMPORTS = modules[0].BASE_IMPORTS.replace("import pandas as pd\n", "")
    return dict(zip(("", *DEEPCODER_PARTS), modules, strict=True))


def grade(benchmark, grader, record, candidate):
    """Return whether the grader passes a candidate."""
    return GRADES[benchmark.partition("/")[0]](grader, record, candidate)


def output_of(candidate, text, benchmark):
    """Return what a script writes, or None if it fails or takes too long."""
    with tempfile.NamedTemporaryFile("w", suffix=".py", encoding="utf-8") as file:
        file.write(candidate)
        file.flush()
        try:
            done = subprocess.run(
                [sys.executable, file.name],
                input=text.encode(),
                capture_output=True,
                timeout=SECONDS[benchmark],
                check=False,
            )
        except subprocess.TimeoutExpired:
            return None
    return None if done.returncode else done.stdout.decode(errors="ignore")


def grade_codecontests(grader, record, candidate):
    """Return whether all outputs match."""
    for name in ("public_tests", "private_tests"):
        for text, expected in zip(record[name]["input"], record[name]["output"], strict=True):
            output = output_of(candidate, text, "codecontests")
            if output is None or subprocess.check_output([grader, output, expected]) != b"1":
                return False
    return True


def grade_xcodeeval(grader, record, candidate):
    """Return whether each output is one of those that are accepted."""
    for case in json.loads(record["hidden_unit_tests"]):
        output = output_of(candidate, case["input"], "xcodeeval")
        if output is None or not any(grader(accepted, output.strip()) for accepted in case["output"]):
            return False
    return True


def grade_verifiable_coding(grader, record, candidate):
    """Return whether the value of the script's last expression is 1."""
    cases = json.dumps(json.dumps(record["verification_info"]["test_cases"]))
    tree = ast.parse(textwrap.dedent(grader.format(code=json.dumps(candidate), test_cases=cases)))
    last = ast.Expression(tree.body.pop().value)
    space = {}
    exec(compile(tree, "script", "exec"), space)  # noqa: S102 (a grader's own text)
    return eval(compile(last, "script", "eval"), space) == 1  # noqa: S307 (as above)


def grade_synthetic1(grader, record, candidate):
    """Return whether all cases pass."""
    grader.containers["python"] = Container()
    return grader.verify({**record, "llm_response": f"```python\n{candidate}\n```"})["score"] == 1


def grade_intellect3(grader, record, candidate):
    """Return whether all cases pass."""
    tests = json.loads(json.loads(record["info"])["tests"])
    info = {"fn_name": tests.get("fn_name"), "timeout": 20}
    info |= {f"test_case_{name}": [json.dumps(one) for one in tests[name]] for name in ("inputs", "outputs")}
    results = asyncio.run(grader.run_test_cases(candidate, info, SandboxClient(), "own"))
    return all(results)


def grade_synthetic2(grader, record, candidate):
    """Return whether the reward is 1."""
    return grader(f"</think>\n```python\n{candidate}\n```\n", record["verification_info"]) == 1


def grade_deepcoder(grader, record, candidate):
    """Return whether all cases pass."""
    tests, limit = json.loads(record["tests"]), 12
    part = "" if isinstance(tests, dict) else "livecodebench" if "testtype" in tests[0] else "codeforces"
    if part == "livecodebench":
        data = {"inputs": [case["input"] for case in tests], "outputs": [case["output"] for case in tests]}
        tests = {"input_output": json.dumps(data | {"fn_name": tests[0]["metadata"].get("func_name")})}
        limit = 6
    results = grader[part].run_test(tests, test=candidate, debug=False, timeout=limit)
    # LiveCodeBench's module gives details too.
    results = results[0] if part == "livecodebench" else results
    return all(result is True for result in results)


LOADERS = {
    "codecontests": load_codecontests,
    "xcodeeval": load_xcodeeval,
    "verifiable_coding": load_verifiable_coding,
    "synthetic1": load_synthetic1,
    "synthetic2": load_synthetic2,
    "intellect3": load_intellect3,
    "deepcoder": load_deepcoder,
}
GRADES = {
    "codecontests": grade_codecontests,
    "xcodeeval": grade_xcodeeval,
    "verifiable_coding": grade_verifiable_coding,
    "synthetic1": grade_synthetic1,
    "synthetic2": grade_synthetic2,
    "intellect3": grade_intellect3,
    "deepcoder": grade_deepcoder,
}
