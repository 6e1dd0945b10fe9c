"""Optimal transport between two clouds by the primal network simplex.

Suppliers 0 … n−1 and places n … n+m−1 are the nodes of a tree below a root. Each node knows its parent, the direction
and the flow of the arc between them, and its potential, which gives the cost. At first all suppliers send to the root
and the root to all places, at a price above any real cost. A step adds an arc that saves cost to the tree, moves as
much as possible around the cycle that the arc closes, and drops an arc whose flow has become 0. Of several such arcs it
drops the last one on the way around the cycle, starting at the node nearest to the root: so the tree stays strongly
feasible, and steps that move nothing cannot repeat for ever (Cunningham, 1976).
"""

import numpy as np

from lexicloud.compiled import njit

_PRECISION = 1e-13  # of a reduced cost, in proportion to the highest potential


@njit(cache=True, nogil=True)
def transport(supply, room, D, steps):  # type: ignore[no-untyped-def]
    """Return the plan of least cost, and whether it was found within `steps` steps."""
    n, m = D.shape
    root = n + m
    price = (1.0 + D.max()) * (root + 1)
    parent, points_up, flow = np.full(root + 1, root), np.zeros(root + 1, np.bool_), np.zeros(root + 1)
    potential, depth = np.zeros(root + 1), np.ones(root + 1, np.int64)
    # The children of a node are a doubly linked list.
    child, after, before = np.full(root + 1, -1), np.full(root + 1, -1), np.full(root + 1, -1)
    parent[root], depth[root] = -1, 0
    for x in range(root):
        points_up[x] = x < n
        flow[x] = supply[x] if x < n else room[x - n]
        potential[x] = -price if x < n else price
        _link(x, root, child, after, before)
    row = 0
    for _ in range(steps):
        i, j, saved, row = _entering(D, potential, row, _PRECISION * price)
        if i < 0:
            return _plan(n, m, parent, flow), True
        # The part of the tree below the dropped arc is attached to the new arc, by i or by j.
        out, amount, by_i = _move(i, j, parent, depth, points_up, flow)
        top, onto = (i, j) if by_i else (j, i)
        _hang(top, onto, out, amount, by_i, parent, points_up, flow, child, after, before)
        _shift(top, -saved if by_i else saved, potential, depth, parent, child, after)
    return _plan(n, m, parent, flow), False


@njit(cache=True, nogil=True)
def _entering(D, potential, row, least):  # type: ignore[no-untyped-def]
    """Return the arc that saves most in some rows, its (negative) reduced cost, and the row to start from next."""
    n, m = D.shape
    enough = int(np.sqrt(n * m))
    best, best_i, best_j, seen = -least, -1, -1, 0
    for k in range(n):
        i = row + k if row + k < n else row + k - n
        own = potential[i]
        for j in range(m):
            cost = D[i, j] + own - potential[n + j]
            if cost < best:
                best, best_i, best_j = cost, i, j
        seen += m
        if best_i >= 0 and seen >= enough:
            return best_i, n + best_j, best, (i + 1) % n
    return best_i, n + best_j, best, row


@njit(cache=True, nogil=True)
def _move(i, j, parent, depth, points_up, flow):  # type: ignore[no-untyped-def]
    """Move as much flow as possible from j up to the common ancestor of i and j, and down to i.

    Return the node below the arc whose flow becomes 0, the amount moved, and whether the arc is on the path of i.
    """
    x, y = i, j
    while x != y:
        if depth[x] >= depth[y]:
            x = parent[x]
        else:
            y = parent[y]
    above, out, amount, by_i = x, -1, np.inf, True
    x = i
    while x != above:
        if points_up[x] and flow[x] < amount:
            amount, out = flow[x], x
        x = parent[x]
    x = j
    while x != above:
        if not points_up[x] and flow[x] <= amount:
            amount, out, by_i = flow[x], x, False
        x = parent[x]
    while i != above:
        flow[i] += -amount if points_up[i] else amount
        i = parent[i]
    while j != above:
        flow[j] += amount if points_up[j] else -amount
        j = parent[j]
    return out, amount, by_i


@njit(cache=True, nogil=True)
def _hang(top, onto, out, amount, up, parent, points_up, flow, child, after, before):  # type: ignore[no-untyped-def]
    """Turn the tree below `out` around, so that `top` is its root, and attach it to the node `onto`."""
    x = top
    while True:
        next_x, next_amount, next_up = parent[x], flow[x], not points_up[x]
        _unlink(x, next_x, child, after, before)
        _link(x, onto, child, after, before)
        parent[x], flow[x], points_up[x] = onto, amount, up
        if x == out:
            return
        onto, amount, up = x, next_amount, next_up
        x = next_x


@njit(cache=True, nogil=True)
def _link(x, onto, child, after, before):  # type: ignore[no-untyped-def]
    first = child[onto]
    after[x], before[x] = first, -1
    if first >= 0:
        before[first] = x
    child[onto] = x


@njit(cache=True, nogil=True)
def _unlink(x, from_, child, after, before):  # type: ignore[no-untyped-def]
    if before[x] >= 0:
        after[before[x]] = after[x]
    else:
        child[from_] = after[x]
    if after[x] >= 0:
        before[after[x]] = before[x]


@njit(cache=True, nogil=True)
def _shift(top, by, potential, depth, parent, child, after):  # type: ignore[no-untyped-def]
    """Change the potentials of a node and all nodes below it, and update their depths."""
    x = top
    while True:
        potential[x] += by
        depth[x] = depth[parent[x]] + 1
        if child[x] >= 0:
            x = child[x]
            continue
        while x != top and after[x] < 0:
            x = parent[x]
        if x == top:
            return
        x = after[x]


@njit(cache=True, nogil=True)
def _plan(n, m, parent, flow):  # type: ignore[no-untyped-def]
    """Return the flow from each supplier to each place; what still flows through the root is a rounding error."""
    T = np.zeros((n, m))
    for x in range(n + m):
        y = parent[x]
        if y < n + m:
            T[min(x, y), max(x, y) - n] = flow[x]
    return T
