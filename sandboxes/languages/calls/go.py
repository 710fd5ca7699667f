"""Programs in Go that call the candidate's function, as `Language.calls` has them."""

from __future__ import annotations

import re

from sandboxes.languages.calls.scripts import own_name
from sandboxes.languages.comments import without_literals

PACKAGE = re.compile(r"^[ \t]*package\s+\w+[ \t]*;?", re.MULTILINE)
MAIN = re.compile(r"^func\s+main\s*\(\s*\)", re.MULTILINE)
HEAD = (
    'package main; import (codeEvalJSON "encoding/json"; codeEvalFmt "fmt"; codeEvalIO "io"; codeEvalMath "math"; '
    'codeEvalOS "os"; codeEvalReflect "reflect"; codeEvalStrconv "strconv"); '
)
# JSON has no numbers that are not finite. testify tells a slice without elements from one that is missing.
SHOW = """
func codeEvalShow(value codeEvalReflect.Value) string {
	switch value.Kind() {
	case codeEvalReflect.Float32, codeEvalReflect.Float64:
		number := value.Float()
		switch {
		case codeEvalMath.IsNaN(number):
			return "NaN"
		case codeEvalMath.IsInf(number, 1):
			return "Infinity"
		case codeEvalMath.IsInf(number, -1):
			return "-Infinity"
		}
		return codeEvalStrconv.FormatFloat(number, 'g', -1, value.Type().Bits())
	case codeEvalReflect.Interface, codeEvalReflect.Ptr:
		if value.IsNil() {
			return "null"
		}
		return codeEvalShow(value.Elem())
	case codeEvalReflect.Slice, codeEvalReflect.Array:
		if codeEvalTellsNil && value.Kind() == codeEvalReflect.Slice && value.IsNil() {
			return "null"
		}
		all, between := "[", ""
		for place := 0; place < value.Len(); place++ {
			all += between + codeEvalShow(value.Index(place))
			between = ","
		}
		return all + "]"
	case codeEvalReflect.Map:
		all, between := "{", ""
		for _, key := range value.MapKeys() {
			name, _ := codeEvalJSON.Marshal(codeEvalFmt.Sprint(key.Interface()))
			all += between + string(name) + ":" + codeEvalShow(value.MapIndex(key))
			between = ","
		}
		return all + "}"
	}
	text, problem := codeEvalJSON.Marshal(value.Interface())
	if problem != nil {
		panic(problem)
	}
	return string(text)
}

"""
"""The Go function that writes a result as JSON. A constant says whether a slice that is missing is null."""

PROGRAM = (
    SHOW
    + """
func main() {
	text, _ := codeEvalIO.ReadAll(codeEvalOS.Stdin)
	var all []codeEvalJSON.RawMessage
	if problem := codeEvalJSON.Unmarshal(text, &all); problem != nil {
		panic(problem)
	}
	called := codeEvalReflect.ValueOf(%s)
	if called.Type().NumIn() != len(all) {
		count := called.Type().NumIn()
		panic(codeEvalFmt.Sprintf("there are %%d arguments, and the function takes %%d", len(all), count))
	}
	given := []codeEvalReflect.Value{}
	for place, each := range all {
		value := codeEvalReflect.New(called.Type().In(place))
		if problem := codeEvalGive(each, value.Elem()); problem != nil {
			panic(problem)
		}
		given = append(given, value.Elem())
	}
	call := called.Call
	if called.Type().IsVariadic() {
		call = called.CallSlice
	}
	results := call(given)
	shown := []string{}
	for _, each := range results {
		shown = append(shown, codeEvalShow(each))
	}
	line := "null"
	if len(shown) == 1 {
		line = shown[0]
	} else if len(shown) > 1 {
		line = "["
		for place, each := range shown {
			if place > 0 {
				line += ","
			}
			line += each
		}
		line += "]"
	}
	codeEvalOS.NewFile(1, "stdout").WriteString("\\n" + line + "\\n")
	codeEvalOS.Exit(0)
}

// A text of one character may be a rune or a byte, and so may those of a list.
func codeEvalGive(text codeEvalJSON.RawMessage, value codeEvalReflect.Value) error {
	kind := value.Kind()
	isChar := kind == codeEvalReflect.Int32 || kind == codeEvalReflect.Uint8
	var said string
	if isChar && codeEvalJSON.Unmarshal(text, &said) == nil && len([]rune(said)) == 1 {
		value.Set(codeEvalReflect.ValueOf([]rune(said)[0]).Convert(value.Type()))
		return nil
	}
	if kind == codeEvalReflect.Slice {
		var all []codeEvalJSON.RawMessage
		if problem := codeEvalJSON.Unmarshal(text, &all); problem != nil {
			return problem
		}
		found := codeEvalReflect.MakeSlice(value.Type(), len(all), len(all))
		for place, each := range all {
			if problem := codeEvalGive(each, found.Index(place)); problem != nil {
				return problem
			}
		}
		value.Set(found)
		return nil
	}
	return codeEvalJSON.Unmarshal(text, value.Addr().Interface())
}

const codeEvalTellsNil = false
"""
)


def go_call(candidate: str, function: str) -> str:
    """Return a program in Go that calls a function. Several results are a list."""
    plain = without_literals(candidate)
    text = candidate
    for found in sorted((*PACKAGE.finditer(plain), *MAIN.finditer(plain)), key=lambda each: -each.start()):
        name = "func codeEvalOwnMain()" if found[0].startswith("func") else ""
        text = text[: found.start()] + name + text[found.end() :]
    return f"{HEAD}{text}\n{PROGRAM % own_name(function, candidate)}"
