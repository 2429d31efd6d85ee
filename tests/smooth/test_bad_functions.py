"""Errors in a function of the motion name it; the run so far is kept."""

import pytest

import stickslip as ss


def machine():
    return ss.Machine(mass=1.0, names=["arm"])


def test_unknown_names_in_functions_are_listed():
    with pytest.raises(ValueError, match="leg"):
        machine().add_force("arm", lambda q: q["leg"])
    with pytest.raises(ValueError, match=r"depends on 'leg\.position', which is unknown"):
        machine().add_force("arm", ss.Expr("leg.position"))
    with pytest.raises(ValueError, match=r"gap of 'wall' depends on 'arm\.velocity', which is unknown"):
        machine().add_contact("wall", gap=lambda q, v: q["arm"] + v["arm"])


def test_functions_that_raise_or_branch_are_refused():
    def broken(q):
        raise KeyError("mine")

    with pytest.raises(ValueError, match="broken could not be traced") as caught:
        machine().add_force("arm", broken)
    assert isinstance(caught.value.__cause__, KeyError)
    with pytest.raises(ValueError, match="where"):
        machine().add_force("arm", lambda q: 1.0 if q["arm"] > 0.0 else 0.0)


def test_normal_and_a_gap_function_exclude_each_other():
    with pytest.raises(ValueError, match="leave out normal"):
        machine().add_contact("wall", normal={"arm": 1.0}, gap=lambda q: q["arm"])
    with pytest.raises(ValueError, match="needs normal"):
        machine().add_contact("wall")


def test_undefined_force_at_the_start_fails():
    m = machine()
    m.add_force("arm", lambda q: ss.sqrt(q["arm"] - 2.0))
    run = ss.simulate(m, 1.0, initial={"arm.position": 1.0})
    assert run.status == "failed"
    assert "sqrt" in run.message
    assert "-1" in run.message


def test_a_run_ends_where_a_force_ends():
    m = machine()
    m.add_force("arm", lambda q: -1.0 + 0.0 * ss.log(q["arm"]) - 1e-3 * ss.log(q["arm"]))
    run = ss.simulate(m, 10.0, initial={"arm.position": 1.0})
    assert not run.success
    assert "log" in run.message
    assert 1.0 < run.t[-1] < 2.0  # x = 1 − t²/2


def test_singular_mass_matrix_ends_the_run():
    """M = x falls to zero at x = 0: the run ends there, and says where."""
    m = ss.Machine(mass=lambda q: [[q["arm"]]], names=["arm"])
    run = ss.simulate(m, 10.0, initial={"arm.position": 1.0, "arm.velocity": -1.0})
    assert not run.success
    assert "mass matrix is not positive definite" in run.message
    assert run.t[-1] == pytest.approx(1.0, abs=1e-3)


def test_linear_methods_refuse_nonlinear_machines():
    m = machine()
    m.add_force("arm", lambda q: -ss.sin(q["arm"]))
    with pytest.raises(ValueError, match="functions of the motion"):
        m.to_state_space("arm", "arm")


def test_parameters_list_only_effective_ones():
    m = ss.Machine(mass=lambda q: [[1.0 + q["arm"] ** 2]], names=["arm"], force={"arm": 1.0})
    m.add_contact("wall", gap=lambda q: q["arm"])
    assert "wall.gap" not in m.parameters
    assert "arm.mass" not in m.parameters
    assert "wall.restitution" in m.parameters


def test_ensemble_of_functions_equals_single_runs():
    """Each run of a sweep is the run of its own machine."""
    m = machine()
    m.add_force("arm", lambda q: -9.81 * ss.sin(q["arm"]))
    m.add_friction("joint", on="arm", law=ss.Coulomb(0.5, 0.4))
    start = {"arm.position": 2.0}
    levels = [0.1, 0.2, 0.4]
    swept = ss.ensemble(
        m, {"joint.law.kinetic": levels}, 5.0, ["events.count", "arm.position.min"], initial=start
    )
    for k, level in enumerate(levels):
        one = machine()
        one.add_force("arm", lambda q: -9.81 * ss.sin(q["arm"]))
        one.add_friction("joint", on="arm", law=ss.Coulomb(0.5, level))
        run = ss.simulate(one, 5.0, initial=start)
        assert swept["events.count"][k] == len(run.events)
        turns = run.at([e.time for e in run.events])["arm.position"]
        assert swept["arm.position.min"][k] == pytest.approx(min(turns), abs=1e-7)
