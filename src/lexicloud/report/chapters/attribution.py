"""Who wrote it: every text labelled by the others, with each method, beside chance and the categorical baseline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lexicloud.authorship import leave_one_out
from lexicloud.authorship.excerpts import excerpts
from lexicloud.errors import LexicloudError, OptionError
from lexicloud.progress import track
from lexicloud.report.chapters.chapter import Chapter
from lexicloud.report.charts import accuracy, confusion
from lexicloud.say.blocks import Block, Figure, Folded, Sentence, Table, listed, many, percent, plural, table

if TYPE_CHECKING:
    from lexicloud.authorship import Attribution
    from lexicloud.corpus import Corpus

# The default first, then methods that it combines, the paper's method, and the baseline that the others have to beat.
METHODS: Final = ("combined", "smoothed", "delta", "knn", "categorical")
BASELINE: Final = "categorical"
DOUBTFUL: Final = 12  # how many of the closest calls are listed
MISTAKES: Final = 6  # how many mistakes are listed; a page opens the others
# Lengths of excerpts in words, each used if at least the share _LONG_ENOUGH of the texts is as long.
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
class AttributionChapter(Chapter):
    """Leave-one-out labels by several methods; the details are those of the first.

    Only texts whose label another text has, too, are counted: labels with one text (`single`) cannot be found.
    """

    id = "attribution"
    title = "Who wrote it"

    results: dict[str, Attribution]
    excerpts: tuple[Excerpts, ...]
    failures: dict[str, str]
    sample: int | None
    single: tuple[str, ...] = ()  # labels with one text
    kind: str = "label"  # what a label is: an author, a president

    @classmethod
    def gather(
        cls, corpus: Corpus, *, sample: int | None = None, seed: int = 0, kind: str = "label"
    ) -> AttributionChapter:
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
        single = next(iter(results.values())).single_members
        counted = {method: result.findable() for method, result in results.items()}
        return cls(counted, _excerpts(texts, tuple(results), seed), failures, sample, single, kind)

    @property
    def main(self) -> Attribution:
        """The result of the default method, or of the first that had one."""
        return next(iter(self.results.values()))

    def blocks(self) -> list[Block]:
        """Return the accuracy of each method, the confusion table, and the doubtful cases."""
        return [
            Sentence(self.finding, "answer"),
            Sentence(_how(self), "how"),
            *_remarks(self),
            Figure(
                "accuracy",
                _accuracy_alt(self),
                caption=f"{plural(self.kind).capitalize()} found, by method",
                chart=lambda: accuracy(self, _accuracy_alt(self)),
            ),
            _accuracy(self),
            Figure(
                "confusion",
                _confusion_alt(self),
                self.main.plot_confusion,
                f"True {plural(self.kind)} against those found ({self.main.method}): blue is right, orange is not",
                lambda: confusion(self, _confusion_alt(self)),
                _confusion(self),
            ),
            *_mistakes(self),
            _doubtful(self),
            _by_label(self),
        ]

    @property
    def finding(self) -> str:
        """How many labels were found, beside chance and the baseline."""
        main, base = self.main, self.results.get(BASELINE)
        text = (
            f"Given the other texts, the words name the right {self.kind} for {main.correct} of "
            f"{len(main.labels)} texts{' that could be found' if self.single else ''} "
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
            "single": list(self.single),
            "sample": self.sample,
        }


def _excerpts(corpus: Corpus, methods: tuple[str, ...], seed: int) -> tuple[Excerpts, ...]:
    sizes = [n for n in EXCERPTS if float((corpus.lengths >= n).mean()) >= _LONG_ENOUGH]
    found = []
    for n in track(sizes, "labelling excerpts"):
        try:
            drawn = excerpts(corpus, n, seed)
            quick = [m for m in methods if m not in _WHOLE_TEXTS_ONLY]
            accuracy = {m: leave_one_out(drawn, method=m, skip_bad=True).findable().accuracy for m in quick}
        except LexicloudError:
            continue  # too few texts of a label are long enough; the whole texts were labelled all the same
        found.append(Excerpts(n, len(drawn), accuracy))
    return tuple(found)


_ABOUT = {
    "combined": "the default: words, frequent words and characters",
    "smoothed": "words and their neighbours in meaning",
    "delta": "Cosine Delta on the most frequent words, the stylometrist’s tool",
    "knn": "the paper’s k-nearest-neighbour estimate",
    "categorical": "word counts alone, without vectors: the baseline",
}


def _how(part: AttributionChapter) -> str:
    main = part.main
    return (
        f"Every text in turn is taken out and attributed by the rest: the {part.kind} whose texts are "
        "nearest wins, the closest and the mean counting alike. "
        f"Guessing in proportion would find {percent(main.chance, 1)}, always naming the commonest "
        f"{percent(main.majority, 1)}. "
        "Whole texts differ in what they are about, too, not only in style; excerpts show how many words it takes."
    )


def _remarks(part: AttributionChapter) -> list[Block]:
    said = []
    if part.single:
        said.append(
            f"{many(len(part.single), part.kind)} with a single text ({listed(list(part.single)[:12])}) cannot be "
            "found once that text is taken out, so those texts do not count."
        )
    said += [f"Method {name} has no answer: {reason}" for name, reason in part.failures.items()]
    said += [f"{s.name} was left out: {s.reason}" for s in part.main.skipped[:10]]
    return [Sentence(line, "note") for line in said]


def _confusion_alt(part: AttributionChapter) -> str:
    main = part.main
    return (
        f"A square of {len(main.classes)} labels; texts on the diagonal got their own label, "
        f"{len(main.labels) - main.correct} did not."
    )


def _accuracy_alt(part: AttributionChapter) -> str:
    shares = listed([f"{name} {percent(result.accuracy)}" for name, result in part.results.items()])
    return (
        f"Bars of the share of labels found on whole texts: {shares}; chance is {percent(part.main.chance)}."
    )


def _accuracy(part: AttributionChapter) -> Table:
    headers = [
        "method",
        "what it looks at",
        "right",
        "whole texts",
        *(f"{e.words:,} words" for e in part.excerpts),
        "mean F1",
    ]
    rows: list[list[object]] = [
        [
            name,
            _ABOUT.get(name, ""),
            f"{result.correct} of {len(result.labels)}",
            percent(result.accuracy, 1),
            *(percent(e.accuracy[name], 1) if name in e.accuracy else "–" for e in part.excerpts),
            f"{result.macro_f1:.2f}",
        ]
        for name, result in part.results.items()
    ]
    chance = percent(part.main.chance, 1)
    rows.append(
        ["chance", "labels guessed in proportion", "–", chance, *([chance] * len(part.excerpts)), "–"]
    )
    caption = f"Labels found by leaving one out; {BASELINE} is the baseline"
    return table(headers, rows, title=caption, best=[0])


def _confusion(part: AttributionChapter) -> Table:
    main = part.main
    pairs = [
        [main.classes[i], main.classes[j], int(n)]
        for i, row in enumerate(main.confusion)
        for j, n in enumerate(row)
        if n
    ]
    return table([f"true {part.kind}", "found", "texts"], pairs, title="Every combination that occurred")


def _mistakes(part: AttributionChapter) -> list[Block]:
    wrong = sorted((t for t in part.main.texts if not t.right), key=lambda t: -t.margin)
    if not wrong:
        return [Sentence("No text got a label that is not its own.")]
    columns = ["text", f"its {part.kind}", "found", "margin"]
    rows = [[t.name, t.label, t.found, t.margin] for t in wrong]
    caption = f"Texts that were taken for another {part.kind}’s, the most decided first"
    shown: list[Block] = [
        Sentence(f"Mistakes: {len(wrong)} of {len(part.main.labels)}", "title"),
        table(columns, rows, title=caption, top=MISTAKES),
    ]
    if len(rows) > MISTAKES:
        shown.append(Folded(f"All {len(rows)} mistakes", (table(columns, rows, title=caption),)))
    return shown


def _doubtful(part: AttributionChapter) -> Folded:
    texts = part.main.doubtful(DOUBTFUL)
    rows = [[t.name, t.label, t.found, t.runner_up, t.margin, "right" if t.right else "wrong"] for t in texts]
    columns = ["text", f"its {part.kind}", "found", "runner-up", "margin", ""]
    caption = "A margin near zero means that two labels were about as near (in standard deviations)"
    return Folded("The closest calls", (table(columns, rows, title=caption),), opened=True)


def _by_label(part: AttributionChapter) -> Folded:
    rows = [[r.label, r.texts, r.precision, r.recall, r.f1] for r in part.main.report]
    columns = [part.kind, "texts", "precision", "recall", "F1"]
    shown = table(columns, rows, title=f"Each {part.kind} ({part.main.method})")
    return Folded(f"Precision and recall of each {part.kind}", (shown,))
