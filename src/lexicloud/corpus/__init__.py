"""Documents or sentences as counts over one vocabulary, with its vectors."""

from lexicloud.corpus.corpus import Corpus, require_corpus, require_vectors
from lexicloud.corpus.own_vectors import TrainedVectors, Training, train_vectors
from lexicloud.words.lexicon import Coverage, Vocabulary

__all__ = [
    "Corpus",
    "Coverage",
    "TrainedVectors",
    "Training",
    "Vocabulary",
    "require_corpus",
    "require_vectors",
    "train_vectors",
]
