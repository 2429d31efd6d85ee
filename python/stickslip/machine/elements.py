"""Elements of a mechanical plant: forces, friction, springs, constraints, one-way clutches and detents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from numpy.typing import ArrayLike

from stickslip._checks import array, number, reject, vector
from stickslip.errors import UnknownNameError
from stickslip.expressions.expr import Expr
from stickslip.laws import Law, as_law
from stickslip.machine import _smooth
from stickslip.machine._smooth import Function
from stickslip.machine.linear import LinearMachine
from stickslip.machine.places import Measure, On, law_fields
from stickslip.machine.relays import SwitchedMachine
from stickslip.signals import Signal, as_signal


class MechanicalMachine(SwitchedMachine, LinearMachine):
    """A plant with coordinates and elements."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the coordinates."""
        return tuple(self._description.coordinates)

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

    def add_force(self, on: On, force: Signal | float | Expr | Function) -> None:
        """Add an external force.

        Parameters
        ----------
        on : str or tuple of two str or mapping
            Point of action: a coordinate, a pair (on the first, and with opposite sign on the second), or factors.
        force : float, Signal, Expr or callable
            Force, N: a number, a signal, or a function of positions, velocities and time: an expression, or a Python
            function ``f(q, v, t)`` that is traced once (see `trace`) and returns an expression or ``{on: expression}``.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=1.0, names=["slide"])
        >>> m.add_force("slide", ss.Ramp(slope=0.2))
        >>> pendulum = ss.Machine(mass=1.0, names=["arm"])
        >>> pendulum.add_force("arm", lambda q: -9.81 * ss.math.sin(q["arm"]))
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
        normal_load: Signal | float | Expr | Function | str | Mapping[str, float] | tuple[str, str] = 1.0,
        surface_velocity: Signal | float = 0.0,
        load: Mapping[str, float] | str | None = None,
        load_table: tuple[ArrayLike, ArrayLike] | None = None,
        load_periodic: bool = False,
    ) -> None:
        """Add a friction element.

        Parameters
        ----------
        name : str
            Name of the element; signals are ``"<name>.force"``, ``.velocity``, ``.load`` and ``.mode``.
        on : str or tuple of two str or mapping
            Definition of the relative velocity: a coordinate (against ground or the moving surface), a pair (the first
            relative to the second), or a combination {coordinate: factor}, whose factors may be expressions of the
            positions.
        law : Law or float
            Any friction law; levels are per unit normal load. A number is dry friction of one level.
        normal_load : float, Signal, Expr or callable, or str or mapping, default 1.0
            Normal load, N, >= 0: a number, a signal, or a function ``N(q, v, t)`` of the motion. A signal that becomes
            negative during the run is refused; a run ends as ``"failed"`` if a function becomes negative: use
            ``ss.math.maximum(0, ...)``, or a contact. While a signal is zero the element is *free*: it has no dry
            friction and no events, only friction that does not scale with the load (viscous).

            The name of a force, or a mapping ``{name: factor}`` of several, makes the magnitude of that force, or of
            their sum, the load: ``"<spring>.force"``, ``"<controller>.output"``, ``"<coordinate>.applied_force"``,
            also ``"<coordinate>.position"`` and ``.velocity``. The force of a constraint of positions,
            ``"<constraint>.force"``, stands alone; it is found together with the friction, also in impacts. Two of
            them, ``("<one>.force", "<other>.force")``, for perpendicular constraints of the length 1, make their
            magnitude the load, as in a plain bearing: then `law` is the friction radius times the coefficient. The
            name of a contact's normal force, ``"<contact>.normal_force"``, makes the element friction of that contact
            along a further direction, also in impacts.
        surface_velocity : float or Signal, default 0.0
            Velocity of the surface (a belt), m/s.
        load : mapping or str, optional
            Load force F_l of ``StickSlip(load_factor=...)``, N: a linear combination {name: factor} of
            ``"<coordinate>.position"``, ``"<coordinate>.velocity"``, ``"<coordinate>.applied_force"`` (sum of the
            external forces on the coordinate), ``"<spring>.force"`` and ``"<controller>.output"``, or a contact's
            normal force, ``"<contact>.normal_force"``. With `load_table` it is the argument of the table, for any law.
        load_table : tuple of two array_like, optional
            Values of the form `load` (increasing) and loads there, N, >= 0, which are added to `normal_load`; linear in
            between, constant beyond. Use it for a load that varies over the travel of a screw, or for ``max(0, N0 + k
            x)``, a table with a corner at ``x = -N0/k``. Linear motion stays exact.
        load_periodic : bool, default False
            The table is periodic, as the load of a ball screw over its turns: its last load must equal its first. The
            state ``"<name>.load_shift"`` counts the periods.

        Raises
        ------
        ValueError
            Naming the argument.

        Notes
        -----
        A load that follows forces is computed from the state, so linear motion stays exact; the element has no event
        where the sum of the forces changes its sign. The output of a continuous controller with limits is refused. A
        spring with backlash or corners must be the only term and have no damping.

        A constraint whose force alone loads friction is solved as two opposite contacts without clearance, as
        `add_guide` does, to which all rules of contacts apply: where friction and reaction amplify each other
        (Painlevé), several answers or none may exist, which events and the status of the run report. It moves no
        massless coordinate, and real time needs a linear machine.

        For two forces the load N = |R| follows from R = R0 + R1 N, which has one solution while ``|R1| < 1``; the run
        ends as ``"failed"`` where an element slides beyond that. Impulses do not load it, and derivatives along the
        run, real time and time stepping refuse it.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=[1.0, 2.0], names=["a", "b"])
        >>> m.add_friction("between", on=("a", "b"), law=ss.Coulomb(static=0.3, kinetic=0.2), normal_load=9.81)
        >>> m.add_spring("shaft", on=("a", "b"), stiffness=50.0)
        >>> m.add_friction("bearing", on="a", law=0.05, normal_load="shaft.force")
        """
        law = as_law(law)
        if not (load is None or isinstance(load, (str, Mapping))):
            reject(f"load of '{name}'", load, "a mapping such as {'block.position': 100.0}")
        magnitude = False
        across: str | None = None
        if isinstance(normal_load, (tuple, list)):
            if not (len(normal_load) == 2 and all(isinstance(force, str) for force in normal_load)):
                reject(
                    f"normal_load of '{name}'",
                    normal_load,
                    "the names of two perpendicular constraint forces",
                )
            normal_load, across = normal_load
        if isinstance(normal_load, str) or (
            isinstance(normal_load, Mapping) and not _smooth.is_smooth(normal_load)
        ):
            if load is not None or load_table is not None:
                reject(f"load of '{name}'", load, "left out where normal_load names forces")
            magnitude = not (isinstance(normal_load, str) and normal_load.endswith(".normal_force"))
            load, normal_load = normal_load, 0.0
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
            load_magnitude=magnitude,
            load_across={} if across is None else {across: 1.0},
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
        """Add a piecewise linear spring: backlash, a bump stop, a dead zone, or a table.

        With the elongation ``x = on . q - rest`` it acts with ``-F`` along `on`. Without backlash it acts in both
        directions, ``F = stiffness x + damping x'``. With `backlash`, `preload` or `one_sided` it has flanks that push
        and never pull: with the compression ``d`` of a flank ``F = max(0, stiffness d + damping d')`` for ``d > 0``,
        else 0. The upper flank begins at ``x = backlash/2 - preload/stiffness``, the lower one at minus that. At the
        start of contact the force jumps to ``damping d'``; contact ends where ``stiffness d + damping d'`` reaches
        zero, before ``d`` does. The motion on each linear piece is exact; events ``touches`` and ``leaves`` are logged,
        other corners of a table are not.

        Parameters
        ----------
        name : str
            Name of the element; signals are ``"<name>.force"`` (F, opposing the elongation), ``.elongation``,
            ``.elongation_rate`` and ``.mode``: ``open`` without force; ``high`` or ``low`` while the upper or the lower
            of two flanks pushes; ``closed`` while both push, while the only flank pushes, and always for a spring
            without flanks.
        on : str or tuple of two str or mapping
            Elongation and line of action: a coordinate, a pair (the first relative to the second), or {coordinate:
            factor}.
        stiffness : float, default 0.0
            k >= 0, N/m; > 0 with backlash.
        damping : float, default 0.0
            d >= 0, N s/m.
        backlash : float, default 0.0
            Total backlash >= 0, m: no force for ``|x| <= backlash/2 - preload/stiffness``.
        preload : float, default 0.0
            Force of each flank at the end of the backlash, N, >= 0. It reduces the backlash to ``backlash - 2
            preload/stiffness``; if that is negative both flanks push for ``|x| < preload/stiffness - backlash/2``, with
            twice the stiffness and damping, as in a preloaded nut. With `one_sided` it is the force at ``x =
            -backlash/2``. For a constant force shift `rest` instead; a spring that is rigid up to its preload is
            `add_detent`.
        one_sided : bool, default False
            Only the lower flank: a stop that pushes for ``x < -backlash/2``. For a stop at the upper end of a travel
            use a negative factor in `on`.
        rest : float or Signal, default 0.0
            Value of ``on . q`` at zero elongation: position of a stop, or of a moving support.
        table : tuple of two array_like, optional
            Elongations (increasing) and forces F there, instead of `stiffness`, `backlash` and `preload`; the outermost
            lines continue. A table with an interval of zero force has flanks, and the damper cannot reverse the sign of
            the force. With `one_sided` only negative forces are used.

        Raises
        ------
        ValueError
            Naming the argument.

        Notes
        -----
        Law: Flores, Lankarani, Contact Force Models for Multibody Dynamics (2016), 3.2 (Kelvin-Voigt), with the force
        cut off at zero. Modelica's ElastoBacklash also begins at ``|x| = b/2``, but limits the damper force to the
        spring force. Flanks are massless and relax instantly.

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

        ``on . q = value(t)``, for positions and velocities; with `rate` only ``on . q' = rate(t)``, with free initial
        positions. An ideal gear of ratio i is ``on={"a": 1.0, "b": -i}`` (a turns i times as fast as b), a rigid
        coupling ``on=("a", "b")``, a prescribed motion ``on="a", value=ss.Sine(...)``, a prescribed speed ``on="a",
        rate=100.0``.

        Parameters
        ----------
        name : str
            Name of the constraint; the signal ``"<name>.force"`` is its force F: like friction and springs it acts with
            ``-F`` along `on`, so that between a pair it is the force of the first on the second. ``"<name>.impulse"``
            is the sum of its impulses so far, with the same sign.
        on : str or tuple of two str or mapping or Expr or callable
            A coordinate, the first of a pair relative to the second, or {coordinate: factor}. A formula of positions
            and time, ``lambda q, t: ...``, is kept zero: the joint of a closed loop. With `rate`, factors may be
            formulas, one for each coordinate or as a mapping: rolling wheels or knife edges.
        value : float or Signal, default 0.0
            Value of ``on . q``, in its unit; not given with a formula. Its velocity must not jump during a run: use a
            `SmoothStep`, a `Sine`, ...
        rate : float or Signal, optional
            Value of ``on . q'`` instead, per second, without jumps; a number if factors are formulas.

        Raises
        ------
        ValueError
            Naming the argument. Constraints are checked together by `simulate` or `check`: contradictory values, almost
            dependent rows, rigid contacts, one-way clutches or detents along a prescribed motion.

        Notes
        -----
        One coordinate is eliminated for each independent constraint, and ``Z (Z' M Z)^-1 Z'`` replaces the inverse mass
        (Udwadia, Kalaba 1992) for forces, friction, contacts and impacts, so that impulses are transmitted through
        constraints. Runs are as exact as without constraints, and constraints do not drift.

        If `on` is a formula g, or the mass matrix depends on the motion, the elimination is repeated at every instant,
        with the current rows ``W = dg/dq``, in the form ``q'' = M^-1 (h - W G^+ (W' M^-1 h + zeta))``, ``G = W' M^-1
        W``, ``zeta = d/dt(W)' q' + d/dt(dg/dt)``. After each step positions and velocities are projected onto the
        constraints by Newton's method in the metric of the mass matrix. The force of a formula is its multiplier, with
        the sign as above.

        Friction of any law may act along a prescribed motion, also that of contacts; the constraint's force contains it.
        While the motion rests, the equations leave a friction force with a jump at v = 0 open: it stays that of the end
        of the slip, under the present load, and is zero before the first motion. (Time stepping takes zero at every
        rest.)

        Redundant constraints are allowed. Their forces are then not unique, which the run's message states. The run
        returns the forces with the least sum of squares, each relative to the force that its row needs for a unit
        acceleration.

        Initial values that are not given follow from the given ones, with the least change from zero in the metric of
        the mass matrix; given values must satisfy the constraints to ten digits. With formulas Newton's method starts
        from zero and may find another configuration of the closed loop than intended: give enough initial values to
        exclude it.

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

    def add_one_way_clutch(self, name: str, on: On) -> None:
        """Add a one-way clutch: a velocity that cannot become negative.

        With ``v = on . q'`` a force ``L >= 0`` along `on` keeps ``v >= 0``, and ``v L = 0``: the clutch is *free* while
        ``v > 0``, and *locked* while ``v = 0`` and ``L > 0``. ``on=("wheel", "engine")`` is the freewheel of a bicycle:
        the engine drives the wheel, which may run ahead. On a single shaft it is a backstop.

        Parameters
        ----------
        name : str
            Name of the element; signals are ``"<name>.force"`` (L, positive on the first and negative on the second),
            ``.velocity`` (v), ``.mode`` (``free`` or ``locked``) and ``.impulse`` (the sum of its impulses so far).
        on : str or tuple of two str or mapping
            Definition of the velocity: a coordinate, a pair (the first relative to the second), or {coordinate:
            factor}.

        Raises
        ------
        ValueError
            Naming the argument.

        Notes
        -----
        Complementarity of v and L (Glocker 1995) decides when the clutch locks and releases; its impulse is part of
        every impact, after which ``v >= 0``. A start with ``v < 0`` begins with such an impact. The clutch is rigid and
        has no torque limit.

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

    def add_detent(
        self,
        name: str,
        on: On,
        preload: float,
        *,
        pitch: float | None = None,
        width: float | None = None,
        stiffness: float = 0.0,
        damping: float = 0.0,
        position: float = 0.0,
    ) -> None:
        """Add a preloaded spring with a rigid seat: a ball-detent torque limiter, an index detent, a centring spring.

        The force ``-F`` acts along `on`; ``x = on . q - position`` is the distance from the seat. On the seat the
        element is rigid up to its preload, ``|F| <= preload`` at ``x = x' = 0``; off the seat ``F = preload sgn(x) +
        stiffness x + damping x'``. With a `pitch` there are seats at ``x = 0, ±pitch, ±2 pitch, ...``; with x from the
        nearest one, ``F = preload (1 - |x|/width) sgn(x) + damping x'`` for ``|x| < width``, else ``damping x'``.

        Parameters
        ----------
        name : str
            Name of the element; signals are ``"<name>.force"`` (F, opposing the elongation), ``.elongation`` (x),
            ``.elongation_rate`` and ``.mode``: ``locked`` on a seat, ``high`` beyond the nearest seat, ``low`` before
            it. With a pitch the state ``"<name>.seat"`` is the position of the nearest seat, relative to `position`.
        on : str or tuple of two str or mapping
            Elongation and line of action: a coordinate, a pair (the first relative to the second), or {coordinate:
            factor}.
        preload : float
            Force or torque at which a seat releases, N or N m, > 0.
        pitch : float, optional
            Distance between seats, m or rad, > 0; by default there is one seat. ``2 pi`` for a limiter that re-engages
            after a full turn.
        width : float, optional
            Distance from a seat over which the force falls to zero, m or rad, > 0 and at most half the pitch, its default.
        stiffness, damping : float, default 0.0
            k >= 0, N/m or N m/rad, with a single seat only; d >= 0, N s/m or N m s/rad.
        position : float, default 0.0
            Value of ``on . q`` on a seat.

        Raises
        ------
        ValueError
            Naming the argument.

        Notes
        -----
        Model: spring-loaded balls transmit torque without backlash, leave their detents at the release torque and fall
        into the next ones, as described in catalogues of safety couplings (single-position: one seat per turn;
        multi-position: several). Assumptions: massless balls, a conservative force that falls linearly beside a seat,
        no torque between seats. The limiter re-engages when the energy of the relative motion falls below the barrier
        ``preload width / 2``. Residual torque after release, and losses in the detents, are friction in parallel:
        `add_friction` on the same `on`. Without losses the element oscillates about its seat for ever; with damping
        alone it never comes to rest. A limiter with friction linings, which slips at its kinetic torque and re-engages
        when the relative speed returns to zero, is `add_friction` with ``Coulomb(static, kinetic)``.

        The seat is a set-valued force, ``F in preload Sgn(x)``, decided together with all friction and contacts.
        Events: break-away, seats that are reached or passed, crests between two seats. Real time and time stepping
        refuse detents.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=[1.0, 1.0], names=["motor", "load"], force={"motor": ss.Ramp(2.0)})
        >>> m.add_constraint("jam", on="load")
        >>> m.add_detent("limiter", on=("motor", "load"), preload=1.0, pitch=1.0)
        >>> run = ss.simulate(m, t_end=1.0)
        >>> [(e.time, str(e.before), str(e.after), e.cause) for e in run.events]
        [(0.5, 'locked', 'high', 'limiter breaks away')]
        """

        def optional(what: str, value: float | None) -> float | None:
            return None if value is None else number(f"{what} of '{name}'", value)

        self._add(
            "detent",
            name=str(name),
            on=self._parts(f"on of '{name}'", on),
            preload=number(f"preload of '{name}'", preload),
            stiffness=number(f"stiffness of '{name}'", stiffness),
            damping=number(f"damping of '{name}'", damping),
            pitch=optional("pitch", pitch),
            width=optional("width", width),
            position=number(f"position of '{name}'", position),
        )

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

    def _constrained(self, name: str, on: object, rate: bool) -> dict[str, object]:
        what = f"on of '{name}'"
        if _smooth.is_smooth(on):
            row = _smooth.row_of if rate else _smooth.value_of
            return {"on_expression": row(what, on, self.names)}
        return {"on": self._parts(what, on)}  # type: ignore[arg-type]

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

    def _gradient(self, what: str, given: Mapping[str, float] | ArrayLike) -> dict[str, float]:
        if isinstance(given, Mapping):
            parts = {str(k): number(f"{what}, factor of {k!r}", v) for k, v in given.items()}
        else:
            w = vector(what, given, len(self.names))
            parts = {name: float(w[i]) for i, name in enumerate(self.names) if w[i] != 0.0}
        if not any(parts.values()):
            reject(what, given, "finite and not zero")
        return parts
