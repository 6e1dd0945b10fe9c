"""Labels from a few examples: right by meaning, probabilities that add up, reasons that add up to the score."""

from __future__ import annotations

import json
from hashlib import sha256
from itertools import pairwise

import numpy as np
import pytest

from lexicloud.errors import EstimateError, InputError, OptionError, StorageError, VectorsError
from lexicloud.labelling import Labeller
from lexicloud.store.folder import sign
from lexicloud.text import TokenRules
from lexicloud.vectors import WordVectors, load_vectors

SEA = [
    "the sailor pulled the rope",
    "a ship came into the harbour",
    "waves broke over the deck",
    "the captain steered",
]
FOOD = [
    "chop the onions and garlic",
    "melt butter in a pan",
    "the soup needs salt",
    "bake the bread for an hour",
]
COURT = [
    "the judge heard the witness",
    "the jury found him guilty",
    "a lawyer wrote the appeal",
    "the trial began",
]
TEXTS = SEA + FOOD + COURT
LABELS = ["sea"] * 4 + ["food"] * 4 + ["court"] * 4
NEW = ["boats and anchors near the coast", "stir the sauce with pepper", "prosecutors charged the defendant"]


@pytest.fixture(scope="module")
def labeller() -> Labeller:
    return Labeller().fit(TEXTS, LABELS)


def test_texts_that_share_no_content_word_with_any_example_get_the_label_of_their_meaning(labeller):
    assert labeller.predict(NEW).tolist() == ["sea", "food", "court"]


def test_without_vectors_the_same_texts_cannot_be_told(labeller):
    nothing = WordVectors.from_dict({"\N{ZERO WIDTH SPACE}": [1.0]})
    without = Labeller(nothing, embeddings=None).fit(TEXTS, LABELS).predict_proba(NEW).max(axis=1)
    assert (without < labeller.predict_proba(NEW).max(axis=1)).all()


def test_probabilities_are_of_the_classes_in_order_and_add_up_to_one(labeller):
    P = labeller.predict_proba(NEW)
    assert labeller.classes_.tolist() == ["court", "food", "sea"]
    assert P.shape == (3, 3)
    assert np.allclose(P.sum(axis=1), 1)


@pytest.mark.parametrize("text", [*NEW, "The soup of the day. Salt; salt!", "zzxq vvbn", ""])
@pytest.mark.parametrize("label", [None, "food"])
def test_reasons_add_up_to_the_score_and_scores_to_the_probability(labeller, text, label):
    why = labeller.explain(text, label)
    assert why.start + sum(reason.adds for reason in why.words) == pytest.approx(why.score, abs=1e-9)
    assert why.start + sum(why.kinds.values()) == pytest.approx(why.score, abs=1e-9)
    scores = np.array([labeller.explain(text, name).score for name in labeller.classes_])
    P = labeller.predict_proba([text])[0]
    assert np.allclose(np.exp(scores) / np.exp(scores).sum(), P)
    assert why.probability == pytest.approx(P[labeller.classes_.tolist().index(why.label)])
    assert scores.sum() == pytest.approx(0, abs=1e-9)


def test_many_texts_are_explained_as_each_alone(labeller):
    texts = [*NEW, "The soup of the day. Salt; salt!", ""]
    for many, one in zip(labeller.explain_many(texts), map(labeller.explain, texts), strict=True):
        assert (many.label, many.sentence) == (one.label, one.sentence)
        assert many.score == pytest.approx(one.score, abs=1e-4)
        assert many.start + sum(reason.adds for reason in many.words) == pytest.approx(many.score, abs=1e-9)


def test_a_word_of_no_example_is_explained_by_the_examples_words_near_it(labeller):
    why = labeller.explain("stir the sauce with pepper")
    near = {reason.word: reason.near for reason in why.words if reason.near}
    assert near["pepper"] in {"garlic", "onions", "salt", "butter", "soup"}
    assert "stands near" in why.sentence
    assert why.sentence.startswith("food because ")


def test_a_text_does_not_depend_on_the_texts_labelled_with_it(labeller):
    together = labeller.predict_proba([*NEW, *TEXTS])[:3]
    assert np.allclose(together, [labeller.predict_proba([text])[0] for text in NEW])


def test_the_same_seed_gives_the_same_labeller(labeller):
    again = Labeller().fit(TEXTS, LABELS)
    assert np.array_equal(again.predict_proba(NEW), labeller.predict_proba(NEW))


def test_a_text_that_fits_no_label_has_none_and_refuse_zero_labels_everything():
    labeller = Labeller(refuse=0.1).fit(TEXTS, LABELS)
    strange = labeller.label(["qwx zzt kfj 17 vvbn qqq"])[0]
    assert strange.label is None
    assert strange.guess in labeller.classes_
    assert strange.fit <= 0.1
    assert Labeller(refuse=0).fit(TEXTS, LABELS).label([strange.text])[0].label == strange.guess


def test_at_most_the_share_refused_of_the_examples_is_refused_when_held_out():
    """The text itself counts among the examples, so a fit of at most `refuse` happens to at most that share of them."""
    labeller = Labeller().fit(TEXTS, LABELS)
    ranks = np.searchsorted(labeller.fits_, labeller.fits_, side="right") / len(labeller.fits_)
    assert (ranks <= 0.25).mean() <= 0.25


def test_what_to_label_next_are_doubtful_texts_that_differ_from_each_other(labeller):
    pool = ["the ship", "the ship", "the ship sailed", "a bowl of soup", "verdict and appeal"]
    chosen = labeller.next(pool, n=3)
    assert len({row.text for row in chosen}) == 3
    assert [row.index for row in chosen] == [pool.index(row.text) for row in chosen]
    assert all(a.covers >= b.covers for a, b in pairwise(chosen))
    assert all(row.gain == 1 - row.probability for row in chosen)
    assert len(labeller.next(pool, n=99)) == len(pool)


def test_saving_and_loading_changes_nothing(labeller, tmp_path):
    labeller.save(tmp_path / "model")
    loaded = Labeller.load(tmp_path / "model")
    assert np.allclose(loaded.predict_proba(NEW), labeller.predict_proba(NEW))
    assert [a.to_dict() for a in loaded.label(NEW)] == [a.to_dict() for a in labeller.label(NEW)]
    assert loaded.explain(NEW[0]).sentence == labeller.explain(NEW[0]).sentence


# Two words that no vectors know keep company with the sea, two with food.
ROWS = 40 * [
    *(f"qxarvz tzolmq {text}" for text in SEA),
    *(f"zxelkq bqrinx {text}" for text in FOOD),
    *COURT,
]


@pytest.fixture(scope="module")
def taught_by_rows() -> Labeller:
    return Labeller().fit(TEXTS, LABELS, unlabelled=ROWS)


def test_rows_without_a_label_teach_which_words_keep_company(labeller, taught_by_rows):
    """No example has the words and no vectors do: only the rows tell."""
    asked = ["qxarvz tzolmq", "zxelkq bqrinx"]
    before, after = (one.kind_scores(asked)["mean vectors"] for one in (labeller, taught_by_rows))
    assert np.allclose(before[0], before[1])
    assert labeller.classes_[after.argmax(axis=1)].tolist() == ["sea", "food"]


def test_what_rows_taught_is_explained_and_kept(taught_by_rows, tmp_path):
    why = taught_by_rows.explain("qxarvz tzolmq near the coast")
    assert why.start + sum(reason.adds for reason in why.words) == pytest.approx(why.score, abs=1e-9)
    taught_by_rows.save(tmp_path / "model")
    loaded = Labeller.load(tmp_path / "model")
    assert np.allclose(
        loaded.predict_proba([*NEW, "qxarvz tzolmq"]), taught_by_rows.predict_proba([*NEW, "qxarvz tzolmq"])
    )


def test_a_few_rows_change_nothing(labeller):
    few = Labeller().fit(TEXTS, LABELS, unlabelled=ROWS[:50])
    assert np.array_equal(few.predict_proba(NEW), labeller.predict_proba(NEW))


def test_a_model_of_an_earlier_lexicloud_is_refused_in_a_line(labeller, tmp_path):
    weights = labeller.evidence_.joint_weights
    labeller.evidence_.joint_weights = weights[:4]
    try:
        labeller.save(tmp_path / "old")
    finally:
        labeller.evidence_.joint_weights = weights
    with pytest.raises(StorageError, match=r"earlier lexicloud.*train the labeller again"):
        Labeller.load(tmp_path / "old")


def test_a_model_of_vectors_in_memory_is_opened_with_them_or_by_their_name(labeller, tmp_path):
    built_in = load_vectors()
    Labeller(built_in).fit(TEXTS, LABELS).save(tmp_path / "by name")
    assert np.allclose(Labeller.load(tmp_path / "by name").predict_proba(NEW), labeller.predict_proba(NEW))
    mine = WordVectors.from_dict({"ship": [1, 0], "soup": [0, 1]}, "mine")
    Labeller(mine).fit(TEXTS, LABELS).save(tmp_path / "mine")
    assert Labeller.load(tmp_path / "mine", mine).predict(["a ship"]).tolist() == ["sea"]
    with pytest.raises(VectorsError, match="mine"):
        Labeller.load(tmp_path / "mine")


def test_a_model_refuses_other_vectors_than_its_own(labeller, tmp_path):
    labeller.save(tmp_path / "model")
    with pytest.raises(VectorsError, match="other vectors"):
        Labeller.load(tmp_path / "model", WordVectors.from_dict({"ship": [1, 0], "soup": [0, 1]}))
    with pytest.raises(StorageError):
        Labeller.load(tmp_path / "nothing")


def test_examples_that_cannot_teach_are_named():
    with pytest.raises(InputError, match="2 texts but 1 labels"):
        Labeller().fit(["a", "b"], ["x"])
    with pytest.raises(EstimateError, match="1 label"):
        Labeller().fit(["a", "b"], ["x", "x"])
    with pytest.raises(EstimateError, match="'y' has 1 example"):
        Labeller().fit(["a", "b", "c"], ["x", "x", "y"])
    with pytest.raises(EstimateError, match="call fit first"):
        Labeller().predict(["a"])


def test_wrong_options_are_named(labeller):
    with pytest.raises(OptionError, match="refuse"):
        Labeller(refuse=1.5)
    with pytest.raises(OptionError, match="no label 'law'; the labels are court, food, sea"):
        labeller.explain("the judge", "law")
    with pytest.raises(OptionError, match="at least one"):
        labeller.next(NEW, n=0)
    with pytest.raises(InputError, match="list of texts"):
        labeller.predict("the judge")


def test_a_damaged_labeller_is_refused_before_compiled_code_follows_it(labeller, tmp_path):
    labeller.save(tmp_path / "model")
    (file,) = (tmp_path / "model").glob("columns.*.npy")
    data = bytearray(file.read_bytes())
    data[-1] ^= 0x40  # a column far outside
    file.write_bytes(bytes(data))
    with pytest.raises(StorageError, match="checksum differs"):
        Labeller.load(tmp_path / "model")
    _sign_again(tmp_path / "model", "columns", sha256=sha256(data).hexdigest())
    with pytest.raises(StorageError, match="is damaged"):
        Labeller.load(tmp_path / "model")


def _sign_again(folder, name, **changed):
    """Change what the manifest says of a file, as a forger would."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    manifest["files"][name] |= changed
    manifest["checksum"] = "0" * 64
    (folder / "manifest.json").write_text(sign(json.dumps(manifest, indent=1)), encoding="utf-8")


def test_a_shape_larger_than_its_file_is_not_followed(labeller, tmp_path):
    """NumPy takes an offset before the beginning of the file without a word."""
    labeller.save(tmp_path / "model")
    _sign_again(tmp_path / "model", "weights", shape=[1 << 40])
    with pytest.raises(StorageError, match="weights has 184 bytes and the shape"):
        Labeller.load(tmp_path / "model")


def test_a_table_in_another_language_has_no_english_vectors(tmp_path) -> None:
    """English embeddings and vectors would give its words neighbours that mean nothing."""
    texts = ["proszę o zwrot pieniędzy za bilet", "faktura ma złą kwotę", "pobrano opłatę dwa razy z karty"]
    more = ["aplikacja zawiesza się na starcie", "po zalogowaniu jest pusty ekran", "nie mogę wysłać zdjęcia"]
    polish = TokenRules(language="polish")
    labeller = Labeller(rules=polish).fit(texts + more, ["billing"] * 3 + ["bug"] * 3)
    assert labeller.source_.vectors.name == "none"
    assert labeller.source_.embeddings is None
    labeller.save(tmp_path / "model")
    new = ["proszę o fakturę za bilet"]
    assert np.allclose(Labeller.load(tmp_path / "model").predict_proba(new), labeller.predict_proba(new))
    assert all(reason.near is None for reason in labeller.explain(new[0]).words)
