"""A data folder of our own in the layout of the paper's: six made-up books, RACE passages, a little Brown, a survey."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

# Three authors, each with two books about the same things; the words are in the built-in vectors.
THEMES = {
    "marine": "ship captain sailor harbour storm wave wind anchor island rope deck mast whale boat ocean shore tide",
    "rural": "horse field wheat barn cow sheep fence plough tractor farmer hay orchard apple meadow goat hen stable",
    "legal": "judge court lawyer verdict witness jury contract crime prison police trial evidence guilty appeal law",
}
SHARED = (
    "man woman child night day old young walk speak see hear think sleep house street door letter money year"
)
GENRES = {"marine": "fiction", "rural": "fiction", "legal": "non-fiction"}
LEVELS = {"marine": "college", "rural": "middle", "legal": "high"}


def make_data_folder(folder: Path) -> Path:
    """Write everything but Reuters, whose sentences need NLTK's punkt."""
    _books(folder / "books")
    _race(folder / "RACE")
    _brown(folder / "nltk_data" / "corpora" / "brown")
    _survey(folder / "survey")
    return folder


def sentences(theme: str, seed: int, number: int) -> list[str]:
    """Return sentences of a theme: three words of its own, two of everybody's, and little ones between them."""
    rng = np.random.default_rng(seed)
    own, shared = THEMES[theme].split(), SHARED.split()
    listed = []
    for _ in range(number):
        a, b, c = rng.choice(own, 3)
        x, y = rng.choice(shared, 2)
        listed.append(f"The {a} of the {x} was in the {b}, a {y} {c}.")
    return listed


def _books(folder: Path) -> None:
    folder.mkdir(parents=True)
    rows = ["slug,title,author_category,genre,reading_level"]
    for t, theme in enumerate(THEMES):
        for i in range(2):
            slug = f"{theme}_{i}"
            text = "\n".join(sentences(theme, 10 * t + i, 640))
            (folder / f"{slug}.txt").write_text(text, encoding="utf-8")
            rows.append(f"{slug},A made-up book,{theme},{GENRES[theme]},{LEVELS[theme]}")
    (folder / "unlabelled.txt").write_text("Nobody has labelled this.", encoding="utf-8")
    (folder / "the_great_gatsby.txt").write_text("\n".join(sentences("marine", 99, 640)), encoding="utf-8")
    (folder / "books.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")


def _race(folder: Path) -> None:
    for part, level, number in (
        ("train", "middle", 60),
        ("train", "high", 60),
        ("dev", "high", 5),
        ("test", "middle", 5),
    ):
        (folder / part / level).mkdir(parents=True)
        for i in range(number):
            passage = {
                "article": " ".join(sentences("rural" if i % 2 else "legal", 1000 + i, 6)),
                "questions": ["Where was the judge?"],
                "options": [["In court", "At sea", "In a barn", "Asleep"]],
                "answers": ["A"],
                "id": f"{level}{i}.txt",
            }
            path = folder / part / level / f"{i}.txt"
            path.write_text(json.dumps(passage), encoding="utf-8")


def _brown(folder: Path) -> None:
    """Write two texts as the Brown corpus has them: a sentence a line, words with tags, blank lines between."""
    folder.mkdir(parents=True)
    (folder / "cats.txt").write_text("ca01 news\n", encoding="utf-8")
    for name, theme in (("ca01", "legal"), ("cb02", "rural")):
        lines = [f"\t{_tagged(s)}" for s in sentences(theme, 7, 40)]
        (folder / name).write_text("\n\n\n" + "\n\n\n".join(lines) + "\n", encoding="utf-8")


def _tagged(sentence: str) -> str:
    words = sentence.replace(",", " ,").replace(".", " .").split()
    return " ".join(f"{word}/{word if word in ',.' else 'nn'}" for word in words)


def _survey(folder: Path) -> None:
    """Write the aggregates of a questionnaire that ten people answered, and what it showed for two queries."""
    folder.mkdir(parents=True)
    names = ("set_cover", "embedding_average", "word_movers_distance", "jaccard", "edit_distance")
    chosen = {name: {"included_count_unweighted": 30 + 5 * i} for i, name in enumerate(names)}
    choose = {"num_responses": 10, "num_answered_unweighted": 100, **chosen}
    (folder / "choose-3-results.json").write_text(json.dumps(choose), encoding="utf-8")
    counts = {question: dict.fromkeys(names[1:], 30) for question in ("preference", "variety")}
    lost = {question: dict.fromkeys(names[1:], 10) for question in ("preference", "variety")}
    heads = {"num_responses": 10, "set_cover": {"wins": counts, "losses": lost}}
    (folder / "head-to-head-results.json").write_text(json.dumps(heads), encoding="utf-8")
    suggestions = {
        str(i): {
            "query": sentences(theme, 50 + i, 1)[0],
            "difficulty": LEVELS[theme],
            # Set cover shares one of its two suggestions with the average; nobody else shares any.
            "set_cover": {"0": "A ship came in.", "1": "The hen slept."},
            "embedding_average": {"0": "A ship came in.", "1": "A boat came in."},
            "word_movers_distance": {"0": "Boats came.", "1": "Ships came."},
            "jaccard": {"0": "The hen sat.", "1": "The hen stood."},
            "edit_distance": {"0": "Nobody spoke.", "1": "Everybody spoke."},
        }
        for i, theme in enumerate(THEMES)
    }
    (folder / "suggestions.json").write_text(json.dumps(suggestions), encoding="utf-8")
