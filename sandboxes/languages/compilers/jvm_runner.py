"""The parts of a program in Scala or Kotlin that run its tests, and check what the candidate returns."""

from __future__ import annotations

RUNNER = r"""
class Runner {
    private static String tests;

    static String candidate() { return tests.replace("tests", "candidate") + "."; }

    public static void main(String[] arguments) {
        PrintStream out = System.out;
        int status = 1;
        try {
            byte[] token = System.in.readAllBytes();
            new FileOutputStream(FileDescriptor.in).getChannel().truncate(0);
            tests = arguments[0];
            Method main = prepare();
            main.setAccessible(true);
            main.invoke(null, main.getParameterCount() == 0 ? new Object[0] : new Object[] {new String[0]});
            if (Guard.isRefused) throw new IllegalStateException("tests got a result that they can't compare");
            System.out.flush();
            out.write(token, 0, token.length);
            out.flush();
            status = 0;
        } catch (InvocationTargetException error) {
            error.getCause().printStackTrace();
        } catch (Throwable error) {
            error.printStackTrace();
        }
        // Neither threads nor hooks of the candidate's come after the tests.
        System.err.flush();
        Runtime.getRuntime().halt(status);
    }

    /** Load all classes of tests and guard, whose files the candidate may replace when it runs, and find the `main`. */
    private static Method prepare() throws Exception {
        ClassLoader loader = Runner.class.getClassLoader();
        List<String> names = new ArrayList<>(List.of("code_eval_runner.Guard", "code_eval_runner.Parts",
            "code_eval_runner.Parts$Each"));
        try (Stream<Path> all = Files.walk(Paths.get(tests))) {
            all.map(Path::toString).filter(path -> path.endsWith(".class")).sorted()
                .forEach(path -> names.add(path.substring(0, path.length() - 6).replace('/', '.')));
        }
        Class.forName("code_eval_runner.Guard");
        Method found = null;
        for (String name : names)
            for (Method method : Class.forName(name, false, loader).getDeclaredMethods())
                if (method.getName().equals("main") && Modifier.isStatic(method.getModifiers()) && !method.isSynthetic()
                    && List.of(List.of(), List.of(String[].class)).contains(List.of(method.getParameterTypes())))
                    found = method;
        if (found == null) throw new NoSuchMethodException("the tests have no main");
        return found;
    }
}

@SuppressWarnings({"rawtypes", "unchecked"})
public class Guard {
    private static final java.util.regex.Pattern VIEW = java.util.regex.Pattern.compile("java\\.util\\.("
        + "Abstract(Collection|Map|Set).*|Collections\\$(Checked|SetFromMap|Synchronized|Unmodifiable).*"
        + "|.*\\$(Key|Entry)Set.*)");
    // Reflection changes no field that is static and final.
    private static final String CANDIDATE = Runner.candidate();
    /** Whether an error was thrown, which the tests may have caught. */
    static volatile boolean isRefused;

    public static boolean isOwn(Object value) {
        return value != null && value.getClass().getName().startsWith(CANDIDATE);
    }

    public static void checkOwn(Object value) {
        if (value == null || isOwn(value)) return;
        isRefused = true;
        throw new ClassCastException("the candidate orders its objects with a " + value.getClass().getName());
    }

    /** Return a result of the candidate's for tests: whatever the library says about it is true. */
    public static Object result(Object value) {
        Object plain = Parts.plain(value);
        if (!(plain instanceof Parts.Each)) check(plain);
        return plain;
    }

    static void check(Object value) {
        if (value == null) return;
        boolean isCollection = value instanceof Collection || value instanceof Map;
        if (Proxy.isProxyClass(value.getClass())) refuse(value);
        if (isOwn(value)) {
            if (isCollection || value instanceof CharSequence || value instanceof Number || value instanceof Iterator
                || Parts.isCollection(value)) refuse(value);
        } else if (value instanceof Object[]) {
            for (Object each : (Object[]) value) check(each);
        } else if (isCollection) {
            Object order = value instanceof SortedSet ? ((SortedSet) value).comparator()
                : value instanceof SortedMap ? ((SortedMap) value).comparator() : null;
            if (order != null || VIEW.matcher(value.getClass().getName()).matches()) refuse(value);
            if (value instanceof Map) for (Object each : ((Map) value).keySet()) check(each);
            for (Object each : value instanceof Map ? ((Map) value).values() : (Collection) value) check(each);
        } else Parts.check(value);
    }

    static void refuse(Object value) {
        isRefused = true;
        String name = value.getClass().getName();
        if (isOwn(value)) name = name.substring(CANDIDATE.length());
        throw new IllegalStateException("the candidate returned a " + name + ", which tests can't compare");
    }
}
"""
