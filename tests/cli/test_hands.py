"""train, attribute MODEL, verify, rolling and contrast as real processes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.authorship.hands import write
from tests.cli.command import lexicloud

pytestmark = pytest.mark.slow  # real processes or large inputs: a minute and more together


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library")
    for a, name in enumerate(("Ann", "Ben", "Cat")):
        for i in range(3):
            (folder / f"{name}_{i}.txt").write_text(write(a, 1200, i), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def model(texts: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "library.model"
    done = lexicloud("train", texts, "--out", path, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["candidates"] == ["Ann", "Ben", "Cat"]
    assert "labels from names: 9 texts with 3 labels" in done.stderr
    return path


def test_a_model_answers_with_probabilities_and_evidence(model: Path, tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text(write(1, 600, 9), encoding="utf-8")
    done = lexicloud("attribute", model, letter, "--json")
    assert done.returncode == 0, done.stderr
    (answer,) = json.loads(done.stdout)["answers"]
    assert answer["label"] == "Ben"
    assert sum(answer["probabilities"].values()) + answer["none"] == pytest.approx(1)
    shown = lexicloud("attribute", model, letter)
    assert "Ben wrote letter" in shown.stdout
    assert "none of these" in shown.stdout


def test_style_says_what_gives_the_writer_away(model: Path, tmp_path: Path) -> None:
    draft = tmp_path / "draft.txt"
    draft.write_text(write(1, 600, 9), encoding="utf-8")
    done = lexicloud("style", draft, "--against", model, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["author"] == "Ben"
    assert found["all_changed"] < found["probability"]
    assert "draft is Ben's with" in lexicloud("style", draft, "--against", model, "--top", 5).stdout


def test_rolling_finds_the_seam_and_writes_files(model: Path, tmp_path: Path) -> None:
    joined = tmp_path / "joined.txt"
    joined.write_text(f"{write(0, 3000, 20)} {write(2, 3000, 21)}", encoding="utf-8")
    done = lexicloud(
        "rolling", joined, "--against", model, "--window", 1000, "--out", tmp_path / "out", "--json"
    )
    assert done.returncode == 0, done.stderr
    (seam,) = json.loads(done.stdout)["seams"]
    assert (seam["before"], seam["after"]) == ("Ann", "Cat")
    assert abs(seam["position"] - 3000) < 300
    assert {f.name for f in (tmp_path / "out").iterdir()} == {
        "rolling.json", "rolling.csv", "rolling.png", "rolling.svg",
    }  # fmt: skip
    assert "seam at" in lexicloud("rolling", joined, "--against", model, "--window", 1000).stdout


def test_verify_with_a_reference_of_ones_own(texts: Path, tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text(write(0, 1200, 9), encoding="utf-8")
    others = tmp_path / "others"
    others.mkdir()
    for a in range(50, 62):
        for i in range(2):
            (others / f"Author{a}_{i}.txt").write_text(write(a, 2000, i), encoding="utf-8")
    arguments = (
        "verify",
        texts / "Ann_0.txt",
        texts / "Ann_1.txt",
        "--unknown",
        letter,
        "--reference",
        others,
    )
    done = lexicloud(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["decision"] == "same hand"
    assert found["tokens"] == [2400, 1200]
    assert found["calibration"]["authors"] == 12
    shown = lexicloud(*arguments)
    assert shown.stdout.startswith("One hand seems to have written both")
    assert "12 other hands" in shown.stdout
    tried = lexicloud("verify", "--calibrate", others, "--out", tmp_path / "tried")
    assert tried.returncode == 0, tried.stderr
    assert "of pairs by two hands are called" in tried.stdout
    assert (tmp_path / "tried" / "calibration_report_1000_1000_tippett.png").exists()


def test_contrast_two_labels_and_two_folders(texts: Path, tmp_path: Path) -> None:
    done = lexicloud("contrast", "Ann", "Ben", "--in", texts, "--json", "--top", 5)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["groups"] == ["Ann", "Ben"]
    for name in ("Ann", "Ben"):
        (tmp_path / name).mkdir()
        for i in range(3):
            (tmp_path / name / f"{i}.txt").write_text(
                (texts / f"{name}_{i}.txt").read_text(encoding="utf-8"), encoding="utf-8"
            )
    shown = lexicloud("contrast", tmp_path / "Ann", tmp_path / "Ben", "--word", found["words"][0]["word"])
    assert shown.returncode == 0, shown.stderr
    assert "more in Ann" in shown.stdout
    assert "more in Ben" in shown.stdout
    (tmp_path / "again").mkdir()
    (tmp_path / "Ann").rename(
        tmp_path / "again" / "Ben"
    )  # two folders of one name are told apart by their paths
    shown = lexicloud("contrast", tmp_path / "again" / "Ben", tmp_path / "Ben")
    assert f"more in {tmp_path / 'again' / 'Ben'}" in shown.stdout.replace("\n", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["attribute", "MODEL"], "is a model: name the texts that it is asked about"),
        (
            ["attribute", "MODEL", "TEXT", "--error", "2"],
            "'--error': it should be at most 1",
        ),
        (["verify", "TEXT", "--unknown", "TEXT", "--language", "french"], "there is no reference for french"),
        (
            ["verify", "TEXT", "--unknown", "TEXT", "--language", "en", "--method", "magic"],
            "no method 'magic'",
        ),
        (["verify", "TEXT"], "name the known texts and --unknown TEXT"),
        (["contrast", "Ann", "--in", "TEXTS"], "cannot be compared: name two or more"),
        (["rolling", "TEXT", "--against", "MODEL"], "1,200 tokens, but two windows need 4,000"),
        (["contrast", "Ann", "Dan", "--in", "TEXTS"], "no label and no text is called 'Dan'"),
    ],
)
def test_mistakes_are_one_line(texts: Path, model: Path, arguments: list[str], message: str) -> None:
    places = {"MODEL": str(model), "TEXT": str(texts / "Ann_0.txt"), "TEXTS": str(texts)}
    done = lexicloud(*(places.get(word, word) for word in arguments))
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["train", "verify", "rolling", "contrast", "style"])
def test_help_has_an_example(command: str) -> None:
    done = lexicloud(command, "--help")
    assert done.returncode == 0
    assert f"lexicloud {command}" in done.stdout
    assert "Example" in done.stdout
