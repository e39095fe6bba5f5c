"""Several pairs of classes, solved together: what is one product for each of them is one for all.

Pairs of many classes have few rows each, so that most of their time would go into calls.
"""

from collections.abc import Generator, Hashable, Sequence
from typing import Any, Protocol, Self, TypeVar

from zerone._refine.stacks import stacks_of

T = TypeVar("T")


class Problem(Protocol):
    """A problem of one pair that can be solved alone, or with those of other pairs."""

    @property
    def kind(self) -> Hashable:
        """What problems have in common that can be solved together; None if this one cannot."""
        ...

    @property
    def size(self) -> tuple[int, int]:
        """Number of rows, and of numbers for each of them."""
        ...

    def solved(self) -> Any:
        """Return the solution."""
        ...

    @classmethod
    def solved_together(cls, problems: Sequence[Self], /) -> list[Any]:
        """Return the solutions of several problems of one kind."""
        ...


Steps = Generator[Problem, Any, T]
"""Work that hands out problems, is sent their solutions, and returns a result."""


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
    sent: dict[int, Any] = dict.fromkeys(range(len(all_steps)))
    while sent:
        problems: dict[int, Problem] = {}
        for number, solution in sent.items():
            try:
                # The first thing that is sent to a generator is None.
                problems[number] = all_steps[number].send(solution)
            except StopIteration as end:
                results[number] = end.value
        sent = dict(zip(problems, solved_together(list(problems.values())), strict=True))
    return [results[number] for number in range(len(all_steps))]


def solved_together(problems: Sequence[Problem]) -> list[Any]:
    """Return the solution of every problem; those of one kind are solved at once."""
    kinds: dict[Hashable, list[int]] = {}
    for number, problem in enumerate(problems):
        kind = problem.kind
        kinds.setdefault(number if kind is None else (type(problem), kind), []).append(number)
    found: dict[int, Any] = {}
    for numbers in kinds.values():
        sizes = [problems[number].size for number in numbers]
        for stack in stacks_of([rows for rows, _ in sizes], sizes[0][1]):
            own = [problems[numbers[place]] for place in stack]
            solutions = [own[0].solved()] if len(own) == 1 else type(own[0]).solved_together(own)
            found.update(zip((numbers[place] for place in stack), solutions, strict=True))
    return [found[number] for number in range(len(problems))]
