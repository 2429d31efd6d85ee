"""Gears with losses: the two contacts of tests/contact_run/test_lossy_gear.py, LossyGearDemo1 and 2, other efficiencies."""

from __future__ import annotations

import numpy as np
import pytest
from reference.lossy_gear import LossyGear, first

import stickslip as ss


def demo(bearing: bool, **gear: object) -> ss.Machine:
    """LossyGearDemo1 and 2 of the Modelica Standard Library."""
    torque = {"p1": ss.Sine(10.0, 1.0), "p2": ss.Ramp(slope=2.5, offset=-10.0, stop=2.0)}
    m = ss.Machine(mass=[1.0, 1.5], names=["p1", "p2"], force=torque)
    m.add_gear("gear", on=("p1", "p2"), ratio=2.0, **({"efficiency": 0.5} | gear))  # type: ignore[arg-type]
    if bearing:
        m.add_friction("bearing", on="p1", law=ss.Coulomb(0.5) + ss.Viscous(0.5))
    return m


class WithoutPlay(LossyGear):
    """The flanks change where one loses its force."""

    def run(self, t_end: float, y: np.ndarray, flank: int) -> tuple[list[tuple[float, str]], np.ndarray]:
        t, events = 0.0, []
        side, locked = self.at_rest(t, flank)
        while t < t_end:
            mode = flank, side, locked
            t, y, what = first(lambda s, z, m=mode: self.rates(s, z, *m), self.guards(*mode), t, y, t_end)
            if what is None:
                break
            events.append((t, what))
            if what == "stops":
                y[2:] = 0.0
                side, locked = self.at_rest(t, flank)
            elif what == "parts":
                flank = -flank
                if locked:
                    side, locked = self.at_rest(t, flank)
            else:
                side, locked = (1 if what == "forwards" else -1), False
        return events, y


def truth(bearing: bool) -> WithoutPlay:
    return WithoutPlay(
        inertia=(1.0, 1.5), ratio=2.0, friction=1.0 / 3.0, bearing=(0.5, 0.5) if bearing else (0.0, 0.0),
        torque=(lambda t: 10.0 * np.sin(2.0 * np.pi * t), lambda t: -10.0 + 2.5 * min(t, 2.0)),
    )  # fmt: skip


@pytest.mark.parametrize("bearing", [False, True])
def test_demos_without_backlash_agree_with_scipy(bearing: bool) -> None:
    run = ss.simulate(demo(bearing), 3.0)
    expected, end = truth(bearing).run(3.0, np.zeros(4), -1)
    assert run.success
    found = sorted({e.time for e in run.events if e.time > 0.0})
    modes = [t for t, what in expected if what != "parts"]
    assert len(found) == len(modes) == 4
    assert np.abs(np.subtract(found, modes)).max() < 1e-11
    assert np.abs(run.state.x - end).max() < 1e-11
    drives = [t for t, what in expected if what == "parts"]  # the torque changes its flank, and no mode
    assert len(drives) == 4
    for t in drives:
        before, after = run.at([t - 1e-11, t + 1e-11])["gear_drive.normal_force"] > 0.0
        assert before != after
    assert np.abs(run["p1.velocity"] - 2.0 * run["p2.velocity"]).max() < 1e-13
    both = np.minimum(run["gear_drive.normal_force"], run["gear_coast.normal_force"])
    assert both.max() == 0.0
    report = ss.analysis.audit(run)
    assert report.passed, report


@pytest.mark.parametrize("bearing", [False, True])
def test_gear_with_backlash_equals_two_contacts(bearing: bool) -> None:
    start = np.array([5e-3, 0.0, 0.0, 0.0])
    with_backlash = LossyGear(**(vars(truth(bearing)) | {"backlash": 0.01}))
    expected, end = with_backlash.run(3.0, start, -1)
    run = ss.simulate(demo(bearing, backlash=0.01), 3.0, initial=start)
    found = sorted({e.time for e in run.events if e.time > 0.0})
    assert np.abs(np.subtract(found, [t for t, _ in expected])).max() < 2e-11
    assert np.abs(run.state.x - end).max() < 2e-11


def _through(efficiency: object, forwards: bool, turns: float) -> float:
    """Share of the power that comes out of a gear that turns steadily under a load on its other side."""
    ratio = 3.0
    m = ss.Machine(mass=[1.0, 1.0], damping=[0.0, 0.0], names=["one", "two"])
    m.add_gear("gear", on=("one", "two"), ratio=ratio, efficiency=efficiency)  # type: ignore[arg-type]
    driver, driven = ("one", "two") if forwards else ("two", "one")
    m.add_force(driver, turns * (40.0 if forwards else 100.0))
    m.add_force(driven, -turns * 5.0)
    start = {"one.velocity": ratio * turns, "two.velocity": turns}
    run = ss.simulate(m, 1e-3, t_eval=[5e-4], initial=start)
    into = {"one": turns * (40.0 if forwards else -5.0), "two": turns * (-5.0 if forwards else 100.0)}
    power = {k: (f - run[f"{k}.acceleration"][0]) * run[f"{k}.velocity"][0] for k, f in into.items()}
    return float(-power[driven] / power[driver])


@pytest.mark.parametrize("turns", [1.0, -1.0])
@pytest.mark.parametrize("efficiency", [(0.9, 0.85), (0.6, 0.3), (0.7, 0.7), (0.4, 0.01)])
def test_efficiencies_hold_in_both_directions(efficiency: tuple[float, float], turns: float) -> None:
    assert _through(efficiency, True, turns) == pytest.approx(efficiency[0], rel=1e-12)
    assert _through(efficiency, False, turns) == pytest.approx(efficiency[1], rel=1e-11)


def test_self_locking_gear_holds_any_load() -> None:
    """With an efficiency <= 0 backwards a load on the second shaft does not move it, however large."""

    def held(backwards: float) -> ss.Trajectory:
        m = ss.Machine(mass=[0.1, 2.0], names=["motor", "drum"], force={"drum": ss.Ramp(slope=-1e3)})
        m.add_gear("worm", on=("motor", "drum"), ratio=20.0, efficiency=(0.4, backwards))
        return ss.simulate(m, 1.0)

    assert np.abs(held(-0.1).state.x).max() < 1e-12  # of 1000 N
    assert held(0.1)["drum.velocity"][-1] < -1.0


def test_lowering_a_load_takes_torque() -> None:
    """Break-away downwards where the motor adds what the efficiency backwards lacks: -T1 i = -r M, r < 0."""
    ratio, load, back = 20.0, 40.0, -0.5
    m = ss.Machine(
        mass=[0.1, 2.0], names=["motor", "drum"], force={"motor": ss.Ramp(slope=-1.0), "drum": -load}
    )
    m.add_gear("worm", on=("motor", "drum"), ratio=ratio, efficiency=(0.4, back))
    run = ss.simulate(m, 3.0)
    away = run.events[0]
    assert str(away.after) == "slip-"
    assert away.time == pytest.approx(-back * load / ratio, rel=1e-12)


def test_gear_without_losses_is_a_constraint() -> None:
    m = demo(False, efficiency=1.0)
    assert "'gear': constraint" in repr(m)
    assert ss.simulate(m, 1.0).energy.residual < 1e-13


def test_lossy_gear_transmits_an_impact() -> None:
    """Without friction in the direction of the impact the loaded flank transmits it, less the losses."""
    m = ss.Machine(mass=[1.0, 4.0], names=["motor", "table"])
    m.add_gear("gear", on=("motor", "table"), ratio=2.0, efficiency=0.8)
    m.add_contact("stop", normal={"table": -1.0}, gap=1.0, restitution=0.0)
    run = ss.simulate(m, 2.0, initial={"motor.velocity": 2.0, "table.velocity": 1.0})
    hit = run.events.of("stop")[0]
    assert hit.impact and hit.time == pytest.approx(1.0, rel=1e-13)
    # The table brings 4 Ns, and the motor 2 · 2 Ns through the teeth: of these, friction at rest may take or add a share.
    assert (
        4.0 + 0.8 * 4.0 <= hit.normal_impulse * (1.0 + 1e-12)
        and hit.normal_impulse <= 4.0 + 4.0 / 0.8 + 1e-12
    )
    assert np.abs(run.state.x[2:]).max() < 1e-13


def test_bad_input_is_refused() -> None:
    m = ss.Machine(mass=[1.0, 1.0], names=["a", "b"])
    for arguments, message in (
        ({"ratio": 0.0, "efficiency": 0.5}, "ratio of 'g' = 0.0 is not allowed"),
        ({"ratio": 2.0}, "needs one of efficiency, friction and loss_table"),
        ({"ratio": 2.0, "efficiency": 1.2}, "efficiency of 'g' = 1.2 is not allowed"),
        ({"ratio": 2.0, "efficiency": (0.0, 0.5)}, "in \\(0, 1\\] forwards"),
        ({"ratio": 2.0, "efficiency": (1.0, 0.5)}, "below 1 both ways"),
        ({"ratio": 2.0, "friction": -0.1}, "friction of 'g' = -0.1"),
        ({"ratio": 2.0, "efficiency": 0.5, "backlash": -1.0}, "backlash of 'g' = -1.0"),
    ):
        with pytest.raises(ValueError, match=message):
            m.add_gear("g", on=("a", "b"), **arguments)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a pair of different coordinates"):
        m.add_gear("g", on=("a", "a"), ratio=2.0, efficiency=0.5)
