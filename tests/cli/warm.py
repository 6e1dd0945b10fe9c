"""Imported once by the process that commands are forked off: whatever a command imports when it is called."""

from contextlib import suppress
from importlib import import_module
from pkgutil import walk_packages

import lexicloud
from lexicloud.errors import LexicloudError

_OTHERS = (
    "matplotlib.backends.backend_agg",
    "matplotlib.figure",
    "rich.console",
    "rich.progress",
    "rich.table",
    "sklearn.utils",
)

for name in (*(module.name for module in walk_packages(lexicloud.__path__, "lexicloud.")), *_OTHERS):
    if not name.endswith("__main__"):
        with suppress(ImportError, LexicloudError):  # an extra that is not here
            import_module(name)
