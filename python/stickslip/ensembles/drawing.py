"""Pictures of ensembles: one measure over one or two parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stickslip._checks import reject
from stickslip.draw import place

if TYPE_CHECKING:
    from stickslip.ensembles.result import EnsembleResult


def draw(
    result: EnsembleResult,
    name: str,
    values: NDArray[Any],
    units: dict[str, str],
    ax: Any,
    keywords: dict[str, Any],
) -> Any:
    """Draw one measure as a line, a map or points."""
    varied = result._design.varied
    if len(varied) not in (1, 2):
        reject("plot", f"{len(varied)} parameters", "one or two that vary: select from to_xarray()")
    shown = np.where(result.success, values, np.nan)
    along = [result._design.given[one] for one in varied]

    def label(text: str) -> str:
        return f"{text} [{units[text]}]" if text in units else text

    kind = f"{name} over {' and '.join(varied)}"
    with place.axes(ax, kind, alone=len(varied) == 2) as axes:
        if len(varied) == 1:
            order = np.argsort(along[0], kind="stable")
            marker = "." if order.size <= 50 else ""
            axes.plot(
                along[0][order], shown.reshape(-1)[order], **place.line_options(keywords, marker=marker)
            )
            axes.set_ylabel(label(name))
        else:
            if result.design == "grid":
                x, y = (np.argsort(a, kind="stable") for a in along)
                options = {"shading": "nearest", "rasterized": True, **keywords}
                picture: Any = axes.pcolormesh(along[0][x], along[1][y], shown[np.ix_(x, y)].T, **options)
            else:
                picture = axes.scatter(along[0], along[1], **{"c": shown, "s": 8, **keywords})
            axes.figure.colorbar(picture, ax=axes, label=label(name))
            axes.set_ylabel(label(varied[1]))
        axes.set_xlabel(label(varied[0]))
        for axis, one in zip("xy", along, strict=False):
            if _geometric(one):
                axes.set(**{f"{axis}scale": "log"})
        return axes


def _geometric(values: NDArray[np.float64]) -> bool:
    """True if values are spread over decades."""
    low, high = np.min(values), np.max(values)
    return bool(low > 0.0 and high / low >= 30.0 and np.median(values) < 0.2 * high)
