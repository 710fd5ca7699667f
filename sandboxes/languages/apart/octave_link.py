"""The programs in Octave of both sides, candidate and tests, and the link between them. Used by `octave`."""

from __future__ import annotations

from sandboxes.languages.apart.octave_values import LINK

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
