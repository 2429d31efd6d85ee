"""The self-locking worm gear: a loaded wheel on a worm that a motor turns through an elastic shaft.

Wheel (inertia Θ1, radius r1, angle φ1, load torque M1 that lowers), worm (Θ2, r2, φ2, torque M2 of the
shaft), lead angle γ, normal pressure angle α_n, friction μ = tan ρ·cos α_n. φ̇2 > 0 lifts. With y1 = r1·φ1,
x2 = −r2·φ2 and the flank force λ_N·cos α_n, the equations (2.28) are those of a wedge gear with m1 = Θ1/r1²,
m2 = Θ2/r2², F = M1/r1, k = k_φ/r2² and friction tan ρ: `WormGear.wedge`. All statements about the motion are
taken from there; they hold for a shaft without damping. The shaft turns the worm with
M2 = k_φ·(ω·t − φ2) + d_φ·(ω − φ̇2), ω being the speed of the motor. Bearings brake both shafts with torques over
their speeds, Θ1·φ̈1 = −M1 − B1(φ̇1) + …, Θ2·φ̈2 = M2 − B2(φ̇2) + …; in contact φ̇2 = ġ_T·cos γ/r2 and
φ̇1 = ġ_T·sin γ/r1.

Source: Hinrichsen, "Zustandsübergänge selbstbremsender Getriebe im Ratterbetrieb" (Kassel 2007), 2.3.2 and
chapter 7.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip import _checks as checks
from stickslip._attached import deferred
from stickslip.laws import Coulomb, Law
from stickslip.machine.compliance import Compliance
from stickslip.machine.machine import Machine
from stickslip.machines._flank import check_law
from stickslip.machines._flight import bisect
from stickslip.machines._picture import flanks
from stickslip.machines.contact_data import ContactData
from stickslip.machines.worm_motion import WormMotion, WormSliding
from stickslip.signals import Constant, Ramp

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from stickslip.animation import Picture
    from stickslip.run.trajectory import Trajectory

__all__ = ["WormGear", "WormSliding", "worm_gear"]


@dataclass(frozen=True, kw_only=True)
class WormGear(WormMotion):
    """A worm gear driven through an elastic shaft by a motor at constant speed.

    Closed-form results are properties; ``.machine`` is the machine to simulate.

    Parameters
    ----------
    wheel_inertia, worm_inertia : float
        Inertias Θ1 of the wheel (with its load) and Θ2 of the worm, kg·m².
    wheel_radius, worm_radius : float
        Radii r1 and r2 of the pitch circles, m.
    lead_angle : float
        Lead angle γ, rad, between 0 and π/2.
    friction : float or Law
        Kinetic coefficient of friction μ on the flank, ≥ 0; or a law over the sliding speed per unit normal force, as
        for `WedgeGear`.
    load_torque : float
        Load M1 on the wheel, Nm; it drives the wheel in the direction of lowering.
    shaft_stiffness : float
        Torsional stiffness of the input shaft, Nm/rad; not printed in the source for its rig.
    motor_speed : float
        Speed of the motor, rad/s; positive lifts, negative lowers.
    shaft_damping : float
        Damping d_φ of the input shaft, between motor and worm, Nms/rad, ≥ 0; default 0. With damping the motion has no
        closed form here: `first_motion` and the results that depend on it raise an error; simulate ``.machine``
        instead.
    pressure_angle : float
        Normal pressure angle α_n, rad; default 20°, which follows from (7.4) and (7.5).
    restitution : float
        Coefficient of restitution ε in [0, 1]; default 0.
    clearance : float, optional
        Clearance j along the pitch circle of the wheel, m; by default there is one flank only.
    wheel_bearing, worm_bearing : Law or float, optional
        Torque of the bearings of a shaft over its speed, M_r(n) of 7.2: a law in Nm over rad/s, a number for the same
        torque at all speeds. The wheel's bearing torque adds to the load M1 in lifting and reduces it in lowering; in
        the source it reduces M1 in lifting. With bearings the motion has no closed form here.
    static_friction : float, optional
        Static coefficient μ0 ≥ μ; equal to `friction` by default. Omit it if `friction` is a law.
    impact : {"poisson", "newton"}
        Impact law.
    compliance : KelvinVoigt or HuntCrossley, optional
        Elasticity of each flank, over the depth along its normal, m; rigid by default. Elastic flanks have friction but
        no impacts, so `restitution` must be 0. Closed forms of motion and of the contact problem raise an error for
        elastic flanks; angles, margins and limits of stick are those of the rigid gear.

    Raises
    ------
    ValueError
        If a parameter is outside its domain; the message names it.

    Notes
    -----
    Hinrichsen, "Zustandsübergänge selbstbremsender Getriebe im Ratterbetrieb", Kassel 2007, 2.3.2 and chapter
    7. Its (7.4), 584978 kg·mm², was computed with ρ rounded to 8.47°; unrounded it is 584547.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> rig = ss.machines.worm_gear(wheel_inertia=0.875424, worm_inertia=1.56e-3, wheel_radius=0.05,
    ...     worm_radius=0.036, lead_angle=np.deg2rad(3.18), friction=0.4, load_torque=3.53,
    ...     shaft_stiffness=20.0, motor_speed=-0.47)
    >>> rig.chatters, round(rig.critical_wheel_inertia, 6)
    (True, 0.149805)
    >>> import dataclasses
    >>> calmer = dataclasses.replace(rig, friction=0.14, clearance=2e-3)
    >>> calmer.self_braking, calmer.reaches_opposite_flank
    (True, False)
    >>> elastic = dataclasses.replace(rig, compliance=ss.KelvinVoigt(stiffness=5e6, damping=5.5e3))
    >>> any(event.impact for event in ss.simulate(elastic, t_end=0.2).events)
    False
    """

    wheel_inertia: float
    worm_inertia: float
    wheel_radius: float
    worm_radius: float
    lead_angle: float
    friction: float | Law
    load_torque: float
    shaft_stiffness: float
    motor_speed: float
    shaft_damping: float = 0.0
    pressure_angle: float = math.radians(20.0)
    restitution: float = 0.0
    clearance: float | None = None
    static_friction: float | None = None
    impact: str = "poisson"
    wheel_bearing: Law | float | None = None
    worm_bearing: Law | float | None = None
    compliance: Compliance | None = None

    def __post_init__(self) -> None:
        """Check every parameter."""
        positive = (
            "wheel_inertia", "worm_inertia", "wheel_radius", "worm_radius", "load_torque", "shaft_stiffness"
        )  # fmt: skip
        for name in positive:
            object.__setattr__(self, name, checks.positive(name, getattr(self, name)))
        for name in ("lead_angle", "pressure_angle"):
            if name == "pressure_angle" and self.pressure_angle == 0.0:
                continue
            value = checks.within(name, getattr(self, name), 0.0, math.pi / 2, closed=False, unit="rad")
            object.__setattr__(self, name, value)
        object.__setattr__(self, "motor_speed", checks.finite("motor_speed", self.motor_speed))
        object.__setattr__(self, "shaft_damping", checks.non_negative("shaft_damping", self.shaft_damping))
        if self.clearance is not None:
            object.__setattr__(self, "clearance", checks.positive("clearance", self.clearance))
        self._check_flank()
        for name in ("wheel_bearing", "worm_bearing"):
            torque = getattr(self, name)
            if isinstance(torque, Law):
                check_law(name, torque)
            elif torque is not None:
                object.__setattr__(self, name, Coulomb(checks.non_negative(name, torque)))

    @property
    def units(self) -> dict[str, str]:
        """Units of the rotary signals, for plots of a run."""
        turning = {"position": "rad", "velocity": "rad/s", "acceleration": "rad/s²"}
        units = {f"{shaft}.{kind}": unit for shaft in ("wheel", "worm") for kind, unit in turning.items()}
        for shaft in ("wheel", "worm"):
            units |= {f"{shaft}_bearing.force": "Nm", f"{shaft}_bearing.velocity": "rad/s"}
        return units

    # -- clearance ---------------------------------------------------------------------------------

    @property
    def normal_clearance(self) -> float | None:
        """Clearance along the flank's normal, m: j·cos γ·cos α_n, with j along the wheel's pitch circle."""
        if self.clearance is None:
            return None
        return self.clearance * math.cos(self.lead_angle) * math.cos(self.pressure_angle)

    @property
    def wheel_backlash(self) -> float | None:
        """Angle j/r1 through which the wheel can turn while the worm rests, rad."""
        return None if self.clearance is None else self.clearance / self.wheel_radius

    @property
    def worm_backlash(self) -> float | None:
        """Angle j/(r2·tan γ) through which the worm can turn while the wheel rests, rad."""
        if self.clearance is None:
            return None
        return self.clearance / (self.worm_radius * math.tan(self.lead_angle))

    @property
    def greatest_gap(self) -> float:
        """Greatest gap along the flank's normal in the first flight, m, without the opposite flank; 0 without a flight.

        With ε = 0 every later flight of the periodic chatter is the same.
        """
        flight = self._undamped.first_flight
        return 0.0 if flight is None else math.cos(self.pressure_angle) * flight.greatest_gap()[1]

    @property
    def reaches_opposite_flank(self) -> bool:
        """True if the first flight ends on the opposite flank."""
        clearance = self.normal_clearance
        return clearance is not None and self.greatest_gap > clearance

    @cached_property
    def opposite_flank_speed(self) -> float:
        """Lowest motor speed at which the first flight ends on the opposite flank, rad/s; ∞ without clearance.

        The magnitude is returned, for lowering. The opening grows with the speed, so the limit is unique.
        """
        clearance = self.normal_clearance
        if clearance is None:
            return math.inf

        def excess(speed: float) -> float:
            return dataclasses.replace(self, motor_speed=-speed).greatest_gap - clearance

        slow = dataclasses.replace(self, motor_speed=-1e-9 * self.shaft_frequency)
        if slow.first_motion.outcome == "opens at once" and slow.reaches_opposite_flank:
            return 0.0
        low, high = 0.0, 1e-3 * self.shaft_frequency
        while excess(high) <= 0.0:
            low, high = high, 2.0 * high
            if not math.isfinite(high):
                return math.inf
        return bisect(lambda speed: -clearance if speed == 0.0 else excess(speed), low, high)

    @property
    def shaft_frequency(self) -> float:
        """Natural frequency sqrt(k_φ/Θ2) of the worm on its shaft, rad/s."""
        return math.sqrt(self.shaft_stiffness / self.worm_inertia)

    # -- the contact problem and the machine -------------------------------------------------------

    def _gradients(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        sine, cosine = math.sin(self.lead_angle), math.cos(self.lead_angle)
        normal = math.cos(self.pressure_angle) * np.array(
            [self.wheel_radius * cosine, -self.worm_radius * sine]
        )
        return normal, np.array([self.wheel_radius * sine, self.worm_radius * cosine])

    def contact_data(self, twist: float, velocity: ArrayLike = (0.0, 0.0), gap: float = 0.0) -> ContactData:
        """Return the contact problem in one state, as arrays; two contacts if there is a clearance.

        Parameters
        ----------
        twist : float
            Twist of the shaft, motor angle − φ2, rad.
        velocity : array_like, shape (2,)
            (φ̇1, φ̇2), rad/s.
        gap : float
            Gap of the contact ``flank`` along its normal, m.

        Raises
        ------
        ValueError
            Naming the argument, its value and what is allowed.
        """
        self._need_rigid_flanks()
        normal, tangent = self._gradients()
        opening = checks.finite("gap", gap)
        speeds = checks.vector("velocity", velocity, 2)
        torque = self.shaft_stiffness * checks.finite("twist", twist)
        torque += self.shaft_damping * (self.motor_speed - float(speeds[1]))
        clearance = self.normal_clearance
        flanks = 1 if clearance is None else 2
        return ContactData(
            mass=np.diag([self.wheel_inertia, self.worm_inertia]),
            force=np.array([-self.load_torque, torque]),
            normals=np.array([normal, -normal][:flanks]),
            tangents=np.array([tangent, tangent][:flanks]),
            friction=np.full(flanks, self.coefficient(abs(float(tangent @ speeds)))),
            static_friction=np.full(flanks, self.break_away_friction),
            impulse_friction=np.full(flanks, self.impulse_friction),
            restitution=np.full(flanks, self.restitution),
            gap=np.array([opening] if clearance is None else [opening, clearance - opening]),
            velocity=speeds,
        )

    def picture(self, run: Trajectory) -> Picture:
        """Picture of a run for animations: flanks of wheel and worm unrolled, gap magnified."""
        return flanks(
            run,
            self.lead_angle,
            self.wheel_radius * run["wheel.position"],
            -self.worm_radius * run["worm.position"],
            -self.worm_radius * self.motor_speed * run.t,
            run["flank.gap"] / math.cos(self.pressure_angle),
            ("wheel", "worm"),
        )

    @deferred
    def draw(self, ax: Axes | None = None, what: str | None = None, **keywords: Any) -> Axes:
        """Draw the gear: wheel and worm, the shaft with its motor, and the load, with its parameters.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default pyplot's current axes where they are empty, or a new figure.
        what : str, optional
            ``"geometry"`` (default), or a value of `what` in `stickslip.Machine.draw`, to draw ``.machine``.
        **keywords
            For bodies and blocks (`matplotlib.patches.Patch`), such as ``facecolor``.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        ValueError
            For any other `what`.
        MissingExtraError
            When matplotlib is not installed.

        Examples
        --------
        >>> import numpy as np, stickslip as ss
        >>> gear = ss.machines.worm_gear(wheel_inertia=0.875424, worm_inertia=1.56e-3, wheel_radius=0.05,
        ...     worm_radius=0.036, lead_angle=np.deg2rad(3.18), friction=0.4, load_torque=3.53,
        ...     shaft_stiffness=20.0, motor_speed=-0.47)
        >>> len(gear.draw().texts) > 10
        True
        """
        raise NotImplementedError

    @cached_property
    def machine(self) -> Machine:
        """The machine that `simulate` runs: coordinates ``wheel`` and ``worm``, contact ``flank``.

        With a clearance there is a second contact, ``opposite_flank``, loaded in the direction of lifting. The machine
        starts in contact on ``flank``, with the shaft relaxed and elastic flanks not compressed. Bearings are
        ``wheel_bearing`` and ``worm_bearing``.
        """
        normal, tangent = self._gradients()
        machine = Machine(
            mass=[self.wheel_inertia, self.worm_inertia],
            damping=[[0.0, 0.0], [0.0, self.shaft_damping]],
            stiffness=[[0.0, 0.0], [0.0, self.shaft_stiffness]],
            names=["wheel", "worm"],
            force={
                "wheel": Constant(-self.load_torque),
                "worm": Ramp(
                    slope=self.shaft_stiffness * self.motor_speed,
                    offset=self.shaft_damping * self.motor_speed,
                ),
            },
        )
        flanks = [("flank", 1.0, 0.0)]
        if self.normal_clearance is not None:
            flanks.append(("opposite_flank", -1.0, self.normal_clearance))
        for name, side, gap in flanks:
            machine.add_contact(
                name,
                normal={"wheel": side * float(normal[0]), "worm": side * float(normal[1])},
                tangent={"wheel": float(tangent[0]), "worm": float(tangent[1])},
                friction=self._flank.law,
                gap=gap,
                restitution=self.restitution,
                impact=self.impact,
                compliance=self.compliance,
            )
        for shaft, law in zip(("wheel", "worm"), self._bearings, strict=True):
            if law is not None:
                machine.add_friction(f"{shaft}_bearing", on=shaft, law=law)
        return machine


worm_gear = WormGear  # the name that all builders of machines have
