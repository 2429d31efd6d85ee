"""Clamping anti-windup while a closed contact holds the velocity that is measured.

Closed form: a body pressed against a stop does not move, so e(t) is the reference r(t) of its velocity. With
u_raw = kp e + I the integral I' = ki e runs freely up to the limit, is held while e rises, and then follows so
that u_raw stays on the limit, as long as 0 <= -kp e' <= ki e.
"""

import numpy as np
import pytest

import stickslip as ss

KP, KI, LIMIT = 1.0, 1.0, 0.8
RISE = np.sqrt(2.6) - 1.0  # e = t: t + t^2 / 2 = LIMIT
HELD = RISE**2 / 2
BACK = 1.0 + (1.0 + HELD - LIMIT) / 0.5  # e = 1 - (t - 1) / 2: kp e + HELD = LIMIT


def pressed(mass):
    names = [f"q{i}" for i in range(len(mass))]
    n = len(mass)
    # A chain of n bodies, each pressed by the one before it, the last one by the wall.
    m = ss.Machine(mass=mass, names=names)
    for i in range(n):
        normal = {names[i]: -1.0} if i == n - 1 else {names[i]: -1.0, names[i + 1]: 1.0}
        m.add_contact(f"stop{i}", normal=normal)
    control = ss.PI(kp=KP, tn=KP / KI, limits=LIMIT, anti_windup="clamping")
    reference = ss.Piecewise([0.0, 1.0, 4.0], [0.0, 1.0, -0.5])
    m.add_controller(control, name="c", measure="q0.velocity", reference=reference, to="q0")
    return m


@pytest.mark.parametrize("method", ["auto", "explicit", "stiff"])
@pytest.mark.parametrize("mass", [[1.0], [0.01], [100.0, 0.1], [1.0, 2.0, 3.0]], ids=str)
def test_integral_is_clamped_against_a_stop(mass, method):
    t = np.array([0.5, 0.9, 1.2, 1.7, 1.9, 2.0, 2.5, 3.0])
    run = ss.simulate(pressed(mass), 3.0, t_eval=t, method=method)
    assert run.success
    events = run.events.of("c")
    assert [str(e.after) for e in events] == ["high", "free"] and len(run.events) == 2  # no stop lets go
    assert [e.time for e in events] == pytest.approx([RISE, 2.0], abs=1e-8)
    e = np.where(t < 1.0, t, 1.0 - 0.5 * (t - 1.0))
    after = np.maximum(t - 2.0, 0.0)
    integral = np.where(t < RISE, t**2 / 2, np.where(t < BACK, HELD, LIMIT - KP * e))
    integral = np.where(t > 2.0, LIMIT - 0.5 + 0.5 * after - 0.25 * after**2, integral)
    u = np.minimum(KP * e + integral, LIMIT)
    assert run["c.output"] == pytest.approx(u, abs=1e-8)
    for i in range(len(mass)):
        assert run[f"stop{i}.normal_force"] == pytest.approx(u, abs=1e-8)
    assert np.abs(run["q0.velocity"]).max() < 1e-14


def test_stop_under_limited_output_is_reached_at_closed_form_time():
    """A body under the full force reaches the stop at sqrt(2 m gap / u) and stays; the reference is that high that
    the output is limited from the start. Then e = r, and r falls slowly enough for the integral to follow down.
    """
    m = ss.Machine(mass=1.0, names=["q"])
    m.add_contact("stop", normal={"q": -1.0}, gap=0.1)
    control = ss.PI(kp=KP, tn=KP / KI, limits=LIMIT, anti_windup="clamping")
    reference = ss.Piecewise([0.0, 2.0, 6.0], [2.0, 2.0, 0.0])  # e' = -1/2 from t = 2 on
    m.add_controller(control, name="c", measure="q.velocity", reference=reference, to="q")
    run = ss.simulate(m, 6.0, t_eval=[4.0, 5.5, 6.0])
    impact = np.sqrt(2 * 0.1 / LIMIT)
    assert [(x.element, str(x.after)) for x in run.events] == [("stop", "closed"), ("c", "free")]
    # The integral is held at 0 (raw >= 2 - v > 0.8 all along), so raw = e = LIMIT at t = 4.4; it follows from there
    # until ki e = 0.5 at t = 5.
    assert [x.time for x in run.events] == pytest.approx([impact, 5.0], abs=1e-9)
    assert run["c.output"] == pytest.approx([0.8, 0.25 + 0.3 + 0.1875, 0.3 + 0.25], abs=1e-9)
