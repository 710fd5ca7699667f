"""Programs in Java that call the candidate's function, as `Language.calls` has them."""

from __future__ import annotations

from sandboxes.languages.calls.scripts import own_name

OPTIONAL_VALUE = """\
        if (value instanceof java.util.Optional) value = ((java.util.Optional<?>) value).orElse(null);
"""
WRITER = (
    """
    static void write(StringBuilder out, Object value) {
"""
    + OPTIONAL_VALUE
    + r"""        if (value == null || value instanceof Number || value instanceof Boolean) out.append(value);
        else if (value instanceof CharSequence || value instanceof Character) quote(out, value);
        else if (value instanceof java.util.Map) {
            String between = "{";
            if (((java.util.Map<?, ?>) value).isEmpty()) out.append("{");
            for (java.util.Map.Entry<?, ?> each : ((java.util.Map<?, ?>) value).entrySet()) {
                quote(out.append(between), each.getKey());
                write(out.append(":"), each.getValue());
                between = ",";
            }
            out.append("}");
        } else if (value instanceof java.util.stream.BaseStream) {
            java.util.List<Object> all = new java.util.ArrayList<>();
            ((java.util.stream.BaseStream<?, ?>) value).iterator().forEachRemaining(all::add);
            write(out, all);
        } else if (value instanceof Iterable || value.getClass().isArray()) {
            java.util.Iterator<?> all = value instanceof Iterable ? ((Iterable<?>) value).iterator() : null;
            String between = "[";
            int length = all == null ? java.lang.reflect.Array.getLength(value) : -1;
            for (int place = 0; all == null ? place < length : all.hasNext(); place++) {
                write(out.append(between), all == null ? java.lang.reflect.Array.get(value, place) : all.next());
                between = ",";
            }
            out.append(between.equals("[") ? "[]" : "]");
        } else throw new IllegalArgumentException("the result is a " + value.getClass().getName());
    }

    private static void quote(StringBuilder out, Object value) {
        out.append('"');
        for (char each : String.valueOf(value).toCharArray()) {
            if (each == '"' || each == '\\') out.append('\\');
            if (each < ' ' || Character.isSurrogate(each)) out.append(String.format("\\u%04x", (int) each));
            else out.append(each);
        }
        out.append('"');
    }
"""
)
"""The Java methods that write a result as JSON."""

# The generic types of the method's parameters say how each argument is read.
PROGRAM = (
    r"""
import java.util.*;
import java.util.function.*;
import java.util.stream.*;
import java.math.*;

class CodeEvalCalls {
    private final String text;
    private int at;

    private CodeEvalCalls(String text) { this.text = text; }

    public static void main(String[] unused) throws Throwable {
        java.io.PrintStream stdout = System.out;
        CodeEvalCalls reader = new CodeEvalCalls(new String(System.in.readAllBytes(), "UTF-8"));
        List<?> given = (List<?>) reader.read();
        java.lang.reflect.Method method = find(given.size());
        java.lang.reflect.Type[] types = method.getGenericParameterTypes();
        Object[] all = new Object[types.length];
        for (int place = 0; place < all.length; place++) all[place] = convert(given.get(place), types[place]);
        Object object = null;
        if (!java.lang.reflect.Modifier.isStatic(method.getModifiers())) {
            java.lang.reflect.Constructor<?> constructor = method.getDeclaringClass().getDeclaredConstructor();
            constructor.setAccessible(true);
            object = constructor.newInstance();
        }
        method.setAccessible(true);
        StringBuilder result = new StringBuilder("\n");
        try {
            write(result, method.invoke(object, all));
        } catch (java.lang.reflect.InvocationTargetException error) {
            throw error.getCause();
        }
        System.out.flush();
        stdout.write(result.append("\n").toString().getBytes("UTF-8"));
        stdout.flush();
        Runtime.getRuntime().halt(0);
    }

    private static java.lang.reflect.Method find(int count) throws Exception {
        boolean isNamed = false;
        for (String name : new String[] {TYPES}) {
            Class<?> type = Class.forName(name, false, CodeEvalCalls.class.getClassLoader());
            for (java.lang.reflect.Method method : type.getDeclaredMethods()) {
                if (!method.getName().equals("FUNCTION") || method.isSynthetic()) continue;
                isNamed = true;
                if (method.getParameterCount() == count) return method;
            }
        }
        throw new NoSuchMethodException(isNamed ? "FUNCTION does not take " + count + " arguments" : "FUNCTION");
    }

    private char next() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
        return text.charAt(at);
    }

    private Object read() {
        char first = next();
        if (first == '"') return string();
        if (first == '[') {
            List<Object> all = new ArrayList<>();
            for (at++; next() != ']'; ) {
                all.add(read());
                if (next() == ',') at++;
            }
            at++;
            return all;
        }
        if (first == '{') {
            Map<String, Object> all = new LinkedHashMap<>();
            for (at++; next() != '}'; ) {
                String key = string();
                next();
                at++;
                all.put(key, read());
                if (next() == ',') at++;
            }
            at++;
            return all;
        }
        int start = at;
        while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) at++;
        String word = text.substring(start, at);
        return word.equals("null") ? null : word.equals("true") || word.equals("false") ? (Object) word.equals("true")
            : new BigDecimal(word);
    }

    private String string() {
        StringBuilder all = new StringBuilder();
        for (at++; text.charAt(at) != '"'; at++) {
            char each = text.charAt(at);
            if (each == '\\') {
                each = text.charAt(++at);
                int known = "bfnrt".indexOf(each);
                if (known >= 0) each = "\b\f\n\r\t".charAt(known);
                else if (each == 'u') {
                    each = (char) Integer.parseInt(text.substring(at + 1, at + 5), 16);
                    at += 4;
                }
            }
            all.append(each);
        }
        at++;
        return all.toString();
    }

    private static Object convert(Object value, java.lang.reflect.Type type) {
        if (type instanceof java.lang.reflect.WildcardType)
            return convert(value, ((java.lang.reflect.WildcardType) type).getUpperBounds()[0]);
        Class<?> raw = rawType(type);
        java.lang.reflect.Type[] parts = type instanceof java.lang.reflect.ParameterizedType
            ? ((java.lang.reflect.ParameterizedType) type).getActualTypeArguments() : new java.lang.reflect.Type[] {};
        if (raw == Optional.class)
            return value == null ? Optional.empty() : Optional.of(convert(value, part(parts, 0)));
        if (value == null) return null;
        boolean takesNumber = raw.isPrimitive() || raw.isAssignableFrom(BigDecimal.class) || isNumber(raw);
        if (value instanceof BigDecimal && takesNumber)
            return number((BigDecimal) value, raw);
        if (value instanceof String && (raw == char.class || raw == Character.class) && ((String) value).length() == 1)
            return ((String) value).charAt(0);
        if (value instanceof List && raw.isArray()) {
            java.lang.reflect.Type inner = type instanceof java.lang.reflect.GenericArrayType
                ? ((java.lang.reflect.GenericArrayType) type).getGenericComponentType() : raw.getComponentType();
            Object all = java.lang.reflect.Array.newInstance(raw.getComponentType(), ((List<?>) value).size());
            int place = 0;
            for (Object each : (List<?>) value) java.lang.reflect.Array.set(all, place++, convert(each, inner));
            return all;
        }
        if (value instanceof List) {
            Collection<Object> all = raw.isAssignableFrom(ArrayList.class) ? new ArrayList<>()
                : raw.isAssignableFrom(HashSet.class) ? new LinkedHashSet<>()
                : raw.isAssignableFrom(TreeSet.class) ? new TreeSet<>()
                : raw.isAssignableFrom(LinkedList.class) ? new LinkedList<>()
                : raw.isAssignableFrom(PriorityQueue.class) ? new PriorityQueue<>()
                : raw.isAssignableFrom(ArrayDeque.class) ? new ArrayDeque<>() : null;
            if (all != null) {
                for (Object each : (List<?>) value) all.add(convert(each, part(parts, 0)));
                return all;
            }
        }
        boolean isLinked = raw.isAssignableFrom(LinkedHashMap.class);
        if (value instanceof Map && (isLinked || raw.isAssignableFrom(TreeMap.class))) {
            Map<Object, Object> all = isLinked ? new LinkedHashMap<>() : new TreeMap<>();
            for (Map.Entry<?, ?> each : ((Map<?, ?>) value).entrySet()) {
                Class<?> key = rawType(part(parts, 0));
                Object name = isNumber(key) ? new BigDecimal((String) each.getKey()) : each.getKey();
                all.put(convert(name, key), convert(each.getValue(), part(parts, 1)));
            }
            return all;
        }
        boolean isFlag = value instanceof Boolean && raw == boolean.class;
        if (!isFlag && !raw.isInstance(value))
            throw new IllegalArgumentException(value + " is no " + type.getTypeName());
        return value;
    }

    private static java.lang.reflect.Type part(java.lang.reflect.Type[] parts, int place) {
        return place < parts.length ? parts[place] : Object.class;
    }

    private static Class<?> rawType(java.lang.reflect.Type type) {
        if (type instanceof Class) return (Class<?>) type;
        if (type instanceof java.lang.reflect.ParameterizedType)
            return (Class<?>) ((java.lang.reflect.ParameterizedType) type).getRawType();
        if (type instanceof java.lang.reflect.GenericArrayType)
            return java.lang.reflect.Array.newInstance(
                rawType(((java.lang.reflect.GenericArrayType) type).getGenericComponentType()), 0).getClass();
        return Object.class;
    }

    private static boolean isNumber(Class<?> type) { return Number.class.isAssignableFrom(type); }

    private static Object number(BigDecimal value, Class<?> type) {
        if (type == double.class || type == Double.class) return value.doubleValue();
        if (type == float.class || type == Float.class) return value.floatValue();
        if (type == long.class || type == Long.class) return value.longValueExact();
        if (type == short.class || type == Short.class) return value.shortValueExact();
        if (type == byte.class || type == Byte.class) return value.byteValueExact();
        if (type == BigInteger.class) return value.toBigIntegerExact();
        if (type == BigDecimal.class) return value;
        if (type == int.class || type == Integer.class) return value.intValueExact();
        if (type == boolean.class || type == char.class) throw new IllegalArgumentException(value + " is no " + type);
        if (value.scale() > 0) return value.doubleValue();
        long whole = value.longValueExact();
        return whole == (int) whole ? (Object) (int) whole : whole;
    }

"""
    + WRITER
    + "}\n"
)


def java_call(candidate: str, function: str, types: list[str]) -> str:
    """Return a program in Java that calls a method of `Solution`, or of another class, static or not.

    Args:
        candidate: source.
        function: name of the method.
        types: full names of the candidate's types.
    """
    types = sorted(types, key=lambda name: name.rpartition(".")[2] != "Solution")
    listed = ", ".join(f'"{name}"' for name in types)
    return candidate + PROGRAM.replace("{TYPES}", f"{{{listed}}}").replace("FUNCTION", own_name(function, candidate))
