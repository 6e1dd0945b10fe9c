"""`lexicloud label` and `lexicloud vectors train` as real processes."""

from __future__ import annotations

import csv
import json

import pytest

from tests.cli.test_shell import run  # placeholder
