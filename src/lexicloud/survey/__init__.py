"""The questionnaire: which suggestions do people prefer? Made, answered and evaluated here; shown by a shell."""

from lexicloud.survey.answer_store import AnswerStore, GivenAnswer, Participant
from lexicloud.survey.design import Arm, BackgroundQuestion, Study, StudyQuery, arms_of, pairs_of
from lexicloud.survey.questionnaire import Crowd, Questionnaire, Session, answers_beside, simulate
from lexicloud.survey.results import (
    Aggregates,
    ArmResults,
    Comparison,
    MethodShare,
    Results,
    read_aggregates,
    score,
)
from lexicloud.survey.suggestions import import_suggestions, make_study

__all__ = [
    "Aggregates",
    "AnswerStore",
    "Arm",
    "ArmResults",
    "BackgroundQuestion",
    "Comparison",
    "Crowd",
    "GivenAnswer",
    "MethodShare",
    "Participant",
    "Questionnaire",
    "Results",
    "Session",
    "Study",
    "StudyQuery",
    "answers_beside",
    "arms_of",
    "import_suggestions",
    "make_study",
    "pairs_of",
    "read_aggregates",
    "score",
    "simulate",
]
