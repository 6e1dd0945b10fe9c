"""Documents or sentences as counts over one vocabulary, beside its vectors."""

from lexicloud.corpus.corpus import Corpus, require_corpus
from lexicloud.corpus.lexicon import Coverage, Vocabulary

__all__ = ["Corpus", "Coverage", "Vocabulary", "require_corpus"]
