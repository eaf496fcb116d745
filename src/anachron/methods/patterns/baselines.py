"""What (k,P)-anonymity is compared with in Section 7.3 of Shou et al.: TGA and BFP2KA.

TGA: k-anonymous groups by value, and from each group series drawn at random. Nergiz, Atzori,
Saygin: *Towards Trajectory Anonymization: a Generalization-Based Approach*, SPRINGL 2008, as Shou
et al. describe and use it: it publishes data "by firstly enforcing k-anonymity and then
reconstructing randomly a trajectory from the anonymized form".

A group begins with a series drawn by lot. Again and again that series joins which stretches the
group's envelope least, until the group has k. Then for each member a series is drawn from
the envelope: at each time a value between the lowest and the highest, all equally likely,
independent of the other times. The drawn series are published.

BFP2KA: words that at least k series share, and the nearest of them for the others. Pensa,
Monreale, Pinelli, Pedreschi: *Pattern-Preserving k-Anonymization of Sequences and its Application
to Mobility Data Mining*, PiLBA 2008 (their BF-P2kA), which Shou et al. run on the SAX words of the
series at level 20.

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
The description of TGA leaves open, and is settled here in favour of the baseline or of a fair
comparison:

- How far a series is from a group. Nergiz et al. match the points of trajectories of different
  length and take the logarithms of the regions' areas. Series have the same times, so there is
  nothing to match, and the area of a single value has no logarithm. We take the value loss by
  which all algorithms of the comparison are measured.
- What happens when fewer than k are left. Nergiz et al. suppress them. Here each joins the group
  where it adds least to the value loss, so that all algorithms publish everybody.
- Which drawn series belongs to which member. That is not published. All draws from an envelope
  have the same distribution, so the expected pattern loss does not depend on it.

All words of BFP2KA have the same length. A word is then left in the pruned tree if and only if at
least k series have exactly this word, so no tree is built.

On words of real values all of the tree may be cut, and everybody is suppressed: Shou et al. say
so in Section 2, and it happens on random walks. They compare BFP2KA on motion data alone.

Shou et al. leave open of it, and it is settled here in favour of the baseline:

- The share that must be in common. The default is 0: everybody is published as long as anything is
  left in the tree.
- Which of several words with the same length in common. That which more series share, then the
  first in the alphabet.
- Values. Only words are published. The value loss counted for a group is that of its envelope, as
  if it were published too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from anachron.arrays import Array, Bytes, Floats
from anachron.kernels.envelopes import envelopes
from anachron.kernels.formation import form
from anachron.kernels.sax import letters
from anachron.methods.patterns.losses import Costs, costs, distances, reconstructed

__all__ = ["Rebuilt", "bfp2ka", "tga"]

CELLS = 1 << 20


@dataclass(frozen=True)
class Rebuilt:
    """The group of each series, and the series that a reader rebuilds for it."""

    group: Array
    """Number of the group whose members cannot be told apart; −1 if suppressed."""
    series: Floats
    """One row for each series, up to its mean and scale; 0 if suppressed."""

    def costs(self, series: Floats) -> Costs:
        """Measure what is lost of the published series, as for (k,P)-anonymity."""
        kept = self.group >= 0
        groups = int(self.group.max(initial=-1)) + 1
        return costs(series, self.group, groups, distances(series[kept], self.series[kept]))


def tga(series: Floats, k: int, place: Array, rng: np.random.Generator) -> Rebuilt:
    """Group series by value and draw one for each from its group's envelope.

    Parameters
    ----------
    series
        One row for each series, all values finite.
    k
        Fewest series of a group.
    place
        A different number for each series, which stands for the lot that begins groups.
    rng
        Where the published values are drawn from.
    """
    if len(series) < k:
        raise ValueError("there are fewer than k series")
    by_place = np.argsort(place, kind="stable")
    alone = series[by_place]
    group = np.empty(len(series), dtype=np.int64)
    group[by_place] = form(alone, alone, np.ones(len(series), dtype=np.int64), k)
    low, high = envelopes(series, group)
    share = np.empty(series.shape)
    share[by_place] = rng.random(series.shape)
    return Rebuilt(group, low[group] * (1 - share) + high[group] * share)


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
