"""The description of a machine: a linear plant and the elements in which it sticks, slips and separates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip import _core, _smooth
from stickslip._checks import array, number, reject, spread, vector, wrong_shape
from stickslip._described import compensator_text, constraint_text, law_of, spring_text
from stickslip._html import table
from stickslip._smooth import Function
from stickslip._wiring import Measure, On, Wiring, law_fields
from stickslip.compliance import Compliance, HuntCrossley, KelvinVoigt, compliance_of, described
from stickslip.errors import UnknownNameError
from stickslip.expressions.expr import Expr
from stickslip.laws import Coulomb, Law, as_law
from stickslip.signals import Signal, as_signal

if TYPE_CHECKING:
    from stickslip.state_space import StateSpace

__all__ = ["Machine"]


def _matrix(name: str, value: ArrayLike | None, n: int) -> NDArray[np.float64]:
    """A number or vector is a diagonal; None is zero."""
    if value is None:
        return np.zeros((n, n))
    a = array(name, value)
    if a.ndim < 2:
        return np.diag(spread(name, a, n))
    if a.shape != (n, n):
        wrong_shape(name, a, (n, n))
    return a


def _rotary(kind: str | Mapping[str, str], names: Sequence[str]) -> list[str]:
    """The coordinates that are angles."""
    kinds = dict(kind) if isinstance(kind, Mapping) else dict.fromkeys(names, kind)
    for name, one in kinds.items():
        if name not in names:
            raise UnknownNameError(f"kind names {name!r}; known are: {', '.join(map(repr, names))}")
        if one not in ("linear", "rotary"):
            reject("kind", kind, "'linear' or 'rotary', or a mapping of coordinates to these")
    return [name for name in names if kinds.get(name) == "rotary"]


class Machine(Wiring):
    """A mechanical plant with friction and contacts, driven by signals and by functions of its motion.

    ``M q'' + D q' + K q = forces - friction``. Rotational machines are the same with inertias, angles and torques.
    The machine is linear, and runs exactly, as long as M is constant and forces, gaps and directions are no functions
    of the motion; each of them may be one (`Expr`, or a Python function that is traced once).

    Parameters
    ----------
    mass : float or array_like
        Mass matrix M, kg: a number, a vector (diagonal) of length n or an (n, n) symmetric positive definite matrix.
        Entries may be expressions of the positions, or a Python function ``M(q)`` returns the matrix; `names` is then
        needed. Velocities enter M q'' = h(q, q') with it: centrifugal and Coriolis forces belong to the forces, as
        ``sympy.physics.mechanics`` gives them (its ``forcing``).
    damping, stiffness : float or array_like, optional
        D in N s/m and K in N/m, as numbers, vectors (diagonal) or (n, n) matrices; zero by default. They need not be
        symmetric: the skew part of D is gyroscopic and does no work; that of K is circulatory (follower forces, oil
        film), has no potential, and its work counts among what damping takes (`Energy.damping`).
    names : sequence of str, optional
        Names of the coordinates; ``"q0", "q1", ...`` by default. All names of a machine share one name space.
    force : mapping, optional
        External forces: coordinate name -> number or signal, N.
    kind : {"linear", "rotary"} or mapping, default "linear"
        Whether coordinates are lengths in m or angles in rad, with inertias in kg m² and torques in Nm: all of them,
        or ``{coordinate: kind}`` for those that are named. It affects units only. A combination of coordinates has the unit
        of those with the factor 1 or -1, in ``{"nut": 1, "screw": -lead}`` a length; without them of lengths, if it has no
        others. Of angles with other factors alone, which may be radii or ratios, no unit is shown.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Notes
    -----
    A description is a value: machines compare equal if the engine reads the same from both, and can be copied and
    pickled (with Python functions, as far as these can be); a copy gives runs with the same bits. Since they can be
    changed they have no hash.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    >>> m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
    >>> run = ss.simulate(m, t_end=10.0, initial={"block.velocity": 0.2})
    >>> round(run.events[0].time, 9)
    2.5
    """

    _kind = "mechanical"

    def __init__(
        self,
        mass: ArrayLike | Expr | Function,
        damping: ArrayLike | None = None,
        stiffness: ArrayLike | None = None,
        names: Sequence[str] | None = None,
        force: Mapping[str, Signal | float | Expr | Function] | None = None,
        kind: str | Mapping[str, str] = "linear",
    ) -> None:
        if isinstance(names, str) or not (names is None or isinstance(names, Sequence)):
            reject("names", names, "a sequence of names")
        fields: dict[str, object] = {}
        if _smooth.is_smooth(mass):
            if names is None:
                raise ValueError("names is needed where mass is a function of the coordinates")
            coordinates = [str(x) for x in names]
            fields["mass_expression"] = _smooth.matrix_of("mass", mass, coordinates)
            mass = np.eye(len(coordinates))
        m = array("mass", mass)  # type: ignore[arg-type]
        if m.ndim > 2:
            wrong_shape("mass", m, "that of a number, a vector or a square matrix")
        if m.ndim < 2 and not np.all(m > 0):
            reject("mass", mass, "finite and > 0")
        n = m.shape[0] if m.ndim else 1 if names is None else len(names)
        coordinates = [f"q{i}" for i in range(n)] if names is None else [str(x) for x in names]
        if len(coordinates) != n:
            raise ValueError(f"names has {len(coordinates)} entries, but mass has {n} coordinates")
        matrices = {"mass": m, "damping": damping, "stiffness": stiffness}
        fields |= {name: _matrix(name, given, n) for name, given in matrices.items()}
        fields |= {"names": coordinates, "rotary": _rotary(kind, coordinates)}
        self._description = _core.model.Machine("mechanical", fields)
        if not (force is None or isinstance(force, Mapping)):
            reject("force", force, "a mapping of coordinates to numbers or signals")
        for coordinate, signal in (force or {}).items():
            self.add_force(coordinate, signal)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the coordinates."""
        return tuple(self._description.coordinates)

    @property
    def kinds(self) -> dict[str, str]:
        """Whether each coordinate is ``"linear"`` or ``"rotary"``."""
        rotary = self._description.plant["rotary"]
        return {name: "rotary" if name in rotary else "linear" for name in self.names}

    @property
    def smooth(self) -> bool:
        """Whether anything in the machine is a function of its motion, which makes it nonlinear."""
        described = [self._description.plant, *self._description.elements]
        return any(
            isinstance(value, dict) and value.get("outputs")
            for one in described
            for key, value in one.items()
            if key.endswith("expression") and key != "restitution_expression"
        )

    @property
    def mass(self) -> NDArray[np.float64]:
        """A copy of the mass matrix, kg, shape (n, n); the unit matrix where the mass is a function of the motion."""
        return self._matrix("mass")

    @property
    def damping(self) -> NDArray[np.float64]:
        """A copy of the damping matrix, Ns/m, shape (n, n)."""
        return self._matrix("damping")

    @property
    def stiffness(self) -> NDArray[np.float64]:
        """A copy of the stiffness matrix, N/m, shape (n, n); springs that were added are not in it."""
        return self._matrix("stiffness")

    def _matrix(self, name: str) -> NDArray[np.float64]:
        matrix: NDArray[np.float64] = self._description.plant[name]
        return matrix

    def _parts(self, what: str, on: On) -> dict[str, float]:
        if isinstance(on, str):
            return {on: 1.0}
        if isinstance(on, Mapping):
            return {str(k): number(f"{what}, factor of {k!r}", v) for k, v in on.items()}
        if not (isinstance(on, Sequence) and len(on) == 2):
            reject(what, on, "a coordinate, a pair of coordinates, or a mapping of coordinates to factors")
        if on[0] == on[1]:
            reject(what, on, "two different coordinates")
        return {str(on[0]): 1.0, str(on[1]): -1.0}

    def _variable(self, name: str) -> str:
        """A coordinate alone is its position."""
        return f"{name}.position" if name in self._description.coordinates else name

    def _measurable(self) -> list[str]:
        return [f"{n}.{kind}" for n in self.names for kind in ("position", "velocity")]

    def _follow(self, on: On) -> Measure:
        return self._parts("on", on)

    def to_state_space(self, to: On | Sequence[On], measure: Measure) -> StateSpace:
        """Return the linear part as matrices: continuous controllers off their limits, springs on the stretch on which
        they are where all coordinates are zero, friction and contacts left out.

        Parameters
        ----------
        to : str or tuple of two str or mapping, or a list of them
            Where forces enter, the inputs: as in `add_force`.
        measure : str or mapping, or a list of them
            The outputs: ``"motor"`` or ``"motor.position"``, ``"motor.velocity"``, or a combination {name:
            factor}.

        Returns
        -------
        StateSpace
            States as in `states`, without those that follow from others by constraints. It holds A, B, C and D for
            `analysis.frequency_response`, `analysis.harmonic_balance`, python-control and others; references are zero
            in it. Held outputs of sampled controllers and internal states of friction stay constant.

        Raises
        ------
        ValueError
            For unknown names.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=1.0, damping=0.5, stiffness=4.0, names=["block"])
        >>> part = m.to_state_space(to="block", measure="block.velocity")
        >>> ss.analysis.frequency_response(part, [2.0]).magnitude.round(12)
        array([[[2.]]])
        """
        from stickslip.state_space import StateSpace

        forces = to if isinstance(to, list) else [to]
        wanted = (
            list(measure) if isinstance(measure, Sequence) and not isinstance(measure, str) else [measure]
        )
        compiled, names = self.compile(), self.names
        a = compiled.linear_part()
        n, states = len(names), list(self.states[: 2 * len(names)])
        b, c = np.zeros((a.shape[0], len(forces))), np.zeros((len(wanted), a.shape[0]))
        for k, on in enumerate(forces):
            direction = np.zeros(n)
            for coordinate, factor in self._parts("to", on).items():
                direction[self._coordinate(coordinate)] += factor
            if compiled.constraints:
                b[n : 2 * n, k] = compiled.inverse_mass @ direction
            else:
                b[n : 2 * n, k] = np.linalg.solve(self._description.plant["mass"], direction)
        for i, item in enumerate(wanted):
            for key, factor in (item if isinstance(item, Mapping) else {item: 1.0}).items():
                name = self._variable(str(key))
                if name not in states:
                    known = ", ".join(map(repr, self._measurable()))
                    raise UnknownNameError(f"measure names {key!r}, which is unknown; known are: {known}")
                c[i, states.index(name)] += number("measure", factor)
        outputs = [item if isinstance(item, str) else f"y{i}" for i, item in enumerate(wanted)]
        kept = list(self.states)
        if compiled.constraints:
            free, every = compiled.free_states()
            a, b, c, kept = a[free] @ every, b[free], c @ every, [kept[i] for i in free]
        return StateSpace(a, b, c, states=kept, outputs=outputs)

    def add_force(self, on: On, force: Signal | float | Expr | Function) -> None:
        """Add an external force.

        Parameters
        ----------
        on : str or tuple of two str or mapping
            Where it acts: a coordinate, a pair (on the first, and with opposite sign on the second), or factors.
        force : float, Signal, Expr or callable
            Force, N: over time; or as a function of positions, velocities and time: an expression, or a Python
            function ``f(q, v, t)`` that is traced once (see `trace`) and returns one, or ``{on: expression}``.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=1.0, names=["slide"])
        >>> m.add_force("slide", ss.Ramp(slope=0.2))
        >>> pendulum = ss.Machine(mass=1.0, names=["arm"])
        >>> pendulum.add_force("arm", lambda q: -9.81 * ss.sin(q["arm"]))
        """
        parts = self._parts("on of a force", on)
        what = f"force on {on!r}"
        if _smooth.is_smooth(force):
            where = on if isinstance(on, str) else None
            self._add("force", on=parts, expression=_smooth.value_of(what, force, self.names, where))
        else:
            self._add("force", on=parts, force=as_signal(force, what).compiled)  # type: ignore[arg-type]

    def _coordinate(self, name: str) -> int:
        if name not in self.names:
            raise UnknownNameError(
                f"unknown coordinate {name!r}; known are: {', '.join(map(repr, self.names))}"
            )
        return self.names.index(name)

    def add_friction(
        self,
        name: str,
        on: On | Mapping[str, float | Expr] | Function,
        law: Law | float,
        normal_load: Signal | float | Expr | Function | str = 1.0,
        surface_velocity: Signal | float = 0.0,
        load: Mapping[str, float] | str | None = None,
        load_table: tuple[ArrayLike, ArrayLike] | None = None,
        load_periodic: bool = False,
    ) -> None:
        """Add a friction element.

        Parameters
        ----------
        name : str
            Its name; signals are ``"<name>.force"``, ``.velocity``, ``.load`` and ``.mode``.
        on : str or tuple of two str or mapping
            Whose velocity the relative velocity is: of a coordinate (against ground or the moving surface), of the
            first of a pair relative to the second, or a combination {coordinate: factor}, whose factors may be
            expressions of the positions.
        law : Law or float
            Any friction law; levels are per unit normal load. A number is dry friction of one level.
        normal_load : float, Signal, Expr or callable, or str, default 1.0
            Normal load, N, >= 0: over time, or as a function ``N(q, v, t)`` of the motion. A signal that is negative at
            some time of the run is refused; a run ends as ``"failed"`` where a function becomes negative. Write
            ``ss.maximum(0, ...)`` for a load that vanishes, or a contact. Or the name of a contact's
            normal force, ``"<contact>.normal_force"``: friction of that contact along one more direction, in impacts
            too. While it is a signal that is zero for a while the element is *free*: it holds nothing and has no
            events, and what of the law does not follow the load (viscous friction) stays.
        surface_velocity : float or Signal, default 0.0
            Velocity of the surface under the coordinate (a belt), m/s.
        load : mapping or str, optional
            The load force F_l of ``StickSlip(load_factor=...)``, N: a linear form ``"<coordinate>.position"``,
            ``"<coordinate>.velocity"`` or ``"<coordinate>.applied_force"`` (all external force on the coordinate)
            -> factor, or the name of a contact's normal force, ``"<contact>.normal_force"``. With `load_table` the
            linear form over which that is given, with any law.
        load_table : tuple of two array_like, optional
            Values of the form `load` (increasing) and loads there, N, >= 0: what is added to `normal_load`, piecewise
            linear, held beyond its ends. It describes a load that varies over the travel of a screw, or one that
            depends on the state and has a lower bound: ``max(0, N0 + k x)`` is a table with a corner at ``x =
            -N0/k``. Linear motion stays exact.
        load_periodic : bool, default False
            The table repeats itself beyond its ends, as the load of a ball screw does with every turn: its last load
            must be its first. The state ``"<name>.load_shift"`` holds by how many periods it is moved.

        Raises
        ------
        ValueError
            Naming the argument.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=[1.0, 2.0], names=["a", "b"])
        >>> m.add_friction("between", on=("a", "b"), law=ss.Coulomb(static=0.3, kinetic=0.2), normal_load=9.81)
        """
        law = as_law(law)
        if not (load is None or isinstance(load, (str, Mapping))):
            reject(f"load of '{name}'", load, "a mapping such as {'block.position': 100.0}")
        if isinstance(normal_load, str):
            if load is not None or load_table is not None:
                reject(f"load of '{name}'", load, "left out where normal_load is a contact's force")
            load = normal_load
            normal_load = 0.0
        form = {} if load is None else {load: 1.0} if isinstance(load, str) else load
        places, loads = (
            ([], []) if load_table is None else self._table("load_table", name, load_table, "places", "loads")
        )
        self._add(
            "friction",
            load_at=places,
            load_there=loads,
            load_periodic=bool(load_periodic),
            name=str(name),
            **self._where(name, on),
            **self._load(name, normal_load),
            surface_velocity=as_signal(surface_velocity, f"surface_velocity of '{name}'").compiled,
            load={str(k): number(f"load of '{name}', factor of {k!r}", v) for k, v in form.items()},
            **law_fields("law", law),
        )

    def add_spring(
        self,
        name: str,
        on: On,
        stiffness: float = 0.0,
        damping: float = 0.0,
        backlash: float = 0.0,
        preload: float = 0.0,
        one_sided: bool = False,
        *,
        rest: Signal | float = 0.0,
        table: tuple[ArrayLike, ArrayLike] | None = None,
    ) -> None:
        """Add a spring whose force is piecewise linear: elastic play, a bump stop, a dead zone, or a table.

        With the elongation ``x = on . q - rest`` it acts with ``-F`` along `on`. Without play it is attached at both
        ends, ``F = stiffness x + damping x'``. With `backlash`, `preload` or `one_sided` it has flanks that push and
        never pull: a flank with the compression ``d`` has ``F = stiffness d + damping d'`` where ``d > 0`` and this
        is positive, and no force otherwise. The upper one begins at ``x = backlash/2 - preload/stiffness``, the lower
        one at minus that. So contact begins with a jump of the force to ``damping d'``, and ends where ``stiffness d
        + damping d'`` reaches zero: before the play is reached, as the damper cannot pull. The motion on each stretch
        is exact, and its ends are events: ``touches`` and ``leaves`` are logged, other corners of a table are not.

        Parameters
        ----------
        name : str
            Its name; signals are ``"<name>.force"`` (F, opposing the elongation), ``.elongation``,
            ``.elongation_rate`` and ``.mode``: ``open`` without force; ``closed`` where a single flank pushes, or both
            do, and for what is attached; ``high`` or ``low`` where the upper or the lower one of two does.
        on : str or tuple of two str or mapping
            What it measures and where it acts: a coordinate, the first of a pair relative to the second, or
            {coordinate: factor}.
        stiffness : float, default 0.0
            k >= 0, N/m; > 0 with play.
        damping : float, default 0.0
            d >= 0, N s/m.
        backlash : float, default 0.0
            Total play >= 0, m: no force for ``|x| <= backlash/2``, less what `preload` takes up.
        preload : float, default 0.0
            Force of each flank at the end of the backlash, N, >= 0. It takes up play: what is left of it is
            ``backlash - 2 preload/stiffness``; if that is negative both flanks push for ``|x| < preload/stiffness -
            backlash/2``, with twice the stiffness and damping, as in a preloaded nut. With `one_sided` it is the
            force at ``x = 0``. For a constant force shift `rest` instead.
        one_sided : bool, default False
            Only the lower flank: a stop that pushes where ``x < -backlash/2``. A stop at the upper end of a travel has
            a negative factor in `on`.
        rest : float or Signal, default 0.0
            Where the elongation is zero, in units of ``on . q``: where a stop begins, or a moving support.
        table : tuple of two array_like, optional
            Elongations (increasing) and forces F there, instead of `stiffness`, `backlash` and `preload`; the outermost
            lines go on. A table that is zero over a stretch has flanks, and where its damper would change the sign of the
            force there is none; one without is attached. With `one_sided` only its negative forces count.

        Raises
        ------
        ValueError
            Naming the argument.

        Notes
        -----
        Law: Flores, Lankarani, Contact Force Models for Multibody Dynamics (2016), 3.2 (Kelvin-Voigt), with the force
        cut off at zero. Modelica's ElastoBacklash begins likewise at ``|x| = b/2``, but also cuts off what the damper
        adds beyond the force of the spring. A flank has no mass and relaxes at once when contact ends.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=1.0, names=["slide"])
        >>> m.add_spring("stop", on={"slide": -1.0}, stiffness=1e4, damping=20.0, one_sided=True, rest=-0.1)
        >>> run = ss.simulate(m, t_end=1.0, initial={"slide.velocity": 0.5})
        >>> [(e.cause, round(e.time, 4)) for e in run.events]
        [('stop touches', 0.2), ('stop leaves', 0.2296)]
        """
        elongations, forces = (
            ([], []) if table is None else self._table("table", name, table, "elongations", "forces")
        )
        self._add(
            "spring",
            name=str(name),
            on=self._parts(f"on of '{name}'", on),
            stiffness=number(f"stiffness of '{name}'", stiffness),
            damping=number(f"damping of '{name}'", damping),
            backlash=number(f"backlash of '{name}'", backlash),
            preload=number(f"preload of '{name}'", preload),
            one_sided=bool(one_sided),
            rest=as_signal(rest, f"rest of '{name}'").compiled,
            elongations=elongations,
            forces=forces,
        )

    def add_constraint(
        self,
        name: str,
        on: On | Expr | Mapping[str, Expr] | Sequence[Expr] | Function,
        value: Signal | float = 0.0,
        *,
        rate: Signal | float | None = None,
    ) -> None:
        """Add a bilateral constraint: an ideal gear, a rigid coupling, a prescribed motion, a joint of a closed loop.

        ``on . q = value(t)``, in positions and in velocities; with `rate` ``on . q' = rate(t)`` alone, where positions
        start anywhere. An ideal gear of ratio i is ``on={"a": 1.0, "b": -i}`` (a turns i times as fast as b), a rigid
        coupling ``on=("a", "b")``, a shaft that is turned ``on="a", value=ss.Sine(...)``, a motor of given speed
        ``on="a", rate=100.0``.

        Parameters
        ----------
        name : str
            Its name; the signal ``"<name>.force"`` is its force F: like that of friction and springs it acts with ``-F``
            along `on`, so that between a pair it is what the first gives to the second. ``"<name>.impulse"`` is the sum of
            its impulses in impacts so far, with the same sign.
        on : str or tuple of two str or mapping or Expr or callable
            A coordinate, the first of a pair relative to the second, or {coordinate: factor}. Or a formula of
            positions and time that is held at zero, ``lambda q, t: ...``: the joint of a closed loop. With `rate`,
            factors that are formulas, one for each coordinate or as a mapping: rolling wheels or knife edges.
        value : float or Signal, default 0.0
            What ``on . q`` is, in units of it; left out with a formula, which holds it. Its velocity must not jump during
            a run: take a `SmoothStep`, a `Sine`, ...
        rate : float or Signal, optional
            What ``on . q'`` is instead, per second, without jumps; with factors that are formulas a number.

        Raises
        ------
        ValueError
            Naming the argument. What concerns several constraints is checked when the machine runs, or by `check`: values
            that contradict each other, rows that almost follow from others, friction or contacts along what is
            prescribed.

        Notes
        -----
        The equations are solved for as many coordinates as there are independent constraints, and the mass is that
        along the motions that are left, ``Z (Z' M Z)^-1 Z'`` in place of the inverse mass (Udwadia, Kalaba 1992):
        forces, friction, contacts and impacts, which transmit impulses through constraints, use nothing else. Runs
        are as exact as without constraints, and nothing drifts.

        Where `on` is a formula g, or the mass matrix follows the motion, all this is done again at every instant, with
        the rows ``W = dg/dq`` that hold there, in the form ``q'' = M^-1 (h - W G^+ (W' M^-1 h + zeta))``,
        ``G = W' M^-1 W``, ``zeta = d/dt(W)' q' + d/dt(dg/dt)`` (physics: the LCP's drift term). Each step ends on the
        constraints in positions and velocities, by Newton's method in the metric of the masses. The force of a formula
        is its multiplier, with the sign as above.

        Redundant constraints are allowed. Their forces are then not unique, which the run's message says: shown are those
        of the least sum of squares, each in the force that its own row needs for a unit of acceleration.

        Initial values that are not given follow from those that are, with the least change from zero in the metric of
        the masses; those given must satisfy the constraints, to ten digits. With formulas Newton's method starts from
        zero, from where it may close the loop in another configuration than the one you want: give enough initial
        values to prevent this.

        `ensemble` varies ratios as ``"<name>.on[<coordinate>]"``, and ``"<name>.value"``, which stands for `rate` too.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=[1.0, 4.0], names=["motor", "wheel"], force={"motor": 1.0})
        >>> m.add_constraint("gear", on={"motor": 1.0, "wheel": -2.0})
        >>> run = ss.simulate(m, t_end=1.0, dt=0.5)
        >>> run["wheel.velocity"].round(12), run["gear.force"].round(12)
        (array([0.   , 0.125, 0.25 ]), array([0.5, 0.5, 0.5]))
        """
        if rate is not None and not (isinstance(value, (int, float)) and value == 0.0):
            reject(f"value of '{name}'", value, "left out where rate is given")
        given = value if rate is None else rate
        self._add(
            "constraint",
            name=str(name),
            **self._constrained(name, on, rate is not None),
            value=as_signal(given, f"{'value' if rate is None else 'rate'} of '{name}'").compiled,
            level="position" if rate is None else "velocity",
        )

    def add_gear(
        self,
        name: str,
        on: tuple[str, str],
        ratio: float,
        efficiency: float | tuple[float, float] | None = None,
        *,
        friction: float | None = None,
        backlash: float = 0.0,
    ) -> None:
        """Add a gear with losses in its teeth.

        ``on[0]`` turns `ratio` times as fast as ``on[1]``. Losses are friction between two flanks, each pressed by what it
        carries, so that they follow the torque and not the speed, hold the gear at rest, and lock it where its
        efficiency backwards is not positive.

        Parameters
        ----------
        name : str
            Its flanks are the contacts ``"<name>_drive"``, which carries while the first shaft drives forwards, and
            ``"<name>_coast"``. Without losses and backlash it is the constraint ``"<name>"``.
        on : tuple of two str
            The first shaft (input) and the second.
        ratio : float
            Turns of the first for one of the second; negative: in opposite directions.
        efficiency : float or tuple of two float, optional
            Share of the power that comes out: from the first shaft to the second, in (0, 1], and back, at most 1. One
            number stands for both. Backwards ``<= 0`` is self-locking: a load M on the second shaft does not move it,
            and the first must drive it down with ``-backwards M / ratio``.
        friction : float, optional
            Instead: coefficient of the teeth, >= 0, of sliding at the speeds of both shafts, ``w1 + ratio w2``: the
            efficiency is ``(1 - friction)/(1 + friction)`` both ways.
        backlash : float, default 0.0
            Total play, as a turn of the first shaft.

        Raises
        ------
        ValueError
            Naming the argument.

        Notes
        -----
        A flank that pushes with L on the first shaft and ``ratio L`` on the second rubs with ``a L`` and ``b ratio L``.
        Then ``e = (1 - b)/(1 + a)`` of the power comes out forwards and ``r = (1 - a)/(1 + b)`` backwards, from which
        ``a = (1 - 2 r + e r)/(1 - e r)`` and ``b = (1 - 2 e + e r)/(1 - e r)``. Pelchen, Schweiger, Otter (2002),
        Modeling and simulating the efficiency of gearboxes and of planetary gearboxes, equations 9 to 16: LossyGear of
        the Modelica Standard Library, whose bearings are a friction element beside it (`Coulomb` and `Viscous`).

        Without backlash both flanks touch, but just one carries: no load makes them press against each other. Which
        one it is changes where the torque changes its sign, and that is no event. The gear is modelled by two
        contacts: a flank is a unilateral contact whose friction follows its normal force, and all rules of contacts,
        in stick, slip and impacts, apply to it unchanged.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=[0.1, 2.0], names=["motor", "drum"], force={"motor": 3.0, "drum": -2.0})
        >>> m.add_gear("worm", on=("motor", "drum"), ratio=20.0, efficiency=(0.4, -0.5))
        >>> lifts = ss.simulate(m, t_end=1.0)
        >>> into = 3.0 - 0.1 * lifts["motor.acceleration"][-1]
        >>> out = 2.0 + 2.0 * lifts["drum.acceleration"][-1]
        >>> float(round(out / (20.0 * into), 9))
        0.4
        """
        suffix = f" of '{name}'"
        ratio = number("ratio" + suffix, ratio)
        if not (isinstance(on, (tuple, list)) and len(on) == 2 and on[0] != on[1]):
            reject("on" + suffix, on, "a pair of different coordinates")
        if ratio == 0.0 or not np.isfinite(ratio):
            reject("ratio" + suffix, ratio, "finite and not zero")
        if (efficiency is None) == (friction is None):
            raise ValueError(f"gear '{name}' needs either efficiency or friction")
        play = number("backlash" + suffix, backlash)
        if not 0.0 <= play < np.inf:
            reject("backlash" + suffix, backlash, "finite and >= 0")
        a, b = self._rubbing(suffix, efficiency, friction)
        one, two = str(on[0]), str(on[1])
        mean = 0.5 * (a + b)
        if mean == 0.0 and play == 0.0:
            return self.add_constraint(name, on={one: 1.0, two: -ratio})
        flanks = {"drive": -1.0, "coast": 1.0}
        for flank, side in flanks.items():
            rubs = {} if mean == 0.0 else {
                "tangent": {one: a / mean, two: ratio * b / mean}, **law_fields("friction", Coulomb(mean)),
            }  # fmt: skip
            self._add(
                "contact",
                name=f"{name}_{flank}",
                normal={one: side, two: -side * ratio},
                gap=as_signal(0.5 * play).compiled,
                **rubs,
            )
        return None

    @staticmethod
    def _rubbing(
        suffix: str, efficiency: float | tuple[float, float] | None, friction: float | None
    ) -> tuple[float, float]:
        """Friction on the first and on the second shaft by the force of a flank."""
        if friction is not None:
            mu = number("friction" + suffix, friction)
            if not 0.0 <= mu < np.inf:
                reject("friction" + suffix, friction, "finite and >= 0")
            return mu, mu
        pair = efficiency if isinstance(efficiency, (tuple, list)) else (efficiency, efficiency)
        if len(pair) != 2:
            reject("efficiency" + suffix, efficiency, "a number, or a pair: forwards and backwards")
        e, r = (number("efficiency" + suffix, x) for x in pair)
        if not (0.0 < e <= 1.0 and -np.inf < r <= 1.0):
            reject("efficiency" + suffix, efficiency, "in (0, 1] forwards and at most 1 backwards")
        if e == r == 1.0:
            return 0.0, 0.0
        if 1.0 in (e, r):
            reject("efficiency" + suffix, efficiency, "below 1 both ways, or 1 both ways")
        return (1.0 - 2.0 * r + e * r) / (1.0 - e * r), (1.0 - 2.0 * e + e * r) / (1.0 - e * r)

    def add_one_way_clutch(self, name: str, on: On) -> None:
        """Add a one-way clutch: a velocity that cannot become negative.

        With ``v = on . q'`` it holds ``v >= 0`` by a force ``L >= 0`` along `on`, and ``v L = 0``: it is *free* while
        ``v > 0``, and *locked* while ``v = 0`` and L is needed. ``on=("wheel", "engine")`` is the freewheel of a
        bicycle: the engine drives the wheel, which may run ahead. On a single shaft it is a backstop.

        Parameters
        ----------
        name : str
            Its name; signals are ``"<name>.force"`` (L, which pushes the first forward and the second back),
            ``.velocity`` (v), ``.mode`` (``free`` or ``locked``) and ``.impulse`` (the sum of its impulses so far).
        on : str or tuple of two str or mapping
            Whose velocity it is: of a coordinate, of the first of a pair relative to the second, or {coordinate:
            factor}.

        Raises
        ------
        ValueError
            Naming the argument.

        Notes
        -----
        It is a contact of velocities: complementarity of v and L (Glocker 1995) decides when it locks and lets go, and its
        impulse is part of every impact, after which again ``v >= 0``. A start with ``v < 0`` is such an impact. It is rigid
        and without a limit of torque; a slipping one is friction, `Coulomb`, beside it.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=[1.0, 2.0], names=["engine", "wheel"], force={"engine": ss.Sine(3.0, 0.25)})
        >>> m.add_one_way_clutch("freewheel", on=("wheel", "engine"))
        >>> run = ss.simulate(m, t_end=3.0)
        >>> [(str(e.after), e.time) for e in run.events]
        [('free', 2.0)]
        """
        self._add("one_way_clutch", name=str(name), on=self._parts(f"on of '{name}'", on))

    @staticmethod
    def _table(
        argument: str, name: str, table: tuple[ArrayLike, ArrayLike], first: str, second: str
    ) -> tuple[list[float], list[float]]:
        if not (isinstance(table, (tuple, list)) and len(table) == 2):
            reject(f"{argument} of '{name}'", table, f"a pair: {first} and {second}")
        whats = first, second
        columns = [array(f"{what} of '{name}'", part) for what, part in zip(whats, table, strict=True)]
        for what, part in zip(whats, columns, strict=True):
            if part.ndim != 1:
                reject(f"{what} of '{name}'", part, "a sequence of numbers")
        return columns[0].tolist(), columns[1].tolist()

    def add_contact(
        self,
        name: str,
        normal: Mapping[str, float] | ArrayLike | None = None,
        tangent: Mapping[str, float | Expr] | ArrayLike | Function | None = None,
        friction: Law | float | None = None,
        gap: Signal | float | Expr | Function = 0.0,
        restitution: float | Expr | Callable[[Expr], Any] | tuple[ArrayLike, ArrayLike] = 0.0,
        impact: str = "poisson",
        surface_velocity: Signal | float = 0.0,
        tangential_restitution: float | None = None,
        compliance: Compliance | None = None,
        second_tangent: Mapping[str, float] | ArrayLike | None = None,
        facets: int = 8,
    ) -> None:
        """Add a unilateral contact with friction, rigid or compliant.

        The gap ``g = normal . q + gap(t)``, or ``gap(q, t)``, stays >= 0; where it is closed a normal force >= 0
        keeps it from becoming negative. With a `compliance` the gap may become negative, and the force follows from
        its depth.

        Parameters
        ----------
        name : str
            Its name; signals are ``"<name>.gap"``, ``.gap_rate``, ``.normal_force``, ``.normal_impulse`` and ``.mode``,
            with friction also ``.force`` (opposing the velocity), ``.velocity`` and ``.load``.
        normal : mapping or array_like, optional
            w_N, the gradient of the gap over the coordinates: {coordinate: factor}, or all factors. Left out where
            `gap` is a function of the coordinates.
        tangent : mapping, array_like or callable, optional
            w_T: the tangential velocity is ``tangent . q' - surface_velocity``. Needed with friction. Factors may be
            expressions of positions and time, or a Python function ``f(q, t)`` returns them; they come from the
            velocities of the two points in contact, so that no potential is needed.
        friction : Law or float, optional
            Law per unit normal force, or a coefficient of friction (static = kinetic); none by default. Here every
            part of a law is per unit normal force, viscous ones (s/m) and the damping of presliding too: with a force
            that did not vanish with the load there would be no solution at lift-off.
        gap : float, Signal, Expr or callable, default 0.0
            What is added to ``normal . q``, m: the distance at q = 0, or a moving wall, without jumps. Or the whole gap
            g(q, t): an expression, or a Python function ``f(q, t)`` that is traced once (see `trace`). Its gradient,
            its rate and the drift ζ = d/dt(∂g/∂q)·q' + … in g'' = w_N·q'' + ζ follow from it exactly.
        restitution : float or Expr or callable or tuple of two array_like, default 0.0
            Coefficient of restitution, in [0, 1]; or a function of the speed v >= 0 with which this contact is approached,
            ``lambda v: ...``, a formula of ``Expr("speed")``, or a table ``(speeds, values)``, linear in between and
            constant beyond. Where several contacts take part in an impact each has the coefficient at its own speed before
            it, at 0 where it is not approached: Newton's law then never asks for it, Poisson's gives back that share of
            what presses it in compression. Where it leaves [0, 1] the run ends ("failed"). Bounces that follow each other
            faster and faster end at the `rebound_threshold` of `simulate`; impacts of several contacts that follow each
            other without end (inelastic collapse) end in their limit, in which these contacts no longer separate.
        impact : {"poisson", "newton"}
            Impact law. Contacts that approach and the closed contacts that their impulses reach take part in an impact; a
            contact that separates takes none. Where their laws differ Newton's holds for all of them, and the event
            says so. With friction an impact can leave more energy than there was: "energy gained" in the log.
        surface_velocity : float or Signal, default 0.0
            Velocity of the surface along the tangent, m/s.
        tangential_restitution : float, optional
            e_T in [0, 1]: impacts are tangentially reversible, as those of a superball; see
            `contact.impact`. By default they are not: impulses obey dry friction alone.
        second_tangent : mapping or array_like, optional
            A second direction of sliding, at a right angle to `tangent` and of the same length. Coulomb's cone then is a
            regular polygon within it, the sum of ``facets / 2`` elements ``"<name>[0]"``, ``"<name>[1]"``, ... along
            directions at equal angles, each under the contact's normal force: on a polygon every mode is linear, and
            what decides which elements stick is the same problem as elsewhere, with all its answers. Sliding friction is
            that of the cone in size and at most π/facets off in direction; what holds is that of the cone but for at
            most a share of ``1 - cos(π/facets)``, 7.6 % for 8 facets and 0.5 % for 32. Coulomb laws and constant
            directions alone; their signals are those of friction elements.
        facets : int, default 8
            Number of sides of the polygon, even.
        compliance : HuntCrossley or KelvinVoigt, optional
            The contact yields: its force is this function of the depth, and there are no impacts. It is closed while
            it pushes; events say when that begins and ends. Its spring counts as elastic energy, and what its damper
            takes is ``run.energy.compliances``. Friction uses the contact's force as its load; bristles start afresh
            when the contact closes. A gap that moves by itself is a function of the motion, ``gap=lambda q, t: ...``.

        Raises
        ------
        ValueError
            Naming the argument.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"y": -9.81})
        >>> m.add_contact("floor", normal={"y": 1.0}, tangent={"x": 1.0}, friction=0.3, restitution=0.5)
        >>> run = ss.simulate(m, t_end=2.0, initial={"y.position": 1.0, "x.velocity": 1.0})
        >>> run.events[0].impact
        True
        """
        if impact not in ("poisson", "newton"):
            reject(f"impact of '{name}'", impact, "'poisson' or 'newton'")
        if (tangent is None) != (friction is None):
            raise ValueError(f"contact '{name}' needs both tangent and friction, or neither")
        if second_tangent is not None:
            slides = self._facets(name, tangent, second_tangent, friction, facets)
            self.add_contact(name, normal, gap=gap, restitution=restitution, impact=impact)
            for k, (on, law) in enumerate(slides):
                self.add_friction(f"{name}[{k}]", on, law, f"{name}.normal_force", surface_velocity)
            return
        if compliance is not None and not isinstance(compliance, (HuntCrossley, KelvinVoigt)):
            reject(f"compliance of '{name}'", compliance, "a HuntCrossley or a KelvinVoigt")
        if friction is not None:
            friction = as_law(friction, f"friction of '{name}'")
        self._add(
            "contact",
            name=str(name),
            **self._gap(name, gap, normal),
            **self._tangent(name, tangent),
            surface_velocity=as_signal(surface_velocity, f"surface_velocity of '{name}'").compiled,
            **_smooth.restitution_of(f"restitution of '{name}'", restitution),
            impact=impact,
            **(
                {}
                if tangential_restitution is None
                else self._reversal(name, tangent, tangential_restitution)
            ),
            **({} if friction is None else law_fields("friction", friction)),
            **({} if compliance is None else {"compliance": described(compliance)}),
        )

    def _constrained(self, name: str, on: object, rate: bool) -> dict[str, object]:
        what = f"on of '{name}'"
        if _smooth.is_smooth(on):
            row = _smooth.row_of if rate else _smooth.value_of
            return {"on_expression": row(what, on, self.names)}
        return {"on": self._parts(what, on)}  # type: ignore[arg-type]

    def _facets(
        self, name: str, tangent: Any, second: Any, friction: object, facets: int
    ) -> list[tuple[dict[str, float], Coulomb]]:
        """Directions and laws whose sum is a regular polygon within Coulomb's circle."""
        what = f"friction of '{name}' in two directions"
        law = as_law(friction, what)  # type: ignore[arg-type]
        if not isinstance(law, Coulomb):
            reject(what, friction, "a Coulomb law: no other law can be split into directions")
        if not (isinstance(facets, int) and facets >= 4 and facets % 2 == 0):
            reject(f"facets of '{name}'", facets, "an even number >= 4")
        if _smooth.is_smooth(tangent) or _smooth.is_smooth(second):
            reject(f"tangent of '{name}'", tangent, "constant factors with a second tangent")
        rows = [
            self._gradient(f"{kind} of '{name}'", row)
            for kind, row in (("tangent", tangent), ("second_tangent", second))
        ]
        share = float(np.sin(np.pi / facets))
        assert law.static is not None and law.kinetic is not None  # one level serves for both
        part = Coulomb(law.static * share, law.kinetic * share)
        slides = []
        for angle in 2.0 * np.pi / facets * np.arange(facets // 2):
            along = dict.fromkeys((*rows[0], *rows[1]), 0.0)
            for row, factor in zip(rows, (np.cos(angle), np.sin(angle)), strict=True):
                for coordinate, value in row.items():
                    along[coordinate] += float(factor) * value
            slides.append((along, part))
        return slides

    def _where(self, name: str, on: object) -> dict[str, object]:
        what = f"on of '{name}'"
        if _smooth.is_smooth(on):
            return {"on_expression": _smooth.row_of(what, on, self.names)}
        return {"on": self._parts(what, on)}  # type: ignore[arg-type]

    def _load(self, name: str, load: object) -> dict[str, object]:
        what = f"normal_load of '{name}'"
        if _smooth.is_smooth(load):
            return {"load_expression": _smooth.value_of(what, load, self.names)}
        return {"normal_load": as_signal(load, what).compiled}  # type: ignore[arg-type]

    def _gap(self, name: str, gap: object, normal: object) -> dict[str, object]:
        what = f"gap of '{name}'"
        if _smooth.is_smooth(gap):
            if normal is not None:
                raise ValueError(
                    f"contact '{name}' has a gap that is a function of the motion: leave out normal"
                )
            return {"gap_expression": _smooth.value_of(what, gap, self.names)}
        if normal is None:
            raise ValueError(f"contact '{name}' needs normal, or a gap that is a function of the coordinates")
        gradient = self._gradient(f"normal of '{name}'", normal)  # type: ignore[arg-type]
        return {"normal": gradient, "gap": as_signal(gap, what).compiled}  # type: ignore[arg-type]

    def _tangent(self, name: str, tangent: object) -> dict[str, object]:
        what = f"tangent of '{name}'"
        if tangent is None:
            return {}
        if _smooth.is_smooth(tangent):
            return {"tangent_expression": _smooth.row_of(what, tangent, self.names)}
        return {"tangent": self._gradient(what, tangent)}  # type: ignore[arg-type]

    @staticmethod
    def _reversal(name: str, tangent: object, value: float) -> dict[str, float]:
        if tangent is None:
            raise ValueError(f"tangential_restitution of '{name}' needs a tangent and friction")
        return {"tangential_restitution": number(f"tangential_restitution of '{name}'", value)}

    def _gradient(self, what: str, given: Mapping[str, float] | ArrayLike) -> dict[str, float]:
        if isinstance(given, Mapping):
            parts = {str(k): number(f"{what}, factor of {k!r}", v) for k, v in given.items()}
        else:
            w = vector(what, given, len(self.names))
            parts = {name: float(w[i]) for i, name in enumerate(self.names) if w[i] != 0.0}
        if not any(parts.values()):
            reject(what, given, "finite and not zero")
        return parts

    def _held(self) -> list[tuple[str, str, str]]:
        """Kind, name and what makes it, of each element."""
        held = []
        for e in self._description.elements:
            if e["kind"] == "friction":
                held.append(("friction", e["name"], repr(law_of(e["law"], e["automaton"]))))
            elif e["kind"] == "contact":
                law = law_of(e["friction"], e["automaton"]) if e["tangent"] else None
                yields = compliance_of(e["compliance"])
                both = [part for part in (law, yields) if part is not None]
                held.append(("contacts", e["name"], " + ".join(map(repr, both)) or "None"))
            elif e["kind"] == "spring":
                held.append(("springs", e["name"], spring_text(e)))
            elif e["kind"] == "constraint":
                held.append(("constraints", e["name"], constraint_text(e)))
            elif e["kind"] == "one_way_clutch":
                held.append(("clutches", e["name"], f"one_way_clutch({e['on']!r})"))
            elif e["kind"] == "controller":
                held.append(("controllers", e["name"], repr(self._controller(e))))
            elif e["kind"] == "compensator":
                held.append(("compensation", e["name"], compensator_text(e)))
        return held

    def __repr__(self) -> str:
        kinds = ("friction", "contacts", "springs", "constraints", "clutches", "controllers", "compensation")
        parts = [f"names={list(self.names)!r}"]
        for kind in kinds:
            if items := [f"{name!r}: {made}" for of, name, made in self._held() if of == kind]:
                parts.append(f"{kind}={{{', '.join(items)}}}")
        return f"Machine({', '.join(parts)})"

    def _repr_html_(self) -> str:
        masses = np.diag(self.mass)
        rows = [("coordinate", name, f"mass {mass:g}") for name, mass in zip(self.names, masses, strict=True)]
        return table("Machine", ("kind", "name", ""), [*rows, *self._held()])
