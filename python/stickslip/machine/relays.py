"""Elements that switch: dead zones."""

from __future__ import annotations

from stickslip._checks import number, positive
from stickslip.control.controllers import P
from stickslip.machine.controlled import ControlledMachine
from stickslip.machine.places import Measure, On

__all__ = ["SwitchedMachine"]


class SwitchedMachine(ControlledMachine):
    """A machine with elements that switch."""

    def add_dead_zone(
        self, name: str, on: Measure, width: float, *, gain: float = 1.0, to: On | None = None
    ) -> None:
        """Add a dead zone: its output is zero within a band, and proportional to the distance from it outside.

        ``output = gain · (s - limit(s, -width/2, width/2))``.

        Parameters
        ----------
        name : str
            Name of the element; its signal is ``"<name>.output"``.
        on : str or mapping
            The form s: measurable signals, outputs of other controllers among them, and combinations.
        width : float
            Width of the band, in the unit of s, > 0.
        gain : float, default 1.0
            Slope of the output outside the band.
        to : str or tuple of two str or mapping, optional
            Coordinate or input on which the output acts; None if it feeds a controller.

        Notes
        -----
        Two continuous controllers: ``P(gain)`` of this name, and ``P(1)`` with the limits ±width/2, ``"<name>_band"``,
        whose output it subtracts. So corners are exact events of ``"<name>_band"``, and every tool that knows
        controllers knows a dead zone. On positions `add_spring` with `backlash` has the same force and stores its
        energy.

        Examples
        --------
        A valve that moves nothing below 0.2 of its command:

        >>> import stickslip as ss
        >>> m = ss.Machine(mass=1.0, damping=8.0, names=["slide"])
        >>> m.add_controller(ss.P(kp=2.0), "command", measure="slide.position", reference=1.0)
        'command'
        >>> m.add_dead_zone("valve", on="command.output", width=0.4, gain=3.0, to="slide")
        >>> run = ss.simulate(m, t_end=60.0)
        >>> float(run["slide.position"][-1].round(6)), float(run["valve.output"][-1].round(6))
        (0.9, 0.0)
        """
        half = 0.5 * positive(f"width of '{name}'", width)
        band = f"{name}_band"
        self.add_controller(P(kp=1.0, limits=(-half, half)), band, measure=0.0, reference=on)  # type: ignore[arg-type]
        kp = number(f"gain of '{name}'", gain)
        self.add_controller(P(kp=kp), name, measure=f"{band}.output", reference=on, to=to)  # type: ignore[arg-type]
