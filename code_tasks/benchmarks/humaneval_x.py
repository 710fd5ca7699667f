"""HumanEval-X: the problems of HumanEval in several languages, as candidates and tests.

Source: Zheng et al. 2023, "CodeGeeX", arXiv:2303.17568. A record is a dict with "task_id" ("Java/0"), "prompt",
"canonical_solution" and "test", for Go also "import" and "test_setup".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from code_tasks.benchmarks.preambles import HUMANEVAL_X_MODULES
from sandboxes.languages.comments import without_comments
from sandboxes.languages.go import parse_imports
from sandboxes.languages.registry import NAMES

LANGUAGES = ("python", "java", "go")

# The published harness imports these for programs that use them without an import.
GO_PACKAGES = "math strings fmt strconv time bytes regexp sort math/rand crypto/md5".split()
PACKAGE = re.compile(r"^[ \t]*+package[ \t]++\w", re.MULTILINE)
CPP_INCLUDES = "".join(
    f"#include <{name}>\n"
    for name in (
        *("stdlib.h", "algorithm", "cmath", "math.h", "numeric", "stdio.h", "vector", "set", "map", "queue", "stack"),
        *("list", "deque", "string", "climits", "cstring", "iostream", "sstream", "fstream"),
    )
)
CPP_LIBRARIES = {"boost/any.hpp": "-include boost/any.hpp", "openssl/": "-include openssl/md5.h -lcrypto"}
"""Options of the compiler by what a text includes."""

RUST_CRATES = ("rand", "regex", "md5")


def detect_language(record: Mapping[str, Any]) -> str:
    """Return the language of a record.

    Raises:
        ValueError: if programs of the language can't be run.
    """
    name = str(record["task_id"]).partition("/")[0].lower()
    if name not in NAMES:
        raise ValueError(f"{record['task_id']!r} is none of the languages {', '.join(NAMES)}")
    return name


def is_record(record: Mapping[str, Any]) -> bool:
    """Return whether a record is one of HumanEval-X, whose language stands in its task_id, and can be run."""
    name = str(record.get("task_id")).partition("/")[0].lower()
    return "declaration" in record and str(record.get("language", name)).lower() == name and name in NAMES


def get_prompt(record: Mapping[str, Any]) -> str:
    """Return the code that a completion continues.

    Go's prompt comes without the imports of the data. A completion may need other imports, and Go refuses those that
    nothing uses. Rust's prompt is a comment in HumanEval-X, and comes after a `main` and the declaration.
    """
    prompt, language = str(record["prompt"]), detect_language(record)
    if language == "rust" and "fn " not in prompt:
        return f"fn main(){{}}\n{record['declaration']}{prompt}"
    return prompt.replace(record["import"], "", 1) if language == "go" else prompt


def with_imports(language: str, code: str) -> str:
    """Return a candidate with the imports that it uses and lacks, if the published harness adds them too.

    A whole program in Go has its own.
    """
    if language == "go":
        if PACKAGE.search(without_comments(code)):
            return code
        return f"package main\n\n{go_import_block(code, ())}\n{code}"
    if language == "python":
        return "".join(f"import {module}\n" for module in missing_modules(code)) + code
    return CPP_INCLUDES + code if language == "cpp" else code


def build_tests(record: Mapping[str, Any]) -> str:
    """Return the tests of a record, with the imports that they need, and the published harness's compiler options."""
    language = detect_language(record)
    if language == "rust":
        return "".join(f"//@ aux-crate:{name}\n" for name in crates_of(get_prompt(record))) + str(record["test"])
    if language == "cpp":
        return cpp_options(f"{record['prompt']}{record['test']}") + str(record["test"])
    if language != "go":
        return str(record["test"])
    return f"package main\n\n{go_import_block(record['test'], parse_imports(record['test_setup']))}\n{record['test']}"


def cpp_options(code: str) -> str:
    """Return the comment with which C++ tests choose the published harness's standard, and the libraries of code."""
    used = [options for header, options in CPP_LIBRARIES.items() if header in code]
    return f'// {{ dg-options "{" ".join(["-std=c++11", *used])}" }}\n'


def crates_of(prompt: str) -> list[str]:
    """Return the crates that a Rust prompt imports."""
    return [name for name in RUST_CRATES if re.search(rf"^use {name}\b", prompt, re.MULTILINE)]


def go_import_block(code: str, imported: Iterable[str]) -> str:
    """Return the import declaration of a Go text, with the packages that the text uses.

    Args:
        code: the text, without imports.
        imported: quoted paths of packages that the text may use, beside GO_PACKAGES.
    """
    plain = without_comments(code)
    paths = dict.fromkeys((*(path.strip('"') for path in imported), *GO_PACKAGES))
    used = [path for path in paths if re.search(rf"\b{path.rpartition('/')[2]}\.[A-Z]", plain)]
    return "import (\n" + "".join(f'\t"{path}"\n' for path in used) + ")\n"


def missing_modules(code: str) -> list[str]:
    """Return the modules in HUMANEVAL_X_MODULES that a text uses and does not import."""
    return [
        module
        for module in HUMANEVAL_X_MODULES
        if re.search(rf"\b{module}\.\w", code) and not re.search(rf"^\s*import\b.*\b{module}\b", code, re.MULTILINE)
    ]
