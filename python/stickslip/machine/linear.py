"""Linear part of a machine with its controllers: poles, frequency response, matrices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from stickslip._attached import deferred
from stickslip.machine.base import BaseMachine
from stickslip.machine.places import Measure, On

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from stickslip.linear import FrequencyResponse, LinearSystem, Poles


class LinearMachine(BaseMachine):
    """A machine with a linear part."""

    @deferred
    def poles(self) -> Poles:
        """Poles of the machine with its controllers, slowest first.

        Friction, contacts, limits of controllers and encoder steps are left out; springs are linearised at q = 0.

        Returns
        -------
        Poles
            An array of complex numbers with `stable`, `damping` and `period`. With continuous controllers they are in
            1/s. With sampled controllers they are in the z plane for one period, with holds, delays and difference
            quotients; with several rates for their common period. States that are determined by constraints are left
            out.

        Raises
        ------
        ValueError
            If the machine is not linear, a controller is a Python function, or the sampling periods have no common
            multiple.

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

    @deferred
    def linear_system(
        self, inputs: On | Sequence[str | Mapping[str, float]], outputs: Measure
    ) -> LinearSystem:
        """Return the linear part with its controllers, from forces and references to measurements.

        Parameters
        ----------
        inputs : str or mapping, or a list of them
            A coordinate (or an input of a `StateSpace`) or a combination, for a force; ``"<controller>.reference"``,
            for an addition to a reference.
        outputs : str or mapping, or a list of them
            Measurable signals, ``"<coordinate>.acceleration"``, and ``.output``, ``.reference`` and ``.error`` of
            controllers.

        Returns
        -------
        LinearSystem
            With sampled controllers a discrete-time system: inputs are held between sampling instants, and outputs are
            read just after an instant.

        Raises
        ------
        UnknownNameError
            For unknown names.
        ValueError
            If the machine is not linear or is sampled at several rates.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=1.0, names=["slide"])
        >>> m.add_controller(ss.PI(kp=4.0, tn=1.0), "speed", measure="slide.velocity", to="slide")
        'speed'
        >>> m.linear_system("speed.reference", "slide.velocity").outputs
        ('slide.velocity',)
        """
        raise NotImplementedError

    def bode(
        self,
        input: Any,
        output: Any,
        omega: ArrayLike | None = None,
        *,
        ax: Any = None,
        Hz: bool = False,
        **keywords: Any,
    ) -> FrequencyResponse:
        """Return the frequency response of the machine with its controllers, and draw its Bode diagram into `ax` if
        given.

        Parameters
        ----------
        input, output : str or mapping, or a list of them
            As in `linear_system`.
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
        return self.linear_system(input, output).bode(omega, ax=ax, Hz=Hz, **keywords)

    def to_control(self, inputs: Any, outputs: Any) -> Any:
        """The linear part as a ``control.StateSpace`` of python-control (needs the extra ``control``).

        Parameters
        ----------
        inputs, outputs : str or mapping, or a list of them
            As in `linear_system`; dots in names become underscores.

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
        return self.linear_system(inputs, outputs).to_control()
