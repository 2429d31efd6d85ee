"""Branches of forced oscillators: first stop of dry friction, square root at grazing, against closed forms."""

import math

import numpy as np
import pytest
from scipy.linalg import expm

import stickslip as ss


def dry_friction(frequency: float, friction: float) -> ss.Machine:
    """Return x'' + x + f sgn x' = cos ωt."""
    m = ss.Machine(mass=1.0, stiffness=1.0, names=["x"])
    m.add_force("x", ss.Sine(amplitude=1.0, frequency=frequency / (2.0 * math.pi), phase=0.5 * math.pi))
    m.add_friction("pad", on="x", law=ss.Coulomb(1.0), normal_load=friction)
    return m


@pytest.mark.parametrize("frequency", [0.8, 1.3, 2.0])
def test_first_stop_of_dry_friction_oscillator_matches_den_hartog(frequency: float) -> None:
    """At a turn the forces other than friction are -ω² A; the block stops there from f = ω² A on.

    A² = V² - (f U)², V = 1/(1 - ω²), U = sin(π/ω)/(ω (1 + cos(π/ω))) (Den Hartog 1931).
    """
    w = frequency
    V, U = 1.0 / (1.0 - w**2), math.sin(math.pi / w) / (w * (1.0 + math.cos(math.pi / w)))
    stops = abs(V) / math.hypot(U, w**-2)
    m = dry_friction(w, 0.8 * stops)
    orbit = ss.cycles.periodic_orbit(m, ss.simulate(m, 200.0 * math.pi / w))
    branch = ss.cycles.follow(orbit, "pad.normal_load", (0.7 * stops, 1.1 * stops))
    first = branch.bifurcations[0]
    assert first.name == "birth of stick" and first.elements == ("pad",)
    assert first.value == pytest.approx(stops, rel=1e-9)
    assert branch[0].sticking == () and branch[-1].sticking == ("pad",)


def test_displacement_by_grazing_impact_is_square_root_of_depth() -> None:
    """Just beyond the grazing motion, one period changes the state by the square root of the depth: slope 1/2."""
    w, c, e = 2.8, 0.1, 0.6
    gain = 1.0 / (1.0 - w**2 + 1j * c * w)
    gap = abs(gain)  # the linear oscillator touches the stop
    m = ss.Machine(mass=1.0, stiffness=1.0, damping=c, names=["x"])
    m.add_force("x", ss.Sine(amplitude=1.0, frequency=w / (2.0 * math.pi), phase=0.5 * math.pi))
    m.add_contact("stop", normal={"x": 1.0}, gap=gap, restitution=e)
    touch = (math.pi - np.angle(gain)) / w  # where x is least
    begin, period = touch - 0.3, 2.0 * math.pi / w
    on_cycle = np.array([(gain * np.exp(1j * w * begin)).real, (1j * w * gain * np.exp(1j * w * begin)).real])
    A = np.array([[0.0, 1.0], [-1.0, -c]])
    down = expm(A * 0.3)[0]  # change of the position at the touch by the state before
    depths, changes = np.geomspace(1e-8, 1e-5, 4), []
    for depth in depths:
        shift = -depth * down / (down @ down)
        run = ss.simulate(
            m,
            (begin, begin + period),
            initial=dict(zip(("x.position", "x.velocity"), on_cycle + shift, strict=True)),
        )
        free = on_cycle + expm(A * period) @ shift
        changes.append(float(np.linalg.norm(run.state.x - free)))
        assert run.events.impact.sum() == 1
    slopes = np.diff(np.log(changes)) / np.diff(np.log(depths))
    assert slopes == pytest.approx(0.5, abs=2e-3)
