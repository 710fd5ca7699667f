"""The program that runs the compilers of Scala and Kotlin, and changes what tests call of their candidates.

Candidate and tests run in one virtual machine. After the compiler, the class files of the tests say exactly what tests
call, whatever the candidate has called it: conversions, operators and names that hide the library's are found there.
Results of the candidate's go through the guard (jvm_runner.py), and no object of the candidate's is equal to one of the
library's.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sandboxes.languages.comments import without_literals
from sandboxes.languages.compilers.java_compiler import SERVE
from sandboxes.languages.compilers.jvm_runner import RUNNER
from sandboxes.languages.native import build_tag

DRIVER_FILE = "CodeEvalDriver.java"
DRIVER_CLASS, PUBLIC_CLASS = "code_eval_runner.Driver", "Guard"
"""The driver's main class, and the one public class among its classes."""

MAIN_FILE = "code_eval_main"
"""The file of arguments with the class to run, and the tests' package."""

SETTINGS_FILE = "code_eval_settings"
"""The file with the packages, and the tests' words and types. There is none in programs without tests."""

RESULTS_MARK = "// code_eval_results"
"""What comes before our part of tests whose results are compared elsewhere. Its words are none of the tests'."""

WORD = re.compile(r"[^\W\d]\w*")
TYPE = re.compile(r"\b(?:new|extends|with)\s+(?:\w+\.)*([A-Z]\w*)|[:,\[<]\s*(?:\w+\.)*([A-Z]\w*)|\b([A-Z]\w*)\s*[(\[<]")

DRIVER = (
    r"""
package code_eval_runner;

import java.io.*;
import java.lang.reflect.*;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import jdk.internal.org.objectweb.asm.ClassReader;
import jdk.internal.org.objectweb.asm.ClassWriter;
import jdk.internal.org.objectweb.asm.Opcodes;
import jdk.internal.org.objectweb.asm.Type;
import jdk.internal.org.objectweb.asm.tree.*;

class Driver {
    public static void main(String[] arguments) throws Exception {
        if (arguments.length == 0) serve();
        int status = build(arguments, System.err);
        System.exit(status == 1 ? Integer.getInteger("code_eval.refused", 1) : status);
    }

"""
    + SERVE
    + r"""
    static int build(String[] options, PrintStream messages) throws Exception {
        if (!Language.compile(options, messages)) return 1;
        try {
            if (Files.exists(Paths.get("code_eval_settings"))) new Classes().change();
            else findMain();
            return 0;
        } catch (Refused refused) {
            messages.println("error: tests can not be run on the candidate: " + refused.getMessage());
            return 1;
        }
    }

    static List<Path> classFiles(String folder) throws IOException {
        try (Stream<Path> all = Files.walk(Paths.get(folder))) {
            return all.filter(path -> path.toString().endsWith(".class")).sorted().collect(Collectors.toList());
        }
    }

    private static void findMain() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path path : classFiles("")) {
            ClassNode node = new ClassNode();
            new ClassReader(Files.readAllBytes(path)).accept(node, ClassReader.SKIP_CODE);
            for (MethodNode method : node.methods)
                if (method.name.equals("main") && (method.access & Opcodes.ACC_STATIC) != 0
                    && method.desc.startsWith("([Ljava/lang/String;)")) found.add(node.name.replace('/', '.'));
        }
        String name = found.isEmpty() || found.contains("Main") ? "Main" : found.get(found.size() - 1);
        Files.write(Paths.get("code_eval_main"), (name + "\n").getBytes("UTF-8"));
    }
}

class Refused extends Exception {
    Refused(String message) { super(message); }
}

class Classes implements Opcodes {
    private static final Set<String> FINAL = Set.of("Boolean", "Byte", "Character", "Class", "Double", "Float",
        "Integer", "Long", "Short", "String");
    private static final Set<String> IMPLIED = Set.of("apply", "unapply", "unapplySeq", "update", "<init>", "foreach",
        "map", "flatMap", "filter", "withFilter", "hashCode", "toString", "getClass", "equals", "invoke", "iterator",
        "hasNext", "next", "$init$");
    private final String candidate, tests;
    private final Set<String> words, types, declared = new HashSet<>();

    Classes() throws IOException {
        List<String> lines = Files.readAllLines(Paths.get("code_eval_settings"));
        candidate = lines.get(0) + "/";
        tests = lines.get(1) + "/";
        words = Set.of(lines.get(2).split(" "));
        types = Set.of(lines.get(3).split(" "));
    }

    void change() throws IOException, Refused {
        Map<Path, ClassNode> own = new LinkedHashMap<>(), theirs = new LinkedHashMap<>();
        for (Path path : Driver.classFiles("")) {
            ClassNode node = new ClassNode();
            new ClassReader(Files.readAllBytes(path)).accept(node, 0);
            if (node.name.startsWith(candidate)) own.put(path, node);
            else if (node.name.startsWith(tests)) theirs.put(path, node);
            else throw new Refused("it declares " + node.name.replace('/', '.') + ", which is not in its package");
        }
        Set<String> names = theirs.values().stream().map(node -> node.name).collect(Collectors.toSet());
        for (ClassNode node : theirs.values())
            for (MethodNode method : node.methods) {
                // An object's methods, inherited ones too, are also static methods of another class.
                boolean isMirrored = (method.access & ACC_STATIC) != 0 && names.contains(node.name + "$");
                if (!isMirrored && !isForwarder(method)) declared.add(method.name);
            }
        for (ClassNode node : own.values()) Language.check(node, words);
        for (ClassNode node : own.values()) changeEquals(node);
        for (ClassNode node : own.values()) for (MethodNode method : node.methods) checkReflection(method);
        for (ClassNode node : theirs.values()) for (MethodNode method : node.methods) changeCalls(method);
        own.putAll(theirs);
        for (Map.Entry<Path, ClassNode> entry : own.entrySet()) {
            ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
            entry.getValue().accept(writer);
            Files.write(entry.getKey(), writer.toByteArray());
        }
        Files.createDirectories(Paths.get("code_eval_runner"));
        for (String name : new String[] {"Runner", "Guard", "Parts", "Parts$Each"}) {
            String path = "code_eval_runner/" + name + ".class";
            try (InputStream in = Driver.class.getClassLoader().getResourceAsStream(path)) {
                Files.write(Paths.get(path), in.readAllBytes());
            }
        }
    }

    /** Let no object of the candidate's be equal to one of the library's, or be ordered with it. */
    private void changeEquals(ClassNode node) {
        for (MethodNode method : new ArrayList<>(node.methods)) {
            boolean has = method.name.equals("equals") && method.desc.equals("(Ljava/lang/Object;)Z");
            boolean isOrder = method.name.equals("compareTo") && method.desc.equals("(Ljava/lang/Object;)I");
            int access = method.access & (ACC_ABSTRACT | ACC_STATIC) | node.access & ACC_INTERFACE;
            if (isOrder && (access & ~ACC_INTERFACE) == 0) {
                InsnList guard = new InsnList();
                guard.add(new VarInsnNode(ALOAD, 1));
                String type = "(Ljava/lang/Object;)V";
                guard.add(new MethodInsnNode(INVOKESTATIC, "code_eval_runner/Guard", "checkOwn", type, false));
                method.instructions.insert(guard);
            }
            if (!has || access != 0) continue;
            method.name = "equals$code_eval";
            MethodNode added = new MethodNode(method.access, "equals", method.desc, null, null);
            added.visitVarInsn(ALOAD, 0);
            added.visitVarInsn(ALOAD, 1);
            added.visitMethodInsn(INVOKESPECIAL, node.name, method.name, method.desc, false);
            added.visitVarInsn(ALOAD, 1);
            added.visitMethodInsn(INVOKESTATIC, "code_eval_runner/Guard", "isOwn", method.desc, false);
            added.visitInsn(IAND);
            added.visitInsn(IRETURN);
            node.methods.add(added);
        }
    }

    /** Check that a candidate does not change the library's objects. */
    private void checkReflection(MethodNode method) throws Refused {
        for (AbstractInsnNode each : method.instructions.toArray()) {
            if (!(each instanceof MethodInsnNode)) continue;
            MethodInsnNode call = (MethodInsnNode) each;
            boolean isOther = call.owner.matches("sun/misc/Unsafe|scala/reflect/runtime/.*");
            if (isOther || call.name.equals("setAccessible"))
                throw new Refused("it calls " + call.owner.replace('/', '.') + "." + call.name);
        }
    }

    /** Return whether a method was made by the compiler, which calls that of a trait of the candidate's. */
    private boolean isForwarder(MethodNode method) {
        for (AbstractInsnNode each : method.instructions.toArray()) {
            if (!(each instanceof MethodInsnNode)) continue;
            MethodInsnNode call = (MethodInsnNode) each;
            boolean isTrait = call.owner.endsWith("$class") || call.owner.endsWith("$DefaultImpls");
            return call.owner.startsWith(candidate) && isTrait && call.name.equals(method.name);
        }
        return false;
    }

    private void changeCalls(MethodNode method) throws Refused {
        if (isForwarder(method)) return;
        for (TryCatchBlockNode each : method.tryCatchBlocks) if (each.type != null) checkClass(each.type);
        for (AbstractInsnNode each : method.instructions.toArray()) {
            if (each instanceof FieldInsnNode) changeField(method, (FieldInsnNode) each);
            if (each instanceof TypeInsnNode && each.getOpcode() != CHECKCAST) checkClass(((TypeInsnNode) each).desc);
            if (!(each instanceof MethodInsnNode)) continue;
            MethodInsnNode call = (MethodInsnNode) each;
            if (call.owner.equals("java/lang/reflect/Method") && !words.contains("Method"))
                throw new Refused("it returns a structural type");
            boolean isOwn = call.owner.startsWith(candidate)
                || call.owner.startsWith(tests) && !declared.contains(call.name);
            if (isOwn) checkCall(call);
            String result = Type.getReturnType(call.desc).getDescriptor();
            boolean isFinal = result.startsWith("Ljava/lang/") && FINAL.contains(result.replaceAll(".*/|;", ""));
            boolean isReference = result.matches("L.*|\\[[L\\[].*");
            if (!isReference || isFinal || !isOwn && !Language.isFunction(call.owner)) continue;
            method.instructions.insert(call, guard(Type.getReturnType(call.desc)));
        }
    }

    private void changeField(MethodNode method, FieldInsnNode field) throws Refused {
        checkClass(field.owner);
        if (!field.owner.startsWith(candidate)) return;
        if (!words.contains(field.name) && !field.name.matches("INSTANCE|Companion|MODULE\\$"))
            throw new Refused("tests would use " + field.name + " of its " + shown(field.owner) + " unawares");
        boolean isRead = field.getOpcode() == GETFIELD || field.getOpcode() == GETSTATIC;
        if (isRead && field.desc.matches("L.*|\\[[L\\[].*"))
            method.instructions.insert(field, guard(Type.getType(field.desc)));
    }

    private static InsnList guard(Type result) {
        InsnList guard = new InsnList();
        String type = "(Ljava/lang/Object;)Ljava/lang/Object;";
        guard.add(new MethodInsnNode(INVOKESTATIC, "code_eval_runner/Guard", "result", type, false));
        guard.add(new TypeInsnNode(CHECKCAST, result.getInternalName()));
        return guard;
    }

    /** Check that the tests name a class of the candidate's, and that the library has none of this name. */
    private void checkClass(String name) throws Refused {
        if (!name.startsWith(candidate)) return;
        String[] all = parts(name);
        for (String part : all)
            if (Language.isLibrary(part) && (part == all[0] || !Language.QUALIFIED.contains(part)))
                throw new Refused("it declares " + part + ", which is the library's");
        if (!words.contains(lastPart(name))) throw new Refused("tests would use its " + shown(name) + " unawares");
    }

    private void checkCall(MethodInsnNode call) throws Refused {
        String name = Language.sourceName(call.name);
        boolean isObject = call.owner.endsWith("$") || call.getOpcode() == INVOKESTATIC;
        // A value that tests compare themselves.
        boolean isPlain = !isObject && words.contains(name) && call.desc.matches("\\(\\)[^Z].*|\\([BCDFIJSZ]*\\)V");
        if (isPlain) return;
        checkClass(call.owner);
        boolean isEquality = name.equals("==") || name.equals("!=") || name.equals("equals");
        if (isEquality && !(call.name.equals("equals") && call.desc.equals("(Ljava/lang/Object;)Z")))
            throw new Refused(shown(call.owner) + " has an equality of its own, with another type");
        if (Language.ASSERTIONS.contains(name) || Language.isValue(name, call.desc))
            throw new Refused("it declares " + name + ", which is the library's");
        if (call.owner.startsWith(tests)) return;
        boolean isKnown = words.contains(name) || IMPLIED.contains(name);
        boolean isOperator = Language.isOperator(name);
        isKnown |= isOperator && isReceiverNamed(call);
        boolean isType = types.contains(lastPart(call.owner)) && (call.desc.startsWith("()") || isOperator);
        boolean isOfAll = name.equals("equals") || name.equals("hashCode") || name.equals("toString");
        if (!isOfAll && !(isObject ? isKnown : isType || isKnown && types.contains(lastPart(call.owner))))
            throw new Refused("tests would call " + name + " of its " + shown(call.owner) + ", which they do not name");
    }

    /** Return whether the first argument's class is one of the candidate's that tests name as a type. */
    private boolean isReceiverNamed(MethodInsnNode call) {
        Type[] all = Type.getArgumentTypes(call.desc);
        if (all.length == 0 || all[0].getSort() != Type.OBJECT) return false;
        String name = all[0].getInternalName();
        return name.startsWith(candidate) && types.contains(lastPart(name));
    }

    private String[] parts(String name) { return name.substring(candidate.length()).split("[/$]+"); }

    private String lastPart(String name) {
        String[] all = parts(name.replaceFirst("\\$(class|DefaultImpls|Companion)$", ""));
        return all.length == 0 ? "" : all[all.length - 1];
    }

    private String shown(String name) { return String.join(".", parts(name)); }
}
"""
    + RUNNER
)


def program_files(
    candidate: str, tests: str, type_name: re.Pattern[str] = TYPE, implied: Callable[[set[str]], set[str]] = set
) -> tuple[str, str, dict[str, str]]:
    """Return the packages of candidate and tests, whose names no candidate knows, and the files beside the sources.

    Args:
        candidate: its source.
        tests: theirs.
        type_name: what names a type in the tests, as one of its groups.
        implied: the tests' words -> those that their class files have in place of them.
    """
    tag = build_tag(candidate, tests)
    own, theirs = f"code_eval_candidate_{tag}", f"code_eval_tests_{tag}"
    named = tests.partition(RESULTS_MARK)[0]
    types = {next(filter(None, each.groups())) for each in type_name.finditer(without_literals(named))}
    words = {*WORD.findall(named)}
    lines = (own, theirs, " ".join(sorted(words | implied(words))), " ".join(sorted(types)))
    return own, theirs, {SETTINGS_FILE: "\n".join(lines) + "\n", MAIN_FILE: f"code_eval_runner.Runner {theirs}\n"}
