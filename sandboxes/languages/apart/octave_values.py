"""Octave's code that sends values between two processes. Used by `octave_link`."""

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
