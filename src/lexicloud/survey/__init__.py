"""The questionnaire: which suggestions do people prefer? Made, answered and evaluated here; shown by a shell."""

from lexicloud.survey.aggregates import Aggregates, read_aggregates
from lexicloud.survey.answer_store import Answer, AnswerStore, Participant
from lexicloud.survey.design import Arm, Background, Query, Study, arms_of, pairs_of
from lexicloud.survey.draw import make_study
from lexicloud.survey.findings import ArmResults, Comparison, MethodShare, Results
from lexicloud.survey.panel import import_suggestions
from lexicloud.survey.questionnaire import Questionnaire, Session, answers_beside
from lexicloud.survey.score import score
from lexicloud.survey.simulate import Crowd, simulate

__all__ = [
    "Aggregates",
    "Answer",
    "AnswerStore",
    "Arm",
    "ArmResults",
    "Background",
    "Comparison",
    "Crowd",
    "MethodShare",
    "Participant",
    "Query",
    "Questionnaire",
    "Results",
    "Session",
    "Study",
    "answers_beside",
    "arms_of",
    "import_suggestions",
    "make_study",
    "pairs_of",
    "read_aggregates",
    "score",
    "simulate",
]
