"""Programs in JavaScript, TypeScript, Ruby and PHP that call the candidate's function, as `Language.calls` has it."""

from __future__ import annotations

import re

# The program ends here, so that nothing that the candidate has begun writes after the result. JSON has no undefined, no
# big integers and no numbers that are not finite; Python reads the last two.
JAVASCRIPT = """
;(async () => {
  const { readFileSync, writeSync } = await import("node:fs");
  const { stringify } = JSON;
  const asJson = (value) => {
    if (typeof value === "bigint" || Object.is(value, -0)) return Object.is(value, -0) ? "-0.0" : value.toString();
    if (typeof value === "number") return String(value);
    if (value === undefined || value === null || typeof value !== "object") return stringify(value) ?? "null";
    if (typeof value.toJSON === "function") return asJson(value.toJSON());
    if (value instanceof Number || value instanceof String || value instanceof Boolean) return asJson(value.valueOf());
    if (value instanceof Map) return asJson(Object.fromEntries(value));
    if (Array.isArray(value) || value instanceof Set || ArrayBuffer.isView(value))
      return "[" + Array.from(value, asJson).join(",") + "]";
    return "{" + Object.keys(value).map((key) => stringify(key) + ":" + asJson(value[key])).join(",") + "}";
  };
  const all = JSON.parse(readFileSync(0, "utf8"));
  const isMethod = typeof Solution === "function" && Solution.prototype && "NAME" in Solution.prototype;
  const result = asJson(await (isMethod ? new Solution().NAME(...all) : NAME(...all)));
  const bytes = Buffer.from("\\n" + result + "\\n");
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
  process.exit(0);
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
"""
RUBY = """
require "json"
code_eval_all = JSON.parse($stdin.read, max_nesting: false)
code_eval_own = defined?(Solution) && Solution.respond_to?(:method_defined?) && Solution.method_defined?(:NAME)
code_eval_result = code_eval_own ? Solution.new.NAME(*code_eval_all) : method(:NAME).call(*code_eval_all)
code_eval_result = code_eval_result.to_a if code_eval_result.is_a?(Enumerable) && !code_eval_result.is_a?(Hash)
$stdout.write("\\n", JSON.generate(code_eval_result, max_nesting: 0, allow_nan: true), "\\n")
$stdout.flush
exit!(0)
"""
PHP = """
$codeEvalAll = json_decode(stream_get_contents(STDIN), true, 100000);
$codeEvalCalled = method_exists('Solution', 'NAME') ? [new Solution(), 'NAME'] : 'NAME';
$codeEvalResult = $codeEvalCalled(...$codeEvalAll);
if ($codeEvalResult instanceof Traversable) $codeEvalResult = iterator_to_array($codeEvalResult, false);
while (ob_get_level()) ob_end_flush();
fwrite(STDOUT, "\\n" . json_encode($codeEvalResult, JSON_PRESERVE_ZERO_FRACTION | JSON_THROW_ON_ERROR, 100000) . "\\n");
exit(0);
"""


def javascript_call(candidate: str, function: str) -> str:
    """Return a program in JavaScript or TypeScript that calls a function, or a method of `Solution`."""
    return f"{candidate}\n{JAVASCRIPT.replace('NAME', own_name(function, candidate))}"


def ruby_call(candidate: str, function: str) -> str:
    """Return a program in Ruby that calls a function, or a method of `Solution`."""
    return f"{candidate}\n{RUBY.replace('NAME', own_name(function, candidate))}"


def php_call(candidate: str, function: str) -> str:
    """Return a program in PHP that calls a function, or a method of `Solution`."""
    opened = candidate if candidate.lstrip().startswith("<?") else f"<?php\n{candidate}"
    return f"{opened.rstrip().removesuffix('?>')}\n{PHP.replace('NAME', own_name(function, candidate))}"


def own_name(function: str, candidate: str) -> str:
    """Return the name of a function as the candidate writes it: `twoSum` may be `two_sum`, and the other way round."""
    parts = function.split("_")
    snake = re.sub(r"(?<=[a-z\d])(?=[A-Z])", "_", function).lower()
    camel = parts[0] + "".join(part[:1].upper() + part[1:] for part in parts[1:])
    names = (function, snake, camel)
    return next((name for name in names if re.search(rf"\b{re.escape(name)}\b", candidate)), function)
