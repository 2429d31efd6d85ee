"""State maps of gears: all possible modes over a parameter, and the one that Lemke's algorithm returns.

The complementarity problem of a contact with friction can have several solutions or none, and the solution that Lemke's
algorithm returns depends on the scaling of its rows. These maps hold all solutions and mark two: that for the source's
scaling (rows of motion multiplied by m1) and that for unscaled rows.

Source: Hinrichsen, "Zustandsübergänge selbstbremsender Getriebe im Ratterbetrieb", Kassel 2007, figures 4.3,
6.2, 6.3.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickslip import _checks as checks
from stickslip._attached import deferred
from stickslip.analysis import _transitions as transitions
from stickslip.analysis._gears import wedge_of
from stickslip.machines.wedge_gear import WedgeGear
from stickslip.machines.worm_gear import WormGear

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]
Labels = Callable[[float], tuple[tuple[int, ...], int, int]]


class Region(NamedTuple):
    """One region of a map: its ends, all its solutions, and the solution that Lemke's algorithm returns.

    Attributes
    ----------
    low, high : float
        Ends, in the unit of the map's parameter.
    solutions : tuple of str
        Every state that solves the problem there.
    lemke_source, lemke_plain : str
        The solution that Lemke's algorithm returns with the source's scaling, and without scaling.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> gear = ss.machines.wedge_gear(upper_mass=2420.0, lower_mass=10.878, angle=np.deg2rad(12),
    ...     friction=np.tan(np.deg2rad(14)), load=100.0, stiffness=4000.0, pull_velocity=0.01)
    >>> ss.analysis.state_map(gear).at(0.7e-3).lemke_plain
    'open'
    """

    low: float
    high: float
    solutions: tuple[str, ...]
    lemke_source: str
    lemke_plain: str


@dataclass(frozen=True, eq=False)
class StateMap:
    """Solutions of a contact problem over one parameter, by their modes.

    Attributes
    ----------
    parameter : str
        The parameter along the axis, with its unit.
    edges : ndarray, shape (regions + 1,)
        Ends of the regions. An inner end is a value at which the set of solutions or the solution that Lemke's
        algorithm returns changes, to machine precision.
    present : ndarray of bool, shape (regions, 5)
        True where the mode of this column (see `modes`) is a solution.
    lemke_source, lemke_plain : ndarray of int8, shape (regions,)
        Index into `modes` of the solution that Lemke's algorithm returns with the rows of motion multiplied by m1, and
        without scaling; covering vector of ones; −1 if it ends in a ray.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> gear = ss.machines.wedge_gear(upper_mass=2420.0, lower_mass=10.878, angle=np.deg2rad(12),
    ...     friction=np.tan(np.deg2rad(14)), load=100.0, stiffness=4000.0, pull_velocity=0.01)
    >>> found = ss.analysis.state_map(gear)
    >>> found.at(0.7e-3).solutions
    ('stick', 'slip-', 'open')
    >>> found.unique
    array([ True,  True, False,  True])
    """

    parameter: str
    edges: Array
    present: NDArray[np.bool_]
    lemke_source: NDArray[np.int8]
    lemke_plain: NDArray[np.int8]

    @property
    def modes(self) -> tuple[str, ...]:
        """Names of the columns of `present`; *open* is separation."""
        return transitions.MODES

    def __len__(self) -> int:
        return int(self.present.shape[0])

    def __getitem__(self, index: int) -> Region:
        if not -len(self) <= index < len(self):
            raise IndexError(f"region {index} of {len(self)}")
        i = index % len(self)
        solutions = tuple(mode for mode, here in zip(transitions.MODES, self.present[i], strict=True) if here)
        return Region(
            float(self.edges[i]),
            float(self.edges[i + 1]),
            solutions,
            _word(int(self.lemke_source[i])),
            _word(int(self.lemke_plain[i])),
        )

    @deferred
    def plot(
        self,
        *,
        ax: Axes | None = None,
        scale: float = 1.0,
        label: str | None = None,
        lemke: bool = True,
        modes: Sequence[str] | None = None,
        **keywords: Any,
    ) -> Axes:
        """Draw a band for every solution, so that regions with several solutions show them all.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default pyplot's current axes, or a new figure where they hold another kind of picture.
        scale : float, default 1.0
            Factor for the parameter, such as 1e3 for mm or 180/π for degrees.
        label : str, optional
            Label of the horizontal axis; by default the map's own.
        lemke : bool, default True
            Mark the solution that Lemke's algorithm returns, for both scalings of its rows.
        modes : sequence of str, optional
            Modes from top to bottom; by default those that occur.
        **keywords
            For the bands (`matplotlib.patches.Rectangle`), such as ``alpha``.

        Returns
        -------
        matplotlib Axes

        Examples
        --------
        >>> import numpy as np, stickslip as ss
        >>> gear = ss.machines.wedge_gear(upper_mass=2420.0, lower_mass=10.878, angle=np.deg2rad(12),
        ...     friction=np.tan(np.deg2rad(14)), load=100.0, stiffness=4000.0, pull_velocity=0.01)
        >>> axes = ss.analysis.state_map(gear).plot(scale=1e3, label="w [mm]")
        >>> [tick.get_text() for tick in axes.get_yticklabels()]
        ['open', 'slip-', 'stick', 'slip+']
        """
        raise NotImplementedError

    def at(self, value: float) -> Region:
        """Return the region that holds a value of the parameter.

        Parameters
        ----------
        value : float
            In the unit of the edges.

        Raises
        ------
        ValueError
            If it lies outside the map.
        """
        point = checks.within("value", value, float(self.edges[0]), float(self.edges[-1]))
        return self[min(int(np.searchsorted(self.edges, point, side="right")) - 1, len(self) - 1)]

    @property
    def regions(self) -> tuple[Region, ...]:
        """All regions in order."""
        return tuple(self[i] for i in range(len(self)))

    @property
    def intervals(self) -> tuple[tuple[float, float, tuple[str, ...]], ...]:
        """Intervals with the same solutions: lower end, upper end, names of the solutions.

        Neighbouring regions that differ only in the solution of Lemke's algorithm are one interval.
        """
        joined: list[tuple[float, float, tuple[str, ...]]] = []
        for region in self.regions:
            if joined and joined[-1][2] == region.solutions:
                joined[-1] = (joined[-1][0], region.high, region.solutions)
            else:
                joined.append((region.low, region.high, region.solutions))
        return tuple(joined)

    @property
    def unique(self) -> NDArray[np.bool_]:
        """True if each region has exactly one solution, shape (regions,)."""
        return np.asarray(self.present.sum(axis=1) == 1)

    def __repr__(self) -> str:
        rows = [("from", "to", "solutions", "Lemke, source's scaling", "Lemke, not multiplied")]
        for low, high, solutions, source, plain in self.regions:
            rows.append((f"{low:.9g}", f"{high:.9g}", ", ".join(solutions) or "none", source, plain))
        widths = [max(len(row[column]) for row in rows) for column in range(5)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        ]
        return "\n".join([self.parameter, *lines])


@dataclass(frozen=True, eq=False)
class ImpactMap:
    """The state of a gear after the two phases of a Poisson impact, over the impact direction.

    Attributes
    ----------
    compression : StateMap
        State at the end of the compression (figure 6.2).
    expansion : StateMap
        State at the end of the expansion (figure 6.3): all solutions of the expansion for each solution of the
        compression; the marked ones are those of Lemke's algorithm in both phases. *open without slip* is separation
        with ġ_T = 0.
    restitution : float
        Coefficient of restitution.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> gear = ss.machines.wedge_gear(upper_mass=2420.0, lower_mass=10.878, angle=np.deg2rad(12),
    ...     friction=np.tan(np.deg2rad(14)), load=100.0, stiffness=4000.0, pull_velocity=0.01)
    >>> ss.analysis.impact_map(gear).compression.edges.round(4)
    array([-1.5708, -1.3521,  1.5708,  1.6522,  3.1416])
    """

    compression: StateMap
    expansion: StateMap
    restitution: float

    def __repr__(self) -> str:
        return (
            f"end of compression\n{self.compression!r}\n\n"
            f"end of expansion, restitution {self.restitution:g}\n{self.expansion!r}"
        )


def _word(index: int) -> str:
    return "none" if index < 0 else transitions.MODES[index]


def _build(parameter: str, candidates: list[float], low: float, high: float, labels: Labels) -> StateMap:
    # Quantities that vanish together are found at points a few units in the last place apart: one point.
    close = 1e-12 * (high - low)
    knots = [low]
    for point in [*candidates, high]:
        if point - knots[-1] > close:
            knots.append(point)
    knots[-1] = high
    edges: list[float] = [low]
    rows: list[tuple[tuple[int, ...], int, int]] = []
    for left, right in pairwise(knots):
        solutions = labels(0.5 * (left + right))[0]
        inner = transitions.label_changes(lambda p: labels(p)[1:], left, right, 17)
        # Next to a boundary Lemke still accepts an answer that violates the problem by 1e-9: that makes no
        # region of its own.
        width = 1e-8 * (high - low)
        inner = [p for p in inner if min(p - left, right - p) > width]
        for a, b in pairwise([left, *inner, right]):
            row = (solutions, *labels(0.5 * (a + b))[1:])
            if rows and rows[-1] == row:
                edges[-1] = b
            else:
                rows.append(row)
                edges.append(b)
    present = np.zeros((len(rows), len(transitions.MODES)), dtype=bool)
    for i, (solutions, _, _) in enumerate(rows):
        present[i, list(solutions)] = True
    return StateMap(
        parameter,
        np.asarray(edges),
        present,
        np.asarray([row[1] for row in rows], dtype=np.int8),
        np.asarray([row[2] for row in rows], dtype=np.int8),
    )


def _mode(answer: transitions.Answer | None) -> int:
    return transitions.NONE if answer is None else answer.mode


def state_map(
    gear: WedgeGear | WormGear,
    low: float | None = None,
    high: float | None = None,
    *,
    start: str = "stick",
) -> StateMap:
    """Return the modes that follow a state of the gear, over the spring extension w (figure 4.3).

    Parameters
    ----------
    gear : WedgeGear or WormGear
        The gear; a worm gear is replaced by its equivalent wedge gear, in which w is −r2 times the twist of the shaft.
    low, high : float, optional
        Range of w, m. By default it covers the limits of stick and opening and extends beyond them by half.
    start : {"stick", "slip+", "slip-"}
        State before: at rest (4.3), lifting with ġ_T > 0, or lowering with ġ_T < 0 (4.4).

    Returns
    -------
    StateMap

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Notes
    -----
    In stick all rows of the problem contain the static coefficient. A gear at rest stays at rest while *stick* is a
    solution; because there are other solutions as well, the one that Lemke's algorithm returns depends on the scaling
    of the rows. In lowering there may be no solution: an impact without collision follows.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> gear = ss.machines.wedge_gear(upper_mass=2420.0, lower_mass=10.878, angle=np.deg2rad(12),
    ...     friction=np.tan(np.deg2rad(14)), load=100.0, stiffness=4000.0, pull_velocity=0.01)
    >>> for region in ss.analysis.state_map(gear).regions:
    ...     print(f"{1e3 * region.high:.4f}", *region.solutions)
    -12.1933 slip+
    0.5287 stick
    0.8730 stick slip- open
    1.3095 open
    """
    wedge = wedge_of(gear)
    checks.choice("start", start, ("stick", "slip+", "slip-"))
    stick = wedge.stick_limits
    marks = [mark for mark in (*stick, wedge.opening_limit) if math.isfinite(mark)]
    span = max(marks) - min(*marks, 0.0)
    # With a lower limit of stick the range goes half as far beyond it, else as far below zero as above.
    default_low = 1.5 * min(marks) if min(marks) < 0.0 else -span
    first = checks.finite("low", default_low if low is None else low)
    last = checks.finite("high", 1.5 * max(max(marks), 1e-3 * span) if high is None else high)
    if not first < last:
        checks.reject("high", last, f"> low = {first}")
    contact = transitions.Contact(wedge.contact_data(0.0))
    friction = wedge.break_away_friction if start == "stick" else wedge.kinetic_friction
    sliding = {"stick": 0, "slip+": 1, "slip-": -1}[start]

    def free(extension: float) -> Array:
        return contact.free(np.array([-wedge.load, wedge.stiffness * extension]))

    def problem(extension: float) -> transitions.Transition:
        if sliding:
            return transitions.from_slip(contact, free(extension), friction, sliding)
        return transitions.from_stick(contact, free(extension), friction)

    def labels(extension: float) -> tuple[tuple[int, ...], int, int]:
        here = problem(extension)
        answers = tuple(answer.mode for answer in here.all())
        return answers, _mode(here.lemke(wedge.upper_mass)), _mode(here.lemke(1.0))

    candidates = transitions.sign_changes(lambda w: problem(w).margins(), first, last, 5)
    return _build(f"from {start}, over the spring extension w, m", candidates, first, last, labels)


def impact_map(
    gear: WedgeGear | WormGear,
    low: float = -math.pi / 2,
    high: float = math.pi,
    *,
    restitution: float | None = None,
) -> ImpactMap:
    """Return the state after a Poisson impact over the impact direction α (figures 6.2 and 6.3).

    Before the impact ġ_N = −v·cos α and ġ_T = −v·sin α; the speed v does not matter for the states.

    Parameters
    ----------
    gear : WedgeGear or WormGear
        The gear; its kinetic friction holds in the impact.
    low, high : float
        Range of α, rad; default −π/2 … π.
    restitution : float, optional
        Coefficient of restitution in [0, 1]; default that of the gear.

    Returns
    -------
    ImpactMap

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> gear = ss.machines.wedge_gear(upper_mass=2420.0, lower_mass=10.878, angle=np.deg2rad(12),
    ...     friction=np.tan(np.deg2rad(14)), load=100.0, stiffness=4000.0, pull_velocity=0.01)
    >>> after = ss.analysis.impact_map(gear, restitution=0.3)
    >>> after.compression.at(0.5).solutions, after.expansion.at(0.5).solutions
    (('stick',), ('open without slip',))
    """
    wedge = wedge_of(gear)
    first, last = checks.finite("low", low), checks.finite("high", high)
    if not first < last:
        checks.reject("high", last, f"> low = {first}")
    epsilon = checks.within(
        "restitution", wedge.restitution if restitution is None else restitution, 0.0, 1.0
    )
    contact = transitions.Contact(wedge.contact_data(0.0))
    friction = wedge.impulse_friction

    def before(alpha: float) -> Array:
        return np.array([-math.cos(alpha), -math.sin(alpha)])

    def compression(alpha: float) -> transitions.Transition:
        return transitions.from_stick(contact, before(alpha), friction)

    def expanded(answer: transitions.Answer) -> transitions.Transition:
        return transitions.expansion(contact, answer.force, answer.motion, friction, epsilon)

    def compression_labels(alpha: float) -> tuple[tuple[int, ...], int, int]:
        here = compression(alpha)
        answers = tuple(answer.mode for answer in here.all())
        return answers, _mode(here.lemke(wedge.upper_mass)), _mode(here.lemke(1.0))

    def lemke_through(alpha: float, scale: float) -> int:
        answer = compression(alpha).lemke(scale)
        return transitions.NONE if answer is None else _mode(expanded(answer).lemke(scale))

    def expansion_labels(alpha: float) -> tuple[tuple[int, ...], int, int]:
        after = {last.mode for answer in compression(alpha).all() for last in expanded(answer).all()}
        return tuple(sorted(after)), lemke_through(alpha, wedge.upper_mass), lemke_through(alpha, 1.0)

    def compression_margins(alpha: float) -> list[float]:
        return compression(alpha).margins()

    def expansion_margins(alpha: float) -> list[float]:
        values = compression_margins(alpha)
        for impulse in _compressions(contact, before(alpha), friction):
            motion = before(alpha) + contact.delassus @ (impulse * [1.0, -1.0])
            values += transitions.expansion(contact, impulse, motion, friction, epsilon).margins()
        return values

    samples = 721
    axis = "over the impact direction α, rad"
    first_phase = transitions.sign_changes(compression_margins, first, last, samples)
    ends = _build(axis, first_phase, first, last, compression_labels)
    if epsilon == 0.0:  # no impulse of expansion: no second phase
        return ImpactMap(ends, ends, epsilon)
    second_phase = transitions.sign_changes(expansion_margins, first, last, samples)
    return ImpactMap(ends, _build(axis, second_phase, first, last, expansion_labels), epsilon)


def _compressions(contact: transitions.Contact, before: Array, friction: float) -> list[Array]:
    """Impulses (normal, friction) of the compression in each closed mode, whether it solves the problem or not."""
    nn, nt = contact.delassus[0]
    stick = -np.linalg.solve(contact.delassus, before) * [1.0, -1.0]
    return [
        stick,
        *(-before[0] / (nn - slope * nt) * np.array([1.0, slope]) for slope in (friction, -friction)),
    ]
