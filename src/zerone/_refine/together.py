"""Several pairs of classes, solved together: what is one product for each of them is one for all.

Pairs of many classes have few rows each, so that most of their time would go into calls.
"""

from collections.abc import Generator, Hashable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from zerone._refine.blocks import DenseBlock
from zerone._refine.logistic import Logistic
from zerone._refine.polish import Polish
from zerone._refine.training_rows import TrainingRows
from zerone._typing import AnyArray, FloatArray

Problem = Logistic | Polish
T = TypeVar("T")
Steps = Generator[Problem, list[FloatArray], T]
"""Work that hands out problems, is sent their solutions, and returns a result."""

# Scores of all models in one stack, which stay in the cache.
_STACKED_SCORES = 2**17
# In a stack, no pair has so many times fewer rows than another: the others are zeros.
_FEWER = 1.3


def run_alone(steps: Steps[T]) -> T:
    """Return the result of steps, whose problems are solved one by one."""
    try:
        problem = next(steps)
        while True:
            problem = steps.send(problem.solved())
    except StopIteration as end:
        result: T = end.value
        return result


def run_together(all_steps: Sequence[Steps[T]]) -> list[T]:
    """Return the results of several steps, whose problems are solved together."""
    results: dict[int, T] = {}
    sent: dict[int, list[FloatArray] | None] = dict.fromkeys(range(len(all_steps)))
    while sent:
        problems: dict[int, Problem] = {}
        for number, solution in sent.items():
            steps = all_steps[number]
            try:
                problems[number] = next(steps) if solution is None else steps.send(solution)
            except StopIteration as end:
                results[number] = end.value
        sent = dict(zip(problems, solved_together(list(problems.values())), strict=True))
    return [results[number] for number in range(len(all_steps))]


def solved_together(problems: Sequence[Problem]) -> list[list[FloatArray]]:
    """Return the solution of every problem; those of one kind are solved at once."""
    kinds: dict[Hashable, list[int]] = {}
    for number, problem in enumerate(problems):
        kinds.setdefault(_kind(problem) or number, []).append(number)
    found: dict[int, list[FloatArray]] = {}
    for members in kinds.values():
        for own in _stacks(members, [problems[number].rows for number in members]):
            if len(own) == 1:
                found[own[0]] = problems[own[0]].solved()
                continue
            solution = _stacked([problems[number] for number in own]).solved()
            for place, number in enumerate(own):
                found[number] = [state[place] for state in solution]
    return [found[number] for number in range(len(problems))]


def _kind(problem: Problem) -> Hashable:
    """Return what problems that can be solved at once have in common; None if it can not."""
    block = problem.rows.block
    if not (isinstance(block, DenseBlock) and block.values.dtype == np.float64):
        return None
    if isinstance(problem, Logistic):
        return problem.start.shape, tuple(problem.penalties)
    stages, d = problem.stages, problem.rows.block.n_coordinates
    # None of them may need a part of the rows only.
    if float(problem.rows.weights[-1].sum()) > stages.needed(stages.used[0], d):
        return None
    return problem.start.shape, problem.make, stages.used, problem.thresholds is None


def _stacks(members: list[int], rows: list[TrainingRows]) -> list[list[int]]:
    """Return problems in stacks whose members have about equally many rows."""
    sizes = np.array([len(own.signs) for own in rows])
    n_models = len(rows[0].weights)
    stacks: list[list[int]] = []
    smallest = 0
    for place in np.argsort(sizes, kind="stable").tolist():
        size = int(sizes[place])
        is_full = stacks and (len(stacks[-1]) + 1) * n_models * size > _STACKED_SCORES
        if not stacks or is_full or size > _FEWER * smallest:
            stacks.append([])
            smallest = size
        stacks[-1].append(members[place])
    return stacks


def _stacked(problems: Sequence[Problem]) -> Problem:
    """Return problems of one kind as one, with another axis in front."""
    first = problems[0]
    rows = _stacked_rows([own.rows for own in problems])
    start = np.array([own.start for own in problems])
    if isinstance(first, Logistic):
        covariance = np.array([own.covariance for own in problems if isinstance(own, Logistic)])
        return replace(first, rows=rows, start=start, covariance=covariance)
    polishes = [own for own in problems if isinstance(own, Polish)]
    thresholds = [own.thresholds for own in polishes]
    return replace(
        first,
        rows=rows,
        start=start,
        whitener=np.array([own.whitener for own in polishes]),
        thresholds=None if first.thresholds is None else np.array(thresholds),
    )


def _stacked_rows(all_rows: Sequence[TrainingRows]) -> TrainingRows:
    """Return the rows of several pairs; where a pair has fewer, rows of weight zero."""
    size = max(len(own.signs) for own in all_rows)

    def padded(arrays: list[AnyArray]) -> AnyArray:
        result = np.zeros((len(arrays), *arrays[0].shape[:-1], size))
        for own, array in zip(result, arrays, strict=True):
            own[..., : array.shape[-1]] = array
        return result

    blocks = [own.block for own in all_rows]
    values = padded([own.values for own in blocks if isinstance(own, DenseBlock)])
    signs = padded([own.signs[None] for own in all_rows])
    return TrainingRows(DenseBlock(values), signs, padded([own.weights for own in all_rows]))
