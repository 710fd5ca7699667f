"""Kotlin's part of the driver in `jvm_driver`: the compiler, the library's names, and what a candidate declares."""

from sandboxes.languages.compilers.jvm_driver import DRIVER

IMPORTS = """\
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.jetbrains.kotlin.metadata.ProtoBuf;
import org.jetbrains.kotlin.metadata.deserialization.Flags;
import org.jetbrains.kotlin.metadata.deserialization.NameResolver;
import org.jetbrains.kotlin.metadata.deserialization.ProtoTypeTableUtilKt;
import org.jetbrains.kotlin.metadata.deserialization.TypeTable;
import org.jetbrains.kotlin.metadata.jvm.deserialization.JvmProtoBufUtil;
"""
PART = r"""
class Language {
    static final Set<String> ASSERTIONS = Set.of("assert", "check", "checkNotNull", "require", "requireNotNull");
    static final Set<String> QUALIFIED = Set.of("Companion", "Error");
    static final Set<String> FUNCTIONS = new HashSet<>(), EXTENSIONS = new HashSet<>();
    static final Set<String> TYPES = new HashSet<>(Set.of("java", "javax", "kotlin"));
    private static final Set<String> HARMLESS = Set.of("Result", "print", "println");
    private static final Pattern OPERATOR = Pattern.compile("(plus|minus|times|div|rem|mod)(Assign)?|rangeTo|not|inc"
        + "|dec|unary(Plus|Minus)|get|set|contains|compareTo");
    private static final Pattern FILE = Pattern.compile("kotlin/((annotation|collections|comparisons|io|jvm|ranges|"
        + "sequences|text)/)?(jdk[78]/)?(\\w+)\\.(class|kotlin_builtins)");

    // The names that every file knows without an import.
    static {
        String path = kotlin.Unit.class.getProtectionDomain().getCodeSource().getLocation().getPath();
        for (String part : new String[] {"", "-jdk7", "-jdk8"}) {
            try (ZipFile zip = new ZipFile(path.replace("stdlib", "stdlib" + part))) {
                for (ZipEntry entry : Collections.list(zip.entries())) {
                    Matcher file = FILE.matcher(entry.getName());
                    if (file.matches()) readNames(file, zip.getInputStream(entry).readAllBytes());
                }
            } catch (IOException | Refused error) {
                throw new IllegalStateException(error);
            }
        }
    }

    private static void readNames(Matcher file, byte[] bytes) throws IOException, Refused {
        if (file.group(5).equals("class")) {
            ClassNode node = new ClassNode();
            new ClassReader(bytes).accept(node, ClassReader.SKIP_CODE);
            TYPES.add(file.group(4));
            new Declarations(node).addNames();
        } else {
            Matcher name = Pattern.compile("[A-Z]\\w+").matcher(new String(bytes, "ISO-8859-1"));
            while (name.find()) TYPES.add(name.group());
        }
    }

    static boolean compile(String[] options, PrintStream messages) {
        List<String> arguments = new ArrayList<>(List.of(options));
        for (String name : new String[] {"candidate.kt", "code_eval_tests.kt"})
            if (Files.exists(Paths.get(name))) arguments.add(name);
        var compiler = new org.jetbrains.kotlin.cli.jvm.K2JVMCompiler();
        return compiler.exec(messages, arguments.toArray(new String[0])).getCode() == 0;
    }

    static void check(ClassNode node, Set<String> words) throws Refused { new Declarations(node).check(words); }

    // All names of properties and functions are those of `check`.
    static boolean isValue(String name, String type) { return false; }

    static boolean isFunction(String owner) { return owner.matches("kotlin/(jvm/functions/Function\\w+|Lazy)"); }

    static boolean isOperator(String name) { return OPERATOR.matcher(name).matches(); }

    static String sourceName(String name) { return name.replaceFirst("\\$default$", ""); }

    static boolean isOfAll(String name) { return FUNCTIONS.contains(name) && !HARMLESS.contains(name); }

    static boolean isLibrary(String name) { return !HARMLESS.contains(name) && isKnown(name); }

    static boolean isKnown(String name) {
        try {
            Class.forName("java.lang." + name, false, Language.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException | NoClassDefFoundError error) {
            return TYPES.contains(name) || FUNCTIONS.contains(name) || EXTENSIONS.contains(name);
        }
    }
}

/** The declarations of a class or a file, as its source has them. */
class Declarations {
    private final ClassNode node;
    private boolean isClass;
    private NameResolver names;
    private TypeTable types;
    private List<ProtoBuf.Function> functions = List.of();
    private List<ProtoBuf.Property> properties = List.of();
    private List<ProtoBuf.TypeAlias> aliases = List.of();

    Declarations(ClassNode node) throws Refused {
        this.node = node;
        Map<String, Object> values = new HashMap<>();
        for (AnnotationNode each : all(node.visibleAnnotations)) {
            if (!each.desc.equals("Lkotlin/Metadata;")) continue;
            if (!values.isEmpty()) throw new Refused("it has metadata of its own");
            for (int place = 0; place < each.values.size(); place += 2)
                values.put((String) each.values.get(place), each.values.get(place + 1));
        }
        int kind = (int) values.getOrDefault("k", 0);
        if (kind != 1 && kind != 2 && kind != 5) return;
        String[] data = texts(values.get("d1")), texts = texts(values.get("d2"));
        if (kind == 1) {
            var read = JvmProtoBufUtil.readClassDataFrom(data, texts);
            isClass = true;
            names = read.getFirst();
            ProtoBuf.Class all = read.getSecond();
            types = new TypeTable(all.getTypeTable());
            functions = all.getFunctionList();
            properties = all.getPropertyList();
        } else {
            var read = JvmProtoBufUtil.readPackageDataFrom(data, texts);
            names = read.getFirst();
            ProtoBuf.Package all = read.getSecond();
            types = new TypeTable(all.getTypeTable());
            functions = all.getFunctionList();
            properties = all.getPropertyList();
            aliases = all.getTypeAliasList();
        }
    }

    private static List<AnnotationNode> all(List<AnnotationNode> found) { return found == null ? List.of() : found; }

    private static String[] texts(Object all) {
        return all == null ? new String[0] : ((List<?>) all).toArray(new String[0]);
    }

    void addNames() {
        if (isClass) return;
        for (ProtoBuf.Function each : functions)
            (each.hasReceiverType() ? Language.EXTENSIONS : Language.FUNCTIONS).add(names.getString(each.getName()));
        for (ProtoBuf.Property each : properties)
            (each.hasReceiverType() ? Language.EXTENSIONS : Language.FUNCTIONS).add(names.getString(each.getName()));
        for (ProtoBuf.TypeAlias each : aliases) Language.TYPES.add(names.getString(each.getName()));
    }

    /** Check that no name that tests use for the library's is the candidate's, and none of its code is in the tests. */
    void check(Set<String> words) throws Refused {
        List<AnnotationNode> annotations = new ArrayList<>(all(node.invisibleAnnotations));
        for (MethodNode each : node.methods) annotations.addAll(all(each.invisibleAnnotations));
        for (AnnotationNode each : annotations)
            if (each.desc.matches("Lkotlin/jvm/Jvm(Name|PackageName|MultifileClass);"))
                throw new Refused("it has names of its own for the virtual machine");
        String own = node.name.substring(node.name.lastIndexOf('/') + 1);
        if (isClass && words.contains(own) && Language.isLibrary(own)) refuse(own);
        for (ProtoBuf.TypeAlias each : aliases) {
            String name = names.getString(each.getName());
            if (words.contains(name) && Language.isKnown(name)) refuse(name);
        }
        for (ProtoBuf.Function each : functions) if (!isPrivate(each.getFlags())) checkFunction(each, words);
        for (ProtoBuf.Property each : properties) if (!isPrivate(each.getFlags())) checkProperty(each, words);
    }

    private void checkFunction(ProtoBuf.Function function, Set<String> words) throws Refused {
        String name = names.getString(function.getName());
        boolean isUsed = words.contains(name), isExtension = function.hasReceiverType();
        if (Flags.IS_INLINE.get(function.getFlags()) && (isUsed || Flags.IS_OPERATOR.get(function.getFlags())))
            throw new Refused("its " + name + " is inline");
        if (!isUsed || isClass && name.equals("run") && function.getValueParameterCount() == 0) return;
        boolean needsNone = function.getValueParameterList().stream()
            .allMatch(each -> each.hasVarargElementType() || Flags.DECLARES_DEFAULT_VALUE.get(each.getFlags()));
        boolean mayExtend = isExtension || !isClass && needsNone;
        boolean isType = Character.isUpperCase(name.charAt(0)) && Language.isLibrary(name);
        if (isType || Language.isOfAll(name) || mayExtend && Language.EXTENSIONS.contains(name)) refuse(name);
    }

    private void checkProperty(ProtoBuf.Property property, Set<String> words) throws Refused {
        String name = names.getString(property.getName());
        if (!words.contains(name)) return;
        for (int flags : new int[] {property.getGetterFlags(), property.getSetterFlags()})
            if (Flags.IS_INLINE_ACCESSOR.get(flags)) throw new Refused("its " + name + " is inline");
        ProtoBuf.Type type = ProtoTypeTableUtilKt.returnType(property, types);
        String shown = type.hasClassName() ? names.getQualifiedClassName(type.getClassName()) : "";
        // A value of these can't be called.
        boolean isPlain = isClass && !property.hasReceiverType() && shown.matches("kotlin/(?!Function).*|java/.*");
        if (!isPlain && Language.isLibrary(name)) refuse(name);
    }

    private static boolean isPrivate(int flags) {
        ProtoBuf.Visibility visibility = Flags.VISIBILITY.get(flags);
        return visibility == ProtoBuf.Visibility.PRIVATE || visibility == ProtoBuf.Visibility.PRIVATE_TO_THIS;
    }

    private static void refuse(String name) throws Refused {
        throw new Refused("it declares " + name + ", which is the library's");
    }
}

@SuppressWarnings({"rawtypes", "unchecked"})
class Parts {
    private static final Pattern VIEW = Pattern.compile("java\\.util\\.(.*Map\\$.*(Set|Values).*|AbstractMap\\$.*"
        + "|Collections\\$(Checked|SetFromMap|Synchronized|Unmodifiable).*)|kotlin\\.collections\\..*MapWithDefault.*");

    /** An iterator or a sequence, whose methods are the library's but for these. */
    static class Each implements Iterator, kotlin.sequences.Sequence {
        private final Object all;
        Each(Object all) { this.all = all; }
        public boolean hasNext() { return ((Iterator) all).hasNext(); }
        public Object next() { return Guard.result(((Iterator) all).next()); }
        public void remove() { ((Iterator) all).remove(); }
        public Iterator iterator() { return new Each(((kotlin.sequences.Sequence) all).iterator()); }
    }

    /** Copy what shows the elements of another collection, and wrap what computes them later. */
    static Object plain(Object value) {
        if (value instanceof kotlin.sequences.Sequence) return new Each(value);
        if (value instanceof Iterator && !(value instanceof ListIterator || value instanceof PrimitiveIterator)
            && !value.getClass().getName().startsWith("kotlin.")) return new Each(value);
        if (value == null || !VIEW.matcher(value.getClass().getName()).matches()) return value;
        if (value instanceof Map) return new LinkedHashMap((Map) value);
        if (value instanceof Set) return new LinkedHashSet((Set) value);
        if (value instanceof List) return new ArrayList((List) value);
        // The values of a map are equal to no list.
        Map<Integer, Object> all = new LinkedHashMap<>();
        for (Object each : (Collection) value) all.put(all.size(), each);
        return all.values();
    }

    /** Return whether the library asks an object of the candidate's for its elements or its value. */
    static boolean isCollection(Object value) {
        return value instanceof Iterable || value instanceof kotlin.Lazy || value instanceof Map.Entry
            || value instanceof kotlin.ranges.ClosedRange || value instanceof java.util.stream.BaseStream;
    }

    static void check(Object value) {
        if (value instanceof kotlin.Pair) {
            Guard.check(((kotlin.Pair) value).getFirst());
            Guard.check(((kotlin.Pair) value).getSecond());
        } else if (value instanceof kotlin.Triple) {
            Guard.check(((kotlin.Triple) value).getFirst());
            Guard.check(((kotlin.Triple) value).getSecond());
            Guard.check(((kotlin.Triple) value).getThird());
        } else if (value instanceof Map.Entry) Guard.check(((Map.Entry) value).getValue());
    }
}
"""
KOTLIN_DRIVER = DRIVER.replace("import java.util.*;\n", "import java.util.*;\n" + IMPORTS) + PART
