"""The old name of `lexicloud.divergences`; it goes with the release after the next.

Importing this module binds it to `lexicloud.divergence`, over the function of that name, so it can be called as
the function can.
"""

import sys
import warnings
from types import ModuleType
from typing import Any

from lexicloud import divergences
from lexicloud.divergences.pair import divergence as _divergence

warnings.warn(
    "lexicloud.divergence is now the function alone: import from lexicloud.divergences",
    DeprecationWarning,
    stacklevel=2,
)


def __getattr__(name: str) -> Any:
    return getattr(divergences, name)


class _CallableModule(ModuleType):
    __call__ = staticmethod(_divergence)


sys.modules[__name__].__class__ = _CallableModule
