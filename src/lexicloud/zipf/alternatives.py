"""Does another law fit the tail better? Likelihood-ratio tests through the `powerlaw` package."""

from __future__ import annotations

import contextlib
import io
import warnings
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.errors import OptionError
from lexicloud.progress import track
from lexicloud.zipf.power_law import PowerLaw, fit_power_law

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lexicloud.zipf.power_law import Source

# The truncated power law contains the power law, so its ratio is a χ² test; the others are Vuong's.
ALTERNATIVES: Final = {
    "lognormal": "lognormal",
    "exponential": "exponential",
    "truncated power law": "truncated_power_law",
    "stretched exponential": "stretched_exponential",
}
DEFAULT: Final = ("lognormal", "exponential", "truncated power law")


@dataclass(frozen=True)
class Comparison:
    """The power law against one alternative on the same tail.

    `ratio` is the normalised log-likelihood ratio: above 0 the power law fits better, below 0 the
    alternative. `p_value` is the chance of a ratio so far from 0 if neither were better; above 0.1 nothing
    is decided. `warning` is what `powerlaw` had to say about the alternative's fit (its optimiser stopped
    early, or at the edge of its range). A test that could not be made has nan and says why.
    """

    alternative: str
    ratio: float
    p_value: float
    parameters: dict[str, float]
    warning: str | None = None
    failure: str | None = None

    @property
    def favoured(self) -> str:
        """Which law fits better, or `undecided`."""
        if self.failure or not self.p_value < 0.1:
            return "undecided"
        return "power law" if self.ratio > 0 else self.alternative

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {**asdict(self), "favoured": self.favoured}

    def __str__(self) -> str:
        if self.failure:
            return f"{self.alternative}: not tested ({self.failure})"
        warning = f" (powerlaw: {self.warning})" if self.warning else ""
        return f"{self.alternative}: R = {self.ratio:.2f}, p = {self.p_value:.3g}, {self.favoured}{warning}"


def compare_distributions(law: PowerLaw | Source, against: Sequence[str] = DEFAULT) -> tuple[Comparison, ...]:
    """Test the power law against other laws on its own tail.

    >>> import numpy as np
    >>> from lexicloud.zipf import compare_distributions, fit_power_law
    >>> law = fit_power_law(np.random.default_rng(0).zipf(2.2, 2000), x_min=1)
    >>> [test.favoured for test in compare_distributions(law, ["exponential"])]
    ['power law']
    """
    unknown = [name for name in against if name not in ALTERNATIVES]
    if unknown:
        raise OptionError(f"no alternative named {unknown[0]!r}; there are {', '.join(ALTERNATIVES)}")
    law = law if isinstance(law, PowerLaw) else fit_power_law(law)
    with _quiet():
        import powerlaw

        fit = powerlaw.Fit(_data(law), discrete=True, xmin=law.x_min)
    return tuple(_compare(fit, name) for name in track(against, "testing other laws"))


def _data(law: PowerLaw) -> Any:
    return np.repeat(law.values, law.multiplicities.astype(np.int64))


def _compare(fit: Any, name: str) -> Comparison:
    """Run one test; what the package prints is noise, but what it cannot do is reported."""
    inside = ALTERNATIVES[name]
    with _quiet() as heard:
        try:
            ratio, p = fit.distribution_compare("power_law", inside, normalized_ratio=True)
            parameters = {key: float(value) for key, value in getattr(fit, inside).parameters.items()}
        except Exception as error:
            return _failed(name, f"{type(error).__name__}: {error}")
    if not np.isfinite([ratio, p]).all():
        return _failed(name, f"powerlaw returned R = {ratio}, p = {p}")
    said = {str(entry.message) for entry in heard if entry.filename.endswith("distributions.py")}
    return Comparison(name, float(ratio), float(p), parameters, "; ".join(sorted(said)) or None)


def _failed(name: str, reason: str) -> Comparison:
    return Comparison(name, float("nan"), float("nan"), {}, failure=" ".join(reason.split()))


@contextlib.contextmanager
def _quiet() -> Iterator[list[warnings.WarningMessage]]:
    """Keep the package's prints and warnings off the screen; hand out the warnings."""
    with (
        warnings.catch_warnings(record=True) as heard,
        np.errstate(all="ignore"),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        warnings.simplefilter("always")
        yield heard
