"""The program in a model's answer: in fenced blocks, between prose, after a prompt, behind reasoning."""

from sandboxes.extraction.answers import AS_IT_STANDS, Asked, Extraction, content_text, encodable
from sandboxes.extraction.extractors import (
    EXTRACTORS,
    Extractor,
    OwnExtractor,
    checked_extractor,
    code_blocks,
    ends_in_open_block,
    read_answer,
    text_for,
)
from sandboxes.extraction.model_formats import final_answer
from sandboxes.extraction.other_languages import defined_in

__all__ = (
    "AS_IT_STANDS",
    "EXTRACTORS",
    "Asked",
    "Extraction",
    "Extractor",
    "OwnExtractor",
    "checked_extractor",
    "code_blocks",
    "content_text",
    "defined_in",
    "encodable",
    "ends_in_open_block",
    "final_answer",
    "read_answer",
    "text_for",
)
