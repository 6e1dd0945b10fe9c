"""Who wrote it: every text labelled by the others, with each method, beside chance and the categorical baseline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.divergence import leave_one_out
from lexicloud.errors import LexicloudError, OptionError
from lexicloud.progress import track
from lexicloud.report.parts.part import Part
from lexicloud.report.wording import many, percent

if TYPE_CHECKING:
    from lexicloud.corpus import Corpus
    from lexicloud.divergence import Attribution

# The default first, then what it is made of, the paper's method, and the baseline that every other has to beat.
METHODS: Final = ("combined", "smoothed", "delta", "knn", "categorical")
BASELINE: Final = "categorical"
DOUBTFUL: Final = 12
# How many words does it take? Excerpts of these lengths, where at least this share of the texts is longer.
EXCERPTS: Final = (2000, 500, 200)
_LONG_ENOUGH: Final = 0.8
# The paper's method takes as long as all others together, and is the weakest on short texts.
_WHOLE_TEXTS_ONLY: Final = frozenset({"knn"})


@dataclass(frozen=True, eq=False)
class Excerpts:
    """The accuracy of the methods when only so many words of each text are known."""

    words: int
    texts: int
    accuracy: dict[str, float]


@dataclass(frozen=True, eq=False)
class AttributionPart(Part):
    """Leave-one-out labels by several methods; the first is the one that the details are about."""

    id = "attribution"
    title = "Who wrote it"

    results: dict[str, Attribution]
    excerpts: tuple[Excerpts, ...]
    failures: dict[str, str]
    sample: int | None
    kind: str = "label"  # what a label is: an author, a president

    @classmethod
    def gather(
        cls, corpus: Corpus, *, sample: int | None = None, seed: int = 0, kind: str = "label"
    ) -> AttributionPart:
        """Label every text by the others."""
        if corpus.labels is None or all(label is None for label in corpus.labels):
            raise OptionError(
                "the texts have no labels; give some with --label @name (Austen_Emma.txt), @folder, or a "
                "column"
            )
        texts = corpus if sample is None else corpus.sample(sample, seed, running=True)
        results, failures = {}, {}
        for method in track(METHODS, "labelling every text by the others"):
            try:
                results[method] = leave_one_out(texts, method=method, skip_bad=True)
            except LexicloudError as error:
                failures[method] = str(error)
        if not results:
            raise OptionError(next(iter(failures.values())))
        return cls(results, _excerpts(texts, tuple(results), seed), failures, sample, kind)

    @property
    def main(self) -> Attribution:
        """The result of the default method, or of the first that had one."""
        return next(iter(self.results.values()))

    @property
    def finding(self) -> str:
        """How many labels were found, beside chance and the baseline."""
        main, base = self.main, self.results.get(BASELINE)
        text = (
            f"Given the other texts, the words name the right {self.kind} for {main.correct} of "
            f"{len(main.labels)} texts "
            f"({percent(main.accuracy)}), out of {many(len(main.classes), self.kind)}; guessing would get "
            f"{percent(main.chance)}"
        )
        if base is not None and base is not main:
            text += f", counting words alone (categorical) {percent(base.accuracy)}"
        return f"{text}.{self._excerpt_finding}"

    @property
    def _excerpt_finding(self) -> str:
        if not self.excerpts:
            return ""
        short = self.excerpts[-1]
        ours, theirs = short.accuracy.get(self.main.method), short.accuracy.get(BASELINE)
        if ours is None:
            return ""
        text = f" With only {short.words:,} words of each text it is {percent(ours)}"
        return f"{text}, against {percent(theirs)} for word counts." if theirs is not None else f"{text}."

    def figures(self) -> dict[str, Callable[[], Any]]:
        """The confusion table."""
        return {"confusion": self.main.plot_confusion}

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "finding": self.finding,
            "methods": {name: result.to_dict() for name, result in self.results.items()},
            "excerpts": [{"words": e.words, "texts": e.texts, "accuracy": e.accuracy} for e in self.excerpts],
            "failures": dict(self.failures),
            "sample": self.sample,
        }


def _excerpts(corpus: Corpus, methods: tuple[str, ...], seed: int) -> tuple[Excerpts, ...]:
    sizes = [n for n in EXCERPTS if float(np.mean(corpus.lengths >= n)) >= _LONG_ENOUGH]
    found = []
    for n in track(sizes, "labelling excerpts"):
        try:
            drawn = corpus.sample(n, seed, running=True)
            quick = [m for m in methods if m not in _WHOLE_TEXTS_ONLY]
            accuracy = {m: leave_one_out(drawn, method=m, skip_bad=True).accuracy for m in quick}
        except LexicloudError:
            continue  # the excerpts left too few texts of a label; the whole texts were labelled all the same
        found.append(Excerpts(n, len(drawn), accuracy))
    return tuple(found)
