"""Do questions find the sentence that answers them? Questions of RACE, with an answer that stands in one sentence.

A question of the official parts takes part if it asks for something (*who*, *what*, *when* …, not "which of the
following"), and if its right option stands word for word in exactly one sentence of its article: that sentence is the
label. The sentences of an article are ranked within one index of all sentences of a half (`where=`), so that rarity is
told by many articles; with one right sentence the mean average precision is the mean reciprocal rank. A second column
looks among the sentences of all articles, first ten. Constants were tuned on the half TUNED (articles of the training
part, by the hash of their name); the other half is what is reported. RACE is for research: only numbers are kept.
`python -m benchmarks.truth.answers [tuned]`.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from typing import Any, NamedTuple

import numpy as np

from benchmarks import record
from benchmarks.truth.relevance import SHARED, TOP
from benchmarks.truth.relevance_ranking import interval
from lexicloud.search import SentenceIndex
from lexicloud.search.methods.dense import embedder
from lexicloud.text import split_sentences

ASKS = re.compile(r"\b(who|whom|whose|what|which|when|where|why|how)\b", re.IGNORECASE)
# Questions about the text itself.
META = re.compile(
    r"\b(following|title|statements?|true|false|right|wrong|correct|not|n't|main|mainly|passage|article|text|story|"
    r"writer|author|underlined|means?|meaning|word|sentence|paragraph|topic|infer|according|conclude|best)\b",
    re.IGNORECASE,
)
SMALL = {
    "a",
    "an",
    "the",
    "of",
    "to",
    "in",
    "on",
    "at",
    "and",
    "or",
    "is",
    "are",
    "was",
    "were",
    "be",
    "been",
    "it",
}
SMALL |= {
    "he",
    "she",
    "they",
    "his",
    "her",
    "their",
    "we",
    "you",
    "i",
    "my",
    "your",
    "this",
    "that",
    "with",
    "for",
}
SMALL |= {"by", "as", "not", "yes", "no", "do", "does", "did", "so"}
BASELINES = ("bm25s, stemmed", "bm25s, stemmed + wordllama")


class Question(NamedTuple):
    """A question, the sentences of its article, and the place of the one that answers it."""

    article: str
    text: str
    sentences: list[str]
    right: int


def plain(text: str) -> str:
    """Return the words of a text between spaces."""
    return " " + " ".join(re.findall(r"[a-z0-9']+", text.lower())) + " "


def questions(tuned: bool) -> list[Question]:
    """Return the questions of one half."""
    found = []
    for file in sorted((SHARED / "RACE").glob("*/*/*.txt")):
        name = str(file.relative_to(SHARED / "RACE"))
        of_half = name.startswith("train") and not int(hashlib.sha1(name.encode()).hexdigest(), 16) % 2
        if of_half == tuned:
            found += of_article(name, json.loads(file.read_text(encoding="utf-8")))
    return found


def of_article(name: str, article: dict[str, Any]) -> list[Question]:
    """Return the questions of an article that can be judged."""
    lines = [" ".join(part.split()) for part in article["article"].split("\n")]
    sentences = [s for line in lines if line for s in split_sentences(line) if len(s.split()) >= 3]
    own = [plain(s) for s in sentences]
    found = []
    for text, options, letter in zip(
        article["questions"], article["options"], article["answers"], strict=True
    ):
        answer = plain(options[ord(letter) - ord("A")])
        words = answer.split()
        told = bool(set(words) - SMALL) and (len(words) > 1 or words[0].isdigit())
        asks = "_" not in text and text.strip().endswith("?") and ASKS.search(text) and not META.search(text)
        right = [i for i, sentence in enumerate(own) if answer in sentence] if told and asks else []
        if len(right) == 1 and len(sentences) >= 5:
            found.append(Question(name, text.strip(), sentences, right[0]))
    return found


def reciprocal(scores: np.ndarray, right: int, most: int | None = None) -> float:
    """Return the reciprocal rank of one row, the first among equals; 0 beyond `most`."""
    rank = 1 + int((scores > scores[right]).sum()) + int((scores[:right] == scores[right]).sum())
    return 1 / rank if most is None or rank <= most else 0.0


def baselines(pool: list[str], asked: list[Question], firsts: dict[str, int]) -> dict[str, np.ndarray]:
    """Return the reciprocal ranks of bm25s, of the embedding and of the ten lines: own article, then all."""
    import bm25s
    import Stemmer

    how = {"stopwords": "en", "stemmer": Stemmer.Stemmer("english"), "show_progress": False}
    retriever, embed = bm25s.BM25(), embedder("wordllama")
    retriever.index(bm25s.tokenize(pool, **how), show_progress=False)
    queries = bm25s.tokenize([q.text for q in asked], **how, return_ids=False)
    cosines = embed([q.text for q in asked]) @ embed(pool).T
    found: dict[str, list[tuple[float, float]]] = {who: [] for who in (*BASELINES, "wordllama")}
    for question, query, near in zip(asked, queries, cosines, strict=True):
        words = retriever.get_scores(query) if query else np.zeros(len(pool))
        both = [(s - s.mean()) / max(float(s.std()), 1e-12) for s in (words, near)]
        first = firsts[question.article]
        own = slice(first, first + len(question.sentences))
        for who, scores in zip(found, (words, both[0] + both[1], near), strict=True):
            at = first + question.right
            found[who].append((reciprocal(scores[own], question.right), reciprocal(scores, at, TOP)))
    return {who: np.array(values) for who, values in found.items()}


def ours(index: SentenceIndex, asked: list[Question], **options: Any) -> np.ndarray:
    """Return the reciprocal ranks of `related`; sentences that are not found come last, in their order."""
    found = []
    for question in asked:
        where = {"article": question.article}
        own = [s.metadata["place"] for s in index.search(question.text, top=200, where=where, **options)]
        own += [place for place in range(len(question.sentences)) if place not in set(own)]
        everywhere = [
            (s.metadata["article"], s.metadata["place"])
            for s in index.search(question.text, top=TOP, **options)
        ]
        here = (question.article, question.right)
        rank = 1 / (everywhere.index(here) + 1) if here in everywhere else 0.0
        found.append((1 / (own.index(question.right) + 1), rank))
    return np.array(found)


def run(tuned: bool) -> dict[str, Any]:
    """Return the mean reciprocal ranks of every contender, and our gains."""
    asked = questions(tuned)
    articles = {question.article: question.sentences for question in asked}
    firsts, pool, records = dict[str, int](), list[str](), list[dict[str, Any]]()
    for name, sentences in articles.items():
        firsts[name] = len(pool)
        pool += sentences
        records += [
            {"text": s, "article": name, "document": name, "place": i} for i, s in enumerate(sentences)
        ]
    index = SentenceIndex.build(records, text="text")
    ranks = baselines(pool, asked, firsts)
    ranks["related, words alone"] = ours(index, asked, syntax=False, dense=None)
    ranks["related"] = ours(index, asked, syntax=False)
    out: dict[str, Any] = {"questions": len(asked), "articles": len(articles), "sentences": len(pool)}
    for who, values in ranks.items():
        gain = {peer: interval([ranks[who][:, 0] - ranks[peer][:, 0]]) for peer in BASELINES}
        out[who] = {
            "own article": round(float(values[:, 0].mean()), 4),
            "all articles": round(float(values[:, 1].mean()), 4),
            "gain in its own article": gain,
        }
        print(who, out[who], file=sys.stderr, flush=True)
    return out


if __name__ == "__main__":
    if "tuned" in sys.argv[1:]:
        print(run(tuned=True))
    else:
        record.write("answers", {"held out": run(tuned=False)})
