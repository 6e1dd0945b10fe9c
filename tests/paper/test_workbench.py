"""Results are computed once, and again as soon as anything they depend on changes; the time left follows the pace."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from lexicloud.corpus import Corpus
from lexicloud.errors import CorpusError
from lexicloud.paper.data import DatasetPassages
from lexicloud.paper.workbench import (
    Countdown,
    PaperOptions,
    Workbench,
    documents_of,
    lower_cased,
    paper_rules,
    peak_memory,
    sentences_of,
    surface_of,
)
from lexicloud.text import TokenRules
from lexicloud.vectors import load_vectors
from tests.texts import TEXTS


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


def test_nothing_is_said_where_nothing_is_expected():
    assert Countdown().said == ""


def test_time_left_is_what_is_expected_at_first():
    clock = Countdown({"a": 60, "b": 120})
    clock.begin("a")
    assert clock.left == 180
    assert clock.said == " · about 3 min left"


def test_a_slow_machine_makes_the_rest_longer():
    clock = Countdown({"a": 60, "b": 120})
    clock.begin("a")
    clock.done(180, 0)
    clock.begin("b")
    assert clock.left == pytest.approx(360)
    clock.done(100, 0)
    assert clock.left == pytest.approx(260)


def test_an_experiment_that_takes_longer_than_expected_never_runs_backwards():
    clock = Countdown({"a": 60})
    clock.begin("a")
    clock.done(200, 0)
    assert clock.left == 0
    assert clock.said == " · less than a minute left"


def test_the_sum_and_the_peak_are_kept():
    clock = Countdown({"a": 1, "b": 1})
    for name, seconds, memory in (("a", 2.0, 500), ("b", 3.0, 300)):
        clock.begin(name)
        clock.done(seconds, memory)
    assert (clock.seconds, clock.memory) == (5.0, 500)


def test_a_process_needs_some_memory():
    assert peak_memory() == 0 or peak_memory() > 1_000_000


RULES = paper_rules(nltk=False)


@pytest.fixture(scope="module")
def built() -> Corpus:
    return sentences_of(DatasetPassages("own", tuple(TEXTS), tuple(TEXTS.values())), load_vectors(), RULES)


def test_sentences_are_those_of_the_corpus(built):
    expected = Corpus.from_texts(TEXTS, rules=RULES).sentences()
    assert built.names == expected.names
    assert list(built.texts) == list(expected.texts)
    assert [built.vocabulary[w] for w in built.stream] == [expected.vocabulary[w] for w in expected.stream]
    assert built.parents.tolist() == expected.parents.tolist()


def test_lower_case_is_what_lower_case_rules_give(built):
    lower = documents_of(lower_cased(built, load_vectors()))
    expected = Corpus.from_texts(TEXTS, rules=TokenRules())
    assert tuple(lower.vocabulary) == tuple(expected.vocabulary)
    assert lower.names == expected.names
    assert (lower.counts != expected.counts).nnz == 0
    assert lower.embedded.tolist() == expected.embedded.tolist()


def test_a_word_is_written_as_it_is_most_often():
    text = "Anna saw Anna. The cat saw the cat and the anna."
    corpus = sentences_of(DatasetPassages("own", ("a",), (text,)), load_vectors(), RULES)
    surface = surface_of(corpus)
    assert surface["anna"] == "Anna"
    assert surface["the"] == "the"


def test_own_tokens_are_kept_as_they_are():
    tokens = ((("Mr.", "O'Neil", "can't"), ("He", "left", ".")),)
    corpus = sentences_of(DatasetPassages("own", ("a",), sentences=tokens), load_vectors(), RULES)
    assert [corpus.vocabulary[w] for w in corpus.tokens(0)] == ["Mr.", "O'Neil", "can't"]
    assert corpus.texts == ("Mr. O'Neil can't", "He left .")


def test_no_word_at_all_is_an_error():
    with pytest.raises(CorpusError, match="no word in its 1 documents"):
        sentences_of(DatasetPassages("own", ("a",), ("",)), load_vectors(), RULES)
