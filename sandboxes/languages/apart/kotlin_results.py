"""The program in Kotlin that makes the calls of tests, and writes their results as JSON. Used by `kotlin`.

Results are written as `kotlin_data` has them: equal in JSON if they are equal in Kotlin.
"""

from __future__ import annotations

# The names are those of the library, whatever the candidate calls its own, and no function is an extension.
PROGRAM = """\
%(imports)s
fun main() {
    val codeEvalAll = CodeEvalResults()
%(statements)s
%(types)s
    codeEvalAll.codeEvalFinish()
}

%(mark)s
class CodeEvalResults {
    private val text = java.lang.StringBuilder()
    // The candidate may set another one.
    private val out = java.lang.System.out

    fun codeEvalAdd(value: kotlin.Any?) {
        text.append(if (text.length == 0) "\\n[" else ",")
        write(value)
    }

    fun codeEvalFinish() {
        out.println(text.append("]"))
    }

    // These two are chosen by the types that the compiler knows. `==` asks two objects whether they are equal.
    fun codeEvalDouble(value: kotlin.Double?): kotlin.Any? = if (value == null) null else value + 0.0

    fun codeEvalDouble(value: kotlin.Any?): kotlin.Any? = value

    fun codeEvalFloat(value: kotlin.Float?): kotlin.Any? = if (value == null) null else value + 0.0f

    fun codeEvalFloat(value: kotlin.Any?): kotlin.Any? = value

    fun codeEvalTruth(value: kotlin.Boolean): kotlin.Any? = value

    private fun write(value: kotlin.Any?) {
        when (value) {
            null -> text.append("null")
            is kotlin.String -> quote(value)
            is kotlin.Boolean, is kotlin.Int -> text.append(value)
            is kotlin.Double -> if (isNegativeZero(value)) mark("Double", "\\"-0.0\\"") else text.append(value)
            is kotlin.Float -> mark("Float", if (isNegativeZero(value.toDouble())) "\\"-0.0\\"" else value.toDouble())
            is kotlin.Long -> mark("Long", value)
            is kotlin.Short -> mark("Short", value)
            is kotlin.Byte -> mark("Byte", value)
            // It compares its keys in another way.
            is java.util.IdentityHashMap<*, *> -> writeOther(value)
            is kotlin.collections.Map<*, *> -> {
                text.append("{")
                var between = ""
                for (pair in value.entries) {
                    text.append(between)
                    writeKey(pair.key)
                    text.append(":")
                    write(pair.value)
                    between = ","
                }
                text.append("}")
            }
            is kotlin.collections.List<*> -> writeAll(value)
            is kotlin.Pair<*, *> -> writeParts("Pair", value.first, value.second)
            is kotlin.Triple<*, *, *> -> writeParts("Triple", value.first, value.second, value.third)
            else -> writeOther(value)
        }
    }

    private fun isNegativeZero(value: kotlin.Double) =
        java.lang.Double.doubleToRawLongBits(value) == java.lang.Long.MIN_VALUE

    private fun mark(kind: kotlin.String, value: kotlin.Any) {
        text.append("{\\"").append(kind).append("\\":").append(value).append("}")
    }

    // An object that is equal to no data.
    private fun writeOther(value: kotlin.Any) {
        text.append("{")
        quote((value as java.lang.Object).getClass().getName())
        text.append(":null}")
    }

    private fun writeKey(key: kotlin.Any?) = when (key) {
        null -> quote("null")
        is kotlin.String -> quote("\\"" + key + "\\"")
        is kotlin.Boolean, is kotlin.Int -> quote(key.toString())
        is kotlin.Long -> quote(key.toString() + "L")
        else -> quote((key as java.lang.Object).getClass().getName())
    }

    private fun writeParts(kind: kotlin.String, vararg all: kotlin.Any?) {
        text.append("{\\"").append(kind).append("\\":")
        writeAll(java.util.Arrays.asList(*all))
        text.append("}")
    }

    private fun writeAll(all: kotlin.collections.List<*>) {
        text.append("[")
        var between = ""
        for (each in all) {
            text.append(between)
            write(each)
            between = ","
        }
        text.append("]")
    }

    private fun quote(said: kotlin.String) {
        text.append('"')
        var place = 0
        while (place < said.length) {
            val each = said[place]
            place += 1
            if (each == '"' || each == '\\\\') text.append('\\\\')
            val isShown = each >= ' ' && !java.lang.Character.isSurrogate(each)
            if (isShown) text.append(each)
            else text.append(java.lang.String.format("\\\\u%%04x", each.toInt()))
        }
        text.append('"')
    }
}
"""
