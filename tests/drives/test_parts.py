"""Drives from parts: what they make, against machines written out and closed forms."""

import copy
import pickle

import numpy as np
import pytest

import stickslip as ss
from stickslip import parts


def test_a_drive_is_the_machine_written_out() -> None:
    axis = ss.Drive()
    axis.add(
        "motor", parts.Motor(2e-3, "speed.output", torque_constant=0.5, current_lag=1e-3, torque_limit=4.0)
    )
    axis.add("encoder", parts.Encoder(lines=1000))
    axis.add("gear", parts.Gear(3.0, backlash=1e-3, stiffness=2e4, damping=1.0))
    axis.add("pinion", parts.Inertia(1e-3, friction=0.1))
    axis.add("coupling", parts.Coupling(5e3, 0.5))
    axis.add("screw", parts.Inertia(1e-3))
    axis.add("nut", parts.BallScrew(0.01))
    axis.add("slide", parts.Slide(50.0, ss.Coulomb(0.2, 0.1), normal_load=490.0))
    axis.add(
        "speed", ss.PI(kp=2.0, tn=0.01, period=1e-3, controls="rate", rate="difference"), measure="encoder"
    )
    axis.add_force("slide", -3.0)

    kinds = {"motor": "rotary", "pinion": "rotary", "screw": "rotary"}
    m = ss.Machine(mass=[2e-3, 1e-3, 1e-3, 50.0], names=["motor", "pinion", "screw", "slide"], kind=kinds)
    limit = ss.LTI([], [], [], [[1.0]], inputs="both", references=1, limits=8.0)
    m.add_controller(limit, "motor_limit", reference="speed.output")
    lag = ss.LTI(-1e3, 1e3, 1.0, inputs="both", references=1)
    m.add_controller(lag, "motor_current", reference="motor_limit.output", to={"motor": 0.5})
    m.add_spring("gear", {"motor": 1.0 / 3.0, "pinion": -1.0}, 2e4, 1.0, 1e-3)
    m.add_friction("pinion_friction", "pinion", 0.1)
    m.add_spring("coupling", ("pinion", "screw"), 5e3, 0.5)
    m.add_constraint("nut", {"screw": 1.0, "slide": -2.0 * np.pi / 0.01})
    m.add_friction("slide_friction", "slide", ss.Coulomb(0.2, 0.1), normal_load=490.0)
    quantum = 2.0 * np.pi / 4000.0
    speed = ss.PI(kp=2.0, tn=0.01, period=1e-3, controls="rate", rate="difference", quantum=quantum)
    m.add_controller(speed, "speed", measure="motor")
    m.add_force("slide", -3.0)
    assert axis.machine == m
    assert repr(axis.parts["gear"]) == "Gear(ratio=3.0, backlash=0.001, stiffness=20000.0, damping=1.0)"
    assert "gear: Gear(ratio=3.0" in repr(axis) and "<table>" in axis._repr_html_()


def test_units_are_rotary_and_linear() -> None:
    axis = ss.Drive()
    axis.add("motor", parts.Motor(0.1, command=1.0, torque_limit=5.0))
    axis.add("brake", parts.Brake(0.1))
    axis.add("box", parts.Gear(2.0, efficiency=0.9))
    axis.add("screw", parts.Inertia(0.1))
    axis.add("nut", parts.BallScrew(0.02, stiffness=1e7, damping=1e3))
    axis.add("slide", parts.Slide(10.0, 0.1, normal_load=100.0))
    run = ss.simulate(axis, t_end=0.01)
    expected = {
        "motor.position": "rad", "screw.velocity": "rad/s", "motor.acceleration": "rad/s²", "slide.position": "m",
        "slide.acceleration": "m/s²", "brake.force": "Nm", "brake.velocity": "rad/s", "slide_friction.force": "N",
        "nut.force": "N", "nut.elongation": "m", "box_drive.normal_force": "Nm", "box_drive.gap": "rad",
        "motor_current.output": "Nm", "box_drive.normal_impulse": "Nm s",
    }  # fmt: skip
    assert {name: run.units[name] for name in expected} == expected
    assert run.to_xarray()["screw.position"].attrs["units"] == "rad"
    assert axis.machine.kinds == {"motor": "rotary", "screw": "rotary", "slide": "linear"}


def test_combinations_with_dimensional_factors_have_no_unit() -> None:
    kinds = {"screw": "rotary"}
    m = ss.Machine(mass=[1.0, 1.0], names=["screw", "nut"], kind=kinds)
    m.add_spring("axial", {"screw": 0.5, "nut": -3.0}, 1.0)
    m.add_spring("turn", {"screw": 0.5}, 1.0)
    m.add_spring("twist", {"screw": -1.0}, 1.0)
    m.add_spring("lead", {"screw": -0.5, "nut": 1.0}, 1.0)
    m.add_spring("lever", {"nut": 0.3}, 1.0)
    m.add_controller(
        ss.LTI([], [], [], [[1.0]], inputs="both", references=1), "amps", reference=1.0, to={"screw": 0.3}
    )
    run = ss.simulate(m, t_end=0.1)
    assert run.units["axial.elongation"] == "" == run.units["amps.output"]
    assert run.units["turn.force"] == "" == run.units["turn.elongation_rate"]
    assert [run.units[f"{name}.force"] for name in ("twist", "lead", "lever")] == ["Nm", "N", "N"]
    assert ss.Machine.from_dict(m.to_dict()).kinds == {"screw": "rotary", "nut": "linear"}
    assert m != ss.Machine(mass=[1.0, 1.0], names=["screw", "nut"])
    with pytest.raises(ss.UnknownNameError, match="kind names 'x'; known are: 'q0'"):
        ss.Machine(mass=1.0, kind={"x": "rotary"})
    with pytest.raises(ValueError, match="'linear' or 'rotary'"):
        ss.Machine(mass=1.0, kind="round")


def test_other_objects_as_parts_are_refused_at_once() -> None:
    with pytest.raises(
        ValueError, match=r"part of 'x' = 3.0 is not allowed: it must be one of stickslip.parts"
    ):
        ss.Drive().add("x", 3.0)


def test_a_belt_over_two_pulleys_is_not_in_newton_metres() -> None:
    """r1 phi1 - r2 phi2 is a length: its spring has N, so Nm is wrong; factors alone do not say that they are radii."""
    m = ss.Machine(mass=[1.0, 1.0], names=["motor", "drum"], kind="rotary")
    on = {"motor": 0.02, "drum": -0.05}
    m.add_spring("belt", on, 1e4, damping=1.0)
    m.add_friction("rim", on={"drum": 0.05}, law=ss.Coulomb(1.0), normal_load=2.0)
    m.add_contact("pawl", normal=on, tangent={"motor": 0.02, "drum": 0.05}, friction=0.1, gap=1e-3)
    m.add_contact(
        "flank",
        normal={"motor": 1.0, "drum": -3.0},
        tangent={"motor": 0.3, "drum": 0.9},
        friction=0.1,
        gap=1.0,
    )
    units = ss.simulate(m, t_end=0.01).units
    shown = (
        "belt.force",
        "belt.elongation",
        "rim.force",
        "rim.velocity",
        "pawl.normal_force",
        "pawl.gap",
        "pawl.force",
    )
    assert {units[name] for name in shown} == {""}
    assert (units["flank.normal_force"], units["flank.force"], units["flank.velocity"]) == (
        "Nm",
        "Nm",
        "rad/s",
    )
    drawn = "\n".join(text.get_text() for text in m.draw(what="schematic").texts).split("\n")
    assert {"normal load 2", "1e4, 1", "flank: gap motor − 3 drum + 1 rad ≥ 0"} < set(drawn)
    assert "pawl: gap 0.02 motor − 0.05 drum + 0.001 ≥ 0" in drawn


def test_units_of_parameters_follow_their_elements() -> None:
    axis = ss.Drive()
    axis.add("motor", parts.Motor(0.1, command=1.0))
    axis.add("brake", parts.Brake(0.1))
    axis.add("box", parts.Gear(2.0, stiffness=1e3, damping=1.0, backlash=1e-3))
    axis.add("screw", parts.Inertia(0.1))
    axis.add("nut", parts.BallScrew(0.02, stiffness=1e7, damping=1e3))
    axis.add("slide", parts.Slide(10.0, 0.1, normal_load=100.0))
    expected = {
        "motor.mass": "kg m²", "slide.mass": "kg", "box.stiffness": "Nm/rad", "box.damping": "Nm s/rad",
        "box.backlash": "rad", "nut.stiffness": "N/m", "nut.damping": "N s/m", "brake.normal_load": "Nm",
        "slide_friction.normal_load": "N",
    }  # fmt: skip
    out = ss.ensemble(
        axis, {name: [1.0] for name in expected}, t_end=0.01, measure=["screw.velocity.max"], workers=1
    )
    data = out.to_xarray()
    assert {name: data[name].attrs["units"] for name in expected} == expected
    assert data["screw.velocity.max"].attrs["units"] == "rad/s"


def test_a_run_draws_itself_in_both_kinds_of_units() -> None:
    axis = ss.Drive()
    axis.add("motor", parts.Motor(0.1, command=1.0))
    axis.add("screw", parts.BallScrew(0.02))
    axis.add("slide", parts.Slide(10.0, 0.1, normal_load=100.0))
    left = ss.simulate(axis, t_end=0.1).plot()
    assert left.get_ylabel() == "motor.position [rad]"
    assert [ax.get_ylabel() for ax in left.figure.axes] == ["motor.position [rad]", "slide.position [m]"]


@pytest.mark.parametrize(
    ("constant", "limit", "expected"), [(1.0, None, 3.0), (0.5, None, 1.5), (0.5, 1.0, 1.0)]
)
def test_a_motor_answers_with_its_lag_up_to_its_limit(
    constant: float, limit: float | None, expected: float
) -> None:
    axis = ss.Drive()
    axis.add(
        "motor", parts.Motor(2.0, [1.0, 2.0], torque_constant=constant, current_lag=0.1, torque_limit=limit)
    )
    run = ss.simulate(axis, t_end=0.5, dt=0.05)
    assert 2.0 * run["motor.acceleration"] == pytest.approx(expected * -np.expm1(-run.t / 0.1), abs=1e-12)
    direct = ss.Drive()
    direct.add("motor", parts.Motor(2.0, 3.0, torque_constant=constant, torque_limit=limit))
    assert ss.simulate(direct, t_end=0.5)["motor.acceleration"][-1] == pytest.approx(
        0.5 * expected, rel=1e-14
    )


@pytest.mark.parametrize(("efficiency", "friction"), [(0.8, None), ((0.7, 0.3), None), (None, 0.1)])
@pytest.mark.parametrize("ratio", [5.0, -3.0])
def test_losses_of_an_elastic_gear_are_those_of_a_rigid_one(
    efficiency: float | tuple[float, float] | None, friction: float | None, ratio: float
) -> None:
    """Once a damped shaft has come to rest on its spring, torques are in the ratio that the efficiency says."""
    rates = []
    for stiffness in (None, 1e5):
        axis = ss.Drive()
        axis.add("motor", parts.Motor(0.1, command=2.0))
        damping = 0.0 if stiffness is None else 2e3
        axis.add("gear", parts.Gear(ratio, efficiency, friction, 0.0, stiffness, damping))
        axis.add("load", parts.Inertia(3.0))
        axis.add_force("load", -np.sign(ratio) * 4.0)
        run = ss.simulate(axis, t_end=4.0, rtol=1e-10)
        rates.append((run["motor.acceleration"][-1], run["load.acceleration"][-1]))
        assert rates[-1][1] * ratio == pytest.approx(rates[-1][0], rel=1e-7)
    assert rates[1] == pytest.approx(rates[0], rel=1e-6)
    e = efficiency[0] if isinstance(efficiency, tuple) else efficiency
    e = (1.0 - 0.1) / (1.0 + 0.1) if e is None else e
    motor, load = rates[0]
    assert np.sign(ratio) * (3.0 * load) + 4.0 == pytest.approx(
        e * abs(ratio) * (2.0 - 0.1 * motor), rel=1e-9
    )


def test_elastic_gear_without_backlash_matches_closed_form() -> None:
    axis = ss.Drive()
    axis.add("motor", parts.Motor(0.02))
    axis.add("gear", parts.Gear(4.0, stiffness=800.0))
    axis.add("load", parts.Inertia(0.5))
    omega = np.sqrt(800.0 * (1.0 / 0.5 + 1.0 / (0.02 * 16.0)))
    assert np.abs(axis.machine.poles()).max() == pytest.approx(omega, rel=1e-12)


def test_backlash_at_the_output_scales_by_the_ratio() -> None:
    """Rigid: the motor turns ratio * backlash/2 before the flank is hit."""
    axis = ss.Drive()
    axis.add("motor", parts.Motor(1.0))
    axis.add("gear", parts.Gear(6.0, efficiency=1.0, backlash=0.01))
    axis.add("load", parts.Inertia(2.0))
    run = ss.simulate(axis, t_end=1.0, initial={"motor.velocity": 0.3})
    assert run.events[0].time == pytest.approx(6.0 * 0.005 / 0.3, rel=1e-12)
    elastic = ss.Drive()
    elastic.add("motor", parts.Motor(1.0))
    elastic.add("gear", parts.Gear(6.0, backlash=0.01, stiffness=1e3))
    elastic.add("load", parts.Inertia(2.0))
    run = ss.simulate(elastic, t_end=1.0, initial={"motor.velocity": 0.3})
    assert run.events[0].time == pytest.approx(6.0 * 0.005 / 0.3, rel=1e-12)


def test_belts_and_screws_move_as_far_as_they_say() -> None:
    for link, far in (
        (parts.BeltDrive(0.03), 0.03), (parts.BallScrew(-0.01), -0.01 / (2 * np.pi)),
        (parts.BeltDrive(0.03, stiffness=1e9, damping=1e5), 0.03),
        (parts.BallScrew(0.01, stiffness=1e9, damping=1e5), 0.01 / (2 * np.pi)),
    ):  # fmt: skip
        axis = ss.Drive()
        axis.add("motor", parts.Motor(0.01, command=1.0))
        axis.add("link", link)
        axis.add("slide", parts.Slide(5.0))
        run = ss.simulate(axis, t_end=0.5)
        assert run["slide.position"][-1] / run["motor.position"][-1] == pytest.approx(far, rel=2e-5)
        total = 0.01 + 5.0 * far**2
        assert run["motor.velocity"][-1] == pytest.approx(0.5 / total, rel=1e-4)
    axis = ss.Drive()
    axis.add("motor", parts.Motor(0.01, command=1.0))
    axis.add("belt", parts.BeltDrive(0.03, 0.12))
    axis.add("drum", parts.Inertia(0.2))
    assert ss.simulate(axis, t_end=1.0)["drum.velocity"][-1] == pytest.approx(
        0.25 / (0.01 + 0.2 / 16.0), rel=1e-12
    )


def test_an_elastic_belt_between_pulleys_is_a_spring_of_the_second() -> None:
    """omega² = k (r1²/J1 + r2²/J2), the tension k (r1 phi1 - r2 phi2) times r2 in Nm."""
    r1, r2, k, d, one, two = 0.03, 0.12, 5e4, 20.0, 2e-3, 0.1
    axis = ss.Drive()
    axis.add("motor", parts.Inertia(one))
    axis.add("belt", parts.BeltDrive(r1, r2, stiffness=k, damping=d))
    axis.add("drum", parts.Inertia(two))
    poles = axis.machine.poles()
    assert np.abs(poles).max() == pytest.approx(np.sqrt(k * (r1**2 / one + r2**2 / two)), rel=1e-12)
    run = ss.simulate(axis, t_end=0.01, initial={"motor.position": 0.2, "motor.velocity": 3.0})
    tension = k * (r1 * run["motor.position"] - r2 * run["drum.position"])
    tension += d * (r1 * run["motor.velocity"] - r2 * run["drum.velocity"])
    assert run["belt.force"] == pytest.approx(r2 * tension, rel=1e-9, abs=1e-9)
    assert run["drum.acceleration"] == pytest.approx(r2 * tension / two, rel=1e-9, abs=1e-9)
    assert (run.units["belt.force"], run.units["belt.elongation"]) == ("Nm", "rad")
    slide = ss.Drive()
    slide.add("motor", parts.Inertia(one))
    slide.add("belt", parts.BeltDrive(r1, stiffness=k))
    slide.add("table", parts.Slide(3.0))
    run = ss.simulate(slide, t_end=0.01)
    assert (run.units["belt.force"], run.units["belt.elongation"]) == ("N", "m")


def test_a_clutch_without_capacity_is_free() -> None:
    """Two shafts come together under 5 Nm and part again when the clutch lets go."""
    capacity = ss.Piecewise([1.0, 1.0, 4.0, 4.0], [0.0, 5.0, 5.0, 0.0])
    axis = ss.Drive()
    axis.add("engine", parts.Motor(1.0, command=1.0))
    axis.add("clutch", parts.Clutch(capacity, static=1.2))
    axis.add("wheel", parts.Inertia(2.0))
    run = ss.simulate(axis, t_end=5.0, t_eval=[0.0, 0.5, 1.1, 2.0, 4.5])
    # v_engine(1) = 1; they meet when 1 - 4 s = 2.5 s.
    meet = 1.0 + 1.0 / 6.5
    told = [(str(e.before), str(e.after), e.time) for e in run.events]
    assert [t[:2] for t in told] == [("free", "slip+"), ("slip+", "stick"), ("stick", "free")]
    assert [t[2] for t in told] == pytest.approx([1.0, meet, 4.0], rel=1e-12)
    assert [str(ss.Mode(m)) for m in run["clutch.mode"]] == ["free", "free", "slip+", "stick", "free"]
    assert "holds 0.666667 Nm within [-6, 6] Nm" in repr(run.why_stuck("clutch", 2.0))
    with pytest.raises(ValueError, match="does not stick at t = 4.5: its mode is free"):
        run.why_stuck("clutch", 4.5)
    spans = [span.kind for span in ss.plotting.mode_spans(run.at(np.linspace(0.0, 5.0, 101)), "clutch")]
    assert spans == ["free", "slip", "stick", "free"]
    rest = ss.Machine(mass=1.0, names=["q"])
    rest.add_friction("brake", "q", 1.0, normal_load=0.0)
    assert set(ss.simulate(rest, t_end=1.0)["brake.mode"]) == {ss.Mode.FREE}
    rt = ss.RealTime(rest, step=1e-3, outputs=["brake.mode"])
    assert float(np.ravel(rt.step())[0]) == ss.Mode.FREE


def test_linear_encoder_measures_lengths() -> None:
    """500 lines per metre, each read four times: half a millimetre."""
    axis = ss.Drive()
    axis.add("slide", parts.Slide(10.0))
    axis.add("scale", parts.Encoder(lines=500))
    assert axis.quantum("scale") == pytest.approx(5e-4, rel=1e-15)


def test_encoder_steps_apply_to_all_its_readers() -> None:
    axis = ss.Drive()
    axis.add("motor", parts.Motor(0.1, "loop.output"))
    axis.add("scale", parts.Encoder(lines=100, interpolation=2))
    axis.add("loop", ss.P(kp=1.0, period=1e-3), measure={"scale": 0.5}, reference=1.0)
    assert axis.machine._description.elements[-1]["control"]["options"]["quantum"] == pytest.approx(
        np.pi / 200.0
    )
    axis.add("other", ss.P(kp=1.0), measure="scale")
    with pytest.raises(ValueError, match="'other' measures an encoder: give it a period"):
        _ = axis.machine


def test_invalid_parts_are_refused() -> None:
    axis = ss.Drive()
    with pytest.raises(ValueError, match="no body yet"):
        _ = axis.machine
    axis.add("motor", parts.Motor(1.0))
    axis.add("nut", parts.BallScrew(0.01))
    with pytest.raises(ValueError, match="'nut' has no body after it"):
        _ = axis.machine
    with pytest.raises(ValueError, match="name = 'nut'"):
        axis.add("nut", parts.Inertia(1.0))
    axis.add("drum", parts.Inertia(1.0))
    with pytest.raises(ValueError, match="a rotary one and a linear one"):
        _ = axis.machine
    with pytest.raises(ValueError, match="left out: it is for links"):
        axis.add("p", ss.P(kp=1.0), between=("motor", "drum"))
    with pytest.raises(ss.UnknownNameError, match="unknown encoder 'e'; known are: none"):
        axis.quantum("e")
    with pytest.raises(ValueError, match="damping = 1.0 needs a stiffness"):
        parts.Coupling(damping=1.0)
    with pytest.raises(ValueError, match="efficiency and friction of a"):
        parts.Gear(2.0, efficiency=0.9, friction=0.1)
    with pytest.raises(TypeError, match="is a base class"):
        parts.Link()
    for bad in (
        lambda: parts.Inertia(-1.0), lambda: parts.Slide(-1.0), lambda: parts.Gear(0.0), lambda: parts.BallScrew(0.0),
        lambda: parts.Brake(1.0, static=0.5), lambda: parts.Motor(1.0, torque_constant=0.0), lambda: parts.Encoder(0),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=" is not allowed"):
            bad()


def test_a_friction_curve_is_sampled_and_held() -> None:
    law = ss.Stribeck(static=3.0, kinetic=2.0, stribeck_velocity=0.1, viscous=0.5)
    reference = ss.Sine(amplitude=0.2, frequency=0.5)
    m = ss.Machine(mass=1.0, names=["q"])
    m.add_controller(ss.FrictionCurve(law, 2.0, period=0.01), "model", reference=reference, to="q")
    run = ss.simulate(m, t_end=2.0, dt=0.005)
    at = 0.01 * np.floor(run.t / 0.01 + 1e-6)
    assert run["model.output"] == pytest.approx(law.force(reference(at, 1), normal_load=2.0), rel=1e-12)
    again = ss.Machine.from_dict(m.to_dict())
    assert again == m and "FrictionCurve(law=Stribeck(" in repr(again)
    assert len(m.poles()) == 2  # it puts nothing into the linear part
    with pytest.raises(ValueError, match="period must be given"):
        ss.FrictionCurve(law)


def test_a_part_is_checked_where_it_is_written() -> None:
    with pytest.raises(ValueError, match=r"friction = '0.3' is not allowed: it must be a friction law"):
        parts.Inertia(1.0, friction="0.3")
    axis = ss.Drive()
    with pytest.raises(
        ValueError, match=r"part of 'spindle' = 'Inertia' .* made with its numbers: Inertia\("
    ):
        axis.add("spindle", parts.Inertia)
    for make, message in (
        (lambda: parts.Clutch(-5.0), r"capacity = -5.0 is not allowed: it must be finite and >= 0"),
        (lambda: parts.Brake(ss.Constant(-1.0)), r"capacity = -1.0 is not allowed"),
        (lambda: parts.Brake(None), r"capacity = None is not allowed: it must be a number or a signal"),
        (lambda: parts.Slide(1.0, 0.1, normal_load=-3.0), r"normal_load = -3.0 is not allowed"),
        (lambda: parts.Motor(1.0, command=["p.output", np.sin]), r"command = <ufunc 'sin'> .* ss.Samples\(t, f\(t\)\)"),
        (lambda: axis.add(parts.Slide(1.0), "slide"), r"name = Slide\(mass=1.0\) .* a name without a dot"),
        (lambda: axis.add("x.y", parts.Slide(1.0)), r"name = 'x.y' is not allowed: it must be a name without a dot"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            make()


def test_missing_attributes_of_drives_name_the_machine() -> None:
    axis = ss.Drive()
    with pytest.raises(
        AttributeError, match=r"a Drive has no 'poles'; its machine has it: axis.machine.poles or"
    ):
        axis.poles()
    with pytest.raises(AttributeError, match="'Drive' object has no attribute 'powles'"):
        axis.powles()
    assert pickle.loads(pickle.dumps(axis)).parts == copy.copy(axis).parts == {}


@pytest.mark.parametrize(("forwards", "back"), [(0.8, 0.5), (0.5, 0.8)])
def test_an_elastic_gear_with_unequal_efficiencies_loses_a_torque_at_its_first_shaft(
    forwards: float, back: float
) -> None:
    """J1 a = T - L/(n e), J2 a/n = L driven forwards; J1 n b = e' L/n, J2 b = T - L driven back; n = 5, J = 1 and 10."""
    for drive, load, expected in (
        (3.0, 0.0, 3.0 / (1.0 + 10.0 / (25.0 * forwards))),
        (0.0, 4.0, 5.0 * 0.4 / (1.0 + 25.0 / (10.0 * back))),
    ):
        axis = ss.Drive()
        axis.add("motor", parts.Motor(1.0, command=drive))
        axis.add("gear", parts.Gear(5.0, efficiency=(forwards, back), stiffness=1e5, damping=300.0))
        axis.add("load", parts.Inertia(10.0))
        axis.add_force("load", load)
        run = ss.simulate(axis, t_end=6.0, t_eval=[3.0, 6.0])
        assert np.diff(run["motor.velocity"])[0] / 3.0 == pytest.approx(expected, rel=1e-9)
        assert (run.units["gear_teeth.force"], run.units["gear_teeth.velocity"]) == ("Nm", "rad/s")
