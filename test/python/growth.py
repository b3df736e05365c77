"""How work grows with the length of a program: by counts of calls, and by processor time."""

import sys
import time


def calls_of(work):
    """Return how many functions are called, those in C too."""
    count = 0

    def counted(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")

    outer = sys.getprofile()
    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(outer)
    return count


def processor_s(work, clock=time.thread_time):
    """Return the least processor time of this thread, or by a clock, in two runs, in seconds.

    Less than 10 ms is not measured well.
    """
    found = []
    for _ in range(2):
        start = clock()
        work()
        found.append(clock() - start)
    return max(min(found), 0.01)


def expect_linear(cost, work, n, margin):
    """Check that four times as much takes four times as long, with a margin.

    Args:
        cost: returns what some work takes.
        work: returns the work of a length.
        n: the shorter length.
        margin: how much more the longer one may take; 4 if it is quadratic.
    """
    cost(work(n // 4))  # what is done once
    costs = [cost(work(length)) for length in (n, 4 * n)]
    assert costs[1] < 4 * margin * costs[0], f"{costs[0]} for {n}, {costs[1]} for {4 * n}"
