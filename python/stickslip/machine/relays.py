"""Elements that switch: relays, quantisers and dead zones."""

from __future__ import annotations

import numpy as np

from stickslip._checks import number, positive, reject
from stickslip.control.controllers import P
from stickslip.machine.controlled import ControlledMachine
from stickslip.machine.places import Measure, On
from stickslip.signals import Signal, as_signal

__all__ = ["SwitchedMachine"]


class SwitchedMachine(ControlledMachine):
    """A machine with relays."""

    @property
    def relays(self) -> tuple[str, ...]:
        """Names of the relays and quantisers."""
        return tuple(self._description.names(["relay", "quantiser"]))

    def add_relay(
        self,
        name: str,
        on: Measure,
        low: float,
        high: float,
        *,
        to: On,
        threshold: Signal | float = 0.0,
        hysteresis: float = 0.0,
    ) -> None:
        """Add a relay: its output is `low` below a threshold and `high` above it.

        Parameters
        ----------
        name : str
            Name of the element; signals are ``"<name>.output"`` and ``.mode``: ``low``, ``high``, or ``free`` in a
            sliding mode.
        on : str or mapping
            The form s on which the relay switches: ``"slide"`` or ``"slide.position"``, ``"slide.velocity"``, a
            controller's ``"<name>.output"``, or a combination {name: factor}; states and outputs of a `StateSpace`.
        low, high : float
            Output for ``s < threshold`` and for ``s > threshold``, N or N m along a coordinate. A relay that acts
            against the form has ``low > high``.
        to : str or tuple of two str or mapping
            Coordinate or input on which the output acts, as that of a controller.
        threshold : float or Signal, default 0.0
            Where the relay switches, in the unit of the form. A reference r(t) makes a relay of the control error.
        hysteresis : float, default 0.0
            Distance h of two thresholds: the output becomes high at ``threshold + h/2`` and low at ``threshold - h/2``.
            A run that starts between them begins with the output of the nearer one.

        Raises
        ------
        ValueError
            Naming the argument; for outputs of continuous controllers with limits, for sampled outputs added to a
            velocity without hysteresis, and for outputs of a `StateSpace` that the relay changes at once.

        Notes
        -----
        Let s' be the rate of the form. Without hysteresis the relay has a sliding mode, in the sense of Filippov,
        where its output acts on s' and both outputs drive s to the threshold. There the output is the equivalent
        control, between `low` and `high`, which holds s; the sliding mode ends where it reaches one of them. The
        problem is that of dry friction, and it is decided together with all friction and contacts.

        If the output acts on s'' only, as a force switched by a position does, the relay holds s where ``s = s' = 0``.
        With further damping or friction its switchings may accumulate there (twisting algorithm, Levant 1993): the run
        follows them until s' is below 1e-11 of its size, and goes on at rest. If the output acts on a higher
        derivative, or drives s away, the relay only switches; so does a relay of relative degree two on a controller
        with states, and a relay on a sampled output, which switches at sampling instants.

        Every switching is an event: ``"<name> switches"``, ``slides``, ``stops sliding``. At a form that starts exactly
        on its threshold the first derivative that is not zero decides. Outputs do work like controllers, and
        `Energy.controllers` holds it.

        References: A. F. Filippov, Differential Equations with Discontinuous Righthand Sides (1988); A. Levant, Sliding
        order and sliding accuracy in sliding mode control, Int. J. Control 58 (1993), 1247-1263.

        Examples
        --------
        A slide without friction, pulled to x = 0 by 2 N to either side, returns with the speed that it had:

        >>> import stickslip as ss
        >>> m = ss.Machine(mass=1.0, names=["slide"])
        >>> m.add_relay("pull", on="slide.position", low=2.0, high=-2.0, to="slide")
        >>> run = ss.simulate(m, t_end=3.0, initial={"slide.velocity": 1.0})
        >>> [(round(e.time, 12), str(e.before), str(e.after)) for e in run.events]
        [(1.0, 'high', 'low'), (2.0, 'low', 'high'), (3.0, 'high', 'low')]

        On a velocity it slides: the output balances the force.

        >>> m = ss.Machine(mass=1.0, names=["slide"], force={"slide": 0.5})
        >>> m.add_relay("hold", on="slide.velocity", low=2.0, high=-2.0, to="slide")
        >>> run = ss.simulate(m, t_end=3.0, initial={"slide.velocity": 1.5})
        >>> run.events[0].cause, run.events[0].time, float(run["hold.output"][-1])
        ('hold slides', 1.0, -0.5)
        """
        self._add(
            "relay",
            name=str(name),
            on=self._switched_form(str(name), on),
            low=number(f"low of '{name}'", low),
            high=number(f"high of '{name}'", high),
            hysteresis=number(f"hysteresis of '{name}'", hysteresis),
            threshold=as_signal(threshold, f"threshold of '{name}'").compiled,
            to=self._parts(f"to of '{name}'", to),
        )

    def add_quantiser(self, name: str, on: Measure, step: float, levels: int, *, to: On) -> None:
        """Add a quantiser: its output is the nearest multiple of a step.

        ``output = step · round(s / step)``, and at most ``levels · step`` on each side.

        Parameters
        ----------
        name : str
            Name of the element; its signal is ``"<name>.output"``.
        on, to
            As in `add_relay`; a negative factor in `to` makes the output act against the form.
        step : float
            Distance of levels, in the unit of the form, > 0.
        levels : int
            Number of levels on each side of zero, 1 to 64.

        Raises
        ------
        ValueError
            As in `add_relay`.

        Notes
        -----
        A sum of relays ``"<name>[k]"``, k = ±1, ..., ±levels, at half steps, which are the elements of events; each
        slides as a relay does. A sampled controller that reads a coarse encoder has its own quantum (``quantum=``)
        and needs no quantiser.

        Examples
        --------
        ``v' = 0.7 - Q(v)``: v comes to the threshold 0.5 between the outputs 0 and 1, and slides there:

        >>> import stickslip as ss
        >>> m = ss.Machine(mass=1.0, names=["slide"], force={"slide": 0.7})
        >>> m.add_quantiser("brake", on="slide.velocity", step=1.0, levels=3, to={"slide": -1.0})
        >>> run = ss.simulate(m, t_end=2.0)
        >>> run.events[0].cause, round(run.events[0].time, 12), float(run["brake.output"][-1].round(12))
        ('brake[1] slides', 0.714285714286, 0.7)
        """
        if not isinstance(levels, (int, np.integer)) or isinstance(levels, bool):
            reject(f"levels of '{name}'", levels, "an integer from 1 to 64")
        self._add(
            "quantiser",
            name=str(name),
            on=self._switched_form(str(name), on),
            step=number(f"step of '{name}'", step),
            levels=int(levels),
            to=self._parts(f"to of '{name}'", to),
        )

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

    def _switched_form(self, name: str, on: Measure) -> dict[str, float]:
        named: dict[str, float] = self._source("on", name, on).get("names", {})
        if not named:
            reject(f"on of '{name}'", on, "a name, or a mapping of names to factors")
        return named
