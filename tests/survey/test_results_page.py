"""The page and the files of a report: whole, offline, with the paper's numbers beside ours."""

from __future__ import annotations

import csv
import io
import json

import pytest
from rich.console import Console

from lexicloud.errors import InputError, StorageError
from lexicloud.paper.comparison import published
from lexicloud.say.blocks import Sentence
from lexicloud.say.terminal import show
from lexicloud.survey import Crowd, arms_of, read_aggregates, score, simulate
from lexicloud.survey.results_page import PAPER, findings
from tests.survey.studies import small_study


@pytest.fixture(scope="module")
def results():
    study = small_study(40, arms=arms_of("both"))
    return score(study, simulate(study, 60, Crowd({"wmd": 1.0}, careless=0.1), seed=1))


def test_a_folder_holds_page_plots_csv_and_json(results, tmp_path):
    written = {path.name for path in results.write(tmp_path / "out")}
    assert written == {path.name for path in (tmp_path / "out").iterdir()}
    assert {"results.html", "results.json", "results.csv", "results_comparisons.csv"} <= written
    assert {"results_shares_choose-3.png", "results_strengths_head-to-head-on-variety.png"} <= written
    assert json.loads((tmp_path / "out" / "results.json").read_text())["checksum"] == results.checksum
    with (tmp_path / "out" / "results_comparisons.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 12
    assert float(rows[0]["value"]) == results.arms[0].comparisons[0].value.value


def test_the_page_says_what_matters_and_loads_nothing(results):
    page = results.page()
    for said in (
        "Krippendorff",
        "Bradley–Terry",
        "Place on the screen",
        "studies of five",
        "the paper (%)",
        "57.0",
    ):
        assert said in page
    assert 'src="http' not in page
    for flag in results.arms[0].flags:
        assert flag.participant in page


def test_a_method_that_is_markup_stays_text(tmp_path):
    study = small_study(methods=["<script>alert(1)</script>", "b", "c", "d"])
    page = score(study, simulate(study, 8, Crowd(), seed=1)).page()
    assert "<script>alert(1)" not in page


def test_findings_of_few_people_claim_nothing():
    study = small_study()
    arm = score(study, simulate(study, 3, Crowd(), seed=1)).arms[0]
    assert findings(arm) == ["3 participants: nothing can be said about others before there are 6."]


def test_a_study_says_who_took_part_then_what_each_group_preferred_then_how_sure_that_is(results):
    said = [block for block in results.blocks() if isinstance(block, Sentence)]
    assert said[0].role == "answer"
    assert said[0].text.startswith(f"Which suggestions help? {len(results.participants)} participants, ")
    assert [s.text for s in said if s.role == "title"] == [arm.name for arm in results.arms]
    assert said[-1].role == "sure"
    answer = next(s.text for s in results.arms[0].blocks() if isinstance(s, Sentence))
    assert answer == "wmd was chosen more often than by chance (60 %); of the others one cannot say."
    by_hand = [s.method for s in results.arms[0].shares if s.share.low > s.chance]
    assert by_hand == ["wmd"]


def test_the_results_fit_eighty_columns(results):
    out = io.StringIO()
    show(results.blocks(), Console(file=out, width=80))
    printed = out.getvalue()
    assert max(map(len, printed.splitlines())) <= 80
    assert "95 % interval" in printed
    assert "…\n" not in printed  # nothing is cut
    for comparison in results.arms[1].comparisons:
        assert f"{comparison.first} – {comparison.second}" in printed


def test_the_papers_shares_are_those_it_published():
    theirs = published()["survey"]
    chosen = theirs["choose_3_chosen_percent"]
    ours = {m: round(100 * share) for m, share in PAPER.shares["choose", "usefulness"].items()}
    assert ours == {m: chosen[m] for m in ours}
    heads = theirs["head_to_head_setcover_percent"]
    assert round(100 * PAPER.share("head-to-head", "usefulness", "set_cover")) == heads["preferred"]
    assert round(100 * PAPER.share("head-to-head", "variety", "setcover")) == heads["better_variety"]


def test_aggregates_of_the_papers_files_round_to_what_it_published(shared):
    folder = shared / "data" / "survey"
    chosen = read_aggregates(folder / "choose-3-results.json")
    for method, share in PAPER.shares["choose", "usefulness"].items():
        assert round(chosen.share("choose", "usefulness", method), 2) == share
    heads = read_aggregates(folder / "head-to-head-results.json")
    for criterion in ("usefulness", "variety"):
        assert round(heads.share("head-to-head", criterion, "setcover"), 2) == PAPER.share(
            "head-to-head", criterion, "setcover"
        )
    assert heads.won("usefulness", "set_cover", "embedding_average") == 76 / (76 + 117)


def test_aggregates_stand_beside_the_arm_they_belong_to(results, tmp_path):
    path = tmp_path / "chosen-elsewhere.json"
    path.write_text(
        json.dumps({"num_answered_unweighted": 1000, "jaccard": {"included_count_unweighted": 123}})
    )
    page = results.page([read_aggregates(path)])
    assert "chosen-elsewhere.json (%)" in page
    assert "12.3" in page
    assert page.count("the paper (%)") >= 2  # for head-to-head there is nothing else


def test_aggregates_that_are_none_are_refused(tmp_path):
    path = tmp_path / "x.json"
    path.write_text('{"a": {"b": 1}}')
    with pytest.raises(InputError, match="neither included_count_unweighted nor wins"):
        read_aggregates(path)
    path.write_text("[")
    with pytest.raises(InputError, match="is no JSON"):
        read_aggregates(path)
    path.write_text("[1, 2]")
    with pytest.raises(InputError, match="holds a list: aggregates are an object"):
        read_aggregates(path)


def test_a_folder_that_cannot_be_written_is_one_line(results, tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(StorageError, match="is a file: name a folder"):
        results.write(tmp_path / "file")
