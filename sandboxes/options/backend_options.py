"""The sandboxes' part of the option table: options of all sandboxes, and options of one sandbox alone."""

from __future__ import annotations

from sandboxes.backends.confinement import ISOLATION_MODES, Confinement
from sandboxes.backends.docker.options import DEFAULT_IMAGE, PULL_POLICIES, DockerOptions
from sandboxes.backends.import_paths import IMPORT_PATHS
from sandboxes.backends.restricted_options import DEFAULT_OUTPUT_VARIABLE, RestrictedOptions
from sandboxes.options.option import Option, OptionGroup

_CONFINEMENT, _RESTRICTED, _DOCKER = Confinement(), RestrictedOptions(), DockerOptions()

CONFINEMENT = (
    Option(
        "isolation",
        "str",
        str,
        '`"auto"`: every layer that is available here, with one warning that names the others. `"strict"`: all '
        'layers, or nothing runs. `"off"`: limits only, for debugging.',
        default=_CONFINEMENT.isolation,
        choices=ISOLATION_MODES,
    ),
    Option(
        "network",
        "bool, or the name of a network with docker",
        bool,
        "Let candidates use the network, including the services of this machine. In containers it is Docker's network "
        '`"bridge"`, unless another is named.',
        default=_CONFINEMENT.network,
    ),
    Option(
        "loopback",
        'bool, or "auto"',
        bool,
        "Let candidates listen and connect on localhost, in a network of their own that nothing else is in: servers, "
        "`multiprocessing.Manager`. It can't be combined with `network`. Where the system allows no such network, no "
        'program runs; with `"auto"` programs run without, and a warning says so.',
        default=_CONFINEMENT.loopback,
        see="[Localhost and a shell](sandboxes.md#localhost-and-a-shell)",
    ),
    Option(
        "shell",
        "bool",
        bool,
        "Show candidates `/bin`, whose `/bin/sh` runs the commands of `os.system` and `shell=True`. An image has its "
        "own.",
        default=_CONFINEMENT.shell,
        see="[Localhost and a shell](sandboxes.md#localhost-and-a-shell)",
    ),
    Option(
        "read_only_paths",
        "list of str",
        list,
        "More files and folders that candidates can read, at their own paths: data, or a model.",
        default_text="`[]`",
        flags=("--read-only-path", "--read-only-paths"),
    ),
    Option(
        "env",
        "dict of str",
        dict,
        "More environment variables of candidates, which see none of yours.",
        default_text="`{}`",
    ),
    Option(
        "preload",
        "list of str",
        list,
        'Modules such as "numpy" to import once, before candidates are forked: importing them then costs nothing.',
        default_text="`[]`",
    ),
    Option(
        "import_paths",
        "str",
        str,
        '`"installed"`: candidates and tests import installed packages alone. `"caller"`: all that you can import, '
        "also from the script's folder and those of PYTHONPATH and of editable installs, which candidates can read.",
        default=IMPORT_PATHS[0],
        choices=IMPORT_PATHS,
        see="[Modules of your own](sandboxes.md#modules-of-your-own)",
    ),
    Option(
        "hash_seed",
        'int, "random" or None',
        str,
        "The seed of Python's hashes, which decide the order of sets of strings. A number gives the same order in each "
        'run, `"random"`, or None, another one in each sandbox.',
        default=_CONFINEMENT.hash_seed,
        allows_none=False,
    ),
)

RESTRICTED = OptionGroup(
    "restricted",
    'With the sandbox `"restricted"` only',
    (
        Option(
            "use_safe_builtins",
            "bool",
            bool,
            "Give candidates RestrictedPython's `safe_builtins`.",
            default=_RESTRICTED.use_safe_builtins,
        ),
        Option(
            "use_limited_builtins",
            "bool",
            bool,
            "Give candidates RestrictedPython's `limited_builtins`: `range`, `list` and `tuple` in a limited form.",
            default=_RESTRICTED.use_limited_builtins,
        ),
        Option(
            "use_utility_builtins",
            "bool",
            bool,
            "Give candidates RestrictedPython's `utility_builtins`: `string`, `math`, `random`, `set`, `frozenset` and "
            "others.",
            default=_RESTRICTED.use_utility_builtins,
        ),
        Option(
            "additional_globals",
            "dict",
            object,
            "More names for candidates, which go before all others. A value is data, something that can be imported, "
            'or its `"module:name"`.',
            default_text="`{}`",
        ),
        Option(
            "additional_locals",
            "dict",
            object,
            "The same: programs have one namespace for both. These win over the globals.",
            default_text="`{}`",
        ),
        Option(
            "allowed_imports",
            "list of str",
            list,
            "Modules that may be imported, with those below them. Without it, no import works.",
            default_text="`[]`",
            flags=("--allowed-import", "--allowed-imports"),
        ),
        Option(
            "allow_str_format",
            "bool",
            bool,
            "Allow `str.format` and `str.format_map`.",
            default=_RESTRICTED.allow_str_format,
        ),
        Option(
            "allow_underscore_variable_names",
            "bool",
            bool,
            "Allow names and attributes that begin with one underscore.",
            default=_RESTRICTED.allow_underscore_variable_names,
        ),
        Option(
            "return_output",
            "bool",
            bool,
            'Add "output" to results: the value of a variable after the run.',
            default=_RESTRICTED.output_variable is not None,
        ),
        Option(
            "output_variable",
            "str",
            str,
            "The global name of that variable.",
            default=DEFAULT_OUTPUT_VARIABLE,
        ),
        Option(
            "policy",
            "class or str",
            str,
            'The Python that candidates may be written in. `"strict"`: RestrictedPython\'s own policy. `"original"`: '
            "that of the metric `restrictedpython_code_eval`, with its limits and texts. "
            '`"module:Class"`: a subclass of `RestrictingNodeTransformer` that can be imported.',
            default_text="the Python that models write, as far as it is safe",
            see="[The restricted sandbox](restricted.md)",
        ),
        Option(
            "custom_builtins",
            "dict or str",
            str,
            'More builtins, which go before all others. `"module:name"` names a dict of them.',
            default_text="`{}`",
        ),
        Option(
            "trusted_globals",
            "bool",
            bool,
            "Also send names and builtins that can't be imported, such as lambdas and local functions: copies, made by "
            "cloudpickle, that run in the sandbox and outside of the policy.",
            default=False,
        ),
    ),
)

DOCKER = OptionGroup(
    "docker",
    'With the sandbox `"docker"` only',
    (
        Option(
            "image",
            "str",
            str,
            "Any image with Python 3.8 or newer.",
            default=DEFAULT_IMAGE,
            see="[The docker sandbox](docker.md)",
        ),
        Option(
            "packages",
            "list of str, or dict {import name: requirement or None}",
            list,
            "PyPI requirements to install on the image. One with an import name is installed only if candidates or "
            "tests import it.",
            default_text="`[]`",
            flags=("--package", "--packages"),
        ),
        Option("cpus", "float, > 0", float, "CPUs of one container.", default=_DOCKER.cpus),
        Option(
            "runtime",
            "str",
            str,
            'Docker\'s name of the runtime, such as "runsc" for gVisor.',
            default_text="the engine's own",
        ),
        Option(
            "pull",
            "str",
            str,
            'When to pull the image: `"missing"`, `"never"` or `"always"`.',
            default=_DOCKER.pull,
            choices=PULL_POLICIES,
        ),
        Option(
            "volumes",
            "dict {path: path in the container}, or list of paths",
            dict,
            "More files and folders that candidates can read, each at its own path unless another one is given.",
            default_text="`{}`",
            flags=("--volume", "--volumes"),
        ),
        Option(
            "docker_host",
            "str",
            str,
            "Where the engine is, in the form of DOCKER_HOST.",
            default_text="where the docker command finds it",
        ),
        Option(
            "fresh_container",
            "bool",
            bool,
            "Give each candidate a container of its own, which takes about a second each.",
            default=_DOCKER.fresh_container,
        ),
    ),
)
