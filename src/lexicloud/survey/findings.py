"""What the answers to a study say: shares, comparisons, strengths, agreement, places and attention, arm by arm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar

from lexicloud.plotting import CATEGORICAL, new_axes
from lexicloud.result import Result, TabularResult
from lexicloud.survey.design import Arm
from lexicloud.survey.inference import Interval

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pandas as pd
    from matplotlib.axes import Axes

    from lexicloud.survey.aggregates import Aggregates
    from lexicloud.survey.inference import Interval


@dataclass(frozen=True)
class MethodShare(Result):
    """How often a method was chosen where it was shown, beside what chance would give."""

    method: str
    chosen: int
    shown: int
    share: Interval
    chance: float


@dataclass(frozen=True)
class Comparison(Result):
    """Two methods: the difference of their chosen shares, or the share of head-to-heads that the first won.

    `p_value` is that of the hypothesis that people have no preference between the two; `p_holm` allows for the number
    of comparisons of this arm. `needed` is the number of answers to this comparison, in all, with which a difference
    of five points would be found four times in five.
    """

    first: str
    second: str
    answers: int
    value: Interval
    none: float  # the value if there is no preference: 0 for a difference, 0.5 for a share of wins
    p_value: float | None
    p_holm: float | None
    needed: int | None


@dataclass(frozen=True)
class Positions(Result):
    """How often each place on the screen was chosen, and the p-value of the hypothesis that places do not matter."""

    shares: tuple[Interval, ...]
    chance: float
    p_value: float | None


@dataclass(frozen=True)
class Flag(Result):
    """A participant whose answers look careless, and why."""

    participant: str
    reason: str


@dataclass(frozen=True)
class Times(Result):
    """Seconds per answer: the median, and between which a tenth is faster and a tenth slower."""

    answers: int
    low: float
    median: float
    high: float


@dataclass(frozen=True, repr=False)
class ArmResults(TabularResult):
    """The results of one arm of a study."""

    _left_out: ClassVar[tuple[str, ...]] = ("arm",)
    _derived: ClassVar[tuple[str, ...]] = ("name", "task", "criterion")

    arm: Arm
    participants: int
    answers: int
    shares: tuple[MethodShare, ...] = ()
    attentive: tuple[MethodShare, ...] = ()  # the same without participants that are flagged
    by_group: Mapping[str, tuple[MethodShare, ...]] = field(default_factory=dict)
    p_equal: float | None = None  # of the hypothesis that no method is preferred to another
    comparisons: tuple[Comparison, ...] = ()
    strengths: Mapping[str, Interval] = field(default_factory=dict)
    agreement: Interval | None = None
    positions: Positions | None = None
    seconds: Times | None = None
    flags: tuple[Flag, ...] = ()

    @property
    def name(self) -> str:
        """What a reader calls the arm."""
        return self.arm.name

    @property
    def task(self) -> str:
        """`choose` or `head-to-head`."""
        return self.arm.task

    @property
    def criterion(self) -> str:
        """`usefulness` or `variety`."""
        return self.arm.criterion

    def to_pandas(self) -> pd.DataFrame:
        """Return a row for each method: how often it was chosen, with its interval."""
        import pandas as pd

        rows = [
            {"arm": self.name, "method": s.method, "chosen": s.chosen, "shown": s.shown, **s.share.to_dict()}
            for s in self.shares
        ]
        return pd.DataFrame(rows, columns=["arm", "method", "chosen", "shown", "value", "low", "high"])

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the chosen shares with their intervals and the chance level; return the axes."""
        return draw_shares(self, ax)

    def plot_strengths(self, ax: Axes | None = None) -> Axes:
        """Draw the Bradley–Terry strengths with their intervals; return the axes."""
        return draw_strengths(self, ax)

    def __repr__(self) -> str:
        return f"<ArmResults of {self.name}: {self.participants} participants, {self.answers:,} answers>"


@dataclass(frozen=True, repr=False)
class Results(TabularResult):
    """Everything that the answers to a study say."""

    title: str
    checksum: str
    arms: tuple[ArmResults, ...]
    background: Mapping[str, Mapping[str, int]]  # question → answer → how many gave it
    participants: tuple[str, ...]
    seed: int = 0

    def to_pandas(self) -> pd.DataFrame:
        """Return a table of shares, one row for each arm and method."""
        import pandas as pd

        return pd.concat([arm.to_pandas() for arm in self.arms], ignore_index=True)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the shares of the first arm; return the axes."""
        return self.arms[0].plot(ax)

    def _figures(self) -> dict[str, Callable[[], Axes]]:
        figures: dict[str, Callable[[], Axes]] = {}
        for arm in self.arms:
            name = arm.name.replace(" ", "-")
            figures |= {f"shares_{name}": arm.plot} if arm.shares else {}
            figures |= {f"strengths_{name}": arm.plot_strengths} if arm.strengths else {}
        return figures

    def page(self, beside: Sequence[Aggregates] = ()) -> str:
        """Return one page of HTML that needs nothing else; `beside` is by default what the paper found."""
        from lexicloud.survey.results_page import page

        return page(self, beside).render()

    def write(
        self, folder: str | Path, name: str | None = None, *, beside: Sequence[Aggregates] = ()
    ) -> list[Path]:
        """Write the page, the plots, CSV and JSON into a folder, and return the files."""
        from lexicloud.survey.results_page import write_page

        files = super().write(folder, name)
        return [*write_page(self, files[0], beside), *files]

    def __repr__(self) -> str:
        answers = sum(arm.answers for arm in self.arms)
        return f"<Results of {self.title!r}: {len(self.participants)} participants, {answers:,} answers>"


def draw_shares(arm: ArmResults, ax: Axes | None = None) -> Axes:
    """Draw how often each method was chosen, with its interval, beside chance."""
    ax = new_axes(ax, height=1.4 + 0.4 * len(arm.shares))
    _draw_intervals(ax, {s.method: s.share for s in arm.shares}, 100)
    if arm.shares:
        ax.axvline(100 * arm.shares[0].chance, color="#666666", linestyle="--", linewidth=1)
    ax.set_xlabel(f"{'chosen' if arm.arm.task == 'choose' else 'won'} (%), 95 % interval; dashed: chance")
    ax.set_title(f"{arm.arm.name}, {arm.participants} participants")
    return ax


def draw_strengths(arm: ArmResults, ax: Axes | None = None) -> Axes:
    """Draw Bradley–Terry strengths with their intervals."""
    ax = new_axes(ax, height=1.4 + 0.4 * len(arm.strengths))
    _draw_intervals(ax, arm.strengths, 1)
    ax.axvline(0, color="#666666", linestyle="--", linewidth=1)
    ax.set_xlabel("Bradley–Terry strength (log odds), 95 % interval; dashed: the mean")
    ax.set_title(f"{arm.arm.name}, {arm.participants} participants")
    return ax


def _draw_intervals(ax: Any, found: Any, scale: float) -> None:
    for row, interval in enumerate(found.values()):
        if interval.low is not None:
            ax.plot(
                [scale * interval.low, scale * interval.high], [row, row], color=CATEGORICAL[0], linewidth=2
            )
        ax.plot([scale * interval.value], [row], "o", color=CATEGORICAL[0])
    ax.set_yticks(range(len(found)), list(found))
    ax.set_ylim(len(found) - 0.5, -0.5)


def interval_figure(
    found: dict[str, Interval], scale: float, title: str, line: float | None
) -> dict[str, Any]:
    """Return a plotly figure of values with intervals, one row each, and a dashed line."""
    rows = list(reversed(found.items()))  # plotly counts from below
    values = [round(scale * interval.value, 3) for _, interval in rows]
    above = [_arm(interval.high, interval.value, scale) for _, interval in rows]
    below = [_arm(interval.value, interval.low, scale) for _, interval in rows]
    trace = {
        "type": "scatter",
        "mode": "markers",
        "x": values,
        "y": [escape(name, quote=False) for name, _ in rows],  # plotly reads tags
        "marker": {"size": 10, "color": CATEGORICAL[0]},
        "error_x": {"type": "data", "symmetric": False, "array": above, "arrayminus": below},
        "hovertemplate": "%{y}: %{x}<extra></extra>",
    }
    shape = {"type": "line", "xref": "x", "yref": "paper", "x0": line, "x1": line, "y0": 0, "y1": 1}
    shapes = [] if line is None else [{**shape, "line": {"dash": "dash", "width": 1, "color": "#8a8a8a"}}]
    layout = {
        "margin": {"l": 56, "r": 16, "t": 16, "b": 60},
        "xaxis": {"title": {"text": title, "standoff": 8}},
        "yaxis": {"automargin": True, "type": "category"},
        "shapes": shapes,
        "showlegend": False,
    }
    return {"data": [trace], "layout": layout}


def _arm(high: float | None, low: float | None, scale: float) -> float:
    """Return the length of an error bar, 0 where there is none."""
    return 0.0 if high is None or low is None else round(scale * (high - low), 3)
