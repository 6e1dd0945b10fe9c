"""`lexicloud survey create, report, export and remove` as real processes."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from lexicloud.search import SentenceIndex
from lexicloud.survey import Crowd, Questionnaire, Study, simulate
from tests.cli.command import lexicloud
from tests.survey.studies import SENTENCES, small_study


def survey(*arguments) -> subprocess.CompletedProcess[str]:
    return lexicloud("survey", *arguments)


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    path = tmp_path_factory.mktemp("survey") / "index"
    SentenceIndex.build([(i, text, {"level": "ab"[i % 2]}) for i, text in enumerate(SENTENCES)]).save(path)
    return path


@pytest.fixture
def answered(tmp_path):
    study = small_study(20)
    study.save(tmp_path / "study.json")
    opened = Questionnaire.open(tmp_path / "study.json")
    ids = {}
    for given in simulate(study, 8, Crowd({"wmd": 1.0}, answers=8), seed=1):
        if given.participant not in ids:
            ids[given.participant] = opened.start(consent=True, background={"why": "secret"}).id
        opened.store.record(type(given)(**{**vars(given), "participant": ids[given.participant]}))
    return tmp_path / "study.json"


def test_create_from_an_index(index, tmp_path):
    out = tmp_path / "study.json"
    options = (
        "--index",
        index,
        "--queries",
        5,
        "--by",
        "level",
        "--methods",
        "setcover,average,jaccard,levenshtein",
    )
    done = survey("create", *options, "--task", "both", "--out", out, "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["checksum"] == Study.open(out).checksum
    assert told["arms"] == ["choose-3", "head-to-head on usefulness", "head-to-head on variety"]
    assert [q.group for q in Study.open(out).queries] == ["a", "a", "b", "b", "b"]
    again = survey("create", *options, "--out", out)
    assert again.returncode == 2
    assert "is there already" in again.stderr


def test_create_from_suggestions(tmp_path):
    entry = {m: [f"{m} suggests sentence {w}." for w in "pqrst"] for m in ("one", "two", "three", "four")}
    (tmp_path / "s.json").write_text(json.dumps({"0": {"query": "A query.", **entry}}))
    done = survey("create", "--from", tmp_path / "s.json", "--out", tmp_path / "study.json")
    assert done.returncode == 0, done.stderr
    assert "1 queries, methods one, two, three, four; choose-3" in done.stdout
    assert f"next: lexicloud survey run {tmp_path / 'study.json'}" in done.stdout


def test_report_for_people_programs_and_readers(answered, tmp_path):
    done = survey("report", answered, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert "choose-3" in done.stdout
    assert "95 % interval" in done.stdout
    assert "Krippendorff's α" in done.stdout
    assert (tmp_path / "out" / "results.html").exists()
    told = json.loads((tmp_path / "out" / "results.json").read_text())
    assert told["arms"][0]["participants"] == 8


def test_export_and_remove(answered, tmp_path):
    assert survey("export", answered, "--out", tmp_path / "a.csv").returncode == 0
    assert "secret" not in (tmp_path / "a.csv").read_text()
    assert survey("export", answered, "--out", tmp_path / "b.json", "--with-text").returncode == 0
    assert "secret" in (tmp_path / "b.json").read_text()
    people = json.loads(survey("report", answered, "--json").stdout)["participants"]
    gone = survey("remove", answered, people[0], "--json")
    assert json.loads(gone.stdout)["answers"] > 0
    assert people[0] not in [p.id for p in Questionnaire.open(answered).store.participants()]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["create", "--out", "x.json"], "name an index (--index) or a file of suggestions (--from)"),
        (["create", "--index", "nowhere", "--out", "x.json"], "nowhere is not a folder saved by lexicloud"),
        (["report", "STUDY"], "there are no answers yet"),
        (["report", "nowhere.json"], "cannot read nowhere.json"),
        (["run", "STUDY"], "the questionnaire needs a terminal"),
        (["remove", "STUDY", "abc"], "there are no answers yet"),
    ],
)
def test_mistakes_are_one_line(tmp_path, arguments, says):
    path = small_study().save(tmp_path / "study.json")
    done = survey(*(str(path) if a == "STUDY" else a for a in arguments))
    assert done.returncode == 2
    assert done.stdout == ""
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_missing_package_is_named_with_the_command_that_installs_it(tmp_path):
    path = small_study().save(tmp_path / "study.json")
    code = (
        "import sys; sys.modules['prompt_toolkit'] = None\n"
        f"from lexicloud.cli import main; main(['survey', 'run', {str(path)!r}])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert 'pip install "lexicloud[survey]"' in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_report_makes_no_file_of_answers(tmp_path):
    path = small_study().save(tmp_path / "study.json")
    survey("report", path)
    assert [p.name for p in tmp_path.iterdir()] == ["study.json"]


@pytest.mark.parametrize("command", ["create", "run", "report", "export", "remove"])
def test_help_has_an_example(command):
    done = survey(command, "--help")
    assert done.returncode == 0
    assert f"Example: lexicloud survey {command}" in done.stdout
    assert "--json" in done.stdout
