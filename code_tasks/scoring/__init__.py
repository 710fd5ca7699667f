"""Scoring of files of samples with the sandboxes, and `Results`, which reads what a run has written."""

from code_tasks.scoring.hub_upload import HubUploadError
from code_tasks.scoring.results import Results
from code_tasks.scoring.trackers import log_to_mlflow, log_to_wandb

__all__ = ["HubUploadError", "Results", "log_to_mlflow", "log_to_wandb"]
