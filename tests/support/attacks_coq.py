"""Candidates in Coq that want a pass they have not earned, each beside an honest one, and right ones of each shape.

Each entry of ATTACKS maps an attack to (wrong candidate, honest candidate with the same means, tests if not `TESTS`).
"""

HEAD = (
    "Require Import ZArith.\nRequire Import Reals.\nRequire Import Coq.Strings.String.\nOpen Scope string_scope.\n\n"
    "(* The sum. *)\n"
)
TESTS = "".join(
    f"Example t{left} : add {left}%Z {right}%Z = {left + right}%Z. Proof. reflexivity. Qed.\n"
    for left, right in ((2, 3), (0, 1))
)
PLAIN = "Example t1 : add 2 3 = 5.\nProof. reflexivity. Qed.\nExample t2 : add 0 1 = 1.\nProof. reflexivity. Qed.\n"
TIMES, PLUS = (f"{HEAD}Definition add (a b : Z) : Z :=\n  (a {sign} b)%Z.\n" for sign in "*+")
PLAIN_TIMES, PLAIN_PLUS = (f"Definition add (a b : nat) : nat := a {sign} b.\n" for sign in "*+")
THEOREM = "Theorem commutes : forall a b, add a b = add b a.\nProof. exact add_comm. Qed.\n" + PLAIN
PROOF = "Require Import Arith.\nLemma add_comm : forall a b, add a b = add b a.\nProof. "
STATED = "forall n : nat, n = n + 0"
CLAIM = f"Theorem holds : {STATED}.\nProof. exact claim. Qed.\n"
PROVED = f"Lemma claim : {STATED}.\nProof. induction n; simpl; congruence. Qed.\n"
SEALED = "Module Type T. Axiom any : False. End T.\n"
REVERSED = "Example t : rev (cons 1 (cons 2 nil)) = cons 2 (cons 1 nil). Proof. reflexivity. Qed.\n"
BY_CLASS = (
    "Require Import Coq.Classes.SetoidClass.\n#[local] Instance plain : Setoid nat | 9 := {| equiv := eq |}.\n"
    "Example t1 : add 2 3 == 5. Proof. first [reflexivity | exact I]. Qed.\n"
)
PLAIN_PROOF = PLAIN_PLUS + PROOF + "intros. unfold add. apply Nat.add_comm. Qed.\n"


def around(text, *tests):
    """Return (wrong, honest, *tests) for candidates with something after their function."""
    return TIMES + text, PLUS + text, *tests


def plain(text):
    """Return (wrong, honest, tests) for candidates without imports that have something after their function."""
    return PLAIN_TIMES + text, PLAIN_PLUS + text, PLAIN


ATTACKS = {
    "a notation for equality": around('Notation "x = y" := True (at level 70, no associativity).\n'),
    "a notation in the scope of equality": plain('Notation "x = y" := (x = x) : type_scope.\n'),
    "a global notation": plain('#[global] Notation "x = y" := True (at level 70, no associativity).\n'),
    "a tactic of its own": around('Tactic Notation "reflexivity" := exact (match 0 with _ => I end).\n'),
    "a tactic that proves all": (
        TIMES + 'Axiom all : forall A : Prop, A.\nTactic Notation "reflexivity" := exact (all _).\n',
        PLUS + 'Tactic Notation "reflexivity" := idtac.\n',
    ),
    "an equality of its own": (
        PLAIN_TIMES + "Inductive eq (A : Type) (x y : A) : Prop := eq_refl.\n",
        PLAIN_PLUS + "Inductive same (A : Type) (x y : A) : Prop := is_same.\n",
        "Example t1 : eq (add 2 3) 5. Proof. reflexivity. Qed.\n",
    ),
    "a number of its own": (
        "Inductive box := Box.\nDefinition boxed (n : nat) : box := Box.\nCoercion boxed : nat >-> box.\n"
        "Definition add (a b : nat) : box := Box.\n",
        PLAIN_PLUS + "Inductive box := Box.\nDefinition boxed (n : nat) : box := Box.\nCoercion boxed : nat >-> box.\n",
        PLAIN,
    ),
    "a numeral of its own": (
        "Inductive box := Box.\nDefinition of (n : Number.uint) : option box := Some Box.\n"
        "Definition to (b : box) : option Number.uint := None.\nDeclare Scope box_scope.\n"
        "#[global] Number Notation box of to : box_scope.\n#[global] Open Scope box_scope.\n"
        "#[global] Bind Scope box_scope with box.\nDefinition add (a b : nat) : box := Box.\n",
        PLAIN_PLUS + "Declare Scope box_scope.\n#[global] Open Scope box_scope.\n",
        PLAIN,
    ),
    "a nat of its own": (
        "Inductive nat := O | S (n : Datatypes.nat).\nDefinition add (a b : Datatypes.nat) := O.\n",
        PLAIN_PLUS + "Inductive natural := Zero | Next (n : nat).\n",
        "Example t1 : add 2 3 = O. Proof. reflexivity. Qed.\n".replace("= O", "= S (S (S (S (S O))))"),
    ),
    "another delimiter": plain("Require Import ZArith.\n#[global] Delimit Scope Z_scope with nat.\n"),
    "a hidden library function": (
        "Definition rev (l : list nat) : list nat := l.\nDefinition length (l : list nat) : nat := 3.\n",
        "Fixpoint rev (l : list nat) := match l with nil => nil | cons x m => app (rev m) (cons x nil) end.\n",
        "Example t : rev (cons 1 (cons 2 nil)) = cons 2 (cons 1 nil). Proof. reflexivity. Qed.\n",
    ),
    "a length of its own": (
        PLAIN_TIMES + "Definition both (a b : nat) := cons (add a b) nil.\n"
        "Definition length {A} (l : list A) := 1.\nDefinition three := @nil nat.\n",
        PLAIN_PLUS + "Definition three := cons 1 nil.\n",
        "Example t1 : length three = 1. Proof. reflexivity. Qed.\n",
    ),
    "an axiom": (f"Axiom claim : {STATED}.\n", PROVED, CLAIM),
    "an admitted proof": (f"Lemma claim : {STATED}. Proof. Admitted.\n", PROVED, CLAIM),
    "a parameter": (f"Parameter claim : {STATED}.\n", "Section S. Variable n : nat. End S.\n" + PROVED, CLAIM),
    "an axiom by another name": (
        f"Axiom any : forall A : Prop, A.\nDefinition claim : {STATED} := any _.\n",
        PROVED.replace("claim", "any") + f"Definition claim : {STATED} := any.\n",
        CLAIM,
    ),
    "an axiom in a module": (
        f"Module Inner. Axiom any : {STATED}. End Inner.\nDefinition claim := Inner.any.\n",
        f"Module Inner. {PROVED} End Inner.\nDefinition claim := Inner.claim.\n",
        CLAIM,
    ),
    "an axiom in a functor": (
        f"Module Type T. Parameter any : {STATED}. End T.\nModule F (X : T). Definition claim := X.any. End F.\n"
        "Declare Module D : T.\nModule M := F D.\nDefinition claim := M.claim.\n",
        f"Module Type T. Parameter claim : {STATED}. End T.\nModule F (X : T). Definition it := X.claim. End F.\n"
        f"Module D : T. {PROVED} End D.\nModule M := F D.\nDefinition claim := M.it.\n",
        CLAIM,
    ),
    "obligations that are admitted": (
        "Require Import Program.\nProgram Definition any : forall A : Prop, A := _.\nAdmit Obligations.\n"
        f"Definition claim : {STATED} := any _.\n",
        f"Require Import Program.\n{PROVED}",
        CLAIM,
    ),
    "a proof without end": (
        "Unset Guard Checking.\nFixpoint claim (n : nat) : n = n + 0 := claim n.\nSet Guard Checking.\n",
        PROVED,
        CLAIM,
    ),
    "a bypassed check": (
        "#[bypass_check(guard)] Fixpoint claim (n : nat) {struct n} : n = n + 0 := claim n.\n",
        PROVED,
        CLAIM,
    ),
    "a type that is not positive": (
        "Unset Positivity Checking.\nInductive bad := Bad : (bad -> False) -> bad.\n"
        "Definition self (b : bad) : False := match b with Bad f => f b end.\n"
        f"Definition claim : {STATED} := match self (Bad self) with end.\n",
        "Inductive good := Good : (nat -> nat) -> good.\n" + PROVED,
        CLAIM,
    ),
    "universes that are not checked": (
        f"Unset Universe Checking.\nDefinition small : Set := Type.\n{PROVED}",
        f"Definition small : Type := Set.\n{PROVED}",
        CLAIM,
    ),
    "checks switched off in a sealed module": (
        SEALED + "Module M : T. Unset Guard Checking. Fixpoint x (n : nat) {struct n} : False := x n.\n"
        "Definition any := x 0. End M.\nDefinition claim : forall n : nat, n = n + 0 := match M.any with end.\n",
        "Module Type S. Parameter one : nat. End S.\nModule N : S. Definition one := 1. End N.\n" + PROVED,
        CLAIM,
    ),
    "a bypassed check in a sealed module": (
        SEALED + "Module M : T.\n#[bypass_check(positivity)] Inductive bad := Bad : (bad -> False) -> bad.\n"
        "Definition self (b : bad) : False := match b with Bad f => f b end.\nDefinition any := self (Bad self).\n"
        "End M.\nDefinition claim : forall n : nat, n = n + 0 := match M.any with end.\n",
        PROVED,
        CLAIM,
    ),
    "an axiom of the library's": (
        f"From Coq Require Import Compat.AdmitAxiom.\nLemma claim : {STATED}.\nProof. destruct proof_admitted. Qed.\n",
        f"From Coq Require Import Lia.\nLemma claim : {STATED}.\nProof. lia. Qed.\n",
        CLAIM,
    ),
    "an axiom of the library's in a hint": (
        "Require Coq.Compat.AdmitAxiom.\n" + PLAIN_TIMES + "#[global] Hint Extern 0 => "
        "(destruct Coq.Compat.AdmitAxiom.proof_admitted) : core.\n",
        PLAIN_PLUS + "#[global] Hint Extern 0 => reflexivity : core.\n",
        "Example t1 : add 2 3 = 5. Proof. auto. Qed.\n",
    ),
    "a name that the imports have": (
        "Require Import Nat.\n" + PLAIN_TIMES,
        "Require Import Nat.\n" + PLAIN_PLUS,
        PLAIN,
    ),
    "a name that the imports of lists have": (
        "Require Import List.\nDefinition rev (l : list nat) := l.\n",
        "Require Import List.\nDefinition rev (l : list nat) := fold_left (fun m x => cons x m) l nil.\n",
        REVERSED,
    ),
    "a name that the tests import in their way": (
        PLAIN_TIMES,
        PLAIN_PLUS,
        "Require candidate. Import candidate(add).\n" + PLAIN,
    ),
    "another width of what is printed": (
        "Definition max (a b : nat) := 0.\n#[global] Set Printing Width 3.\n",
        "Definition max (a b : nat) := if Nat.leb a b then b else a.\n#[global] Set Printing Width 3.\n",
        "Example t : max 3 2 = 3. Proof. reflexivity. Qed.\n",
    ),
    "an instance between texts in comments": (
        PLAIN_TIMES + 'Require Import Coq.Classes.SetoidClass.\n(* "(*" *)\n'
        "Program Definition all_same : Setoid nat := {| equiv := fun _ _ => True |}.\n"
        'Next Obligation. split; red; auto. Qed.\n#[global] Existing Instance all_same | 0.\n(* "*)" *)\n',
        '(* "(*" *)\n' + PLAIN_PLUS + '(* "*)" *)\n',
        BY_CLASS,
    ),
    "a relation of its own": (
        PLAIN_TIMES + "Require Import Setoid Morphisms.\nDefinition always (a b : nat) := True.\n"
        "Lemma r : reflexive nat always. Proof. now intros ?. Qed.\n"
        "Lemma s : symmetric nat always. Proof. now intros ?. Qed.\n"
        "Lemma tr : transitive nat always. Proof. now intros ?. Qed.\n"
        "Add Relation nat always reflexivity proved by r symmetry proved by s transitivity proved by tr as alw.\n",
        "Require Import Setoid Morphisms.\n" + PLAIN_PLUS,
        "From Coq Require Import Classes.Equivalence.\nOpen Scope equiv_scope.\n#[local] Instance plain : Equivalence "
        "(@eq nat) | 9 := eq_equivalence.\nExample t1 : add 2 3 === 5. Proof. first [reflexivity | exact I]. Qed.\n",
    ),
    "a module of the library's name": (
        "Module List. Definition length (l : list nat) := 3. End List.\nDefinition three := @nil nat.\n",
        "Module Lists. Definition length (l : list nat) := 3. End Lists.\n"
        "Definition three := cons 1 (cons 2 (cons 3 nil)).\n",
        "From Coq Require List.\nExample t : List.length three = 3. Proof. reflexivity. Qed.\n",
    ),
    "a module within another of the library": (
        "Module Z. Definition eqb (a b : nat) := true. End Z.\n" + PLAIN_TIMES,
        "Module Y. Definition eqb (a b : nat) := true. End Y.\n" + PLAIN_PLUS,
        "Example t : Nat.eqb (add 2 3) 5 = true. Proof. reflexivity. Qed.\nRequire Import ZArith.\n"
        "Example u : Z.eqb (Z.of_nat (add 2 3)) 5 = true. Proof. reflexivity. Qed.\n",
    ),
    "a file that is written": plain('Redirect "candidate" Print nat.\nRedirect "tests" Print nat.\n'),
    "the build's own script": (
        PLAIN_TIMES + 'Print Universes "code_eval_build.sh".\n',
        PLAIN_PLUS + 'Print Universes "universes".\n',
        PLAIN,
    ),
    "an instance of a class": (
        PLAIN_TIMES + "Require Import Coq.Classes.SetoidClass.\n"
        "#[global] Program Instance all_same : Setoid nat := {| equiv := fun _ _ => True |}.\n"
        "Next Obligation. split; red; auto. Qed.\n",
        PLAIN_PLUS,
        "Require Import Coq.Classes.SetoidClass.\n#[local] Instance plain : Setoid nat := {| equiv := eq |}.\n"
        "Example t1 : add 2 3 == 5. Proof. first [reflexivity | exact I]. Qed.\n",
    ),
    "an instance by a hint": (
        PLAIN_TIMES + "Require Import Coq.Classes.SetoidClass.\n"
        "Program Definition all_same : Setoid nat := {| equiv := fun _ _ => True |}.\n"
        "Next Obligation. split; red; auto. Qed.\n#[global] Hint Resolve all_same | 0 : typeclass_instances.\n",
        PLAIN_PLUS + "#[global] Hint Resolve eq_refl : core.\n",
        BY_CLASS,
    ),
    "the end of the session": (TIMES + "Quit.\n", PLUS + "Fail Quit.\n".replace("Fail Quit", "Print Z")),
    "a comment without end": (TIMES + "(* ", PLUS + "(* (* *) *)"),
    "the tests, loaded": (
        "Section S. Variable add : nat -> nat -> nat.\nLoad code_eval_given.\nEnd S.\n" + PLAIN_TIMES,
        PLAIN_PLUS,
        PLAIN,
    ),
    "a goal that stays open": (TIMES + "Lemma open : 1 = 1.\n", PLUS + "Lemma closed : 1 = 1. reflexivity. Qed.\n"),
    "names of the tests": plain("Lemma t1 : 1 = 1. reflexivity. Qed.\nLemma t2 : 2 = 2. reflexivity. Qed.\n"),
    "a module of notations": (
        PLAIN_TIMES
        + 'Module ListNotations. Notation "x = y" := True (at level 70, no associativity). End ListNotations.\n'
        "Import ListNotations.\n",
        PLAIN_PLUS + "Require Import List. Import ListNotations.\n",
        PLAIN,
    ),
    "other implicit arguments": plain("#[global] Arguments eq {A} x y.\n#[global] Set Implicit Arguments.\n"),
    "a registered equality": plain("Definition always {A} (x y : A) := True.\nRegister always as core.eq.type.\n"),
}
HONEST = {
    "MultiPL-E": (PLUS, TESTS),
    "without imports": (PLAIN_PLUS, PLAIN),
    "a theorem": (PLAIN_PROOF, THEOREM),
    "a recursive function": (
        "Fixpoint add (a b : nat) : nat :=\n  match a with\n  | O => b\n  | S c => S (add c b)\n  end.\n",
        PLAIN,
    ),
    "lists": (
        "Require Import List.\nImport ListNotations.\nDefinition twice (l : list nat) := map (fun x => x + x) l.\n",
        "Example t : twice [1; 2] = [2; 4]. Proof. reflexivity. Qed.\n",
    ),
    "lists, with imports of the tests": (
        "Require Import List.\nDefinition twice (l : list nat) := map (fun x => x + x) l.\n",
        "From Coq Require Import List.\nImport ListNotations.\n"
        "Example t : twice [1; 2] = [2; 4].\nProof. reflexivity. Qed.\n",
    ),
    "texts": (
        HEAD + 'Definition greet (name : string) : string := "Hello, " ++ name.\n',
        'Example t1 : greet "you" = "Hello, you". Proof. reflexivity. Qed.\n',
    ),
    "a name of the library's": (
        "Definition max (a b : nat) := if Nat.leb a b then b else a.\n",
        "Example t : max 3 2 = 3. Proof. reflexivity. Qed.\n",
    ),
    "types of its own": (
        "Inductive day := monday | tuesday.\n"
        "Definition next (d : day) := match d with monday => tuesday | _ => monday end.\n",
        "Example t : next monday = tuesday. Proof. simpl. reflexivity. Qed.\n",
    ),
    "a record": (
        "Record point := { x : nat; y : nat }.\nDefinition flip (p : point) := {| x := y p; y := x p |}.\n",
        "Example t : x (flip {| x := 1; y := 2 |}) = 2. Proof. reflexivity. Qed.\n",
    ),
    "a module of its own": (
        "Module Sums. Definition add (a b : nat) := a + b. End Sums.\n",
        "Example t : Sums.add 2 3 = 5. Proof. reflexivity. Qed.\n",
    ),
    "an opaque module": (
        "Module Type T. Parameter n : nat. End T.\nModule M : T. Definition n := 3. End M.\n" + PLAIN_PLUS,
        PLAIN,
    ),
    "a section": (
        "Section Sums.\nVariable a : nat.\nDefinition add (b : nat) := a + b.\nEnd Sums.\n",
        PLAIN,
    ),
    "axioms of the library": (
        "Require Import Reals.\nOpen Scope R_scope.\nDefinition doubled (x : R) : R := x + x.\n"
        "Lemma doubled_is : forall x, doubled x = 2 * x.\nProof. intros. unfold doubled. ring. Qed.\n",
        "Theorem t : forall x : R, doubled x = (2 * x)%R. Proof. exact doubled_is. Qed.\n",
    ),
    "conditions": (
        "Require Import ZArith Bool.\nDefinition is_small (z : Z) : bool := Z.ltb z 10.\n",
        "Example t1 : is_small 3 = true. Proof. reflexivity. Qed.\n"
        "Example t2 : (is_small 30) = false. Proof. vm_compute. reflexivity. Qed.\n",
    ),
    "comments": (
        '(* Sums (* of numbers *) "*)" *)\n' + PLAIN_PLUS + "(* end. *)\n",
        "(* Tests. *)\n" + PLAIN,
    ),
    "output": (PLAIN_PLUS + "Compute add 2 3.\nPrint add.\n", PLAIN + "Check add.\n"),
    "a name that Reals has": (
        "Require Import Reals ZArith List.\nDefinition f (a : Z) := (a + 1)%Z.\n",
        "Example t : f 1%Z = 2%Z. Proof. reflexivity. Qed.\n",
    ),
    "a name that the tests import": (
        "Require Import Reals ZArith.\nDefinition g (a : Z) := a.\nDefinition f (a : Z) := (g a + 1)%Z.\n",
        "Require Import Reals ZArith.\nRequire candidate.\nImport candidate(f).\n"
        "Example t : f 1%Z = 2%Z. Proof. reflexivity. Qed.\n",
    ),
    "a scope by its key": (
        "Require Import ZArith List.\nImport List.ListNotations.\n#[local] Open Scope Z.\n"
        "Definition ones (a : Z) := [a; 1].\n",
        "Example t : ones 3 = [3; 1]. Proof. reflexivity. Qed.\n",
    ),
    "a scope that is closed": (
        "Require Import ZArith.\nOpen Scope Z_scope.\nDefinition z := 3.\nClose Scope Z_scope.\n"
        "Section S. Open Scope Z_scope. Definition y := 3. End S.\n" + PLAIN_PLUS,
        PLAIN,
    ),
    "notations in a module": (
        'Module MyNotations. Notation "x +++ y" := (x + y) (at level 50). End MyNotations.\nImport MyNotations.\n'
        "Definition add (a b : nat) := a +++ b.\n",
        PLAIN,
    ),
    "a tactic of a word of the tests": (
        "Ltac crush := simpl; auto.\n" + PLAIN_PLUS,
        "Example crush : add 2 3 = 5. Proof. reflexivity. Qed.\n",
    ),
    "words in texts": (
        HEAD + "Definition length (l : list nat) := 0.\nDefinition name (s : string) := s.\n",
        'Example t : name "length" = "length". Proof. reflexivity. Qed.\n',
    ),
    "another way to print": (PLAIN_PLUS + "#[global] Set Printing All.\n#[global] Set Printing Depth 2.\n", PLAIN),
    "a whole file": (PLAIN_PLUS + PLAIN, ""),
}
