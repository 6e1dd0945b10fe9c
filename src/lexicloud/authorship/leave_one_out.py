"""The accuracy of labelling: each text in turn is labelled by the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.authorship.copies import copies
from lexicloud.authorship.scoring import (
    COMBINED,
    RULE,
    Known,
    ScoringMethod,
    best_two,
    scoring_method,
    without_single_members,
)
from lexicloud.divergences.base import Skipped, check_labels
from lexicloud.divergences.matrix import DivergenceMatrix
from lexicloud.divergences.standardise import standardise_left_out
from lexicloud.errors import CorpusError, EstimateError, OptionError
from lexicloud.result import Result, TabularResult, columns_of_rows, csv_text, plain
from lexicloud.say.blocks import Block, Facts, Sentence, listed, percent, table
from lexicloud.store.files import replace_text

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus
    from lexicloud.divergences.base import Method

    Labels = Mapping[str, str] | Sequence[str | None] | None

CLOSE: Final = 10  # the number of close calls that are listed


@dataclass(frozen=True)
class Labelled(Result):
    """One text: its label, the label found, the runner-up, and by how much the first won (in standard deviations)."""

    _derived = ("right",)

    name: str
    label: str
    found: str
    runner_up: str
    margin: float

    @property
    def right(self) -> bool:
        """Whether the label found is the label."""
        return self.label == self.found


@dataclass(frozen=True)
class LabelReport(Result):
    """How well one label is found; precision and F1 are 0 where it was never given."""

    label: str
    precision: float
    recall: float
    f1: float
    texts: int


@dataclass(frozen=True, eq=False)
class Attribution(TabularResult):
    """Every text labelled by the others; `scores` is texts × classes, the smaller the closer.

    `copies` names texts that are copies of others, which find each other.
    """

    _index = "name"

    _table = "texts"

    names: tuple[str, ...]
    labels: tuple[str, ...]
    classes: tuple[str, ...]
    predicted: tuple[str, ...]
    runners_up: tuple[str, ...]
    margins: tuple[float, ...]
    scores: NDArray[np.float64]
    rule: str
    method: str
    standardised: bool = True
    vectors: str = ""
    skipped: tuple[Skipped, ...] = ()
    copies: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        names: tuple[str, ...],
        labels: tuple[str, ...],
        classes: tuple[str, ...],
        scores: NDArray[np.float64],
        **about: Any,
    ) -> Attribution:
        """Choose the class with the least score for each text."""
        best, second, margins = best_two(scores)
        predicted, runners_up = (tuple(classes[c] for c in found) for found in (best, second))
        return cls(names, labels, classes, predicted, runners_up, tuple(map(float, margins)), scores, **about)

    @property
    def correct(self) -> int:
        """How many texts got their own label."""
        return sum(a == b for a, b in zip(self.labels, self.predicted, strict=True))

    @property
    def accuracy(self) -> float:
        """The share of texts that got their own label."""
        return self.correct / len(self.labels)

    @property
    def majority(self) -> float:
        """The accuracy of always naming the most frequent label."""
        return max(Counter(self.labels).values()) / len(self.labels)

    @property
    def chance(self) -> float:
        """The accuracy of guessing labels in proportion to their frequency."""
        return sum((n / len(self.labels)) ** 2 for n in Counter(self.labels).values())

    @property
    def single_members(self) -> tuple[str, ...]:
        """Labels with one text, which cannot be found once that text is left out."""
        counts = Counter(self.labels)
        return tuple(c for c in self.classes if counts[c] == 1)

    @property
    def ceiling(self) -> float:
        """The share of texts whose label another text has, too: no method can reach more."""
        return 1 - len(self.single_members) / len(self.labels)

    def findable(self) -> Attribution:
        """Return the answers for texts whose label another text has; the others cannot be right."""
        counts = Counter(self.labels)
        kept = [i for i, label in enumerate(self.labels) if counts[label] > 1]
        rows: dict[str, Any] = {
            name: tuple(getattr(self, name)[i] for i in kept)
            for name in ("names", "labels", "predicted", "runners_up", "margins")
        }
        return replace(self, **rows, scores=self.scores[kept])

    @property
    def caution(self) -> str | None:
        """A warning where labels have very different numbers of texts, else None: a mean over few texts varies most.

        With labels dealt at random, two labels with a tenth of the texts each were named by "category-mean" in
        36 % of cases each, by "between" in 22 % and by "nearest" in 13 %.
        """
        sizes = [n for n in Counter(self.labels).values() if n > 1]
        if self.rule == "nearest" or not sizes or max(sizes) < 3 * min(sizes):
            return None
        return (
            f"labels have {min(sizes)} to {max(sizes)} texts, and rule {self.rule!r} names labels with few texts too "
            "often: use rule 'nearest', or give each label the same number of texts"
        )

    @property
    def confusion(self) -> NDArray[np.int64]:
        """True labels (rows) × labels found (columns), in the order of `classes`."""
        table = np.zeros((len(self.classes), len(self.classes)), dtype=np.int64)
        where = {c: i for i, c in enumerate(self.classes)}
        np.add.at(table, ([where[c] for c in self.labels], [where[c] for c in self.predicted]), 1)
        return table

    @property
    def report(self) -> tuple[LabelReport, ...]:
        """Precision, recall and F1 of each label."""
        table = self.confusion
        hits, given, texts = np.diag(table), table.sum(axis=0), table.sum(axis=1)
        precision = hits / np.maximum(given, 1)
        recall = hits / np.maximum(texts, 1)
        f1 = 2 * hits / np.maximum(given + texts, 1)
        rows = zip(self.classes, precision, recall, f1, texts, strict=True)
        return tuple(LabelReport(c, float(p), float(r), float(f), int(n)) for c, p, r, f, n in rows if n)

    @property
    def macro_f1(self) -> float:
        """The mean F1 over labels: every label counts the same, however many texts it has."""
        return float(np.mean([row.f1 for row in self.report]))

    @property
    def texts(self) -> tuple[Labelled, ...]:
        """Every text with what was found."""
        rows = zip(self.names, self.labels, self.predicted, self.runners_up, self.margins, strict=True)
        return tuple(Labelled(*row) for row in rows)

    def doubtful(self, n: int = 10) -> tuple[Labelled, ...]:
        """Return the texts whose label was the closest call, the most doubtful first."""
        return tuple(sorted(self.texts, key=lambda text: text.margin)[:n])

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "method": self.method,
            "rule": self.rule,
            "standardised": self.standardised,
            "caution": self.caution,
            "vectors": self.vectors,
            "texts": len(self.labels),
            "correct": self.correct,
            "accuracy": self.accuracy,
            "macro_f1": self.macro_f1,
            "majority": self.majority,
            "chance": self.chance,
            "ceiling": self.ceiling,
            "single_members": list(self.single_members),
            "copies": list(self.copies),
            "labels": plain(self.report),
            "confusion": {"classes": list(self.classes), "counts": self.confusion.tolist()},
            "predictions": plain(self.texts),
            "skipped": plain(self.skipped),
        }

    def write(self, folder: str | Path, name: str | None = None) -> list[Path]:
        """Write the report of each label and the confusion table beside JSON, predictions and plot."""
        files = super().write(folder, name)
        confusion = {"label": self.classes, **dict(zip(self.classes, self.confusion.T, strict=True))}
        tables = {"labels": columns_of_rows(plain(self.report)), "confusion": confusion}
        for part, columns in tables.items():
            files.append(files[0].with_name(f"{files[0].stem}_{part}.csv"))
            replace_text(files[-1], csv_text(columns))
        return files

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw true labels against labels found."""
        return self.plot_confusion(ax)

    def plot_confusion(self, ax: Axes | None = None) -> Axes:
        """Draw true labels against labels found."""
        from lexicloud.authorship.authorship_plots import confusion_plot

        return confusion_plot(self, ax)

    def __repr__(self) -> str:
        return f"<Attribution by {self.method!r}: {self.correct} of {len(self.labels)} right ({self.accuracy:.0%})>"

    def blocks(self) -> list[Block]:
        """Return how many texts got their own label, what to compare that with, each label, and the closest calls."""
        counted = self.findable()  # a label with one text cannot be found without it
        found: list[Block] = [
            Sentence(
                f"{counted.correct} of {len(counted.labels)} texts labelled right by the others "
                f"({percent(counted.accuracy)}).",
                "answer",
            ),
            Sentence(
                f"Always naming the most frequent label would reach {percent(counted.majority)}, guessing "
                f"{percent(counted.chance)}; the mean F1 of the labels that can be found is {counted.macro_f1:.2f}.",
                "sure",
            ),
        ]
        found += [Sentence(f"{text[0].upper()}{text[1:]}.", "note") for text in self._notes()]
        close = [text for text in self.texts if not text.right or text in self.doubtful(CLOSE)]
        vectors = "" if self.vectors == "none" else f", vectors {self.vectors}"
        return [
            *found,
            table(["label", "texts", "precision", "recall", "F1", "taken for"], self._label_rows()),
            table(
                ["text", "label", "found", "runner-up", "margin"],
                [_call(text) for text in sorted(close, key=lambda text: text.margin)[:CLOSE]],
                title="closest calls",
            ),
            Facts((("method", f"{self.method}, rule {self.rule}{vectors}"),)),
        ]

    def _notes(self) -> list[str]:
        found = [self.caution] if self.caution else []
        alone = list(map(str, self.single_members))
        if alone:
            few = ", ".join(alone[:8]) + (", …" if len(alone) > 8 else "")
            found.append(f"{len(alone)} of the labels have one text and cannot be found without it: {few}")
        if self.copies:
            found.append(
                f"copies of other texts are among these ({listed(self.copies)}): they find each other, which says "
                "nothing about new texts, so leave them out"
            )
        return found

    def _label_rows(self) -> list[tuple[object, ...]]:
        rows: list[tuple[object, ...]] = []
        places = {label: i for i, label in enumerate(self.classes)}
        for row in self.report:
            counts = self.confusion[places[row.label]]
            missed = [(int(n), c) for c, n in zip(self.classes, counts, strict=True) if c != row.label and n]
            taken = ", ".join(f"{c} {n}" for n, c in sorted(missed, key=lambda each: -each[0])[:4])
            rows.append((str(row.label), row.texts, row.precision, row.recall, row.f1, taken))
        return rows


def _call(text: Labelled) -> tuple[object, ...]:
    return text.name, text.label, f"{text.found}{'' if text.right else ' ✗'}", text.runner_up, text.margin


def leave_one_out(
    source: Corpus | DivergenceMatrix,
    labels: Labels = None,
    *,
    rule: str = RULE,
    method: str | Method = COMBINED,
    equal: bool = True,
    standardise: bool = True,
    symmetric: bool = False,
    skip_bad: bool = False,
    **options: Any,
) -> Attribution:
    """Label every text of a corpus, or of a matrix of divergences, by the others, and compare with its true label.

    `labels` are the corpus's own by default; texts whose label is None are left out. With `equal`, one text of
    every other label is left out, too: otherwise only the text's own label would have one text fewer, and the mean
    over fewer texts varies more and wins by chance too often. What is usual (see `standardise`) is learnt
    without the text that is being labelled and without its label. Under "category-mean" a label with one text is
    never chosen, so its text counts as wrong: `ceiling` is the share that could be right. Background frequencies
    and Delta's means come from all texts, without their labels.
    `options` belong to the method.

    >>> from lexicloud.corpus import Corpus
    >>> corpus = Corpus.from_texts(["the cat and the dog", "a dog, a cat", "stocks and shares", "shares fell"])
    >>> leave_one_out(corpus, ["pets", "pets", "money", "money"]).accuracy
    1.0
    """
    names, given = source.names, _given(source, labels)
    kept = [i for i, label in enumerate(given) if label is not None]
    _require_labels([given[i] for i in kept])
    if isinstance(source, DivergenceMatrix):
        return _of_matrix(source, given, kept, rule, standardise=standardise, equal=equal)
    scoring = scoring_method(method, standardise=standardise, symmetric=symmetric, **options)
    known, skipped = _usable(source.subset([names[i] for i in kept]), scoring, skip_bad=skip_bad)
    corpus, truth = known.corpus, [given[source.position(name)] for name in known.corpus.names]
    _require_labels(truth)
    scores = scoring.left_out_of(known.measured, truth, corpus.lengths)
    return _result(
        corpus.names,
        truth,
        equal_sizes(scores, truth) if equal else scores,
        rule,
        method=method if isinstance(method, str) else method.name,
        standardised=standardise,
        vectors=corpus.lexicon.source,
        skipped=(*skipped, *_dropped(corpus)),
        copies=tuple(corpus.names[i] for i in copies([corpus.tokens(i) for i in range(len(corpus))])),
    )


def _of_matrix(
    matrix: DivergenceMatrix,
    given: list[str | None],
    kept: list[int],
    rule: str,
    *,
    standardise: bool,
    equal: bool,
) -> Attribution:
    values = matrix.values[np.ix_(kept, kept)]
    truth = [given[i] for i in kept]
    scores = values.astype(np.float64, copy=True)
    np.fill_diagonal(scores, np.nan)
    if standardise and not matrix.standardised:
        scores = standardise_left_out(values, truth)
    names = tuple(matrix.names[i] for i in kept)
    return _result(
        names,
        truth,
        equal_sizes(scores, truth) if equal else scores,
        rule,
        method=matrix.method,
        standardised=standardise or matrix.standardised,
        vectors=matrix.vectors,
        skipped=matrix.skipped,
    )


def equal_sizes(scores: NDArray[np.float64], labels: Sequence[Any]) -> NDArray[np.float64]:
    """Leave one text of every other label out of each row (as nan), as the row's own text is left out of its label.

    For the nth text of a label this is the nth text of every other label, counted round where a label has fewer.
    Labels with one text keep it.
    """
    members: dict[Any, list[int]] = {}
    for i, label in enumerate(labels):
        members.setdefault(label, []).append(i)
    out = np.array(scores, dtype=np.float64)
    for label, rows in members.items():
        for place, row in enumerate(rows):
            out[row, [m[place % len(m)] for other, m in members.items() if other != label and len(m) > 1]] = (
                np.nan
            )
    return out


def _result(names: Sequence[str], truth: list[Any], scores: Any, rule: str, **about: Any) -> Attribution:
    classes = sorted(set(truth))
    found = without_single_members(scores, truth, classes, rule)
    return Attribution.of(tuple(names), tuple(truth), tuple(classes), found, rule=rule, **about)


def _given(source: Corpus | DivergenceMatrix, labels: Labels) -> list[str | None]:
    if labels is None:
        labels = source.labels
    if labels is None:
        raise OptionError("the texts have no labels: give labels=, one for each text")
    if isinstance(labels, Mapping):
        return [labels.get(name) for name in source.names]
    if len(labels) != len(source.names):
        raise OptionError(f"{len(labels)} labels for {len(source.names)} texts: give one label each")
    return list(labels)


def _require_labels(labels: Sequence[str | None]) -> None:
    check_labels(labels)
    classes = set(labels)
    if len(labels) < 3:
        raise EstimateError(f"leaving one out needs at least 3 labelled texts, not {len(labels)}")
    if len(classes) < 2:
        raise EstimateError(
            f"all {len(labels)} texts have the label {labels[0]!r}: at least two labels are needed"
        )
    if len(classes) == len(labels):
        raise EstimateError(
            f"each of the {len(labels)} labels has one text, so that no label can be found once its text is left out: "
            "at least one label needs two texts"
        )


def _usable(corpus: Corpus, scoring: ScoringMethod, *, skip_bad: bool) -> tuple[Known, tuple[Skipped, ...]]:
    """Return the method fitted to the texts that it can measure, and the texts that were skipped."""
    known = scoring.fit(corpus)
    found = known.problems()
    if found and not skip_bad:
        raise EstimateError(f"{next(iter(found.values()))}, or skip such texts (skip_bad=True or --skip-bad)")
    if len(corpus) - len(found) < 3:
        raise CorpusError(
            f"leaving one out needs at least 3 texts, but only {len(corpus) - len(found)} can be measured"
        )
    if found:
        known = scoring.fit(corpus.subset([n for row, n in enumerate(corpus.names) if row not in found]))
    return known, tuple(Skipped(corpus.names[row], reason) for row, reason in found.items())


def _dropped(corpus: Corpus) -> tuple[Skipped, ...]:
    return tuple(Skipped(name, "shorter than the sample") for name in corpus.dropped)
