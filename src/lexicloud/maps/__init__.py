"""Maps of texts and of sentences: near ones together, regions named by their most telling words."""

from lexicloud.maps.result import CorpusMap
from lexicloud.maps.sentences import map_sentences
from lexicloud.maps.texts import map_texts
from lexicloud.maps.words import map_words

__all__ = ["CorpusMap", "map_sentences", "map_texts", "map_words"]
