"""The readings of an answer in Python, in their order. The first that defines the wanted names is taken."""

from __future__ import annotations

import ast
import builtins
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from sandboxes.extraction.answers import AS_IT_STANDS, COMPLETION, Asked, Extraction
from sandboxes.extraction.fences import Block, blocks_in, tagged_blocks
from sandboxes.extraction.model_formats import (
    LABEL,
    begins_with_reasoning,
    final_answer,
    with_usual_characters,
)
from sandboxes.extraction.names import (
    DEFINITIONS,
    STAR,
    bound_names,
    defined_names,
    global_names,
    loaded_names,
    made_names,
    module_level,
    names_under_test,
)
from sandboxes.extraction.prompts import Prompt, prompt_of
from sandboxes.extraction.statements import code_lines, is_code, reads_input, without_input
from sandboxes.imports import parse_candidate

BLOCK = "a block of code"
TOGETHER = "all blocks of code"
BETWEEN_PROSE = "the code between prose"
BEGINNING = "its beginning, a completion of the prompt"

NOT_PYTHON = frozenset(
    "bash c console cpp css csharp diff go html java javascript json js markdown md output rust sh shell sql text toml"
    " ts txt typescript xml yaml zsh".split()
)
"""Labels of blocks that are looked at after all others."""

WORD = re.compile(r"\w+")
TRANSCRIPT = re.compile(r"^(?:>>>|\.\.\.|In \[\d+\]:|[ \t]+\.\.\.:)(?: |$)(.*)$", re.MULTILINE)
WRITES = re.compile(r"\b(?:print|write|writelines|stdout)\b")
INLINE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
# Answers may be hostile: each try costs a parse.
MAX_BLOCKS, MAX_CUTS, MAX_BEGINNING_CHARS = 32, 12, 1 << 15


def read_python(answer: str, asked: Asked) -> Extraction:
    """Return the program in an answer.

    The first reading counts that is valid Python and defines all wanted names; otherwise the one that defines most.
    """
    reader = PythonAnswer(answer, asked)
    best: Extraction | None = None
    fewest = len(reader.wanted) + 1
    for reading in reader.readings():
        if (tree := reader.tree_of(reading)) is None:
            continue
        finished, missing = reader.finished(reading, tree)
        if not missing:
            return finished
        if missing < fewest:
            best, fewest = finished, missing
    return best or reader.unreadable()


@dataclass(frozen=True)
class PythonAnswer:
    """An answer to a task in Python."""

    answer: str
    asked: Asked

    @cached_property
    def wanted(self) -> frozenset[str]:
        """The names that the program has to define. Empty: unknown."""
        if self.asked.reads_input:
            return frozenset()
        # A benchmark may write `Solution().twoSum`.
        entry = WORD.match(self.asked.entry_point)
        return frozenset([entry[0]]) if entry else self.tested

    @cached_property
    def tested(self) -> frozenset[str]:
        """The names that the tests use."""
        return frozenset() if self.asked.reads_input else names_under_test(self.asked.tests)

    @cached_property
    def prompt(self) -> Prompt:
        """The parts of the prompt."""
        return prompt_of(self.asked.prompt, self.wanted)

    @cached_property
    def plain_text(self) -> str:
        """The answer without carriage returns."""
        return self.answer.replace("\r\n", "\n")

    @cached_property
    def final_text(self) -> str:
        """The final answer."""
        return final_answer(self.plain_text)

    @cached_property
    def texts(self) -> dict[str, str]:
        """The texts that are read, and how each differs from the answer, in words."""
        texts = {self.final_text: ", without what the model's format adds" if self.final_text != self.answer else ""}
        texts.setdefault(with_usual_characters(self.final_text), ", with usual characters")
        return texts

    def readings(self) -> Iterator[Extraction]:
        """Yield the readings, from the one that changes the answer least."""
        if not LABEL.match(self.answer):
            yield from self.whole_text(self.answer, "")
        if is_code(self.answer) and not is_body(self.answer):
            # A valid program is what it is, also if what it defines can't be seen.
            return
        for text, changed in self.texts.items():
            if text != self.answer:
                yield from self.whole_text(text, changed)
            yield from self.parts(text, changed)
        for text, changed in self.texts.items():
            blocks = self.blocks(text)
            if body := self.beginning(text[: min((block.place for block in blocks), default=len(text))]):
                yield Extraction(body, BEGINNING + changed, continues_prompt=True)
        if self.plain_text not in self.texts and not begins_with_reasoning(self.answer):
            # What looks like the model's format can be a part of the code, or of prose about it.
            yield from self.parts(self.plain_text, "")

    def whole_text(self, text: str, changed: str) -> Iterator[Extraction]:
        """Yield the readings of a text as a whole: as a program, and as a completion."""
        yield Extraction(text, AS_IT_STANDS + changed)
        if body := self.prompt.body(text):
            moved = "" if body == text else ", with more indentation"
            yield Extraction(body, COMPLETION + moved + changed, continues_prompt=True)
        if (moved := dedented(text)) != text:
            yield Extraction(moved, f"without its indentation{changed}")

    def parts(self, text: str, changed: str) -> Iterator[Extraction]:
        """Yield the readings of parts of a text."""
        blocks = self.blocks(text)
        if self.asked.reads_input and len(blocks) > 1 and all(map(self.is_beside, blocks)):
            yield from self.together(blocks, changed)
        for block in blocks:
            yield Extraction(self.with_helpers(block, blocks), BLOCK + changed)
        if self.wanted:
            yield from self.together(blocks, changed)
        for block in self.sorted_blocks(tagged_blocks(text)):
            yield Extraction(block.code, BLOCK + changed)
        for block in sorted(blocks, key=lambda block: not is_body(block.code)):
            if (body := self.prompt.body(block.code)) and (is_body(block.code) or not self.uses_function(block.code)):
                yield Extraction(body, f"{BLOCK}, {COMPLETION}{changed}", continues_prompt=True)
        prose = without_fences(text)
        if TRANSCRIPT.search(text):
            yield Extraction("\n".join(TRANSCRIPT.findall(text)), f"the lines of a session{changed}")
        for each in dict.fromkeys((prose, re.sub(r"^(?: {4}|\t)", "", prose, flags=re.MULTILINE))):
            if code := code_lines(each):
                yield Extraction(code, BETWEEN_PROSE + changed)
        for code in INLINE.findall(text)[-MAX_BLOCKS:]:
            yield Extraction(code, f"code in a line{changed}")

    def blocks(self, text: str) -> list[Block]:
        """Return the blocks of a text from the last to the first; examples and other languages come behind."""
        if text not in self.known_blocks:
            found = blocks_in(text, lambda code: is_code(code) or bool(self.prompt.body(code)))
            self.known_blocks[text] = self.sorted_blocks(found or tagged_blocks(text))
        return self.known_blocks[text]

    @cached_property
    def known_blocks(self) -> dict[str, list[Block]]:
        """The blocks of texts that were read."""
        return {}

    def sorted_blocks(self, found: list[Block]) -> list[Block]:
        """Return blocks in the order of `blocks`."""
        blocks = [replace(each, code=dedented(each.code)) for each in found[-MAX_BLOCKS:] if each.code.strip()]
        return sorted(reversed(blocks), key=lambda block: (block.label in NOT_PYTHON, self.is_beside(block)))

    def together(self, blocks: list[Block], changed: str) -> Iterator[Extraction]:
        """Yield all blocks that are valid code as one program, if there are several."""
        pieces = [block.code for block in sorted(blocks, key=lambda block: block.place) if is_code(block.code)]
        if len(pieces) > 1:
            yield Extraction("\n".join(pieces), TOGETHER + changed)

    def with_helpers(self, block: Block, blocks: list[Block]) -> str:
        """Return the code of a block, with that of the blocks that define what it lacks."""
        if len(blocks) == 1 or not is_code(block.code):
            return block.code
        tree = parse_candidate(block.code)
        if self.wanted and self.wanted.isdisjoint(made_names(tree)):
            # An example, which would take the program for its helper.
            return block.code
        others = {each.place: parse_candidate(each.code) for each in blocks if each is not block and is_code(each.code)}
        codes = {each.place: each.code for each in blocks}
        helpers: dict[int, ast.Module] = {}
        while True:
            trees = [tree, *helpers.values()]
            used = self.tested.union(*map(loaded_names, trees), *map(global_names, trees))
            lacking = used.difference(self.known, *map(bound_names, trees))
            helper = next((place for place, other in others.items() if lacking & defined_names(other)), None)
            if helper is None:
                # A subclass of what the block defines comes behind it.
                made = made_names(tree)
                behind = [place for place in sorted(helpers) if loaded_names(helpers[place]) & made]
                before = [place for place in sorted(helpers) if place not in behind]
                return "\n".join(codes[place] for place in (*before, block.place, *behind))
            helpers[helper] = others.pop(helper)

    @cached_property
    def known(self) -> set[str]:
        """The names that no block needs from another one."""
        return {*dir(builtins), *self.prompt.names}

    def uses_function(self, code: str) -> bool:
        """Return whether code uses what is asked for, as an example does."""
        return not self.wanted.isdisjoint(re.findall(r"\w+", code))

    def is_beside(self, block: Block) -> bool:
        """Return whether a block is rather an example, or its output, than the program that is asked for."""
        if not is_code(block.code):
            return True
        tree = parse_candidate(block.code)
        if self.asked.reads_input:
            return not reads_input(tree) or WRITES.search(block.code) is None
        return not self.wanted and not any(isinstance(node, DEFINITIONS) for node in tree.body)

    def beginning(self, text: str) -> str:
        """Return the longest beginning of a text that continues the prompt; "" if none does."""
        if len(text) > MAX_BEGINNING_CHARS:
            return ""
        forms = (self.cut_beginning(form, text.split("\n")) for form in self.prompt.forms(text))
        return max(forms, key=len, default="")

    def cut_beginning(self, form: str, own_lines: list[str]) -> str:
        """Return a form of a text up to where it no longer continues the prompt; "" if it is cut off inside of a block.

        Args:
            form: as `Prompt.forms` gives it.
            own_lines: the lines of the text itself.
        """
        lines = form.split("\n")
        first = len(lines) - len(own_lines)
        for _ in range(MAX_CUTS):
            text = "\n".join(lines) + "\n"
            if not text.strip():
                return ""
            if self.prompt.is_continued_by(text):
                left_out = "\n".join(own_lines[max(0, len(lines) - first) :]).lstrip("\n")
                return "" if left_out[:1].isspace() else text
            del lines[min(max(self.prompt.line_of_error(text), 0), len(lines) - 1) :]
        return ""

    def tree_of(self, reading: Extraction) -> ast.Module | None:
        """Return the tree of a reading's program; None if it is not valid Python, or nothing but prose."""
        try:
            tree = parse_candidate(self.asked.prompt + reading.code if reading.continues_prompt else reading.code)
        except ValueError:
            return None
        return None if not reading.continues_prompt and not is_code(reading.code) else tree

    def finished(self, reading: Extraction, tree: ast.Module) -> tuple[Extraction, int]:
        """Return (a reading with what it lacks of the prompt, and without what waits for input; its missing names)."""
        defined, made = defined_names(tree), made_names(tree)
        if not reading.continues_prompt:
            if self.wanted and self.wanted <= defined and (code := without_input(reading.code, tree)):
                reading = replace(reading, code=code, reading=f"{reading.reading}, without what waits for input")
            if self.prompt.provides((loaded_names(tree) | self.wanted | self.tested | {"annotations"}) - defined):
                code = with_lines_before(reading.code, tree, self.prompt.preamble)
                reading = replace(reading, code=code, reading=f"{reading.reading}, with the prompt's definitions")
                made |= self.prompt.names
        return reading, 0 if STAR in made else len(self.wanted - made)

    def unreadable(self) -> Extraction:
        """Return what an answer without valid Python gives: its last block, otherwise all of it."""
        if blocks := self.blocks(self.final_text):
            return Extraction(blocks[0].code, BLOCK)
        if blocks_in(self.final_text):
            return Extraction("", BLOCK)
        return Extraction(self.final_text, continues_prompt=bool(self.prompt.text))


def is_body(code: str) -> bool:
    """Return whether code is no program, but perhaps the body of a function, which returns."""
    try:
        tree = parse_candidate(code)
    except ValueError:
        return True
    return any(isinstance(node, ast.Return) for node in module_level(tree.body))


def dedented(code: str) -> str:
    """Return code without its common indentation, if it is a program without it and not with it."""
    without = textwrap.dedent(code)
    if without == code or is_code(code) or not is_code(without):
        return code
    # No program returns.
    return code if is_body(without) else without


def without_fences(text: str) -> str:
    """Return a text without the lines that are fences."""
    return re.sub(r"^[ \t>]*(?:`{3,}|~{3,}).*$", "", text, flags=re.MULTILINE)


def with_lines_before(code: str, tree: ast.Module, lines: str) -> str:
    """Return a program with more lines at its beginning, behind its docstring and its imports from `__future__`."""
    first: list[ast.stmt] = [
        node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__"
    ]
    if not first and ast.get_docstring(tree, clean=False) is not None:
        first = tree.body[:1]
    own = code.split("\n")
    place = (first[-1].end_lineno or 0) if first else 0
    return "\n".join([*own[:place], lines, *own[place:]])
