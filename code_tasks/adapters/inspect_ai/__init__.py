"""The sandbox `code_eval` and the scorer `verify` for Inspect, which finds this package by its entry point."""

from code_tasks.adapters.inspect_ai.config import CodeEvalSandboxConfig
from code_tasks.adapters.inspect_ai.environment import CodeEvalSandboxEnvironment
from code_tasks.adapters.inspect_ai.scorer import verify

__all__ = ["CodeEvalSandboxConfig", "CodeEvalSandboxEnvironment", "verify"]
