"""The notebooks run from top to bottom, and every result at the end of a cell says its conclusion first."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from lexicloud.result import Result

FOLDER = Path(__file__).parents[1] / "notebooks"
NAMES = ("who_wrote_it", "related_tickets", "a_page_of_suggestions", "the_estimators")


def cells(name: str) -> list[str]:
    read = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in read["cells"] if cell["cell_type"] == "code"]


def run_cell(source: str, names: dict[str, object]) -> object:
    """Run a cell and return its last expression, as a notebook shows it."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_runs_and_its_results_show_themselves(name):
    names: dict[str, object] = {}
    shown = [run_cell(source, names) for source in cells(name)]
    results = [value for value in shown if isinstance(value, Result)]
    assert results
    for result in results:
        html = result._repr_html_()
        assert html.startswith(("<p", "<h4", "<dl")), f"{type(result).__name__} does not begin with words"


def test_notebooks_are_kept_without_output():
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == set(NAMES)
    for name in NAMES:
        read = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))
        assert not any(cell.get("outputs") for cell in read["cells"])
