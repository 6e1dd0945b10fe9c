"""Write the static embeddings that come with lexicloud from those of the package wordllama (MIT), in half their size.

Run `python -m benchmarks.make.static_embeddings FOLDER` where wordllama 0.4 and safetensors are installed; FOLDER is
`src/lexicloud/vectors/wordllama`. Each row is rounded to whole numbers up to 127 times a scale of its own: a row keeps
a cosine of at least .9999 with what it was.
"""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np


def main(out: Path) -> None:
    found = find_spec("wordllama")
    assert found is not None
    assert found.submodule_search_locations
    source = Path(next(iter(found.submodule_search_locations)))
    (config,) = (source / "tokenizers").glob("*_tokenizer_config.json")
    (weights,) = (source / "weights").glob("*_256.safetensors")
    np.savez(out / "tokens.npz", **tokens(json.loads(config.read_text("utf-8"))["model"]))
    table, scales = quantised(weights)
    np.save(out / "table.npy", table)
    np.save(out / "scales.npy", scales)


def tokens(model: dict[str, Any]) -> dict[str, Any]:
    """Return the arrays of a `Bpe`."""
    number = model["vocab"]
    merges = [m.split(" ") if isinstance(m, str) else m for m in model["merges"]]
    joined = np.array([number[left + right] for left, right in merges], np.uint16)
    pairs = np.array([number[left] << 16 | number[right] for left, right in merges], np.uint32)
    pairs, ranks = np.unique(pairs, return_index=True)  # of equal pairs the first counts
    letters = sorted(token for token in number if len(token) == 1)
    return {
        "letters": np.array([ord(c) for c in letters], np.uint32),
        "letter_tokens": np.array([number[c] for c in letters], np.uint16),
        "pairs": pairs,
        "ranks": ranks.astype(np.uint16),
        "joined": joined,
        "first_byte": np.array(number["<0x00>"], np.uint16),
    }


def quantised(weights: Path) -> tuple[Any, Any]:
    from safetensors.numpy import load_file

    table = next(iter(load_file(weights).values())).astype(np.float32)
    scales = np.abs(table).max(axis=1) / 127
    return np.round(table / scales[:, None]).astype(np.int8), scales


if __name__ == "__main__":
    main(Path(sys.argv[1]))
