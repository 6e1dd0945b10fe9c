"""Did one hand write these?"""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

from lexicloud.authorship import Population, calibrate, verify
from lexicloud.authorship.combined import WithinTexts, unit_length
from lexicloud.authorship.impostors import CHUNK, Chunked, english
from lexicloud.authorship.likelihood_ratio import (
    CURVES,
    RatioCurve,
    cost,
    curve_at,
    fit_curve,
    scored,
    scored_apart,
    support,
    thresholds,
    together,
)
from lexicloud.authorship.outside import share_as_far
from lexicloud.authorship.pairs import HELD, Setting, two_sided, votes
from lexicloud.authorship.question import OUTSIDE, Question, joined, sides_of
from lexicloud.authorship.reliability import reliability
from lexicloud.corpus import Corpus
from lexicloud.errors import EstimateError, OptionError
from lexicloud.text import DEFAULT_RULES, TokenRules
from tests.authorship.hands import VECTORS, WORDS, preferences, write


def reference(authors: int = 30, texts: int = 2, tokens: int = 3000) -> Corpus:
    names = {f"{a} {i}": write(a, tokens, i) for a in range(130, 130 + authors) for i in range(texts)}
    labels = [f"author {name.split()[0]}" for name in names]
    return Corpus.from_texts(names, labels=labels, vectors=VECTORS)


@pytest.fixture(scope="module")
def others() -> Population:
    return Population.of_corpus(reference())


def test_one_hand_and_two_hands(others: Population) -> None:
    same = [verify(write(a, 2000, 1), write(a, 2000, 2), others) for a in range(4)]
    different = [verify(write(a, 2000, 1), write(a + 20, 2000, 2), others) for a in range(4)]
    assert all(found.decision == "same hand" for found in same)
    assert all(found.decision == "different hands" for found in different)
    assert max(f.likelihood_ratio or 0 for f in same) <= 200
    assert all(found.rank == 1 and found.p_value == pytest.approx(1 / 31) for found in same)
    about = same[0].calibration
    assert about is not None
    assert about.authors == 30
    assert about.cost < 0.6
    assert about.false_alarms <= 0.08
    assert "30 authors" in " ".join(getattr(block, "text", "") for block in same[0].blocks())


@pytest.mark.parametrize("author", [0, 10])
def test_the_evidence_adds_up_to_the_likelihood_ratio(others: Population, author: int) -> None:
    found = verify([write(0, 900, 1), write(0, 400, 3)], write(author, 600, 2), others)
    total = found.intercept + sum(word.adds for word in found.evidence)
    assert found.likelihood_ratio is not None
    assert total == pytest.approx(np.log(found.likelihood_ratio), abs=1e-8)
    assert found.probability == pytest.approx(found.likelihood_ratio / (1 + found.likelihood_ratio))
    assert found.tokens == (1300, 600)
    drawn = [label.get_text() for label in found.plot().get_yticklabels()]
    assert "all else" in {word.word for word in found.evidence} - set(drawn)  # one bar would hide the others


def test_every_passage_in_the_place_of_the_unknown_text_has_a_rank_of_its_own(others: Population) -> None:
    """That makes p-values exact: if somebody like them wrote it, it may as well be any of these passages."""
    question = Question.of(sides_of([write(0, 300, 1)], write(1, 300, 2), DEFAULT_RULES), others)
    passages, ranks = question.drawn[0][1], []
    for j in range(len(passages.lengths)):
        rest = [i for i in range(len(passages.lengths)) if i != j]
        drawn = [(known, joined(passages.rows([j]), unknown.rows(rest))) for known, unknown in question.drawn]
        ranks.append(replace(question, drawn=tuple(drawn)).rank()[0])
    assert sorted(ranks) == list(range(1, len(ranks) + 1))


def test_strangers_score_as_pairs_of_the_reference_do() -> None:
    """The reference's authors are in the means of both sides, which lowered their scores: strangers had +.32."""
    few, found = Population.of_corpus(reference(12, 2, 1200)), []
    for a in range(400, 450):
        question = Question.of(sides_of([write(a, 300, 1)], write(a + 350, 300, 2), DEFAULT_RULES), few)
        setting, drawn = question.setting, question.drawn[:1]
        (table,) = tables = together(scored(setting, drawn, "two-sided"))
        (own,) = scored_apart(setting, drawn, "two-sided", tables)
        found.append(table[0, 0] - own[~np.eye(12, dtype=bool)].mean())
    # Looking less alike than they are promised to (here by .19, of 100 such pairs) makes no false "same hand".
    assert -0.3 < np.mean(found) < 0.15


def test_a_long_known_side_is_no_closer_to_other_hands(others: Population) -> None:
    """Both sides and the impostors are drawn alike, so that a longer known side does not look alike by its length."""
    scores = [
        verify([write(a, 3000, 1), write(a, 3000, 3)], write(a + 50, 300, 2), others).scores["delta"]
        for a in range(300, 315)
    ]
    assert abs(np.mean(scores)) < 0.5


def test_impostor_votes_tell_hands_apart(others: Population) -> None:
    same = verify(write(1, 1500, 1), write(1, 1500, 2), others, method="imposters")
    different = verify(write(1, 1500, 1), write(11, 1500, 2), others, method="imposters")
    assert same.likelihood_ratio is not None
    assert different.likelihood_ratio is not None
    assert same.likelihood_ratio > 1 > different.likelihood_ratio


def test_votes_of_all_pairs_are_votes_pair_by_pair() -> None:
    """The slow reference: one pair, one round, one impostor at a time."""
    rng = np.random.default_rng(0)
    Y, X = rng.normal(size=(2, 6, 40))
    found = votes(Y, X, seed=3)
    draws, won = np.random.default_rng(3), 0.0
    for _ in range(100):
        words = draws.random(40) < 0.5
        among = draws.permutation(6)[:25]
        among = among[draws.random(len(among)) < 0.5]

        def cosine(i: int, j: int, f: np.ndarray = words) -> float:
            a, b = Y[i, f], X[j, f]
            return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))

        rivals = [i for i in among if i not in (2, 4)]
        won += all(cosine(2, 4) >= cosine(2, i) for i in rivals) / 2
        won += all(cosine(2, 4) >= cosine(i, 4) for i in rivals) / 2
    assert found[2, 4] == pytest.approx(won / 100)


def test_scores_of_all_pairs_are_scores_pair_by_pair() -> None:
    S = np.random.default_rng(1).normal(size=(7, 7))
    found = two_sided(S)
    for i, j in ((2, 2), (1, 5)):
        row = np.array([S[i, k] for k in range(7) if k not in (i, j)])
        column = np.array([S[k, j] for k in range(7) if k not in (i, j)])
        expected = ((S[i, j] - row.mean()) / row.std() + (S[i, j] - column.mean()) / column.std()) / 2
        assert found[i, j] == pytest.approx(expected)


def test_sides_are_as_long_as_asked_and_from_as_many_texts() -> None:
    population = Population.of_corpus(reference(12, 4, 1500))
    setting = Setting.of(population, 2, 2000, 700)
    known, unknown = setting.draw(np.random.default_rng(0))
    assert set(known.lengths) == {2000}
    assert set(unknown.lengths) == {700}
    longer = Setting.of(population, 2, 9000, 9000)
    assert (longer.known, longer.unknown) == (4500, 1500)


def test_a_drawn_passage_is_words_in_a_row() -> None:
    ids = np.repeat(np.arange(8), CHUNK)
    chunked = Chunked.of_ids([ids], tuple("abcdefgh"))
    counts, length = chunked.draw([0], 2 * CHUNK, np.random.default_rng(0))
    present = np.flatnonzero(counts)
    assert length == 2 * CHUNK
    assert np.all(np.diff(present) == 1)
    assert len(present) == 2


def test_short_texts_get_no_verdict(others: Population) -> None:
    found = verify(write(0, 2000, 1), write(0, 60, 2), others)
    assert (found.decision, found.likelihood_ratio, found.probability) == ("no verdict", None, None)
    assert "the unknown text has 60 words, and under 100 nobody can tell" in found.why
    assert "the known texts have 1 word," in verify("word", "word", others).why


def _shuffled(text: str, seed: int) -> str:
    """Return the words in another order: two sides that are one text get no verdict for that alone."""
    return " ".join(np.random.default_rng(seed).permutation(text.split()))


@pytest.mark.parametrize(
    "text",
    [
        "De zon scheen over het water en de schepen voeren langzaam naar de haven terug, zoals elke avond. ",
        "El sol brillaba sobre el agua y los barcos volvían despacio al puerto, como todas las tardes. ",
        "Ο ήλιος έλαμπε πάνω στο νερό και τα πλοία γύριζαν αργά στο λιμάνι, όπως κάθε βράδυ. ",
    ],
    ids=["Dutch", "Spanish", "Greek"],
)
def test_another_language_gets_no_verdict(text: str) -> None:
    found = verify(_shuffled(text * 20, 1), _shuffled(text * 20, 2))
    assert found.decision == "no verdict"
    assert found.probability is None
    assert "too few of the words" in found.why
    assert "Give texts by other hands" in found.blocks()[0].text


def test_speeches_get_no_verdict_from_novels() -> None:
    text = (
        "The committee of the states has the power to provide for the payment of the public debt, and it is the duty "
        "of the government to preserve the credit of the nation by such measures as the Congress may approve. "
    )
    found = verify(_shuffled(text * 10, 1), _shuffled(text * 10, 2))
    assert found.decision == "no verdict"
    assert "speeches and essays" in found.why


def _chat(author: int, tokens: int, seed: int) -> str:
    """Write as `write` does, in another kind of text: every word is more or less usual there, whoever writes."""
    rng, usual = np.random.default_rng([author, seed]), preferences(author)
    kind = np.exp(1.2 * np.random.default_rng(5).normal(size=len(WORDS)))
    return " ".join(rng.choice(WORDS, tokens, p=usual * kind / (usual * kind).sum()))


def test_texts_of_another_kind_than_the_reference_get_no_verdict(others: Population) -> None:
    """Two chats are alike beside novels, whoever wrote them."""
    found = [verify(_chat(a, 1500, 1), _chat(a + 50, 1500, 2), others) for a in range(3)]
    assert all(each.decision == "no verdict" for each in found)
    assert all("of another kind or time" in each.why for each in found)


def test_few_texts_of_the_references_kind_lie_outside_it() -> None:
    population, shares = Population.of_corpus(reference(60, 1, 2000)), []
    for a in range(200, 240):
        sides = [population.counted([write(b, 1000, 1).split()]) for b in (a, a + 60)]
        shares.append(share_as_far(sides, population))
    assert np.mean(np.array(shares) < OUTSIDE) <= 0.15
    assert 0.3 < np.mean(shares) < 0.7


def test_a_word_that_single_texts_of_the_reference_repeat_does_not_change_the_rank(
    others: Population,
) -> None:
    """The lists hold such words of the reference and none of the text in question: it would look closer than they."""
    question = Question.of(sides_of([write(0, 1000, 1)], write(1, 1000, 2), DEFAULT_RULES), others)
    known, unknown = question.drawn[0]
    counts = unknown.counts.toarray()
    rare = np.arange(300, 310)
    counts[:, rare] = 0
    named = counts.copy()
    named[3, rare] += 15
    shared = [
        question.setting.words.among(replace(unknown, counts=csr_array(each)), known.rows([0]))
        for each in (counts, named)
    ]
    assert np.allclose(shared[0], shared[1])


def test_a_reference_that_cannot_be_calibrated_gives_rank_and_p_value_only() -> None:
    texts = {f"author {a}": write(a, 2000, 0) for a in range(100, 120)}
    found = verify(write(0, 1000, 1), write(0, 1000, 2), Corpus.from_texts(texts, vectors=VECTORS))
    assert (found.decision, found.likelihood_ratio) == ("no verdict", None)
    assert (found.rank, found.p_value) == (1, pytest.approx(1 / 21))
    assert "0 authors of the reference have several texts" in found.why


def test_a_reference_that_cannot_tell_its_own_authors_apart_gives_no_verdict() -> None:
    """All texts are by one hand, whatever their labels say."""
    texts = {f"{a} {i}": write(7, 1000, 10 * a + i) for a in range(12) for i in range(2)}
    corpus = Corpus.from_texts(texts, labels=[name.split()[0] for name in texts], vectors=VECTORS)
    found = verify(write(7, 300, 901), write(7, 300, 902), corpus)
    assert (found.decision, found.likelihood_ratio) == ("no verdict", None)
    assert "from 1 on they say nothing" in found.why
    assert found.p_value is not None


def test_a_copy_of_the_known_text_gets_no_verdict(others: Population) -> None:
    """It was one hand, 200 times as likely."""
    text = write(0, 2000, 1)
    found = verify(text, text, others)
    assert found.decision == "no verdict"
    assert "4,000 words were left out: they stand in both word for word" in found.why


def test_a_quotation_of_the_other_text_says_nothing(others: Population) -> None:
    known, theirs = write(0, 2000, 1), write(20, 900, 2)
    plain = verify(known, theirs, others)
    quoting = verify(known, f"{theirs} {' '.join(known.split()[400:1000])}", others)
    assert quoting.tokens[1] == pytest.approx(plain.tokens[1], abs=24)
    assert quoting.decision == plain.decision == "different hands"
    assert "stand in both word for word" in quoting.notes[0]
    assert not any("word for word" in note for note in plain.notes)


def test_a_text_that_repeats_itself_is_as_long_as_its_own_words(others: Population) -> None:
    found = verify(write(0, 60, 1) + f" {write(0, 60, 1)}" * 30, write(0, 2000, 2), others)
    assert found.decision == "no verdict"
    assert "the known texts have 60 words" in found.why


def test_copies_in_the_reference_are_no_pairs_by_one_hand() -> None:
    """Copies as an author's several texts made a reference that told its own authors apart without fail."""
    corpus = reference(12, 1, 1500)
    assert corpus.texts is not None
    names = [f"{name} {i}" for i in range(2) for name in corpus.names]
    twice = Corpus.from_texts(
        dict(zip(names, [*corpus.texts] * 2, strict=True)),
        labels=[*(corpus.labels or ())] * 2,
        vectors=VECTORS,
    )
    population = Population.of_corpus(twice)
    assert population.titles == tuple(names[:12])
    assert "copies of other texts" in population.notes[0]
    found = verify(write(0, 800, 1), write(0, 800, 2), population)
    assert found.decision == "no verdict"
    assert found.notes[:1] == population.notes
    with pytest.raises(EstimateError, match="7 texts of the reference are left"):
        Population.of_corpus(twice.subset([*names[:7], *names[12:19]]))


def test_authors_of_another_language_are_left_out(others: Population) -> None:
    """Beside them any two texts of one language look alike."""
    corpus = reference(10, 2, 1500)
    assert corpus.texts is not None
    foreign = [text.translate(str.maketrans("aeiou", "äëïöü")) for text in corpus.texts]
    texts = dict(
        zip([*corpus.names, *(f"f {n}" for n in corpus.names)], [*corpus.texts, *foreign], strict=True)
    )
    labels = [*(corpus.labels or ()), *(f"foreign {label}" for label in corpus.labels or ())]
    mixed = Population.of_corpus(Corpus.from_texts(texts, labels=labels, vectors=VECTORS))
    found = verify(write(0, 800, 1), write(20, 800, 2), mixed)
    assert found.impostors == 10
    assert "left 10 authors out of the reference" in found.notes[0]
    with pytest.raises(EstimateError, match="10 of its 20 authors seem to write another language"):
        calibrate(mixed, lengths=(300,))
    assert not any("language" in note for note in verify(write(0, 800, 1), write(20, 800, 2), others).notes)


def test_impostors_that_share_a_text_are_left_out(others: Population) -> None:
    found = verify(write(135, 3000, 0), write(3, 2000, 2), others)
    assert found.impostors == len(others.members) - 1
    assert "left author 135 out" in found.notes[0]


def test_authors_can_be_left_out(others: Population) -> None:
    found = verify(write(0, 300, 1), write(1, 300, 1), others, exclude=["Author 131"])
    assert found.impostors == len(others.members) - 1
    with pytest.raises(OptionError, match="no author 'nobody'"):
        verify("a b", "c d", others, exclude=["nobody"])


def test_a_fitted_curve_recovers_the_one_that_made_the_pairs() -> None:
    """Scores are N(1, 1) for one hand and N(-1, 1) for two: the log ratio is 2 s."""
    rng = np.random.default_rng(0)
    same, different = rng.normal(1, 1, 4000), rng.normal(-1, 1, 4000)
    found = fit_curve(same, different, RatioCurve(0.5, 0.5), authors=4000)
    assert found.slope == pytest.approx(2, abs=0.15)
    assert found.intercept == pytest.approx(0, abs=0.1)
    held = fit_curve(same, different, RatioCurve(0.5, 0.5), authors=0.0)
    assert (held.intercept, held.slope) == pytest.approx((0.5, 0.5), abs=1e-6)
    assert cost(2 * same, 2 * different) < cost(same / 2, different / 2)


def test_a_curve_is_found_however_steep_the_one_that_it_is_held_to() -> None:
    """Whole Newton steps from so steep a curve end at a falling one."""
    rng = np.random.default_rng(0)
    same, different = rng.normal(4, 1.5, 52), rng.normal(2, 1, 7000)
    found = fit_curve(same, different, RatioCurve(-12.9, 3.66), authors=13.0)
    assert found.slope > 1
    assert cost(found.log_ratio(same), found.log_ratio(different)) < 0.8


def test_a_score_that_falls_where_one_hand_wrote_both_says_nothing() -> None:
    """Fitted freely, closer sides would speak for two hands."""
    rng = np.random.default_rng(0)
    same, different = rng.normal(-1, 1, 400), rng.normal(1, 1, 4000)
    found = fit_curve(same, different, RatioCurve(-1.5, 1.8), authors=400.0)
    assert found.slope == 0.0
    assert abs(found.intercept) < 0.1
    assert cost(found.log_ratio(same), found.log_ratio(different)) == pytest.approx(1, abs=0.01)


def test_novels_by_one_hand_get_a_calibration_that_says_something() -> None:
    """From 6,000 words on the cost was 7, and Austen's novels were by two hands."""
    (found,) = calibrate(lengths=(10_000,)).lengths
    assert found.cost < 0.9
    assert found.decided[0] > 0.5


def test_a_calibration_report_is_written(others: Population, tmp_path: Path) -> None:
    report = calibrate(others, lengths=(300, 1000))
    assert [each.words for each in report.lengths] == [(300, 300), (1000, 1000)]
    assert report.lengths[1].cost < report.lengths[0].cost
    names = {file.name for file in report.write(tmp_path)}
    assert {"calibration_report.json", "calibration_report_300_300_tippett.png"} <= names
    assert {"calibration_report_1000_1000_ece.png", "calibration_report_1000_1000_reliability.png"} <= names
    read = json.loads((tmp_path / "calibration_report.json").read_text(encoding="utf-8"))
    assert read["lengths"][0]["pairs"] == [120, 30 * 29 * 4]
    with pytest.raises(EstimateError, match="cannot be calibrated"):
        calibrate(Population.of_corpus(reference(12, 1, 800)), lengths=(300,))


def test_between_two_lengths_the_curve_is_between_two_curves() -> None:
    for method, curves in CURVES.items():
        first, second = list(curves)[:2]
        found = curve_at(method, float(np.sqrt(first * second)))
        assert found.intercept == pytest.approx((curves[first][0] + curves[second][0]) / 2)
        assert curve_at(method, 10).slope == curves[first][1]


def test_the_english_reference_says_what_it_is() -> None:
    found = english()
    assert len(found.members) > 40
    assert found.words[:3] == (",", "the", ".")
    assert "public-domain" in found.about
    assert found.chunked.lengths.max() <= 20_000


def test_a_reference_of_another_time_asks_for_more(others: Population) -> None:
    """Two hands of a time that the reference has not share more: as much as that is taken off the score."""
    older = replace(others, kinship=((300, 1.0), (3000, 2.0)))
    assert older.shift(300) == 1.0
    assert older.shift(float(np.sqrt(300 * 3000))) == pytest.approx(1.5)
    assert others.shift(300) == 0.0
    plain, careful = (verify(write(1, 600, 1), write(1, 600, 2), each) for each in (others, older))
    assert plain.scores == careful.scores
    assert plain.calibration is not None
    assert careful.calibration is not None
    assert careful.calibration.curve.log_ratio(1.0) < plain.calibration.curve.log_ratio(1.0)
    assert any("nineteenth century" in note for note in careful.notes)
    votes_only = verify(write(1, 600, 1), write(1, 600, 2), older, method="imposters")
    assert votes_only.decision == "no verdict"
    assert "General Imposters needs a reference" in votes_only.why


def test_support_is_named_and_every_verdict_needs_some() -> None:
    assert [support(r) for r in (1.9, 2.0, 0.1, 50.0, 150.0)] == [
        "no support", "weak support", "moderate support", "moderate support", "moderately strong support",
    ]  # fmt: skip
    rng = np.random.default_rng(0)
    low, high = thresholds(rng.normal(3, 1, 500), rng.normal(-3, 1, 500), 0.1)
    assert high == pytest.approx(np.log(2))
    assert low == pytest.approx(-np.log(2))


def test_mistakes_are_named(others: Population) -> None:
    with pytest.raises(OptionError, match="no reference for french"):
        verify("un", "deux", rules=TokenRules(language="french"))
    with pytest.raises(OptionError, match="no method 'magic'"):
        verify("a b", "c d", others, method="magic")
    with pytest.raises(OptionError, match="band must be"):
        verify("a b", "c d", others, band=0.7)
    with pytest.raises(EstimateError, match="the unknown text has no words"):
        verify("a b", " ", others)
    with pytest.raises(EstimateError, match="the reference has 2 texts, but 8 are needed"):
        verify("a b", "c d", Corpus.from_texts(["a b", "c d"], vectors=VECTORS))


def _in_order(author: int, words: int, seed: int) -> str:
    """Write blocks of the same words, each in one of two orders by the author's habits."""
    habits, rng = np.random.default_rng(author).random(12), np.random.default_rng([author, seed])
    blocks = [(f"ba{c}", f"do{c}", f"fi{c}") for c in "abcdefghijkl"]
    found = []
    for block in rng.integers(12, size=words // 3):
        found += blocks[block] if rng.random() < habits[block] else blocks[block][::-1]
    return " ".join(found)


def test_hands_that_use_the_same_words_are_told_by_their_order() -> None:
    texts = {f"{a} {i}": _in_order(a, 1500, i) for a in range(20, 44) for i in range(2)}
    labels = [name.split()[0] for name in texts]
    others = Population.of_corpus(Corpus.from_texts(texts, labels=labels, vectors=VECTORS))
    same, different = (verify(_in_order(0, 900, 1), _in_order(a, 900, 2), others) for a in (0, 1))
    assert same.scores["pairs"] > 2 > 0 > different.scores["pairs"]
    assert same.likelihood_ratio is not None
    assert different.likelihood_ratio is not None
    assert same.likelihood_ratio > 2 > different.likelihood_ratio
    pairs = tuple(reason for reason in same.evidence if reason.kind == "pair")
    assert f"{pairs[0].word!r}" in "\n".join(map(str, replace(same, evidence=pairs).blocks()))


def test_other_texts_are_counted_as_the_reference_is() -> None:
    corpus = reference(10, 1, 500)
    population = Population.of_corpus(corpus)
    again = population.counted([[corpus.vocabulary.keys[i] for i in corpus.tokens(3)]])
    assert np.array_equal(again.whole.counts.toarray()[0], population.chunked.whole.counts.toarray()[3])
    first, second = population.pairs[0].split()
    words = [corpus.vocabulary.keys[i] for i in corpus.tokens(3)]
    column = len(population.words)
    assert again.whole.counts.toarray()[0, column] == sum(pair == (first, second) for pair in pairwise(words))


def test_the_references_own_pairs_are_scored_as_those_of_strangers() -> None:
    """What varies within an author's texts is not taken out of that author's pairs when the curve is fitted."""
    setting = Setting.of(Population.of_corpus(reference(12, 2, 2400)), 1, 1000, 1000)
    drawn = [setting.draw(np.random.default_rng(0))]
    (seen,) = together(scored(setting, drawn, "two-sided"))
    (apart,) = scored_apart(setting, drawn, "two-sided", [seen])
    assert np.diag(apart).mean() < np.diag(seen).mean()
    for rows, part in setting.parts():
        texts = {text for row in rows for text in setting.population.members[setting.authors[row]]}
        assert part.words.passages is not None
        z, owners, authors = part.words.passages
        others = np.array([owner not in texts for owner in owners])
        assert len(np.unique(authors[others])) == 8
        prior = part.words.mean / (part.words.mean + part.words.rare)
        weights = np.sqrt(reliability(z[others], owners[others], authors[others], prior, HELD))
        assert np.allclose(part.words.weights, weights)
        expected = WithinTexts.of(unit_length(z[others] * weights), owners[others])
        assert np.allclose(part.words.within.less(z), expected.less(z))
        assert np.array_equal(apart[rows], together(scored(part, drawn, "two-sided"))[0][rows])


def test_nothing_is_learnt_from_texts_without_two_passages() -> None:
    setting = Setting.of(Population.of_corpus(reference(12, 2, 350)), 1, 300, 300)
    assert not list(setting.parts())
    assert setting.words.without([0, 1]) is setting.words
    words, characters = setting.words, setting.characters
    assert np.allclose(words.weights**2, words.mean / (words.mean + words.rare))
    assert np.ptp(characters.weights) == 0
