"""Normal load as a function of position or of the state: piecewise linear, in any law."""

from __future__ import annotations

import numpy as np
import pytest
from reference.piecewise import first_order, motion

import stickslip as ss

X, N = np.array([0.0, 0.1, 0.25, 0.6]), np.array([2.0, 6.0, 1.0, 4.0])


def _slide(law: ss.Law, **load: object) -> ss.Machine:
    m = ss.Machine(mass=1.5, names=["slide"])
    m.add_friction(
        "guide", on="slide", law=law, normal_load=0.0, load="slide.position", load_table=(X, N), **load
    )
    return m


def _line(x: float) -> tuple[float, float]:
    """Slope and value at x = 0 of the load there."""
    if x < X[0] or x > X[-1]:
        return 0.0, float(N[0] if x < X[0] else N[-1])
    k = int(np.clip(np.searchsorted(X, x) - 1, 0, X.size - 2))
    slope = (N[k + 1] - N[k]) / (X[k + 1] - X[k])
    return float(slope), float(N[k] - slope * X[k])


def test_coulomb_under_load_table_matches_matrix_exponentials() -> None:
    """Sliding through all stretches: F = mu N(x), matrix exponentials from corner to corner."""
    mu, mass = 0.5, 1.5
    run = ss.simulate(
        _slide(ss.Coulomb(mu)), t_end=0.5, initial={"slide.position": -0.1, "slide.velocity": 2.0}
    )
    one = np.ones((1, 1))
    marks = np.concatenate([[-np.inf], X, [np.inf]])

    def matrix(k: object) -> np.ndarray:
        slope, offset = _line(0.5 * (np.clip(marks[k], -1, 1) + np.clip(marks[k + 1], -1, 1)))
        return first_order(mass * one, 0.0 * one, mu * slope * one, np.array([-mu * offset]))

    def region(z: np.ndarray) -> int:
        return int(np.searchsorted(X, z[0]))

    changes, last = motion(region, matrix, np.array([-0.1, 2.0]), 0.4, 1e-4)
    assert len(changes) == 4
    at = run.at([0.4])
    assert np.abs(at.y[:2, 0] - last).max() < 1e-13
    assert at["guide.load"][0] == pytest.approx(np.interp(last[0], X, N), abs=1e-12)
    assert set(run.method.values()) == {"exact"}
    assert len(run.events.of("guide")) == 0
    assert ss.analysis.audit(run).passed


SCREW = np.array([0.01, 0.014, 0.02, 0.035]), np.array([3.0, 8.0, 1.0, 3.0])


def _screw(x: float) -> tuple[int, float, float]:
    """Number of the stretch over all turns, slope and value at x = 0 of the load of a ball screw, for either way."""
    at, load = SCREW
    period = at[-1] - at[0]
    turn = int(np.floor((x - at[0]) / period))
    k = int(np.clip(np.searchsorted(at, x - turn * period, side="right") - 1, 0, at.size - 2))
    slope = float((load[k + 1] - load[k]) / (at[k + 1] - at[k]))
    return turn * (at.size - 1) + k, slope, float(load[k] - slope * (at[k] + turn * period))


@pytest.mark.parametrize("speed", [1.0, -1.0])
def test_periodic_load_repeats_every_turn(speed: float) -> None:
    """Coulomb's friction over five periods of a table, either way, against matrix exponentials from corner to corner."""
    mu, mass, side = 0.5, 1.5, np.sign(speed)
    m = ss.Machine(mass=mass, names=["slide"])
    m.add_friction(
        "screw", on="slide", law=ss.Coulomb(mu), normal_load=0.0, load="slide.position", load_table=SCREW,
        load_periodic=True,
    )  # fmt: skip
    run = ss.simulate(m, t_end=0.15, initial={"slide.velocity": speed})

    def matrix(k: object) -> np.ndarray:
        middle = _middle(int(k))  # type: ignore[call-overload]
        _, slope, offset = _screw(middle)
        return first_order(
            mass * np.ones((1, 1)), np.zeros((1, 1)), side * mu * slope * np.ones((1, 1)),
            np.array([-side * mu * offset]),
        )  # fmt: skip

    changes, last = motion(lambda z: _screw(z[0])[0], matrix, np.array([0.0, speed]), 0.15, 1e-5)
    assert len(changes) > 14
    assert np.abs(run.at([0.15]).y[:2, 0] - last).max() < 1e-13
    assert set(run.method.values()) == {"exact"}
    assert ss.analysis.audit(run).passed
    first = ss.simulate(m, 0.07, initial={"slide.velocity": speed})
    assert ss.simulate(m, state=first.state, t_end=0.15).state == run.state
    assert ss.Machine.from_dict(m.to_dict()) == m


def _middle(k: int) -> float:
    at = SCREW[0]
    turn, k = divmod(k, at.size - 1)
    return float(0.5 * (at[k] + at[k + 1]) + turn * (at[-1] - at[0]))


def test_periodic_load_is_followed_both_ways() -> None:
    """A spring pulls it to and fro over corners until it rests; a bristle's load is the table's at every time."""
    for law in (
        ss.Coulomb(0.5, 0.4),
        ss.LuGre(stiffness=1e4, damping=30.0, static=0.5, kinetic=0.4, stribeck_velocity=0.01),
    ):
        m = ss.Machine(mass=1.5, stiffness=40.0, names=["slide"])
        m.add_friction(
            "screw", on="slide", law=law, normal_load=0.1, load="slide.position", load_table=SCREW,
            load_periodic=True,
        )  # fmt: skip
        run = ss.simulate(m, t_end=4.0, initial={"slide.position": 0.3})
        period = SCREW[0][-1] - SCREW[0][0]
        expected = 0.1 + np.interp(run["slide.position"], *SCREW, period=period)
        assert run["screw.load"] == pytest.approx(expected, abs=1e-11)
        assert ss.analysis.audit(run).passed


def test_stop_under_a_long_table_matches_energy_balance() -> None:
    """The stop is where friction has taken all energy."""
    x = np.linspace(0.0, 1.0, 1001)
    load = 2.0 + np.sin(40.0 * x)
    m = ss.Machine(mass=1.5, names=["slide"])
    m.add_friction(
        "guide", on="slide", law=ss.Coulomb(0.5), normal_load=0.0, load="slide.position", load_table=(x, load)
    )
    run = ss.simulate(m, t_end=5.0, initial={"slide.velocity": 1.0})
    end = float(run["slide.position"][-1])
    inner = np.append(x[x < end], end)
    f = np.interp(inner, x, load)
    assert 0.5 * float(np.sum(0.5 * (f[1:] + f[:-1]) * np.diff(inner))) == pytest.approx(0.75, rel=1e-12)


def test_stop_under_varying_load_matches_energy_balance() -> None:
    """Work of friction is mu times the area under N(x): the stop is where it has taken all energy."""
    mu, mass, v = 0.5, 1.5, 0.6
    run = ss.simulate(_slide(ss.Coulomb(mu)), t_end=5.0, initial={"slide.velocity": v})
    x = float(run["slide.position"][-1])
    inner = np.concatenate([[0.0], X[(X > 0.0) & (X < x)], [x]])
    area = float(np.sum(0.5 * (np.interp(inner[1:], X, N) + np.interp(inner[:-1], X, N)) * np.diff(inner)))
    assert mu * area == pytest.approx(0.5 * mass * v**2, rel=1e-13)
    assert [str(e.after) for e in run.events] == ["stick"]
    assert run.energy.residual < 1e-14


def test_break_away_under_state_dependent_load_matches_closed_form() -> None:
    """max(0, N0 + k x) of another coordinate, which moves at constant speed: it lets go where the level meets the force."""
    n0, k, speed, mu, pull = 10.0, -40.0, 0.5, 0.3, 1.2
    m = ss.Machine(mass=[1.0, 1.0], names=["block", "ram"], force={"block": pull})
    m.add_friction(
        "floor", on="block", law=ss.Coulomb(mu), normal_load=0.0, load="ram.position",
        load_table=([-1.0, -n0 / k, 2.0], [n0 - k, 0.0, 0.0]),
    )  # fmt: skip
    run = ss.simulate(m, t_end=1.0, initial={"ram.velocity": speed})
    # mu (N0 + k v t) = pull
    expected = (pull / mu - n0) / (k * speed)
    assert run.events[0].time == pytest.approx(expected, abs=1e-15)
    assert ss.analysis.audit(run).passed
    # Without load from N0 + k v t = 0 on: the block moves freely.
    free = run.at([0.9, 1.0])
    assert np.diff(free["block.velocity"])[0] == pytest.approx(0.1 * pull, abs=1e-13)


def test_bristle_law_accepts_a_load_table() -> None:
    law = ss.LuGre(stiffness=1e3, damping=10.0, static=0.5, kinetic=0.4, stribeck_velocity=0.01)
    m = ss.Machine(mass=1.5, names=["slide"], force={"slide": 4.0})
    m.add_friction("guide", on="slide", law=law, normal_load=0.5, load="slide.position", load_table=(X, N))
    run = ss.simulate(m, t_end=1.0)
    assert run["guide.load"] == pytest.approx(0.5 + np.interp(run["slide.position"], X, N), abs=1e-12)
    assert ss.analysis.audit(run).passed


def test_load_table_is_saved_and_resumed() -> None:
    m = _slide(ss.Coulomb(0.5, 0.4))
    m.add_spring("back", on="slide", stiffness=30.0)
    assert ss.Machine.from_dict(m.to_dict()) == m
    start = {"slide.velocity": 2.0}
    whole = ss.simulate(m, 3.0, initial=start)
    first = ss.simulate(m, 0.77, initial=start)
    assert ss.simulate(m, state=first.state, t_end=3.0).state == whole.state
    assert ss.analysis.audit(whole).passed


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"load_table": ([0.0, 1.0], [1.0, -1.0])}, r"loads of load_table of 'g'\[1\] = -1"),
        ({"load_table": ([0.0, 0.0], [1.0, 1.0])}, r"positions of load_table of 'g'\[1\] = 0"),
        ({"load_table": ([0.0], [1.0])}, r"load_table of 'g' has 1 positions"),
        ({"load": None}, r"load of 'g' is missing"),
        ({"load_periodic": True, "load_table": ([0.0, 1.0], [1.0, 2.0])}, r"its last load, 2"),
        ({"load_periodic": True, "load_table": None}, r"load_periodic of 'g' needs"),
        ({"law": ss.StickSlip(ss.Coulomb(0.5), load_factor=0.5)}, r"load_table of 'g' and load_factor"),
    ],
)
def test_bad_input_is_refused(given: dict[str, object], message: str) -> None:
    m = ss.Machine(mass=1.0, names=["q"])
    fields = {"law": ss.Coulomb(0.5), "load": "q.position", "load_table": ([0.0, 1.0], [1.0, 1.0])} | given
    with pytest.raises(ValueError, match=message):
        m.add_friction("g", on="q", **fields)


def test_unsupported_uses_are_refused() -> None:
    m = _slide(ss.Coulomb(0.5))
    with pytest.raises(ValueError, match="load_table at 'guide'"):
        ss.RealTime(m, step=1e-3)
    with pytest.raises(ValueError, match="load tables, which 'guide' has"):
        ss.simulate(m, 1.0, method="time_stepping", max_step=1e-3)
