"""The Rust module that writes results of calls as JSON, for `calls.rust` and `apart.rust`."""

from __future__ import annotations

# Code for texts that grow, for formats and for errors of input and output takes longer to compile than most candidates.
# It is only compiled where a result needs it. Code that is inlined at each call would take long, too.
SHOWN = r"""
pub trait Writer {
    fn put(text: &str);
    fn quote(text: &str);
    fn signed(value: i64);
    fn unsigned(value: u64);
}
pub trait Shown {
    fn write<W: Writer>(&self);
    fn is_missing(&self) -> bool { false }
}
macro_rules! whole {
    ($writer:ident $wide:ty: $($type:ty)*) => { $(impl Shown for $type {
        fn write<W: Writer>(&self) { W::$writer(*self as $wide) }
    })* }
}
whole!(signed i64: i8 i16 i32 i64 isize);
whole!(unsigned u64: u8 u16 u32 u64 usize);
macro_rules! words {
    ($($type:ty)*) => { $(impl Shown for $type {
        fn write<W: Writer>(&self) { W::put(&self.to_string()) }
    })* }
}
words!(i128 u128);
impl Shown for bool {
    fn write<W: Writer>(&self) { W::put(if *self { "true" } else { "false" }) }
}
macro_rules! floats {
    ($($type:ty)*) => { $(impl Shown for $type {
        fn write<W: Writer>(&self) {
            if self.is_infinite() { W::put(if *self > 0.0 { "Infinity" } else { "-Infinity" }) }
            else { W::put(&format!("{:?}", self)) }
        }
    })* }
}
floats!(f32 f64);
impl Shown for () {
    fn write<W: Writer>(&self) { W::put("null") }
}
impl Shown for str {
    fn write<W: Writer>(&self) { W::quote(self) }
}
impl Shown for String {
    fn write<W: Writer>(&self) { W::quote(self) }
}
impl Shown for char {
    fn write<W: Writer>(&self) { W::quote(self.encode_utf8(&mut [0; 4])) }
}
impl<T: Shown + ?Sized> Shown for &T {
    fn write<W: Writer>(&self) { (**self).write::<W>() }
    fn is_missing(&self) -> bool { (**self).is_missing() }
}
impl<T: Shown> Shown for Box<T> {
    fn write<W: Writer>(&self) { (**self).write::<W>() }
    fn is_missing(&self) -> bool { (**self).is_missing() }
}
impl<T: Shown + ToOwned + ?Sized> Shown for std::borrow::Cow<'_, T> {
    fn write<W: Writer>(&self) { (**self).write::<W>() }
}
impl<T: Shown> Shown for Option<T> {
    fn write<W: Writer>(&self) {
        match self {
            Some(value) if value.is_missing() => W::put("{\"Some\":null}"),
            Some(value) => value.write::<W>(),
            None => W::put("null"),
        }
    }
    fn is_missing(&self) -> bool { self.is_none() }
}
pub fn write_list<'a, W: Writer, T: Shown + 'a, I: Iterator<Item = &'a T>>(all: I) {
    W::put("[");
    let mut between = "";
    for each in all {
        W::put(between);
        each.write::<W>();
        between = ",";
    }
    W::put("]");
}
impl<T: Shown> Shown for [T] {
    fn write<W: Writer>(&self) { write_list::<W, T, _>(self.iter()) }
}
impl<T: Shown, const N: usize> Shown for [T; N] {
    fn write<W: Writer>(&self) { write_list::<W, T, _>(self.iter()) }
}
macro_rules! lists {
    ($($type:ident)*) => { $(impl<T: Shown> Shown for $type<T> {
        fn write<W: Writer>(&self) { write_list::<W, T, _>(self.iter()) }
    })* }
}
lists!(Vec VecDeque);
macro_rules! tuples {
    ($($($name:ident)*;)*) => { $(impl<$($name: Shown),*> Shown for ($($name,)*) {
        #[allow(non_snake_case)]
        fn write<W: Writer>(&self) {
            let ($($name,)*) = self;
            W::put("[");
            let mut between = "";
            $(W::put(between); $name.write::<W>(); between = ",";)*
            let _ = between;
            W::put("]");
        }
    })* }
}
tuples!(A; A B; A B C; A B C D; A B C D E; A B C D E F;);
"""
"""The traits of values that can be written, and of what writes them: `put` writes a text as it is, `quote` as a
literal, and `signed` and `unsigned` write numbers. All other functions depend on the writer, so that they are compiled
in its program."""

IN_RUST = r"""
static mut ALL: String = String::new();
fn all() -> &'static mut String { unsafe { &mut *std::ptr::addr_of_mut!(ALL) } }
pub struct Line;
impl Writer for Line {
    fn put(text: &str) { all().push_str(text) }
    fn signed(value: i64) { Line::put(&value.to_string()) }
    fn unsigned(value: u64) { Line::put(&value.to_string()) }
    fn quote(text: &str) {
        Line::put("\"");
        for each in text.chars() {
            match each {
                '"' | '\\' => { all().push('\\'); all().push(each) }
                each if each < ' ' => Line::put(&format!("\\u{:04x}", each as u32)),
                each => all().push(each),
            }
        }
        Line::put("\"");
    }
}
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, LinkedList};
lists!(LinkedList HashSet BTreeSet);
macro_rules! tables {
    ($($type:ident)*) => { $(impl<K: Shown, V: Shown> Shown for $type<K, V> {
        fn write<W: Writer>(&self) {
            W::put("{");
            let mut between = "";
            for (name, value) in self.iter() {
                W::put(between);
                let begin = all().len();
                name.write::<W>();
                let name = all().split_off(begin);
                if name.starts_with('"') { W::put(&name) } else { W::quote(&name) }
                W::put(":");
                value.write::<W>();
                between = ",";
            }
            W::put("}");
        }
    })* }
}
tables!(HashMap BTreeMap);
/// Writes a result as the last line of the output.
pub fn say<T: Shown + ?Sized>(result: &T) {
    use std::io::Write;
    Line::put("\n");
    result.write::<Line>();
    Line::put("\n");
    let mut stdout = std::io::stdout();
    stdout.write_all(all().as_bytes()).unwrap();
    stdout.flush().unwrap();
}
"""

RESULTS = f"""
#[allow(dead_code)]
mod code_eval_results {{
extern crate std;
use std::collections::VecDeque;
use std::prelude::v1::*;
{SHOWN}{IN_RUST}
}}
"""
"""The module of a program that writes one result, without files in other languages."""
