"""Candidates in Ada that want a pass they have not earned, each beside an honest one.

Each entry maps an attack to (wrong candidate, honest candidate with the same means, tests if not `TESTS`).
"""

TESTS = """\
pragma Ada_2022;
with Placeholder; use Placeholder;

procedure Main is

   function Candidate (A : Integer; B : Integer) return Integer renames Placeholder.Add;

begin
   pragma Assert (Candidate (2, 3) = 5);
   pragma Assert (Candidate (0, 1) = 1);
end Main;
"""
STATUS = """\
with Placeholder;
with Ada.Command_Line; use Ada.Command_Line;
procedure Main is
begin
   if Placeholder.Add (2, 3) /= 5 then
      Set_Exit_Status (Failure);
   end if;
end Main;
"""
RAISES = """\
with Placeholder; use Placeholder;
procedure Main is
begin
   if not (Add (2, 3) = 5 and then Integer'Image (Add (2, 3)) = " 5") then
      raise Program_Error with "no sum";
   end if;
end Main;
"""
TEXTS = """\
with Ada.Strings.Unbounded; use Ada.Strings.Unbounded;
with Placeholder; use Placeholder;
procedure Main is
begin
   pragma Assert (To_Unbounded_String (Integer'Image (Add (2, 3))) = To_Unbounded_String (" 5"));
end Main;
"""


def package(sign="*", spec="", declared="", body="", begin="", clauses=""):
    """Return a package with a function, whose result is a product or that of `sign`."""
    begin = f"begin\n   {begin}\n" if begin else ""
    return (
        f"pragma Ada_2022;\n{clauses}\npackage Placeholder is\n   {spec}\n"
        "   function Add (A : Integer; B : Integer) return Integer;\n   --  Add.\n\nend Placeholder;\n\n"
        f"pragma Ada_2022;\n{clauses}\npackage body Placeholder is\n   {declared}\n"
        f"   function Add (A : Integer; B : Integer) return Integer is\n   begin\n      {body}\n"
        f"      return A {sign} B;\n   end Add;\n\n{begin}end Placeholder;\n"
    )


def both(*tests, **parts):
    """Return (wrong, honest, *tests) for candidates with the same additions."""
    return package("*", **parts), package("+", **parts), *tests


def leaves(where, *tests, **parts):
    """Return (wrong, honest, *tests): a candidate that leaves in a place, and one that does something else there."""
    wrong, honest = ({**parts, where: parts.get(where, "%s") % each} for each in (LEAVE, "null;"))
    return package("*", clauses=OS, **wrong), package("+", clauses=OS, **honest), *tests


OS = "with GNAT.OS_Lib;\nwith Ada.Finalization;\nwith Ada.Task_Identification;\nwith Ada.Command_Line;\n"
LEAVE = "GNAT.OS_Lib.OS_Exit (0);"
C_EXIT = 'procedure Leave (Status : Integer); pragma Import (C, Leave, "_exit");'
LAST = (
    "type Last is new Ada.Finalization.Controlled with null record;\n"
    "   procedure Finalize (Object : in out Last) is begin %s end Finalize;\n   One : Last;"
)
EXPORTED = (
    'function Other (A : System.Address; B : System.Address) return Integer is (0);\n   pragma Export (C, Other, "{}");'
)
PASSING = "procedure Main is\nbegin\n   null;\nend Main;\n"
ATTACKS = {
    "exit when called": leaves("body"),
    "exit of C when called": (
        package(declared=C_EXIT, body="Leave (0);"),
        package("+", declared=C_EXIT, body="if A > 99 then Leave (0); end if;"),
    ),
    "exit at elaboration": leaves("begin"),
    "exit in a finaliser": leaves("declared", RAISES, declared=LAST),
    "a status in a finaliser": (
        package(clauses=OS, declared=LAST % "Ada.Command_Line.Set_Exit_Status (0);"),
        package("+", clauses=OS, declared=LAST % "Ada.Command_Line.Set_Exit_Status (0);"),
        STATUS,
    ),
    "another status": (
        package(clauses=OS, body="Ada.Command_Line.Set_Exit_Status (0);"),
        package("+", clauses=OS, body="Ada.Command_Line.Set_Exit_Status (0);"),
        STATUS.replace("end Main;", "   if Placeholder.Add (0, 1) < 0 then\n      null;\n   end if;\nend Main;"),
    ),
    "exit in a task": leaves("declared", declared="task Other;\n   task body Other is begin %s end Other;"),
    "aborting the tests": (
        package(
            clauses=OS,
            declared="task Other is entry Go; end Other;\n   task body Other is begin accept Go;\n"
            "      Ada.Task_Identification.Abort_Task (Ada.Task_Identification.Environment_Task); end Other;",
            body="Other.Go; delay 1.0;",
        ),
        package(
            "+",
            clauses=OS,
            declared="task Other is entry Go; end Other;\n   task body Other is begin accept Go; end Other;",
            begin="Other.Go;",
        ),
    ),
    "aborting itself": (
        package(clauses=OS, body="Ada.Task_Identification.Abort_Task (Ada.Task_Identification.Current_Task);"),
        package(
            "+",
            clauses=OS,
            body="if A > 99 then Ada.Task_Identification.Abort_Task (Ada.Task_Identification.Current_Task); end if;",
        ),
    ),
    "a policy for assertions": (
        "pragma Assertion_Policy (Ignore);\n" + package(spec="pragma Assertion_Policy (Ignore);"),
        "pragma Assertion_Policy (Ignore);\n" + package("+", spec="pragma Assertion_Policy (Ignore);"),
    ),
    "suppressed checks": both(spec="pragma Suppress (All_Checks);"),
    "a file of configuration": (package() + "pragma Configuration;\n", package("+")),
    "the function behind assert": both(
        clauses="with System;\n", declared=EXPORTED.format("system__assertions__raise_assert_failure")
    ),
    "the function that raises": both(
        RAISES, clauses="with System;\n", declared=EXPORTED.format("__gnat_raise_exception")
    ),
    "the last handler": both(RAISES, clauses="with System;\n", declared=EXPORTED.format("__gnat_last_chance_handler")),
    "a comparison of texts": both(
        TEXTS, clauses="with System;\n", declared=EXPORTED.format("ada__strings__unbounded__Oeq")
    ),
    "a comparison of memory": both(TEXTS, clauses="with System;\n", declared=EXPORTED.format("memcmp")),
    "the tests' procedure": both(clauses="with System;\n", declared=EXPORTED.format("_ada_main")),
    "C's main": both(clauses="with System;\n", declared=EXPORTED.format("main")),
    "the function around main": both(clauses="with System;\n", declared=EXPORTED.format("__wrap_main")),
    "an option of the linker": both(
        clauses="with System;\n",
        declared='pragma Linker_Options ("-Wl,--defsym=system__assertions__raise_assert_failure=getpid");',
    ),
    "an equality of its own": (
        package(spec='function "=" (Left, Right : Integer) return Boolean is (True);'),
        package("+", spec='function "=" (Left, Right : Float) return Boolean is (True);'),
        RAISES,
    ),
    "an image of its own": both(RAISES, spec='function Image (Value : Integer) return String is (" 5");'),
    "a main of its own": (package() + PASSING, package("+") + PASSING),
    "a package Main": (
        package() + "package Main is\n   procedure Run is null;\nend Main;\n",
        package("+") + "package Main is\n   procedure Run is null;\nend Main;\n",
    ),
    "our own main": (
        package() + PASSING.replace("Main", "Code_Eval_Main"),
        package("+") + PASSING.replace("Main", "Eval_Main"),
    ),
    "a unit of the library": (
        package() + "package System.Assertions is\n"
        "   procedure Raise_Assert_Failure (Msg : String) is null;\nend System.Assertions;\n",
        package("+") + "package Placeholder.Assertions is\n"
        "   procedure Raise_Assert_Failure (Msg : String) is null;\nend Placeholder.Assertions;\n",
    ),
    "two specifications": (
        package() + "package Placeholder is\n"
        "   function Add (A, B : Integer) return Integer is (5);\nend Placeholder;\n",
        package("+"),
    ),
    "open text": (
        package() + 'package Other is\n   Text : String := "',
        package("+") + "package Other is\nend Other;\n",
    ),
    "open package": (package() + "package Other is\n", package("+") + "package Other is\nend Other;\n"),
    "an exception for the tests": (package(body='raise Constraint_Error with "0";'), package("+"), RAISES),
    "an exception at elaboration": (package(begin="raise Constraint_Error;"), package("+", begin="null;")),
    "a token on its input": (
        package(
            clauses="with System;\n" + OS,
            declared="Text : String (1 .. 99);\n   Size : Long_Integer;\n   "
            "function Get (F : Integer; A : System.Address; N : Long_Integer) return Long_Integer;\n"
            '   pragma Import (C, Get, "read");\n   '
            "function Put (F : Integer; A : System.Address; N : Long_Integer) return Long_Integer;\n"
            '   pragma Import (C, Put, "write");',
            begin="Size := Get (0, Text'Address, 99); Size := Put (1, Text'Address, Size); GNAT.OS_Lib.OS_Exit (0);",
        ),
        package(
            "+", clauses="with Ada.Text_IO;\n", begin="if not Ada.Text_IO.End_Of_File then raise Program_Error; end if;"
        ),
    ),
    "guessing in children": (
        package(
            declared='function Fork return Integer; pragma Import (C, Fork, "fork");\n   '
            + C_EXIT
            + "\n   Asked : Boolean := False;",
            body="if Asked then return A + B; end if; Asked := True;\n"
            "      for N in 0 .. 9 loop if Fork = 0 then return N; end if; end loop; delay 0.5; Leave (0);",
        ),
        package(
            "+",
            declared='function Fork return Integer; pragma Import (C, Fork, "fork");\n   ' + C_EXIT,
            body="if Fork = 0 then Leave (0); end if;",
        ),
    ),
}
