"""The program that keeps `javac` warm, and the loop that compilers in Java share: one program after the other."""

from __future__ import annotations

from collections.abc import Sequence

from sandboxes.languages.steps import WarmCompiler

PROGRAM_FILE = "CodeEvalCompiler.java"

SERVE = """\
    /** Compile the programs that the supervisor sends, and answer with status and messages. */
    private static void serve() throws IOException {
        DataInputStream in = new DataInputStream(new BufferedInputStream(System.in));
        DataOutputStream out = new DataOutputStream(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out)));
        System.setOut(System.err);
        out.write('R');
        out.flush();
        while (true) {
            for (int left = in.readInt(); left > 0; left--) {
                Path path = Paths.get(new String(read(in), "UTF-8"));
                if (path.getParent() != null) Files.createDirectories(path.getParent());
                Files.write(path, read(in));
            }
            String[] words = new String[in.readInt()];
            for (int place = 0; place < words.length; place++) words[place] = new String(read(in), "UTF-8");
            ByteArrayOutputStream text = new ByteArrayOutputStream();
            int status = 2;
            try {
                status = build(words, new PrintStream(text, true, "UTF-8"));
            } catch (Exception | StackOverflowError error) {
                // The command of this build decides.
                error.printStackTrace();
            }
            out.writeInt(status);
            out.writeInt(text.size());
            text.writeTo(out);
            out.flush();
        }
    }

    private static byte[] read(DataInputStream in) throws IOException {
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        return bytes;
    }

"""
"""The methods of a compiler that stays. Its class has `build(words, messages)`, which returns a status."""

PROGRAM = (
    """\
import java.io.*;
import java.nio.file.*;

public class CodeEvalCompiler {
    public static void main(String[] unused) throws IOException { serve(); }

"""
    + SERVE
    + """\
    // `javac` reads arguments in the same way, in the folder that it runs in, so that its messages are the same.
    private static int build(String[] words, PrintStream messages) {
        return com.sun.tools.javac.Main.compile(words, new PrintWriter(messages, true));
    }
}
"""
)

# Messages of the virtual machine would go to standard output.
QUIET_FLAGS = ("-Xlog:disable", "-XX:+DisplayVMOutputToStderr")


def warm_javac(flags: Sequence[str], arguments: Sequence[str]) -> WarmCompiler:
    """Return the warm compiler of a build by `javac`.

    Args:
        flags: of its virtual machine.
        arguments: of `javac`.
    """
    return WarmCompiler(("java", *flags, *QUIET_FLAGS, PROGRAM_FILE), {PROGRAM_FILE: PROGRAM}, tuple(arguments))
