"""The program that keeps `javac` warm: it compiles one program after the other. Used by `java`."""

from __future__ import annotations

from collections.abc import Sequence

from sandboxes.languages.steps import WarmCompiler

PROGRAM_FILE = "CodeEvalCompiler.java"

# Arguments are read as `javac` reads them, in the folder that it runs in, so that its messages are the same.
PROGRAM = """\
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;

public class CodeEvalCompiler {
    public static void main(String[] unused) throws IOException {
        DataInputStream in = new DataInputStream(new BufferedInputStream(System.in));
        DataOutputStream out = new DataOutputStream(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out)));
        System.setOut(System.err);
        out.write('R');
        out.flush();
        while (true) {
            for (int left = in.readInt(); left > 0; left--) {
                Path path = Paths.get(new String(read(in), StandardCharsets.UTF_8));
                if (path.getParent() != null) Files.createDirectories(path.getParent());
                Files.write(path, read(in));
            }
            String[] arguments = new String[in.readInt()];
            for (int place = 0; place < arguments.length; place++)
                arguments[place] = new String(read(in), StandardCharsets.UTF_8);
            StringWriter messages = new StringWriter();
            int status = com.sun.tools.javac.Main.compile(arguments, new PrintWriter(messages, true));
            byte[] text = messages.toString().getBytes(StandardCharsets.UTF_8);
            out.writeInt(status);
            out.writeInt(text.length);
            out.write(text);
            out.flush();
        }
    }

    private static byte[] read(DataInputStream in) throws IOException {
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        return bytes;
    }
}
"""

# Messages of the virtual machine would go to standard output.
QUIET_FLAGS = ("-Xlog:disable", "-XX:+DisplayVMOutputToStderr")


def warm_javac(flags: Sequence[str], arguments: Sequence[str]) -> WarmCompiler:
    """Return the warm compiler of a build by `javac`.

    Args:
        flags: of its virtual machine.
        arguments: of `javac`.
    """
    return WarmCompiler(("java", *flags, *QUIET_FLAGS, PROGRAM_FILE), {PROGRAM_FILE: PROGRAM}, tuple(arguments))
