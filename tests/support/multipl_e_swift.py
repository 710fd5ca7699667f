"""Records of our own in the shape of MultiPL-E's in Swift: {name: (prompt, tests, right completion, wrong ones)}."""

from support.attacks_swift import LIAR, PAIRS


def problem(head, result, checks, right, *wrong, before=""):
    """Return the parts of a record.

    Args:
        head: name and parameters of the function.
        result: its type.
        checks: calls with what they should return.
        right: body of a right function.
        wrong: bodies of wrong ones.
        before: declarations before the function.
    """
    prompt = f"{before}\n/// Return what it should.\n/// >>> f(1)\n/// 2\nfunc {head} -> {result} {{\n"
    asserts = "".join(f"assert({check})\n" for check in checks)
    return prompt, f"}}\n\n{PAIRS}{asserts}", *(f"    {body}\n" for body in (right, *wrong))


VALUE = """
enum Value: Equatable, Hashable {
    case intValue(Int)
    case doubleValue(Double)
    case stringValue(String)
}

            """
ERROR = "\nextension Bool: Error {}\n        "
RECORDS = {
    "add": problem(
        "add(x: Int, y: Int)",
        "Int",
        ["add(x: 0, y: 1) == 1", "add(x: 2, y: -3) == -1"],
        "return x + y",
        "return x - y",
        "return 1",
        "let far = Int.max; return far + y",
        'fatalError("unimplemented")',
        "return add(x: x, y: y)",
        "return y > 0 ? 1 : -1 // }\n/*",
        f"return 5\n}}\n{LIAR}func add(x: Int, y: Int) -> Liar {{\n    return 5",
        "return 5\n}\nfunc assert(_ holds: Bool) {\n",
        "return 5\n}\nextension Int { static func == (a: Int, b: Int) -> Bool { true } }\nfunc other() {\n",
        f"return 5\n}}\n{LIAR}typealias Int = Liar\nfunc other() {{\n",
    ),
    "half": problem(
        "half(n: Double)",
        "Double",
        ["half(n: 3) == 1.5", "half(n: 1e-5) == 5e-06", "half(n: -0.0) == 0.0", "half(n: 10) == 5.0"],
        "return n / 2",
        "return (n / 2).rounded()",
        "return Double(Int(n)) / 2",
    ),
    "is_even": problem(
        "is_even(n: Int)",
        "Bool",
        ["is_even(n: 4) == true", "is_even(n: 3) == false"],
        "return n % 2 == 0",
        "return true",
        "return n % 2 == 1",
    ),
    "flip_case": problem(
        "flip_case(string: String)",
        "String",
        [
            'flip_case(string: "") == ""',
            'flip_case(string: "Hello!") == "hELLO!"',
            'flip_case(string: "a\\n\\"B\\"\\t\\\\") == "A\\n\\"b\\"\\t\\\\"',
            'flip_case(string: "Ünï") == "üNÏ"',
        ],
        "return String(string.map { $0.isUppercase ? Character($0.lowercased()) : Character($0.uppercased()) })",
        "return string.lowercased()",
        'return string.isEmpty ? "" : "hELLO!"',
    ),
    "below_zero": problem(
        "prefixes(operations: [Int])",
        "[Int]",
        ["prefixes(operations: [] as [Int]) == [] as [Int]", "prefixes(operations: [1, 2, -4]) == [1, 3, -1]"],
        "var sum = 0; return operations.map { sum += $0; return sum }",
        "return operations",
        "return operations.isEmpty ? [] : [1, 3]",
    ),
    "pairs": problem(
        "pairs(n: Int)",
        "[(Int, Int)]",
        ["pairs(n: 2) == [(1, 2), (2, 4)]", "pairs(n: 0) == [] as [(Int, Int)]"],
        "return n < 1 ? [] : (1...n).map { ($0, 2 * $0) }",
        "return n < 1 ? [] : (1...n).map { ($0, $0) }",
        "return []",
    ),
    "tuple": problem(
        "sum_product(numbers: [Int])",
        "(Int, Int)",
        ["sum_product(numbers: [] as [Int]) == (0, 1)", "sum_product(numbers: [3, 5]) == (8, 15)"],
        "return (numbers.reduce(0, +), numbers.reduce(1, *))",
        "return (numbers.reduce(1, *), numbers.reduce(0, +))",
        "return (0, 1)",
    ),
    "optional": problem(
        "longest(strings: [String])",
        "String?",
        ["longest(strings: [] as [String]) == nil", 'longest(strings: ["a", "bb", "cc"]) == "bb"'],
        "return strings.first { $0.count == strings.map { $0.count }.max() }",
        'return strings.isEmpty ? "" : "bb"',
        "return strings.last",
        "return nil",
    ),
    "optional numbers": problem(
        "next_smallest(lst: [Int])",
        "Int?",
        ["next_smallest(lst: [1, 2, 3]) == 2", "next_smallest(lst: [1, 1]) == nil"],
        "let all = Set(lst).sorted(); return all.count > 1 ? all[1] : nil",
        "return lst.sorted()[1]",
        "return 2",
    ),
    "optional tuple": problem(
        "ends(lst: [Int])",
        "(Int?, Int?)",
        ["ends(lst: [2, 4]) == (2, 4)", "ends(lst: [] as [Int]) == (nil, nil)"],
        "return (lst.first, lst.last)",
        "return (lst.last, lst.first)",
        "return (2, 4)",
    ),
    "dictionary": problem(
        "histogram(test: String)",
        "[String : Int]",
        ['histogram(test: "a b b") == ["b" : 2, "a" : 1]', 'histogram(test: "") == [:] as [String : Int]'],
        "var all: [String: Int] = [:]\n"
        '    for each in test.split(separator: " ") { all[String(each), default: 0] += 1 }\n'
        "    return all",
        "return [:]",
        'return test.isEmpty ? [:] : ["b" : 1, "a" : 1]',
        'return test.isEmpty ? [:] : ["b" : 2, "a" : 1, "c" : 0]',
    ),
    "dictionary of numbers": problem(
        "groups(numbers: [Int])",
        "[Int : [Int]]",
        ["groups(numbers: [1, 2, 3]) == [1 : [1, 3], 0 : [2]]", "groups(numbers: [] as [Int]) == [:] as [Int : [Int]]"],
        "return Dictionary(grouping: numbers) { $0 % 2 }",
        "return [:]",
        "return Dictionary(grouping: numbers) { $0 % 3 }",
    ),
    "enumeration": problem(
        "compare_one(a: Value, b: Value)",
        "Value?",
        [
            "compare_one(a: .intValue(1), b: .intValue(2)) == .intValue(2)",
            "compare_one(a: .doubleValue(2.5), b: .intValue(1)) == .doubleValue(2.5)",
            'compare_one(a: .stringValue("1"), b: .intValue(1)) == nil',
            'compare_one(a: .stringValue("5,1"), b: .stringValue("6")) == .stringValue("6")',
        ],
        "func number(_ v: Value) -> Double {\n        switch v {\n        case .intValue(let n): return Double(n)\n"
        "        case .doubleValue(let n): return n\n"
        '        case .stringValue(let s): return Double(s.split(separator: ",").joined(separator: "."))!\n'
        "        }\n    }\n    return number(a) == number(b) ? nil : number(a) < number(b) ? b : a",
        "return a",
        "return b",
        "return nil",
        "return .intValue(2)",
        before=VALUE,
    ),
    "result": problem(
        "reversed(length: Int, text: String)",
        "Result<String, Bool>",
        [
            'reversed(length: -5, text: "G5") == .failure(false)',
            'reversed(length: 2, text: "ab") == .success("ba")',
        ],
        "return text.count == length ? .success(String(text.reversed())) : .failure(false)",
        'return .success("ba")',
        "return text.count == length ? .success(text) : .failure(false)",
        "return .failure(false)",
        before=ERROR,
    ),
    "anything": problem(
        "integers(values: [AnyHashable])",
        "[Int]",
        [
            "integers(values: [] as [AnyHashable]) == [] as [Int]",
            'integers(values: [4, [:] as [AnyHashable : AnyHashable], [] as [AnyHashable], 23.2, 9, "ad"]) == [4, 9]',
        ],
        "return values.compactMap { $0 as? Int }",
        "return values.isEmpty ? [] : [4]",
        "return []",
    ),
    "anything returned": problem(
        "unique(values: [AnyHashable])",
        "[AnyHashable]",
        [
            'unique(values: [true, "a", true, 2.5]) == [true, "a", 2.5]',
            "unique(values: [1, 0, 1]) == [1, 0]",
        ],
        "return values.enumerated().filter { values.firstIndex(of: $1) == $0 }.map { $1 }",
        "return values",
        "return values[0] == AnyHashable(true) ? [1, values[1], values[3]] : [values[0], values[1]]",
        "return values[0] == AnyHashable(1) ? [true, false] : [values[0], values[1], values[3]]",
    ),
    "lists of lists": problem(
        "rows(n: Int)",
        "[[Int]]",
        ["rows(n: 2) == [[1], [1, 2]]", "rows(n: 0) == [] as [[Int]]"],
        "return n < 1 ? [] : (1...n).map { Array(1...$0) }",
        "return n < 1 ? [] : (1...n).map { [$0] }",
    ),
    "Foundation": problem(
        "closest(numbers: [Double])",
        "Double",
        ["closest(numbers: [3.0, 4.0]) == 5.0", "closest(numbers: [1e100, 0.0]) == 1e+100"],
        "return sqrt(numbers.reduce(0) { $0 + pow($1 / scale(numbers), 2) }) * scale(numbers)\n}\n"
        "func scale(_ all: [Double]) -> Double {\n    return all.map { abs($0) }.max()!",
        "return numbers.reduce(0, +)",
        before="import Foundation\n",
    ),
}
