"""Labelling texts with the interface of scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

from lexicloud.authorship import DivergenceClassifier
from lexicloud.divergences.smoothed import Smoothed
from lexicloud.errors import EstimateError, LexicloudError, OptionError
from lexicloud.text import TokenRules
from lexicloud.vectors import WordVectors

PLACES = {
    "sea": ["ship", "boat", "sail", "wave", "harbour"],
    "court": ["judge", "law", "jury", "verdict", "trial"],
}
THEMES = {**PLACES, "farm": ["cow", "field", "plough", "barn", "wheat"]}
SMALL = ["the", "of", "and", "a", "in", "upon"]


def toy_vectors() -> WordVectors:
    """Words of a theme lie around a direction of their own; `yacht` and `lawyer` are there but in no training text."""
    rng = np.random.default_rng(0)
    words = {**THEMES, "function": SMALL, "extra sea": ["yacht", "tide"], "extra court": ["lawyer", "appeal"]}
    centres = {name: rng.normal(size=24) * 3 for name in THEMES}
    table = {}
    for name, members in words.items():
        centre = centres.get(name.removeprefix("extra "), np.zeros(24))
        for word in members:
            table[word] = (centre + rng.normal(size=24)).astype(np.float32)
    filler = {f"filler{i}": rng.normal(size=24).astype(np.float32) * 2 for i in range(200)}
    return WordVectors.from_dict({**table, **filler}, "toy")


VECTORS = toy_vectors()


def texts(per_theme: int = 5, tokens: int = 40, seed: int = 0) -> tuple[list[str], list[str]]:
    rng = np.random.default_rng(seed)
    made, labels = [], []
    for theme, words in THEMES.items():
        for _ in range(per_theme):
            content = rng.choice(words, tokens // 2)
            made.append(" ".join(rng.permutation([*content, *rng.choice(SMALL, tokens // 2)])))
            labels.append(theme)
    return made, labels


def model(**options: object) -> DivergenceClassifier:
    return DivergenceClassifier(**{"vectors": VECTORS, **options})  # type: ignore[arg-type]


@pytest.mark.parametrize("rule", ["category-mean", "nearest"])
@pytest.mark.parametrize("method", ["combined", "smoothed", "categorical", "delta", "jensen-shannon", "knn"])
def test_every_method_finds_the_theme(method: str, rule: str) -> None:
    known, labels = texts()
    new, truth = texts(seed=1)
    assert (
        model(method=method, rule=rule, k=2 if method == "knn" else None).fit(known, labels).score(new, truth)
        > 0.9
    )


def test_words_that_no_training_text_has_count_by_their_neighbours() -> None:
    known, labels = texts()
    fitted = model(method="smoothed").fit(known, labels)
    assert fitted.predict(["yacht tide yacht of the", "lawyer appeal lawyer of the"]).tolist() == [
        "sea",
        "court",
    ]


def test_a_text_is_labelled_the_same_alone_and_in_company() -> None:
    known, labels = texts()
    new, _ = texts(seed=2)
    new[0] += " yacht yacht"
    fitted = model().fit(known, labels)
    together = fitted.decision_function(new)
    np.testing.assert_allclose(together[3], fitted.decision_function([new[3]])[0], atol=1e-10)


def test_probabilities_agree_with_predictions() -> None:
    known, labels = texts(tokens=12)
    new, truth = texts(tokens=12, seed=3)
    fitted = model().fit(known, labels)
    chances = fitted.predict_proba(new)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    assert (fitted.classes_[chances.argmax(axis=1)] == fitted.predict(new)).all()
    right = chances[np.arange(len(new)), np.searchsorted(fitted.classes_, truth)]
    assert 0.6 < right.mean() < 1


def test_two_classes_have_one_decision() -> None:
    known, labels = texts()
    pairs = [(t, label) for t, label in zip(known, labels, strict=True) if label != "farm"]
    fitted = model().fit(*zip(*pairs, strict=True))
    decision = fitted.decision_function([known[0], known[5]])
    assert decision.shape == (2,)
    assert (fitted.classes_[(decision > 0).astype(int)] == fitted.predict([known[0], known[5]])).all()


def test_labels_keep_their_type() -> None:
    known, labels = texts()
    numbers = [sorted(THEMES).index(label) for label in labels]
    assert model().fit(known, numbers).predict(known[:1]).tolist() == numbers[:1]


def test_a_label_with_one_text_can_be_found_for_a_new_text() -> None:
    known, labels = texts()
    kept = [i for i, label in enumerate(labels) if label != "farm"] + [labels.index("farm")]
    fitted = model().fit([known[i] for i in kept], [labels[i] for i in kept])
    assert fitted.predict([known[labels.index("farm") + 1]]).tolist() == ["farm"]


def test_two_texts_are_enough_to_start() -> None:
    fitted = model().fit(["ship boat sail the", "judge law jury of"], ["sea", "court"])
    assert fitted.predict(["ship sail wave", "verdict law trial"]).tolist() == ["sea", "court"]


def test_other_rules_of_words() -> None:
    known = ["Ship, boat & sail!", "judge + law + jury"]
    fitted = model(rules=TokenRules(language="french")).fit(known, ["sea", "court"])
    assert fitted.known_.corpus.rules.language == "french"
    assert clone(fitted).rules == TokenRules(language="french")
    assert fitted.predict(["ship sail wave"]).tolist() == ["sea"]


def test_scikit_learn_can_clone_search_and_cross_validate() -> None:
    known, labels = texts(per_theme=4)
    copied = clone(model(method=Smoothed(kappa=50.0), rule="nearest"))
    assert copied.get_params()["method"] == Smoothed(kappa=50.0)
    assert copied.set_params(rule="category-mean").rule == "category-mean"
    assert cross_val_score(model(), known, labels, cv=2).mean() > 0.8
    steps = Pipeline([("lower", FunctionTransformer(lambda x: [t.lower() for t in x])), ("label", model())])
    assert steps.fit([t.upper() for t in known], labels).score(known, labels) > 0.9
    search = GridSearchCV(model(), {"method": ["smoothed", "delta"], "standardise": [True, False]}, cv=2)
    assert search.fit(known, labels).best_score_ > 0.8


def test_takes_arrays_and_series() -> None:
    import pandas as pd

    known, labels = texts(per_theme=3)
    fitted = model().fit(pd.Series(known), pd.Series(labels))
    assert fitted.predict(np.array(known, dtype=object)).tolist() == fitted.predict(known).tolist()


@pytest.mark.parametrize(
    ("known", "labels", "message"),
    [
        (["ship", "boat"], ["sea", "sea"], "at least two labels"),
        (["ship", "boat"], ["sea"], "2 texts but 1 labels"),
        (["ship", "  "], ["sea", "court"], "training text 1 is empty"),
        (["ship", 7], ["sea", "court"], "training text 1 is a int"),
        ("ship", ["sea"], "not one string"),
        ([], [], "no training text"),
    ],
)
def test_bad_training_texts_are_named(known: list[str], labels: list[str], message: str) -> None:
    with pytest.raises(LexicloudError, match=message):
        model().fit(known, labels)


def test_bad_new_texts_are_named() -> None:
    known, labels = texts(per_theme=2)
    fitted = model().fit(known, labels)
    with pytest.raises(
        EstimateError, match="text 1 has no word that the training texts or the vectors 'toy' know"
    ):
        fitted.predict(["ship", "qqq zzz"])
    with pytest.raises(EstimateError, match="text 0 is empty"):
        fitted.predict([""])
    with pytest.raises(EstimateError, match="k = 9 but document"):
        model(method="knn", k=9).fit(known, labels)


def test_bad_options_are_named() -> None:
    known, labels = texts(per_theme=2)
    for options, message in (
        ({"method": "magic"}, "no method 'magic'"),
        ({"rule": "vote"}, "no rule 'vote'"),
        ({"method": "combined", "standardise": False}, "standardise"),
        ({"method": "delta", "k": 3}, "no option 'k'"),
    ):
        with pytest.raises(OptionError, match=message):
            model(**options).fit(known, labels)
    with pytest.raises(NotFittedError):
        model().predict(["ship"])


def test_labels_of_mixed_kinds_are_refused():
    with pytest.raises(OptionError, match=r"labels are of different kinds \(number, text\)"):
        DivergenceClassifier().fit(["a ship", "a horse"], ["sea", 1])
