"""Common habits work: completion, short texts, one word for one thing, a float for a law, names in errors, units."""

import inspect

import numpy as np
import pytest

import stickslip as ss
import stickslip_figures


def belt() -> ss.Machine:
    m = ss.Machine(mass=[1.0, 2.0], stiffness=3.0, damping=0.1, names=["block", "other"])
    m.add_friction("belt", on="block", law=0.8, surface_velocity=0.2)
    return m


def test_dir_shows_public_names_only() -> None:
    assert dir(ss) == sorted(ss.__all__)
    assert not {"importlib", "TYPE_CHECKING", "annotations"} & set(dir(ss))
    rooms = [room for name in ss.__all__ if inspect.ismodule(room := getattr(ss, name))]
    assert len(rooms) > 10
    for room in rooms:
        assert dir(room) == sorted(room.__all__), room.__name__


def test_a_run_offers_its_signals_as_keys() -> None:
    run = ss.simulate(belt(), t_end=1.0)
    assert run._ipython_key_completions_() == list(run.signals)


def test_a_machine_gives_its_matrices() -> None:
    m = belt()
    assert np.array_equal(m.mass, np.diag([1.0, 2.0])) and np.array_equal(m.stiffness, np.diag([3.0, 3.0]))
    assert np.array_equal(m.damping, np.diag([0.1, 0.1]))


def test_sol_is_the_state_at_any_time() -> None:
    m = ss.Machine(mass=1.0, stiffness=4.0, names=["q"])
    run = ss.simulate(m, t_end=3.0, initial={"q.position": 1.0}, dt=1.0)
    assert run.sol(0.7) == pytest.approx([np.cos(1.4), -2.0 * np.sin(1.4)], abs=1e-13)
    t = np.array([[2.5, 0.1], [0.1, 1.7]])
    assert run.sol(t).shape == (2, 2, 2)
    assert run.sol(t)[0] == pytest.approx(np.cos(2.0 * t), abs=1e-13)
    with pytest.raises(ValueError, match=r"t = 4.0 is not allowed: it must lie within the run, 0.0 to 3.0"):
        run.sol(4.0)


def test_long_values_have_short_texts() -> None:
    t = np.linspace(0.0, 1.0, 5000)
    assert repr(ss.Samples(t, t**2)) == (
        "Samples(t=<5000 numbers from 0 to 1>, values=<5000 numbers from 0 to 1>)"
    )
    assert eval(repr(ss.Samples([0.0, 1.0], [2.0, 3.0])), vars(ss)) == ss.Samples([0.0, 1.0], [2.0, 3.0])
    assert repr(RUN.state) == "State(t=1.0 s, 4 values)"
    m = ss.Machine(mass=1.0, names=["q"])
    m.add_controller(ss.P(kp=1.0), on="q", reference=ss.Samples(t, t))
    assert len(repr(m)) < 200


def test_notebooks_see_tables() -> None:
    m = belt()
    m.add_controller(ss.PI(kp=2.0, tn=0.1), "speed", measure="block.velocity", to="block")
    run = ss.simulate(m, t_end=5.0)
    page = run._repr_html_()
    assert "<td>block.velocity</td><td>m/s</td>" in page and "<td>belt.force</td><td>N</td>" in page
    assert "Coulomb(static=0.8)" in m._repr_html_() and "PI(kp=2.0" in m._repr_html_()
    assert f"{len(run.events)} events" in run.events._repr_html_()


def test_units_of_controllers_follow_what_they_read_and_drive() -> None:
    m = ss.Machine(mass=1.0, names=["q"])
    m.add_controller(ss.P(kp=3.0, period=1e-3), "position", measure="q", reference=1.0)
    speed = ss.PI(kp=2.0, tn=0.1, controls="rate", rate="difference", period=1e-3)
    m.add_controller(speed, "speed", measure="q", reference="position.output", to="q")
    run = ss.simulate(m, t_end=0.1)
    wanted = {"position.reference": "m", "position.error": "m", "position.output": "m/s"}
    wanted |= {"speed.reference": "m/s", "speed.error": "m/s", "speed.output": "N", "q.acceleration": "m/s²"}
    assert {name: run.units[name] for name in wanted} == wanted
    assert run.units["speed.mode"] == ""
    assert ss.plotting.label("position.output", run) == "position.output [m/s]"
    assert run.to_xarray()["speed.output"].attrs == {"units": "N"}
    assert "units" not in run.to_xarray()["speed.mode"].attrs


def test_times_have_one_word() -> None:
    """An instant is `start`, a row of times `t`; frequencies are in Hz where they are called so, else omega."""
    for signal in (ss.Step, ss.Ramp, ss.Sine, ss.SmoothStep, ss.Trapezoidal, ss.PointToPoint):
        assert "start" in inspect.signature(signal).parameters
    for signal in (ss.Piecewise, ss.Samples):
        assert next(iter(inspect.signature(signal).parameters)) == "t"
    t = np.linspace(0.0, 40.0, 4001)
    found = ss.analysis.limit_cycle(t, np.sin(3.0 * t))
    assert found.omega == pytest.approx(3.0) and found.frequency == pytest.approx(3.0 / (2 * np.pi))


def _positional(law: type) -> list[str]:
    either = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return [name for name, p in inspect.signature(law).parameters.items() if p.kind is either]


def test_laws_take_their_levels_by_position_and_nothing_else() -> None:
    levels = ["static", "kinetic", "stribeck_velocity"]
    assert _positional(ss.Coulomb) == levels[:2]
    for law in (
        ss.Stribeck,
        ss.Tanh,
        ss.LuGre,
        ss.TwoStateBristle,
        ss.ElastoPlastic,
        ss.MaxwellSlip,
        ss.Leuven,
    ):
        assert _positional(law) == levels, law
    for law in (ss.Dahl, ss.BoucWen):
        assert _positional(law) == ["kinetic"], law


def test_laws_by_position_and_by_name_are_the_same() -> None:
    three = {"static": 1.5, "kinetic": 1.0, "stribeck_velocity": 1e-3}
    assert ss.Stribeck(1.5, 1.0, 1e-3) == ss.Stribeck(**three)
    assert ss.Tanh(1.5, 1.0, 1e-3, width=1e-4) == ss.Tanh(**three, width=1e-4)
    for law in (ss.LuGre, ss.TwoStateBristle, ss.ElastoPlastic):
        assert law(1.5, 1.0, 1e-3, stiffness=1e5) == law(**three, stiffness=1e5)
    stiffness = {"stiffness": [1e5, 5e4], "attraction": 100.0}
    assert ss.MaxwellSlip(1.5, 1.0, 1e-3, **stiffness) == ss.MaxwellSlip(**three, **stiffness)
    assert ss.Leuven(1.5, 1.0, 1e-3, stiffness=1e5, height=2.0).height == 2.0
    assert ss.Dahl(1.0, stiffness=1e5).force(0.1) == ss.BoucWen(1.0, stiffness=1e5).force(0.1) == 1.0
    assert ss.LuGre(1.0, stiffness=1e5).kinetic == 1.0  # one level serves for both


def test_bristle_law_whose_stiffness_comes_first_is_refused() -> None:
    with pytest.raises(TypeError, match="stiffness"):
        ss.LuGre(1e5, 316.2, 0.4)


def test_a_number_is_a_law_everywhere() -> None:
    coulomb = ss.Coulomb(0.3)
    assert ss.laws.as_law(0.3) == coulomb and ss.laws.as_law(coulomb) is coulomb
    assert ss.StickSlip(0.3, dwell=0.0).curve == ss.FrictionFeedforward(0.3).law == coulomb
    a, b = belt(), belt()
    a.add_friction("f", on="other", law=0.3)
    b.add_friction("f", on="other", law=coulomb)
    assert a == b
    plant = ss.StateSpace(A=-1.0, B=1.0, C=1.0)
    plant.add_friction("brake", law=0.3, velocity="y0", on="u0")
    assert ss.machines.chain([1.0, 1.0], 1.0, law=0.3) == ss.machines.chain(
        [1.0, 1.0], 1.0, law=[coulomb] * 2
    )
    assert ss.analysis.passivity(0.3) == ss.analysis.passivity(coulomb)
    assert ss.analysis.extractable_energy(0.3).energy == 0.0
    assert ss.machines.belt_oscillator(1.0, 2.0, 0.3, 0.2) == ss.machines.belt_oscillator(
        1.0, 2.0, coulomb, 0.2
    )
    gain = ss.analysis.describing_function(0.3, 2.0)
    assert gain == pytest.approx(4.0 * 0.3 / (2.0 * np.pi), rel=1e-12)
    with pytest.raises(
        ValueError, match=r"law = -0.1 is not allowed: it must be a friction law .*, or a number >= 0"
    ):
        a.add_friction("g", on="other", law=-0.1)


def _reading(what: str) -> ss.Machine:
    m = belt()
    m.add_controller(ss.P(kp=1.0), measure="block", to="block", **{what: "other.output"})
    return m


def _loaded_by(signal: str) -> ss.Machine:
    m = belt()
    m.add_friction("f", on="other", law=0.1, normal_load=signal)
    return m


RUN = ss.simulate(belt(), t_end=1.0)


@pytest.mark.parametrize(
    "call",
    [
        lambda: RUN["p"],
        lambda: RUN.why_stuck("p"),
        lambda: RUN.events.of("p"),
        lambda: RUN.plot("p"),
        lambda: RUN.plot("block.position", shade="p"),
        lambda: ss.analysis.limit_cycle(RUN, "p"),
        lambda: ss.simulate(belt(), 1.0, initial={"p": 1.0}),
        lambda: ss.RealTime(belt(), 1e-3, outputs=["p"]),
        lambda: ss.ensemble(belt(), {"p": [1.0]}, t_end=1.0),
        lambda: ss.Machine(mass=1.0, names=["q"], force={"p": 1.0}),
        lambda: belt().add_force("p", 1.0),
        lambda: belt().add_friction("f", on="p", law=0.1),
        lambda: belt().add_contact("c", normal={"p": 1.0}),
        lambda: belt().add_spring("s", on="p", stiffness=1.0),
        lambda: belt().add_controller(ss.P(kp=1.0), measure="p", to="block"),
        lambda: belt().add_controller(ss.P(kp=1.0), measure="block", to="p"),
        lambda: belt().to_state_space(to="block", measure="p"),
        lambda: belt().to_state_space(to="p", measure="block"),
        lambda: belt().bode("p", "block"),
        lambda: ss.open_loop(belt(), at="p"),
        lambda: stickslip_figures.run("p"),
        lambda: belt().draw(what="p"),
        lambda: _reading("reference").check(),
        lambda: _loaded_by("p.normal_force").check(),
        lambda: ss.LuGre(stiffness=1e5, damping=300.0, static=1.0).response(
            [0.0, 1.0], 1.0, initial={"p": 1.0}
        ),
        lambda: ss.identify.fit_curve([1.0, 2.0, 3.0], [1.0] * 3, ss.Coulomb, free=["p"]),
    ],
)
def test_an_unknown_name_is_an_unknown_name_error_that_lists_the_known_ones(call: object) -> None:
    with pytest.raises(ss.UnknownNameError, match=r"unknown.*known are|no controllers"):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ss.Coulomb(static=1.0, kinetic=2.0), "static = 1 .* at least the kinetic level = 2"),
        (
            lambda: ss.PI(kp=1.0, tn=0.1, period=1e-7, delay=2e-7),
            "delay = 2e-07 .* at most one period = 1e-07",
        ),
        (lambda: ss.P(kp=1.0, limits=(2e-9, 1e-9)), r"limits\[0\] = 2e-09 .* less than limits\[1\] = 1e-09"),
        (lambda: ss.Ramp(1.0, start=2e-8, stop=1e-8), "stop = 1e-08 .* no earlier than start = 2e-08"),
        (
            lambda: ss.Samples([0.0, 3e-9, 2e-9], [0.0] * 3),
            r"t\[2\] = 2e-09 .* later than the time before it, 3e-09",
        ),
        (lambda: RUN.at(3.0), "t = 3.0 .* within the run, 0.0 to 1.0"),
    ],
)
def test_an_inequality_shows_both_numbers(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_function_of_time_as_a_signal_names_the_cure() -> None:
    m = belt()
    with pytest.raises(ValueError, match=r"a function of time f is sampled, ss.Samples\(t, f\(t\)\)"):
        m.add_controller(ss.P(kp=1.0), on="block", reference=lambda t: t)
    with pytest.raises(ValueError, match=r"normal_load.*|ss.Samples\(t, f\(t\)\)"):
        ss.FrictionFeedforward(0.3, normal_load=np.sin)
    with pytest.raises(ValueError, match=r"surface_velocity of 'f' .*ss.Samples\(t, f\(t\)\)"):
        m.add_friction("f", on="block", law=0.3, surface_velocity=np.sin)
