"""The program in Swift that makes the calls of tests, and writes their results as JSON. Used by `swift`."""

from __future__ import annotations

RESULTS_MARK = "code_eval_results_of_plain_tests"
"""A name in tests that make calls alone, for the function of the token's file that writes their results."""

PROGRAM = """\
%(imports)s
%(pairs)s
var codeEvalAll = ""
%(statements)s
%(types)s
codeEvalFinish()

@_silgen_name("%(mark)s") func codeEvalResults(_ text: Swift.UnsafePointer<Swift.UInt8>, _ length: Swift.Int)

func codeEvalFinish() {
    codeEvalAll += "]\\n"
    let bytes = Swift.Array<Swift.UInt8>(codeEvalAll.utf8)
    codeEvalResults(bytes, bytes.count)
}

func codeEvalAdd<T>(_ value: T) {
    codeEvalAll += codeEvalAll.isEmpty ? "\\n[" : ","
    codeEvalWrite(value)
}

func codeEvalWrite(_ value: Any) {
    if Swift.type(of: value) == Swift.AnyHashable.self, let base = (value as? Swift.AnyHashable)?.base {
        let kind = base is Swift.Bool ? "Bool" : base is any Swift.Numeric ? "number" : ""
        if !kind.isEmpty {
            codeEvalAll += "{"
            codeEvalWriteKey(kind)
        }
        codeEvalWrite(base)
        codeEvalAll += kind.isEmpty ? "" : "}"
    } else if let text = value as? any Swift.StringProtocol {
        codeEvalQuote(Swift.String(text))
    } else if let each = value as? Swift.Character {
        codeEvalQuote(Swift.String(each))
    } else if let holds = value as? Swift.Bool {
        codeEvalAll += holds ? "true" : "false"
    } else if let whole = value as? any Swift.BinaryInteger {
        codeEvalAll += whole.description
    } else if let number = value as? any Swift.BinaryFloatingPoint {
        let shown = "\\(number)"
        codeEvalAll += shown == "nan" || shown == "-nan" ? "NaN" : shown == "inf" ? "Infinity"
            : shown == "-inf" ? "-Infinity" : shown
    } else {
        codeEvalWriteParts(Swift.Mirror(reflecting: value), value)
    }
}

func codeEvalWriteParts(_ mirror: Swift.Mirror, _ value: Any) {
    let style = mirror.displayStyle
    var between = ""
    if style == .optional {
        if let child = mirror.children.first { codeEvalWrite(child.value) } else { codeEvalAll += "null" }
    } else if style == .collection || style == .tuple {
        codeEvalAll += "["
        for child in mirror.children {
            codeEvalAll += between
            codeEvalWrite(child.value)
            between = ","
        }
        codeEvalAll += "]"
    } else if style == .dictionary {
        codeEvalAll += "{"
        for child in mirror.children {
            codeEvalAll += between
            let parts = Swift.Array(Swift.Mirror(reflecting: child.value).children)
            codeEvalWriteKey(parts[0].value)
            codeEvalWrite(parts[1].value)
            between = ","
        }
        codeEvalAll += "}"
    } else if style == .enum, let child = mirror.children.first {
        codeEvalAll += "{"
        codeEvalWriteKey(child.label ?? "")
        codeEvalWrite(child.value)
        codeEvalAll += "}"
    } else {
        // An object that is equal to no data.
        codeEvalAll += "{"
        codeEvalQuote(Swift.String(reflecting: type(of: value)))
        codeEvalAll += ":null}"
    }
}

func codeEvalWriteKey(_ key: Any) {
    let before = codeEvalAll
    codeEvalAll = ""
    codeEvalWrite(key)
    let shown = codeEvalAll
    codeEvalAll = before
    if shown.hasPrefix("\\"") { codeEvalAll += shown } else { codeEvalQuote(shown) }
    codeEvalAll += ":"
}

func codeEvalQuote(_ text: Swift.String) {
    let digits = Swift.Array("0123456789abcdef")
    codeEvalAll += "\\""
    for each in text.unicodeScalars {
        if each == "\\"" || each == "\\\\" { codeEvalAll += "\\\\" }
        if each.value >= 32 {
            codeEvalAll.unicodeScalars.append(each)
        } else {
            codeEvalAll += "\\\\u00"
            codeEvalAll.append(digits[Swift.Int(each.value) / 16])
            codeEvalAll.append(digits[Swift.Int(each.value) %% 16])
        }
    }
    codeEvalAll += "\\""
}
"""
