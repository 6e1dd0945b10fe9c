"""Results are computed once, and again as soon as anything they depend on changes."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from lexicloud.paper.workbench import PaperOptions, Workbench


def _double(x: int) -> dict[str, object]:
    return {"value": 2 * x, "array": np.arange(x)}


def _triple(x: int) -> dict[str, object]:
    return {"value": 3 * x}


@pytest.fixture
def options(data, tmp_path):
    return PaperOptions(data, tmp_path / "out")


def ask(options: PaperOptions, x: int = 2, code=_double, **more):
    bench = Workbench(options)
    values = bench.recall("test", lambda: code(x), datasets=("gatsby",), code=(code,), x=x, **more)
    return values, bench


def test_a_second_run_computes_nothing(options):
    first, bench = ask(options)
    assert (bench.computed, bench.recalled) == (["test 2"], [])
    second, bench = ask(options)
    assert (bench.computed, bench.recalled) == ([], ["test 2"])
    assert second["value"] == first["value"] == 4
    assert second["array"].tolist() == [0, 1]


def test_another_parameter_code_seed_or_sample_is_another_result(options):
    ask(options)
    for changed in (
        ask(options, x=3),
        ask(options, code=_triple),
        ask(options, k=5),
        ask(PaperOptions(options.data, options.out, seed=1)),
        ask(PaperOptions(options.data, options.out, quick=True)),
    ):
        assert len(changed[1].computed) == 1


def test_changed_data_is_another_result(data, tmp_path):
    copy = tmp_path / "data"
    shutil.copytree(data / "books", copy / "books")
    options = PaperOptions(copy, tmp_path / "out")
    ask(options)
    with (copy / "books" / "the_great_gatsby.txt").open("a", encoding="utf-8") as file:
        file.write("One more sentence.")
    assert ask(options)[1].computed == ["test 2"]


def test_a_damaged_result_is_computed_again(options):
    ask(options)
    for manifest in (options.out / "cache").glob("test-*/manifest.json"):
        manifest.write_text("{", encoding="utf-8")
    values, bench = ask(options)
    assert values["value"] == 4
    assert bench.computed == ["test 2"]


def test_an_interrupted_computation_leaves_nothing_behind(options):
    def stop(_: int) -> dict[str, object]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ask(options, code=stop)
    assert not list((options.out / "cache").glob("test-*")) if (options.out / "cache").exists() else True


def test_corpora_are_taken_up_again(options):
    first = Workbench(options)
    before = first.sentences("gatsby")
    second = Workbench(options)
    after = second.sentences("gatsby")
    assert (first.computed, second.computed, second.recalled) == (["corpus gatsby"], [], ["corpus gatsby"])
    assert after.names == before.names
    assert after.stream.tolist() == before.stream.tolist()


def test_missing_datasets_are_named(tmp_path, data):
    shutil.copytree(data / "books", tmp_path / "data" / "books")
    bench = Workbench(PaperOptions(tmp_path / "data", tmp_path / "out"))
    assert not bench.has("race")
    assert "RACE" in bench.missing["race"]
    assert bench.has("gatsby")
