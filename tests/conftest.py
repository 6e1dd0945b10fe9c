"""What tests share: the way to ../shared, and small texts of our own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples in every run, so that a change is judged by what it changes. HYPOTHESIS_PROFILE=explore looks at
# others each time.
settings.register_profile("repeatable", derandomize=True)
settings.register_profile("explore", max_examples=300, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of books and NLTK data beside the project; a user does not have it."""
    if not (SHARED / "data").is_dir():
        pytest.skip(
            "../shared/data is not here: this test compares with books that are not part of the project"
        )
    return SHARED


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the requests made from the schema alone where slow tests are not wanted: making them takes ten seconds."""
    return True if collection_path.name == "test_schema.py" and "not slow" in config.option.markexpr else None
