"""Parts of drives: rotating and sliding bodies, links between them, motors, brakes and encoders.

`Drive` assembles them to a machine. Parameters are those given in catalogues: backlash, stiffness and damping of a gear
or a screw refer to its output.
"""

from stickslip.parts.bodies import Body, Inertia, Motor, Slide
from stickslip.parts.drive import Drive
from stickslip.parts.holders import Brake, Encoder, Holder
from stickslip.parts.links import Clutch, Coupling, Link, OneWayClutch
from stickslip.parts.part import Part
from stickslip.parts.three_shafts import Differential, Planetary
from stickslip.parts.transmissions import BallScrew, BeltDrive, Gear

__all__ = [
    "BallScrew",
    "BeltDrive",
    "Body",
    "Brake",
    "Clutch",
    "Coupling",
    "Differential",
    "Drive",
    "Encoder",
    "Gear",
    "Holder",
    "Inertia",
    "Link",
    "Motor",
    "OneWayClutch",
    "Part",
    "Planetary",
    "Slide",
]


def __dir__() -> list[str]:
    return sorted(__all__)
