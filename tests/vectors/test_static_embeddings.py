"""Static embeddings of sentences: those of the model, by words and by texts."""

from __future__ import annotations

import random
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexicloud.errors import OptionError, VectorsError
from lexicloud.text import tokenize
from lexicloud.vectors import static_embeddings
from lexicloud.vectors import static_embeddings as bpe
from lexicloud.vectors.static_embeddings import SPACE, follows_space, load_static_embeddings, unit

TEXTS = [
    "Call me Ishmael. Some years ago (never mind how long precisely) I thought I would sail about a little.",
    "The server doesn't answer after the update: error 503, see ticket #4711.",
    "  A text\twith\n\nodd   white space ",
    "Où est la bibliothèque? Там, за углом. 日本語",
    "",
    " \n ",
    "x",
]


@pytest.fixture(scope="module")
def model():
    return load_static_embeddings()


@pytest.fixture(scope="module")
def original():
    """Oracle: wordllama's table in full precision with the tokenizers package, a text at a time."""
    found = find_spec("wordllama")
    tokenizers, safetensors = pytest.importorskip("tokenizers"), pytest.importorskip("safetensors.numpy")
    if found is None or not found.submodule_search_locations:
        pytest.skip("wordllama is not installed")
    folder = Path(found.submodule_search_locations[0])
    tokenizer = tokenizers.Tokenizer.from_file(str(next((folder / "tokenizers").glob("*.json"))))
    (table,) = safetensors.load_file(next((folder / "weights").glob("*_256.safetensors"))).values()

    def embed(text: str):
        ids = tokenizer.encode(" ".join(text.split()), add_special_tokens=False).ids
        return unit(table[ids].astype(np.float32).sum(axis=0)[None])[0] if ids else np.zeros(256)

    return embed


@pytest.mark.parametrize("few", [True, False])
def test_texts_have_the_model_s_own_embeddings(model, original, few, monkeypatch):
    monkeypatch.setattr(static_embeddings, "_FEW", 64 if few else 0)
    monkeypatch.setattr(static_embeddings, "_TEXTS", 3)
    found = model.encode(TEXTS)
    assert found.dtype == np.float32
    for text, row in zip(TEXTS, found, strict=True):
        if text.strip():
            assert row @ original(text) > 0.9999
            assert np.linalg.norm(row) == pytest.approx(1, abs=1e-5)
        else:
            assert not row.any()


def test_words_add_up_to_their_text(model):
    for text in TEXTS[:4]:
        pieces = text.split()
        sums, tokens = model.word_vectors(pieces, np.ones(len(pieces), bool))
        assert sums.shape == (len(pieces), 256)
        assert tokens.min() > 0
        np.testing.assert_allclose(unit(sums.sum(axis=0)[None]), model.encode([text]), atol=1e-5)


def test_punctuation_that_was_cut_off_changes_little(model):
    """A space before everything, which is naive, changes more."""
    for text in ("The ship sailed, at last; nobody waved.", "It doesn't answer: error 503, said the log!"):
        words, exact = tokenize(text), model.encode([text])[0]
        ours, naive = (
            unit(model.word_vectors(words, spaced)[0].sum(axis=0)[None])[0] @ exact
            for spaced in (None, np.ones(len(words), bool))
        )
        assert ours > 0.99
        assert ours > naive


def test_words_in_blocks(model, monkeypatch):
    words = ["whale", "", "ship's", ",", "日本語", "", "sea"]
    whole = model.word_vectors(words)
    assert whole[1].tolist()[1] == 0
    monkeypatch.setattr(static_embeddings, "_WORDS", 2)
    for a, b in zip(whole, model.word_vectors(words), strict=True):
        np.testing.assert_array_equal(a, b)


def test_what_follows_a_space():
    words = ["whale", "’s", "n't", ".", "(", ")", "“", "”", "日", "1851", "...", "$"]
    assert follows_space(words).tolist() == [
        True,
        *[False] * 3,
        True,
        False,
        True,
        False,
        True,
        True,
        False,
        True,
    ]


def test_nothing_to_embed(model):
    assert model.encode([]).shape == (0, 256)
    sums, tokens = model.word_vectors([])
    assert sums.shape == (0, 256)
    assert len(tokens) == 0


def test_names(tmp_path, monkeypatch):
    assert load_static_embeddings() is load_static_embeddings()
    with pytest.raises(OptionError, match="no embeddings 'nowhere': give 'wordllama', or the folder"):
        load_static_embeddings("nowhere")
    with pytest.raises(OptionError, match=r"has no model.safetensors with tokenizer.json"):
        load_static_embeddings(tmp_path)
    monkeypatch.setattr(static_embeddings, "_FOLDER", tmp_path)
    with pytest.raises(VectorsError, match="static embeddings are damaged"):
        static_embeddings._shipped()


def test_model2vec_folders(tmp_path):
    """Oracle: model2vec's own encode."""
    model2vec = pytest.importorskip("model2vec")
    from tokenizers import Tokenizer
    from tokenizers.models import WordPiece
    from tokenizers.pre_tokenizers import Whitespace

    words = ["[PAD]", "[UNK]", "whale", "ship", "##s", "sea", ",", "the"]
    tokenizer = Tokenizer(WordPiece({w: i for i, w in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    rows = np.random.default_rng(0).normal(size=(len(words), 4)).astype(np.float32)
    theirs = model2vec.StaticModel(rows, tokenizer, {"normalize": True})
    theirs.save_pretrained(tmp_path)
    texts = ["the whales, the ships", "sea zzz", "zzz"]
    ours = load_static_embeddings(tmp_path).encode(texts)
    np.testing.assert_allclose(ours, unit(theirs.encode(texts).astype(np.float32)), atol=1e-6)


# ---- Byte-pair encoding: as the slow definition has it, and as the `tokenizers` package does it

WORDS = st.lists(
    st.text(st.characters(codec=None), max_size=30) | st.from_regex(r"[A-Za-z'(),.]{0,20}", fullmatch=True)
)


@pytest.fixture(scope="module")
def coder():
    return load_static_embeddings().tokenizer


def slow(coder, word: str, spaced: bool) -> list[int]:
    """One pair at a time: the lowest rank, the leftmost first."""
    letter = dict(zip(coder.letters.tolist(), coder.letter_tokens.tolist(), strict=True))
    rank = dict(zip(coder.pairs.tolist(), coder.ranks.tolist(), strict=True))
    tokens: list[int] = []
    for c in SPACE + word if spaced and word else word:
        spelled = [b + coder.first_byte for b in c.encode("utf-8", "surrogatepass")]
        tokens += [letter[ord(c)]] if ord(c) in letter else spelled
    while True:
        found = [(rank.get(a << 16 | b, 1 << 30), i) for i, (a, b) in enumerate(pairwise(tokens))]
        if not found or min(found)[0] == 1 << 30:
            return tokens
        lowest, i = min(found)
        tokens[i : i + 2] = [int(coder.joined[lowest])]


def cut(coder, words, spaced):
    tokens, starts = coder.encode(words, np.asarray(spaced, bool))
    assert len(starts) == len(words) + 1
    return [tokens[a:b].tolist() for a, b in pairwise(starts)]


@pytest.mark.parametrize("single", [0, 1000])
@settings(deadline=None, max_examples=30)
@given(WORDS, st.booleans())
def test_fast_equals_slow(coder, single, words, spaced):
    """Many words are cut together, few one by one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bpe, "_SINGLE", single)
        assert cut(coder, words, [spaced] * len(words)) == [slow(coder, w, spaced) for w in words]


def test_many_words_in_blocks(coder, monkeypatch):
    rng = random.Random(1)
    words = ["".join(rng.choices("abcdeéß' 日", k=rng.randint(0, 12))) for _ in range(300)]
    whole = cut(coder, words, [True] * 300)
    monkeypatch.setattr(bpe, "_BLOCK", 7)
    assert cut(coder, words, [True] * 300) == whole


def test_oracle_tokenizers(coder):
    """Oracle: the tokenizers package with wordllama's own description of its tokenizer."""
    from importlib.util import find_spec
    from pathlib import Path

    tokenizers, found = pytest.importorskip("tokenizers"), find_spec("wordllama")
    if found is None or not found.submodule_search_locations:
        pytest.skip("wordllama is not installed")
    (config,) = (Path(found.submodule_search_locations[0]) / "tokenizers").glob("*_tokenizer_config.json")
    theirs = tokenizers.Tokenizer.from_file(str(config))
    words = [
        *(
            "It",
            "isn't",
            "(really)",
            '"so":',
            "naïve",
            "Ångström,",
            "3.14%",
            "日本語",
            "Жук!",
            "co-op…",
            "can't--won't",
        ),
        *("antidisestablishmentarianism", "😀", "\u200b", "aaaaaaaaaaaaaaaa", "</div>", "x_y.z()", "½", "ﬁn"),
    ]
    assert cut(coder, words, [True] * len(words)) == [
        theirs.encode(w, add_special_tokens=False).ids for w in words
    ]


def test_a_word_without_end_is_cut_into_pieces(coder, monkeypatch):
    """The work grows with the square of a word's length, so that a longer one is cut."""
    monkeypatch.setattr(bpe, "LONGEST", 5)
    assert cut(coder, ["whalewhale"], [False]) == [
        [*slow(coder, "whale", False), *slow(coder, "whale", False)]
    ]


def test_the_compiled_loop_adds_up_words_as_python_does(model, monkeypatch):
    words = [word for text in TEXTS for word in text.split()]
    words += ["", "naïve", "日本語", "🙂" * 32, "\ud800x", "a\x00b", "deoxyribonucleic", "1,000.50", "x" * 32]
    spaced = np.arange(len(words)) % 3 > 0
    monkeypatch.setattr(static_embeddings, "COMPILED", {})
    plain = model.word_vectors(words, spaced)
    static_embeddings.compile_loop()
    assert static_embeddings.COMPILED
    for one, other in zip(plain, model.word_vectors(words, spaced), strict=True):
        np.testing.assert_array_equal(one, other)
    long = ["x" * 33, "é" * 1_200]
    sums, _ = model.word_vectors(long, np.ones(2, bool))
    assert sums.any(axis=1).all()
