"""JUnit: its files, and the class that runs a program's tests. Used by `java` and by CodeCorrectness."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sandboxes.guest.common.named_tests import MICROSECONDS, TICKET_CHARS
from sandboxes.languages.base import TOKEN_BYTES
from sandboxes.languages.comments import without_comments, without_literals

JARS_FOLDER = "/usr/share/java"
"""The folder of libraries in Debian's packages, on this machine and in images."""

JARS = {
    "JUnit 4": ("junit4.jar", "hamcrest-core.jar"),
    "JUnit 5": (
        "junit-platform-console-standalone.jar",
        "junit-jupiter-params.jar",
        "opentest4j.jar",
        "apiguardian-api.jar",
    ),
}
PACKAGES = {"JUnit 4": "junit4", "JUnit 5": "junit5"}
"""Debian's packages by test framework."""

RUNNER = "CodeEvalRunner"
"""The class that `runner_source` returns."""

JUDGES = {
    "org.junit": (
        *("After", "AfterClass", "Assert", "Assume", "Before", "BeforeClass", "ClassRule", "FixMethodOrder"),
        *("Ignore", "Rule", "Test"),
    ),
    "org.junit.jupiter.api": (
        *("AfterAll", "AfterEach", "Assertions", "Assumptions", "BeforeAll", "BeforeEach", "Disabled", "DisplayName"),
        *("DynamicTest", "Named", "Nested", "Order", "RepeatedTest", "Tag", "Test", "TestFactory", "TestInstance"),
        *("TestMethodOrder", "Timeout"),
    ),
}
"""Types that tests judge by, as in `java`."""

IMPORT = re.compile(r"^[ \t]*import\s+(?:static\s+)?([\w.]+)", re.MULTILINE)
TEST = re.compile(r"@(?:[\w.]+\.)?(?:\w*Test|TestFactory|TestTemplate)\b")
METHOD = re.compile(
    r"(?P<annotations>(?:@[\w.]++\s*+(?:\([^()]{0,300}+\)\s*+)?)++)[\w\s]{0,100}?\bvoid\s++(?P<name>\w++)\s*+\("
)
ONE_TEST = re.compile(r"@(?:[\w.]+\.)?Test\b")
LEFT_OUT = re.compile(r"@(?:[\w.]+\.)?(?:Disabled|Enabled|Ignore)")
MAY_ABORT = re.compile(r"\b(?:[Aa]ssume|Assumption|TestAborted)")
"""What tests name that end some of their own tests without a result."""

# Takes the completion token before any other class is there, and empties the input that it was in. It ends by `halt`:
# threads that the tests have left could write after the token.
SOURCE = """\
public class CodeEvalRunner {
    public static void main(String[] arguments) throws Throwable {
        java.io.PrintStream out = System.out;
        byte[] token = System.in.readAllBytes();
        new java.io.FileOutputStream(java.io.FileDescriptor.in).getChannel().truncate(0);
        var numbers = new java.util.HashMap<String, Integer>();
        for (String name : new String[] {%(names)s}) numbers.put(name, numbers.size());
        java.util.function.ObjLongConsumer<String> pass = (name, start) -> {
            Integer number = numbers.get(name);
            if (number == null) return;
            byte[] line = java.util.Arrays.copyOf(
                java.util.Arrays.copyOfRange(
                    token, %(token_chars)d + number * %(ticket)d, %(token_chars)d + (number + 1) * %(ticket)d),
                %(ticket)d + %(digits)d);
            long microseconds = (System.nanoTime() - start) / 1000;
            for (int place = line.length - 1; place >= %(ticket)d; place--, microseconds /= 10)
                line[place] = (byte) ('0' + microseconds %% 10);
            out.write(line, 0, line.length);
            out.flush();
        };
        boolean failed = false;
        var classes = new java.util.ArrayList<Class<?>>();
        for (String name : new String[] {%(classes)s})
            classes.add(Class.forName(name, false, CodeEvalRunner.class.getClassLoader()));
        var own = new java.util.ArrayList<Class<?>>(classes);
%(run)s\
        for (String name : new String[] {%(mains)s}) {
            if (failed || ran == 0) break;
            try {
                var main = Class.forName(name, false, CodeEvalRunner.class.getClassLoader())
                    .getDeclaredMethod("main", String[].class);
                main.setAccessible(true);
                main.invoke(null, (Object) new String[0]);
            } catch (NoSuchMethodException error) {
                continue;
            } catch (java.lang.reflect.InvocationTargetException error) {
                error.getCause().printStackTrace();
                failed = true;
            }
        }
        if (ran == 0) System.err.println("no test ran");
        for (Class<?> tests : own) failed = failed || !tests.desiredAssertionStatus();
        System.out.flush();
        out.flush();
        if (failed || ran == 0) Runtime.getRuntime().halt(1);
        out.write(token, 0, %(token_chars)d);
        out.flush();
        Runtime.getRuntime().halt(0);
    }
}
"""
RUN = {
    "JUnit 4": """\
        // As build tools do, JUnit runs no class for nothing but help.
        classes.removeIf(tests -> {
            boolean isAbstract = java.lang.reflect.Modifier.isAbstract(tests.getModifiers());
            var methods = new java.util.ArrayList<java.lang.reflect.Method>(java.util.List.of(tests.getMethods()));
            methods.addAll(java.util.List.of(tests.getDeclaredMethods()));
            boolean hasTests = junit.framework.Test.class.isAssignableFrom(tests)
                || tests.isAnnotationPresent(org.junit.runner.RunWith.class)
                || methods.stream().anyMatch(each ->
                    each.isAnnotationPresent(org.junit.Test.class) || each.getName().equals("suite"));
            return !hasTests || isAbstract && tests.getDeclaredClasses().length == 0;
        });
        var core = new org.junit.runner.JUnitCore();
        core.addListener(new org.junit.runner.notification.RunListener() {
            private long start;
            private boolean passed;

            public void testStarted(org.junit.runner.Description test) {
                start = System.nanoTime();
                passed = true;
            }

            public void testFailure(org.junit.runner.notification.Failure failure) { passed = false; }
            public void testAssumptionFailure(org.junit.runner.notification.Failure failure) { passed = false; }

            public void testFinished(org.junit.runner.Description test) {
                if (passed) pass.accept(test.getMethodName(), start);
            }
        });
        org.junit.runner.Result result = core.run(classes.toArray(new Class<?>[0]));
        for (org.junit.runner.notification.Failure failure : result.getFailures()) {
            System.err.println("failed: " + failure.getDescription().getDisplayName());
            System.err.println(failure.getTrace());
        }
        long aborted = result.getAssumptionFailureCount(), ran = result.getRunCount() - aborted;
        failed = !result.wasSuccessful();
""",
    "JUnit 5": """\
        var listener = new org.junit.platform.launcher.listeners.SummaryGeneratingListener();
        var starts = new java.util.concurrent.ConcurrentHashMap<String, Long>();
        var times = new org.junit.platform.launcher.TestExecutionListener() {
            public void executionStarted(org.junit.platform.launcher.TestIdentifier test) {
                starts.put(test.getUniqueId(), System.nanoTime());
            }

            public void executionFinished(
                    org.junit.platform.launcher.TestIdentifier test,
                    org.junit.platform.engine.TestExecutionResult result) {
                var source = test.getSource().orElse(null);
                boolean passed = result.getStatus() == org.junit.platform.engine.TestExecutionResult.Status.SUCCESSFUL;
                if (passed && source instanceof org.junit.platform.engine.support.descriptor.MethodSource)
                    pass.accept(
                        ((org.junit.platform.engine.support.descriptor.MethodSource) source).getMethodName(),
                        starts.get(test.getUniqueId()));
            }
        };
        var selectors = new java.util.ArrayList<org.junit.platform.engine.DiscoverySelector>();
        for (Class<?> tests : classes)
            selectors.add(org.junit.platform.engine.discovery.DiscoverySelectors.selectClass(tests));
        var request = org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder.request()
            .selectors(selectors).build();
        org.junit.platform.launcher.core.LauncherFactory.create().execute(request, listener, times);
        var summary = listener.getSummary();
        for (var failure : summary.getFailures()) {
            System.err.println("failed: " + failure.getTestIdentifier().getDisplayName());
            failure.getException().printStackTrace();
        }
        failed = summary.getTotalFailureCount() > 0;
        long aborted = summary.getTestsAbortedCount(), ran = summary.getTestsSucceededCount();
""",
}
# A candidate may throw what assumptions throw.
NO_ABORTS = """\
        if (aborted > 0) System.err.println("ended without a result: " + aborted + " tests");
        failed = failed || aborted > 0;
"""


def detect_framework(tests: str) -> str:
    """Return the JUnit version that tests import, "JUnit 4" or "JUnit 5"; "" if they import none."""
    imports = IMPORT.findall(without_comments(tests))
    if any(name.startswith("org.junit.jupiter.") for name in imports):
        return "JUnit 5"
    if any(name.startswith(("org.junit.", "junit.framework.")) for name in imports):
        return "JUnit 4"
    return ""


def class_path(jars: Sequence[str]) -> str:
    """Return the class path of a program with libraries.

    They come before the program's own classes, because a candidate may declare a class of their packages.
    """
    return ":".join([*(f"{JARS_FOLDER}/{jar}" for jar in dict.fromkeys(jars)), "."])


def method_names(tests: str) -> list[str]:
    """Return the names of the methods that are one test each. Names that several methods have are left out."""
    methods = METHOD.finditer(without_literals(tests))
    names = [
        method["name"]
        for method in methods
        if ONE_TEST.search(method["annotations"]) and not LEFT_OUT.search(method["annotations"])
    ]
    return [name for name in names if names.count(name) == 1]


def runner_source(
    framework: str, tests: str, classes: Sequence[str], names: Sequence[str] = (), mains: Sequence[str] = ()
) -> str:
    """Return the source of the class that runs tests.

    Args:
        framework: of JARS.
        tests: their source.
        classes: full names of the classes that have them.
        names: of the methods that have a ticket.
        mains: full names of the classes whose `main`, if they have one, is run after the tests.
    """
    may_abort = MAY_ABORT.search(without_literals(tests))
    given = {"names": names, "classes": classes, "mains": mains}
    lists = {key: ", ".join(f'"{name}"' for name in value) for key, value in given.items()}
    sizes = {"token_chars": 2 * TOKEN_BYTES, "ticket": TICKET_CHARS, "digits": MICROSECONDS}
    return SOURCE % {**lists, **sizes, "run": RUN[framework] + ("" if may_abort else NO_ABORTS)}
