"""A chart as SVG on the page: axes, lines, areas, points and bars, in the colours of the page."""

import html
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from zerone._typing import FloatArray

_LEFT, _RIGHT, _TOP, _BOTTOM = 52.0, 10.0, 10.0, 46.0
# More points than this cannot be seen.
_MOST_POINTS = 400
TENTHS = tuple((i / 5, f"{i / 5:g}") for i in range(6))
"""Ticks of an axis from zero to one."""


@dataclass(eq=False)
class Chart:
    """A chart that is drawn part by part.

    Attributes
    ----------
    x, y : tuple of float
        Both ends of the axes.
    x_label, y_label : str
    x_ticks, y_ticks : sequence of (number, text)
    size : tuple of float
        Width and height, in units of the text.
    name : str
        Of the element, for scripts.
    """

    x: tuple[float, float]
    y: tuple[float, float]
    x_label: str
    y_label: str
    x_ticks: Sequence[tuple[float, str]] = TENTHS
    y_ticks: Sequence[tuple[float, str]] = TENTHS
    size: tuple[float, float] = (380.0, 360.0)
    name: str = ""
    parts: list[str] = field(default_factory=list)

    @property
    def plot(self) -> tuple[float, float, float, float]:
        """Left, top, width and height of the plotted area."""
        width, height = self.size
        return _LEFT, _TOP, width - _LEFT - _RIGHT, height - _TOP - _BOTTOM

    def line(self, x: FloatArray, y: FloatArray, kind: str) -> None:
        """Draw a line; ``kind`` are its classes in the style sheet."""
        self.parts.append(f'<path class="line {kind}" d="{self._path(x, y)}"/>')

    def area(self, x: FloatArray, low: FloatArray, high: FloatArray, kind: str) -> None:
        """Fill the area between two lines."""
        around = np.append(x, x[::-1]), np.append(low, high[::-1])
        self.parts.append(f'<path class="area {kind}" d="{self._path(*around)}Z"/>')

    def points(self, x: FloatArray, y: FloatArray, kind: str, *, radius: float = 4.0) -> None:
        """Draw points."""
        for own in zip(self._across(x), self._down(y), strict=True):
            self.parts.append(
                f'<circle class="point {kind}" cx="{own[0]:.1f}" cy="{own[1]:.1f}" r="{radius:g}"/>'
            )

    def bars(self, edges: FloatArray, heights: FloatArray, kind: str) -> None:
        """Draw the bars of a histogram."""
        x, (base,) = self._across(edges), self._down(np.array([self.y[0]]))
        for left, right, top in zip(x[:-1], x[1:], self._down(heights), strict=True):
            self.parts.append(
                f'<rect class="area {kind}" x="{left:.1f}" y="{top:.1f}" '
                f'width="{right - left:.1f}" height="{max(base - top, 0):.1f}"/>'
            )

    def empty(self, kind: str, name: str, tag: str = "path") -> None:
        """Add an element that a script fills."""
        self.parts.append(f'<{tag} class="{kind}" data-name="{name}"/>')

    def to_svg(self, description: str) -> str:
        """Return the chart; the description is for screen readers."""
        left, top, width, height = self.plot
        told = html.escape(_visible(description))
        name = f' id="{self.name}"' if self.name else ""
        plotted = " ".join(f"{own:g}" for own in self.plot)
        return (
            f'<svg{name} viewBox="0 0 {self.size[0]:g} {self.size[1]:g}" role="img" '
            f'aria-label="{told}" data-plot="{plotted}">'
            f'<rect class="frame" x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}"/>'
            f"{self._axes()}{''.join(self.parts)}</svg>"
        )

    def _axes(self) -> str:
        left, top, width, height = self.plot
        bottom = top + height
        drawn = []
        for at, (_, text) in zip(
            self._across(np.array([own for own, _ in self.x_ticks])), self.x_ticks, strict=True
        ):
            drawn.append(f'<path class="grid" d="M{at:.1f} {top:g}V{bottom:g}"/>')
            drawn.append(_text(at, bottom + 16, text, "middle"))
        for at, (_, text) in zip(
            self._down(np.array([own for own, _ in self.y_ticks])), self.y_ticks, strict=True
        ):
            drawn.append(f'<path class="grid" d="M{left:g} {at:.1f}h{width:g}"/>')
            drawn.append(_text(left - 6, at + 4, text, "end"))
        middle = top + height / 2
        drawn.append(_text(left + width / 2, bottom + 36, self.x_label, "middle"))
        turned = f' transform="rotate(-90 13 {middle:g})"'
        drawn.append(_text(13, middle, self.y_label, "middle", turned))
        return "".join(drawn)

    def _path(self, x: FloatArray, y: FloatArray) -> str:
        if len(x) > _MOST_POINTS:
            chosen = np.linspace(0, len(x) - 1, _MOST_POINTS).round().astype(int)
            x, y = x[chosen], y[chosen]
        pairs = zip(self._across(x), self._down(y), strict=True)
        return "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in pairs)

    def _across(self, x: FloatArray) -> FloatArray:
        left, _, width, _ = self.plot
        span = self.x[1] - self.x[0]
        return np.asarray(left + width * np.clip((x - self.x[0]) / span, 0, 1))

    def _down(self, y: FloatArray) -> FloatArray:
        _, top, _, height = self.plot
        span = self.y[1] - self.y[0]
        return np.asarray(top + height * (1 - np.clip((y - self.y[0]) / span, 0, 1)))


@dataclass(frozen=True)
class Bar:
    """A bar of `bar_chart`."""

    name: str
    value: float


def bar_chart(bars: Sequence[Bar], description: str, longest: float = 0.0) -> str:
    """Return horizontal bars with their names above them, from a common zero.

    Names stand above the bars, so that long ones fit on a phone.

    Parameters
    ----------
    longest : float, optional
        Of several charts of one scale; by default that of these bars.
    """
    width, row = 380.0, 36.0
    largest = longest or max((abs(own.value) for own in bars), default=1.0) or 1.0
    zero, unit = width / 2, (width / 2 - 60) / largest
    drawn = [f'<path class="axis" d="M{zero:g} 0V{row * len(bars):g}"/>']
    for position, own in enumerate(bars):
        top, length = position * row, abs(own.value) * unit
        is_positive = own.value > 0
        start = zero if is_positive else zero - length
        kind = "positive" if is_positive else "negative"
        drawn.append(
            f'<rect class="bar {kind}" x="{start:.1f}" y="{top + 17:.1f}" '
            f'width="{length:.1f}" height="13"/>'
        )
        # Names stand on the side where the bar is not, so that neither hides the other.
        drawn.append(_text(4, top + 13, shortened(own.name, 44), "start"))
        at, anchor = (start + length + 5, "start") if is_positive else (start - 5, "end")
        drawn.append(_text(at, top + 28, f"{own.value:+.3f}", anchor))
    return (
        f'<svg viewBox="0 0 {width:g} {row * len(bars) + 6:g}" role="img" class="bars" '
        f'aria-label="{html.escape(_visible(description))}">{"".join(drawn)}</svg>'
    )


def shortened(name: str, longest: int = 40) -> str:
    """Return a name, or its beginning."""
    return name if len(name) <= longest else name[: longest - 1] + "…"


def ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Return about five round numbers between two others."""
    rough = (high - low) / 5
    if not rough > 0:
        return [(low, f"{low:g}")]
    power = 10 ** np.floor(np.log10(rough))
    step = float(next(own * power for own in (1, 2, 5, 10) if own * power >= rough * 0.999))
    first, last = int(np.ceil(low / step - 1e-9)), int(np.floor(high / step + 1e-9))
    return [(i * step, f"{i * step:.6g}") for i in range(first, last + 1)]


def _text(x: float, y: float, text: str, anchor: str, more: str = "") -> str:
    told = html.escape(_visible(text))
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{told}</text>'


def _visible(text: str) -> str:
    """Return text without characters that XML does not know."""
    return "".join(own if own.isprintable() else "�" for own in text)
