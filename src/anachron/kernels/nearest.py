"""Find among many boxes the one whose union with a growing box loses least.

A box is the envelope of a P-subgroup; the growing box is that of the group being formed. What a
scan over all boxes would find is found here by looking at few of them.

==============  ==========================================================================
``low, high``   of a box: its lowest and its highest value at each time
``size``        records in a box
``rank``        of a box among all. Of two boxes that lose the same, that with the smaller
                rank is taken
``people``      records in the growing box
square          of a union: the sum of its squared widths over all times
loss            of a union: its square times its squared number of records, which is the square
                of its value loss but for a factor that is the same for all
block           16 boxes that are near each other, side by side
shelf           16 blocks that are near each other
core            of a block or shelf: from the highest ``low`` to the lowest ``high`` of its boxes
                at each time, which may be backwards
==============  ==========================================================================

The union with a core is part of the union with every box it stands for, so with the least size
it bounds their losses from below. A shelf or block whose bound is not below the best so far
is passed over.

While a box grows, its union with another can only grow. So the least square found in a block
stays a bound until the next box is begun: it is remembered.

Notes
-----
The search is exact. Bounds and losses are computed by the same operations in the same order,
and rounding is monotone: no bound is above a loss it bounds. Machines sum in the same order.

Compiled functions that call each other stand in one file, and none takes a class of ours: numba
compiles a function anew only when its own file has changed, and what it keeps on disk names the
classes of the arguments.
"""

from __future__ import annotations

import numpy as np

from anachron.arrays import Array, Floats
from anachron.kernels.compiled import compiled

__all__ = ["grow", "shelve"]

SIDE = 16  # boxes in a block, blocks in a shelf
AT_ONCE = 1 << 14  # so many boxes are copied at once
PAIRS = 8  # how many times two times are summed up before the rest may be left out
SIZE, RANK, BOUND = 0, 1, 2


# Boxes, and the cores of their blocks and shelves, always 16 side by side. The axes are: which 16;
# two times in a row; 16 low and 16 high values at the first, and the same at the second. Of each:
# which 16; size, rank, remembered bound of squares; which of the 16. Last the place of each rank.
Shelves = tuple[Floats, Floats, Floats, Floats, Floats, Floats, Array]


def shelve(low: Floats, high: Floats, size: Array, rank: Array) -> Shelves:
    """Lay out boxes so that near ones are side by side; the number of times must be even."""
    n, times = low.shape
    corners = np.stack((low, high), axis=2)
    order = _near_each_other(corners.reshape(n, -1), SIDE, SIDE * SIDE)
    racks = -(-n // SIDE**3)
    boxes, of_boxes = _nothing(racks * SIDE * SIDE, times)
    block, lane = np.divmod(np.arange(n), SIDE)
    laid, flat = boxes.reshape(-1, 2 * times, SIDE), corners.reshape(n, -1)
    for some in (slice(at, at + AT_ONCE) for at in range(0, n, AT_ONCE)):
        laid[block[some], :, lane[some]] = flat[order[some]]
    del corners, flat
    of_boxes[block, SIZE, lane] = size[order]
    of_boxes[block, RANK, lane] = rank[order]
    place = np.zeros(int(rank.max()) + 1, dtype=np.int64)
    place[rank[order]] = np.arange(n)
    blocks, of_blocks = _nothing(racks * SIDE, times)
    shelves, of_shelves = _nothing(racks, times)
    _cores(boxes, of_boxes, blocks, of_blocks)
    _cores(blocks, of_blocks, shelves, of_shelves)
    return boxes, of_boxes, blocks, of_blocks, shelves, of_shelves, place


def _nothing(count: int, times: int) -> tuple[Floats, Floats]:
    """Make room for 16 times ``count`` boxes. Where none lies, it is from -inf to inf."""
    boxes, of_boxes = np.empty((count, times // 2, 4 * SIDE)), np.zeros((count, 3, SIDE))
    boxes.reshape(count, times, 2, SIDE)[:, :, 0] = -np.inf
    boxes.reshape(count, times, 2, SIDE)[:, :, 1] = np.inf
    of_boxes[:, :BOUND] = np.inf
    return boxes, of_boxes


@compiled
def _near_each_other(corners: Floats, few: int, many: int) -> Array:
    """Order rows so that each run of ``many``, and in it each run of ``few``, is near.

    A run is cut in the middle of the coordinate with the largest variance, first at multiples of
    ``many``, then of ``few``. Between equals the order stays.
    """
    n = len(corners)
    order, spare, end = np.arange(n), np.empty(n, dtype=np.int64), np.zeros(n + 1, dtype=np.int64)
    p = 0
    end[0] = n
    while p < n:
        here = order[p : end[p]]
        if len(here) <= few:
            p = end[p]
            continue
        unit = many if len(here) > many else few
        middle = unit * ((len(here) + unit - 1) // unit // 2)
        _halve(corners, _most_spread(corners, here), here, middle, spare)
        end[p + middle] = end[p]
        end[p] = p + middle
    return order


@compiled
def _most_spread(corners: Floats, here: Array) -> int:
    """Find the coordinate with the largest variance."""
    mean, square = np.zeros(corners.shape[1]), np.zeros(corners.shape[1])
    for i in here:
        for c in range(len(mean)):
            mean[c] += corners[i, c]
    mean /= len(here)
    for i in here:
        for c in range(len(mean)):
            square[c] += (corners[i, c] - mean[c]) ** 2
    return int(np.argmax(square))


@compiled
def _halve(corners: Floats, axis: int, here: Array, middle: int, spare: Array) -> None:
    """Put the ``middle`` rows with the smallest values of a coordinate first."""
    value = np.empty(len(here))
    for j in range(len(here)):
        value[j] = corners[here[j], axis]
    pivot = np.partition(value, middle)[middle]
    equal = middle
    for j in range(len(here)):
        equal -= value[j] < pivot
    first, second = 0, middle
    for j in range(len(here)):
        left = value[j] < pivot
        if value[j] == pivot and equal > 0:
            left = True
            equal -= 1
        if left:
            spare[first] = here[j]
            first += 1
        else:
            spare[second] = here[j]
            second += 1
    here[:] = spare[: len(here)]


@compiled
def _minimum(values: Floats, one: int, row: int) -> float:
    """Find the least of 16. A slice would be counted in and out each time."""
    least = np.inf
    for j in range(SIDE):
        least = min(least, values[one, row, j])
    return least


@compiled
def _core(boxes: Floats, of_boxes: Floats, one: int, cores: Floats, of_cores: Floats) -> None:
    """Compute the core of 16 boxes or cores."""
    above, lane = one // SIDE, one % SIDE
    for two in range(boxes.shape[1]):
        for t in range(0, 4 * SIDE, 2 * SIDE):
            low, high = -np.inf, np.inf
            for j in range(t, t + SIDE):
                low = max(low, boxes[one, two, j])
                high = min(high, boxes[one, two, SIDE + j])
            cores[above, two, t + lane] = low
            cores[above, two, t + SIDE + lane] = high
    of_cores[above, SIZE, lane] = _minimum(of_boxes, one, SIZE)
    of_cores[above, RANK, lane] = _minimum(of_boxes, one, RANK)


@compiled
def _cores(boxes: Floats, of_boxes: Floats, cores: Floats, of_cores: Floats) -> None:
    """Compute the cores of all blocks or shelves."""
    for one in range(len(boxes)):
        _core(boxes, of_boxes, one, cores, of_cores)


@compiled
def _take(all_boxes: Shelves, rank: int) -> None:
    """Take a box away."""
    boxes, of_boxes, blocks, of_blocks, shelves, of_shelves, place = all_boxes
    block, lane = place[rank] // SIDE, place[rank] % SIDE
    for t in range(0, 4 * SIDE, 2 * SIDE):
        boxes[block, :, t + lane] = -np.inf
        boxes[block, :, t + SIDE + lane] = np.inf
    of_boxes[block, :BOUND, lane] = np.inf
    _core(boxes, of_boxes, block, blocks, of_blocks)
    _core(blocks, of_blocks, block // SIDE, shelves, of_shelves)


@compiled
def _squares(
    boxes: Floats,
    one: int,
    lower: Floats,
    upper: Floats,
    scale: float,
    best: float,
    square: Floats,
) -> None:
    """Compute 16 squares, or less than them if even that, scaled, is more than the best."""
    for j in range(SIDE):
        square[j] = 0.0
    for first in range(0, boxes.shape[1], PAIRS):
        # Two times in a round: vectors of so few boxes pay only then.
        for two in range(first, min(first + PAIRS, boxes.shape[1])):
            low_0, low_1 = lower[2 * two], lower[2 * two + 1]
            high_0, high_1 = upper[2 * two], upper[2 * two + 1]
            for j in range(SIDE):
                width_0 = max(high_0, boxes[one, two, SIDE + j]) - min(low_0, boxes[one, two, j])
                width_1 = max(high_1, boxes[one, two, 3 * SIDE + j]) - min(
                    low_1, boxes[one, two, 2 * SIDE + j]
                )
                square[j] += width_0 * width_0 + width_1 * width_1
        if first + PAIRS < boxes.shape[1]:
            least = np.inf
            for j in range(SIDE):
                least = min(least, square[j])
            if least * scale > best:
                return


@compiled
def _bound_shelves(
    all_boxes: Shelves, lower: Floats, upper: Floats, people: float, square: Floats, room: Floats
) -> int:
    """Bound the losses of all shelves from below; say where the bound is lowest."""
    shelves, of_shelves = all_boxes[4], all_boxes[5]
    first, least = 0, np.inf
    for one in range(len(shelves)):
        _squares(shelves, one, lower, upper, 0.0, 0.0, square)
        for j in range(SIDE):
            bound = max(square[j], of_shelves[one, BOUND, j])
            shelf = one * SIDE + j
            room[shelf] = bound * (people + of_shelves[one, SIZE, j]) ** 2
            if room[shelf] < least:
                first, least = shelf, room[shelf]
    return first


@compiled
def _nearest(
    all_boxes: Shelves,
    lower: Floats,
    upper: Floats,
    people: float,
    square: Floats,
    bound: Floats,
    room: Floats,
) -> int:
    """Find the rank of the box whose union with this one loses least."""
    boxes, of_boxes, blocks, of_blocks, _, of_shelves, _ = all_boxes
    first = _bound_shelves(all_boxes, lower, upper, people, square, room)
    best, rank = np.inf, np.inf
    for turn in range(-1, len(room)):
        shelf = first if turn < 0 else turn
        one, lane = shelf // SIDE, shelf % SIDE
        tie = room[shelf] == best and of_shelves[one, RANK, lane] < rank
        if turn != first and (room[shelf] < best or tie):
            scale = (people + of_shelves[one, SIZE, lane]) ** 2
            _squares(blocks, shelf, lower, upper, scale, best, bound)
            best, rank = _in_shelf(
                boxes, of_boxes, of_blocks, shelf, lower, upper, people, best, rank, bound, square
            )
            of_shelves[one, BOUND, lane] = _minimum(of_blocks, shelf, BOUND)
    return int(rank)


@compiled
def _in_shelf(
    boxes: Floats,
    of_boxes: Floats,
    of_blocks: Floats,
    shelf: int,
    lower: Floats,
    upper: Floats,
    people: float,
    best: float,
    rank: float,
    bound: Floats,
    square: Floats,
) -> tuple[float, float]:
    """Look for a better box in a shelf, given the bounds of its blocks."""
    for lane in range(SIDE):
        least = max(bound[lane], of_blocks[shelf, BOUND, lane])
        scale = (people + of_blocks[shelf, SIZE, lane]) ** 2
        loss = least * scale
        if loss < best or (loss == best and of_blocks[shelf, RANK, lane] < rank):
            block = shelf * SIDE + lane
            _squares(boxes, block, lower, upper, scale, best, square)
            least = np.inf
            for j in range(SIDE):
                least = min(least, square[j])
                loss = square[j] * (people + of_boxes[block, SIZE, j]) ** 2
                if loss < best or (loss == best and of_boxes[block, RANK, j] < rank):
                    best, rank = loss, of_boxes[block, RANK, j]
        of_blocks[shelf, BOUND, lane] = least
    return best, rank


@compiled
def grow(
    all_boxes: Shelves,
    low: Floats,
    high: Floats,
    size: Array,
    left: Array,
    rank: Array,
    by_rank: Array,
    k: int,
    enough: int,
    group: Array,
    groups: int,
    series: int,
) -> tuple[int, int]:
    """Form groups while ``enough`` series are left; give the groups and series there are then.

    Subgroups of ``left`` begin groups, the first that is in none before the others.
    """
    square, bound, room = np.empty(SIDE), np.empty(SIDE), np.empty(all_boxes[4].shape[0] * SIDE)
    for first in left:
        if series < enough:
            break
        if group[first] >= 0:
            continue
        s, people = first, 0
        lower, upper = low[s].copy(), high[s].copy()
        all_boxes[3][:, BOUND] = 0.0
        all_boxes[5][:, BOUND] = 0.0
        while True:
            group[s] = groups
            people += size[s]
            _take(all_boxes, rank[s])
            for t in range(len(lower)):
                lower[t] = min(lower[t], low[s, t])
                upper[t] = max(upper[t], high[s, t])
            if people >= k:
                break
            s = by_rank[_nearest(all_boxes, lower, upper, float(people), square, bound, room)]
        series -= people
        groups += 1
    return groups, series
