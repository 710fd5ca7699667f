"""The program in Scala that makes the calls of tests, and writes their results as JSON. Used by `scala`.

Results are equal in JSON if they are equal in Scala: numbers and characters of all classes by their values.
"""

from __future__ import annotations

# The names are those of the library, whatever the candidate calls its own.
PROGRAM = """\
%(imports)s
object %(name)s {
%(own_imports)s
    def main(args: _root_.scala.Array[_root_.java.lang.String]): _root_.scala.Unit = {
        val codeEvalAll = new CodeEvalResults
%(statements)s
        codeEvalAll.codeEvalFinish()
    }
}

%(mark)s
class CodeEvalResults {
    private val text = new _root_.java.lang.StringBuilder
    // The candidate may set another one.
    private val out = _root_.java.lang.System.out

    def codeEvalAdd(value: _root_.scala.Any): _root_.scala.Unit = {
        text.append(if (text.length == 0) "\\n[" else ",")
        write(value)
    }

    def codeEvalFinish(): _root_.scala.Unit = {
        _root_.scala.Console.flush()
        out.println(text.append("]"))
    }

    def codeEvalTruth(value: _root_.scala.Boolean): _root_.scala.Any = value

    // `equals` of a number asks for its class, and `==` does not, nor does `equals` of what holds it.
    def codeEvalObject(value: _root_.scala.Any): _root_.scala.Any = value match {
        case number: _root_.java.lang.Number if isBox(number) => new CodeEvalObject(number)
        case _: _root_.java.lang.Character | _: _root_.scala.math.ScalaNumber => new CodeEvalObject(value)
        case _ => value
    }

    private def isBox(value: _root_.java.lang.Number) = value match {
        case _: _root_.java.lang.Byte | _: _root_.java.lang.Short | _: _root_.java.lang.Integer => true
        case _: _root_.java.lang.Long | _: _root_.java.lang.Float | _: _root_.java.lang.Double => true
        case _ => false
    }

    private def write(value: _root_.scala.Any): _root_.scala.Unit = value match {
        case null => text.append("null")
        case said: _root_.java.lang.String => quote(said)
        case _: _root_.java.lang.Boolean => text.append(value)
        case one: CodeEvalObject =>
            val isZero = one.value.equals(-0.0) || one.value.equals(-0.0f)
            // BigInt and BigDecimal are equal to numbers of all classes.
            val isBig = one.value.isInstanceOf[_root_.scala.math.ScalaNumber]
            val kind = if (isBig) "ScalaNumber" else one.value.getClass.getSimpleName
            mark(kind, if (isZero) "-0.0" else one.value)
        case _: _root_.java.lang.Character | _: _root_.java.lang.Number => text.append(number(value))
        case _root_.scala.None => mark("None", null)
        case some: _root_.scala.Some[_] => mark("Some", some.get)
        case all: _root_.scala.collection.GenMap[_, _] =>
            val each = all.iterator
            var between = "{"
            if (all.isEmpty) text.append(between)
            while (each.hasNext) {
                val pair = each.next
                text.append(between)
                quote(key(pair._1))
                text.append(":")
                write(pair._2)
                between = ","
            }
            text.append("}")
        case all: _root_.scala.collection.GenSeq[_] => writeAll(all.iterator)
        case parts: _root_.scala.Product if value.getClass.getName.startsWith("scala.Tuple") =>
            mark("Tuple", parts.productIterator.toList)
        case _ => mark(value.getClass.getName, null)
    }

    private def mark(kind: _root_.java.lang.String, value: _root_.scala.Any): _root_.scala.Unit = {
        text.append("{")
        quote(kind)
        text.append(":")
        write(value)
        text.append("}")
    }

    // A number or a character is equal to each number of its value, whatever their classes are.
    private def number(value: _root_.scala.Any): _root_.java.lang.String = value match {
        case each: _root_.java.lang.Character => each.charValue.toInt.toString
        case each: _root_.java.lang.Number if isBox(each) =>
            val isReal = each.isInstanceOf[_root_.java.lang.Double] || each.isInstanceOf[_root_.java.lang.Float]
            val real = each.doubleValue
            val isWhole = !isReal || real == _root_.java.lang.Math.rint(real) && _root_.java.lang.Math.abs(real) < 9e18
            if (isWhole) each.longValue.toString else real.toString
        case each: _root_.scala.math.BigInt => each.toString
        case each: _root_.scala.math.BigDecimal if each.isValidLong => each.toLong.toString
        case each: _root_.scala.math.BigDecimal if each == each.toDouble => each.toDouble.toString
        case _ => "{\\"" + value.getClass.getName + "\\":null}"
    }

    private def key(value: _root_.scala.Any): _root_.java.lang.String = value match {
        case said: _root_.java.lang.String => "\\"" + said + "\\""
        case _: _root_.java.lang.Character | _: _root_.java.lang.Number => number(value)
        case _: _root_.java.lang.Boolean => value.toString
        case _ => "a key of another class"
    }

    private def writeAll(each: _root_.scala.collection.Iterator[_]): _root_.scala.Unit = {
        text.append("[")
        while (each.hasNext) {
            write(each.next)
            if (each.hasNext) text.append(",")
        }
        text.append("]")
    }

    private def quote(said: _root_.java.lang.String): _root_.scala.Unit = {
        var place = 0
        text.append('"')
        while (place < said.length) {
            val each = said.charAt(place)
            if (each == '"' || each == '\\\\') text.append('\\\\')
            if (each < ' ' || _root_.java.lang.Character.isSurrogate(each))
                text.append(_root_.java.lang.String.format("\\\\u%%04x", _root_.java.lang.Integer.valueOf(each.toInt)))
            else text.append(each)
            place += 1
        }
        text.append('"')
    }
}

class CodeEvalObject(val value: _root_.scala.Any)
"""
