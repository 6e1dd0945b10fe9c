"""What tests of the paper share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.paper.data_folder import make_data_folder


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small data folder of our own, which no test may change."""
    return make_data_folder(tmp_path_factory.mktemp("paper") / "data")
