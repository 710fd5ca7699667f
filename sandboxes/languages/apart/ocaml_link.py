"""OCaml's code on both sides of a program whose tests run apart: values by their types, and calls of functions.

The compiler prints the types of the candidate. Both sides read them, and so know how a value is sent. The tests' side
makes values of a text alone that has exactly the form of their type. Values of a type variable come back as they were
sent: a polymorphic function can return no others.
"""

from __future__ import annotations

from sandboxes.guest.common.interactors import LOST_STATUS
from sandboxes.languages.apart.ocaml_types import TYPES
from sandboxes.languages.base import MEMORY_STATUS

TYPES_FILE, TESTS_TYPES_FILE = "code_eval_types", "code_eval_tests_types"
"""The types that the compiler prints, as the candidate's side and the tests' side have them. In a container both are in
one folder, and the tests' side removes its files."""

LINK = (
    TYPES
    + r"""
(* Values. Each is a text and a semicolon, or a size before what it consists of. *)
let unsendable () = raise (Unsendable "a value of this type can't be sent to the other process")
let variables : (string, Obj.t) Hashtbl.t = Hashtbl.create 16
let rec write to_ shape value =
  let number n = Buffer.add_string to_ (string_of_int n); Buffer.add_char to_ ';' in
  let text s = number (String.length s); Buffer.add_string to_ s in
  match resolve shape with
  | Int _ -> number (Obj.obj value : int)
  | Float -> Buffer.add_string to_ (Printf.sprintf "%h;" (Obj.obj value : float))
  | Text -> text (Obj.obj value : string)
  | Int32 -> Buffer.add_string to_ (Printf.sprintf "%ld;" (Obj.obj value : int32))
  | Int64 -> Buffer.add_string to_ (Printf.sprintf "%Ld;" (Obj.obj value : int64))
  | Native -> Buffer.add_string to_ (Nativeint.to_string (Obj.obj value) ^ ";")
  | Variable name ->
    let sent = try Marshal.to_string value [Marshal.No_sharing] with Invalid_argument _ -> unsendable () in
    Hashtbl.replace variables (name ^ " " ^ sent) value;
    text sent
  | Tuple parts -> List.iteri (fun place part -> write to_ part (Obj.field value place)) parts
  | List one ->
    let all = (Obj.obj value : Obj.t list) in
    number (List.length all);
    List.iter (write to_ one) all
  | Array one ->
    let all = (Obj.obj value : Obj.t array) in
    number (Array.length all);
    Array.iter (write to_ one) all
  | Record (fields, _) when is_float_record fields ->
    Array.iter (fun each -> write to_ Float (Obj.repr each)) (Obj.obj value : float array)
  | Record (_, used) -> write to_ (Tuple used) value
  | Sum (_, others) ->
    if Obj.is_int value then number (Obj.obj value : int)
    else begin
      number (-1 - Obj.tag value);
      List.iteri (fun place part -> write to_ part (Obj.field value place)) others.(Obj.tag value)
    end
  | Named _ | Arrow _ | Opaque -> unsendable ()

let is_driver = ref false
let place = ref 0
let word text =
  let last = try String.index_from text !place ';' with Not_found | Invalid_argument _ -> raise Invalid in
  let found = String.sub text !place (last - !place) in
  place := last + 1;
  found
let number text = match int_of_string_opt (word text) with Some n -> n | None -> raise Invalid
let size text = match number text with n when n >= 0 && n <= String.length text - !place -> n | _ -> raise Invalid
let taken text = let n = size text in let found = String.sub text !place n in place := !place + n; found
let rec read text shape : Obj.t =
  let block tag parts =
    let made = Obj.new_block tag (List.length parts) in
    List.iteri (fun place part -> Obj.set_field made place (read text part)) parts;
    made in
  let parsed parse = match parse (word text) with Some found -> Obj.repr found | None -> raise Invalid in
  match resolve shape with
  | Int 255 -> (match number text with n when n >= 0 && n < 256 -> Obj.repr n | _ -> raise Invalid)
  | Int _ -> Obj.repr (number text)
  | Float -> parsed float_of_string_opt
  | Text -> Obj.repr (taken text)
  | Int32 -> parsed Int32.of_string_opt
  | Int64 -> parsed Int64.of_string_opt
  | Native -> parsed Nativeint.of_string_opt
  | Variable name ->
    let said = taken text in
    (* The tests' values are those of their compiler. *)
    if !is_driver then Marshal.from_string said 0
    else (match Hashtbl.find_opt variables (name ^ " " ^ said) with Some found -> found | None -> raise Invalid)
  | Tuple parts -> block 0 parts
  | List one ->
    let rec all left found = if left = 0 then found else all (left - 1) (read text one :: found) in
    Obj.repr (List.rev (all (size text) []))
  | Array one -> Obj.repr (Array.init (size text) (fun _ -> read text one))
  | Record (fields, _) when is_float_record fields ->
    Obj.repr (Array.of_list (List.map (fun _ -> (Obj.obj (read text Float) : float)) fields))
  | Record (_, used) -> block 0 used
  | Sum (constants, others) ->
    (match number text with
     | n when n >= 0 && n < constants -> Obj.repr n
     | n when n < 0 && -1 - n < Array.length others -> block (-1 - n) others.(-1 - n)
     | _ -> raise Invalid)
  | Named _ | Arrow _ | Opaque -> unsendable ()
let encode shape value =
  let to_ = Buffer.create 64 in
  write to_ shape value;
  Buffer.contents to_
let decode shape text =
  place := 0;
  let found = read text shape in
  if !place = String.length text then found else raise Invalid

(* What a call may have changed in its arguments. *)
let rec is_mutable shape = match shape with Named ("bytes", []) | Named ("ref", [_]) -> true | _ ->
  (match resolve shape with Array _ -> true | _ -> false)
let copy_into shape value found = match shape with
  | Named ("bytes", []) ->
    let value, found = (Obj.obj value : bytes), (Obj.obj found : bytes) in
    if Bytes.length value = Bytes.length found then Bytes.blit found 0 value 0 (Bytes.length found)
  | Named ("ref", [_]) -> (Obj.obj value : Obj.t ref) := !(Obj.obj found : Obj.t ref)
  | _ ->
    let value, found = (Obj.obj value : Obj.t array), (Obj.obj found : Obj.t array) in
    if Array.length value = Array.length found then Array.blit found 0 value 0 (Array.length found)

(* A message is the number of its bytes and its texts, each with its size. *)
let channels = lazy (open_in_bin "/dev/fd/3", open_out_bin "/dev/fd/4")
let put texts =
  let all = String.concat "" (List.map (fun text -> Printf.sprintf "%d;%s" (String.length text) text) texts) in
  let out = snd (Lazy.force channels) in
  output_binary_int out (String.length all);
  output_string out all;
  flush out
let take () =
  let input = fst (Lazy.force channels) in
  let all = match input_binary_int input with n when n >= 0 -> really_input_string input n | _ -> raise Invalid in
  let at = ref 0 and found = ref [] in
  while !at < String.length all do
    place := !at;
    found := taken all :: !found;
    at := !place
  done;
  List.rev !found
let read_file name =
  let file = open_in_bin name in
  let text = really_input_string file (in_channel_length file) in
  close_in file;
  text
let rec parameters shape = match shape with Arrow (left, right) -> left :: parameters right | _ -> []
let rec result shape = match shape with Arrow (_, right) -> result right | _ -> shape

"""
)

DRIVER = r"""
let known = [
  ("Failure", fun error -> match error with Failure text -> Some text | _ -> None);
  ("Invalid_argument", fun error -> match error with Invalid_argument text -> Some text | _ -> None);
  ("Not_found", fun error -> if error = Not_found then Some "" else None);
  ("Division_by_zero", fun error -> if error = Division_by_zero then Some "" else None);
  ("End_of_file", fun error -> if error = End_of_file then Some "" else None);
  ("Exit", fun error -> if error = Exit then Some "" else None);
  ("Stack_overflow", fun error -> if error = Stack_overflow then Some "" else None)]
let describe error =
  let own = Obj.repr error in
  let kind_of_error = if Obj.tag own = Obj.object_tag then own else Obj.field own 0 in
  let name = (Obj.obj (Obj.field kind_of_error 0) : string) in
  let name = List.hd (List.rev (String.split_on_char '.' name)) in
  match List.find_map (fun (name, text) -> Option.map (fun text -> (name, text)) (text error)) known with
  | Some (name, text) -> ["known"; name; text]
  | None ->
    let shapes = match Hashtbl.find_opt raised name with Some found -> found | None -> [Opaque] in
    match List.mapi (fun place shape -> encode shape (Obj.field own (place + 1))) shapes with
    | texts -> "own" :: name :: texts
    | exception (Unsendable _ | Invalid_argument _) -> ["known"; "Failure"; Printexc.to_string error]
let guarded action = try action () with
  | Out_of_memory -> exit %(memory_status)d
  | Unsendable text -> ["known"; "Failure"; text]
  | error -> describe error
let start () =
  read_types (read_file "%(types_file)s");
  is_driver := true;
  ignore (take ())
let serve functions =
  let constant (name, value) = match Hashtbl.find_opt values name with
    | Some (Arrow _) | None -> []
    | Some shape -> (try [name; encode shape value] with Unsendable _ -> []) in
  put (List.concat_map constant functions);
  let rec apply value arguments = match arguments with
    | [] -> value
    | first :: rest -> apply ((Obj.obj value : Obj.t -> Obj.t) first) rest in
  try while true do
    match take () with
    | name :: texts ->
      let shape = Hashtbl.find values name in
      put (guarded (fun () ->
        let arguments = List.map2 decode (parameters shape) texts in
        let found = apply (List.assoc name functions) arguments in
        let changed = List.map2 (fun shape value -> if is_mutable shape then encode shape value else "")
          (parameters shape) arguments in
        "value" :: encode (result shape) found :: changed))
    | [] -> raise End_of_file
  done with End_of_file -> exit 0
"""

TESTS_SIDE = r"""
let lost () =
  prerr_endline "the candidate ended before its tests were done";
  exit %(lost_status)d
let ask texts =
  (try put texts with Sys_error _ -> lost ());
  try take () with End_of_file -> lost ()
let own : (string, Obj.t) Hashtbl.t = Hashtbl.create 16
let fail_as kind = match kind with
  | ["known"; "Failure"; text] -> failwith text
  | ["known"; "Invalid_argument"; text] -> invalid_arg text
  | ["known"; "Not_found"; _] -> raise Not_found
  | ["known"; "Division_by_zero"; _] -> raise Division_by_zero
  | ["known"; "End_of_file"; _] -> raise End_of_file
  | ["known"; "Exit"; _] -> raise Exit
  | ["known"; "Stack_overflow"; _] -> raise Stack_overflow
  | "own" :: name :: texts ->
    (match Hashtbl.find_opt own name, Hashtbl.find_opt raised name with
     | Some kind_of_error, Some [] when texts = [] -> raise (Obj.obj kind_of_error : exn)
     | Some kind_of_error, Some shapes when List.length shapes = List.length texts ->
       let made = Obj.new_block 0 (1 + List.length shapes) in
       Obj.set_field made 0 kind_of_error;
       List.iteri (fun place text -> Obj.set_field made (place + 1) (decode (List.nth shapes place) text)) texts;
       raise (Obj.obj made : exn)
     | _ -> failwith name)
  | _ -> failwith "an invalid answer"
let call name shape arguments =
  Hashtbl.reset variables;
  match ask (name :: List.map2 encode (parameters shape) arguments) with
  | "value" :: text :: changed when List.length changed = List.length arguments ->
    let found = try decode (result shape) text with Invalid -> failwith "an invalid answer" in
    let copies = List.map2 (fun shape text -> if is_mutable shape then Some (decode shape text) else None)
      (parameters shape) changed in
    List.iteri (fun place copy ->
      Option.iter (copy_into (List.nth (parameters shape) place) (List.nth arguments place)) copy) copies;
    found
  | answer -> fail_as answer
let rec curried name shape left arguments =
  if left = 0 then call name shape (List.rev arguments)
  else Obj.repr (fun argument -> curried name shape (left - 1) (argument :: arguments))
let register name kind_of_error = Hashtbl.replace own name kind_of_error
let stubs names =
  Sys.set_signal Sys.sigpipe Sys.Signal_ignore;
  read_types (read_file "%(types_file)s");
  List.iter Sys.remove ["%(types_file)s"; "tests"];
  put [];
  let rec constants texts = match texts with name :: text :: rest -> (name, text) :: constants rest | _ -> [] in
  let constants = constants (try take () with End_of_file -> lost ()) in
  let stub name =
    let shape = Hashtbl.find values name in
    match shape with
    | Arrow _ -> curried name shape (List.length (parameters shape)) []
    | _ ->
      (match List.assoc_opt name constants with
       | Some text -> (try decode shape text with Invalid | Unsendable _ -> failwith "an invalid answer")
       | None -> failwith (name ^ " can't be sent to the other process")) in
  let made = Obj.new_block 0 (max 1 (List.length names)) in
  List.iteri (fun place name -> Obj.set_field made place (stub name)) names;
  made
"""

DRIVER_SOURCE = LINK + DRIVER % {"memory_status": MEMORY_STATUS, "types_file": TYPES_FILE}
TESTS_SOURCE = LINK + TESTS_SIDE % {"lost_status": LOST_STATUS, "types_file": TESTS_TYPES_FILE}
