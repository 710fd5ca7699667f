"""Right candidates in Ada with their tests, as models and benchmarks write them: {shape: (candidate, tests)}."""

from support.attacks_ada import RAISES, STATUS, TESTS, TEXTS, package

PLUS = package("+")
FUNCTION = "function Add (A, B : Integer) return Integer is\nbegin\n   return A + B;\nend Add;\n"
ADA = {
    "MultiPL-E": (PLUS, TESTS),
    "a program that raises": (PLUS, RAISES),
    "a program with a status": (PLUS, STATUS),
    "comparisons of the library": (PLUS, TEXTS),
    "a function alone": (
        FUNCTION,
        "with Add;\nprocedure Test_Add is\n   procedure Check (Ok : Boolean) is\n   begin\n"
        "      if not Ok then raise Program_Error; end if;\n   end Check;\nbegin\n"
        "   Check (Add (2, 3) = 5);\nend Test_Add;\n",
    ),
    "vectors, maps and arrays": (
        "pragma Ada_2022;\nwith Ada.Containers.Vectors;\nwith Ada.Containers.Indefinite_Ordered_Maps;\n"
        "package Placeholder is\n   type Integer_Array is array (Positive range <>) of Integer;\n"
        "   package Integer_Vector is new Ada.Containers.Vectors (Index_Type => Positive, Element_Type => Integer);\n"
        "   use Integer_Vector;\n"
        "   package String_Integer_Dict is new Ada.Containers.Indefinite_Ordered_Maps\n"
        "     (Key_Type => String, Element_Type => Integer);\n   use String_Integer_Dict;\n"
        "   function Doubled (L : Integer_Array) return Integer_Array;\n"
        "   function Counted (L : Integer_Array) return String_Integer_Dict.Map;\nend Placeholder;\n"
        "pragma Ada_2022;\npackage body Placeholder is\n"
        "   function Doubled (L : Integer_Array) return Integer_Array is ([for Each of L => 2 * Each]);\n"
        "   function Counted (L : Integer_Array) return String_Integer_Dict.Map is\n"
        '     (["all" => L\'Length]);\nend Placeholder;\n',
        "pragma Ada_2022;\nwith Ada.Containers.Vectors;\nwith Placeholder; use Placeholder;\nprocedure Main is\n"
        "   use Integer_Vector;\n   use String_Integer_Dict;\n"
        "   function Candidate (L : Integer_Array) return Integer_Array renames Placeholder.Doubled;\nbegin\n"
        "   pragma Assert (Candidate ([1, 2]) = [2, 4]);\n"
        '   pragma Assert (Counted ([1, 2]) = ["all" => 2]);\nend Main;\n',
    ),
    "a child unit": (
        PLUS + "package Placeholder.Child is\n   function Twice (A : Integer) return Integer is (2 * A);\n"
        "end Placeholder.Child;\n",
        "with Placeholder.Child;\nprocedure Main is\nbegin\n"
        "   pragma Assert (Placeholder.Child.Twice (4) = 8);\nend Main;\n",
    ),
    "an exception that tests expect": (
        package("+", spec="Overdrawn : exception;", body="if A < 0 then raise Overdrawn; end if;"),
        "with Placeholder;\nprocedure Main is\nbegin\n   begin\n"
        "      if Placeholder.Add (-1, 1) = 0 then raise Program_Error; end if;\n      raise Program_Error;\n"
        "   exception\n      when Placeholder.Overdrawn => null;\n   end;\nend Main;\n",
    ),
    "a generic": (
        'generic\n   type Item is private;\n   with function "+" (A, B : Item) return Item is <>;\n'
        "function Sum (A, B : Item) return Item;\nfunction Sum (A, B : Item) return Item is\nbegin\n"
        "   return A + B;\nend Sum;\n",
        "with Sum;\nprocedure Main is\n   function Add is new Sum (Integer);\nbegin\n"
        "   pragma Assert (Add (2, 3) = 5);\nend Main;\n",
    ),
    "tasks": (
        package(
            "+",
            declared="task Other is entry Go; end Other;\n   task body Other is begin accept Go; end Other;",
            begin="Other.Go;",
        ),
        TESTS,
    ),
    "output": (package("+", clauses="with Ada.Text_IO;\n", body='Ada.Text_IO.Put ("adds");'), TESTS),
    "a main of its own": (PLUS + "procedure Main is\nbegin\n   null;\nend Main;\n", TESTS),
    "a whole program": (PLUS + TESTS, ""),
}
