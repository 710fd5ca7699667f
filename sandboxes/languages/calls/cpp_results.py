"""The C++ functions that write results of calls as JSON, for `calls.cpp` and `apart.cpp`.

Code for texts that grow takes longer to compile than most candidates. The functions that write values are therefore
compiled once, in the token's file, where a program has one. Templates only find out what there is to write.
"""

from __future__ import annotations

import re

from sandboxes.languages.apart.native_results import BUFFER, FINISH, VALUES

NUMBERS = {
    "int": "put_signed(value)",
    "long": "put_signed(value)",
    "long long": "put_signed(value)",
    "unsigned": "put_whole(value)",
    "unsigned long": "put_whole(value)",
    "unsigned long long": "put_whole(value)",
    "float": "put_shortest(value, is_same<float>)",
    "double": "put_shortest(value, is_same<double>)",
    "long double": "put_shortest(value, is_same<long double>)",
}
"""What writes each type of number. Shorter integers are converted to one of these."""

FUNCTIONS = {
    "void write(const bool &value)": 'next(), put_text(value ? "true" : "false")',
    "void write(const char &value)": "next(), put_quoted(&value, 1)",
    **{f"void write(const {kind} &value)": f"next(), {written}" for kind, written in NUMBERS.items()},
    "void quote(const char *text, decltype(sizeof 0) length)": "next(), put_quoted(text, length)",
    "void null()": 'next(), put_text("null")',
    "void open(char bracket)": "next(), put(bracket)",
    "void close(char bracket)": "put(bracket)",
    "unsigned long open_key()": "next(); return used()",
    "void close_key(unsigned long start)": "put_key(start)",
}
"""The body of each function that the templates call, by its declaration."""

# A comma comes before each value but the first of a list, and but that of a key.
DEFINED = r"""
static void next() {
    char last = used() ? results[used() - 1] : '[';
    if (last != '[' && last != '{' && last != ',' && last != ':') put(',');
}
template <class Number> bool is_same(const char *text, long double value) {
    return (Number)strtold(text, nullptr) == (Number)value;
}
static void put_shortest(long double value, bool (*is_same)(const char *, long double)) {
    if (value != value) return put_text("NaN");
    if (value - value != 0) return put_text(value > 0 ? "Infinity" : "-Infinity");
    // The shortest text that is read as the same number.
    char text[64];
    for (int digits = 1; digits <= 21; digits++) {
        snprintf(text, sizeof text, "%.*Lg", digits, value);
        if (is_same(text, value)) break;
    }
    put_text(text);
}
/** Makes a text of a key that is none. */
static void put_key(unsigned long start) {
    if (results[start] != '"') {
        put('"');
        for (unsigned long place = used() - 1; place > start; place--) results[place] = results[place - 1];
        results[start] = '"';
        put('"');
    }
    put(':');
}
"""
BODIES = "".join(f"{declared} {{ {body}; }}\n" for declared, body in FUNCTIONS.items())
"""The functions, but for the buffer that they write to, and the functions that they call, which are in DEFINED."""

# They name no container, so that they need no header of one. No name is one that candidates often give to a macro.
TEMPLATES = r"""
template <int Order> struct Rank : Rank<Order - 1> {};
template <> struct Rank<0> {};
template <bool Condition> using When = typename std::enable_if<Condition, int>::type;

inline void write(const std::string &value) { quote(value.data(), value.size()); }
template <class Result> void write(const Result &value);

template <class Result, When<std::is_integral<Result>::value && sizeof(Result) <= sizeof(int)> = 0>
void choose(const Result &value, Rank<6>) { write(+value); }
template <class Result, When<std::is_constructible<std::string, const Result &>::value> = 0>
void choose(const Result &value, Rank<5>) { write(std::string(value)); }
template <class Result, class = typename Result::mapped_type>
void choose(const Result &values, Rank<4>) {
    open('{');
    for (const auto &each : values) {
        unsigned long start = open_key();
        code_eval_results::write(each.first);
        close_key(start);
        code_eval_results::write(each.second);
    }
    close('}');
}
template <class Result, class = typename Result::value_type, class = decltype(std::declval<const Result &>().begin())>
void choose(const Result &values, Rank<3>) {
    open('[');
    for (const typename Result::value_type &each : values) code_eval_results::write(each);
    close(']');
}
template <class Result, class = decltype(std::declval<const Result &>().has_value()),
          class = typename Result::value_type>
void choose(const Result &value, Rank<2>) {
    if (value.has_value()) code_eval_results::write(*value);
    else null();
}
template <class Result, std::size_t Size> struct Parts {
    static void write_all(const Result &values) {
        Parts<Result, Size - 1>::write_all(values);
        code_eval_results::write(std::get<Size - 1>(values));
    }
};
template <class Result> struct Parts<Result, 0> {
    static void write_all(const Result &) {}
};
template <class Result, std::size_t Size = std::tuple_size<Result>::value>
void choose(const Result &values, Rank<1>) {
    open('[');
    Parts<Result, Size>::write_all(values);
    close(']');
}
// Enumerations, objects that become numbers.
template <class Result, class Sum = decltype(std::declval<const Result &>() + 0),
          When<std::is_arithmetic<Sum>::value> = 0>
void choose(const Result &value, Rank<0>) { code_eval_results::write(value + 0); }
// Integers that the standard does not have.
template <class Result, class Sum = decltype(std::declval<const Result &>() + 0),
          When<!std::is_arithmetic<Sum>::value && !std::is_pointer<Sum>::value && !std::is_class<Sum>::value &&
               !std::is_union<Sum>::value> = 0>
void choose(const Result &value, Rank<0>) {
    if ((Sum)(long long)value == value) write((long long)value);
    else if ((Sum)(unsigned long long)value == value) write((unsigned long long)value);
    else quote("a longer integer", 16);
}
// Inlining it takes time.
template <class Result> __attribute__((noinline)) void write(const Result &value) { choose(value, Rank<6>()); }
"""

HEADERS = """
#include <string>
#include <utility>
"""

WRITER = f"""{HEADERS}
#define code_eval_widest long long
namespace code_eval_results {{
static std::string results;
static unsigned long used() {{ return results.size(); }}
static void put(char each) {{ results += each; }}
{VALUES}{DEFINED}{BODIES}{TEMPLATES}
}}
"""
"""The functions of a program in one file, which has all headers. `write` adds a value to the text `results`."""


def labelled(declaration: str, number: int) -> str:
    """Return a declaration of a function that is in the token's file of the program with the tag TAG."""
    return f'{declaration} __asm__("code_eval_result_{number}_TAG");\n'


DECLARED = "".join(
    labelled(each, number) for number, each in enumerate(["void begin()", "void finish()", *FUNCTIONS], start=1)
)
# MultiPL-E's unions have a field for each type, and an operator that compares it with a value of this type.
UNION_FIELDS = 6
PICKED = (
    """
template <class Type> using Plain = typename std::decay<Type>::type;
template <class Field, class Wanted> using IsOf = std::integral_constant<bool, std::is_same<Field, Wanted>::value
    || (std::is_same<Field, bool>::value == std::is_same<Wanted, bool>::value
        && ((std::is_integral<Field>::value && std::is_integral<Wanted>::value)
            || (std::is_floating_point<Field>::value && std::is_floating_point<Wanted>::value)
            || (std::is_same<Field, std::string>::value && std::is_same<Wanted, const char *>::value)))>;
"""
    + "".join(
        f"""\
template <class Wanted, class Result, class Field = decltype(std::declval<const Result &>().f{number}),
          When<IsOf<Field, Wanted>::value> = 0>
const Field &field(const Result &value, Rank<{UNION_FIELDS - number}>) {{ return value.f{number}; }}
"""
        for number in range(UNION_FIELDS)
    )
    + f"""
template <class Wanted, class Result, When<!std::is_union<Result>::value> = 0>
const Result &picked(const Result &value) {{ return value; }}
template <class Wanted, class Result, When<std::is_union<Result>::value> = 0>
auto picked(const Result &value) -> decltype(field<Plain<Wanted>>(value, Rank<{UNION_FIELDS}>())) {{
    return field<Plain<Wanted>>(value, Rank<{UNION_FIELDS}>());
}}
"""
)
"""Functions that return a result that is compared with a value of a type: of a union, the field of this type."""

PICKED_BY = "CODE_EVAL_PICKED"
"""A macro. Tests write `PICKED_BY(VALUE)(RESULT)` for a result that is compared with a value."""


def listed(candidate: str) -> str:
    """Return the functions of a program with the tag TAG, whose other functions are in its token's file.

    Args:
        candidate: its source. Only one with a union needs PICKED, which takes GCC some time for each result.
    """
    has_unions = "union" in candidate
    picked = "code_eval_results::picked<decltype(value)>" if has_unions else ""
    return f"""{HEADERS}
#define {PICKED_BY}(value...) {picked}
namespace code_eval_results {{
{DECLARED}{TEMPLATES}{PICKED if has_unions else ""}
}}
"""


# What results are compared with says whether they are floats: these have all digits, as doubles have.
EXACT = r"""
static void put_exact(long double value) {
    if ((double)value == value || value != value) put_shortest(value, is_same<double>);
    else put_text("\"a long double\"");
}
""" + re.sub(r"put_shortest\(value, .*?\)", "put_exact(value)", BODIES)
IN_TOKEN = f"""
#define code_eval_widest long long
{BUFFER}{VALUES}{FINISH}
extern "C++" {{
namespace code_eval_results {{
int snprintf(char *, decltype(sizeof 0), const char *, ...) __asm__("snprintf");
long double strtold(const char *, char **) __asm__("strtold");
{DECLARED}
static unsigned long used() {{ return ::used; }}
{DEFINED}{EXACT}
void begin() {{ put_text("\\n["); }}
void finish() {{ put_finish(); }}
}}
}}
"""
"""Those of the token's file."""
