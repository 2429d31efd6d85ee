"""Machines linearised about an operating point: matrices, poles, frequency response."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from stickslip._attached import deferred
from stickslip.machine.base import BaseMachine
from stickslip.machine.places import Measure, On

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from stickslip import _core
    from stickslip.linear import FrequencyResponse, LinearSystem, Poles
    from stickslip.run.trajectory import Trajectory

    OperatingPoint: TypeAlias = (
        Literal["frictionless", "sliding", "sticking"]
        | _core.dynamics.State
        | Trajectory
        | Mapping[str, float]
    )


class LinearMachine(BaseMachine):
    """A machine with a linear part."""

    @deferred
    def linearise(
        self,
        inputs: On | Sequence[str | Mapping[str, float]] = (),
        outputs: Measure = (),
        *,
        at: OperatingPoint = "frictionless",
        t: float | None = None,
        modes: Mapping[str, str | int] | None = None,
    ) -> LinearSystem:
        """Linearise the machine with its controllers about an operating point.

        Parameters
        ----------
        inputs : str or mapping, or a list of them, optional
            A coordinate (or an input of a `StateSpace`) or a combination, for a force; ``"<controller>.reference"``,
            for an addition to a reference. Poles need none.
        outputs : str or mapping, or a list of them, optional
            Measurable signals, ``"<coordinate>.acceleration"``, and ``.output``, ``.reference`` and ``.error`` of
            controllers.
        at : str, State, Trajectory or mapping, default "frictionless"
            The operating point.

            * ``"frictionless"``: the linear part, without friction, contacts and limits of controllers; springs at zero
              elongation.
            * ``"sliding"``: the steady motion in which every friction element slides.
            * ``"sticking"``: the equilibrium in which every element sticks whose law can; limits of the forces that hold
              it are not checked (see `analysis.equilibria`).
            * ``run.state``: a state, with its modes.
            * a run: at time `t`, by default at its end.
            * a mapping: values of states, such as ``{"block.velocity": 0.3}``, all others as at the start of a run.
        t : float, optional
            Time of signals, s, by default 0, or the time within a run.
        modes : mapping, optional
            Modes by element, such as ``{"pad": "slip+", "wall": "open"}``, in place of those of the operating point.

        Returns
        -------
        LinearSystem
            With the names of the states. With sampled controllers a discrete-time system: inputs are held between
            sampling instants, and outputs are read just after an instant.

        Raises
        ------
        UnknownNameError
            For unknown names.
        ValueError
            If there is no steady motion, for dead times and Python functions as controllers, for a sampled controller at
            its limit, if the machine is sampled at several rates and has inputs, or if it is not linear where
            ``at = "frictionless"``.

        Notes
        -----
        Everything that is smooth is differentiated exactly, in modes that stay: laws have their slope at the operating
        point, bristles and memories of laws are states, springs have the stiffness of their segment, limited outputs of
        continuous controllers are constant. Elements that stick, closed contacts and constraints hold positions and
        velocities, which are then no states. A closed contact loads its friction, so stiffness and damping are not
        symmetric: a cause of flutter. Steps of encoders are left out.

        Examples
        --------
        A mass on a belt of 0.2 m/s with a falling friction curve. The slope of friction makes the sliding unstable:

        >>> import stickslip as ss
        >>> m = ss.Machine(mass=1.0, stiffness=100.0, names=["block"])
        >>> m.add_friction("belt", on="block", surface_velocity=0.2,
        ...                law=ss.Stribeck(static=1.0, kinetic=0.5, stribeck_velocity=0.1, shape=1.0))
        >>> m.linearise(at="sliding").damping.round(4), m.linearise(at="sliding").poles().stable
        (array([-0.0338, -0.0338]), False)
        >>> m.add_controller(ss.PI(kp=4.0, tn=1.0), "speed", measure="block.velocity", to="block")
        'speed'
        >>> m.linearise("speed.reference", "block.velocity", at="sliding").states
        ('block.position', 'block.velocity', 'speed.z')
        """
        raise NotImplementedError

    @deferred
    def poles(
        self,
        *,
        at: OperatingPoint = "frictionless",
        t: float | None = None,
        modes: Mapping[str, str | int] | None = None,
    ) -> Poles:
        """Poles of the machine with its controllers, slowest first.

        Parameters
        ----------
        at, t, modes
            The operating point, as in `linearise`; by default friction and contacts are left out.

        Returns
        -------
        Poles
            An array of complex numbers with `stable`, `damping`, `natural_frequency` and `period`. With continuous
            controllers they are in 1/s. With sampled controllers they are in the z plane for one period, with holds,
            delays and difference quotients; with several rates for their common period. States that are determined by
            constraints are left out.

        Raises
        ------
        ValueError
            As in `linearise`, and if the sampling periods have no common multiple.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=1.0, names=["slide"])
        >>> m.add_controller(ss.PID(kp=2.0, kd=3.0), on="slide")
        'pid'
        >>> m.poles()
        Poles([-1.+0.j, -2.+0.j])
        >>> sampled = ss.Machine(mass=1.0, names=["slide"])
        >>> sampled.add_controller(ss.P(kp=30.0, period=0.1), measure="slide.velocity", to="slide")
        'p'
        >>> sampled.poles()     # v' = -30 v, sampled too slowly: z = 1 - 3
        Poles([-2.+0.j,  1.+0.j])
        >>> sampled.poles().stable
        False
        """
        raise NotImplementedError

    def bode(
        self,
        input: Any,
        output: Any,
        omega: ArrayLike | None = None,
        *,
        at: OperatingPoint = "frictionless",
        t: float | None = None,
        modes: Mapping[str, str | int] | None = None,
        ax: Any = None,
        Hz: bool = False,
        **keywords: Any,
    ) -> FrequencyResponse:
        """Return the frequency response of the machine with its controllers, and draw its Bode diagram into `ax` if
        given.

        Parameters
        ----------
        input, output : str or mapping, or a list of them
            As in `linearise`.
        at, t, modes
            The operating point, as in `linearise`; by default friction and contacts are left out.
        omega, ax, Hz, **keywords
            As in `LinearSystem.bode <stickslip.linear.LinearSystem.bode>`.

        Returns
        -------
        FrequencyResponse
            Response of the shape (outputs, inputs, n); its ``plot()`` draws the Bode diagram into the current figure.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=1.0, damping=1.0, names=["slide"])
        >>> m.bode("slide", "slide.velocity", [1.0]).response.round(6)
        array([[[0.5-0.5j]]])
        """
        system = self.linearise(input, output, at=at, t=t, modes=modes)
        return system.bode(omega, ax=ax, Hz=Hz, **keywords)

    def to_control(
        self,
        inputs: Any,
        outputs: Any,
        *,
        at: OperatingPoint = "frictionless",
        t: float | None = None,
        modes: Mapping[str, str | int] | None = None,
    ) -> Any:
        """Return the linearised machine as a ``control.StateSpace`` of python-control (needs the extra ``control``).

        Parameters
        ----------
        inputs, outputs : str or mapping, or a list of them
            As in `linearise`; dots in names become underscores.
        at, t, modes
            The operating point, as in `linearise`; by default friction and contacts are left out.

        Returns
        -------
        control.StateSpace
            In continuous time, or with ``dt`` if controllers are sampled.

        Raises
        ------
        MissingExtraError
            If python-control is not installed.
        ValueError
            If a controller feeds the rate of an input forward, which no state space represents.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=1.0, damping=2.0, names=["slide"])
        >>> m.to_control("slide", "slide.velocity").poles()
        array([ 0.+0.j, -2.+0.j])
        """
        return self.linearise(inputs, outputs, at=at, t=t, modes=modes).to_control()
