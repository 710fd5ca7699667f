"""Rust programs that want a pass they have not earned, each with an honest program that uses the same means."""

import pytest

from sandboxes import Limits, Outcome
from sandboxes.languages.programs import build_program
from support.languages import language_pool
from support.observers import passes
from support.requirements import WALL_SECONDS

RIGHT = "fn add(a: i32, b: i32) -> i32 { a + b }\n"
LIMITS = Limits(wall_seconds=WALL_SECONDS)
WRONG = "fn add(a: i32, b: i32) -> i32 { a * b }\n"
MARKED = """
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_add() {
        assert_eq!(add(2, 3), 5);
        assert!(add(1, 1) == 2);
    }
}
"""
MAIN = """
fn main() {
    let candidate = add;
    assert_eq!(candidate(2, 3), 5);
    assert_eq!(candidate(1, 1), 2);
}
"""
READS_TOKEN = """\
    use std::io::{Read, Write};
    let mut all = Vec::new();
    let _ = std::io::stdin().read_to_end(&mut all);
    let _ = std::fs::File::open("/proc/self/fd/0").unwrap().read_to_end(&mut all);
    let _ = std::io::stdout().write_all(&all);
    std::process::exit(0);
"""

# "ADD" is a wrong function in the attack, and a right one in its honest counterpart.
BOTH = {
    "a main": "fn main() {}\n\nADD",
    "a main that shows it": 'ADD\nfn main() {\n    println!("{}", add(2, 3));\n}\n',
    "a main in a module": "mod shown {\n    pub fn main() {}\n}\npub use shown::main;\nADD",
    "a macro for assert_eq": "macro_rules! assert_eq { ($($each:tt)*) => {} }\nADD",
    "a macro for assert": "macro_rules! assert { ($($each:tt)*) => {} }\n"
    "macro_rules! assert_eq { ($($each:tt)*) => {} }\nADD",
    "a macro for panic": "macro_rules! panic { ($($each:tt)*) => { () } }\nADD",
    "a module std": "mod std {}\nADD",
    "a panic hook": "fn quiet() { std::panic::set_hook(Box::new(|_| {})); }\nADD".replace("{ a", "{ quiet(); a"),
    "tests of its own": "ADD#[cfg(test)]\nmod tests {\n    #[test]\n    fn test_add() {}\n}\n",
    "tests of its own at the top": "ADD#[test]\nfn test_add() {}\n",
    "lints": "#![allow(unused)]\n#![deny(warnings)]\n#![forbid(unsafe_code)]\nADD",
}
# {name: candidate}; run with tests of both kinds.
LIES = {
    "a library": '#![crate_type = "lib"]\n' + WRONG,
    "a program without a prelude": "#![no_implicit_prelude]\n" + WRONG,
    "macros for the module": WRONG + "#[macro_use(assert_eq)]\nextern crate core as other;\n#[cfg(any())]",
    "a test attribute": "macro_rules! test { ($($each:tt)*) => {} }\nmacro_rules! cfg { ($($each:tt)*) => {} }\n"
    + WRONG,
    "the module of the tests": "mod code_eval_tests { pub fn main() {} }\nmod code_eval_std {}\n" + WRONG,
    "a count of its own": "pub fn code_eval_started() {}\nfn main() {}\n" + WRONG + "#[cfg(any())]",
    "another macro as assert_eq": "pub(crate) use std::{debug_assert as assert, debug_assert_eq as assert_eq};\n"
    + WRONG,
    "another macro as r#assert_eq": "use std::{stringify as r#assert, stringify as r#assert_eq};\n" + WRONG,
    "a macro that makes macros": "macro_rules! make { ($name:ident) => { macro_rules! $name { ($($x:tt)*) => {} } } }\n"
    "make!(assert_eq);\nmake!(assert);\n" + WRONG,
    "another std": "extern crate self as std;\n#[macro_export]\nmacro_rules! assert_eq { ($($each:tt)*) => {} }\n"
    "#[macro_export]\nmacro_rules! assert { ($($each:tt)*) => {} }\n" + WRONG,
    "an imported macro": "macro_rules! nothing { ($($each:tt)*) => {} }\n"
    "pub(crate) use nothing as assert_eq;\npub(crate) use nothing as assert;\n" + WRONG,
    "macros of all": "#[macro_export]\nmacro_rules! assert_eq { ($($each:tt)*) => {} }\n"
    "#[macro_export]\nmacro_rules! assert { ($($each:tt)*) => {} }\n" + WRONG,
    "a main that is the program": '#![no_main]\n#[no_mangle]\npub extern "C" fn main() -> i32 { 0 }\n' + WRONG,
    "no crate": "#![cfg(any())]\nfn main() {}\n" + WRONG,
    "no crate by an attribute of attributes": "#![cfg_attr(all(), cfg(any()))]\nfn main() {}\n" + WRONG,
    "no tests": WRONG + "fn main() {}\n#[cfg(any())]",
    "no tests by an attribute of attributes": WRONG + "fn main() {}\n#[cfg_attr(all(), cfg(any()))]\n",
    "no tests where tests are": WRONG + "fn main() {}\n#[cfg(not(test))]\n#[cfg(test)]",
    "no tests, and one of its own": WRONG + "fn main() {}\n#[test]\nfn test_add() {}\n#[cfg(any())]\n",
    "a comment": WRONG + "fn main() {}\n/*",
    "a comment of documentation": WRONG + "fn main() {}\n/** all\n",
    "a raw string": WRONG + 'fn main() {}\nconst ALL: &str = r#"',
    "a macro": WRONG + "macro_rules! nothing { ($($each:tt)*) => {} }\nfn main() {}\nnothing! {",
    "another path": WRONG + 'fn main() {}\n#[path = "/dev/null"]\n',
    "a token on its input": f"fn add(_: i32, _: i32) -> i32 {{\n{READS_TOKEN}}}\n",
    "leaving": "fn add(_: i32, _: i32) -> i32 { std::process::exit(0) }\n",
    "leaving when it panics": "fn add(_: i32, _: i32) -> i32 {\n"
    "    std::panic::set_hook(Box::new(|_| std::process::exit(0)));\n    0\n}\n",
    "a token for a constructor": f'extern "C" fn first() {{\n{READS_TOKEN}}}\n#[used]\n'
    '#[link_section = ".init_array"]\nstatic FIRST: extern "C" fn() = first;\n' + WRONG,
    "a function around main": '#[export_name = "__wrap_main"]\npub extern "C" fn around() -> i32 { 0 }\n' + WRONG,
    "a function that main is": '#[export_name = "__real_main"]\npub extern "C" fn within() -> i32 { 0 }\n' + WRONG,
    "its own exit": '#[no_mangle]\npub extern "C" fn exit(_: i32) {}\n' + WRONG,
    "its own write": '#[no_mangle]\npub extern "C" fn write(_: i32, _: *const u8, n: usize) -> usize { n }\n' + WRONG,
    "leaving in Drop": "struct Sum(i32);\nimpl Drop for Sum { fn drop(&mut self) { std::process::exit(0) } }\n"
    "fn add(a: i32, b: i32) -> i32 { Sum(a * b).0 }\n",
    "leaving in a thread": "fn add(a: i32, b: i32) -> i32 {\n"
    "    let _ = std::thread::spawn(|| std::process::exit(0)).join();\n    a * b\n}\n",
}
HONEST = {
    "modules that are macros": (
        "use std::{panic, vec};\nfn add(a: i32, b: i32) -> i32 {\n"
        "    panic::catch_unwind(|| vec![a, b].iter().sum()).unwrap()\n}\n",
        'fn main() { assert_eq!(vec![add(2, 3)], vec![5]); if add(1, 1) != 2 { panic!("no sum"); } }\n',
    ),
    "macros of its own": (
        'macro_rules! check { ($each:expr) => { assert!($each, "{}", format!("no")) } }\n'
        "fn add(a: i32, b: i32) -> i32 { check!(a >= 0); vec![a, b].iter().sum() }\n",
        MARKED,
    ),
    "inner attributes": ("//! Sums.\n#![allow(dead_code)]\n#![allow(non_snake_case)]\n" + RIGHT, MARKED),
    "inner attributes and main": ('//! Sums.\n#![allow(dead_code)]\n#![recursion_limit = "256"]\n' + RIGHT, MAIN),
    "inner attributes of tests": (RIGHT, "#![allow(unused)]\n" + MAIN),
    "a script's first line": ("#!/usr/bin/env run\n" + RIGHT, MAIN),
    "documentation in front of nothing": (RIGHT + "// the end", MARKED),
    "paths from the crate": (
        "mod sums {\n    pub fn sum(a: i32, b: i32) -> i32 { crate::plus(a, b) }\n}\n"
        "fn plus(a: i32, b: i32) -> i32 { a + b }\nfn add(a: i32, b: i32) -> i32 { crate::sums::sum(a, b) }\n",
        MARKED,
    ),
    "imports that tests use": (
        "use std::collections::HashMap;\n"
        "fn count(text: &str) -> HashMap<char, i32> {\n    let mut all = HashMap::new();\n"
        "    for each in text.chars() { *all.entry(each).or_insert(0) += 1; }\n    all\n}\n",
        "fn main() {\n    let candidate = count;\n"
        "    assert_eq!(candidate(\"aab\"), HashMap::from([('a', 2), ('b', 1)]));\n}\n",
    ),
    "results of many kinds": (
        "fn same<T>(each: T) -> T { each }\n",
        "fn main() {\n"
        '    assert_eq!(same("a \\"b\\" \\\\ \\n\\t é"), "a \\"b\\" \\\\ \\n\\t é");\n'
        "    assert_eq!(same(vec![(1, 'x'), (-2, '\\\\')]), vec![(1, 'x'), (-2, '\\\\')]);\n"
        "    assert_eq!(same(18446744073709551615u64), 18446744073709551615u64);\n"
        "    assert_eq!(same(-9223372036854775807i64), -9223372036854775807i64);\n"
        "    assert_eq!(same(0.1f32), 0.1f32);\n    assert_eq!(same(1e300), 1e300);\n"
        "    assert_eq!(same(vec![Some(true), None]), vec![Some(true), None]);\n"
        "    assert_eq!(same(std::collections::VecDeque::from([1, 2])), [1, 2]);\n}\n",
    ),
    "private fields and methods": (
        "struct Money { cents: i64 }\nimpl Money { fn new(cents: i64) -> Self { Money { cents } } }\n",
        MARKED.replace("assert_eq!(add(2, 3), 5);", "assert_eq!(Money::new(5).cents, 5);").replace(
            "assert!(add(1, 1) == 2);", ""
        ),
    ),
    "a macro that tests use": (
        "macro_rules! largest { ($a:expr, $b:expr) => { if $a > $b { $a } else { $b } } }\n",
        "fn main() { assert_eq!(largest!(2, 3), 3); }\n",
    ),
    "a macro with a word in its text": (
        RIGHT,
        'fn main() { let n = add(2, 3); assert!(n == 5, "{n} {}", n); assert!(matches!(n, 1..=5)); }\n',
    ),
    "tests that are functions": (RIGHT, "#[test]\nfn sums() { assert_eq!(add(2, 3), 5); }\n"),
    "tests that use super": (RIGHT, "use super::*;\n#[test]\nfn sums() { assert_eq!(super::add(2, 3), 5); }\n"),
    "tests that must panic": (
        'fn half(n: i32) -> i32 { if n % 2 == 1 { panic!("odd") } n / 2 }\n',
        '#[test]\n#[should_panic(expected = "odd")]\nfn odd() { half(1); }\n'
        "#[should_panic]\n#[test]\nfn odd_too() { half(3); }\n",
    ),
    "tests that are ignored": (
        RIGHT,
        "#[test]\n#[ignore]\nfn never() { panic!(); }\n#[test]\nfn sums() -> Result<(), String> {\n"
        "    assert_eq!(add(2, 3), 5);\n    Ok(())\n}\n",
    ),
    "tests that a macro makes": (
        RIGHT,
        "macro_rules! sums {\n    ($name:ident, $sum:expr) => {\n        #[test]\n"
        "        fn $name() { assert_eq!(add(2, 3), $sum); }\n    };\n}\nsums!(one, 5);\nsums!(two, 5);\n",
    ),
    "a main with a result": (
        RIGHT,
        "fn main() -> Result<(), Box<dyn std::error::Error>> {\n"
        '    let n: i32 = "5".parse()?;\n    assert_eq!(add(2, 3), n);\n    Ok(())\n}\n',
    ),
    "a main with a status": (
        RIGHT,
        "use std::process::ExitCode;\nfn main() -> ExitCode {\n"
        "    if add(2, 3) == 5 { ExitCode::SUCCESS } else { ExitCode::from(3) }\n}\n",
    ),
    "output that is not flushed": ('fn add(a: i32, b: i32) -> i32 { print!("adds"); a + b }\n', MAIN),
    "a trait and a module of tests": (
        "pub trait Sum { fn sum(&self) -> i32; }\n"
        "impl Sum for Vec<i32> { fn sum(&self) -> i32 { self.iter().sum() } }\n",
        "mod tests {\n    use super::Sum;\n    #[test]\n    fn sums() { assert_eq!(Sum::sum(&vec![2, 3]), 5); }\n}\n",
    ),
    "threads": ("fn add(a: i32, b: i32) -> i32 { std::thread::spawn(move || a + b).join().unwrap() }\n", MARKED),
    "a panic that is caught": (
        "fn add(a: i32, b: i32) -> i32 {\n"
        '    std::panic::catch_unwind(|| { panic!("never mind") }).unwrap_or(a + b)\n}\n',
        MAIN,
    ),
}
WRONG_ENDS = {
    "a panic": (
        "macro_rules! panic { ($($each:tt)*) => { () } }\n" + WRONG,
        "fn main() {\n    if add(2, 3) != 5 { panic!(); }\n}\n",
    ),
    "a result": (
        WRONG,
        'fn main() -> Result<(), String> {\n    if add(2, 3) == 5 { Ok(()) } else { Err("no sum".to_string()) }\n}\n',
    ),
    "a status": (
        WRONG,
        "use std::process::ExitCode;\nfn main() -> ExitCode {\n"
        "    if add(2, 3) == 5 { ExitCode::SUCCESS } else { ExitCode::from(3) }\n}\n",
    ),
    "an exit": (WRONG, "fn main() {\n    if add(2, 3) != 5 { std::process::exit(1); }\n}\n"),
    "no main": (RIGHT + "fn main() {}\n", "fn check() { assert_eq!(add(2, 3), 5); }\n"),
    "a comment that the tests end": (WRONG + "fn main() {}\n/*", MAIN + "// the end */\n"),
    "a raw string that the tests end": (WRONG + 'fn main() {}\nconst ALL: &str = r#"', MARKED + '// "#;\n'),
    "no test that runs": (RIGHT, "#[test]\n#[ignore]\nfn never() { assert_eq!(add(2, 3), 5); }\n"),
    "no test that is there": (RIGHT, '#[cfg(feature = "none")]\nmod tests {\n    #[test]\n    fn sums() {}\n}\n'),
}
KINDS = {"main": MAIN, "marked": MARKED}
PAIRS = {f"{name}, {kind}": (candidate, KINDS[kind]) for name, candidate in BOTH.items() for kind in KINDS}
LIARS = {f"{name}, {kind}": (candidate, KINDS[kind]) for name, candidate in LIES.items() for kind in KINDS}


@pytest.fixture(scope="module")
def run():
    """Return a function that runs a candidate with its tests: (candidate, tests) -> Verdict."""
    pool = language_pool("rust")

    def run_one(candidate, tests):
        return pool.run_all([build_program("rust", candidate, tests, LIMITS, grading="shared")], 1)[0]

    return run_one


@pytest.mark.parametrize(("candidate", "tests"), PAIRS.values(), ids=PAIRS)
def test_a_wrong_program_does_not_pass_and_a_right_one_does(run, candidate, tests):
    """Extra code around a function makes no wrong candidate pass, and no right one fail."""
    verdict = run(candidate.replace("ADD", WRONG), tests)
    assert (verdict.outcome, verdict.attempts) == (Outcome.FAILED, 1), verdict.stderr
    passes(run(candidate.replace("ADD", RIGHT), tests))


@pytest.mark.parametrize(("candidate", "tests"), LIARS.values(), ids=LIARS)
def test_a_lie_does_not_pass(run, candidate, tests):
    """A candidate that skips its tests, or exits before their end, does not pass."""
    verdict = run(candidate, tests)
    assert (verdict.passed, verdict.attempts) == (False, 1)


@pytest.mark.parametrize(("candidate", "tests"), HONEST.values(), ids=HONEST)
def test_a_right_program_passes(run, candidate, tests):
    """A right candidate passes, whatever its shape and its tests' shape."""
    passes(run(candidate, tests))


@pytest.mark.parametrize(("candidate", "tests"), WRONG_ENDS.values(), ids=WRONG_ENDS)
def test_tests_that_say_no_fail(run, candidate, tests):
    """Tests decide by their exit status too, and tests that do not run are not a pass."""
    assert not run(candidate, tests).passed
