"""The options with which each backend runs any program as it stands."""

from docker_engines import IMAGE

PERMISSIVE = {
    "subprocess": {},
    "docker": {"image": IMAGE, "pull": "never"},
    "restricted": {
        "policy": "permissive:Permissive",
        "custom_builtins": "permissive:BUILTINS",
        # The policy has one of its own.
        "additional_globals": {"getattr": getattr},
    },
}
