"""Text files: every spelling of them, their damage, and the fast parser against the obvious one."""

from __future__ import annotations

import gzip
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lexicloud.errors import OptionError, VectorsError
from lexicloud.vectors import load_vectors, text_format
from lexicloud.vectors import text_format as text_file
from lexicloud.vectors.builder import TableBuilder
from lexicloud.vectors.text_format import parse_numbers

GLOVE = "whale 0.25 -1.5 3\nship 1e-3 2 0\nsea 7 8 9\n"
ROWS = np.array([[0.25, -1.5, 3], [1e-3, 2, 0], [7, 8, 9]], dtype=np.float32)


def write(folder, content, name="vectors.any"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(GLOVE, id="glove"),
        pytest.param("3 3\n" + GLOVE, id="header"),
        pytest.param("3 3\n" + GLOVE.replace("\n", " \n"), id="trailing spaces, as fastText writes them"),
        pytest.param(GLOVE.replace("\n", "\r\n"), id="CRLF"),
        pytest.param(GLOVE.rstrip("\n"), id="no newline at the end"),
        pytest.param("\ufeff" + GLOVE, id="byte order mark"),
        pytest.param(GLOVE.replace(" ", "\t"), id="tabs"),
        pytest.param(GLOVE.replace(" ", "  "), id="double spaces"),
        pytest.param(GLOVE + "\n\n", id="blank lines"),
        pytest.param("3\t3\n" + GLOVE, id="header with a tab"),
    ],
)
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_spellings_of_the_same_file(tmp_path, content, packed):
    data = content.encode()
    vectors = load_vectors(write(tmp_path, gzip.compress(data) if packed else data))
    assert list(vectors.words) == ["whale", "ship", "sea"]
    np.testing.assert_array_equal(vectors.matrix, ROWS)
    assert vectors.matrix.dtype == np.float32
    assert not {k for k in vectors.repairs if "blank" not in k}


def test_words_with_spaces_as_in_glove_840b(tmp_path):
    lines = "a 1 2 3\n. . . 4 5 6\nat name@domain.com 7 8 9\nb 1 1 1\n"
    vectors = load_vectors(write(tmp_path, lines))
    assert list(vectors.words) == ["a", ". . .", "at name@domain.com", "b"]
    assert vectors["at name@domain.com"].tolist() == [7, 8, 9]
    assert vectors.repairs == {"words with spaces": 2}
    only = load_vectors(tmp_path / "vectors.any", only=["at name@domain.com", "b"])
    assert list(only.words) == ["at name@domain.com", "b"]


def test_quotes_commas_and_odd_words_are_words(tmp_path):
    words = ['"', "'", "a,b", '"x', "#", "null", "NaN", "nan", "1", "\u00a0", "\u2028", "\x85", "日本"]
    content = "".join(f"{w} {i} 1.5\n" for i, w in enumerate(words))
    vectors = load_vectors(write(tmp_path, content))
    assert list(vectors.words) == words
    assert vectors.matrix[:, 0].tolist() == list(range(len(words)))


def test_safe_repairs_are_counted(tmp_path):
    content = b"9 2\na 1 2\nb 0 0\na 5 5\n 3 3\n\xff\xfe 1 1\nc 4 4\n"
    vectors = load_vectors(write(tmp_path, content))
    assert list(vectors.words) == ["a", "\ufffd\ufffd", "c"]
    assert vectors["a"].tolist() == [1, 2]
    notes = vectors.repairs
    assert notes["duplicate words left out, the first counts"] == 1
    assert notes["words with a vector of zeros left out"] == 1
    assert notes["vectors without a word left out"] == 1
    assert notes["words with invalid UTF-8, the bytes replaced by U+FFFD"] == 1
    assert notes["wrong word count in the header: it says 9, the file has 6"] == 1
    assert "b" not in vectors


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param("a 1 2\nb 1\nc 1 2\n", r"line 2: 1 numbers, expected 2", id="too few"),
        pytest.param("a 1 2\nb 1 2 3\nc 1 2\n", r"line 2: 3 numbers, expected 2", id="too many"),
        pytest.param(
            "2 3\na 1 2\nb 1 2\n", r"header says 3 dimensions but the lines have 2", id="lying header"
        ),
        pytest.param("a 1 2\nb nan 1\n", r"line 2: the vector of 'b' holds nan", id="nan"),
        pytest.param("a 1 2\nb 1 -inf\n", r"line 2: the vector of 'b' holds -inf", id="inf"),
        pytest.param("a 1 2\nb 1 1e39\n", r"line 2: the vector of 'b' holds inf", id="beyond float32"),
        pytest.param("a 1 2\nb 1 x2\n", r"line 2: 'x2' is not a number", id="not a number"),
        pytest.param("a 1 2\nb 1 2_0\n", r"line 2: '2_0' is not a number", id="Python's own digits"),
        pytest.param("a 1 2\nb 1,5 2\n", r"line 2: '1,5' is not a number", id="decimal comma"),
        pytest.param("", "is empty", id="empty"),
        pytest.param("\n \n", "is empty", id="blank"),
        pytest.param("2 3\n", "nothing after it", id="header alone"),
        pytest.param("just\nwords\n", "line 1: no numbers", id="a word list"),
        pytest.param(b"PK\x03\x04rest", "zip archive: unpack it", id="zip"),
        pytest.param(b"\x80\x04\x95rest", "pickle, which is never loaded", id="pickle"),
        pytest.param("<!DOCTYPE html><p>", "web page", id="web page"),
    ],
)
def test_damage_is_one_clear_line(tmp_path, content, message):
    path = write(tmp_path, content)
    with pytest.raises(VectorsError, match=message) as error:
        load_vectors(path)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_truncated_gzip(tmp_path):
    packed = gzip.compress("".join(f"word{i} {i} {i + 1}\n" for i in range(1, 5000)).encode())
    with pytest.raises(VectorsError, match="cut short or damaged"):
        load_vectors(write(tmp_path, packed[: len(packed) // 2]))


def test_missing_file_names_the_catalogue(tmp_path):
    with pytest.raises(VectorsError, match=r"no file, no folder and no name .*glove-6b-50d"):
        load_vectors(tmp_path / "nowhere.vec")


def test_limit_and_only(tmp_path):
    path = write(tmp_path, "3 3\n" + GLOVE)
    assert list(load_vectors(path, limit=2).words) == ["whale", "ship"]
    assert list(load_vectors(path, only={"sea", "whale", "absent"}).words) == ["whale", "sea"]
    assert list(load_vectors(path, limit=2, only=["sea", "ship"]).words) == ["ship"]
    assert not load_vectors(path, limit=2).repairs
    assert len(load_vectors(path, only=["absent"])) == 0
    with pytest.raises(OptionError, match="limit = 0"):
        load_vectors(path, limit=0)
    with pytest.raises(OptionError, match="list of words"):
        load_vectors(path, only="sea")


def test_one_dimensional_files_and_their_headers(tmp_path):
    assert list(load_vectors(write(tmp_path, "2 1\na 5\nb 6\n")).words) == ["a", "b"]
    assert list(load_vectors(write(tmp_path, "5 3\n6 4\n7 9\n")).words) == ["5", "6", "7"]


def test_blocks_do_not_show(tmp_path, monkeypatch):
    content = "".join(f"word{i} {i} {-i / 7}\n" for i in range(1, 200)) + ". . 1 2\nlast 5 6"
    path = write(tmp_path, content)
    whole = load_vectors(path)
    monkeypatch.setattr(text_file, "BLOCK", 64)
    parts = load_vectors(path)
    assert list(parts.words) == list(whole.words)
    np.testing.assert_array_equal(parts.matrix, whole.matrix)
    assert parts.fingerprint == whole.fingerprint
    assert list(load_vectors(path, limit=150).words) == list(whole.words[:150])
    with path.open("a") as more:
        more.write("\nbad 1\n")
    with pytest.raises(VectorsError, match="line 202"):
        load_vectors(path)


def test_only_streams_in_bounded_memory(tmp_path, monkeypatch):
    """Blocks are of fixed size, and the builder never holds more than the wanted rows."""
    path = write(tmp_path, "".join(f"word{i} {i} 1 2 3\n" for i in range(20_000)))
    monkeypatch.setattr(text_file, "BLOCK", 4096)
    added = []
    original = TableBuilder.add
    monkeypatch.setattr(
        TableBuilder, "add", lambda self, words, *a: added.append(len(words)) or original(self, words, *a)
    )
    vectors = load_vectors(path, only={"word7", "word19999"})
    assert list(vectors.words) == ["word7", "word19999"]
    assert sum(added) == 2


def test_gensim_reads_the_same_numbers(tmp_path):
    """Oracle: gensim's load_word2vec_format."""
    KeyedVectors = pytest.importorskip("gensim.models").KeyedVectors
    rng = np.random.default_rng(3)
    keyed = KeyedVectors(7)
    keyed.add_vectors([f"w{i}" for i in range(300)], rng.normal(size=(300, 7)).astype(np.float32))
    path = tmp_path / "w2v.txt"
    keyed.save_word2vec_format(str(path), binary=False)
    ours, theirs = load_vectors(path), KeyedVectors.load_word2vec_format(str(path))
    assert list(ours.words) == theirs.index_to_key
    np.testing.assert_array_equal(ours.matrix, theirs.vectors)


numbers = st.floats(allow_nan=False, allow_infinity=False, width=64).map(repr) | st.sampled_from(
    ["0", "-0.0", "1.", ".5", "+3", "1E5", "1e-320", "0.1000000000000000055511151231257827", "00012", "-1e-7"]
)
words = st.text(
    st.characters(blacklist_categories=["Cs"], blacklist_characters=" \n\r\t\0"), min_size=1, max_size=6
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=60)
@given(st.lists(st.tuples(words, st.lists(numbers, min_size=2, max_size=2)), min_size=1, max_size=12))
def test_fast_equals_obvious(entries):
    data = "".join(f"{word} {' '.join(row)}\n" for word, row in entries).encode()
    layout = text_file.TextLayout(2, b" ", None)
    builder = TableBuilder("here", 2)
    slow_words, slow_rows, _ = text_file.parse_lines(
        builder, layout, text_file.FileLines(data, range(1, len(entries) + 1))
    )
    fast = text_file.parse_fast(data, 2, b" ")
    if fast is not None:  # a form that Arrow does not know, such as "+3", goes the slow way as a whole
        assert [w if isinstance(w, bytes) else w.encode() for w in fast[0]] == slow_words
        np.testing.assert_array_equal(fast[1], slow_rows)
    naive = [[float(x) for x in row] for _, row in entries]
    np.testing.assert_array_equal(slow_rows, naive)
    assert [w.decode() for w in slow_words] == [w for w, _ in entries]
    if not any("+" in x for _, row in entries for x in row if "e+" not in x):
        assert fast is not None


FORMS = st.sampled_from(["%.5g", "%.17g", "%.6e", "%.3f", "%+.12f", "%.0f", "%r"])
NUMBERS = st.builds(lambda form, x: form % x, FORMS, st.floats()) | st.sampled_from(
    [
        "0",
        "-0",
        ".5",
        "5.",
        "-.5",
        "+5.",
        "007",
        "999999999999999",
        "9999999999999999",
        "1e400",
        "-1e-400",
        "nan",
    ]
)
OTHERS = st.sampled_from(["", ".", "-", "+-1", "1.2.3", "1_0", "0x10", "1,5", "--1", "e5", "1e", "٣", "1 2"])


def parse(fields: list[str]):
    encoded = [f.encode() for f in fields]
    ends = np.cumsum([len(e) + 1 for e in encoded]) - 1
    return parse_numbers(b"|".join(encoded), ends - [len(e) for e in encoded], ends)


@settings(deadline=None, max_examples=200)
@given(st.lists(NUMBERS, min_size=1, max_size=30))
def test_every_number_is_python_s(fields):
    for ours, field in zip(parse(fields).tolist(), fields, strict=True):
        theirs = float(field)
        assert (math.isnan(ours) and math.isnan(theirs)) or ours.hex() == theirs.hex()


@given(st.lists(NUMBERS, max_size=5), OTHERS, st.lists(NUMBERS, max_size=5))
def test_what_is_no_number_is_refused(before, bad, after):
    with pytest.raises(ValueError, match=r"not a number|could not convert"):
        parse([*before, bad, *after])


def test_blocks(monkeypatch):
    fields = [f"{i / 7:.{i % 18}f}" for i in range(100)]
    monkeypatch.setattr(text_format, "_BLOCK", 3)
    assert parse(fields).tolist() == [float(f) for f in fields]
