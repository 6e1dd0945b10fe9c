"""model2vec folders: `model.safetensors`, `tokenizer.json` and a `config.json`.

A word's vector is the average of its tokens' vectors, as in the model itself. The words listed are the tokens of its
vocabulary that are whole words.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.errors import MissingExtra, VectorsError
from lexicloud.vectors.builder import TableBuilder
from lexicloud.vectors.subwords import Parts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from lexicloud.vectors.word_vectors import WordVectors

TENSORS: Final = "model.safetensors"
TOKENIZER: Final = "tokenizer.json"
# Marks of a token that begins a word (SentencePiece, byte-level BPE), and of one that continues a word (WordPiece).
_BEGINS: Final = ("▁", "Ġ")
_CONTINUES: Final = "##"


@dataclass(frozen=True, eq=False)
class TokenAverage:
    """The vectors of tokens, and the tokenizer that cuts a word into them."""

    table: NDArray[np.float32]
    description: str  # the JSON of the tokenizer
    normalise: bool

    @cached_property
    def tokenizer(self) -> Any:
        """The tokenizer, made on first use."""
        try:
            from tokenizers import Tokenizer
        except ImportError:
            raise MissingExtra("reading model2vec folders", "model2vec") from None
        tokenizer = Tokenizer.from_str(self.description)
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer

    @cached_property
    def unknown(self) -> int | None:
        """The number of the token for unknown text, if there is one."""
        tokenizer, model = self.tokenizer, json.loads(self.description).get("model", {})
        if "unk_id" in model:
            return None if model["unk_id"] is None else int(model["unk_id"])
        token = model.get("unk_token")
        number = tokenizer.token_to_id(token) if token else None
        return None if number is None else int(number)

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Return the average of each word's tokens."""
        out = np.zeros((len(words), self.table.shape[1]), dtype=np.float32)
        for i, coded in enumerate(self.tokenizer.encode_batch(list(words), add_special_tokens=False)):
            tokens = [t for t in coded.ids if t != self.unknown and t < len(self.table)]
            if tokens:
                out[i] = self.table[tokens].mean(axis=0)
        if self.normalise:
            lengths = np.linalg.norm(out, axis=1, keepdims=True)
            out /= np.where(lengths > 0, lengths, 1)
        return out

    def words(self) -> list[str]:
        """Return the tokens that are whole words, in the order of their numbers."""
        tokens = sorted(self.tokenizer.get_vocab(with_added_tokens=True).items(), key=lambda item: item[1])
        special = {t.content for t in self.tokenizer.get_added_tokens_decoder().values() if t.special}
        names = [t for t, number in tokens if t not in special and number != self.unknown]
        marked = any(t.startswith(_BEGINS) for t in names)
        if marked:
            return [t[1:] for t in names if t.startswith(_BEGINS) and len(t) > 1]
        return [t for t in names if not t.startswith(_CONTINUES)]

    def parts(self) -> Parts:
        """Return the token table and the tokenizer."""
        settings = {"normalise": self.normalise}
        return Parts("model2vec", settings, {"tokens": self.table}, {"tokenizer": [self.description]})


def read_model2vec(folder: Path, name: str, limit: int | None, only: set[str] | None) -> WordVectors:
    """Read a model2vec folder."""
    model = open_model2vec(folder)
    words = model.words()[:limit]
    words = words if only is None else [w for w in words if w in only]
    builder = TableBuilder(str(folder), model.table.shape[1])
    builder.add(words, model.vectors(words))
    return builder.build(name, format="model2vec", subwords=model)


def open_model2vec(folder: Path) -> TokenAverage:
    """Read the token vectors and the tokenizer of a folder."""
    model = TokenAverage(_tokens(folder), _text(folder / TOKENIZER), _normalises(folder))
    try:
        _ = model.unknown
    except MissingExtra:
        raise
    except Exception as error:  # the tokenizers package raises bare Exceptions
        raise VectorsError(f"{folder / TOKENIZER} is no tokenizer ({error}): get the folder again") from error
    return model


def _tokens(folder: Path) -> NDArray[np.float32]:
    """Read the token vectors; in a vocabulary-quantised model tokens share rows, each with a weight."""
    try:
        from safetensors import SafetensorError
        from safetensors.numpy import load_file
    except ImportError:
        raise MissingExtra("reading model2vec folders", "model2vec") from None
    try:
        tensors = load_file(folder / TENSORS)
    except (SafetensorError, OSError) as error:
        raise VectorsError(f"{folder / TENSORS} is damaged ({error}): get the folder again") from error
    table = tensors.get("embeddings", tensors.get("embedding.weight"))
    if table is None or table.ndim != 2:
        raise VectorsError(f"{folder / TENSORS} has no table of embeddings: it is not a model2vec folder")
    table = table.astype(np.float32)
    if "mapping" in tensors:
        table = table[tensors["mapping"].astype(np.int64)]
    if "weights" in tensors:
        table = table * tensors["weights"].astype(np.float32)[: len(table), None]
    return np.ascontiguousarray(table)


def _normalises(folder: Path) -> bool:
    config = folder / "config.json"
    try:
        return bool(json.loads(_text(config)).get("normalize", False)) if config.exists() else False
    except (ValueError, AttributeError) as error:
        raise VectorsError(f"{config} is not valid JSON ({error}): get the folder again") from error


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise VectorsError(f"cannot read {path}: {error}") from error
