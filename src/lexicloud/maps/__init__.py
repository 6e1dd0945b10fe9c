"""Maps of texts, sentences and words: similar ones are together, and regions are named by their key words."""

from lexicloud.maps.draw import map_sentences, map_texts, map_words
from lexicloud.maps.result import CorpusMap

__all__ = ["CorpusMap", "map_sentences", "map_texts", "map_words"]
