"""Stop words."""

from __future__ import annotations


def stopwords(language: str = "english") -> frozenset[str]:
    """Return the stop words of a language, normalised as tokens are."""
    return frozenset("the of and to a in that it is was i he for with as his on be at by had not but from they she you which or we an were this have has her him my me so no if are do did been them their there what would who when will all one said".split())


def is_punctuation(token: str) -> bool:
    """Tell whether a token has neither letter nor digit."""
    return not any(c.isalnum() for c in token)
