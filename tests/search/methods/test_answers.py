"""What a question asks for, and which words of a text may be it."""

from __future__ import annotations

import pytest

from lexicloud.search import SentenceIndex
from lexicloud.search.methods import answers

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
