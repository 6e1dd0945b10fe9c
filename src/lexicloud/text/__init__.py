"""From files and strings to tokens, sentences, stop words and tags."""

from lexicloud.text.detection import Detection, Detections, detect_language, detect_languages
from lexicloud.text.document import Document, labels_from_names
from lexicloud.text.language import DEFAULT_RULES, LANGUAGES, TokenRules
from lexicloud.text.read import read_documents
from lexicloud.text.sentences import split_sentences
from lexicloud.text.stems import Lemmatizer
from lexicloud.text.tags import PARTS, Tagged, fine_tags, part_of_tag, tag, tag_sentences, tag_words
from lexicloud.text.tokens import is_punctuation, is_stopword, stopwords, tokenize

__all__ = [
    "DEFAULT_RULES",
    "LANGUAGES",
    "PARTS",
    "Detection",
    "Detections",
    "Document",
    "Lemmatizer",
    "Tagged",
    "TokenRules",
    "detect_language",
    "detect_languages",
    "fine_tags",
    "is_punctuation",
    "is_stopword",
    "labels_from_names",
    "part_of_tag",
    "read_documents",
    "split_sentences",
    "stopwords",
    "tag",
    "tag_sentences",
    "tag_words",
    "tokenize",
]
