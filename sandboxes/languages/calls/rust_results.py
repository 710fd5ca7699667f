"""The Rust module that writes results of calls as JSON, for `calls.rust` and `apart.rust`."""

from __future__ import annotations

RESULTS = r"""
#[allow(dead_code)]
mod code_eval_results {
    extern crate std;
    use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, LinkedList, VecDeque};
    use std::prelude::v1::*;

    pub trait Shown {
        fn write(&self, out: &mut String);
        fn as_key(&self) -> String { text(self) }
    }
    pub fn text<T: Shown + ?Sized>(result: &T) -> String {
        let mut out = String::new();
        result.write(&mut out);
        out
    }
    pub fn say(line: String) {
        use std::io::Write;
        let mut stdout = std::io::stdout();
        for part in ["\n", &line, "\n"] { stdout.write_all(part.as_bytes()).unwrap(); }
        stdout.flush().unwrap();
    }
    // Code that is inlined at each call takes long to compile.
    #[inline(never)]
    pub fn add<T: Shown + ?Sized>(all: &mut String, result: &T) {
        all.push(if all.is_empty() { '[' } else { ',' });
        result.write(all);
    }
    pub fn say_all(mut all: String) {
        all.push(']');
        say(all)
    }

    fn quote(text: &str, out: &mut String) {
        out.push('"');
        for each in text.chars() {
            match each {
                '"' | '\\' => { out.push('\\'); out.push(each) }
                each if each < ' ' => out.push_str(&format!("\\u{:04x}", each as u32)),
                each => out.push(each),
            }
        }
        out.push('"');
    }
    macro_rules! words {
        ($($type:ty)*) => { $(impl Shown for $type {
            fn write(&self, out: &mut String) { out.push_str(&self.to_string()) }
        })* }
    }
    words!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize bool);
    macro_rules! floats {
        ($($type:ty)*) => { $(impl Shown for $type {
            fn write(&self, out: &mut String) {
                if self.is_infinite() { out.push_str(if *self > 0.0 { "Infinity" } else { "-Infinity" }) }
                else { out.push_str(&format!("{:?}", self)) }
            }
        })* }
    }
    floats!(f32 f64);
    impl Shown for () {
        fn write(&self, out: &mut String) { out.push_str("null") }
    }
    impl Shown for str {
        fn write(&self, out: &mut String) { quote(self, out) }
        fn as_key(&self) -> String { self.to_string() }
    }
    impl Shown for String {
        fn write(&self, out: &mut String) { quote(self, out) }
        fn as_key(&self) -> String { self.clone() }
    }
    impl Shown for char {
        fn write(&self, out: &mut String) { quote(&self.to_string(), out) }
        fn as_key(&self) -> String { self.to_string() }
    }
    impl<T: Shown + ?Sized> Shown for &T {
        fn write(&self, out: &mut String) { (**self).write(out) }
        fn as_key(&self) -> String { (**self).as_key() }
    }
    impl<T: Shown> Shown for Box<T> {
        fn write(&self, out: &mut String) { (**self).write(out) }
    }
    impl<T: Shown> Shown for Option<T> {
        fn write(&self, out: &mut String) {
            match self { Some(value) => value.write(out), None => out.push_str("null") }
        }
    }
    fn write_list<'a, T: Shown + 'a>(all: impl Iterator<Item = &'a T>, out: &mut String) {
        out.push('[');
        for (place, each) in all.enumerate() {
            if place > 0 { out.push(','); }
            each.write(out);
        }
        out.push(']');
    }
    impl<T: Shown> Shown for [T] {
        fn write(&self, out: &mut String) { write_list(self.iter(), out) }
    }
    impl<T: Shown, const N: usize> Shown for [T; N] {
        fn write(&self, out: &mut String) { write_list(self.iter(), out) }
    }
    macro_rules! lists {
        ($($type:ident)*) => { $(impl<T: Shown> Shown for $type<T> {
            fn write(&self, out: &mut String) { write_list(self.iter(), out) }
        })* }
    }
    lists!(Vec VecDeque LinkedList HashSet BTreeSet);
    macro_rules! tables {
        ($($type:ident)*) => { $(impl<K: Shown, V: Shown> Shown for $type<K, V> {
            fn write(&self, out: &mut String) {
                out.push('{');
                for (place, (key, value)) in self.iter().enumerate() {
                    if place > 0 { out.push(','); }
                    quote(&key.as_key(), out);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        })* }
    }
    tables!(HashMap BTreeMap);
    macro_rules! tuples {
        ($($($name:ident)*;)*) => { $(impl<$($name: Shown),*> Shown for ($($name,)*) {
            #[allow(non_snake_case)]
            fn write(&self, out: &mut String) {
                let ($($name,)*) = self;
                out.push('[');
                let mut between = "";
                $(out.push_str(between); $name.write(out); between = ",";)*
                let _ = between;
                out.push(']');
            }
        })* }
    }
    tuples!(A; A B; A B C; A B C D; A B C D E; A B C D E F;);
}
"""
