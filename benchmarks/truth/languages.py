"""Tokens, sentences, lemmas and detection per language, against 22 treebanks of Universal Dependencies.

    python -m benchmarks.truth.languages            # writes benchmarks/results/languages.json
    python -m benchmarks.truth.languages --tune     # prints the half that the rules were tuned on

The rules were written with an eye on the first half of each treebank's sentences; what is written down is of the
second. Peers run on the same text: NLTK's tokenizer and punkt, sentencex, simplemma. Positions are counted in
characters other than white space. A word that a treebank cuts into syntactic words (du = de + le) counts as the one
token it is written as.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from benchmarks.brown import Scores, boundaries
from benchmarks.record import ROOT, SHARED, write
from lexicloud.errors import OptionError
from lexicloud.text import Detection, Lemmatizer, TokenRules, detect_language, split_sentences, tokenize
from lexicloud.text.language import read_language

UD = SHARED / "ud"
NAMES = {"slovenian": "slovene"}  # UD's name of a language, where ours differs
Half = Literal["tune", "report"]
PAGE = ROOT / "docs/languages-measured.md"
NO_LEMMAS = frozenset({"PUNCT", "NUM", "SYM", "X", "_"})
LONGEST_PARAGRAPH = 10
WORDS_OF_FRAGMENTS = (1, 2, 3, 5, 8, 12, 20)


@dataclass
class Sentence:
    """A sentence of a treebank: its text, its written tokens, and the lemmas of its words."""

    text: str = ""
    tokens: list[str] = field(default_factory=list)
    lemmas: list[tuple[str, str, str]] = field(default_factory=list)  # form, lemma, part of speech
    glued: bool = False  # nothing stands between it and the next
    opens: bool = False  # a paragraph or document begins


def read_treebank(path: Path) -> list[Sentence]:
    """Read a treebank's sentences in order."""
    return [_sentence(block.split("\n")) for block in path.read_text("utf-8").strip().split("\n\n")]


def _sentence(lines: list[str]) -> Sentence:
    sentence, until = Sentence(), 0
    for line in lines:
        if line.startswith("#"):
            sentence.opens |= line.startswith(("# newdoc", "# newpar"))
            if line.startswith("# text ="):
                sentence.text = line.removeprefix("# text =").strip()
            continue
        number, form, lemma, part, *_, misc = line.split("\t")
        if "." in number:
            continue
        if "-" in number:
            until = int(number.split("-")[1])
        elif int(number) > until:
            sentence.lemmas.append((form, lemma, part))
        if "-" in number or int(number) > until:
            sentence.tokens.append(form)
            sentence.glued = "SpaceAfter=No" in misc
    return sentence


def half_of(sentences: list[Sentence], half: Half) -> list[Sentence]:
    """Return the first half, to tune on, or the second, to report."""
    middle = len(sentences) // 2
    return sentences[:middle] if half == "tune" else sentences[middle:]


def paragraphs(sentences: list[Sentence]) -> Iterator[list[Sentence]]:
    """Yield the sentences of each paragraph; where a treebank marks none, ten sentences are one.

    Without an end, a quotation that is never closed would lead sentencex astray for the rest of the treebank.
    """
    single = all(sentence.opens for sentence in sentences)
    block: list[Sentence] = []
    for sentence in sentences:
        if (block and sentence.opens and not single) or len(block) == LONGEST_PARAGRAPH:
            yield block
            block = []
        block.append(sentence)
    yield block


def joined(block: list[Sentence]) -> str:
    """Return a paragraph's text."""
    return "".join(s.text + ("" if s.glued else " ") for s in block).strip()


def sentence_scores(sentences: list[Sentence], split: Callable[[str], Iterable[str]]) -> Scores:
    """Compare the cuts inside paragraphs with the treebank's."""
    met = wrong = missed = 0
    for block in paragraphs(sentences):
        true, found = boundaries([s.text for s in block]), boundaries(list(split(joined(block))))
        met, wrong, missed = met + len(true & found), wrong + len(found - true), missed + len(true - found)
    return Scores(met, wrong, missed)


def spans(text: str, tokens: Iterable[str]) -> set[tuple[int, int]]:
    """Return where tokens begin and end in a text, counted in characters other than white space."""
    text, found, position = "".join(text.split()), set(), 0
    for token in ("".join(token.split()) for token in tokens):
        begin = text.find(token, position)  # what stands between tokens (_) belongs to none
        position = begin + len(token)
        found.add((begin, position))
    return found


def token_scores(sentences: list[Sentence], cut: Callable[[str], list[str]]) -> Scores:
    """Compare tokens with the treebank's, sentence by sentence."""
    met = wrong = missed = 0
    for sentence in sentences:
        true, found = spans(sentence.text, sentence.tokens), spans(sentence.text, cut(sentence.text))
        met, wrong, missed = met + len(true & found), wrong + len(found - true), missed + len(true - found)
    return Scores(met, wrong, missed)


def _nltk_cut() -> Callable[[str], list[str]]:
    from nltk.tokenize import NLTKWordTokenizer

    tokenizer = NLTKWordTokenizer()

    def cut(text: str) -> list[str]:
        # It writes quotes anew as `` and '', so its spans are asked for.
        return [text[a:b] for a, b in tokenizer.span_tokenize(text)]

    return cut


def _punkt(name: str) -> Callable[[str], list[str]] | None:
    import nltk
    from nltk.tokenize import PunktTokenizer

    nltk.data.path[:] = [str(SHARED / "nltk_data")]
    try:
        found: Callable[[str], list[str]] = PunktTokenizer(name).tokenize
    except LookupError:
        return None
    return found


def measure_tokens(name: str, sentences: list[Sentence]) -> dict[str, float]:
    """Return the F1 of our tokens, of NLTK's, and of what white space alone separates."""
    rules = TokenRules(language=name)
    cutters = {"ours": lambda text: tokenize(text, rules), "nltk": _nltk_cut(), "spaces": str.split}
    return {who: round(token_scores(sentences, cut).f1, 4) for who, cut in cutters.items()}


def measure_sentences(name: str, sentences: list[Sentence]) -> dict[str, float | None]:
    """Return the F1 of our sentences, of sentencex's and of NLTK's punkt."""
    from sentencex import segment

    rules, code, punkt = TokenRules(language=name), read_language(name).code, _punkt(name)
    found: dict[str, float | None] = {
        "ours": round(sentence_scores(sentences, lambda text: split_sentences(text, rules)).f1, 4),
        "sentencex": round(sentence_scores(sentences, lambda text: list(segment(code, text))).f1, 4),
        "punkt": round(sentence_scores(sentences, punkt).f1, 4) if punkt else None,
    }
    return found


def measure_lemmas(name: str, sentences: list[Sentence]) -> dict[str, float] | None:
    """Return the share of words whose lemma is the treebank's: ours, and every word as its own lemma."""
    try:
        lemma = Lemmatizer(name)
    except OptionError:
        return None
    normalise = TokenRules(language=name).normalise
    words = [
        (form, true)
        for s in sentences
        for form, true, part in s.lemmas
        if part not in NO_LEMMAS and form.isalpha()
    ]
    ours = sum(lemma(form) == normalise(true) for form, true in words) / len(words)
    itself = sum(normalise(form) == normalise(true) for form, true in words) / len(words)
    return {"ours": round(ours, 4), "itself": round(itself, 4), "words": len(words)}


def fragments(name: str, sentences: list[Sentence]) -> Iterator[tuple[int, str]]:
    """Yield the beginnings of sentences, with their number of words; two characters stand for a word of Chinese."""
    for sentence in sentences:
        for size in WORDS_OF_FRAGMENTS:
            if name in {"chinese", "japanese"}:
                text, enough = sentence.text[: 2 * size], len(sentence.text) >= 2 * size
            else:
                words = sentence.text.split()
                text, enough = " ".join(words[:size]), len(words) >= size
            if enough and any(map(str.isalpha, text)):
                yield size, text


def measure_detection(treebanks: dict[str, list[Sentence]]) -> dict[str, Any]:
    """Return how often a language is named and how often that is right, by length; and how true the sureness is."""
    found = [
        (name, size, detect_language(text))
        for name, sentences in treebanks.items()
        for size, text in fragments(name, sentences)
    ]
    by_size = {
        size: _named_and_right([(name, d) for name, n, d in found if n == size])
        for size in WORDS_OF_FRAGMENTS
    }
    by_language = {
        name: _named_and_right([(other, d) for other, n, d in found if other == name and n == 8])
        for name in treebanks
    }
    return {"by words": by_size, "eight words": by_language, "sureness": _calibration(found)}


def _named_and_right(found: list[tuple[str, Detection]]) -> dict[str, float]:
    named = [(name, d) for name, d in found if d.language != "unknown"]
    right = sum(name == d.language for name, d in named)
    return {"named": round(len(named) / len(found), 4), "right": round(right / max(len(named), 1), 4)}


def _calibration(found: list[tuple[str, int, Detection]]) -> list[dict[str, float]]:
    """Return, for each tenth of sureness, what was said and what was so."""
    bins: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for name, _, d in found:
        likeliest = d.language if d.language != "unknown" else next(iter(d.alternatives), "")
        bins[min(9, int(10 * d.sureness))].append((d.sureness, likeliest == name))
    return [
        {
            "texts": len(seen),
            "said": round(sum(said for said, _ in seen) / len(seen), 3),
            "so": round(sum(so for _, so in seen) / len(seen), 3),
        }
        for _, seen in sorted(bins.items())
    ]


def page(results: dict[str, Any]) -> None:
    """Write the tables into docs/languages-measured.md."""
    text = PAGE.read_text("utf-8")
    for name, table in (("languages", _language_table(results)), ("lengths", _length_table(results))):
        before, rest = text.split(f"<!-- {name} -->\n", 1)
        after = rest.split(f"<!-- end of {name} -->", 1)[1]
        text = f"{before}<!-- {name} -->\n{table}\n<!-- end of {name} -->{after}"
    PAGE.write_text(text, "utf-8")


def _language_table(results: dict[str, Any]) -> str:
    head = [
        "| language | tokens | NLTK | sentences | sentencex | punkt | lemmas | word itself | detected of 8 words |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    rows = []
    for name in results["tokens"]:
        tokens, cuts, lemmas = (
            results["tokens"][name],
            results["sentences"][name],
            results["lemmas"][name] or {},
        )
        eight = results["detection"]["eight words"][name]
        numbers = [
            *(tokens["ours"], tokens["nltk"], cuts["ours"], cuts["sentencex"], cuts["punkt"]),
            *(lemmas.get("ours"), lemmas.get("itself"), eight["named"] * eight["right"]),
        ]
        rows.append(f"| {name.title()} | {' | '.join('–' if n is None else f'{n:.3f}' for n in numbers)} |")
    return "\n".join([*head, *rows])


def _length_table(results: dict[str, Any]) -> str:
    head = ["| words | a language is named | of these right |", "|---|---|---|"]
    rows = [
        f"| {size} | {row['named']:.1%} | {row['right']:.1%} |"
        for size, row in results["detection"]["by words"].items()
    ]
    return "\n".join([*head, *rows])


def main() -> None:
    """Measure all treebanks, write the results and the tables of the docs page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tune", action="store_true")
    half: Half = "tune" if parser.parse_args().tune else "report"
    results: dict[str, Any] = {"tokens": {}, "sentences": {}, "lemmas": {}}
    treebanks = {
        NAMES.get(path.stem, path.stem): half_of(read_treebank(path), half)
        for path in sorted(UD.glob("*.conllu"))
    }
    for name, sentences in treebanks.items():
        results["tokens"][name] = measure_tokens(name, sentences)
        results["sentences"][name] = measure_sentences(name, sentences)
        results["lemmas"][name] = measure_lemmas(name, sentences)
        print(name, *(results[kind][name] for kind in ("tokens", "sentences", "lemmas")), flush=True)
    results["detection"] = measure_detection(treebanks)
    print(results["detection"])
    if half == "report":
        print(write("languages", results))
        page(results)


if __name__ == "__main__":
    main()
