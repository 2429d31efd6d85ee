"""Bode and Nyquist diagrams."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stickslip._drawing import _style
from stickslip.linear.response import FrequencyResponse

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def bode(response: FrequencyResponse, hertz: bool) -> NDArray[np.object_]:
    """Gain and phase over frequency."""
    with _style.style():
        figure = _style.canvas(95.0)
        gain, phase = axes = figure.subplots(2, 1, sharex=True)
        x = response.frequency if hertz else response.omega
        outputs, inputs, _ = response.response.shape
        for row in range(outputs):
            for column in range(inputs):
                dash = ("-", "--", ":", "-.")[(row * inputs + column) % 4]
                gain.semilogx(
                    x, response.decibel[row, column], linestyle=dash, label=_name(response, row, column)
                )
                phase.semilogx(x, np.rad2deg(response.phase[row, column]), linestyle=dash)
        gain.set_ylabel("gain [dB]")
        phase.set_ylabel("phase [°]")
        phase.set_xlabel("frequency [Hz]" if hertz else "angular frequency [rad/s]")
        phase.yaxis.set_major_locator(_steps_of_45())
        if outputs * inputs > 1:
            handles, labels = gain.get_legend_handles_labels()
            _style.legend_below(phase, handles, labels, columns=2)
        elif (name := _name(response, 0, 0)) is not None:
            gain.set_title(name)
        if response.period is not None:
            half = np.pi / response.period
            for ax in axes:
                ax.axvline(half / (2.0 * np.pi) if hertz else half, color=_style.OPEN_EDGE, linewidth=0.8)
        drawn: NDArray[np.object_] = axes
        return drawn


def nyquist(response: FrequencyResponse, ax: Axes | None) -> Axes:
    """The curve for positive frequencies, its mirror image dashed, and -1."""
    with _style.drawing(ax, 95.0, 110.0) as axes:
        values = response.response[0, 0]
        finite = np.isfinite(values)
        axes.plot(values.real[finite], values.imag[finite], color=_style.BLUE)
        axes.plot(values.real[finite], -values.imag[finite], color=_style.BLUE, linestyle="--", linewidth=0.8)
        circle = np.exp(1j * np.linspace(0.0, 2.0 * np.pi, 361))
        axes.plot(circle.real, circle.imag, color=_style.OPEN_EDGE, linewidth=0.6)
        axes.plot(-1.0, 0.0, linestyle="none", marker="+", markersize=8, color=_style.VERMILION)
        axes.set_aspect("equal")
        axes.set_xlim(-2.5, 1.5)
        axes.set_ylim(-2.0, 2.0)
        axes.set_xlabel("real part")
        axes.set_ylabel("imaginary part")
        if (name := _name(response, 0, 0)) is not None:
            axes.set_title(name)
        return axes


def _name(response: FrequencyResponse, row: int, column: int) -> str | None:
    if not response.inputs or not response.outputs:
        return None
    before, after = response.inputs[column], response.outputs[row]
    return f"open loop at {before}" if before == after else f"{before} → {after}"


def _steps_of_45() -> object:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(nbins="auto", steps=[1.5, 3, 4.5, 9])
