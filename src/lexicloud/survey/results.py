"""What the answers to a study say: shares, comparisons, strengths, agreement, places and attention, arm by arm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from lexicloud.result import Result, TabularResult
from lexicloud.survey.attention import Flag, Times
from lexicloud.survey.design import Arm
from lexicloud.survey.resample import Interval

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pandas as pd
    from matplotlib.axes import Axes

    from lexicloud.survey.published import Aggregates


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
        from lexicloud.survey.plots import draw_shares

        return draw_shares(self, ax)

    def plot_strengths(self, ax: Axes | None = None) -> Axes:
        """Draw the Bradley–Terry strengths with their intervals; return the axes."""
        from lexicloud.survey.plots import draw_strengths

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
        from lexicloud.survey.report import page

        return page(self, beside).render()

    def write(
        self, folder: str | Path, name: str | None = None, *, beside: Sequence[Aggregates] = ()
    ) -> list[Path]:
        """Write the page, the plots, CSV and JSON into a folder, and return the files."""
        from lexicloud.survey.report import write_page

        files = super().write(folder, name)
        return [*write_page(self, files[0], beside), *files]

    def __repr__(self) -> str:
        answers = sum(arm.answers for arm in self.arms)
        return f"<Results of {self.title!r}: {len(self.participants)} participants, {answers:,} answers>"
