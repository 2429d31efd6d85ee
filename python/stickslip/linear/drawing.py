"""Bode and Nyquist diagrams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stickslip.draw import place
from stickslip.draw import style as _style
from stickslip.linear.response import FrequencyResponse
from stickslip.linear.time_response import TimeResponse

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def bode(
    response: FrequencyResponse, ax: Any = None, *, Hz: bool | None = None, **keywords: Any
) -> NDArray[np.object_]:
    """Draw gain and phase over frequency: see `FrequencyResponse.plot`."""
    hertz = response.Hz if Hz is None else Hz
    kind = f"Bode diagram over {'Hz' if hertz else 'rad/s'}"
    with place.panels(ax, 2, kind, 95.0, sharex=True) as axes:
        gain, phase = axes
        first = not gain.lines
        x = response.frequency if hertz else response.omega
        outputs, inputs, _ = response.response.shape
        angles = np.rad2deg(response.phase)
        opened = response.inputs == response.outputs and outputs * inputs == 1
        if opened:  # read against -180 degrees where the gain is 1
            crossover = int(np.argmin(np.abs(response.decibel[0, 0])))
            angles = angles - 360.0 * np.ceil(angles[0, 0, crossover] / 360.0)
            for ax, line in ((gain, 0.0), (phase, -180.0)):
                ax.axhline(line, color=_style.OPEN_EDGE, linewidth=0.8)
        for row in range(outputs):
            for column in range(inputs):
                dash = ("-", "--", ":", "-.")[(row * inputs + column) % 4]
                looks = {"linestyle": dash, "label": _name(response, row, column)}
                if "color" not in keywords:
                    looks["color"] = _style.CYCLE[len(_curves(gain)) % len(_style.CYCLE)]
                options = place.line_options(keywords, **looks)
                (curve,) = gain.semilogx(x, response.decibel[row, column], **options)
                curve.set_gid(_CURVE)
                phase.semilogx(x, angles[row, column], **options)
        gain.set_ylabel("gain [dB]")
        phase.set_ylabel("phase [°]")
        phase.set_xlabel("frequency [Hz]" if hertz else "angular frequency [rad/s]")
        phase.yaxis.set_major_locator(_steps_of_45())
        if len(_curves(gain)) > 1 or "label" in keywords:
            handles, labels = gain.get_legend_handles_labels()
            if handles:
                _style.legend_below(phase, handles, labels, columns=2)
        if not first:
            gain.set_title("")
        elif outputs * inputs == 1 and (name := _name(response, 0, 0)) is not None:
            gain.set_title(name)
        if response.period is not None:
            half = np.pi / response.period
            for ax in axes:
                ax.axvline(half / (2.0 * np.pi) if hertz else half, color=_style.OPEN_EDGE, linewidth=0.8)
        return axes


_CURVE = "curve"  # distinguishes curves from the lines of crossover and sampling


def _curves(ax: Axes) -> list[Any]:
    return [line for line in ax.lines if line.get_gid() == _CURVE]


def nyquist(response: FrequencyResponse, ax: Axes | None = None, **keywords: Any) -> Axes:
    """Draw the curve for positive frequencies, its mirror image dashed, and the point -1."""
    with place.axes(ax, "Nyquist diagram", 95.0, 110.0) as axes:
        values = response.response[0, 0]
        finite = np.isfinite(values)
        before = len(_curves(axes))
        looks = place.line_options(keywords, color=_style.CYCLE[before % len(_style.CYCLE)])
        (curve,) = axes.plot(values.real[finite], values.imag[finite], **looks)
        curve.set_gid(_CURVE)
        mirror = {**looks, "linestyle": "--", "linewidth": 0.8, "label": None}
        axes.plot(values.real[finite], -values.imag[finite], **mirror)
        circle = np.exp(1j * np.linspace(0.0, 2.0 * np.pi, 361))
        axes.plot(circle.real, circle.imag, color=_style.OPEN_EDGE, linewidth=0.6)
        axes.plot(-1.0, 0.0, linestyle="none", marker="+", markersize=8, color=_style.VERMILION)
        axes.set_aspect("equal")
        axes.set_xlim(-2.5, 1.5)
        axes.set_ylim(-2.0, 2.0)
        axes.set_xlabel("real part")
        axes.set_ylabel("imaginary part")
        if before:
            axes.set_title("")
        elif (name := _name(response, 0, 0)) is not None:
            axes.set_title(name)
        if axes.get_legend_handles_labels()[0]:
            axes.legend()
        return axes


def over_time(response: TimeResponse, ax: Axes | None = None, **keywords: Any) -> Axes:
    """Draw outputs over time, held between sampling instants."""
    with place.axes(ax, f"{response.kind} response") as axes:
        outputs, inputs, _ = response.y.shape
        for row in range(outputs):
            for column in range(inputs):
                looks = {"label": _name(response, row, column)}
                if "color" not in keywords:
                    looks["color"] = _style.CYCLE[len(_curves(axes)) % len(_style.CYCLE)]
                if response.period is not None:
                    looks["drawstyle"] = "steps-post"
                (curve,) = axes.plot(
                    response.t, response.y[row, column], **place.line_options(keywords, **looks)
                )
                curve.set_gid(_CURVE)
        axes.set_xlabel("time [s]")
        axes.set_ylabel(f"{response.kind} response")
        if axes.get_legend_handles_labels()[0]:
            axes.legend()
        return axes


def _name(response: FrequencyResponse | TimeResponse, row: int, column: int) -> str | None:
    if not response.inputs or not response.outputs:
        return None
    before, after = response.inputs[column], response.outputs[row]
    return f"open loop at {before}" if before == after else f"{before} → {after}"


def _steps_of_45() -> object:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(nbins="auto", steps=[1.5, 3, 4.5, 9])
