"""Tests in Ada whose results are compared elsewhere, with right candidates and with wrong ones."""

HEAD = "pragma Ada_2022;\nwith Ada.Containers.Vectors;\nwith Ada.Strings.Unbounded; use Ada.Strings.Unbounded;\n"
TYPES = """\
   type Integer_Array is array (Positive range <>) of Integer;
   type Float_Array is array (Positive range <>) of Float;
   type Boolean_Array is array (Positive range <>) of Boolean;
   type Unbounded_String_Array is array (Positive range <>) of Unbounded_String;
   package Integer_Vector is new Ada.Containers.Vectors (Index_Type => Positive, Element_Type => Integer);
   use Integer_Vector;
   type Integer_Vector_Vector_Array is array (Positive range <>) of Integer_Vector.Vector;
"""
MAIN = "with Placeholder; use Placeholder;\n\nprocedure Main is\n\n   use Integer_Vector;\n\n"


def candidate(signature, body, more="", clauses=""):
    """Return a package with a function, whose body is an expression, and with other declarations."""
    return (
        f"{HEAD}{clauses}package Placeholder is\n{TYPES}   function F {signature};\n{more}end Placeholder;\n"
        f"pragma Ada_2022;\npackage body Placeholder is\n   function F {signature} is\n   begin\n{body}\n   end F;\n"
        "end Placeholder;\n"
    )


def conditions(signature, *texts):
    """Return tests in the shape of MultiPL-E, with these conditions."""
    renamed = f"   function Candidate {signature} renames Placeholder.F;\n\nbegin\n"
    return f"{HEAD}{MAIN}{renamed}{''.join(f'   pragma Assert ({text});{chr(10)}' for text in texts)}end Main;\n"


def whole(signature, body, *texts, **more):
    """Return a candidate with its tests."""
    return candidate(signature, body, **more), conditions(signature, *texts)


INTEGERS = "(L : Integer_Array) return Integer_Array"
FLOAT = "(A : Float) return Float"
TEXT = "(T : String) return String"
TEXTS = "(T : String) return Unbounded_String_Array"
INTEGER = "(A : Integer) return Integer"
HONEST = {
    "lists": whole(
        *(INTEGERS, "return [for Each of L => 2 * Each];"),
        *("Candidate ([1, 2]) = [2, 4]", "Candidate ([]) = []", "[-2] = Candidate ([-1])"),
    ),
    "numbers of type Float": whole(
        *(FLOAT, "return A + 0.1;"),
        *("Candidate (0.2) = 0.30000001192092896", "Candidate (0.0) = 0.1", "Candidate (-0.1) = 0.0"),
    ),
    "lists of numbers": whole(
        *("(L : Float_Array) return Float_Array", "return [for Each of L => Each + 0.1];"),
        *("Candidate ([0.2, 1.0]) = [0.3, 1.1]", "Candidate ([]) = []"),
    ),
    "conditions": whole(
        *("(A : Integer) return Boolean", "return A > 2;"),
        *("Candidate (3)", "not Candidate (2)", 'Candidate (4) = True, "no"'),
    ),
    "lists of conditions": whole(
        *("(L : Integer_Array) return Boolean_Array", "return [for Each of L => Each > 2];"),
        "Candidate ([2, 3]) = [False, True]",
    ),
    "texts": whole(
        *(TEXT, "return T & 'x';"),
        *('Candidate ("a""b\\") = "a""b\\x"', 'Candidate ("") = "x"'),
    ),
    "characters": whole(
        *("(T : String) return Character", "return T (T'Last);"),
        *("Candidate (\"ab'\") = '''", "Candidate (\"(\") = '('"),
    ),
    "lists of texts": whole(
        *(TEXTS, 'return (if T = "" then [] else [To_Unbounded_String (T), To_Unbounded_String ("")]);'),
        *('Candidate ("ab") = [To_Unbounded_String ("ab"), To_Unbounded_String ("")]', 'Candidate ("") = []'),
    ),
    "lists of lists": whole(
        *("(L : Integer_Array) return Integer_Vector_Vector_Array", "return [for Each of L => [Each, Each]];"),
        *("Candidate ([1, 2]) = [[1, 1], [2, 2]]", "Candidate ([]) = []"),
    ),
    "vectors": whole(
        *("(A : Integer) return Integer_Vector.Vector", "return [A, A + 1];"),
        "Candidate (1) = [1, 2]",
    ),
    "output": whole(
        *(INTEGER, 'Ada.Text_IO.Put ("[1,"); return A + 1;', "Candidate (1) = 2", "Candidate (-1) = 0"),
        clauses="with Ada.Text_IO;\n",
    ),
}
"""{name: (right candidate, tests)}"""

CLAUSES = "with Ada.Text_IO;\nwith GNAT.OS_Lib;\n"
LINE = 'Ada.Text_IO.New_Line; Ada.Text_IO.Put_Line ("[5,9]"); '
CODE = "with Code_Eval_Results;\n"
TWO = ("Candidate (1) = 5", "Candidate (2) = 9")
WRONG = {
    "a line of results": whole(INTEGER, f"{LINE}return A;", *TWO, clauses=CLAUSES),
    "results that are added": whole(
        *(INTEGER, "Code_Eval_Results.Add_Integer (5); return 9;", *TWO),
        clauses=CODE,
    ),
    "results that are finished": whole(
        *(INTEGER, "Code_Eval_Results.Add_Integer (5); Code_Eval_Results.Finish; return 9;", *TWO),
        clauses=CODE,
    ),
    "the comparison that checks types": whole(
        *(INTEGER, "Code_Eval_Results.Never := True; return 0;", *TWO),
        clauses=CODE,
    ),
    "an equality of its own": whole(
        *(INTEGERS, "return L;", "Candidate ([1]) = [2]"),
        more='   function "=" (Left, Right : Integer_Array) return Boolean is (True);\n',
    ),
    "another output": whole(
        *(INTEGER, "Ada.Text_IO.Set_Output (Ada.Text_IO.Standard_Error); return A;", *TWO),
        clauses=CLAUSES,
    ),
    "an error": whole(INTEGER, 'raise Constraint_Error with "[5,9]"; return A;', *TWO),
    "the sources of the tests": whole(
        *(
            INTEGER,
            "declare File : Ada.Text_IO.File_Type; begin "
            'Ada.Text_IO.Open (File, Ada.Text_IO.In_File, "tests.ada"); end; return 5;',
            *TWO,
        ),
        clauses=CLAUSES,
    ),
    "the next number": whole(FLOAT, "return Float'Succ (A);", "Candidate (0.1) = 0.1"),
    "no number": whole(FLOAT, "return (A - A) / (A - A);", "Candidate (0.1) = 0.1"),
    "a text in another place": whole(TEXT, 'return """,""b";', 'Candidate ("a") = "b"'),
    "one text in place of two": whole(
        *(TEXTS, 'return [To_Unbounded_String ("a"",""b")];'),
        'Candidate ("a") = [To_Unbounded_String ("a"), To_Unbounded_String ("b")]',
    ),
    "an element in an empty list": whole(INTEGERS, "return [1];", "Candidate ([1]) = []"),
    "a unit with our name": (
        candidate(INTEGER, "return A;")
        + "package Code_Eval_Results is\n   Never : Boolean := False;\nend Code_Eval_Results;\n",
        conditions(INTEGER, *TWO),
    ),
}
"""{name: (wrong candidate, tests)}"""

MISTYPED = {
    "a number for a condition": (
        candidate(INTEGER, "return A;"),
        conditions("(A : Integer) return Boolean", "Candidate (1)"),
    ),
    "another number for an integer": (candidate(FLOAT, "return A;"), conditions(INTEGER, "Candidate (1) = 1")),
    "a list of other numbers": (
        candidate("(L : Integer_Array) return Float_Array", "return [1.0];"),
        conditions(INTEGERS, "Candidate ([1]) = [1]"),
    ),
}
"""{name: (candidate that does not compile with the tests, tests)}"""
