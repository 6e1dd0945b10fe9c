"""Many settings compared: which texts most of them group together, and which features and which method label best.

Delta is measured with each of many settings, and each gives a tree. The consensus (Eder's bootstrap consensus) keeps
the groups that most of the trees have. A network for Gephi comes with it: in every setting each text gives three, two
and one points to its three nearest texts.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from lexicloud.authorship.features import Features, settings
from lexicloud.authorship.leave_one_out import equal_sizes
from lexicloud.authorship.scoring import (
    CHARACTERS,
    COMBINED,
    LABELLING,
    RULE,
    RULES,
    category_scores,
    check_rule,
    scoring_method,
    without_single_members,
)
from lexicloud.errors import EstimateError, LexicloudError, OptionError
from lexicloud.result import Result, TabularResult
from lexicloud.say.blocks import Block, Figure, Sentence, percent, table
from lexicloud.store.folder import replace_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus

    Floats = NDArray[np.float64]

SETTINGS: Final = settings(last=tuple(range(100, 1001, 100)))
POINTS: Final = (3, 2, 1)


@dataclass(frozen=True)
class Consensus(Result):
    """Groups of texts and the share of trees that have them, and the points that texts give each other."""

    names: tuple[str, ...]
    labels: tuple[str | None, ...] | None
    groups: dict[tuple[str, ...], float]
    links: dict[tuple[str, str], int]
    trees: int

    _left_out = ("groups", "links")
    _derived = ("shares", "newick")

    @property
    def shares(self) -> list[dict[str, Any]]:
        """The groups, largest share first, as plain values."""
        return [{"texts": list(group), "share": share} for group, share in self.groups.items()]

    @property
    def newick(self) -> str:
        """The tree in Newick's notation, with each group's share of the trees as its support."""
        inner = sorted((frozenset(g) for g in self.groups), key=len)
        parts: dict[frozenset[str], str] = {frozenset([name]): _quoted(name) for name in self.names}
        for group in inner:
            below = _largest([part for part in parts if part < group])
            share = self.groups[tuple(name for name in self.names if name in group)]
            text = f"({','.join(parts[part] for part in below)}){share:.2f}"
            parts[group] = text
        top = _largest(list(parts))
        return f"({','.join(parts[part] for part in top)});"

    def blocks(self) -> list[Block]:
        """Return which texts stand together in most trees, and which are nearest to each other most often."""
        groups = [(", ".join(group), percent(share)) for group, share in self.groups.items()]
        links = sorted(self.links.items(), key=lambda each: -each[1])
        return [
            Sentence(f"{self}.".capitalize(), "answer"),
            Figure(
                "tree", f"A tree of {len(self.names)} texts, those together that most trees join.", self.plot
            ),
            table(["texts that stand together", "of the trees"], groups, top=20),
            table(["text", "near", "points"], [(a, b, n) for (a, b), n in links], top=20),
        ]

    def __str__(self) -> str:
        return f"{len(self.groups)} groups of {len(self.names)} texts in most of {self.trees} trees"

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the consensus tree, each group with its share of the trees."""
        from lexicloud.authorship.authorship_plots import consensus_tree

        return consensus_tree(self, ax)

    def write_network(self, path: str | Path) -> Path:
        """Write the network as .gexf or .graphml, by the file's ending."""
        path = Path(path)
        write = {".gexf": _gexf, ".graphml": _graphml}.get(path.suffix)
        if write is None:
            raise OptionError(f"{path.name} ends in neither .gexf nor .graphml")
        replace_text(path, write(self))
        return path

    def write(self, folder: str | Path, name: str | None = None) -> list[Path]:
        """Write JSON, the tree (drawn, and .nwk) and the network (.gexf, .graphml); return the files."""
        files = super().write(folder, name)
        stem = files[0].with_suffix("")
        tree = stem.with_suffix(".nwk")
        replace_text(tree, self.newick + "\n")
        return [*files, tree, *(self.write_network(stem.with_suffix(end)) for end in (".gexf", ".graphml"))]


def consensus(corpus: Corpus, grid: Sequence[Features] = SETTINGS, *, most: float = 0.5) -> Consensus:
    """Cluster texts with many settings, and keep the groups that more than `most` of the trees have."""
    if len(corpus) < 4:
        raise EstimateError(f"a consensus needs at least 4 texts, not {len(corpus)}")
    if not 0.5 <= most < 1:
        raise OptionError(
            f"most is at least one half, so that groups fit into one tree, and under 1, not {most}"
        )
    found: Counter[tuple[str, ...]] = Counter()
    links: Counter[tuple[str, str]] = Counter()
    for features in grid:
        D = features.distances(corpus)
        found.update(_groups(D, corpus.names))
        links.update(_nearest(D, corpus.names))
    kept = {group: n / len(grid) for group, n in found.most_common() if n > most * len(grid)}
    return Consensus(corpus.names, corpus.labels, kept, dict(links), len(grid))


def _groups(D: NDArray[Any], names: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the groups of a tree (Ward's, as stylometrists draw it), without single texts and the whole."""
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    members: list[frozenset[int]] = [frozenset([i]) for i in range(len(D))]
    for a, b, *_ in linkage(squareform(D, checks=False), "ward"):
        members.append(members[int(a)] | members[int(b)])
    inner = members[len(D) : -1]
    return [tuple(names[i] for i in sorted(group)) for group in inner]


def _nearest(D: NDArray[Any], names: Sequence[str]) -> Counter[tuple[str, str]]:
    points: Counter[tuple[str, str]] = Counter()
    far = D + np.diag(np.full(len(D), np.inf))
    for i, row in enumerate(np.argsort(far, axis=1, kind="stable")[:, : len(POINTS)]):
        for j, score in zip(row.tolist(), POINTS, strict=False):
            points[names[min(i, j)], names[max(i, j)]] += score
    return points


def _largest(groups: Sequence[frozenset[str]]) -> list[frozenset[str]]:
    """Return the groups that no other group contains."""
    return [g for g in groups if not any(g < other for other in groups)]


def _quoted(name: str) -> str:
    return "'" + name.replace("'", "''") + "'"


def _gexf(found: Consensus) -> str:
    labels = dict(zip(found.names, found.labels or found.names, strict=True))
    nodes = "".join(
        f'<node id={quoteattr(n)} label={quoteattr(n)}><attvalues><attvalue for="0" value={quoteattr(str(labels[n]))}/>'
        "</attvalues></node>\n"
        for n in found.names
    )
    edges = "".join(
        f'<edge id="{i}" source={quoteattr(a)} target={quoteattr(b)} weight="{w}"/>\n'
        for i, ((a, b), w) in enumerate(found.links.items())
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<gexf xmlns="http://gexf.net/1.3" version="1.3">'
        '<graph defaultedgetype="undirected"><attributes class="node"><attribute id="0" title="label" type="string"/>'
        f"</attributes>\n<nodes>\n{nodes}</nodes>\n<edges>\n{edges}</edges></graph></gexf>\n"
    )


def _graphml(found: Consensus) -> str:
    labels = dict(zip(found.names, found.labels or found.names, strict=True))
    nodes = "".join(
        f'<node id={quoteattr(n)}><data key="label">{escape(str(labels[n]))}</data></node>\n'
        for n in found.names
    )
    edges = "".join(
        f'<edge source={quoteattr(a)} target={quoteattr(b)}><data key="weight">{w}</data></edge>\n'
        for (a, b), w in found.links.items()
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
        '<key id="label" for="node" attr.name="label" attr.type="string"/>\n'
        '<key id="weight" for="edge" attr.name="weight" attr.type="int"/>\n'
        f'<graph edgedefault="undirected">\n{nodes}{edges}</graph></graphml>\n'
    )


@dataclass(frozen=True)
class Tried(Result):
    """A setting, and the share of texts that it labels right when they are left out."""

    features: Features
    accuracy: float


@dataclass(frozen=True)
class Choice(TabularResult):
    """The best setting, and the `honest` share of texts labelled right: by settings chosen without the text.

    The best of many settings is partly the luckiest, so its own share promises too much.
    """

    _table = "tried"

    best: Features
    honest: float
    tried: tuple[Tried, ...]

    def blocks(self) -> list[Block]:
        """Return how good the choice is, honestly, and what was tried."""
        tried = sorted(self.tried, key=lambda each: -each.accuracy)
        rows = [(str(each.features), percent(each.accuracy)) for each in tried]
        return [
            Sentence(
                f"A setting chosen like this labels {percent(self.honest)} of new texts right; the best of the "
                f"{len(self.tried)} has {percent(tried[0].accuracy)} here, partly by luck.",
                "answer",
            ),
            table(["setting", "right"], rows, top=20, best=[0]),
        ]

    def __str__(self) -> str:
        luckiest = max(each.accuracy for each in self.tried)
        return f"best of {len(self.tried)} settings {luckiest:.0%}, honestly {self.honest:.0%}"


def choose_features(
    corpus: Corpus, grid: Sequence[Features], labels: Sequence[str] | None = None, *, rule: str = RULE
) -> Choice:
    """Try settings on texts with labels; return the best and its honest accuracy by nested cross-validation."""
    check_rule(rule)
    given = [str(label) for label in (labels if labels is not None else corpus.labels or ())]
    if len(given) != len(corpus):
        raise OptionError(f"{len(given)} labels for {len(corpus)} texts: give one label each")
    if not grid:
        raise OptionError("no settings are given: make some with settings(last=(100, 500, 1000))")
    measured = [features.distances(corpus) for features in grid]
    right = np.stack([_right(D, given, range(len(given)), rule) for D in measured])
    tried = tuple(Tried(f, float(np.nanmean(r))) for f, r in zip(grid, right, strict=True))
    best = grid[int(np.nanmean(right, axis=1).argmax())]
    return Choice(best, _honest(measured, given, right, rule), tried)


def _right(D: Floats, labels: Sequence[str], rows: Sequence[int], rule: str) -> Floats:
    """Return 1 for each text of `rows` that the others label right, else 0; nan for a label with one text."""
    part, theirs = D[np.ix_(rows, rows)].copy(), [labels[i] for i in rows]
    np.fill_diagonal(part, np.nan)
    classes = sorted(set(theirs))
    found = category_scores(equal_sizes(part, theirs), theirs, classes, rule).argmin(axis=1)
    hits = np.array([classes[c] == label for c, label in zip(found, theirs, strict=True)], dtype=np.float64)
    return np.where([theirs.count(label) > 1 for label in theirs], hits, np.nan)


def _honest(measured: Sequence[Floats], labels: Sequence[str], right: Floats, rule: str) -> float:
    """Return the share of texts labelled right by the setting that is best for the other texts."""
    hits = []
    for i in np.flatnonzero(np.isfinite(right[0])).tolist():
        others = [j for j in range(len(labels)) if j != i]
        inner = [np.nanmean(_right(D, labels, others, rule)) for D in measured]
        hits.append(right[int(np.argmax(inner)), i])
    return float(np.mean(hits)) if hits else float("nan")


@dataclass(frozen=True)
class MethodTried(Result):
    """A method, and how many texts each rule labels right when they are left out; `why` where there is no answer."""

    method: str
    standardised: bool
    right: dict[str, int]
    why: str = ""


@dataclass(frozen=True)
class MethodComparison(TabularResult):
    """Every method and rule on the same texts, the best first; `texts` counts those whose label can be found."""

    _table = "tried"

    tried: tuple[MethodTried, ...]
    texts: int

    def blocks(self) -> list[Block]:
        """Return the best method, and how many texts each labels right by each rule."""
        rows = [
            (t.method, "standardised" if t.standardised else "raw", *(t.right.get(r) for r in RULES), t.why)
            for t in self.tried
        ]
        title = f"texts labelled right, of {self.texts}"
        return [
            Sentence(f"{str(self)[0].upper()}{str(self)[1:]}.", "answer"),
            table(["method", "", *RULES, "no answer"], rows, title=title),
        ]

    def __str__(self) -> str:
        best = self.tried[0]
        return f"{best.method} labels {max(best.right.values(), default=0)} of {self.texts} texts right"


def compare_methods(corpus: Corpus, labels: Sequence[str] | None = None) -> MethodComparison:
    """Label every text by the others with every method and rule; each method is fitted once."""
    given = [str(label) for label in (labels if labels is not None else corpus.labels or ())]
    if len(given) != len(corpus):
        raise OptionError(f"{len(given)} labels for {len(corpus)} texts: give one label each")
    tried = [each for method in LABELLING for each in _tried(corpus, given, method)]
    ranked = sorted(tried, key=lambda each: -max(each.right.values(), default=-1))
    return MethodComparison(tuple(ranked), sum(given.count(label) > 1 for label in given))


def _tried(corpus: Corpus, labels: list[str], method: str) -> list[MethodTried]:
    try:
        known = scoring_method(method).fit(corpus)
        for problem in known.problems().values():
            raise EstimateError(problem)
        measured = known.measured
    except LexicloudError as error:
        return [MethodTried(method, standardised=True, right={}, why=str(error))]
    classes, found = sorted(set(labels)), []
    for standardise in (True,) if method in {COMBINED, CHARACTERS} else (True, False):
        scores = scoring_method(method, standardise=standardise).left_out_of(measured, labels, corpus.lengths)
        right = {}
        for rule in RULES:
            best = without_single_members(equal_sizes(scores, labels), labels, classes, rule).argmin(axis=1)
            right[rule] = sum(classes[b] == label for b, label in zip(best, labels, strict=True))
        found.append(MethodTried(method, standardise, right))
    return found
