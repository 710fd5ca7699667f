"""Programs in C++ that call the candidate's function, as `Language.calls` has them."""

from __future__ import annotations

import re

from sandboxes.languages.calls.cpp_results import WRITER
from sandboxes.languages.calls.scripts import own_name
from sandboxes.languages.comments import without_literals

# The types of the function's parameters say how each argument is read. This comes first, because a candidate may define
# words of the language as macros. Headers that are compiled once for all programs come before all others.
BEFORE = (
    """
#include <bits/stdc++.h>
"""
    + WRITER
    + r"""
#include <unistd.h>

namespace code_eval_calls {
struct Value {
    char kind = 'n';
    std::string text;
    std::vector<Value> items;
    std::vector<std::string> keys;
};

struct Reader {
    std::string text;
    size_t at = 0;

    [[noreturn]] static void fail(const std::string &problem) { throw std::invalid_argument(problem); }
    void skip() { while (at < text.size() && std::isspace((unsigned char)text[at])) at++; }
    bool take(char wanted) {
        skip();
        if (at >= text.size() || text[at] != wanted) return false;
        at++;
        return true;
    }
    static void put(std::string &out, unsigned long code) {
        if (code < 0x80) out += (char)code;
        else if (code < 0x800) { out += (char)(0xC0 | code >> 6); out += (char)(0x80 | (code & 63)); }
        else if (code < 0x10000) {
            out += (char)(0xE0 | code >> 12);
            out += (char)(0x80 | (code >> 6 & 63));
            out += (char)(0x80 | (code & 63));
        } else {
            out += (char)(0xF0 | code >> 18);
            out += (char)(0x80 | (code >> 12 & 63));
            out += (char)(0x80 | (code >> 6 & 63));
            out += (char)(0x80 | (code & 63));
        }
    }
    unsigned long hex() {
        unsigned long code = std::stoul(text.substr(at, 4), nullptr, 16);
        at += 4;
        return code;
    }
    std::string string() {
        std::string out;
        while (text[at] != '"') {
            if (text[at] != '\\') { out += text[at++]; continue; }
            char escaped = text[at + 1];
            at += 2;
            static const std::string from = "bfnrt", to = "\b\f\n\r\t";
            if (escaped == 'u') {
                unsigned long code = hex();
                if (code >= 0xD800 && code < 0xDC00 && text.compare(at, 2, "\\u") == 0) {
                    at += 2;
                    code = 0x10000 + ((code - 0xD800) << 10) + (hex() - 0xDC00);
                }
                put(out, code);
            } else out += from.find(escaped) == std::string::npos ? escaped : to[from.find(escaped)];
        }
        at++;
        return out;
    }
    Value read() {
        Value value;
        if (take('"')) { value.kind = 's'; value.text = string(); }
        else if (take('[')) {
            value.kind = 'a';
            if (take(']')) return value;
            do value.items.push_back(read()); while (take(','));
            if (!take(']')) fail("no end of a list");
        } else if (take('{')) {
            value.kind = 'o';
            if (take('}')) return value;
            do {
                if (!take('"')) fail("no key");
                value.keys.push_back(string());
                take(':');
                value.items.push_back(read());
            } while (take(','));
            if (!take('}')) fail("no end of an object");
        } else {
            while (at < text.size() && !std::strchr(",]} \t\r\n", text[at])) value.text += text[at++];
            value.kind = value.text == "null" ? 'n' : value.text == "true" || value.text == "false" ? 'b' : 'd';
        }
        return value;
    }
};

inline void expect(const Value &value, char kind, const char *type) {
    if (value.kind != kind) Reader::fail(std::string("an argument is no ") + type);
}

template <class T, class = void> struct Type;
template <> struct Type<bool> {
    static bool read(const Value &value) { expect(value, 'b', "boolean"); return value.text == "true"; }
};
template <> struct Type<std::string> {
    static std::string read(const Value &value) { expect(value, 's', "text"); return value.text; }
};
template <> struct Type<char> {
    static char read(const Value &value) {
        expect(value, 's', "text");
        if (value.text.size() != 1) Reader::fail("an argument is no single character");
        return value.text[0];
    }
};
template <class T> struct Type<T, typename std::enable_if<std::is_integral<T>::value>::type> {
    static T read(const Value &value) {
        expect(value, 'd', "number");
        T number{};
        std::istringstream text(value.text);
        if (sizeof(T) == 1) { int small; text >> small; number = (T)small; } else text >> number;
        if (text.fail() || !text.eof()) Reader::fail(value.text + " is no number of the parameter's type");
        return number;
    }
};
template <class T> struct Type<T, typename std::enable_if<std::is_floating_point<T>::value>::type> {
    static T read(const Value &value) {
        expect(value, 'd', "number");
        return (T)std::strtold(value.text.c_str(), nullptr);
    }
};
template <class C, class V> struct List {
    static C read(const Value &value) {
        expect(value, 'a', "list");
        C all;
        for (const Value &each : value.items) all.insert(all.end(), Type<V>::read(each));
        return all;
    }
};
template <class V, class A> struct Type<std::vector<V, A>> : List<std::vector<V, A>, V> {};
template <class V, class A> struct Type<std::list<V, A>> : List<std::list<V, A>, V> {};
template <class V, class A> struct Type<std::deque<V, A>> : List<std::deque<V, A>, V> {};
template <class C> using Keys = List<C, typename C::key_type>;
template <class... R> struct Type<std::set<R...>> : Keys<std::set<R...>> {};
template <class... R> struct Type<std::multiset<R...>> : Keys<std::multiset<R...>> {};
template <class... R> struct Type<std::unordered_set<R...>> : Keys<std::unordered_set<R...>> {};
template <class V, size_t N> struct Type<std::array<V, N>> {
    static std::array<V, N> read(const Value &value) {
        expect(value, 'a', "list");
        std::array<V, N> all{};
        if (value.items.size() != N) Reader::fail("a list has another length than its parameter");
        for (size_t place = 0; place < N; place++) all[place] = Type<V>::read(value.items[place]);
        return all;
    }
};
template <class K> K read_key(const std::string &text) {
    Value value;
    value.kind = std::is_same<K, std::string>::value || std::is_same<K, char>::value ? 's' : 'd';
    value.text = text;
    return Type<K>::read(value);
}
template <class C> struct Table {
    static C read(const Value &value) {
        expect(value, 'o', "object");
        C all;
        for (size_t place = 0; place < value.items.size(); place++)
            all.emplace(read_key<typename C::key_type>(value.keys[place]),
                        Type<typename C::mapped_type>::read(value.items[place]));
        return all;
    }
};
template <class... R> struct Type<std::map<R...>> : Table<std::map<R...>> {};
template <class... R> struct Type<std::unordered_map<R...>> : Table<std::unordered_map<R...>> {};
template <class A, class B> struct Type<std::pair<A, B>> {
    static std::pair<A, B> read(const Value &value) {
        expect(value, 'a', "list");
        if (value.items.size() != 2) Reader::fail("a list is no pair");
        return {Type<A>::read(value.items[0]), Type<B>::read(value.items[1])};
    }
};
template <size_t N, class... T> struct Parts {
    static void read(const Value &value, std::tuple<T...> &all) {
        Parts<N - 1, T...>::read(value, all);
        using Part = typename std::tuple_element<N - 1, std::tuple<T...>>::type;
        std::get<N - 1>(all) = Type<Part>::read(value.items[N - 1]);
    }
};
template <class... T> struct Parts<0, T...> {
    static void read(const Value &, std::tuple<T...> &) {}
};
template <class... T> struct Type<std::tuple<T...>> {
    static std::tuple<T...> read(const Value &value) {
        expect(value, 'a', "list");
        if (value.items.size() != sizeof...(T)) Reader::fail("a list has another length than its parameter");
        std::tuple<T...> all;
        Parts<sizeof...(T), T...>::read(value, all);
        return all;
    }
};
#if __cplusplus >= 201703L
template <class V> struct Type<std::optional<V>> {
    static std::optional<V> read(const Value &value) {
        if (value.kind == 'n') return std::nullopt;
        return Type<V>::read(value);
    }
};
#endif

template <class... A> using Arguments = std::tuple<typename std::decay<A>::type...>;
template <size_t... N> struct Places {};
template <size_t N, size_t... M> struct Make : Make<N - 1, N - 1, M...> {};
template <size_t... M> struct Make<0, M...> { using type = Places<M...>; };
inline int finish(const std::string &result) {
    std::fflush(stdout);
    std::cout.flush();
    std::string line = "\n" + result + "\n";
    for (size_t done = 0; done < line.size();) {
        ssize_t count = write(1, line.data() + done, line.size() - done);
        if (count < 0) _exit(1);
        done += (size_t)count;
    }
    std::cerr.flush();
    _exit(0);
}
template <class R, class... A> struct Call {
    template <class F, size_t... N> static int run(F called, Places<N...>) {
        std::ostringstream all;
        all << std::cin.rdbuf();
        Reader reader;
        reader.text = all.str();
        Value value = reader.read();
        if (value.items.size() != sizeof...(A))
            Reader::fail("there are " + std::to_string(value.items.size()) + " arguments, and the function takes "
                         + std::to_string(sizeof...(A)));
        Arguments<A...> arguments = Type<Arguments<A...>>::read(value);
        code_eval_results::write(called(static_cast<A &&>(std::get<N>(arguments))...));
        return finish(code_eval_results::results);
    }
};
template <class R, class... A> int run(R (*called)(A...)) {
    return Call<R, A...>::run(called, typename Make<sizeof...(A)>::type());
}
template <class R, class C, class... A> int run(R (C::*called)(A...)) {
    C object;
    return Call<R, A...>::run([&](A... all) -> R { return (object.*called)(std::forward<A>(all)...); },
                              typename Make<sizeof...(A)>::type());
}
template <class R, class C, class... A> int run(R (C::*called)(A...) const) {
    C object;
    return Call<R, A...>::run([&](A... all) -> R { return (object.*called)(std::forward<A>(all)...); },
                              typename Make<sizeof...(A)>::type());
}
template <class F> int start(F called) {
    try {
        return run(called);
    } catch (const std::exception &error) {
        std::cerr << "error: " << error.what() << std::endl;
        return 1;
    }
}
}

using namespace std;
#define main code_eval_own_main
"""
)
AFTER = """
#undef main
#undef int
#undef return
int main() { return code_eval_calls::start(&%s); }
"""
SOLUTION = re.compile(r"\b(?:class|struct)\s+Solution\b")


def cpp_call(candidate: str, function: str) -> str:
    """Return a program in C++ that calls a function, or a method of `Solution`. It has all of the standard library."""
    name = own_name(function, candidate)
    # A name of the standard library's is then not meant.
    owner = "Solution::" if SOLUTION.search(without_literals(candidate)) else "::"
    return f'{BEFORE}#line 1 "candidate.cpp"\n{candidate}\n{AFTER % (owner + name)}'
