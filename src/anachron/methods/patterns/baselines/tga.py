"""TGA: k-anonymous groups by value, and from each group series drawn at random.

Nergiz, Atzori, Saygin: *Towards Trajectory Anonymization: a Generalization-Based Approach*,
SPRINGL 2008, as Shou et al. describe and use it: it publishes data "by firstly enforcing
k-anonymity and then reconstructing randomly a trajectory from the anonymized form".

A group begins with a series drawn by lot. Again and again that series joins which stretches the
group's envelope least, until the group has k. Then for each member a series is drawn from
the envelope: at each time a value between the lowest and the highest, all equally likely,
independent of the other times. The drawn series are published.

Notes
-----
The description leaves open, and is settled here in favour of the baseline or of a fair
comparison:

- How far a series is from a group. Nergiz et al. match the points of trajectories of different
  length and take the logarithms of the regions' areas. Series have the same times, so there is
  nothing to match, and the area of a single value has no logarithm. We take the value loss by
  which all algorithms of the comparison are measured.
- What happens when fewer than k are left. Nergiz et al. suppress them. Here each joins the group
  where it adds least to the value loss, so that all algorithms publish everybody.
- Which drawn series belongs to which member. That is not published. All draws from an envelope
  have the same distribution, so the expected pattern loss does not depend on it.
"""

from __future__ import annotations

import numpy as np

from anachron.arrays import Array, Floats
from anachron.kernels.envelopes import envelopes
from anachron.kernels.formation import form
from anachron.methods.patterns.baselines.rebuilt import Rebuilt

__all__ = ["tga"]


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
