"""The Rust module that writes results of calls as JSON, for `calls.rust` and `apart.rust`."""

from __future__ import annotations

# Code for texts that grow, for formats and for errors of input and output takes longer to compile than most candidates.
# It is only compiled where a result needs it. Code that is inlined at each call would take long, too.
MODULE = r"""
#[allow(dead_code)]
mod code_eval_results {
    extern crate std;
    use std::collections::VecDeque;
    use std::prelude::v1::*;
%s
    pub trait Shown {
        fn write(&self);
    }
    macro_rules! whole {
        ($writer:ident $wide:ty: $($type:ty)*) => { $(impl Shown for $type {
            fn write(&self) { $writer(*self as $wide) }
        })* }
    }
    whole!(signed i64: i8 i16 i32 i64 isize);
    whole!(unsigned u64: u8 u16 u32 u64 usize);
    macro_rules! words {
        ($($type:ty)*) => { $(impl Shown for $type {
            fn write(&self) { put(&self.to_string()) }
        })* }
    }
    words!(i128 u128);
    impl Shown for bool {
        fn write(&self) { put(if *self { "true" } else { "false" }) }
    }
    macro_rules! floats {
        ($($type:ty)*) => { $(impl Shown for $type {
            fn write(&self) {
                if self.is_infinite() { put(if *self > 0.0 { "Infinity" } else { "-Infinity" }) }
                else { put(&format!("{:?}", self)) }
            }
        })* }
    }
    floats!(f32 f64);
    impl Shown for () {
        fn write(&self) { put("null") }
    }
    impl Shown for str {
        fn write(&self) { quote(self) }
    }
    impl Shown for String {
        fn write(&self) { quote(self) }
    }
    impl Shown for char {
        fn write(&self) { quote(self.encode_utf8(&mut [0; 4])) }
    }
    impl<T: Shown + ?Sized> Shown for &T {
        fn write(&self) { (**self).write() }
    }
    impl<T: Shown> Shown for Box<T> {
        fn write(&self) { (**self).write() }
    }
    impl<T: Shown> Shown for Option<T> {
        fn write(&self) {
            match self { Some(value) => value.write(), None => put("null") }
        }
    }
    fn write_list<'a, T: Shown + 'a>(all: impl Iterator<Item = &'a T>) {
        put("[");
        let mut between = "";
        for each in all {
            put(between);
            each.write();
            between = ",";
        }
        put("]");
    }
    impl<T: Shown> Shown for [T] {
        fn write(&self) { write_list(self.iter()) }
    }
    impl<T: Shown, const N: usize> Shown for [T; N] {
        fn write(&self) { write_list(self.iter()) }
    }
    macro_rules! lists {
        ($($type:ident)*) => { $(impl<T: Shown> Shown for $type<T> {
            fn write(&self) { write_list(self.iter()) }
        })* }
    }
    lists!(Vec VecDeque);
    macro_rules! tuples {
        ($($($name:ident)*;)*) => { $(impl<$($name: Shown),*> Shown for ($($name,)*) {
            #[allow(non_snake_case)]
            fn write(&self) {
                let ($($name,)*) = self;
                put("[");
                let mut between = "";
                $(put(between); $name.write(); between = ",";)*
                let _ = between;
                put("]");
            }
        })* }
    }
    tuples!(A; A B; A B C; A B C D; A B C D E; A B C D E F;);
}
"""
"""The module, but for the functions that it calls: `put` writes a text as it is, `quote` as a literal, and `signed` and
`unsigned` write numbers."""

IN_RUST = r"""
    static mut ALL: String = String::new();
    fn all() -> &'static mut String { unsafe { &mut *std::ptr::addr_of_mut!(ALL) } }
    fn put(text: &str) { all().push_str(text) }
    fn signed(value: i64) { put(&value.to_string()) }
    fn unsigned(value: u64) { put(&value.to_string()) }
    fn quote(text: &str) {
        put("\"");
        for each in text.chars() {
            match each {
                '"' | '\\' => { all().push('\\'); all().push(each) }
                each if each < ' ' => put(&format!("\\u{:04x}", each as u32)),
                each => all().push(each),
            }
        }
        put("\"");
    }
    use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, LinkedList};
    macro_rules! sets {
        ($($type:ident)*) => { $(impl<T: Shown> Shown for $type<T> {
            fn write(&self) { write_list(self.iter()) }
        })* }
    }
    sets!(LinkedList HashSet BTreeSet);
    macro_rules! tables {
        ($($type:ident)*) => { $(impl<K: Shown, V: Shown> Shown for $type<K, V> {
            fn write(&self) {
                put("{");
                let mut between = "";
                for (name, value) in self.iter() {
                    put(between);
                    let begin = all().len();
                    name.write();
                    let name = all().split_off(begin);
                    if name.starts_with('"') { put(&name) } else { quote(&name) }
                    put(":");
                    value.write();
                    between = ",";
                }
                put("}");
            }
        })* }
    }
    tables!(HashMap BTreeMap);
    /// Writes a result as the last line of the output.
    pub fn say<T: Shown + ?Sized>(result: &T) {
        use std::io::Write;
        put("\n");
        result.write();
        put("\n");
        let mut stdout = std::io::stdout();
        stdout.write_all(all().as_bytes()).unwrap();
        stdout.flush().unwrap();
    }
"""
IN_C = r"""
    extern "C" {
        fn code_eval_put_TAG(text: *const u8, length: usize);
        fn code_eval_quote_TAG(text: *const u8, length: usize);
        fn code_eval_signed_TAG(value: i64);
        fn code_eval_unsigned_TAG(value: u64);
        fn code_eval_begin_TAG();
        fn code_eval_finish_TAG();
    }
    fn put(text: &str) { unsafe { code_eval_put_TAG(text.as_ptr(), text.len()) } }
    fn quote(text: &str) { unsafe { code_eval_quote_TAG(text.as_ptr(), text.len()) } }
    fn signed(value: i64) { unsafe { code_eval_signed_TAG(value) } }
    fn unsigned(value: u64) { unsafe { code_eval_unsigned_TAG(value) } }
    /// Adds a result to the list.
    #[inline(never)]
    pub fn add<T: Shown + ?Sized>(result: &T) {
        unsafe { code_eval_begin_TAG() }
        result.write();
    }
    /// Writes the list of all results as a line of the output.
    pub fn say_all() { unsafe { code_eval_finish_TAG() } }
"""

RESULTS = MODULE % IN_RUST
"""The module of a program that writes one result, without files in other languages."""

LISTED = MODULE % IN_C
"""The module of a program with the tag TAG that writes a list of results by the functions of its token's file. Nothing
else than what it can write is equal to data that tests write down."""
