"""What the texts of candidates and tests in Coq say: imports, words, and what no candidate may have. Used by `coq`."""

from __future__ import annotations

import re

TEXT = r"\"(?:[^\"]|\"\")*\""
OPENING = re.compile(rf"\(\*|{TEXT}")
# Coq reads texts in comments, so that brackets in them are none.
BRACKET = re.compile(r"\(\*|\*\)|\"[^\"]*\"")
SENTENCE = re.compile(rf"(?:[^.\"]|\.(?!\s|\Z)|{TEXT})*\.(?=\s|\Z)")
ATTRIBUTES = r"\s*(?:#\[[^\]]*\]\s*)*(?:(?:Local|Global)\s+)?"
LIBRARY = re.compile(
    rf"{ATTRIBUTES}(?:(?P<source>From\s+Coq(?:\.\w+)*\s+)?Require\s+(?:Import|Export)(?P<libraries>(?:\s+[\w.]+)+)"
    r"|(?:Import|Export)(?P<modules>(?:\s+[\w.]*(?:Notations|Syntax))+)"
    r"|(?P<command>Open|Close)\s+Scope\s+(?P<scope>\w+))\s*\.\Z"
)
IMPORT = re.compile(rf"{ATTRIBUTES}(?:From\s+[\w.]+\s+)?(?:Require|Import|Export)\b")
OF_CANDIDATE = re.compile(r"\bImport\s+candidate\s*\(([^)]*)\)")
NAMES_CANDIDATE = re.compile(r"\bcandidate\b")
OPENS_BLOCK = re.compile(rf"{ATTRIBUTES}(?:Section|Module)\b(?!.*:=)", re.DOTALL)
ENDS_BLOCK = re.compile(r"\s*End\b")
MODULE = re.compile(r"\bModule\s+(?:Import\s+|Export\s+)?(\w+)")
SCOPES = frozenset(
    "bool_scope char_scope core_scope float_scope function_scope list_scope nat_scope N_scope positive_scope "
    "program_scope Q_scope R_scope sint63_scope string_scope type_scope uint63_scope Z_scope "
    "bool char list nat N positive Q R string Z".split()
)
"""The library's scopes, and the keys that stand for them."""

WORD = re.compile(r"(?<![\w'.])[^\W\d][\w']*")
KEYWORDS = frozenset(
    "Axiom Check Compute Definition End Eval Example Fact Fail Fixpoint From Goal Import Lemma Module Open Proof Qed "
    "Require Scope Section Theorem as at candidate else end exists for forall fun if in let match return then using "
    "where with Prop Set Type SProp IF mod".split()
)

UNCHECKED = re.compile(r"\b(?:Guard|Positivity|Universe)\s+Checking\b|\bbypass_check\b")
"""What switches checks of the kernel off."""

# Equality by a class means what an instance says, and instances are known wherever a file is loaded.
CLASS_EQUALITY = re.compile(r"(?<![=!<>~])(?:={2,3}|=~=)(?![=>])|\b(?:equiv|equiv_dec|equiv_decb)\b")
INSTANCE = re.compile(
    r"\b(?:Instances?|typeclass_instances)\b|\bAdd\s+(?:Parametric\s+)?(?:Relation|Setoid|Morphism)\b"
)


def reason_to_refuse(code: str, tests: str) -> str:
    """Return why tests can't be run on a candidate; "" if nothing in the texts speaks against it.

    Args:
        code: the candidate, without comments.
        tests: likewise.
    """
    if UNCHECKED.search(code):
        return "tests can not be run on a candidate that switches checks of the kernel off"
    if CLASS_EQUALITY.search(tests) and INSTANCE.search(code):
        return "tests that compare by a class can not be run on a candidate that declares instances"
    return ""


def words_of(tests: str) -> list[str]:
    """Return the words of tests without comments that may be names of the candidate's, in order."""
    found = {*WORD.findall(re.sub(TEXT, "", tests))} - KEYWORDS
    return sorted(found - names_imported(tests))


def names_imported(tests: str) -> set[str]:
    """Return the names that tests import from the candidate by a sentence of their own."""
    return {name for names in OF_CANDIDATE.findall(tests) for name in WORD.findall(names)}


def header_for(code: str) -> str:
    """Return the sentences of a candidate without comments that import Coq's library, and open or close its scopes.

    They are those that still hold at its end.
    """
    own, depth, found = {*MODULE.findall(code)}, 0, []
    for sentence in SENTENCE.findall(code):
        if ENDS_BLOCK.match(sentence):
            depth -= 1
        elif OPENS_BLOCK.match(sentence):
            depth += 1
        elif not depth and (match := LIBRARY.match(sentence)):
            found.append(taken_over(match, own))
    return "".join(found)


def taken_over(sentence: re.Match[str], own: set[str]) -> str:
    """Return a sentence for the tests' file; "" for what is the candidate's own.

    Args:
        sentence: a match of LIBRARY.
        own: names of the candidate's modules.
    """
    if sentence["scope"]:
        return f"{sentence['command']} Scope {sentence['scope']}.\n" if sentence["scope"] in SCOPES else ""
    if sentence["modules"]:
        modules = [name for name in sentence["modules"].split() if own.isdisjoint(name.split("."))]
        return f"Import {' '.join(modules)}.\n" if modules else ""
    source = (sentence["source"] or "From Coq ").strip()
    names = [name.removeprefix("Coq.") for name in sentence["libraries"].split()]
    return f"{source} Require Import {' '.join(names)}.\n"


def imports_of(tests: str) -> str:
    """Return all sentences of tests without comments that import anything but the candidate and their own modules."""
    own = {*MODULE.findall(tests)}
    found = [each.strip() for each in SENTENCE.findall(tests) if IMPORT.match(each)]
    return "".join(
        f"{each}\n" for each in found if not NAMES_CANDIDATE.search(each) and own.isdisjoint(WORD.findall(each))
    )


def without_comments(text: str) -> str:
    """Return a text without its comments, which may be in each other."""
    parts, place = [], 0
    while opening := OPENING.search(text, place):
        parts.append(text[place : opening.start()])
        end = opening.end()
        if opening[0] == "(*":
            depth = 1
            while depth and (bracket := BRACKET.search(text, end)):
                depth += {"(*": 1, "*)": -1}.get(bracket[0], 0)
                end = bracket.end()
            end = len(text) if depth else end
            parts.append(" ")
        else:
            parts.append(opening[0])
        place = end
    return "".join(parts) + text[place:]
