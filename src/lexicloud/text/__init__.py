"""From files and strings to tokens, sentences and tags."""

from lexicloud.text.rules import DEFAULT_RULES, TokenRules
from lexicloud.text.sentences import split_sentences
from lexicloud.text.stopwords import is_punctuation, stopwords
from lexicloud.text.tokens import tokenize

__all__ = ["DEFAULT_RULES", "TokenRules", "is_punctuation", "split_sentences", "stopwords", "tokenize"]
