"""The contract: these names are relied on, and importing the package costs next to nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest

import lexicloud as lc

CONTRACT = [
    "AttributionModel", "Corpus", "DivergenceClassifier", "Labeller", "SentenceIndex", "cluster_sizes", "contrast",
    "divergence", "divergence_matrix", "drift", "entropy", "evaluate_methods", "fit_zipf", "knn_divergence",
    "load_vectors", "map_sentences", "map_texts", "map_words", "part_of_speech_purity", "part_of_speech_table",
    "rank_frequency", "rerank", "rolling", "similarity", "style", "text", "train", "train_vectors", "variety", "verify",
]  # fmt: skip


@pytest.mark.parametrize("name", CONTRACT)
def test_every_name_of_the_contract_is_there(name):
    assert name in dir(lc)
    assert callable(getattr(lc, name)) or name == "text"


@pytest.mark.parametrize("name", sorted(set(lc.__all__) - {"__version__"}))
def test_every_public_name_can_be_had(name):
    assert getattr(lc, name) is not None


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="attribute nonsense"):
        lc.nonsense  # noqa: B018


def test_divergence_is_a_function_whatever_was_imported_first():
    code = "import lexicloud.divergences.matrix, lexicloud as lc; assert callable(lc.divergence); print('ok')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.returncode) == ("ok", 0), done.stderr


def test_importing_brings_no_heavy_package():
    code = (
        "import sys, lexicloud, lexicloud.cli;"
        "print(sorted({'numpy', 'scipy', 'pandas', 'numba', 'matplotlib', 'typer', 'sklearn'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("tokenize", "lexicloud has no attribute tokenize: it is lexicloud.text.tokenize"),
        ("Corpuss", "lexicloud has no attribute Corpuss; did you mean Corpus?"),
        ("_repr_html_", "lexicloud has no attribute _repr_html_"),
    ],
)
def test_a_name_that_is_not_at_the_top_is_told_where_it_is(name, said):
    with pytest.raises(AttributeError) as caught:
        getattr(lc, name)
    assert str(caught.value) == said
