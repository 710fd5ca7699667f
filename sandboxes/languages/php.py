"""PHP. The tests run apart from the candidate, and call its functions with values that are sent as JSON."""

from __future__ import annotations

import re

from sandboxes.contract import Limits
from sandboxes.guest.common.interactors import LOST_STATUS
from sandboxes.guest.common.named_tests import MAX_MESSAGE_CHARS, REPORT_FILE
from sandboxes.languages.apart.php_frameworks import PHPUNIT_CASES
from sandboxes.languages.base import MEMORY_STATUS, Language, Recipe, SeparateRecipe, fixed_build, heap_mb, linked
from sandboxes.languages.calls.scripts import php_call
from sandboxes.languages.comments import PHP_COMMENTS
from sandboxes.languages.steps import Command

DRIVER_FILE, RUNNER_FILE = "code_eval_driver.php", "code_eval_runner.php"
SETTINGS = (
    *("display_errors=stderr", "log_errors=0", "zend.assertions=1", "assert.exception=1", "html_errors=0"),
    # A candidate that calls C could write to the memory of its interpreter.
    "ffi.enable=0",
)
INTERPRETER_MB = 96
"""MiB of address space that PHP and its extensions may take beside the heap."""

WORD = re.compile(r"[A-Za-z_]\w*")
PHPUNIT = "/usr/share/php/PHPUnit/Autoload.php"
NAMES_PHPUNIT = re.compile(r"\bPHPUnit\\Framework\b")
OPENING = re.compile(r"\s*<\?(?:php|=)", re.IGNORECASE)
DEFINED = re.compile(r"\bfunction\s+&?\s*(\w+)\s*\(", re.IGNORECASE)

# A message is a line of JSON. Nothing but plain data is made of what the other side has sent: PHP's own
# unserialize is not made for that. What JSON does not know becomes an object with one letter.
LINK = """\
<?php
final class CodeEvalPipes {
    private static $in, $out;

    public static function open(): void {
        self::$in = fopen('php://fd/3', 'r');
        self::$out = fopen('php://fd/4', 'w');
    }

    public static function write($message): bool {
        $flags = JSON_PRESERVE_ZERO_FRACTION | JSON_THROW_ON_ERROR;
        $line = json_encode(self::encode($message), $flags, PHP_INT_MAX >> 32) . "\\n";
        return @fwrite(self::$out, $line) === strlen($line);
    }

    public static function read() {
        $line = fgets(self::$in);
        return $line === false ? null : self::decode(json_decode($line, false, PHP_INT_MAX >> 32, JSON_THROW_ON_ERROR));
    }

    private static function encode($value) {
        if (is_string($value)) return preg_match('//u', $value) ? $value : ['b' => base64_encode($value)];
        if (is_float($value)) return is_finite($value) ? $value : ['n' => (string) $value];
        if (is_array($value)) {
            return array_is_list($value) ? array_map([self::class, 'encode'], $value) : ['a' => self::pairs($value)];
        }
        if (is_object($value) && get_class($value) === 'stdClass') return ['o' => self::pairs((array) $value)];
        if ($value === null || is_scalar($value)) return $value;
        $type = is_object($value) ? 'an object of ' . get_class($value) : 'a ' . gettype($value);
        throw new TypeError("$type can't be sent to the other process");
    }

    private static function pairs(array $value): array {
        $pairs = [];
        foreach ($value as $key => $each) $pairs[] = [self::encode($key), self::encode($each)];
        return $pairs;
    }

    private static function decode($value) {
        if (is_array($value)) return array_map([self::class, 'decode'], $value);
        if (!is_object($value)) return $value;
        if (isset($value->b)) return base64_decode($value->b);
        if (isset($value->n)) return ['NAN' => NAN, 'INF' => INF][$value->n] ?? -INF;
        $all = [];
        foreach ($value->a ?? $value->o as [$key, $each]) $all[self::decode($key)] = self::decode($each);
        return isset($value->o) ? (object) $all : $all;
    }

    public static function say(Throwable $error): void {
        fwrite(STDERR, get_class($error) . ': ' . $error->getMessage() . "\\n");
        $place = str_contains($error->getFile(), "eval()'d") ? 'tests.php' : basename($error->getFile());
        if (!str_starts_with($place, 'code_eval')) fwrite(STDERR, " at $place:{$error->getLine()}\\n");
    }
}
CodeEvalPipes::open();
"""

DRIVER = (
    LINK
    + """\
final class CodeEvalDriver {
    public static function names(): array {
        $names = [];
        foreach (get_defined_functions()['user'] as $name) {
            $names[$name] = [];
            foreach ((new ReflectionFunction($name))->getParameters() as $place => $parameter) {
                if ($parameter->isPassedByReference()) $names[$name][] = $place;
            }
        }
        return $names;
    }

    public static function answer(array $call): array {
        [$name, $arguments, $places] = $call;
        foreach ($places as $place) if (array_key_exists($place, $arguments)) $arguments[$place] = &$arguments[$place];
        try {
            $value = call_user_func_array($name, $arguments);
            if ($value instanceof Traversable) $value = iterator_to_array($value);
            $changed = [];
            foreach ($places as $place) $changed[$place] = $arguments[$place] ?? null;
            return [true, $value, $changed];
        } catch (Throwable $error) {
            return [false, [get_class($error), ...array_values(class_parents($error))], $error->getMessage()];
        }
    }

    public static function serve(): void {
        CodeEvalPipes::write(self::names());
        while (is_array($call = CodeEvalPipes::read())) {
            CodeEvalPipes::write(self::answer($call));
        }
    }
}
register_shutdown_function(static function () {
    if (str_contains(error_get_last()['message'] ?? '', 'Allowed memory size')) exit(%(memory_status)d);
});
set_exception_handler(static function ($error) { CodeEvalPipes::say($error); exit(1); });
CodeEvalPipes::read();
require './candidate.php';
CodeEvalDriver::serve();
"""
)

RUNNER = (
    LINK
    + """\
use PHPUnit\\Framework\\{AssertionFailedError, Test, TestCase, TestListener, TestListenerDefaultImplementation};
use PHPUnit\\Framework\\{TestResult, TestSuite};
use PHPUnit\\Runner\\BaseTestRunner as Runner;

final class CodeEvalLink {
    public static string $tests;

    private static function lost(): void {
        fwrite(STDERR, "the candidate ended before its tests were done\\n");
        CodeEvalCases::$running = false;
        exit(%(lost_status)d);
    }

    private static function take(): array {
        $message = CodeEvalPipes::read();
        if (!is_array($message)) self::lost();
        return $message;
    }

    // Nothing comes before a "declare".
    public static function code(): string {
        $code = preg_replace('/\\A\\s*<\\?php\\b/i', '', self::$tests, 1, $has_tag);
        return $has_tag ? $code : '?>' . $code;
    }

    public static function call(string $name, array $arguments, array $places) {
        if (!CodeEvalPipes::write([$name, $arguments, $places])) self::lost();
        $answer = self::take();
        if ($answer[0] === true) {
            foreach ($places as $place) {
                if (array_key_exists($place, $arguments)) $arguments[$place] = $answer[2][$place] ?? null;
            }
            return $answer[1];
        }
        [$type, $message] = [$answer[1][0], (string) $answer[2]];
        foreach ($answer[1] as $known) {
            if (class_exists($known, false) && is_subclass_of($known, 'Throwable')
                && (new ReflectionClass($known))->isInternal() && $known !== 'ErrorException') {
                throw new $known($known === $type ? $message : "$type: $message");
            }
        }
        throw new RuntimeException("$type: $message");
    }

    public static function define(array $words): void {
        foreach (self::take() as $name => $places) {
            if (!in_array($name, $words, true) || function_exists($name)) continue;
            // The text below must hold nothing that the candidate's process has chosen but numbers.
            $places = array_filter((array) $places, static fn($place) => is_int($place) && 0 <= $place && $place < 255);
            $count = $places ? max($places) + 1 : 0;
            [$heads, $values] = [[], []];
            for ($place = 0; $place < $count; $place++) {
                $by = in_array($place, $places, true) ? '&' : '';
                $heads[] = "$by\\$p$place = null";
                $values[] = "$by\\$p$place";
            }
            $heads[] = '...$rest';
            $all = 'array_slice([' . implode(', ', $values) . '], 0, func_num_args())';
            $places = json_encode(array_values($places));
            eval("function $name(" . implode(', ', $heads) . ") {"
                . "\\$all = $all; foreach (\\$rest as \\$key => \\$each) {"
                . " if (is_int(\\$key)) \\$all[] = \\$each; else \\$all[\\$key] = \\$each; }"
                . "return CodeEvalLink::call('$name', \\$all, $places); }");
        }
    }
}
"""
    + PHPUNIT_CASES
    + """\
set_exception_handler(static function ($error) { CodeEvalPipes::say($error); exit(1); });
CodeEvalLink::$tests = file_get_contents('tests.php');
array_map('unlink', ['tests.php', basename(__FILE__)]);
CodeEvalPipes::write(true);
CodeEvalLink::define(%(words)s);
CodeEvalCases::expect();
$code_eval_cases = new CodeEvalCases();
// Tests that leave with status 0 have failed if one of them has.
register_shutdown_function(static function (): void { if (CodeEvalCases::status()) exit(1); });
eval(CodeEvalLink::code());
exit(0);
"""
)


def driver_files(candidate: str) -> dict[str, str]:
    """Return the files of the candidate's process."""
    return {"candidate.php": opened(candidate), DRIVER_FILE: DRIVER % {"memory_status": MEMORY_STATUS}}


def runner_files(tests: str) -> dict[str, str]:
    """Return the files of the tests' process. Functions that the tests do not name, or define, are not called."""
    own = {name.lower() for name in DEFINED.findall(tests)}
    words = sorted({word.lower() for word in WORD.findall(tests)} - own)
    values = {"words": "[" + ", ".join(f"'{word}'" for word in words) + "]", "lost_status": LOST_STATUS}
    values.update(report_file=REPORT_FILE, max_chars=MAX_MESSAGE_CHARS, phpunit=PHPUNIT)
    return {"tests.php": opened(tests), RUNNER_FILE: RUNNER % values}


def opened(code: str) -> str:
    """Return code that begins with PHP's opening tag."""
    return code if OPENING.match(code) else "<?php\n" + code


def php(limits: Limits, file: str) -> tuple[str, ...]:
    """Return the command that runs a file."""
    heap = max(16, min(heap_mb(limits), (limits.memory_bytes >> 20) - INTERPRETER_MB))
    settings = (*SETTINGS, f"memory_limit={heap}M")
    return ("php", *(word for setting in settings for word in ("-d", setting)), file)


def run_driver(limits: Limits) -> Command:
    """Return the command of the candidate's process."""
    return linked(*php(limits, DRIVER_FILE), memory_status=MEMORY_STATUS)(limits)


PHP = Language(
    name="php",
    label="PHP",
    with_tests=SeparateRecipe(
        driver_files,
        runner_files,
        run_driver,
        lambda limits: linked(*php(limits, RUNNER_FILE))(limits),
        lambda tests: (PHPUNIT,) if NAMES_PHPUNIT.search(tests) else (),
    ),
    standalone=Recipe(
        lambda candidate, tests: {"candidate.php": opened(candidate)},
        fixed_build(),
        lambda limits: Command(php(limits, "candidate.php"), limits),
    ),
    version=lambda: ("php", "--version"),
    package="php-cli",
    image="php:8.3-cli, with Python",
    highlight="javascript",
    canary=("<?php function add($a, $b) { return $a + $b; }", "if (add(2, 3) !== 5) throw new Exception();"),
    calls=php_call,
    comments=PHP_COMMENTS,
    tools=("php",),
    # Debian's PHP loads ctype, iconv, mbstring and others by files there.
    paths=("/etc/php",),
)
