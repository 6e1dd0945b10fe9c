"""Write docs/reference.md and docs/commands.md from the public names and the commands: `make docs`.

`--check` writes nothing and fails when a page is not what it would write.
"""

from __future__ import annotations

import inspect
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
PACKAGES = (
    *(
        "corpus",
        "words",
        "neighbours",
        "divergences",
        "authorship",
        "zipf",
        "search",
        "labelling",
        "maps",
        "report",
    ),
    *("survey", "paper", "cluster", "retrievers", "text", "vectors", "store", "presets", "errors"),
)
# Names that are asked of a module, not of its package: the docs and the notebooks use them.
IN_MODULES = {
    "authorship": ["excerpts.excerpts"],
    "corpus": [
        "cut.merged_by_label",
        "labels.labelled_corpus",
        "trends.trends_along",
        "trends.trends_by_year",
    ],
    "presets": ["preset"],
    "report": ["demo.demo_corpus", "demo.demo_texts"],
    "retrievers": ["langchain.LangChainRetriever", "llama_index.LlamaIndexRetriever"],
    "store": ["folder.verify_folder"],
    "text": ["read.ReadReport"],
    "vectors": ["static_embeddings.load_static_embeddings"],
    "words": ["contexts.contexts", "keyness.keywords", "reason.Reason"],
}


def main(arguments: list[str]) -> int:
    """Write the pages, or compare them."""
    pages = {FOLDER / "reference.md": reference(), FOLDER / "commands.md": commands()}
    if "--check" in arguments:
        return int(any(not page.exists() or page.read_text("utf-8") != text for page, text in pages.items()))
    for page, text in pages.items():
        page.write_text(text, encoding="utf-8")
    return 0


def reference() -> str:
    """Return the page of Python names: the site puts each docstring in the place of its `:::` line."""
    about = "Every public name. The site (`make docs`) shows each with its docstring; in Python, `help(name)` does."
    parts = [f"# Python reference\n\n{about}\n"]
    for package in PACKAGES:
        module = import_module(f"lexicloud.{package}")
        says = (inspect.getdoc(module) or "").partition("\n\n")[0]
        parts.append(f"\n## lexicloud.{package}\n\n{says}\n\n")
        parts.extend(f"::: {value.__module__}.{value.__qualname__}\n" for value in public(module))
        parts.extend(f"::: lexicloud.{package}.{name}\n" for name in IN_MODULES.get(package, []))
    return "".join(parts)


def public(module: Any) -> list[Any]:
    """Return the classes and functions that a package exports; the error tree exports every class."""
    listed = getattr(module, "__all__", None)
    if listed is None:
        values = [v for v in vars(module).values() if inspect.isclass(v) and v.__module__ == module.__name__]
    else:
        values = [getattr(module, name) for name in listed]
    return [v for v in values if inspect.isclass(v) or hasattr(v, "__wrapped__") or inspect.isfunction(v)]


def commands() -> str:
    """Return the page of commands, each with its options, as `--help` knows them."""
    from lexicloud.cli import COMMANDS
    from lexicloud.cli.shell import load

    parts = ["# Commands\n\nEvery command has `--help` with an example, and `--json` for programs.\n"]
    for name, (_, line) in COMMANDS.items():
        parts.append(f"\n## lexicloud {name}\n\n{line}.\n")
        parts.extend(described(name, load(name)))
    return "".join(parts)


def described(name: str, command: Any) -> list[str]:
    """Return a command's help and its options; of a group, those of each of its commands."""
    if hasattr(command, "commands"):
        inner = ((f"{name} {part}", own) for part, own in command.commands.items())
        return [text for part, own in inner for text in (f"\n### lexicloud {part}\n", *described(part, own))]
    rows = [f"| {called(p)} | {' '.join((getattr(p, 'help', '') or '').split())} |\n" for p in command.params]
    about = "\n\n".join(" ".join(part.split()) for part in (command.help or "").split("\n\n"))
    return [
        f"\n{about}\n\n",
        "| argument or option | |\n|---|---|\n",
        *(row.replace("\\|", "|") for row in rows),
    ]


def called(parameter: Any) -> str:
    """Return how a parameter is written, with its default where it says something."""
    if parameter.param_type_name == "argument":
        return f"`{parameter.name.upper()}`"
    names = ", ".join(f"`{name}`" for name in (*parameter.opts, *parameter.secondary_opts))
    default = parameter.default
    return names if default in (None, False, True, "", ()) or callable(default) else f"{names} ({default})"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
