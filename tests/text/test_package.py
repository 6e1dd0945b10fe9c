from __future__ import annotations

import subprocess
import sys

import lexicloud.text


def test_public_names() -> None:
    assert sorted(lexicloud.text.__all__) == [
        *[
            "DEFAULT_RULES",
            "Detection",
            "Detections",
            "Document",
            "LANGUAGES",
            "Lemmatizer",
            "PARTS",
            "Tagged",
            "TokenRules",
            "detect_language",
            "detect_languages",
            "fine_tags",
            "is_punctuation",
        ],
        *[
            "is_stopword",
            "labels_from_names",
            "part_of_tag",
            "read_documents",
            "split_sentences",
            "stopwords",
        ],
        *["tag", "tag_sentences", "tag_words", "tokenize"],
    ]
    assert all(hasattr(lexicloud.text, name) for name in lexicloud.text.__all__)


def test_importing_is_light() -> None:
    heavy = ["numpy", "nltk", "textblob", "lxml", "charset_normalizer", "pypdf", "docx", "pandas", "scipy"]
    heavy += ["py3langid", "stopwordsiso", "simplemma", "sudachipy", "rjieba"]
    code = f"import sys, lexicloud.text; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
