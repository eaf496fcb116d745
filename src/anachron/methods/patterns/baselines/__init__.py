"""What (k,P)-anonymity is compared with in Section 7.3 of Shou et al.: TGA and BFP2KA."""

from __future__ import annotations

from anachron.methods.patterns.baselines.bfp2ka import bfp2ka
from anachron.methods.patterns.baselines.rebuilt import Rebuilt
from anachron.methods.patterns.baselines.tga import tga

__all__ = ["Rebuilt", "bfp2ka", "tga"]
