"""What the README says is true: its Python runs, its commands exist, its links lead somewhere."""

from __future__ import annotations

import doctest
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from statistics import fmean

import pytest

from lexicloud.cli import COMMANDS

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_the_python_of_the_readme_runs():
    # Fences are not part of an example's expected output.
    text = re.sub(r"^```.*$", "", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    test = doctest.DocTestParser().get_doctest(text, {}, "README.md", "README.md", 0)
    assert len(test.examples) >= 12
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    failures: list[str] = []
    runner.run(test, out=failures.append)
    assert not failures, "".join(failures)


def test_the_commands_of_the_readme_print_what_it_shows(tmp_path):
    """Blocks of a terminal are run line by line; what stands below a command is what it prints."""
    (block,) = re.findall(r"```\n(\$ .*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    for part in block.strip().removeprefix("$ ").split("\n$ "):
        command, _, expected = part.partition("\n")
        line = command.replace("docs/examples", str(ROOT / "docs" / "examples"))
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=tmp_path,
            env=os.environ | {"PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.split() == expected.split(), command


def test_the_readme_is_short_and_names_the_two_commands():
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 120
    start = lines.index("## Two commands")
    assert [line.strip() for line in lines[start + 1 : start + 4]] == ["", "make demo", "make test"]


def results(name):
    return json.loads((ROOT / "benchmarks" / "results" / f"{name}.json").read_text(encoding="utf-8"))[
        "results"
    ]


def test_the_ten_numbers_are_those_of_the_committed_results():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = [
        line.removeprefix("| ").removesuffix(" |").split(" | ")
        for line in readme.splitlines()
        if line.startswith("| ")
    ]
    assert {tuple(numbers) for _, *numbers in rows} == {
        _attribution(), _verification(), _labels(), *_ranking(), *_speed(), ("the peer",)
    }  # fmt: skip


def _attribution():
    found = [results("attribution")[f"{language}, passages, 1000"] for language in ("books", "spa")]
    assert {cell["best peer"].partition(" · ")[0] for cell in found} == {"KL, standardised"}
    ours, theirs = (
        [cell[name or cell["best peer"]][0] for cell in found] for name in ("combined · between", "")
    )
    named = f"the best of the peers, KL standardised, {theirs[0]:.0f} / {theirs[1]:.0f} %"
    return f"{ours[0]:.0f} / {ours[1]:.0f} %", named


def _verification():
    found = results("verification")
    books, french = (found[f"{language}, 3,000"] for language in ("books", "fra"))
    short = [cell["undecided, %"] for name, cell in found.items() if name.endswith(", 300")]
    both = " / ".join(f"{cell['AUC × c@1']:.2f}".lstrip("0") for cell in (books, french))
    wrong = (
        " to ".join(sorted({f"{cell['two hands called the same, %']:.0f}" for cell in (books, french)}))
        + " %"
    )
    return (
        f"{both}; {wrong}",
        f"none in this run; of 300 words {min(short):.0f} to {max(short):.0f} % stay undecided",
    )


def _labels():
    cells = [cell["right"] for cell in results("labelling_cells")["cells"]]
    ours, theirs = (fmean(share for cell in cells for share in cell[name])
                    for name in ("lexicloud", "tf-idf + embeddings, logistic"))  # fmt: skip
    return f"{ours:.1f} % right", f"logistic regression on tf-idf and embeddings {theirs:.1f} %"


def _ranking():
    means = results("relevance_ranking")["means"]["untouched, all"]
    mean = {name: of["ndcg"] for name, of in means.items() if name != "tasks"}
    names = ("related, words alone", "related", "bm25s, stemmed", "bm25s, stemmed + wordllama")
    words, both, peer, sum_of_peers = (f"{mean[name]:.3f}".lstrip("0") for name in names)
    less = 100 * (mean["bm25s, stemmed"] - mean["varied"])
    variety = "bm25s with a stemmer; variety is what they are for"
    return (
        f"{words} / {both}",
        f"bm25s with a stemmer {peer}, plus embeddings {sum_of_peers}",
    ), (f"**{less:.0f} points less**", variety)


def _speed():
    found, faiss = results("search"), results("divergence")["50-d"]["times faster than faiss"]
    held_out = results("held_out")
    own, other = (held_out[f"from {whose}"] for whose in ("its own sentences", "other texts"))
    times = [each["related, words alone"]["times_bm25s"]["median"] for each in (own, other)]
    compiled = other["bm25s (Numba)"]["first_ms"] / 1000
    built = [held_out["build_and_save"][f"{way}_times_bm25s"] for way in ("words_alone", "with_embeddings")]
    moved = round(found["wmd_vs_gensim"]["ratio_of_totals"], -1)
    grown = found["growth"][-1]["median_ms"] / found["growth"][0]["median_ms"]
    return {
        (
            f"**{times[0]:.1f} / {times[1]:.0f} × the time**",
            f"bm25s (Numba), once it has compiled ({compiled:.1f} s a process)",
        ),
        (f"{built[0]:.2f} / **{built[1]:.2f} × the time**", "bm25s"),
        (f"{faiss:.0f} × faster", "a faiss index per book (extrapolated)"),
        (f"{moved:,.0f} × faster", "gensim over the database (extrapolated)"),
        (f"**{grown:.1f} × the time**", "set cover itself"),
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_commands_exist(page):
    text = page.read_text(encoding="utf-8")
    named = set(re.findall(r"(?:^|`|\$ |bin/)lexicloud ([a-z]+)\b", text, flags=re.MULTILINE))
    assert named <= set(COMMANDS), named - set(COMMANDS)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), f"{page.name} links to {target}, which is not there"


def test_the_reference_is_what_the_docstrings_say():
    done = subprocess.run([sys.executable, ROOT / "docs" / "make_reference.py", "--check"], check=False)
    assert done.returncode == 0, "make docs rebuilds docs/reference.md and docs/commands.md"
