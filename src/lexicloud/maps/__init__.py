"""Maps of texts, sentences and words: similar ones are together, and regions are named by their key words."""

from lexicloud.maps.result import CorpusMap
from lexicloud.maps.sentences import map_sentences
from lexicloud.maps.texts import map_texts
from lexicloud.maps.words import map_words

__all__ = ["CorpusMap", "map_sentences", "map_texts", "map_words"]
