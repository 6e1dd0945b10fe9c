"""What a question asks for, and which words of a text may be it."""

from __future__ import annotations

import pytest

from lexicloud.search import SentenceIndex
from lexicloud.search.methods import answers
from lexicloud.search.methods.stand_ins import BEFORE

CASES = [
    ("When did he sail to Nantucket?", "He sailed there in 1851.", "1851"),
    ("How many whales did they see?", "They saw seven of them.", "seven"),
    ("How long did the storm last?", "It lasted two whole days.", "two whole days"),
    ("How much is the ticket?", "A seat costs $20.", "$"),
    ("Why did the ship turn?", "It turned because of ice.", "because"),
    ("Who was the captain?", "The captain was called Ahab.", "Ahab"),
    ("Where did they land?", "They landed near the harbour.", "near"),
]


@pytest.mark.parametrize(("question", "text", "word"), CASES)
def test_the_words_that_may_answer_are_named(question, text, word):
    ((reason,),) = answers.answers(question, [text], 2.0)
    assert (reason.word, reason.adds, reason.kind) == (word, 2 * answers.ANSWER, answers.KIND)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("When did he sail to Nantucket?", "He sailed to Nantucket."),
        ("Who was captain Ahab?", "It was Ahab."),  # a name that the question has is no answer
        ("Who was the captain?", "Nobody knew him."),  # a capital begins the sentence
        ("When he sailed to Nantucket", "He sailed there in 1851."),  # no question
        ("What did he see?", "He saw Ahab in 1851."),  # may be anything
    ],
)
def test_other_texts_gain_nothing(question, text):
    assert answers.answers(question, [text], 1.0) == [()]


def test_the_sentence_with_the_answer_comes_first_and_says_why():
    index = SentenceIndex.build(
        [
            "The captain sailed to Nantucket with his crew.",
            "The captain sailed to Nantucket in 1851, with a crew of many nations and an old ship.",
            "Nobody saw the whale.",
            "The band played all night.",
            "Taxes are due.",
        ]
    )
    first = index.search("When did the captain sail to Nantucket?", top=1)[0]
    assert first.id == 1
    said = [(reason.near, reason.word) for reason in first.matches if reason.kind == answers.KIND]
    assert said == [("When", "1851")]
    assert sum(reason.adds for reason in first.matches) == pytest.approx(first.score)
    assert index.search("When did the captain sail to Nantucket?", top=1, dense=None)[0].id == 0


STORY = """Nobody saw the whale. The captain of the Pequod was a grim man called Ahab. He lost his leg in the south.
The band played all night. Taxes are due in April. The weather was mild."""


def lent(found):
    return [(one.text, reason.near) for one in found for reason in one.matches if reason.word == BEFORE]


def test_the_sentence_before_lends_its_words_to_one_that_may_answer():
    index = SentenceIndex.build({"story": STORY}, split=True)
    question = "Where did the captain of the Pequod lose his leg?"
    found = index.search(question)
    own = next(one for one in found if one.text.startswith("He lost"))
    assert {near for text, near in lent(found) if text == own.text} == {"captain", "pequod"}
    assert sum(reason.adds for reason in own.matches) == pytest.approx(own.score)
    assert own.highlights  # of its own words alone
    assert not lent(index.search(question.replace("?", ".")))  # no question
    assert not lent(index.search(question, dense=None))
    index.remove("story#1")
    assert not any(text == own.text for text, _ in lent(index.search(question)))


def test_texts_that_are_no_sentences_of_one_document_lend_nothing():
    sentences = [sentence.strip() + "." for sentence in STORY.split(".") if sentence.strip()]
    question = "Where did the captain of the Pequod lose his leg?"
    assert not lent(SentenceIndex.build(sentences).search(question))
    apart = [(i, sentence, {"document": i}) for i, sentence in enumerate(sentences)]
    assert not lent(SentenceIndex.build(apart).search(question))
