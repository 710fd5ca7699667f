"""How tests for PHPUnit are run, with a result of each. Used by `php`."""

from __future__ import annotations

# A part of the runner, whose placeholders it fills.
PHPUNIT_CASES = """\
// Runs the tests of PHPUnit's classes, with a result of each.
final class CodeEvalCases {
    private static int $classes;
    private static string $report;
    private static int $ran = 0;
    private static int $failed = 0;
    public static bool $running = false;

    // No shutdown function follows one that a test has left.
    public function __destruct() {
        if (!self::$running) return;
        fwrite(STDERR, "error: a test left the program\\n");
        exit(1);
    }

    public static function expect(): void {
        self::$classes = count(get_declared_classes());
        self::$report = getcwd() . '/%(report_file)s';
        // Without mounts of its own, the candidate could put a library into its folder.
        set_include_path('/usr/share/php');
        spl_autoload_register(static function (string $name): void {
            if (str_starts_with($name, 'PHPUnit\\\\')) include_once '%(phpunit)s';
        });
    }

    private static function found(): array {
        if (!class_exists(TestCase::class, false)) return [];
        $later = array_slice(get_declared_classes(), self::$classes);
        return array_filter($later, static fn($class) => is_subclass_of($class, TestCase::class)
            && !str_starts_with($class, 'PHPUnit\\\\'));
    }

    private static function has_tests(ReflectionClass $class): bool {
        $is_test = static fn($method) => PHPUnit\\Util\\Test::isTestMethod($method);
        return !$class->isAbstract() && array_filter($class->getMethods(ReflectionMethod::IS_PUBLIC), $is_test) !== [];
    }

    public static function add(string $outcome, float $seconds, string $name, string $message): void {
        self::$ran++;
        if ($outcome !== 'passed') self::$failed++;
        $fields = [$outcome, sprintf('%%.6F', $seconds), $name, substr($message, 0, %(max_chars)d)];
        $line = implode("\\t", array_map(static fn($field) => trim(preg_replace('/\\s+/', ' ', $field)), $fields));
        file_put_contents(self::$report, "$line\\n", FILE_APPEND);
    }

    public static function status(): int {
        if (!$classes = self::found()) return 0;
        $suite = new TestSuite();
        // PHPUnit warns of a class without tests, such as one with helpers.
        foreach ($classes as $class) if (self::has_tests(new ReflectionClass($class))) $suite->addTestSuite($class);
        $result = new TestResult();
        $result->addListener(new class implements TestListener {
            use TestListenerDefaultImplementation;

            private ?Throwable $problem = null;

            public function startTest(Test $test): void { $this->problem = null; }
            public function addError(Test $test, Throwable $error, float $time): void { $this->problem = $error; }
            public function addFailure(Test $test, AssertionFailedError $error, float $time): void {
                $this->problem = $error;
            }

            public function endTest(Test $test, float $seconds): void {
                if (!$test instanceof TestCase) return;
                $skipped = [Runner::STATUS_SKIPPED, Runner::STATUS_INCOMPLETE];
                if (!$this->problem && in_array($test->getStatus(), $skipped, true)) return;
                $outcome = $this->problem ? 'failed' : 'passed';
                CodeEvalCases::add($outcome, $seconds, $test->getName(), $this->problem?->getMessage() ?? '');
            }
        });
        self::$running = true;
        $suite->run($result);
        self::$running = false;
        foreach ([...$result->errors(), ...$result->failures(), ...$result->warnings()] as $failure) {
            fwrite(STDERR, $failure->toString() . "\\n");
        }
        if (self::$ran === 0) fwrite(STDERR, "error: the tests have no test\\n");
        return self::$ran > 0 && self::$failed === 0 && $result->wasSuccessful() ? 0 : 1;
    }
}
"""
