"""Documents or sentences as counts over one vocabulary, beside its vectors."""

from lexicloud.corpus.corpus import Corpus, require_corpus
from lexicloud.corpus.coverage import Coverage
from lexicloud.corpus.vocabulary import Vocabulary

__all__ = ["Corpus", "Coverage", "Vocabulary", "require_corpus"]
