"""Benchmarks are where the docs say, and are chosen by name."""

import re
from pathlib import Path

import pytest
from benchmarks.__main__ import chosen, main, modules

ROOT = Path(__file__).parents[1]
NAMED = re.compile(r"\bbenchmarks(?:\.(?!md\b)[a-z_]+)+\b|\bbenchmarks(?:/[a-z_]+)+\.(?:py|md|json)\b")
FOLDERS = ("docs", "src", "benchmarks", "tests")


def written() -> list[Path]:
    """Everything that can name a benchmark, pages and code."""
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
    for folder in FOLDERS:
        found += [p for p in (ROOT / folder).rglob("*") if p.suffix in {".py", ".md", ".txt"}]
    return found


def exists(name: str) -> bool:
    if "/" in name:
        return (ROOT / name).is_file()
    parts = name.split(".")
    places = [ROOT.joinpath(*parts[:n]) for n in range(len(parts), 1, -1)][
        :2
    ]  # a module, or a name within one
    return any(p.with_suffix(".py").is_file() or p.is_dir() for p in places)


def test_every_benchmark_that_is_named_exists() -> None:
    named = {(m[0], p) for p in written() for m in NAMED.finditer(p.read_text(encoding="utf-8"))}
    assert len(named) > 50
    assert not [f"{name} in {p.relative_to(ROOT)}" for name, p in named if not exists(name)]


def test_speed_is_run_unless_another_is_named() -> None:
    assert chosen([]) == modules("speed")
    assert "truth.verification" in modules("truth")
    assert chosen(["text", "verification"]) == ["speed.text", "truth.verification"]
    assert chosen(["attribution", "truth.attribution"]) == ["speed.attribution", "truth.attribution"]


def test_an_unknown_name_is_refused_with_those_that_are_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nonesuch"]) == 2
    assert "speed.text" in capsys.readouterr().err


def test_a_ratio_that_has_halved_is_a_loss_and_one_that_varies_is_not() -> None:
    from benchmarks.speed.quick import losses

    committed = {"a": {"ratio": 4.0}, "b": {"ratio": 4.0}, "new": {"ratio": 1.0}}
    found = {"a": {"ratio": 1.8, "highest": 1.9}, "b": {"ratio": 1.9, "highest": 2.4}}
    assert losses(found, committed) == ["a: 1.8 where 4.0 is committed"]


def test_the_page_is_what_the_results_say() -> None:
    from benchmarks.make.benchmarks_page import PAGE, page

    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m benchmarks.make.benchmarks_page"
