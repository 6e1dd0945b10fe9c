"""A study of stories whose answers we know: what it finds, and that its explanations add up."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from rich.console import Console

from lexicloud.corpus import Corpus
from lexicloud.divergences import make_method
from lexicloud.divergences.nearest_texts import Explainer
from lexicloud.report import Missing, study
from lexicloud.report.chapters.search import source_of
from lexicloud.result import plain
from lexicloud.say.blocks import signed
from lexicloud.say.terminal import show
from lexicloud.search import METHODS
from tests.report.stories import THEMES, library

PARTS = ("reading", "divergence_map", "attribution", "zipf", "search", "provenance")


@pytest.fixture(scope="module")
def found():
    return study(Corpus.from_texts(library()), queries=["The captain feared the storm."], seed=3)


def test_every_part_has_an_answer(found):
    assert [p.id for p in found.parts] == list(PARTS)
    assert not [p for p in found.parts if isinstance(p, Missing)]


def test_labels_come_from_names_that_look_like_author_and_title(found):
    assert found.reading.labels == {"Salt": 3, "Pepper": 3, "Gavel": 3}


def test_the_nearest_text_is_of_the_same_author(found):
    assert found.divergence_map.same_label == (9, 9)
    assert "9 of 9 texts have a nearest neighbour of their own author" in found.divergence_map.finding


def test_words_that_bring_together_belong_to_the_theme(found):
    near = found.divergence_map.neighbours["Salt_0"][0]
    assert near.b.startswith("Salt")
    assert near.together
    assert near.apart
    assert all(w.adds < 0 for w in near.together)
    assert all(w.adds > 0 for w in near.apart)
    assert {w.word for w in near.together} <= {word for words in THEMES["Salt"] for word in words}


@pytest.mark.parametrize("method", ["smoothed", "knn", "categorical"])
def test_the_words_add_up_to_what_they_explain(method):
    corpus = Corpus.from_texts(library(2, 15))
    fitted = make_method(method).fit(corpus)
    explainer = Explainer(corpus, fitted)
    (near,) = explainer.pairs(0, [1], [0.0], [0.0])
    others = corpus.counts[[1, 2, 3, 4, 5]].sum(axis=0)[None, :]
    others = others * (corpus.lengths[1] / others.sum())
    expected = fitted.between(corpus.counts[[0]], corpus.counts[[1]])[0, 0]
    expected -= fitted.between(corpus.counts[[0]], type(corpus.counts)(others))[0, 0]
    assert near.gain == pytest.approx(expected, abs=1e-6)


def test_the_author_is_told_beside_chance_and_baseline(found):
    part = found.attribution
    assert part.main.method == "combined"
    assert part.main.accuracy == 1.0
    assert "9 of 9 texts (100 %)" in part.finding
    assert "guessing would get 33 %" in part.finding
    assert "categorical" in part.results
    assert [e.words for e in part.excerpts] == [200]


def test_zipf_is_judged_beside_null_models(found):
    clusters = found.zipf.clusters
    assert clusters.k == 35
    assert set(clusters.null) == {"gaussian", "shuffled"}
    assert f"slope of {signed(clusters.slope)}" in found.zipf.finding
    for model in clusters.null.values():
        assert signed(model.slope) in found.zipf.finding


def test_the_query_that_was_asked_is_answered_by_every_method(found):
    ((query, answers),) = found.search.answers.items()
    assert query == "The captain feared the storm."
    assert set(answers) == set(METHODS)
    assert answers["setcover"]
    assert all(source_of(s).startswith("Salt") for s in answers["setcover"])


def test_the_summary_is_json_and_says_the_same(found):
    values = json.loads(json.dumps(plain(found.to_dict()), allow_nan=False))
    assert values["attribution"]["methods"]["combined"]["accuracy"] == 1.0
    assert values["divergence_map"]["finding"] == found.divergence_map.finding
    assert values["provenance"]["settings"]["seed"] == 3


@pytest.mark.slow
def test_every_part_shows_itself_in_a_notebook(found):
    for part in found.parts:
        markup = part._repr_html_()
        assert part.finding[:30] in markup.replace("\u00a0", " ")
        maps = markup.count('class="lexmap-data"')  # each brings its data, and the script that draws it
        assert markup.count("<script") == 2 * maps
        assert markup.count("<img src=") + markup.count("<svg") >= len(part.figures())
    assert "<h2>Who is like whom</h2>" in found._repr_html_()


def test_a_terminal_shows_the_findings_and_no_more_than_two_screens(found):
    printed = io.StringIO()
    show(found.blocks(), Console(file=printed, width=100, color_system=None))
    lines = printed.getvalue().splitlines()
    said = " ".join(" ".join(lines).split())
    for part in (found.divergence_map, found.attribution, found.zipf, found.search):
        assert part.title in said
        assert part.finding in said
    assert "How to read it" not in said
    assert len(lines) < 100


def test_provenance_has_the_call_that_repeats_it(found):
    assert found.provenance.command == (
        "lexicloud.report.study(corpus, seed=3, queries=['The captain feared the storm.'])"
    )


def test_the_same_seed_gives_the_same_numbers(found):
    again = study(Corpus.from_texts(library()), queries=["The captain feared the storm."], seed=3)
    first, second = found.to_dict(), again.to_dict()
    for part in PARTS[:-1]:
        assert plain(first[part]) == plain(second[part]), part


@pytest.mark.slow
def test_figures_are_written_as_png_and_svg(found, tmp_path):
    files = found.write_figures(tmp_path / "figures")
    names = {f.stem for f in files}
    assert names >= {"heatmap", "dendrogram", "map", "confusion", "ranks", "purity", "clusters", "projection"}
    assert {f.suffix for f in files} == {".png", ".svg"}
    for f in files:
        assert f.read_bytes()[:4] == b"\x89PNG" or b"<svg" in f.read_bytes()[:600]


def test_a_map_by_label_takes_all_texts_of_a_label_as_one():
    from lexicloud.report.chapters import DivergenceMapChapter

    texts = library(2, 10)
    corpus = Corpus.from_texts(texts, labels=[name.split("_")[0] for name in texts])
    part = DivergenceMapChapter.gather(corpus, "smoothed", by="label")
    assert part.names == ("Salt", "Pepper", "Gavel")
    assert part.by == "label"
    merged = Corpus.from_texts({a: f"{texts[f'{a}_0']} {texts[f'{a}_1']}" for a in part.names})
    other = DivergenceMapChapter.gather(merged, "smoothed", by="text")
    assert np.allclose(part.matrix.values, other.matrix.values)


def test_a_matrix_product_takes_one_thread_while_two_chapters_run():
    from threadpoolctl import threadpool_info

    from lexicloud.progress import reporting

    def threads() -> list[int]:
        return [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"]

    class Watch:
        def __init__(self):
            self.seen: set[int] = set()

        def start(self, description, total):
            if not description.startswith("studying"):  # the bar of the whole opens before
                self.seen.update(threads())
            return 0

        def advance(self, bar, steps):
            pass

        def finish(self, bar):
            pass

    corpus = Corpus.from_texts(library(2, 15))
    before, watch = threads(), Watch()
    with reporting(watch):
        study(corpus)
    assert watch.seen == {1}
    assert threads() == before
