"""SAX letters and words of series at every level, the same on every machine.

Lin, Keogh, Lonardi, Chiu: *A Symbolic Representation of Time Series*, DMKD 2003; without its
averaging over segments in Section 5.1 of Shou, Shang, Chen, Chen, Zhang: *Supporting
Pattern-Preserving Anonymization for Time-Series Data*, TKDE 2013.

==============  ==========================================================================
``series``      one row for each subject, one column for each time
level           number of letters of the alphabet; at level 1 every letter is an ``a``
``z``           a series less its mean, divided by its standard deviation, to nine decimals
segment         neighbouring times with one letter, that of the mean of their z
β_1 … β_L−1     break points of level L: they cut the normal distribution into L equal parts
letter j        of a value with β_j ≤ z < β_j+1, counted from 0
==============  ==========================================================================

Notes
-----
The standard deviation is that of a sample, with T − 1: the paper's Table 3 decides it.

A letter must not hang on the last bit of a sum: 0.1, 0.2, 0.3 is symmetric, and whether its
middle is a hair below 0 or not depends on the order of the additions. So z is rounded to nine
decimals, and the break points are a fixed table of the same nine decimals. The first value of a
series is taken away before the mean is: then the error of z does not grow with the mean. The mean
of a segment is rounded likewise, and its times before are not.

A series is constant, all z = 0, if its standard deviation is at most 10⁻¹² of its largest
absolute value. What varies less than that but by more than the last two bits of its values is
not constant, it lost its shape to rounding: ``shapeless`` finds it, and it should be refused.

Levels are not nested: 0 is a break point of the even levels only.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from anachron.arrays import Array, Bytes, Flags, Floats
from anachron.kernels.compiled import compiled

__all__ = [
    "HIGHEST_LEVEL",
    "alike",
    "breakpoints",
    "cut",
    "letters",
    "normalised",
    "shapeless",
    "words",
]

HIGHEST_LEVEL = 26


UNIT = 1e9
CONSTANT = 1e-12
NOISE = 2.0**-50

# The positive break points of levels 1, 2, 3, … in billionths; the negative ones mirror them.
# fmt: off
POSITIVE = (
    (),
    (),
    (430_727_299,),
    (674_489_750,),
    (253_347_103, 841_621_234),
    (430_727_299, 967_421_566),
    (180_012_370, 565_948_822, 1_067_570_524),
    (318_639_364, 674_489_750, 1_150_349_380),
    (139_710_299, 430_727_299, 764_709_674, 1_220_640_349),
    (253_347_103, 524_400_513, 841_621_234, 1_281_551_566),
    (114_185_294, 348_755_696, 604_585_347, 908_457_869, 1_335_177_736),
    (210_428_394, 430_727_299, 674_489_750, 967_421_566, 1_382_994_127),
    (96_558_615, 293_381_232, 502_402_223, 736_315_917, 1_020_076_233, 1_426_076_872),
    (180_012_370, 366_106_357, 565_948_822, 791_638_608, 1_067_570_524, 1_465_233_793),
    (83_651_734, 253_347_103, 430_727_299, 622_925_723, 841_621_234, 1_110_771_617,
     1_501_085_946),
    (157_310_685, 318_639_364, 488_776_411, 674_489_750, 887_146_559, 1_150_349_380,
     1_534_120_544),
    (73_791_274, 223_007_831, 377_391_944, 541_395_085, 721_522_284, 928_899_492,
     1_186_831_433, 1_564_726_471),
    (139_710_299, 282_216_147, 430_727_299, 589_455_798, 764_709_674, 967_421_566,
     1_220_640_349, 1_593_218_818),
    (66_011_812, 199_201_325, 336_038_140, 479_505_653, 633_640_001, 804_596_380,
     1_003_147_968, 1_252_119_520, 1_619_856_259),
    (125_661_347, 253_347_103, 385_320_466, 524_400_513, 674_489_750, 841_621_234,
     1_036_433_389, 1_281_551_566, 1_644_853_627),
    (59_717_100, 180_012_370, 302_980_448, 430_727_299, 565_948_822, 712_443_032, 876_142_849,
     1_067_570_524, 1_309_171_717, 1_668_391_194),
    (114_185_294, 229_884_118, 348_755_696, 472_789_121, 604_585_347, 747_858_595,
     908_457_869, 1_096_803_562, 1_335_177_736, 1_690_621_630),
    (54_518_915, 164_210_777, 275_921_063, 391_196_258, 511_936_214, 640_666_890, 781_033_812,
     938_814_317, 1_124_338_232, 1_359_737_384, 1_711_675_307),
    (104_633_456, 210_428_394, 318_639_364, 430_727_299, 548_522_283, 674_489_750,
     812_217_801, 967_421_566, 1_150_349_380, 1_382_994_127, 1_731_664_396),
    (50_153_583, 150_969_215, 253_347_103, 358_458_793, 467_698_799, 582_841_507, 706_302_563,
     841_621_234, 994_457_883, 1_174_986_792, 1_405_071_560, 1_750_686_071),
    (96_558_615, 194_028_142, 293_381_232, 395_725_296, 502_402_223, 615_141_105, 736_315_917,
     869_423_773, 1_020_076_233, 1_198_379_702, 1_426_076_872, 1_768_825_039),
)
# fmt: on


def breakpoints(level: int) -> Floats:
    """List the break points of a level in ascending order, level − 1 of them."""
    if not 1 <= level <= HIGHEST_LEVEL:
        raise ValueError(f"levels go from 1 to {HIGHEST_LEVEL}")
    positive = np.array(POSITIVE[level - 1], dtype=np.float64) / UNIT
    middle = np.zeros(1 - level % 2)
    return np.concatenate((-positive[::-1], middle, positive))


def cut(times: int, segments: int) -> Array:
    """Give the lengths of the segments of so many times: segment j ends before ⌊(j + 1)·T/w⌋.

    Example
    -------
    >>> cut(11, 4).tolist()
    [2, 3, 3, 3]
    """
    ends = np.arange(segments + 1) * times // segments
    lengths: Array = np.diff(ends)
    return lengths


def normalised(series: Floats, lengths: Array | None = None) -> Floats:
    """Give z, to nine decimals: mean 0 and sample standard deviation 1, or 0 where constant.

    A column for each time; or for each segment, the mean of its z, if their lengths are given.
    """
    if series.ndim != 2 or series.shape[1] < 2:
        raise ValueError("a series has two times or more")
    ends = np.cumsum(np.ones(series.shape[1], dtype=np.int64) if lengths is None else lengths)
    if ends[-1] != series.shape[1]:
        raise ValueError("segments hold every time once")
    z = np.empty((len(series), len(ends)))
    _normalise(np.ascontiguousarray(series, dtype=np.float64), ends, z, np.empty(len(series)))
    return z


def shapeless(series: Floats) -> Flags:
    """Tell which series vary by so little, for their size, that their shape is rounding noise.

    |mean| / sd is above 10¹² for these, though they are not constant up to the last two bits.
    """
    ratio = np.empty(len(series))
    none = np.empty(0, dtype=np.int64)
    _normalise(np.ascontiguousarray(series, dtype=np.float64), none, np.empty((1, 0)), ratio)
    return ratio > 1 / CONSTANT


def letters(z: Floats, level: int, rows: Array | None = None) -> Bytes:
    """Give the letters of normalised series at a level, ``a`` being 0: all rows or some."""
    found = np.empty((len(z) if rows is None else len(rows), z.shape[1]), dtype=np.uint8)
    every = np.arange(len(z)) if rows is None else rows
    _letters(z, every, breakpoints(level), found)
    return found


def words(codes: Bytes) -> npt.NDArray[np.str_]:
    """Write letters as words of a, b, c, …"""
    length = codes.shape[1]
    text = np.ascontiguousarray(codes + np.uint8(ord("a")))
    return text.view(f"S{length}").reshape(len(codes)).astype(f"U{length}")


def alike(letters: Bytes, node: Array) -> Array:
    """Number the different pairs of node and word 0, 1, 2, … as they come, one for each row.

    Pairs seen so far are found by a hash and compared letter by letter, so that two rows get the
    same number if and only if they are equal. No order of words is needed: nothing is sorted.
    """
    slots = 1 << max(4, (2 * len(node)).bit_length())
    number: Array = _number(letters, node, np.full(slots, -1, dtype=np.int64))
    return number


@compiled
def _normalise(x: Floats, ends: Array, z: Floats, ratio: Floats) -> None:
    """Fill z of segments with these ends, and |mean| / sd (0 for what is constant up to noise)."""
    n, T = x.shape
    y = np.empty(T)
    for i in range(n):
        largest = 0.0
        for t in range(T):
            largest = max(largest, abs(x[i, t]))
        _, exponent = math.frexp(largest)
        first = math.ldexp(x[i, 0], -exponent)
        mean, low, high = 0.0, 0.0, 0.0
        for t in range(T):
            # Scaling by a power of two is exact, and no square can overflow after it.
            y[t] = math.ldexp(x[i, t], -exponent) - first
            low, high = min(low, y[t]), max(high, y[t])
            mean += y[t]
        mean /= T
        squares = 0.0
        for t in range(T):
            y[t] -= mean
            squares += y[t] * y[t]
        sd = math.sqrt(squares / (T - 1))
        top = math.ldexp(largest, -exponent)
        noise = high - low <= NOISE * top
        ratio[i] = 0.0 if noise else abs(mean + first) / sd
        start = 0
        for j in range(len(ends)):
            total = 0.0
            for t in range(start, ends[j]):
                total += y[t]
            average = total / (ends[j] - start)
            z[i, j] = 0.0 if sd <= CONSTANT * top else np.rint(average / sd * UNIT) / UNIT
            start = ends[j]


@compiled
def _letters(z: Floats, rows: Array, cuts: Floats, found: Bytes) -> None:
    """Count the break points that are not above each value."""
    for i in range(len(rows)):
        for t in range(z.shape[1]):
            value = z[rows[i], t]
            low, high = 0, len(cuts)
            while low < high:
                middle = (low + high) // 2
                if cuts[middle] <= value:
                    low = middle + 1
                else:
                    high = middle
            found[i, t] = low


@compiled
def _number(letters: Bytes, node: Array, slots: Array) -> Array:
    """Walk from the hashed slot to the first one that is free or holds an equal row."""
    n, T = letters.shape
    number = np.empty(n, dtype=np.int64)
    hashes = np.empty(n, dtype=np.uint64)
    found = 0
    mask = np.uint64(len(slots) - 1)
    for i in range(n):
        h = np.uint64(14695981039346656037) ^ np.uint64(node[i])
        h *= np.uint64(0x9E3779B97F4A7C15)
        for t in range(T):
            h = (h ^ np.uint64(letters[i, t])) * np.uint64(1099511628211)
        h ^= h >> np.uint64(29)
        h *= np.uint64(0xBF58476D1CE4E5B9)
        h ^= h >> np.uint64(32)
        hashes[i] = h
        at = h & mask
        while True:
            other = slots[at]
            if other < 0:
                slots[at] = i
                number[i] = found
                found += 1
                break
            if hashes[other] == h and node[other] == node[i]:
                same = True
                for t in range(T):
                    if letters[other, t] != letters[i, t]:
                        same = False
                        break
                if same:
                    number[i] = number[other]
                    break
            at = (at + np.uint64(1)) & mask
    return number
