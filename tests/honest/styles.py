"""The same small function in many styles of programs, tested in many ways, for many kinds of values."""

from dataclasses import dataclass

from honest.pairs import DATA, Pair, entries

TABLES = DATA / "tables"
STYLES, WAYS, EQUAL_WAYS, KIND_TEXTS = (
    dict(entries((TABLES / f"{name}.txt").read_text("utf-8"))) for name in ("styles", "ways", "equal_ways", "kinds")
)

SAME = {
    "SAME_RESULT": ("result", "WANT"),
    "SAME_KEYWORD": ("solve(x=ARG)", "WANT"),
    "SAME_CANDIDATE": ("candidate(ARG)", "WANT"),
    "SAME_LOOP": ("solve(x)", "want"),
    "SAME_GOT": ("got", "want"),
    "SAME_EACH": ("GOT", "WANT"),
    "SAME_SELF": ("GOT", "self.want"),
    "SAME": ("GOT", "WANT"),
}
"""{token: what it compares}, the longer names first."""

EQUAL = "GOT == WANT"
UNNAMED = "dispatch"
"""The style whose parameter can't be given by name."""


@dataclass(frozen=True)
class Kind:
    """A kind of value that a function returns."""

    name: str

    right: str
    """The expression of the right result, in terms of x."""

    wrong: str

    cases: tuple[tuple[str, str], ...]
    """(argument, expected result), as expressions. The first one tells right from wrong."""

    same: str
    """The comparison of a result."""

    setup: str
    """What the candidate begins with."""

    imports: str
    """What the tests begin with."""


def read_kind(name, text):
    """Return a kind of value.

    Args:
        name: of the kind.
        text: lines of fields, then an empty line and what the candidate begins with. "tests begin: so" lets the tests
            begin with the same.
    """
    head, _, setup = text.partition("\n\n")
    fields = [line.split(": ", 1) for line in head.splitlines()]
    only = dict(fields)
    cases = tuple(tuple(value.split(" -> ")) for key, value in fields if key == "case")
    imports = only.get("tests begin", "")
    imports = setup if imports == "so" else imports and imports + "\n"
    return Kind(name, only["right"], only["wrong"], cases, only.get("same", EQUAL), setup, imports)


def style_pairs():
    """Return each kind of value with each way of testing, once right and once wrong, with the styles in turn."""
    names, pairs = list(STYLES), []
    for number, (name, text) in enumerate(KIND_TEXTS.items()):
        kind = read_kind(name, text)
        ways = WAYS | (EQUAL_WAYS if kind.same == EQUAL else {})
        for place, (way, template) in enumerate(ways.items()):
            tests = tests_of(kind, template)
            for is_right in (True, False):
                style = names[(number + place + is_right) % len(names)]
                if way == "keyword" and style == UNNAMED:
                    style = names[0]
                candidate = candidate_of(kind, style, kind.right if is_right else kind.wrong)
                pairs.append(Pair("styles", f"{name}, {way}, {style}", candidate, tests, is_right))
    return pairs


def candidate_of(kind, style, result):
    """Return the program in a style that returns a result, an expression in terms of x."""
    source = kind.setup + STYLES[style].replace("EXPR", result)
    return source.replace("\n", "\r\n") if style == "CRLF" else source


def tests_of(kind, template):
    """Return the tests of a kind of value, in one of the ways."""
    cases = ", ".join(f"({argument}, {want})" for argument, want in kind.cases)
    parts = []
    for argument, want in kind.cases if "SAME_EACH" in template else kind.cases[:1]:
        part = template
        for token, (got, expected) in SAME.items():
            part = part.replace(token, kind.same.replace("GOT", got).replace("WANT", expected))
        part = part.replace("GOT", "solve(ARG)").replace("CASES", cases)
        parts.append(part.replace("ARG", argument).replace("WANT", want))
    return kind.imports + "".join(parts)
