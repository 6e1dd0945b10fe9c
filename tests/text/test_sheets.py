"""Parquet tables need an optional package, which is named where it is missing."""

from __future__ import annotations

import sys

import pytest

from lexicloud.errors import MissingExtra
from lexicloud.text.sheets import read_parquet


def test_without_arrow_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r'reading Parquet files .* pip install "lexicloud\[parquet\]"'):
        read_parquet(b"PAR1", "table.parquet")
