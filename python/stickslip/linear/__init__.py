"""Machines and loops as linear systems: frequency response, margins and poles, exact for sampled controllers."""

from stickslip.linear.functions import feedback, frequency_response
from stickslip.linear.loop import OpenLoop, open_loop
from stickslip.linear.margins import Margins, Peak
from stickslip.linear.mode_shapes import ModeShapes
from stickslip.linear.poles import Poles
from stickslip.linear.response import FrequencyResponse
from stickslip.linear.system import LinearSystem
from stickslip.linear.time_response import TimeResponse

__all__ = [
    "FrequencyResponse",
    "LinearSystem",
    "Margins",
    "ModeShapes",
    "OpenLoop",
    "Peak",
    "Poles",
    "TimeResponse",
    "feedback",
    "frequency_response",
    "open_loop",
]


def __dir__() -> list[str]:
    return sorted(__all__)
