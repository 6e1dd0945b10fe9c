"""`lexicloud attribute` as a real process."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path

import pytest

from tests.cli.command import lexicloud
from tests.texts import TEXTS

# Words of two hands that write about the same things: one prefers long joined sentences, one short bare ones.
LONG = (
    "And so it was that the {0}, which had always been thought of as a {1}, came upon the {2}, and there it "
    "remained, as though it had been waiting upon the {0} for a long while, and nobody, whether of the {1} or "
    "of the {2}, could have said why it was so."
)
SHORT = (
    "The {0} came. It saw a {1}. No {2} was there. It ate. Then it slept. The {1} went home. That is all. "
    "It was the {0}."
)
NOUNS = [
    ("ship", "storm", "harbour"),
    ("cook", "kitchen", "dinner"),
    ("judge", "court", "verdict"),
    ("dog", "wolf", "hill"),
]


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return lexicloud("attribute", *arguments)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hands")
    for i, nouns in enumerate(NOUNS):
        (path / f"Long_{i}.txt").write_text(LONG.format(*nouns), encoding="utf-8")
        (path / f"Short_{i}.txt").write_text(SHORT.format(*nouns), encoding="utf-8")
    return path


def test_labels_from_names_with_an_unknown_text(folder: Path, tmp_path: Path) -> None:
    unknown = tmp_path / "letter.txt"
    unknown.write_text(SHORT.format("cat", "mouse", "house"), encoding="utf-8")
    done = run(folder, unknown, "--out", tmp_path / "out", "--compare-methods", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["correct"] == 8
    assert found["method"] == "combined"
    assert {row["label"]: row["recall"] for row in found["labels"]} == {"Long": 1.0, "Short": 1.0}
    assert found["unknown"][0]["name"] == "letter"
    assert next(iter(found["unknown"][0]["probabilities"])) == "Short"
    assert found["unknown"][0]["nearest"][0].startswith("Short")
    assert {"combined", "knn", "delta"} <= {row["method"] for row in found["methods"]}
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert {
        "attribution.json",
        "attribution.csv",
        "attribution_labels.csv",
        "attribution_confusion.csv",
    } < written
    assert {"attribution.png", "unknown.csv"} < written


def test_the_report_for_people(folder: Path, tmp_path: Path) -> None:
    table = tmp_path / "labels.csv"
    names = sorted(path.stem for path in folder.iterdir())
    hands = [name.split("_")[0].lower() for name in names[:-1]] + ["?"]
    lines = [f"{name}.txt,{hand},x" for name, hand in zip(names, hands, strict=True)]
    table.write_text("\n".join(["file,hand,era", *lines]), encoding="utf-8")
    done = run(folder, "--labels", table, "--label", "hand", "--method", "characters")
    assert done.returncode == 0, done.stderr
    assert "of 7 texts labelled right" in done.stdout
    assert "characters, rule between" in done.stdout
    assert "taken for" in done.stdout
    assert "is nearest to" in done.stdout
    assert names[-1] in done.stdout


@pytest.mark.parametrize(
    ("names", "options", "message"),
    [
        (["sea", "kitchen", "court"], [], "have no labels: name them like Austen_Emma.txt"),
        (["A_sea", "B_kitchen", "C_court"], ["--label", "@name"], "each of the 3 labels has one text"),
        (["A_sea", "A_harbour", "B_court"], ["--method", "magic"], "no method 'magic': choose from combined"),
    ],
    ids=["no labels", "only single members", "method"],
)
def test_mistakes_are_one_line(tmp_path: Path, names: list[str], options: list[str], message: str) -> None:
    for name in names:
        (tmp_path / f"{name}.txt").write_text(TEXTS[name.split("_")[-1]], encoding="utf-8")
    done = run(tmp_path, *options)
    assert done.returncode == 2
    assert done.stdout == ""
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_help_has_an_example() -> None:
    done = run("--help")
    assert done.returncode == 0
    assert "lexicloud attribute novels/ letter.txt" in done.stdout
    assert "--compare-methods" in done.stdout


TEI = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>{title}</title>
<author>{author}</author></titleStmt></fileDesc></teiHeader>
<text><body><head>Rozdział pierwszy</head>{paragraphs}</body></text></TEI>"""
HANDS = {
    "Nowak, Anna": ("Wieczorem wróciła do domu", "bo nie chciała już czekać", "a jednak nikt jej nie witał"),
    "Lis, Jan": ("Rankiem poszli w góry", "lecz śnieg padał gęsto", "więc trzeba było zawrócić do wsi"),
}


def test_a_folder_of_polish_tei_novels_goes_through_with_one_command(tmp_path: Path) -> None:
    """Authors come from the headers, headings are left out, and no English vector has a say."""
    rng = random.Random(3)
    for author, phrases in HANDS.items():
        for number in range(3):
            lines = [", ".join(rng.sample(phrases, 3)) + "." for _ in range(120)]
            text = "".join(f"<p>{' '.join(lines[i : i + 6])}</p>" for i in range(0, 120, 6))
            page = TEI.format(title=f"Powieść {number}", author=author, paragraphs=text)
            (tmp_path / f"PL{rng.randrange(10**6):06}.xml").write_text(page, encoding="utf-8")
    done = run(tmp_path)
    assert done.returncode == 0, done.stderr
    assert "6 of 6 texts labelled right" in done.stdout
    assert "Nowak, Anna" in done.stdout
    assert "left out of 6 files: 6 headings" in done.stderr
    assert "glove" not in done.stdout + done.stderr
