"""Programs in Rust that call the candidate's function, as `Language.calls` has them."""

from __future__ import annotations

import re

from sandboxes.languages.calls.rust_results import RESULTS
from sandboxes.languages.calls.scripts import own_name
from sandboxes.languages.comments import without_literals

MAIN = re.compile(r"\bfn\s+main\s*\(")
IMPL, TYPE = re.compile(r"\bimpl\s+Solution\b"), re.compile(r"\b(?:struct|enum|type)\s+Solution\b")
BORROWED = re.compile(r"&\s*(?:'\w+\s+)?(mut\s+)?")
SLICE = re.compile(r"\[(.*)\]", re.DOTALL)

# Rust's library has no JSON.
CALLS = r"""
#[allow(dead_code)]
mod code_eval_calls {
    extern crate std;
    use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, LinkedList, VecDeque};
    use std::hash::Hash;
    use std::prelude::v1::*;

    pub enum Value { Null, Word(String), Text(String), List(Vec<Value>), Table(Vec<(String, Value)>) }

    pub struct Reader { text: Vec<char>, at: usize }
    impl Reader {
        fn next(&mut self) -> char {
            while self.at < self.text.len() && self.text[self.at].is_whitespace() { self.at += 1; }
            self.text[self.at]
        }
        fn take(&mut self, wanted: char) -> bool {
            let found = self.next() == wanted;
            if found { self.at += 1; }
            found
        }
        fn string(&mut self) -> String {
            let mut units: Vec<u16> = Vec::new();
            let mut buffer = [0u16; 2];
            self.at += 1;
            while self.text[self.at] != '"' {
                let mut each = self.text[self.at];
                if each == '\\' {
                    self.at += 1;
                    each = match self.text[self.at] {
                        'b' => '\u{8}', 'f' => '\u{c}', 'n' => '\n', 'r' => '\r', 't' => '\t',
                        'u' => {
                            let digits: String = self.text[self.at + 1..self.at + 5].iter().collect();
                            units.push(u16::from_str_radix(&digits, 16).unwrap());
                            self.at += 5;
                            continue;
                        }
                        other => other,
                    };
                }
                units.extend_from_slice(each.encode_utf16(&mut buffer));
                self.at += 1;
            }
            self.at += 1;
            String::from_utf16_lossy(&units)
        }
        pub fn read(&mut self) -> Value {
            match self.next() {
                '"' => Value::Text(self.string()),
                '[' => {
                    let mut all = Vec::new();
                    self.at += 1;
                    while !self.take(']') {
                        all.push(self.read());
                        self.take(',');
                    }
                    Value::List(all)
                }
                '{' => {
                    let mut all = Vec::new();
                    self.at += 1;
                    while !self.take('}') {
                        let key = { self.next(); self.string() };
                        self.take(':');
                        all.push((key, self.read()));
                        self.take(',');
                    }
                    Value::Table(all)
                }
                _ => {
                    let start = self.at;
                    while self.at < self.text.len() && !",]} \t\r\n".contains(self.text[self.at]) { self.at += 1; }
                    let word: String = self.text[start..self.at].iter().collect();
                    if word == "null" { Value::Null } else { Value::Word(word) }
                }
            }
        }
    }

    pub fn arguments(count: usize) -> std::vec::IntoIter<Value> {
        let mut text = String::new();
        std::io::Read::read_to_string(&mut std::io::stdin(), &mut text).unwrap();
        match (Reader { text: text.chars().collect(), at: 0 }).read() {
            Value::List(all) if all.len() == count => all.into_iter(),
            Value::List(all) => panic!("there are {} arguments, and the function takes {}", all.len(), count),
            _ => panic!("the arguments are no list"),
        }
    }
    pub fn argument<T: Plain>(all: &mut std::vec::IntoIter<Value>) -> T { T::read(all.next().unwrap()) }

    fn fail(kind: &str) -> ! { panic!("an argument is no {}", kind) }

    pub trait Plain: Sized {
        fn read(value: Value) -> Self;
        fn read_key(text: String) -> Self { Self::read(Value::Word(text)) }
    }
    macro_rules! words {
        ($($type:ty)*) => { $(impl Plain for $type {
            fn read(value: Value) -> Self {
                match value {
                    Value::Word(text) => text.parse().unwrap_or_else(|_| fail(stringify!($type))),
                    _ => fail(stringify!($type)),
                }
            }
        })* }
    }
    words!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize bool f32 f64);
    impl Plain for String {
        fn read(value: Value) -> Self { match value { Value::Text(text) => text, _ => fail("text") } }
        fn read_key(text: String) -> Self { text }
    }
    impl Plain for char {
        fn read(value: Value) -> Self {
            match value {
                Value::Text(text) if text.chars().count() == 1 => text.chars().next().unwrap(),
                _ => fail("char"),
            }
        }
        fn read_key(text: String) -> Self { Self::read(Value::Text(text)) }
    }
    impl<T: Plain> Plain for Option<T> {
        fn read(value: Value) -> Self { match value { Value::Null => None, value => Some(T::read(value)) } }
    }
    impl<T: Plain> Plain for Box<T> {
        fn read(value: Value) -> Self { Box::new(T::read(value)) }
    }
    fn list(value: Value) -> Vec<Value> { match value { Value::List(all) => all, _ => fail("list") } }
    macro_rules! lists {
        ($($type:ident: $($bound:ident)*),*) => { $(impl<T: Plain $(+ $bound)*> Plain for $type<T> {
            fn read(value: Value) -> Self { list(value).into_iter().map(T::read).collect() }
        })* }
    }
    lists!(Vec:, VecDeque:, LinkedList:, HashSet: Eq Hash, BTreeSet: Ord);
    impl<T: Plain, const N: usize> Plain for [T; N] {
        fn read(value: Value) -> Self {
            let all: Vec<T> = Vec::read(value);
            all.try_into().unwrap_or_else(|_| panic!("a list has another length than its parameter"))
        }
    }
    macro_rules! tables {
        ($($type:ident: $($bound:ident)*),*) => { $(impl<K: Plain $(+ $bound)*, V: Plain> Plain for $type<K, V> {
            fn read(value: Value) -> Self {
                match value {
                    Value::Table(all) => {
                        all.into_iter().map(|(key, value)| (K::read_key(key), V::read(value))).collect()
                    }
                    _ => fail("object"),
                }
            }
        })* }
    }
    tables!(HashMap: Eq Hash, BTreeMap: Ord);
    macro_rules! tuples {
        ($($($name:ident)*;)*) => { $(impl<$($name: Plain),*> Plain for ($($name,)*) {
            fn read(value: Value) -> Self {
                let mut all = list(value).into_iter();
                ($($name::read(all.next().unwrap_or_else(|| fail("tuple of this length"))),)*)
            }
        })* }
    }
    tuples!(A; A B; A B C; A B C D; A B C D E; A B C D E F;);
}
"""

CALLS_CRATE = "code_eval_calls_crate"
"""Name of the crate that has both modules where they are compiled once, and of the condition that there is one."""

CRATE = f"{RESULTS}{CALLS}".replace("\nmod ", "\npub mod ")
"""The source of the crate."""

MODULES = f"""
#[cfg({CALLS_CRATE})]
use {CALLS_CRATE}::{{code_eval_calls, code_eval_results}};
{RESULTS}{CALLS}""".replace("\nmod ", f"\n#[cfg(not({CALLS_CRATE}))]\nmod ")
"""The modules, or the crate, as programs have them."""


def rust_call(candidate: str, function: str) -> str:
    """Return a program in Rust that calls a function, or an associated function of `Solution`."""
    plain, name = without_literals(candidate), own_name(function, candidate)
    text = candidate
    for found in reversed([*MAIN.finditer(plain)]):
        text = f"{text[: found.start()]}fn code_eval_own_main({text[found.end() :]}"
    is_method = IMPL.search(plain)
    if is_method and not TYPE.search(plain):
        text += "\nstruct Solution;\n"
    types = parameter_types(plain, name)
    lines, given = [], []
    for number, written in enumerate(types):
        type_, borrow = owned_type(written)
        lines.append(f"    let mut a{number}: {type_} = code_eval_calls::argument(&mut all);\n")
        given.append(f"{borrow}a{number}")
    called = f"Solution::{name}" if is_method else name
    body = f"    let mut all = code_eval_calls::arguments({len(types)});\n{''.join(lines)}"
    call = f"    code_eval_results::say(&{called}({', '.join(given)}));\n    std::process::exit(0);\n"
    return f"{text}{MODULES}\n#[allow(unused_mut)]\nfn main() {{\n{body}{call}}}\n"


def parameter_types(plain: str, name: str) -> list[str]:
    """Return the types of a function's parameters, as they are written; [] if there is no such function.

    Args:
        plain: source, without literals.
        name: of the function.
    """
    found = re.search(rf"\bfn\s+{re.escape(name)}\s*(?:<[^(]*>)?\s*\(", plain)
    if not found:
        return []
    depth, parts = 1, [""]
    for char in plain[found.end() :]:
        depth += (char in "([<{") - (char in ")]>}")
        if not depth:
            break
        if char == "," and depth == 1:
            parts.append("")
        else:
            parts[-1] += char
    return [part.partition(":")[2].strip() for part in parts if part.strip()]


def owned_type(written: str) -> tuple[str, str]:
    """Return the type of a variable that holds an argument, and how it is given to a parameter.

    Args:
        written: the type of the parameter.
    """
    found = BORROWED.match(written)
    if not found:
        return written, ""
    inner = written[found.end() :].strip()
    borrow = "&mut " if found[1] else "&"
    if inner == "str":
        return "String", borrow
    slice_ = SLICE.fullmatch(inner)
    if slice_ and ";" not in slice_[1]:
        return f"Vec<{slice_[1]}>", borrow
    return inner, borrow
