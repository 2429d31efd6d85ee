"""Machines of the automaton's published experiments."""

from __future__ import annotations

import numpy as np
from reference import load_friction, memory

import stickslip as ss


def pulled_law(p, **more):
    return ss.StickSlip(
        ss.Stribeck(
            static=p.static,
            kinetic=p.kinetic,
            stribeck_velocity=p.stribeck_velocity,
            shape=1.0,
            viscous=p.viscous,
        ),
        memory=ss.Lag(p.lag) if p.lag else None,
        dwell=p.dwell,
        presliding=ss.Presliding(p.travel, p.surface_damping) if p.travel else None,
        **more,
    )


def pulled_spring(p=memory.BASE):
    """A mass on its guide, pulled by a spring whose free end moves at constant speed from t = 0."""
    m = ss.Machine(
        mass=p.mass,
        stiffness=p.stiffness,
        names=["mass"],
        force={"mass": ss.Ramp(slope=p.stiffness * p.drive_velocity)},
    )
    m.add_friction("guide", on="mass", law=pulled_law(p))
    return m


def pushed_mass(peak, factor=load_friction.NU, static=load_friction.FS, viscous=load_friction.B, force=None):
    """A mass that a drive force pushes against a spring, which also presses it on its guide."""
    f = load_friction
    m = ss.Machine(
        mass=f.MASS,
        stiffness=f.C,
        names=["mass"],
        force={"mass": ss.Piecewise(f.CORNERS[:4], [0.0, peak, peak, 0.0]) if force is None else force},
    )
    curve = ss.Stribeck(static=static, kinetic=f.FK, stribeck_velocity=f.VS, shape=1.0, viscous=viscous)
    m.add_friction(
        "guide", on="mass", law=ss.StickSlip(curve, load_factor=factor), load={"mass.position": f.C}
    )
    return m


def prescribed(law, times, velocities, rtol=1e-11, **options):
    """The law under a prescribed relative velocity: a mass that no force here can move, on a surface that
    moves."""
    m = ss.Machine(mass=1e20, names=["anvil"])
    surface = ss.Piecewise(times, -np.asarray(velocities, dtype=float))
    m.add_friction("guide", on="anvil", law=law, surface_velocity=surface, **options)
    return ss.simulate(m, times[-1], rtol=rtol)


def steps(pairs):
    """Corners of a velocity that is constant for given durations, from (duration, velocity)."""
    times, values = [0.0], [pairs[0][1]]
    for duration, value in pairs:
        if value != values[-1]:
            times.append(times[-1])
            values.append(value)
        times.append(times[-1] + duration)
        values.append(value)
    return times, values


def compare(events, expected):
    """Worst difference of event times, after checking that the modes agree."""
    assert [str(e.after) for e in events] == [mode for _, mode in expected]
    return max(abs(e.time - t) for e, (t, _) in zip(events, expected, strict=True))
