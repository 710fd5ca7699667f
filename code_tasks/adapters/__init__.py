"""Interfaces of other frameworks, one file or package each: rewards and an environment for TRL."""

from code_tasks.adapters.trl import (
    AsyncCodeReward,
    CodeEnvironment,
    CodeReward,
    code_reward,
    make_async_code_reward,
    make_code_reward,
)

__all__ = [
    "AsyncCodeReward",
    "CodeEnvironment",
    "CodeReward",
    "code_reward",
    "make_async_code_reward",
    "make_code_reward",
]
