"""C#, by Mono.

The candidate is a library, and the tests are a program that knows it under another name. A type of the candidate's
that the tests name becomes theirs, unless it would hide one of JUDGES. `Debug` is our own class, whose failed
assertions are exceptions: Mono's class says nothing by default. A runner takes the completion token, and finds the
tests' `Main`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sandboxes.contract import Limits
from sandboxes.languages.apart.csharp import csharp_tests
from sandboxes.languages.base import MEMORY_STATUS, Language, Recipe, fixed_build, heap_mb
from sandboxes.languages.comments import without_literals
from sandboxes.languages.steps import Command

CANDIDATE_ASSEMBLY = "code_eval_candidate"
"""The name by which tests may call the candidate's library, followed by two colons."""

TYPE_OR_BRACE = re.compile(r"[{}]|\b(?:class|struct|interface|enum|delegate\s+[\w<>\[\],.]+)\s+(\w+)(\s*<)?")
NAMESPACE = re.compile(r"\bnamespace\s+([\w.]+)")
USING = re.compile(r"\busing\s+(System(?:\.\w+)*)\s*;")
ALIAS = re.compile(r"\busing\s+(\w+)\s*=")
QUALIFIED = re.compile(r"\bSystem\s*\.\s*Diagnostics\s*\.\s*(Debug|Trace)\b")
STATUS = re.compile(r"\b(?:System\s*\.\s*)?Environment\s*\.\s*ExitCode\b")
EXTENSION = re.compile(r"\bstatic\s[\w<>\[\],.\s]{1,200}?\s(\w+)\s*(?:<[\w,\s]{1,200}>)?\s*\(\s*this\s")
WORD = re.compile(r"[^\W\d]\w*")

JUDGES = frozenset(
    """
    Activator Array BigInteger BitConverter Boolean Byte Char Comparer Console Convert CultureInfo DateTime Debug
    Decimal Dictionary Double Enum Enumerable Environment EqualityComparer Exception IComparer IDictionary IEnumerable
    IEqualityComparer IList Int16 Int32 Int64 KeyValuePair List Math Nullable Object Single String StringBuilder
    StringComparer TimeSpan Trace Tuple Type UInt32 UInt64 ValueTuple
    """.split()
)
"""Names that tests judge by. They are the library's in tests, and not the candidate's. Classes that candidates are
often asked to write, such as `Stack`, are none of them."""

LINQ = frozenset(
    """
    Aggregate All Any Append Average Cast Concat Contains Count Distinct ElementAt Equals Except First FirstOrDefault
    GroupBy Intersect Last LastOrDefault Max Min OrderBy Prepend Reverse Select SelectMany SequenceEqual Single Skip
    Sum Take ToArray ToDictionary ToHashSet ToList ToString Union Where Zip
    """.split()
)
"""Names of methods that tests judge by. Tests get no extension methods of a candidate that declares one of them."""

# Mono warns on standard output that a thread gets no priority, which sandboxes refuse.
MONO = ("env", "MONO_LOG_DEST=/dev/null", "mono")
# Debian's command `mcs` is a script of /bin/sh, which sandboxes do not have.
MCS = (*MONO, "/usr/lib/mono/4.5/mcs.exe")

VISIBLE = '[assembly: System.Runtime.CompilerServices.InternalsVisibleTo("tests")]\n'
RUNNER = """\
namespace CodeEval
{
    using System;
    using System.Collections;
    using System.Reflection;
    using System.Runtime.InteropServices;

    static class Runner
    {
        [DllImport("libc.so.6")] static extern int getpid();
        [DllImport("libc.so.6")] static extern int dup(int fd);
        [DllImport("libc.so.6")] static extern int ftruncate(int fd, IntPtr length);
        [DllImport("libc.so.6")] static extern IntPtr lseek(int fd, IntPtr offset, int whence);
        [DllImport("libc.so.6")] static extern IntPtr read(int fd, byte[] bytes, IntPtr length);
        [DllImport("libc.so.6")] static extern IntPtr write(int fd, byte[] bytes, IntPtr length);
        [DllImport("libc.so.6")] static extern void _exit(int status);

        internal static int ExitCode { get; set; }

        static void Main()
        {
            var token = new byte[256];
            IntPtr length = read(0, token, (IntPtr)token.Length);
            ftruncate(0, IntPtr.Zero);
            lseek(0, IntPtr.Zero, 0);
            int output = dup(1), process = getpid(), status = 1;
            write(output, token, IntPtr.Zero);
            try
            {
                status = Run();
                Console.Out.Flush();
            }
            catch (OutOfMemoryException)
            {
                status = %(memory_status)d;
            }
            catch (Exception error)
            {
                Console.Error.WriteLine(error);
                Console.Error.Flush();
            }
            // Not in a child process. The candidate may have forked one for each result that it guesses.
            if (status == 0 && getpid() == process) write(output, token, length);
            _exit(status);
        }

        static int Run()
        {
            foreach (var type in typeof(Runner).Assembly.GetTypes())
            {
                var all = BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic;
                var main = type == typeof(Runner) ? null : type.GetMethod("Main", all);
                if (main == null) continue;
                var arguments = main.GetParameters().Length == 0 ? null : new object[] { new string[0] };
                object result;
                try
                {
                    result = main.Invoke(null, arguments);
                }
                catch (TargetInvocationException error)
                {
                    if (error.InnerException is OutOfMemoryException) throw error.InnerException;
                    Console.Error.WriteLine(error.InnerException);
                    return 1;
                }
                if (result is System.Threading.Tasks.Task task) task.GetAwaiter().GetResult();
                if (result is System.Threading.Tasks.Task<int> number) return number.Result;
                return result is int ? (int)result : ExitCode;
            }
            throw new MissingMethodException("the tests have no static Main");
        }
    }

    class AssertionException : Exception
    {
        internal AssertionException(string message) : base(message) { }
    }

    static class Debug
    {
        public static void Assert(bool condition, [System.Runtime.CompilerServices.CallerLineNumber] int line = 0)
        {
            if (!condition) throw new AssertionException("tests.cs:" + line + ": an assertion failed");
        }

        public static void Assert(bool condition, string message, string detail = "")
        {
            if (!condition) throw new AssertionException(message + " " + detail);
        }

        public static void Fail(string message, string detail = "") { Assert(false, message, detail); }
        public static void Write(object value) { Console.Error.Write(value); }
        public static void WriteLine(object value) { Console.Error.WriteLine(value); }
        public static void WriteLine(string format, params object[] all) { Console.Error.WriteLine(format, all); }
        public static void Flush() { }
    }

    public class Same : IEqualityComparer
    {
        // Lists, dictionaries and sets are compared by what they hold. No type of the candidate's is equal to another.
        public static bool Values(object first, object second)
        {
            if (first == null || second == null) return first == second;
            if (first.GetType() != second.GetType()) return false;
            if (first is IDictionary known)
            {
                var other = (IDictionary)second;
                if (known.Count != other.Count) return false;
                foreach (DictionaryEntry entry in other)
                    if (!known.Contains(entry.Key) || !Values(known[entry.Key], entry.Value)) return false;
                return true;
            }
            if (first is IList list)
            {
                var other = (IList)second;
                if (list.Count != other.Count) return false;
                for (int i = 0; i < list.Count; i++)
                    if (!Values(list[i], other[i])) return false;
                return true;
            }
            if (first is IStructuralEquatable parts) return parts.Equals(second, new Same());
            return second.Equals(first);
        }

        bool IEqualityComparer.Equals(object first, object second) { return Values(first, second); }
        int IEqualityComparer.GetHashCode(object value) { return 0; }
    }
}
"""


def csharp_files(candidate: str, tests: str) -> dict[str, str]:
    """Return the files of a program with tests: text by path."""
    if not tests.strip():
        # The candidate is its own test.
        candidate, tests = "", candidate
    return {
        "candidate.cs": candidate,
        "code_eval_visible.cs": VISIBLE,
        "code_eval_tests.cs": tests_source(candidate, tests),
        "code_eval_runner.cs": RUNNER % {"memory_status": MEMORY_STATUS},
    }


def tests_source(candidate: str, tests: str) -> str:
    """Return the source of tests, with names for the candidate's types that they use, and for its libraries."""
    plain = without_literals(candidate)
    declared = dict.fromkeys(NAMESPACE.findall(plain))
    spaces = [
        name for name in declared if name.split(".")[0] != "System" and re.search(rf"\b{re.escape(name)}\b", tests)
    ]
    words, taken = {*WORD.findall(without_literals(tests))}, {*ALIAS.findall(tests)}
    lines = ["System.Diagnostics", *(name for name in USING.findall(plain) if name not in declared)]
    lines = [f"using {name};" for name in dict.fromkeys(lines)]
    lines += [f"using {CANDIDATE_ASSEMBLY}::{name};" for name in spaces]
    named = {name: f"{CANDIDATE_ASSEMBLY}::{name}" for name in (name.split(".")[0] for name in spaces) if name in words}
    named |= {name: "CodeEval.Debug" for name in ("Debug", "Trace") if name in words}
    types = top_level_types(plain)
    for name, is_generic in types.items():
        if name not in words & JUDGES and name in words - declared_types(tests):
            if is_generic:
                tests = re.sub(rf"(?<![\w.:]){name}(?=\s*<)", f"{CANDIDATE_ASSEMBLY}::{name}", tests)
            else:
                named[name] = f"{CANDIDATE_ASSEMBLY}::{name}"
    extensions = {*EXTENSION.findall(plain)}
    if extensions & words and not extensions & LINQ:
        lines += [
            f"using static {CANDIDATE_ASSEMBLY}::{name};"
            for name in types
            if re.search(rf"\bstatic\s+(?:partial\s+)?class\s+{name}\b", plain)
        ]
    lines += [f"using {name} = {meant};" for name, meant in named.items() if name not in taken]
    for name in spaces:
        tests = re.sub(rf"\busing\s+{re.escape(name)}\s*;", "", tests)
    tests = STATUS.sub("CodeEval.Runner.ExitCode", tests)
    tests = QUALIFIED.sub(r"CodeEval.\1", tests).replace("CodeEval.Trace", "CodeEval.Debug")
    return f'extern alias {CANDIDATE_ASSEMBLY}; {" ".join(lines)}\n#line 1 "tests.cs"\n{tests}\n'


def declared_types(text: str) -> set[str]:
    """Return the types that a text declares outside of other types and namespaces."""
    return {*top_level_types(without_literals(text))}


def top_level_types(plain: str) -> dict[str, bool]:
    """Return the types that a text declares outside of other types and namespaces, and whether each has parameters.

    Args:
        plain: source, without literals.
    """
    depth, types = 0, dict[str, bool]()
    for found in TYPE_OR_BRACE.finditer(plain):
        depth += (found[0] == "{") - (found[0] == "}")
        if found[1] and depth == 0:
            types[found[1]] = bool(found[2])
    return types


def run_mono(program: str, memory_status: int | None = None) -> Callable[[Limits], Command]:
    """Return a function that makes the command of a program, whose heap is limited."""

    def run(limits: Limits) -> Command:
        heap = f"MONO_GC_PARAMS=max-heap-size={heap_mb(limits)}m"
        return Command((*MONO[:2], heap, *MONO[2:], program), limits, reserves_memory=True, memory_status=memory_status)

    return run


COMPILER = (*MCS, "-nologo", "-nowarn:0105,0169,0414,0649", "-r:System.Numerics.dll")
CANDIDATE_LIBRARY = (
    *(*COMPILER, "-d:DEBUG", "-target:library", "-out:candidate.dll"),
    *("candidate.cs", "code_eval_visible.cs"),
)
TESTS_PROGRAM = (
    *(*COMPILER, "-d:DEBUG", "-main:CodeEval.Runner", "-out:tests.exe", f"-r:{CANDIDATE_ASSEMBLY}=candidate.dll"),
    *("code_eval_tests.cs", "code_eval_runner.cs"),
)
CSHARP = Language(
    name="csharp",
    label="C#",
    with_tests=Recipe(
        csharp_files,
        fixed_build(CANDIDATE_LIBRARY, TESTS_PROGRAM),
        run_mono("tests.exe", MEMORY_STATUS),
        sources=(".cs",),
    ),
    standalone=Recipe(
        lambda candidate, tests: {"candidate.cs": candidate},
        fixed_build((*COMPILER, "-optimize+", "-out:program.exe", "candidate.cs")),
        run_mono("program.exe"),
    ),
    version=lambda: (*MCS, "--version"),
    package="mono-mcs",
    image="debian:bookworm with mono-mcs and python3",
    highlight="cpp",
    canary=(
        "class Solution { public static int Add(int a, int b) { return a + b; } }",
        "class Tests { static void Main() { System.Diagnostics.Debug.Assert(Solution.Add(2, 3) == 5); } }",
    ),
    plain_tests=csharp_tests,
    aliases=("c#", "cs"),
    tools=("mono",),
    paths=("/etc/mono",),
)
