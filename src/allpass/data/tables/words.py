"""Free text as numbers: TF-IDF of its most frequent words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from allpass.errors import DataError

MOST_WORDS = 2_000
"""Columns that are made of one text column at most."""

_RARE = 20  # from this many texts on, a word has to occur in two of them


def find_words(texts: Sequence[str], column: str) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """The words of a text column in alphabetical order, and the inverse document frequency of each.

    Words are runs of two or more letters or digits in lower case. The vocabulary comes from all rows of the table,
    test nodes included: their texts are known before their labels are.

    Args:
        texts: The texts that are there.
        column: The name of the column, for messages.
    """
    vectorizer = _vectorizer(max_features=MOST_WORDS, min_df=2 if len(texts) > _RARE else 1)
    try:
        vectorizer.fit(texts)
    except ValueError:  # no word is left
        raise DataError(
            f"The column {column!r} holds no word that two texts share.", "Leave it out of text=."
        ) from None
    return tuple(vectorizer.get_feature_names_out().tolist()), tuple(vectorizer.idf_.tolist())


def tfidf(texts: Sequence[str], words: Sequence[str], idf: Sequence[float]) -> Any:
    """TF-IDF ``[N, words]`` as SciPy CSR: counts times ``idf``, each row of length 1; zeros for an empty text."""
    vectorizer = _vectorizer(vocabulary=list(words))
    vectorizer.idf_ = np.asarray(idf, dtype=np.float64)
    return vectorizer.transform(texts).astype(np.float32)


def _vectorizer(**options: Any) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer

    # scikit-learn's defaults, written out: a checkpoint must mean the same under other defaults.
    reading = {"token_pattern": r"(?u)\b\w\w+\b", "lowercase": True, "norm": "l2", "sublinear_tf": False}
    return TfidfVectorizer(**reading, **options)
