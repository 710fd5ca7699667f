"""The reward loop of verl in Ray's actors: a whole batch becomes rewards, and a broken sandbox ends it."""

import os

import pytest

from support.frameworks import framework
from support.verl_samples import BROKEN, FORGERIES, HANGS, RIGHT, SUM, WRONG

framework("verl", "verl")

import ray  # noqa: E402

from support.verl_batches import RewardLoopManager, batch_of, byte_tokenizer, config_of  # noqa: E402

pytestmark = [
    pytest.mark.slow,
    pytest.mark.cluster,
    pytest.mark.filterwarnings("ignore:Tip. In future versions of Ray:FutureWarning"),
    # Ray leaves the streams of its processes open.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
ANSWERS = [RIGHT, WRONG, HANGS, FORGERIES["kills all processes"], RIGHT]
EXPECTED = [1.0, 0.0, 0.0, 0.0, 1.0]


def start_ray(paths, tries=3):
    """Start Ray, whose workers find modules in some paths.

    On a busy machine the half minute that Ray takes for that may be too short.
    """
    variables = {"env_vars": {"PYTHONPATH": paths}}
    try:
        ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False, runtime_env=variables)
    except Exception:
        if tries == 1:
            raise
        ray.shutdown()
        start_ray(paths, tries - 1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Start Ray, and return the folder of a model's tokenizer."""
    folder = str(tmp_path_factory.mktemp("model"))
    byte_tokenizer().save_pretrained(folder)
    paths = os.pathsep.join(path for path in ("tests", os.environ.get("PYTHONPATH")) if path)
    start_ray(paths)
    yield folder
    ray.shutdown()


def rewards_of(config):
    """Return the rewards and the details of a batch that the workers of the reward loop score."""
    manager = RewardLoopManager(config)
    try:
        scored = manager.compute_rm_score(batch_of(byte_tokenizer(), ANSWERS, [SUM] * len(ANSWERS)))
    finally:
        for worker in manager.reward_loop_workers:
            ray.kill(worker)
    return scored.batch["rm_scores"].sum(dim=1).tolist(), scored.non_tensor_batch


@pytest.mark.parametrize(("manager", "function"), [("naive", "compute_score_async"), ("remote", "compute_score")])
def test_the_reward_loop(manager, function, folder):
    """Actors that load the function by its path score a batch, with the details of each sample."""
    rewards, details = rewards_of(config_of(manager, function, folder=folder, timeout=4.0, details=True))
    assert rewards == EXPECTED
    assert list(details["acc"]) == EXPECTED
    assert [*details["outcome"]][:3] == ["passed", "failed", "timed_out"]


@pytest.mark.parametrize("manager", ["naive", "rate_limited", "remote"])
def test_a_broken_sandbox(manager, folder):
    """The trainer gets an error that names the reason, and no rewards."""
    with pytest.raises(ray.exceptions.RayTaskError, match="no reward for codecontests: SandboxUnavailable"):
        rewards_of(config_of(manager, folder=folder, **BROKEN))
