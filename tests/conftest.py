"""What tests share: the way to ../shared, and small texts of our own."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of books and NLTK data beside the project; a user does not have it."""
    if not (SHARED / "data").is_dir():
        pytest.skip(
            "../shared/data is not here: this test compares with books that are not part of the project"
        )
    return SHARED
