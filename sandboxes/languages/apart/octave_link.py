"""The programs in Octave of both sides, candidate and tests, and the link between them. Used by `octave`."""

from __future__ import annotations

KINDS = '{"double", "single", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}'

# A value is a byte for its kind, and what that kind has: sizes, numbers as they are in memory, other values. A message
# is the number of its bytes, and values. All names begin alike, because functions of the file hide the candidate's.
LINK = """\
function bytes = code_eval_encode (value)
  if (isscalar (value) && isa (value, "double") && isreal (value) && ! issparse (value))
    bytes = [uint8(13), typecast(value, "uint8")];
    return
  end
  switch (class (value))
    case "double"
      kind = 1;
    case "char"
      kind = 11;
    case "cell"
      bytes = code_eval_encode_cell (value);
      return
    case "logical"
      kind = 12;
    case "struct"
      names = code_eval_encode_cell (__fieldnames__ (value));
      bytes = [code_eval_head("T", value), names, code_eval_encode_cell(struct2cell (value))];
      return
    case {"single", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}
      kind = builtin ("find", strcmp (class (value), %(kinds)s));
    case "containers.Map"
      bytes = [uint8("M"), code_eval_encode_cell({value.KeyType, value.ValueType, keys(value), values(value)})];
      return
    otherwise
      error ("a value of the class %%s can't be sent to the other process", class (value));
  end
  if (issparse (value))
    [rows, columns, values] = builtin ("find", value);
    bytes = [uint8("S"), code_eval_encode_cell({size(value), rows(:), columns(:), values(:)})];
  elseif (iscomplex (value))
    bytes = [uint8("C"), code_eval_encode(real (value)), code_eval_encode(imag (value))];
  elseif (kind > 10)
    bytes = [code_eval_head(kind, value), uint8(value(:)).'];
  else
    bytes = [code_eval_head(kind, value), typecast(value(:).', "uint8")];
  end
end

function bytes = code_eval_head (kind, value)
  sizes = size (value);
  bytes = [uint8(kind), numel(sizes), typecast(sizes, "uint8")];
end

function bytes = code_eval_encode_cell (value)
  if (numel (value) > 3)
    # Many numbers, or many texts, take less time together.
    if (code_eval_all (cellfun ("isclass", value, "double"), cellfun ("numel", value) == 1, ...
                       cellfun ("isreal", value), ! cellfun (@issparse, value)))
      bytes = [code_eval_head("N", value), code_eval_encode([value{:}])];
      return
    end
    if (iscellstr (value) && code_eval_all (cellfun ("ndims", value) == 2, cellfun ("size", value, 1) == 1))
      lengths = code_eval_encode (cellfun ("numel", value)(:));
      bytes = [code_eval_head("X", value), lengths, code_eval_encode([value{:}])];
      return
    end
  end
  bytes = [code_eval_head("L", value), code_eval_encode_all(value)];
end

# The candidate may have functions with names such as "all".
function answer = code_eval_all (varargin)
  answer = true;
  for each = varargin
    answer = answer && builtin ("all", each{1}(:));
  end
end

function bytes = code_eval_encode_all (values)
  parts = cell (1, numel (values));
  for place = 1:numel (values)
    parts{place} = code_eval_encode (values{place});
  end
  bytes = [zeros(1, 0, "uint8"), parts{:}];
end

function [value, place] = code_eval_decode (bytes, place)
  kind = bytes(place);
  if (kind == 13)
    value = typecast (bytes(place + 1 : place + 8), "double");
    place += 9;
    return
  elseif (kind == "C")
    [value, place] = code_eval_decode (bytes, place + 1);
    [imaginary, place] = code_eval_decode (bytes, place);
    value = complex (value, imaginary);
    return
  elseif (kind == "S")
    [parts, place] = code_eval_decode (bytes, place + 1);
    value = sparse (parts{2}, parts{3}, parts{4}, parts{1}(1), parts{1}(2));
    return
  elseif (kind == "M")
    [parts, place] = code_eval_decode (bytes, place + 1);
    value = containers.Map ("KeyType", parts{1}, "ValueType", parts{2});
    for each = 1:numel (parts{3})
      value(parts{3}{each}) = parts{4}{each};
    end
    return
  end
  last = place + 1 + 8 * double (bytes(place + 1));
  sizes = typecast (bytes(place + 2 : last), "double");
  place = last + 1;
  if (kind < 11)
    last += [8, 4, 1, 2, 4, 8, 1, 2, 4, 8](kind) * builtin ("prod", sizes);
    value = reshape (typecast (bytes(place:last), %(kinds)s{kind}), sizes);
    place = last + 1;
  elseif (kind == 11)
    last += builtin ("prod", sizes);
    value = reshape (char (bytes(place:last)), sizes);
    place = last + 1;
  elseif (kind == 12)
    last += builtin ("prod", sizes);
    value = reshape (logical (bytes(place:last)), sizes);
    place = last + 1;
  elseif (kind == "L")
    [value, place] = code_eval_decode_all (bytes, place, builtin ("prod", sizes));
    value = reshape (value, sizes);
  elseif (kind == "N")
    [value, place] = code_eval_decode (bytes, place);
    value = reshape (num2cell (value), sizes);
  elseif (kind == "X")
    [lengths, place] = code_eval_decode (bytes, place);
    [text, place] = code_eval_decode (bytes, place);
    last = builtin ("cumsum", lengths(:));
    value = reshape (cellslices (text, last - lengths(:) + 1, last, 2), sizes);
  elseif (kind == "T")
    [names, place] = code_eval_decode (bytes, place);
    [value, place] = code_eval_decode (bytes, place);
    value = reshape (cell2struct (value, names, 1), sizes);
  else
    error ("an invalid value");
  end
end

function [values, place] = code_eval_decode_all (bytes, place, count)
  values = cell (1, count);
  for each = 1:count
    [values{each}, place] = code_eval_decode (bytes, place);
  end
end

# Tests may expect an error of the candidate's. One of the link's, which nobody expects, ends them.
function code_eval_end (problem)
  fprintf (stderr, "error: %%s\\n", problem);
  exit (1);
end

function code_eval_put (output, varargin)
  try
    bytes = code_eval_encode_all (varargin);
  catch problem
    code_eval_end (problem.message);
  end
  fwrite (output, [typecast(numel (bytes), "uint8"), bytes], "uint8");
  fflush (output);
end

# The result is an empty cell if there is no message.
function values = code_eval_take (input, count)
  values = {};
  head = fread (input, 8, "uint8=>uint8").';
  if (numel (head) == 8)
    try
      size = typecast (head, "double");
      bytes = fread (input, size, "uint8=>uint8").';
      if (numel (bytes) == size)
        values = code_eval_decode_all (bytes, 1, count);
      end
    catch problem
      code_eval_end (["an invalid value: " problem.message]);
    end
  end
end
"""

DRIVER_SOURCE = (
    """\
function code_eval_driver ()
  input = fopen ("/dev/fd/3", "r");
  code_eval_take (input, 1);
  fclose (input);
  try
    code_eval_load ("candidate.m");
  catch problem
    code_eval_check_memory (problem);
    code_eval_end (problem.message);
  end
  # The candidate may have closed all files.
  input = fopen ("/dev/fd/3", "r");
  output = fopen ("/dev/fd/4", "w");
  defined = %(defined)s;
  names = defined(cellfun (@(name) exist (name) != 0, defined));
  values = {};
  handles = struct ();
  variables = evalin ("base", "who");
  for place = 1:numel (variables)
    name = variables{place};
    value = evalin ("base", name);
    if (is_function_handle (value))
      handles.(name) = value;
      names{end + 1} = name;
    else
      try
        code_eval_encode (value);
        values(end + 1, :) = {name, value};
      end
    end
  end
  code_eval_put (output, names, values);
  while (true)
    call = code_eval_take (input, 3);
    if (isempty (call))
      exit (0);
    end
    [target, count, inputs] = call{:};
    if (isfield (handles, target))
      target = handles.(target);
    end
    try
      results = code_eval_invoke (target, count, inputs);
    catch problem
      code_eval_check_memory (problem);
      code_eval_put (output, false, problem.message, problem.identifier);
      continue
    end
    code_eval_put (output, true, results, code_eval_maps (inputs));
  end
end

function code_eval_load (name)
  try
    source (name, "base");
    return
  catch problem
    # Files of functions may leave out the end of each.
    if (isempty (regexp (problem.message, '^parse error[^\\n]*\\s+(nested functions|function body open)', "once")))
      error (problem);
    end
  end
  text = fileread (name);
  places = [1, regexp(text, '^[ \\t]*function\\>', "lineanchors"), numel(text) + 1];
  for place = 2:numel (places)
    evalin ("base", text(places(place - 1) : places(place) - 1));
  end
end

function code_eval_check_memory (problem)
  if (strcmp (problem.identifier, "Octave:bad-alloc"))
    exit (%(memory_status)d);
  end
end

function results = code_eval_invoke (code_eval_target, code_eval_count, code_eval_inputs)
  results = cell (1, code_eval_count);
  if (code_eval_count > 0)
    [results{:}] = feval (code_eval_target, code_eval_inputs{:});
  else
    # A function without results has no value.
    feval (code_eval_target, code_eval_inputs{:});
    if (exist ("ans", "var"))
      results = {ans};
    end
  end
end

# Maps are the inputs that a function can change.
function maps = code_eval_maps (inputs)
  maps = {};
  for place = 1:numel (inputs)
    if (isobject (inputs{place}))
      maps{place} = inputs{place};
    end
  end
end

"""
    + LINK
)

RUNNER_SOURCE = (
    """\
function code_eval_runner ()
  words = %(words)s;
  entry_points = %(entry_points)s;
  file = fopen ("tests.m", "r");
  tests = fread (file, Inf, "uint8=>char").';
  fclose (file);
  unlink ("tests.m");
  unlink ("%(runner)s.m");
  # Octave looks for functions in this folder. Nobody can put files into that of a process.
  cd ("/proc/self/fdinfo");
  input = fopen ("/dev/fd/3", "r");
  output = fopen ("/dev/fd/4", "w");
  code_eval_put (output, true);
  found = code_eval_ask (input, 2);
  try
    call = @(varargin) code_eval_call (input, output, varargin{:});
    for each = found{1}(:).'
      name = each{1};
      if (! any (strcmp (name, words)))
        continue
      end
      standin = name;
      if (code_eval_is_known (name))
        if (! any (strcmp (name, entry_points)))
          continue
        end
        # The tests call this one alone. Octave's own functions call the one that they know.
        standin = ["code_eval_at_" name];
        tests = regexprep (tests, ['(\\<candidate\\s*=\\s*@\\s*)' name '\\>'], ["$1" standin]);
      end
      eval (sprintf (code_eval_standin (), standin, name));
      feval (standin, call);
    end
    for place = 1:rows (found{2})
      [name, value] = found{2}{place, :};
      if (any (strcmp (name, words)) && ! strcmp (name, "ans") && ! code_eval_is_known (name))
        assignin ("base", name, value);
      end
    end
  catch problem
    code_eval_end (problem.message);
  end
  try
    evalin ("base", tests);
  catch problem
    code_eval_end (problem.message);
  end
  exit (0);
end

# A function that is locked is there after "clear all".
function text = code_eval_standin ()
  text = sprintf ("%%s\\n", "function varargout = %%s (varargin)", "persistent call", "if (isempty (call))", ...
                   "call = varargin{1};", "mlock ();", "return", "end", ...
                   'varargout = call ("%%s", nargout, varargin);', "end");
end

function known = code_eval_is_known (name)
  folder = __octave_config_info__ ("fcnfiledir");
  known = iskeyword (name) || exist (name, "builtin") == 5 || any (exist (name, "file") == [2, 3]) ...
          || ! isempty (glob ({[folder "/[+@]" name], [folder "/*/[+@]" name]}));
end

function values = code_eval_ask (input, count)
  values = code_eval_take (input, count);
  if (isempty (values))
    fprintf (stderr, "the candidate ended before its tests were done\\n");
    exit (%(lost_status)d);
  end
end

function results = code_eval_call (input, output, name, count, inputs)
  code_eval_put (output, name, count, inputs);
  answer = code_eval_ask (input, 3);
  [passed, results, more] = answer{:};
  passed = islogical (passed) && isscalar (passed) && passed;
  if (! passed && ischar (results) && ischar (more))
    if (isempty (results))
      results = "unspecified error";
    end
    error (struct ("message", results, "identifier", more));
  # A call without the result that its place needs would be no argument at all.
  elseif (! passed || ! iscell (results) || ! iscell (more)
          || (numel (results) != count && (count > 0 || numel (results) > 1)))
    code_eval_end ("an invalid answer");
  end
  for place = 1:numel (inputs)
    if (isobject (inputs{place}))
      code_eval_change (inputs{place}, more{place});
    end
  end
end

function code_eval_change (own, now)
  remove (own, keys (own));
  for key = keys (now)
    own(key{1}) = now(key{1});
  end
end

"""
    + LINK
)
