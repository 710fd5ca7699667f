"""Rewards and an environment for TRL's trainers: a candidate earns its reward by passing tests in a sandbox.

`GRPOTrainer` calls a reward with one list per column, and an environment's methods as tools. Nothing here imports TRL.
"""

from code_tasks.adapters.trl.environment import CodeEnvironment
from code_tasks.adapters.trl.grading import NOT_OF_REWARDS
from code_tasks.adapters.trl.rewards import (
    AsyncCodeReward,
    CodeReward,
    code_reward,
    make_async_code_reward,
    make_code_reward,
)

__all__ = [
    "NOT_OF_REWARDS",
    "AsyncCodeReward",
    "CodeEnvironment",
    "CodeReward",
    "code_reward",
    "make_async_code_reward",
    "make_code_reward",
]
