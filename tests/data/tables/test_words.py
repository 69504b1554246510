"""TF-IDF against its formula and against scikit-learn."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from allpass.data.tables.words import MOST_WORDS, find_words, tfidf
from allpass.errors import DataError

TEXTS = ["The cat sat", "the dog", "a cat and a Dog"]


def test_it_is_the_formula() -> None:
    words, idf = find_words(TEXTS, "bio")
    assert words == ("and", "cat", "dog", "sat", "the")
    occurring = {"and": 1, "cat": 2, "dog": 2, "sat": 1, "the": 2}
    assert idf == pytest.approx([math.log(4 / (1 + occurring[word])) + 1 for word in words])
    x = tfidf(["cat cat dog", "mouse", ""], words, idf).toarray()
    row = np.array([0, 2 * idf[1], idf[2], 0, 0])
    np.testing.assert_allclose(x, [row / np.linalg.norm(row), np.zeros(5), np.zeros(5)], rtol=1e-6)


def test_new_texts_are_encoded_as_scikit_learn_does() -> None:
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{k}" for k in rng.zipf(1.5, 30) % 3000) for _ in range(500)]
    words, idf = find_words(texts[:400], "bio")
    theirs = TfidfVectorizer(max_features=MOST_WORDS, min_df=2).fit(texts[:400])
    assert words == tuple(theirs.get_feature_names_out())
    np.testing.assert_allclose(
        tfidf(texts[400:], words, idf).toarray(), theirs.transform(texts[400:]).toarray(), rtol=1e-6
    )


def test_at_most_so_many_words() -> None:
    texts = [f"word{k} word{k} both" for k in range(3 * MOST_WORDS)] * 2
    assert len(find_words(texts, "bio")[0]) == MOST_WORDS


def test_no_words() -> None:
    with pytest.raises(DataError, match=r"'bio' holds no word that two texts share\. Leave it out of text="):
        find_words([f"only{k}" for k in range(30)], "bio")
