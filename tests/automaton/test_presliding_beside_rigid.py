"""An elastic surface beside rigid friction on one motion: both stop at the same instant, and nothing depends on rtol."""

from __future__ import annotations

import numpy as np
import pytest

import stickslip as ss

MASS, RIGID, SURFACE, TRAVEL = 2.0, 0.9, 0.5, 1e-3
STIFFNESS = SURFACE / TRAVEL


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("scale", [1.0, 1e-3])
@pytest.mark.parametrize("memory", [None, 0.05])
def test_slide_stop_and_return_match_closed_form(order: int, scale: float, memory: float | None) -> None:
    """A mass slides to rest; the rigid place holds it against the strained surface, until a pull backwards breaks it away:
    from there the surface is a spring, m x'' = -P(t) + R - S - k x, up to x = -2 S/k, where it slips as well.
    """
    begin, slope = 4.0, 0.3
    m = ss.Machine(mass=[MASS], names=["x"], force={"x": ss.Ramp(slope=-scale * slope, start=begin)})
    places = {
        "rigid": ss.Coulomb(RIGID),
        "surface": ss.StickSlip(ss.Coulomb(SURFACE), memory=memory, presliding=ss.Presliding(TRAVEL)),
    }
    for name in list(places)[::order]:
        m.add_friction(name, on="x", law=places[name], normal_load=scale)
    v0 = 0.7 * scale
    run = ss.simulate(m, 14.0, initial={"x.velocity": v0}, rtol=1e-10)
    stop = MASS * v0 / (scale * (RIGID + SURFACE))
    stops = [e for e in run.events if str(e.after) == "stick" and e.time > 0.0]
    assert {e.element for e in stops[:2]} == {"rigid", "surface"}
    assert [e.time for e in stops[:2]] == pytest.approx([stop, stop], rel=1e-9)
    away = begin + (RIGID - SURFACE) / slope
    at = run.at([0.5 * (stop + begin)])
    assert at["surface.force"][0] == pytest.approx(scale * SURFACE, rel=1e-9)
    assert at["rigid.force"][0] == pytest.approx(-scale * SURFACE, rel=1e-9)
    left = next(e for e in run.events if e.element == "rigid" and str(e.before) == "stick" and e.time > 0.0)
    assert left.time == pytest.approx(away, rel=1e-9)
    # m y'' = -slope tau - k y from rest, while y > -2 S/k
    w = np.sqrt(scale * STIFFNESS / MASS)
    tau = np.linspace(0.0, 6.0, 4000) / w
    y = -scale * slope / (MASS * w**2) * (tau - np.sin(w * tau) / w)
    tau, y = tau[y > -2.0 * TRAVEL], y[y > -2.0 * TRAVEL]
    assert run.at(away + tau)["x.position"] - run.at([away])["x.position"] == pytest.approx(y, abs=1e-9)


def machine(seed: int) -> tuple[ss.Machine, float]:
    rng = np.random.default_rng([14004, seed])
    m = ss.Machine(mass=rng.uniform(0.3, 3.0), stiffness=rng.uniform(0.3, 5.0), names=["x"])
    m.add_force("x", ss.Sine(rng.uniform(0.5, 3.0), rng.uniform(0.05, 1.0), rng.uniform(0.0, 6.0)))
    curve = ss.Stribeck(
        static=0.6,
        kinetic=0.4,
        stribeck_velocity=10.0 ** rng.uniform(-3.0, -1.0),
        shape=float(rng.choice([1.0, 2.0])),
    )
    kinetic = rng.uniform(0.1, 0.6)
    elastic = ss.StickSlip(
        ss.Coulomb(kinetic * rng.uniform(1.0, 2.0), kinetic),
        memory=10.0 ** rng.uniform(-3.0, -0.3) if rng.random() < 0.7 else None,
        presliding=ss.Presliding(10.0 ** rng.uniform(-4.0, -1.5), float(rng.choice([0.0, 0.3]))),
    )
    m.add_friction("rigid", on="x", law=curve, normal_load=rng.uniform(0.5, 2.0))
    m.add_friction("elastic", on="x", law=elastic, normal_load=rng.uniform(0.5, 2.0))
    return m, float(rng.uniform(-1.0, 1.0))


def test_random_machines_stop_together_at_any_tolerance() -> None:
    t = np.linspace(0.0, 10.0, 201)
    worst = {}
    for seed in range(60):
        m, v0 = machine(seed)
        runs = [ss.simulate(m, 10.0, initial={"x.velocity": v0}, rtol=rtol) for rtol in (1e-7, 1e-8, 1e-10)]
        assert all(r.success for r in runs), seed
        for e in runs[1].events:
            if e.element == "rigid" and str(e.after) == "stick":
                assert runs[1].at([e.time])["elastic.mode"][0] == ss.Mode.STICK, (seed, e)
        x = [r.at(t)["x.position"] for r in runs]
        worst[seed] = max(np.abs(x[0] - x[2]).max(), np.abs(x[1] - x[2]).max())
    assert max(worst.values()) < 1e-4, {s: d for s, d in worst.items() if d >= 1e-4}
