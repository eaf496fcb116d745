"""BFP2KA: publish words that at least k series share, and the nearest of them for the others.

Pensa, Monreale, Pinelli, Pedreschi: *Pattern-Preserving k-Anonymization of Sequences and its
Application to Mobility Data Mining*, PiLBA 2008 (their BF-P2kA), which Shou et al. run on the SAX
words of the series at level 20.

==============  ==========================================================================
prefix tree     of all words: each node is a prefix, its support the words that begin so
pruning         cut each node with support below k, and take the words through it from the
                support of the nodes above, until no such node is left
common          of two words: the length of their longest common subsequence
==============  ==========================================================================

A word that was cut is published as that of the tree with which it has most in common, if that is
at least a given share of its length. Otherwise it is suppressed.

Notes
-----
All words have the same length. A word is then left in the pruned tree if and only if at least k
series have exactly this word, so no tree is built.

On words of real values all of the tree may be cut, and everybody is suppressed: Shou et al. say
so in Section 2, and it happens on random walks. They compare BFP2KA on motion data alone.

Shou et al. leave open, and it is settled here in favour of the baseline:

- The share that must be in common. The default is 0: everybody is published as long as anything is
  left in the tree.
- Which of several words with the same length in common. That which more series share, then the
  first in the alphabet.
- Values. Only words are published. The value loss counted for a group is that of its envelope, as
  if it were published too.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from anachron.arrays import Array, Bytes, Floats
from anachron.kernels.sax import letters
from anachron.methods.patterns.baselines.rebuilt import Rebuilt
from anachron.methods.patterns.losses import reconstructed

__all__ = ["bfp2ka"]


CELLS = 1 << 20


def bfp2ka(z: Floats, k: int, level: int = 20, share: float = 0.0) -> Rebuilt:
    """Publish for each series a word that at least k series are published with.

    Parameters
    ----------
    z
        One row for each series, normalised.
    k
        Fewest series with the same published word.
    level
        Level of the words.
    share
        Part of a word's letters that it must have in common with the published one.
    """
    words, word, support = np.unique(
        letters(z, level), axis=0, return_inverse=True, return_counts=True
    )
    kept = np.flatnonzero(support >= k)
    kept = kept[np.argsort(-support[kept], kind="stable")]
    published = np.full(len(words), -1, dtype=np.int64)
    published[kept] = np.arange(len(kept))
    cut = np.flatnonzero(support < k)
    if len(kept):
        nearest, common = _most_in_common(words[cut], words[kept])
        published[cut] = np.where(common >= share * z.shape[1], nearest, -1)
    group = published[word.reshape(-1)]
    series = np.zeros(z.shape)
    series[group >= 0] = reconstructed(level)[words[kept][group[group >= 0]]]
    return Rebuilt(group, series)


def _most_in_common(cut: Bytes, kept: Bytes) -> tuple[Array, Array]:
    """Find for each word the first of those kept with which it has most in common, and how much."""
    nearest, common = np.zeros(len(cut), dtype=np.int64), np.zeros(len(cut), dtype=np.int64)
    block = max(1, CELLS // len(kept))
    for first in range(0, len(cut), block):
        here = slice(first, first + block)
        length = _common(cut[here], kept)
        nearest[here] = length.argmax(axis=1)
        common[here] = length.max(axis=1, initial=0)
    return nearest, common


def _common(words: Bytes, others: Bytes) -> npt.NDArray[np.int16]:
    """Give the length of the longest common subsequence of each word and each other."""
    shape = (len(words), len(others))
    above = [np.zeros(shape, dtype=np.int16) for _ in range(others.shape[1] + 1)]
    for i in range(words.shape[1]):
        row = [above[0]]
        for j in range(others.shape[1]):
            same = words[:, i, None] == others[None, :, j]
            row.append(np.where(same, above[j] + np.int16(1), np.maximum(above[j + 1], row[j])))
        above = row
    return above[-1]
