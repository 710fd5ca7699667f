"""The program in an answer in another language than Python, which is found by its fences and by what it declares."""

from __future__ import annotations

import re

from sandboxes.extraction.answers import Asked, Extraction
from sandboxes.extraction.fences import Block, blocks_in, tagged_blocks
from sandboxes.extraction.model_formats import final_answer
from sandboxes.extraction.names import DEFINITIONS
from sandboxes.extraction.python_readings import BLOCK
from sandboxes.imports import parse_candidate

LABELS = {
    "bash": ("sh", "shell"),
    "cpp": ("c++", "cc", "cxx"),
    "csharp": ("c#", "cs"),
    "go": ("golang",),
    "haskell": ("hs",),
    "javascript": ("js", "node"),
    "kotlin": ("kt",),
    "perl": ("pl",),
    "ruby": ("rb",),
    "rust": ("rs",),
    "typescript": ("ts",),
}
"""Other words with which fences label a language."""

WORD = re.compile(r"[A-Za-z_]\w*")
DEFINITION = re.compile(
    r"^[ \t]*(?:async\s+)?(?:(?:def|class|func|function|fn|const|let|var|void|int)\s+([A-Za-z_]\w*)"
    r"|(?:public|static)\s(.*))",
    re.MULTILINE,
)
AFTER_SPACE = re.compile(r"\s([A-Za-z_]\w*)")
# Keywords that come before a call. The line does not declare the called function.
CALL_KEYWORDS = "return|if|while|for|else|switch|case|throw|new|await|yield|go|defer"
COMMENT = re.compile(r"(?s)/\*.*?\*/|\"{3}.*?\"{3}|'{3}.*?'{3}|(?://|#)[^\n]*")
BEFORE_PARENTHESIS = re.compile(r"(\w+)\s*(?:=\s*(?:async\s*)?(?:function\s*)?)?\(")


def read_other(answer: str, asked: Asked) -> Extraction:
    """Return the program in an answer: the last block with a wanted name, or with the language's label."""
    text = final_answer(answer.replace("\r\n", "\n"))
    found = blocks_in(text) or tagged_blocks(text)
    blocks = [block for block in found if block.code.strip()]
    if found and not blocks:
        return Extraction("", BLOCK)
    if not blocks:
        code = answer if text.strip() == answer.strip() else text
        return Extraction(code, continues_prompt=continues(code, asked))
    wanted = wanted_names(asked)
    labels = {asked.language, *LABELS.get(asked.language, ())}

    def likelihood(block: Block) -> tuple[bool, bool]:
        return bool(wanted & defined_in(block.code)), block.label in labels

    code = max(reversed(blocks), key=likelihood).code
    return Extraction(code, BLOCK, continues_prompt=continues(code, asked))


def continues(code: str, asked: Asked) -> bool:
    """Return whether code continues the prompt: the prompt begins a function that the code does not declare."""
    names = function_names(asked.prompt)[-1:]
    return bool(names) and not any(declares_function(code, name) for name in (*names, asked.entry_point) if name)


def wanted_names(asked: Asked) -> set[str]:
    """Return the names that a program should define: the entry point's, otherwise all words of the tests."""
    return {asked.entry_point} if asked.entry_point else set(WORD.findall(asked.tests))


def defined_in(block: str) -> set[str]:
    """Return names that a block of code defines at its top level.

    A block that is very long, or not valid Python, is searched for text that looks like a definition. The search reads
    the block once, so that a hostile answer costs neither memory nor time.
    """
    try:
        tree = parse_candidate(block)
    except ValueError:
        matches = list(DEFINITION.finditer(block))
        names = {match[1] for match in matches if match[1]}
        return names.union(*(AFTER_SPACE.findall(match[2] or "") for match in matches))
    return {node.name for node in tree.body if isinstance(node, DEFINITIONS)}


def function_names(prompt: str) -> list[str]:
    """Return the names before an opening parenthesis in a prompt, outside of comments. The last is the function's.

    An arrow function's name stands before an equals sign: `const name = (a, b) => {`.
    """
    return BEFORE_PARENTHESIS.findall(COMMENT.sub("", prompt))


def declares_function(code: str, name: str) -> bool:
    """Tell whether code declares a function. A call alone does not count."""
    after_type = rf"(?m)^(?![ \t]*(?:{CALL_KEYWORDS})\b)[^\n=;(]*[\w>\])*&][ \t*&]+{name}[ \t]*[<(]"
    return re.search(rf"{after_type}|\b{name}[ \t]*=[ \t]*(?:async\b|function\b|\()", code) is not None
