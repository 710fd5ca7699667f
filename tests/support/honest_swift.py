"""Right candidates in Swift with their tests, as models and benchmarks write them: {shape: (candidate, tests)}."""

from support.attacks_swift import LISTS, LOOP, MEMBERS, NEAR, PAIR, TESTS, TEXTS, THROWS, problem

PLUS = problem("a + b")


def checked(candidate, *claims):
    """Return (candidate, tests) whose tests check each claim, with the candidate."""
    return f"{candidate}\n", "for _ in 0..<1 {\n" + "".join(f"    assert({claim})\n" for claim in claims) + "}\n"


SWIFT = {
    "MultiPL-E": (PLUS, TESTS),
    "a loop": (PLUS, LOOP),
    "comparisons of lists": (PLUS, LISTS),
    "comparisons of texts": (PLUS, TEXTS),
    "a difference": (PLUS, NEAR),
    "members of the library": (PLUS, MEMBERS),
    "a type of the tests' own": (PLUS, PAIR),
    "an error of the tests' own": (PLUS, THROWS),
    "variables": (PLUS, 'let sum = add(a: 2, b: 3)\nvar expected: Int = 5\nassert(sum == expected, "no sum")\n'),
    "a whole program": (PLUS + TESTS, ""),
    "a whole program that prints": (PLUS + "print(add(a: 2, b: 3))\nassert(add(a: 2, b: 3) == 5)\n", ""),
    "statements at the top level": (
        "var memo: [Int: Int] = [:]\nlet limit = 5\nfunc twice(n: Int) -> Int {\n    memo[n] = min(2 * n, limit)\n"
        "    return memo[n]!\n}\nprint(twice(n: 1))\n",
        "assert(twice(n: 3) == 5)\nassert(twice(n: 2) == 4)\n",
    ),
    "a main type": ("@main struct App { static func main() { print(add(a: 1, b: 1)) } }\n" + PLUS, TESTS),
    "imports of the candidate's": (
        "import Foundation\n" + PLUS,
        "for sum in [5.0] { assert(sqrt(Double(add(a: 20, b: 5))) == sum) }\n",
    ),
    "a class": (
        "class Solution {\n    func twoSum(_ nums: [Int], _ target: Int) -> [Int] {\n"
        "        var seen: [Int: Int] = [:]\n"
        "        for (i, n) in nums.enumerated() {\n            if let j = seen[target - n] { return [j, i] }\n"
        "            seen[n] = i\n        }\n        return []\n    }\n}\n",
        "assert(Solution().twoSum([2, 7], 9) == [0, 1])\nlet solution = Solution()\n"
        'for target in [6] { precondition(solution.twoSum([3, 3], target) == [0, 1], "no indices") }\n',
    ),
    "a generic stack": checked(
        "struct Stack<Element> {\n    private var all: [Element] = []\n    var isEmpty: Bool { all.isEmpty }\n"
        "    mutating func push(_ one: Element) { all.append(one) }\n"
        "    mutating func pop() -> Element? { all.popLast() }\n    subscript(i: Int) -> Element { all[i] }\n}\n",
        "{ var s = Stack<Int>(); s.push(3); return s.pop() == 3 && s.isEmpty }()",
        '{ var s = Stack<String>(); s.push("a"); return s[0] == "a" }()',
    ),
    "an operator of its own type": checked(
        "struct Vector: Equatable { var x = 0, y = 0\n"
        "    static func + (a: Vector, b: Vector) -> Vector { Vector(x: a.x + b.x, y: a.y + b.y) } }\n"
        "prefix func - (a: Vector) -> Vector { Vector(x: -a.x, y: -a.y) }",
        "Vector(x: 1, y: 2) + Vector(x: 1) == Vector(x: 2, y: 2)",
        "-Vector(x: 1) == Vector(x: -1)",
    ),
    "an operator of its own": checked(
        "infix operator **: MultiplicationPrecedence\n"
        "func ** (a: Int, b: Int) -> Int { (0..<b).reduce(1) { all, _ in all * a } }",
        "2 ** 3 == 8",
    ),
    "extensions of the library": checked(
        "extension String { var isPalindrome: Bool { self == String(reversed()) }\n"
        '    func shouted(times n: Int) -> String { uppercased() + String(repeating: "!", count: n) } }\n'
        "extension Array where Element == Int { func sumOfSquares() -> Int { reduce(0) { $0 + $1 * $1 } } }\n"
        "extension Int { var digits: [Int] { String(self).compactMap { $0.wholeNumberValue } } }\n"
        "extension Collection { subscript(safely i: Index) -> Element? { indices.contains(i) ? self[i] : nil } }",
        '"abba".isPalindrome && !"ab".isPalindrome && "a".shouted(times: 2) == "A!!"',
        "12.digits == [1, 2]",
        "[1, 2].sumOfSquares() == 5 && [1][safely: 1] == nil && [1][safely: 0] == 1",
    ),
    "extensions that tests don't use": (
        "extension String { subscript(i: Int) -> Character { self[index(startIndex, offsetBy: i)] } }\n"
        "extension Int { static func + (a: Int, b: Double) -> Double { Double(a) + b } }\n"
        "func first(text: String) -> Character { text[0] }\n",
        'for text in ["abc"] { assert(first(text: text) == "a") }\n',
    ),
    "protocols": checked(
        "protocol Shape { var area: Double { get } }\nextension Shape { var twice: Double { 2 * area } }\n"
        "struct Square: Shape { let side: Double; var area: Double { side * side } }\n"
        "final class Circle: Shape { let radius: Double; init(radius: Double) { self.radius = radius }\n"
        "    var area: Double { 3 * radius * radius } }\n"
        "func total(of shapes: [any Shape]) -> Double { shapes.reduce(0) { $0 + $1.area } }",
        "total(of: [Square(side: 2), Circle(radius: 1)] as [any Shape]) == 7",
        "Square(side: 1).twice == 2",
    ),
    "enumerations": checked(
        "enum Suit: String, CaseIterable { case hearts, spades; var isRed: Bool { self == .hearts } }\n"
        "enum Failure: Error, Equatable { case negative(Int) }\n"
        "func root(of n: Int) throws -> Int {\n    guard n >= 0 else { throw Failure.negative(n) }\n    return n\n}\n"
        "func suit(named name: String) -> Suit? { Suit(rawValue: name) }",
        "Suit.allCases.count == 2 && Suit.hearts.isRed",
        'suit(named: "spades") == Suit.spades',
        "(try? root(of: 4)) == 4",
        "{ do { _ = try root(of: -1); return false } catch { return error as? Failure == .negative(-1) } }()",
    ),
    "a max with labels": checked("func max(a: Int, b: Int) -> Int { a > b ? a : b }", "max(a: 1, b: 2) == 2"),
    "generic functions": checked(
        "func unique<T: Hashable>(_ all: [T]) -> [T] {\n    var seen = Set<T>()\n"
        "    return all.filter { seen.insert($0).inserted }\n}",
        'unique([1, 1, 2]) == [1, 2] && unique(["a"]) == ["a"]',
    ),
    "functions": checked(
        "func adder(_ n: Int) -> (Int) -> Int { { $0 + n } }\n"
        "func apply(_ f: (Int, Int) -> Int, to a: Int, _ b: Int = 1) -> Int { f(a, b) }\n"
        "func bump(_ n: inout Int) { n += 1 }\nfunc sum(_ all: Int...) -> Int { all.reduce(0, +) }",
        "adder(2)(3) == 5 && apply(+, to: 2) == 3 && sum(1, 2, 3) == 6",
        "{ var n = 1; bump(&n); return n == 2 }()",
    ),
    "tuples": checked(
        "func ends(_ all: [Int]) -> (first: Int, last: Int)? { all.isEmpty ? nil : (all[0], all[all.count - 1]) }",
        "ends([1, 2])! == (1, 2) && ends([]) == nil && ends([3])?.first == 3",
    ),
    "an actor": (
        "actor Counter { private var n = 0; func up() -> Int { n += 1; return n } }\n"
        "func later(_ n: Int) async -> Int { await Task.yield(); return n + 1 }\n",
        "let counter = Counter()\nlet one = await counter.up()\nassert(one == 1)\nlet two = await later(1)\n"
        "assert(two == 2)\n",
    ),
    "Foundation": (
        'import Foundation\nfunc day(of text: String) -> Int {\n    let parts = text.components(separatedBy: "-")\n'
        "    return Int(parts[2].trimmingCharacters(in: .whitespaces))!\n}\n"
        'func shown(_ n: Double) -> String { String(format: "%.2f", n) }\n',
        'assert(day(of: "2024-01-31 ") == 31)\nassert(shown(2.5) == "2.50")\n',
    ),
    "rounding without Foundation": checked("func near(_ n: Double) -> Double { n.rounded() }", "near(2.6) == 3"),
    "text of its own": (
        'func name() -> String { """\n  a "b" // c\n  """ }\nfunc raw() -> String { #"\\n"# }\n',
        'assert(name() == "a \\"b\\" // c")\nassert(raw() == "\\\\n")\n',
    ),
}
