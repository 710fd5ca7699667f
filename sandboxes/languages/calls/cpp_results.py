"""The C++ functions that write results of calls as JSON, for `calls.cpp` and `apart.cpp`."""

from __future__ import annotations

# They name no container, so that they need no header of one.
WRITER = r"""
#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <utility>

namespace code_eval_results {
template <int N> struct Rank : Rank<N - 1> {};
template <> struct Rank<0> {};
template <bool B> using When = typename std::enable_if<B, int>::type;

inline void quote(std::string &out, const std::string &value) {
    out += '"';
    for (unsigned char each : value) {
        if (each == '"' || each == '\\') out += '\\';
        char escaped[8];
        if (each >= 32) out += (char)each;
        else out.append(escaped, (size_t)std::snprintf(escaped, sizeof escaped, "\\u%04x", each));
    }
    out += '"';
}
inline void put(std::string &out, long double value, bool (*is_same)(const char *, long double)) {
    if (value != value) { out += "NaN"; return; }
    if (value - value != 0) { out += value > 0 ? "Infinity" : "-Infinity"; return; }
    // The shortest text that is read as the same number.
    char text[64];
    for (int digits = 1; digits <= 21; digits++) {
        std::snprintf(text, sizeof text, "%.*Lg", digits, value);
        if (is_same(text, value)) break;
    }
    out += text;
}
template <class T> bool is_same(const char *text, long double value) {
    return (T)std::strtold(text, nullptr) == (T)value;
}
template <class T> void write(std::string &out, const T &value);

template <class T, When<std::is_same<T, bool>::value> = 0>
void write(std::string &out, T value, Rank<9>) { out += value ? "true" : "false"; }
template <class T, When<std::is_same<T, char>::value> = 0>
void write(std::string &out, T value, Rank<8>) { quote(out, std::string(1, value)); }
template <class T, When<std::is_integral<T>::value> = 0>
void write(std::string &out, T value, Rank<7>) { out += std::to_string(+value); }
template <class T, When<std::is_floating_point<T>::value> = 0>
void write(std::string &out, T value, Rank<6>) { put(out, value, is_same<T>); }
template <class T, When<std::is_constructible<std::string, const T &>::value> = 0>
void write(std::string &out, const T &value, Rank<5>) { quote(out, std::string(value)); }
template <class T, class = typename T::mapped_type>
void write(std::string &out, const T &all, Rank<4>) {
    const char *between = "";
    out += '{';
    for (const auto &each : all) {
        std::string key;
        write(key, each.first);
        out += between;
        out += key[0] == '"' ? key : '"' + key + '"';
        out += ':';
        write(out, each.second);
        between = ",";
    }
    out += '}';
}
template <class T, class = typename T::value_type, class = decltype(std::declval<const T &>().begin())>
void write(std::string &out, const T &all, Rank<3>) {
    const char *between = "";
    out += '[';
    for (const typename T::value_type &each : all) {
        out += between;
        write(out, each);
        between = ",";
    }
    out += ']';
}
template <class T, class = decltype(std::declval<const T &>().has_value()), class = typename T::value_type>
void write(std::string &out, const T &value, Rank<2>) {
    if (value.has_value()) write(out, *value);
    else out += "null";
}
template <class T, size_t N> struct Parts {
    static void write_all(std::string &out, const T &all) {
        Parts<T, N - 1>::write_all(out, all);
        if (N > 1) out += ',';
        code_eval_results::write(out, std::get<N - 1>(all));
    }
};
template <class T> struct Parts<T, 0> {
    static void write_all(std::string &, const T &) {}
};
template <class T, size_t N = std::tuple_size<T>::value>
void write(std::string &out, const T &all, Rank<1>) {
    out += '[';
    Parts<T, N>::write_all(out, all);
    out += ']';
}
template <class T> void write(std::string &out, const T &value) { write<T>(out, value, Rank<9>()); }

/** The results of calls, in JSON. */
struct Results {
    std::string text = "\n[";
    const char *between = "";

    template <class T> void add(const T &value) {
        text += between;
        write(text, value);
        between = ",";
    }
    void finish() {
        text += "]\n";
#ifdef _GLIBCXX_IOSTREAM
        std::cout.flush();
#endif
        std::fwrite(text.data(), 1, text.size(), stdout);
        std::fflush(stdout);
    }
};
}
"""
