"""Two corpora over one vocabulary, without renumbering the words of the first."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lexicloud.corpus import Vocabulary
from lexicloud.errors import CorpusError, OptionError, VectorsError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus


def joined(known: Corpus, new: Corpus) -> Corpus:
    """Return the documents of both; words that only `new` has are numbered after those of `known`."""
    both = set(known.names) & set(new.names)
    if both:
        raise CorpusError(f"there is a document named {min(both)!r} already: give the new one another name")
    if new.lexicon is known.lexicon:
        return _appended(known, new, new.stream)
    if new.lexicon.fingerprint != known.lexicon.fingerprint:
        raise VectorsError(
            f"the new texts have vectors {new.lexicon.source!r} but the others {known.lexicon.source!r}: "
            "use the same for both"
        )
    if new.rules != known.rules:
        raise OptionError("the new texts were split into words by other rules: use the same for both")
    extended, numbers = _extended(known, new)
    return _appended(extended, new, numbers[new.stream])


def _extended(known: Corpus, new: Corpus) -> tuple[Corpus, NDArray[np.int32]]:
    """Add the words of `new` that `known` lacks, and say which number each word of `new` has now."""
    ids, size = known.vocabulary.ids, len(known.vocabulary)
    fresh = [i for i, word in enumerate(new.vocabulary) if word not in ids]
    numbers = np.array([ids.get(word, -1) for word in new.vocabulary], dtype=np.int32)
    numbers[fresh] = np.arange(size, size + len(fresh), dtype=np.int32)
    a, b = known.lexicon, new.lexicon
    lexicon = replace(
        a,
        vocabulary=Vocabulary([*a.vocabulary, *(b.vocabulary[i] for i in fresh)]),
        vectors=np.concatenate([a.vectors, b.vectors[fresh]]),
        status=np.concatenate([a.status, b.status[fresh]]),
        stopwords=np.concatenate([a.stopwords, b.stopwords[fresh]]),
        punctuation=np.concatenate([a.punctuation, b.punctuation[fresh]]),
        cache={},
    )
    return replace(known, lexicon=lexicon), numbers


def _appended(known: Corpus, new: Corpus, stream: NDArray[np.int32]) -> Corpus:
    labels = None
    if known.labels is not None or new.labels is not None:
        labels = (*(known.labels or (None,) * len(known)), *(new.labels or (None,) * len(new)))
    return replace(
        known,
        names=(*known.names, *new.names),
        stream=np.concatenate([known.stream, stream]).astype(np.int32),
        bounds=np.concatenate([known.bounds, known.bounds[-1] + new.bounds[1:]]),
        labels=labels,
        texts=None,
        parents=None,
    )
