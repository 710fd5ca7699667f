"""OCaml's code that reads types as the compiler prints them. Used by `ocaml_link`."""

from __future__ import annotations

TYPES = r"""
exception Unsendable of string
exception Invalid
type shape =
  | Int of int | Float | Text | Int32 | Int64 | Native
  | Variable of string
  | Tuple of shape list
  | List of shape
  | Array of shape
  | Sum of int * shape list array
  | Record of shape list * shape list
  | Named of string * shape list
  | Arrow of shape * shape
  | Opaque

(* Types, as `ocamlc -i` prints them. *)
let is_word c = match c with 'a'..'z' | 'A'..'Z' | '0'..'9' | '_' | '\'' | '.' | '/' -> true | _ -> false
let rec tokens text at =
  if at >= String.length text then []
  else match text.[at] with
    | ' ' | '\n' -> tokens text (at + 1)
    | '-' when at + 1 < String.length text && text.[at + 1] = '>' -> "->" :: tokens text (at + 2)
    | c when is_word c ->
      let last = ref at in
      while !last < String.length text && is_word text.[!last] do incr last done;
      String.sub text at (!last - at) :: tokens text !last
    | c -> String.make 1 c :: tokens text (at + 1)
let is_name word = word <> "" && (match word.[0] with 'a'..'z' | 'A'..'Z' | '_' -> true | _ -> false)
let rec arrow words =
  let optional, words = match words with
    | "?" :: _ :: ":" :: rest -> true, rest
    | name :: ":" :: rest when is_name name -> false, rest
    | _ -> false, words in
  let left, words = product words in
  match words with
  | "->" :: rest ->
    let right, rest = arrow rest in
    Arrow ((if optional then Named ("option", [left]) else left), right), rest
  | _ -> left, words
and product words = match factors words with [one], rest -> one, rest | all, rest -> Tuple all, rest
and factors words =
  let first, rest = applied words in
  match rest with
  | "*" :: rest -> let others, rest = factors rest in first :: others, rest
  | _ -> [first], rest
and applied words =
  let arguments, words = match words with
    | "(" :: rest ->
      let rec all words = match arrow words with
        | one, "," :: rest -> let others, rest = all rest in one :: others, rest
        | one, ")" :: rest -> [one], rest
        | _ -> raise Invalid in
      all rest
    | name :: rest when is_name name -> [Named (name, [])], rest
    | name :: rest when name <> "" && name.[0] = '\'' -> [Variable name], rest
    | _ -> raise Invalid in
  let rec constructors arguments words = match words with
    | name :: rest when is_name name -> constructors [Named (name, arguments)] rest
    | _ -> arguments, words in
  match constructors arguments words with [one], rest -> one, rest | _ -> raise Invalid

let all_of parse words = match parse words with shape, [] -> shape | _ -> raise Invalid
let rec split_at word words = match words with
  | [] -> [[]]
  | first :: rest when first = word -> [] :: split_at word rest
  | first :: rest -> (match split_at word rest with part :: parts -> (first :: part) :: parts | [] -> [[first]])
let variant words =
  let constants = ref 0 and others = ref [] in
  let add part = match part with
    | [_] -> incr constants
    | _ :: "of" :: rest -> (match factors rest with all, [] -> others := all :: !others | _ -> raise Invalid)
    | _ -> raise Invalid in
  List.iter add (split_at "|" (match words with "|" :: rest -> rest | _ -> words));
  Sum (!constants, Array.of_list (List.rev !others))
let record words =
  let field part = match part with
    | "mutable" :: _ :: ":" :: rest | _ :: ":" :: rest -> all_of arrow rest
    | _ -> raise Invalid in
  let inside = match List.rev words with "}" :: ";" :: rest | "}" :: rest -> List.rev rest | _ -> raise Invalid in
  let fields = List.map field (split_at ";" inside) in
  Record (fields, fields)

let declared : (string, string list * shape) Hashtbl.t = Hashtbl.create 16
let values : (string, shape) Hashtbl.t = Hashtbl.create 16
let raised : (string, shape list) Hashtbl.t = Hashtbl.create 16
let declare words =
  let parameters, words = match words with
    | "(" :: rest ->
      let rec all words = match words with
        | ")" :: rest -> [], rest
        | name :: rest -> let others, rest = all rest in (if name.[0] = '\'' then name :: others else others), rest
        | [] -> [], [] in
      all rest
    | name :: rest when name <> "" && name.[0] = '\'' -> [name], rest
    | _ -> [], words in
  match words with
  | name :: rest ->
    let shape = try match rest with
      | "=" :: "{" :: rest -> record rest
      | "=" :: ("|" :: _ as rest) -> variant rest
      | "=" :: first :: rest when first.[0] >= 'A' && first.[0] <= 'Z' && not (String.contains first '.') ->
        variant (first :: rest)
      | "=" :: rest -> all_of arrow rest
      | _ -> Opaque
      with Invalid -> Opaque in
    (* A name that is declared again means two types. *)
    Hashtbl.replace declared name (parameters, if Hashtbl.mem declared name then Opaque else shape)
  | [] -> ()
let read_types text =
  let add item = match tokens item 0 with
    | "val" :: name :: ":" :: rest ->
      Hashtbl.replace values name (try all_of arrow rest with Invalid -> Opaque)
    | ("type" | "and") :: "nonrec" :: rest | ("type" | "and") :: rest -> declare rest
    | ["exception"; name] -> Hashtbl.replace raised name []
    | "exception" :: name :: "of" :: rest ->
      (match factors rest with
       | all, [] -> Hashtbl.replace raised name all
       | _ -> Hashtbl.replace raised name [Opaque]
       | exception Invalid -> Hashtbl.replace raised name [Opaque])
    | _ -> () in
  List.iter add (String.split_on_char '\n' text)

let rec substituted bound shape =
  let all = List.map (substituted bound) in
  match shape with
  | Variable name -> (match List.assoc_opt name bound with Some found -> found | None -> shape)
  | Tuple parts -> Tuple (all parts)
  | List one -> List (substituted bound one)
  | Array one -> Array (substituted bound one)
  | Sum (constants, others) -> Sum (constants, Array.map all others)
  (* The form of a record depends on its declaration alone. *)
  | Record (fields, used) -> Record (fields, all used)
  | Named (name, arguments) -> Named (name, all arguments)
  | Arrow (left, right) -> Arrow (substituted bound left, substituted bound right)
  | _ -> shape
let rec resolved depth shape =
  if depth > 100 then Opaque
  else match shape with
  | Named (name, arguments) ->
    (match Hashtbl.find_opt declared name with
     | Some (parameters, found) when List.length parameters = List.length arguments ->
       resolved (depth + 1) (substituted (List.combine parameters arguments) found)
     | Some _ -> Opaque
     | None -> builtin name arguments)
  | _ -> shape
and builtin name arguments = match name, arguments with
  | "int", [] -> Int max_int
  | "char", [] -> Int 255
  | "bool", [] -> Sum (2, [||])
  | "unit", [] -> Sum (1, [||])
  | "float", [] -> Float
  | ("string" | "bytes"), [] -> Text
  | "int32", [] -> Int32
  | "int64", [] -> Int64
  | "nativeint", [] -> Native
  | "list", [one] -> List one
  | "array", [one] -> Array one
  | "option", [one] -> Sum (1, [| [one] |])
  | "ref", [one] -> Sum (0, [| [one] |])
  | "result", [right; wrong] -> Sum (0, [| [right]; [wrong] |])
  | _ -> Opaque
let resolve = resolved 0
let is_float_record fields = List.for_all (fun field -> resolve field = Float) fields
"""
"""Types as trees, and the table of those that a program declares."""
