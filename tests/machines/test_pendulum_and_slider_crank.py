"""Ready parts against closed forms and against minimal coordinates."""

import cmath
import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import stickslip as ss

G = 9.81


def test_pendulum_turning_points_match_energy_balance():
    """m g l (cos φ2 - cos φ1) = M |φ2 - φ1| from one to the next, until the weight cannot lift the friction."""
    mass, length, torque = 2.0, 0.5, 0.4
    m = ss.machines.pendulum(mass, length, ss.Coulomb(torque), inertia=0.03)
    run = ss.simulate(m, 60.0, rtol=1e-12, initial={"arm.position": 2.4})
    weight = mass * G * length
    turns, now = [], 2.4
    while abs(weight * math.sin(now)) > torque:

        def left(there, here=now):
            return weight * (math.cos(there) - math.cos(here)) - torque * abs(there - here)

        fastest = math.copysign(math.asin(torque / weight), now)
        now = brentq(left, fastest, -now, xtol=1e-15)
        turns.append(now)
    events = [e for e in run.events if e.element == "joint"]
    assert len(turns) > 10 and len(events) == len(turns)
    found = [run.at(e.time)["arm.position"][0] for e in events]
    assert found == pytest.approx(turns, abs=1e-9)
    assert run["joint.mode"][-1] == ss.Mode.STICK


R, L, OFFSET, SHARE = 0.1, 0.32, 0.02, 0.4
CRANK, ROD, ROD_INERTIA, SLIDER, GRAVITY = 0.05, 0.8, 0.009, 1.5, 9.81


def minimal(t, start, rate):
    """Mass and potential over the crank's angle, whose slopes are by complex numbers: M φ'' + M' φ'²/2 + V' = 0."""

    def parts(phi):
        sine = (OFFSET - R * cmath.sin(phi)) / L
        psi = cmath.asin(sine)
        by = -R * cmath.cos(phi) / (L * cmath.cos(psi))  # d psi / d phi
        c = SHARE * L
        x = -R * cmath.sin(phi) - L * cmath.sin(psi) * by
        centre = (-R * cmath.sin(phi) - c * cmath.sin(psi) * by, R * cmath.cos(phi) + c * cmath.cos(psi) * by)
        mass = CRANK + SLIDER * x * x + ROD * (centre[0] ** 2 + centre[1] ** 2) + ROD_INERTIA * by * by
        return mass, ROD * GRAVITY * (R * cmath.sin(phi) + c * cmath.sin(psi))

    def motion(_, z):
        h = 1e-30
        mass, potential = parts(z[0] + 1j * h)
        return [z[1], -(0.5 * mass.imag / h * z[1] ** 2 + potential.imag / h) / mass.real]

    return solve_ivp(motion, (0.0, t[-1]), [start, rate], "DOP853", t_eval=t, rtol=1e-13, atol=1e-13).y


def test_slider_crank_agrees_with_minimal_coordinate():
    m = ss.machines.slider_crank(
        R,
        L,
        SLIDER,
        crank_inertia=CRANK,
        rod_mass=ROD,
        rod_inertia=ROD_INERTIA,
        rod_centre=SHARE,
        offset=OFFSET,
        gravity=GRAVITY,
    )
    t = np.linspace(0.0, 3.0, 61)
    run = ss.simulate(m, 3.0, rtol=1e-12, t_eval=t, initial={"crank.position": 0.4, "crank.velocity": 9.0})
    phi, rate = minimal(t, 0.4, 9.0)
    assert run["crank.position"] == pytest.approx(phi, abs=2e-9)
    assert run["crank.velocity"] == pytest.approx(rate, abs=2e-8)
    assert run["slider.position"] == pytest.approx(
        R * np.cos(phi) + np.sqrt(L**2 - (OFFSET - R * np.sin(phi)) ** 2), abs=1e-9
    )
    assert run.energy.residual < 1e-9
