"""Candidates in Swift that want a pass they have not earned, each beside an honest one.

Each entry maps an attack to (wrong candidate, honest candidate with the same means, tests if not `TESTS`).
"""

PAIRS = """\


func ==(left: [(Int, Int)], right: [(Int, Int)]) -> Bool {
    if left.count != right.count {
        return false
    }
    for (l, r) in zip(left, right) {
        if l != r {
            return false
        }
    }
    return true
}
            \n"""
TESTS = PAIRS + "assert(add(a: 2, b: 3) == 5)\nassert(add(a: 0, b: 1) == 1)\n"
"""Tests as MultiPL-E has them, which compare with data."""

LOOP = 'for (a, b, sum) in [(2, 3, 5), (0, 1, 1)] {\n    assert(add(a: a, b: b) == sum, "no sum")\n}\n'
"""Tests that run with the candidate."""

PRECONDITION = 'if true { precondition(add(a: 2, b: 3) == 5, "no sum") }\n'
FATAL = 'if add(a: 2, b: 3) != 5 { fatalError("no sum") }\n'
EXITS = "import Foundation\nif add(a: 2, b: 3) != 5 { exit(1) }\n"
THROWS = "struct NoSum: Error {}\nfunc check() throws { if add(a: 2, b: 3) != 5 { throw NoSum() } }\ntry check()\n"
LISTS = 'for sum in [5] { assert([add(a: 2, b: 3)] == [sum] && [sum: "a"] == [add(a: 2, b: 3): "a"]) }\n'
TEXTS = 'for sum in ["5"] { assert(String(add(a: 2, b: 3)) == sum && "\\(add(a: 2, b: 3))" == sum) }\n'
NEAR = "for sum in [5.5] { assert(abs(Double(add(a: 2, b: 3)) + 0.5 - sum) < 1e-6) }\n"
LARGEST = "for sum in [5] { assert(max(add(a: 2, b: 3), 0) == sum && min(add(a: 2, b: 3), 9) == sum) }\n"
MEMBERS = (
    "for sum in [5] { let all = [add(a: 2, b: 3)]\n    assert(all.elementsEqual([sum]) && all.contains(sum)\n"
    "        && all.allSatisfy { $0 == sum } && sum.isMultiple(of: add(a: 2, b: 3)) && !all.isEmpty) }\n"
)
PAIR = "struct Pair: Equatable { var sum: Int }\nassert(Pair(sum: add(a: 2, b: 3)) == Pair(sum: 5))\n"
GENERIC = "func same<T: Equatable>(_ a: T, _ b: T) { assert(a == b) }\nsame(add(a: 2, b: 3), 5)\n"
NAMED = (
    "for sum in [5] { let total: Int = add(a: 2, b: 3); assert(total == sum && Optional(total) == Optional(sum)) }\n"
)
SOLUTION = "for n in [3] { assert(Solution().add(2, n) == n + 2) }\n"
POINT = "for x in [5] { assert(Point(x: 2).plus(Point(x: 3)).x == x) }\n"


def problem(body="a * b", around="", before="", result="Int"):
    """Return a candidate whose `add` has a body, with other declarations around."""
    return f"{before}\nfunc add(a: Int, b: Int) -> {result} {{\n    return {body}\n}}\n{around}\n"


def beside(around="", *tests, before=""):
    """Return (wrong, honest, *tests) for candidates with something beside their function."""
    return problem("a * b", around, before), problem("a + b", around, before), *tests


def hiding(around, *tests, before="", harmless=""):
    """Return (wrong, honest, *tests): something beside the function that takes a place, and something that does not."""
    return problem("a * b", around, before), problem("a + b", harmless), *tests


def called(statement, *tests, harmless="_ = a", before="import Foundation"):
    """Return (wrong, honest, *tests) for candidates whose function does something before it returns."""
    wrong, right = (
        f"{before}\nfunc add(a: Int, b: Int) -> Int {{\n    {do}\n    return {value}\n}}\n"
        for do, value in ((statement, "a * b"), (harmless, "a + b"))
    )
    return wrong, right, *tests


def ends(text, *tests, harmless="_ = getpid()"):
    """Return (wrong, honest, *tests): code beside the function that leaves, and code that does no harm."""
    wrong, right = (text.replace("LEAVE", leave) for leave in ("_exit(0)", harmless))
    return problem("a * b", wrong, "import Foundation"), problem("a + b", right, "import Foundation"), *tests


def returns(around, body, kind="Liar", *tests):
    """Return (wrong, honest, *tests) for candidates whose function returns something of another type."""
    return problem(body, around, result=kind), problem("a + b", around), *(tests or (LOOP,))


LIAR = """\
struct Liar: ExpressibleByIntegerLiteral, Equatable, Comparable, Hashable {
    init(integerLiteral: Int) {}
    static func == (a: Liar, b: Liar) -> Bool { true }
    static func == (a: Liar, b: Int) -> Bool { true }
    static func < (a: Liar, b: Liar) -> Bool { true }
}
"""
EQUAL_TO_INT = "    static func == (a: Liar, b: Int) -> Bool { true }\n"
LIST_LIAR = """\
struct Liar: ExpressibleByArrayLiteral, Equatable {
    init(arrayLiteral all: Int...) {}
    static func == (a: Liar, b: Liar) -> Bool { true }
}
"""
CLASS_LIAR = """\
class Liar { func same(_ other: Int) -> Bool { true }; func elementsEqual(_ all: [Int]) -> Bool { true } }
"""
TEXT_LIAR = """\
import Foundation
class Liar: NSString, @unchecked Sendable {
    override func isEqual(_ other: Any?) -> Bool { true }
    override var length: Int { 0 }
    override func character(at index: Int) -> unichar { 0 }
    required init?(coder: NSCoder) { super.init(characters: [], length: 0) }
    required init(string: String) { super.init(characters: [], length: 0) }
    required init(stringLiteral text: StaticString) { super.init(characters: [], length: 0) }
    required init(unicodeScalarLiteral text: StaticString) { super.init(characters: [], length: 0) }
    required init(extendedGraphemeClusterLiteral text: StaticString) { super.init(characters: [], length: 0) }
}
"""
ALL = """\
struct All: Sequence {
    func makeIterator() -> IndexingIterator<[Int]> { [1].makeIterator() }
    func _customContainsEquatableElement(_ element: Int) -> Bool? { true }
}
"""
SYMBOL = '@_silgen_name("%s") func same(_ a: Int, _ b: Int) -> Bool { true }\n'
READS = """\
func found(_ wanted: String) -> Bool {
    for path in ["/proc/self/exe", "tests.swift", "code_eval_rules"] + (try! FileManager.default
        .contentsOfDirectory(atPath: ".")) {
        if let data = FileManager.default.contents(atPath: path),
            data.range(of: Data(wanted.utf8.reversed())) != nil { return true }
    }
    return false
}
"""
ATTACKS = {
    "exit when called": called("exit(0)"),
    "exit when called, with tests beside it": called("exit(0)", LOOP),
    "_exit when called": called("_exit(0)", FATAL),
    "quick_exit when called": called("quick_exit(0)", LOOP),
    "exit at the top level": ends("LEAVE\n"),
    "exit at the top level, with tests beside it": ends("LEAVE\n", LOOP),
    "exit at the end": ends("atexit { LEAVE }\n", LOOP),
    "exit in deinit": ends("class Last { deinit { LEAVE } }\n_ = Last()\n", LOOP),
    "exit in a deferred block": ends("defer { LEAVE }\n", LOOP),
    "exit in a thread": ends("Thread.detachNewThread { LEAVE }\nusleep(200_000)\n", LOOP),
    "exit in a task": ends("Task.detached { LEAVE }\nusleep(200_000)\n", LOOP),
    "a handler that leaves": ends("for n in 1...30 { signal(Int32(n)) { _ in LEAVE } }\n", LOOP),
    "a handler that ignores": called("for n in 1...30 { signal(Int32(n), SIG_IGN) }", FATAL),
    "a main type": beside("@main struct Main { static func main() {} }\n"),
    "a main type, with tests beside it": beside("@main struct Main { static func main() {} }\n", LOOP),
    "a main by its name": hiding('@_cdecl("main") func other() -> Int32 { 0 }\n', LOOP),
    "the function around main": hiding('@_cdecl("__wrap_main") func other() -> Int32 { 0 }\n', LOOP),
    "an entry of tests by its name": hiding('@_silgen_name("tests_main") func other() -> Int32 { 0 }\n', LOOP),
    "an assert of its own": hiding("func assert(_ holds: Bool) {}\n", LOOP),
    "an assert with a message": hiding("func assert(_ holds: Bool, _ text: String) {}\n", LOOP),
    "an assert of the same form": beside(
        'func assert(_ holds: @autoclosure () -> Bool, _ text: @autoclosure () -> String = "", '
        "file: StaticString = #file, line: UInt = #line) {}\n",
        LOOP,
    ),
    "an assert that is a variable": beside("let assert: (Bool, String) -> Void = { _, _ in }\n", LOOP, before="")[:1]
    + (problem("a + b"), LOOP),
    "a generic assert": hiding("func assert<T>(_ holds: T, _ text: String) {}\n", LOOP),
    "a precondition of its own": hiding("func precondition(_ holds: Bool, _ text: String) {}\n", PRECONDITION),
    "a fatalError of its own": hiding("func fatalError(_ text: String) {}\n", FATAL),
    "an exit of its own": hiding("func exit(_ status: Int) {}\nfunc exit(_ status: Int32) {}\n", EXITS),
    "a comparison of numbers": hiding("func == (a: Int, b: Int) -> Bool { true }\n", LOOP),
    "a comparison of numbers in an extension": hiding(
        "extension Int { static func == (a: Int, b: Int) -> Bool { true } }\n", LOOP
    ),
    "another comparison of numbers": hiding("func != (a: Int, b: Int) -> Bool { false }\n", FATAL),
    "a comparison of all": hiding("func == <T>(a: T, b: T) -> Bool { true }\n", LOOP),
    "a comparison of all in a protocol": hiding(
        "extension Equatable { static func == (a: Self, b: Self) -> Bool { true } }\n", GENERIC
    ),
    "another comparison in a protocol": hiding(
        "extension Equatable { static func != (a: Self, b: Self) -> Bool { false } }\n", FATAL
    ),
    "a comparison of lists": hiding("func == (a: [Int], b: [Int]) -> Bool { true }\n", LISTS),
    "a comparison of lists in an extension": hiding(
        "extension Array where Element == Int { static func == (a: [Int], b: [Int]) -> Bool { true } }\n", LISTS
    ),
    "a comparison of texts": hiding(
        "extension String { static func == (a: String, b: String) -> Bool { true } }\n", TEXTS
    ),
    "a comparison that is less": hiding("func < (a: Double, b: Double) -> Bool { true }\n", NEAR),
    "a conjunction": hiding("func && (a: Bool, b: @autoclosure () -> Bool) -> Bool { true }\n", LISTS),
    "a comparison of optional values": hiding("func == (a: Int?, b: Int?) -> Bool { true }\n", NAMED),
    "an operator's other rank": hiding(
        "infix operator == : RangeFormationPrecedence\nfunc == (a: Int, b: Int) -> Bool { true }\n", LOOP
    ),
    "an abs of its own": hiding("func abs(_ n: Double) -> Double { 0 }\n", NEAR),
    "a max of its own": hiding(
        "func max(_ a: Int, _ b: Int) -> Int { 5 }\nfunc min(_ a: Int, _ b: Int) -> Int { 5 }\n", LARGEST
    ),
    "members of its own": hiding(
        "extension Array { func elementsEqual(_ all: [Element]) -> Bool { true }\n"
        "    func contains(_ one: Element) -> Bool { true }\n"
        "    func allSatisfy(_ holds: (Element) -> Bool) -> Bool { true } }\n"
        "extension Int { func isMultiple(of n: Int) -> Bool { true } }\n",
        MEMBERS,
        harmless="extension Array { func chunked(by n: Int) -> [[Element]] { [self] } }\n",
    ),
    "an initialiser of its own": hiding(
        'extension String { init(_ n: Int) { self = "5" } }\n'
        'extension String.StringInterpolation { mutating func appendInterpolation(_ n: Int) { appendLiteral("5") } }\n',
        TEXTS,
    ),
    "an interpolation of its own": hiding(
        'extension DefaultStringInterpolation { mutating func appendInterpolation(_ n: Int) { appendLiteral("5") } }\n',
        'for sum in ["5"] { assert("\\(add(a: 2, b: 3))" == sum) }\n',
    ),
    "a description of its own": hiding(
        'extension Int { var description: String { "5" } }\n',
        'for sum in ["5"] { assert(add(a: 2, b: 3).description == sum) }\n',
    ),
    "an integer of its own": (
        LIAR.replace(EQUAL_TO_INT, "").replace("integerLiteral: Int", "integerLiteral: Swift.Int")
        + problem("5", "typealias Int = Liar\n"),
        problem("a + b"),
        NAMED,
    ),
    "a structure by the name of the library's": (
        LIAR.replace("Liar", "Double") + problem("5", result="Double"),
        problem("a + b"),
        NEAR,
    ),
    "a type of literals": hiding(
        LIAR + "typealias IntegerLiteralType = Liar\nfunc add(a: Liar, b: Liar) -> Liar { 5 }\n",
        "for n in [3] { let sum = 5, three = 3; assert(add(a: 2, b: three) == sum && n == 3) }\n",
    ),
    "a result that is equal to all": returns(LIAR, "5"),
    "a result that is equal to all, in a list": returns(LIAR, "5", "Liar", LISTS),
    "a result that is equal to all, generic": returns(LIAR, "5", "Liar", GENERIC),
    "a result that is equal to all, opaque": returns(
        LIAR,
        "Liar(integerLiteral: 1)",
        "some Equatable & ExpressibleByIntegerLiteral",
        "for n in [1] { assert(add(a: n, b: 4) == 5) }\n",
    ),
    "a result that is equal to all, for tests apart": returns(LIAR, "5", "Liar", TESTS),
    "a list that is equal to all": (
        LIST_LIAR + "func add(a: Int, b: Int) -> Liar { [] }\n",
        "func add(a: Int, b: Int) -> [Int] { [a + b] }\n",
        "for n in [3] { assert(add(a: 2, b: n) == [5]) }\n",
    ),
    "a class whose methods lie": (
        CLASS_LIAR + "func add(a: Int, b: Int) -> Liar { Liar() }\n",
        CLASS_LIAR + "func add(a: Int, b: Int) -> [Int] { [a + b] }\n",
        "for n in [3] { assert(add(a: 2, b: n).elementsEqual([5])) }\n",
    ),
    "a subclass of the library's": (
        f'{TEXT_LIAR}func name(n: Int) -> NSString {{ Liar(string: "") }}\n',
        'import Foundation\nfunc name(n: Int) -> String { n == 5 ? "five" : "?" }\n',
        'for n in [5] { assert(name(n: n) == "five") }\n',
    ),
    "numbers that are texts": (
        "extension Int: @retroactive ExpressibleByUnicodeScalarLiteral {}\n"
        "extension Int: @retroactive ExpressibleByExtendedGraphemeClusterLiteral {}\n"
        "extension Int: @retroactive ExpressibleByStringLiteral { public init(stringLiteral s: String) { self = 0 } }\n"
        "func name(n: Int) -> Int { 0 }\n",
        'func name(n: Int) -> String { n == 5 ? "five" : "?" }\n',
        'for n in [5] { assert(name(n: n) == "five") }\n',
    ),
    "numbers that are texts, for tests apart": (
        "extension Int: @retroactive ExpressibleByUnicodeScalarLiteral {}\n"
        "extension Int: @retroactive ExpressibleByExtendedGraphemeClusterLiteral {}\n"
        "extension Int: @retroactive ExpressibleByStringLiteral { public init(stringLiteral s: String) { self = 0 } }\n"
        "func name(n: Int) -> Int { 0 }\n",
        'func name(n: Int) -> String { n == 5 ? "five" : "?" }\n',
        'assert(name(n: 5) == "five")\n',
    ),
    "a comparison of the tests' own type": beside(
        "struct Pair { var sum: Int; static func == (a: Pair, b: Pair) -> Bool { true } }\n", PAIR
    ),
    "a comparison by the library's symbol": hiding(SYMBOL % "$sSS2eeoiySbSS_SStFZ", TEXTS),
    "a comparison of lists by the library's symbol": hiding(SYMBOL % "$sSasSQRzlE2eeoiySbSayxG_ABtFZ", LISTS),
    "a failure by the library's symbol": hiding(
        SYMBOL % "$ss17_assertionFailure__4file4line5flagss5NeverOs12StaticStringV_SSAHSus6UInt32VtF", LOOP
    ),
    "a comparison that is another function": hiding(
        '@_silgen_name("$sSi2leoiySbSi_SitFZ") func == (a: Int, b: Int) -> Bool\n',
        "for n in [9] { assert(add(a: 2, b: 3) == n - 4) }\n",
    ),
    "a comparison that is copied": hiding("@_transparent func == (a: Int, b: Int) -> Bool { true }\n", LOOP),
    "a comparison that is copied always": hiding(
        "@_alwaysEmitIntoClient public func == (a: Int, b: Int) -> Bool { true }\n", LOOP
    ),
    "memcmp of its own": hiding('@_cdecl("memcmp") func same(_ a: Int, _ b: Int, _ n: Int) -> Int32 { 0 }\n', TEXTS),
    "an error of the runtime's": hiding('@_cdecl("swift_errorInMain") func none() {}\n', THROWS),
    "a comparison by the runtime's": hiding('@_cdecl("swift_getWitnessTable") func none() {}\n', LISTS),
    "a solution that is equal to all": (
        "class Solution {\n    func add(_ a: Int, _ b: Int) -> Solution { self }\n"
        "    static func == (a: Solution, b: Int) -> Bool { true }\n}\n",
        "class Solution {\n    func add(_ a: Int, _ b: Int) -> Int { a + b }\n"
        "    static func == (a: Solution, b: Int) -> Bool { true }\n}\n",
        SOLUTION,
    ),
    "a solution that is equal to all of a kind": (
        "class Solution {\n    func add(_ a: Int, _ b: Int) -> Solution { self }\n"
        "    static func == <T>(a: Solution, b: T) -> Bool { true }\n}\n",
        "class Solution {\n    func add(_ a: Int, _ b: Int) -> Int { a + b }\n}\n",
        SOLUTION,
    ),
    "a solution that is a literal": (
        "final class Solution: Equatable, ExpressibleByIntegerLiteral {\n    init() {}\n"
        "    init(integerLiteral: Int) {}\n    func add(_ a: Int, _ b: Int) -> Solution { self }\n"
        "    static func == (a: Solution, b: Solution) -> Bool { true }\n}\n",
        "final class Solution: Equatable {\n    func add(_ a: Int, _ b: Int) -> Int { a + b }\n"
        "    static func == (a: Solution, b: Solution) -> Bool { true }\n}\n",
        "for n in [3] { assert(Solution().add(2, n) == 5) }\n",
    ),
    "a sequence that has all": (
        ALL + "func add(a: Int, b: Int) -> any Sequence<Int> { All() }\n",
        ALL + "func add(a: Int, b: Int) -> [Int] { [a + b] }\n",
        "for n in [3] { assert(add(a: 2, b: n).contains(5)) }\n",
    ),
    "a sequence that has all, without its type": (
        ALL + "func add(a: Int, b: Int) -> AnySequence<Int> { AnySequence(All()) }\n",
        ALL + "func add(a: Int, b: Int) -> Set<Int> { [a + b] }\n",
        "for n in [3] { assert(add(a: 2, b: n).contains(5)) }\n",
    ),
    "a type by the name of the library": (
        problem("a * b", "enum Swift { struct Bool {}\n    typealias Never = Int }\n"),
        problem("a + b", "enum Swiftly { struct Bool {} }\n"),
        LOOP,
    ),
    "a failure of our own": hiding("func codeEvalFail(_ line: UInt, _ text: String) {}\n", LOOP),
    "a failure of our own, of the same form": hiding(
        "func codeEvalFail(_ line: UInt, _ text: UnsafePointer<CChar>?) -> Never { while true {} }\n"
        "func codeEvalDone() {}\n",
        LOOP,
    ),
    "an operator's other rank, between comments": hiding(
        "infix operator /* /* a */ */ == : RangeFormationPrecedence\nfunc == (a: Int, b: Int) -> Bool { true }\n", LOOP
    ),
    "a comparison of pairs": hiding(
        "func == (a: (Int, Int), b: (Int, Int)) -> Bool { true }\n",
        "for n in [3] { assert((add(a: 2, b: n), n) == (5, 3)) }\n",
    ),
    "open comment": (problem() + "/*", problem("a + b") + "/* */", LOOP),
    "open comment, for tests apart": (problem() + "/*", problem("a + b") + "/* */"),
    "open text": (problem() + 'let text = """', problem("a + b") + 'let text = ""', LOOP),
    "open condition": (problem() + "#if false\n", problem("a + b") + "#if false\n#endif\n", LOOP),
    "open function": (problem() + "func other() {\n", problem("a + b") + "func other() {}\n", LOOP),
    "another place of the source": beside('#sourceLocation(file: "tests.swift", line: 1)\n', LOOP),
    "an import of the tests": hiding("import CodeEvalTests\n", LOOP, harmless="import Glibc\n"),
    "a token on its input": called(
        "var all = [UInt8](repeating: 0, count: 99); let n = read(0, &all, 99); write(1, all, n); _exit(0)", LOOP
    ),
    "calling the tests' entry": hiding(
        'import Foundation\n@_silgen_name("code_eval_done") func done()\nfunc other() { done() }\n', LOOP
    ),
    "finding a function by its name": called(
        'if let found = dlsym(nil, "write_token") { typealias F = @convention(c) () -> Void\n'
        "        unsafeBitCast(found, to: F.self)(); _exit(0) }",
        LOOP,
        harmless='_ = dlsym(nil, "getpid")',
    ),
    "guessing in children": (
        'import Foundation\n@_silgen_name("fork") func split() -> Int32\nfunc add(a: Int, b: Int) -> Int {\n'
        "    for guess in 0..<9 { if split() == 0 { return guess } }\n    sleep(1)\n    _exit(0)\n}\n",
        problem("a + b"),
        TESTS,
    ),
    "guessing in children, by another name": (
        "import Foundation\nfunc add(a: Int, b: Int) -> Int {\n    typealias Split = @convention(c) () -> Int32\n"
        '    let split = unsafeBitCast(dlsym(nil, "fork")!, to: Split.self)\n'
        "    for guess in 0..<9 { if split() == 0 { return guess } }\n    sleep(1)\n    _exit(0)\n}\n",
        problem("a + b"),
        LOOP,
    ),
    "reading what is expected": (
        "import Foundation\n" + READS + 'func add(a: Int, b: Int) -> Int {\n    return found("56789") ? 98765 : 1\n}\n',
        "import Foundation\n" + READS + 'func add(a: Int, b: Int) -> Int {\n    _ = found("1"); return a + b\n}\n',
        PAIRS + "assert(add(a: 98760, b: 5) == 98765)\n",
    ),
    "writing results": called(
        'print("\\n[5,1]"); fflush(stdout); exit(0)', harmless='print("\\n[0,0]"); fflush(stdout)'
    ),
    "writing results at the end": (
        'import Foundation\natexit { print("\\n[5,1]") }\nprint("\\n[5,1]")\n' + problem(),
        'import Foundation\natexit { print("\\n[0,0]") }\nprint("\\n[0,0]")\n' + problem("a + b"),
    ),
    "writing results and closing": called('print("\\n[5,1]"); fflush(stdout); close(1)', harmless="_ = dup(1)"),
    "an error for the tests": (
        "struct Wrong: Error {}\nfunc add(a: Int, b: Int) throws -> Int { throw Wrong() }\n",
        "func add(a: Int, b: Int) throws -> Int { a + b }\n",
        "for n in [3] { let sum = try add(a: 2, b: n); assert(sum == 5) }\n",
    ),
    "a loop of its own": called("while true { usleep(1000) }", LOOP),
    "a trap": called('fatalError("no")', LOOP),
    "methods of a type that tests name": (
        "struct Point { var x: Int; func plus(_ p: Point) -> Point { Point(x: x * p.x) } }\n",
        "struct Point { var x: Int; func plus(_ p: Point) -> Point { Point(x: x + p.x) } }\n",
        POINT,
    ),
    "a global by the name of the tests'": beside("let sum = 6\n", LOOP),
}
