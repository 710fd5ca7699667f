"""What tests in Swift may use of a candidate. Used by `swift`.

An overload, an operator, an extension or a type of the candidate's could take the place of the library's, by which the
tests judge. The compiler decides that, so the build reads in the tests' object which names of the candidate it found.
"""

from __future__ import annotations

import re

from sandboxes.languages.comments import without_literals

CANDIDATE_MODULE = "CodeEvalCandidate"
"""The name by which tests may call the candidate's module."""

RULES_FILE, READER_FILE = "code_eval_rules", "code_eval_uses.awk"
REFUSAL = "tests can not be run on the candidate"
WORD = re.compile(r"[^\W\d]\w*")

STANDARD_OPERATORS = tuple(
    "= + - * / % += -= *= /= %= &+ &- &* &<< &>> << >> & | ^ ~ == != === !== < <= > >= && || ! ?? ~= ... ..< .== .!="
    " .< .<= .> .>= <<= >>= &= |= ^= &+= &-= &*= .& .| .^".split()
)
PINNED = tuple(
    "Any AnyHashable Array ArraySlice Bool Character ClosedRange Comparable ContiguousArray Dictionary Double Equatable"
    " Error Float Hashable Int Int16 Int32 Int64 Int8 Never Optional Range Result Sequence Collection Set StaticString"
    " String Substring UInt UInt16 UInt32 UInt64 UInt8 Void IntegerLiteralType FloatLiteralType StringLiteralType"
    " BooleanLiteralType ExtendedGraphemeClusterLiteralType UnicodeScalarLiteralType".split()
)
"""Types of the library's that stay its own in tests, whatever the candidate declares."""

JUDGES = (
    "abort assert assertionFailure precondition preconditionFailure fatalError exit _exit quick_exit"
    " XCTAssert XCTAssertEqual XCTAssertNotEqual XCTAssertTrue XCTAssertFalse XCTAssertNil XCTAssertNotNil XCTFail"
    " XCTUnwrap XCTAssertThrowsError XCTAssertNoThrow"
).split()
"""Names that tests judge by, which a candidate's functions can't have."""

UNLABELLED = (
    "abs atoi ceil debugPrint dump fabs fabsf floor fmax fmin fmod hypot isatty isfinite isinf"
    " isKnownUniquelyReferenced isnan max memcmp min numericCast pow print readLine repeatElement round sequence sqrt"
    " strcmp stride strlen strncmp swap trunc type unsafeBitCast unsafeDowncast withExtendedLifetime"
    " withoutActuallyEscaping withUnsafeBytes withUnsafePointer zip"
).split()
"""Functions of the library's whose first argument has no label. One of the candidate's with a label is no such one."""

IMPLIED = (
    "__allocating_init __derived_enum_equals __derived_struct_equals Type callAsFunction deinit getter init modify read"
    " rawValue setter subscript unsafeAddressor unsafeMutableAddressor"
).split()
"""Names that tests use without writing them."""

LIBRARY = ("Swift", "_StringProcessing", "_Concurrency", "Builtin")
"""Modules whose types no candidate can have subclasses of."""

OPEN = (
    "AnyBidirectionalCollection AnyCollection AnyIterator AnyRandomAccessCollection AnySequence BidirectionalCollection"
    " Collection Comparable CustomStringConvertible Equatable Hashable IteratorProtocol RandomAccessCollection Sequence"
    " SetAlgebra StringProtocol"
).split()
"""Types of results that can hold objects of the candidate's."""

VALUES = "Calendar CharacterSet Data Date DateComponents Decimal IndexSet Locale TimeZone URL UUID".split()
"""Types of Foundation that no candidate can have subclasses of."""

UNNAMED = re.compile(r"\b(?:_silgen_name|_transparent|_alwaysEmitIntoClient|_originallyDefinedIn|_extern)\b")
"""Attributes of functions that an object uses under other names, or has copies of."""

OPERATOR = re.compile(r"\boperator\b(?:\s|//[^\n]*|/\*.*?\*/)*([-+*/%&|^~=<>!?.]+)", re.DOTALL)
MODULE_NAME = re.compile(r"\b(?:actor|class|enum|protocol|struct|typealias)\s+`?Swift\b")
DECLARED = r"\b(?:actor|associatedtype|class|enum|protocol|struct|typealias)\s+`?%s\b"

# The input is the names that the tests' object uses, as people write them.
READER = r"""
function refuse() {
    print "error: REFUSAL, because they would use this of it: " $0 > "/dev/stderr"
    exit 1
}
BEGIN {
    NAME = "[A-Za-z0-9_$\200-\377]+"
    PATH = NAME "([.]" NAME ")*"
    while ((getline line < RULES) > 0) { split(line, rule, " "); is[rule[1], rule[2]] = 1 }
}
!index($0, "MODULE.") && !index($0, "in MODULE") { next }
/opaque/ { refuse() }
/ in MODULE$/ && !/ for (< where [^>]*> )?MODULE[.]/ && !/ : (Swift[.]Error|MODULE[.][^ ]+) in MODULE$/ { refuse() }
{
    # Extensions of other modules' types.
    text = $0
    while (at = index(text, "(extension in MODULE):")) {
        text = substr(text, at + length("(extension in MODULE):"))
        if (text ~ /^MODULE[.]/) continue
        if (!match(text, "^" PATH)) refuse()
        path = substr(text, 1, RLENGTH)
        rest = substr(text, RLENGTH + 1)
        if (match(rest, /^<[^<>]*>[.]/)) {
            rest = substr(rest, RLENGTH + 1)
            path = path (match(rest, "^" PATH) ? "." substr(rest, 1, RLENGTH) : "")
            rest = match(rest, "^" PATH) ? substr(rest, RLENGTH + 1) : "." rest
        }
        accessor = sub(/[.](getter|setter|modify|read|unsafeMutableAddressor|unsafeAddressor)$/, "", path)
        if (rest ~ /^[.]/) {
            operator = substr(rest, 2)
            sub(/ .*/, "", operator)
            if (is["operator", operator]) refuse()
            continue
        }
        count = split(path, part, ".")
        member = part[count]
        if (member == "init" || member == "__allocating_init") refuse()
        if (member == "subscript") {
            if (!accessor || rest !~ ("^ : [(]" NAME ": ")) refuse()
            continue
        }
        if (count < 3 || !is["word", member]) refuse()
        print member
    }
    # Operators outside of types, and private types.
    text = $0
    while (match(text, "MODULE[.][^A-Za-z0-9_$\200-\377]")) {
        text = substr(text, RSTART + RLENGTH - 1)
        operator = text
        sub(/ .*/, "", operator)
        if (operator ~ /^[(]/ || is["operator", operator] && !index(text, "MODULE.")) refuse()
    }
    # Comparisons of an object of the candidate's with something else, and literals of its types.
    text = $0
    if (match(text, /[.](==|!=|===|!==|<|>|<=|>=|~=|&&|[|][|]|[?][?]) infix[^(]*[(]/)) {
        text = substr(text, RSTART + RLENGTH)
        sub(/[)][^()]*$/, "", text)
        half = (length(text) - 2) / 2
        if (substr(text, 1, half) != substr(text, half + 3)) refuse()
    }
    if ($0 ~ /init[(][A-Za-z]+Literal: / || $0 ~ / : Swift[.]ExpressibleBy/) refuse()
    # Results that hide the type of an object.
    text = $0
    if (!sub(/.* -> /, "", text)) sub(/.* : /, "", text)
    if (text ~ /any / || text ~ /^some/) refuse()
    while (match(text, "Swift[.]" NAME)) {
        name = substr(text, RSTART + 6, RLENGTH - 6)
        text = substr(text, RSTART + RLENGTH)
        if (is["open", name] && $0 !~ / in MODULE$/) refuse()
    }
    # Whatever has a name.
    text = $0
    while (match(text, NAME "([.]" NAME ")+")) {
        path = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        accessor = sub(/[.](getter|setter|modify|read|unsafeMutableAddressor|unsafeAddressor)$/, "", path)
        count = split(path, part, ".")
        if (is["library", part[1]] || part[1] ~ /^[A-Z][0-9]*$/) continue
        if (part[1] ~ /^Foundation/ && count == 2 && is["value", part[2]]) continue
        is_type = !accessor && text !~ /^([(]| : | throws| async|<[^(]*>[(])/
        for (at = 2; at <= count; at++) {
            kind = at < count || is_type ? "type" : "word"
            if (!is[kind, part[at]] && !is["implied", part[at]]) refuse()
        }
        if (part[1] != "MODULE") continue
        if (is["judge", part[2]]) refuse()
        if (count == 2 && is["unlabelled", part[2]] && text !~ ("^[(]" NAME ": ")) refuse()
    }
}
""".replace("MODULE", CANDIDATE_MODULE).replace("REFUSAL", REFUSAL)

# A compiled module holds names of parameters too. The library's texts, where they are installed, tell what it declares.
USES = """\
nm -u tests.o | sed 's/^ *[A-Za-z] //' | "$tools/swift-demangle" >code_eval_names
LC_ALL=C awk -v RULES=%(rules)s -f %(reader)s code_eval_names >code_eval_members
library=$tools/../lib/swift/linux
texts=$(ls "$library"/Swift.swiftmodule/*.swiftinterface "$library"/_StringProcessing.swiftmodule/*.swiftinterface || :)
modules=%(modules)s
[ -n "$texts" ] || modules='*'
is_known() {
    [ -n "$texts" ] && LC_ALL=C grep -qE "func $1\\b|(var|let) $1 *:|case $1\\b" $texts && return
    [ -n "$modules" ] && LC_ALL=C grep -aqw "$1" "$library"/$modules.swiftmodule/*.swiftmodule
}
for member in $(sort -u code_eval_members); do
    if is_known "$member"; then
        echo "error: %(refusal)s, because they would use its '$member' in place of the library's" >&2
        exit 1
    fi
done
"""
FOUNDATION = re.compile(r"\bimport\s+(?:\w+\s+)?Foundation")


def check_uses(candidate: str, tests: str) -> str:
    """Return the part of a build's script that reads what tests use of a candidate."""
    modules = "'Foundation*'" if FOUNDATION.search(candidate + tests) else ""
    return USES % {"rules": RULES_FILE, "reader": READER_FILE, "modules": modules, "refusal": REFUSAL}


def use_rules(tests: str) -> str:
    """Return the rules for what tests may use, with the names that they have: a kind and a name in each line."""
    plain = without_literals(tests)
    groups = {
        "operator": STANDARD_OPERATORS,
        "library": LIBRARY,
        "open": OPEN,
        "judge": (*JUDGES, *PINNED),
        "unlabelled": UNLABELLED,
        "implied": IMPLIED,
        "value": VALUES,
        "word": sorted({*WORD.findall(tests)}),
        "type": sorted(word for word in {*WORD.findall(plain)} if word[0].isupper()),
    }
    return "".join(f"{kind} {name}\n" for kind, names in groups.items() for name in names)


def pinned_types(candidate: str, tests: str) -> list[str]:
    """Return the types of the library's that a candidate declares too, and tests don't."""
    return [
        name
        for name in PINNED
        if name != "Any" and re.search(DECLARED % name, candidate) and not re.search(DECLARED % name, tests)
    ]


def rejection(candidate: str) -> str:
    """Return the command that ends the build of a candidate whose use could not be read; "" for others."""
    declared = {*OPERATOR.findall(candidate)}
    operators = sorted(name for name in declared if name in STANDARD_OPERATORS or "/*" in name or "*/" in name)
    found = UNNAMED.findall(candidate) or MODULE_NAME.findall(candidate) or [f"operator {name}" for name in operators]
    if not found:
        return ""
    return f"echo \"error: {REFUSAL}, because of its '{found[0]}'\" >&2; exit 1"
