"""The fixed-step form against exact runs: order, events within the step, bounded work, inputs,
determinism."""

from __future__ import annotations

import numpy as np
import pytest
from published.automaton import pulled_law
from reference import belt as belt_reference
from reference import memory

import stickslip as ss

STEPS = np.array([4e-3, 2e-3, 1e-3, 5e-4])


def belt():
    m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
    return m, {"block.velocity": 0.2}


def pulled(p):
    force = ss.Ramp(slope=p.stiffness * p.drive_velocity)
    m = ss.Machine(mass=p.mass, stiffness=p.stiffness, names=["block"], force={"block": force})
    m.add_friction("belt", on="block", law=pulled_law(p))
    return m, None


def pushed():
    """Friction that grows with the spring force."""
    m = ss.Machine(
        mass=0.1, stiffness=100.0, names=["block"], force={"block": ss.Piecewise([0, 5, 7], [0, 0.1, 0])}
    )
    curve = ss.Stribeck(static=0.01, kinetic=0.008, stribeck_velocity=1e-3, shape=1.0, viscous=0.1)
    m.add_friction(
        "belt", on="block", law=ss.StickSlip(curve, load_factor=0.5), load={"block.position": 100.0}
    )
    return m, None


def two_blocks():
    """Two blocks on the same belt, coupled by a spring."""
    m = ss.Machine(mass=[1.0, 2.0], stiffness=[[5.0, -2.0], [-2.0, 4.0]], names=["block", "other"])
    law = ss.Stribeck(static=1.0, kinetic=0.6, stribeck_velocity=0.05, shape=2.0, viscous=0.1)
    m.add_friction("belt", on="block", law=law, surface_velocity=0.1)
    m.add_friction("belt2", on="other", law=law, normal_load=1.3, surface_velocity=0.1)
    return m, {"block.velocity": 0.1, "other.velocity": 0.1}


def bristle():
    m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"], force={"block": ss.Ramp(slope=0.2)})
    law = ss.LuGre(stiffness=1e4, damping=100.0, viscous=0.4, static=1.5, kinetic=1.0, stribeck_velocity=1e-2)
    m.add_friction("belt", on="block", law=law)
    return m, None


MACHINES = {
    "belt": belt,
    **{name: (lambda p=p: pulled(p)) for name, p in memory.RUNS.items()},
    "load": pushed,
    "two": two_blocks,
}


def errors(build, t_end, steps=STEPS, **options):
    """Worst error of the position over the run, for each step."""
    machine, initial = build()
    out = []
    for h in steps:
        n = round(t_end / h)
        rt = ss.RealTime(machine, step=h, initial=initial, outputs=["block.position"], **options)
        x = rt.run(n)[:, 0]
        t = np.minimum(h * np.arange(1, n + 1), t_end)
        exact = ss.simulate(machine, t_end, initial=initial, t_eval=t, rtol=1e-11)["block.position"]
        assert not rt.failed and rt.late_steps == 0
        out.append(np.abs(x - exact).max())
    return np.array(out)


class TestOrder:
    @pytest.mark.parametrize("name", MACHINES)
    def test_error_falls_at_least_linearly(self, name):
        """Events at arbitrary places within steps; at least first order, and second order over this range on
        average."""
        e = errors(MACHINES[name], 6.0)
        if name == "belt":  # exact maps between events: what is left is how well they are located
            assert np.all(e < 1e-5 * STEPS)
            return
        orders = np.log2(e[:-1] / e[1:])
        assert np.all(orders > 0.9)
        assert np.log2(e[0] / e[-1]) / 3.0 == pytest.approx(2.0, abs=0.45)

    def test_transitions_are_as_many_as_in_simulate(self):
        for name, build in MACHINES.items():
            machine, initial = build()
            rt = ss.RealTime(machine, step=1e-3, initial=initial)
            rt.run(8000)
            run = ss.simulate(machine, 8.0, initial=initial)
            assert rt.transitions == len({e.instant for e in run.events}), name
            assert rt.modes == {p: ss.Mode(int(run[f"{p}.mode"][-1])) for p in machine.elements}

    def test_stiff_bristle_converges(self):
        """A stiff law by the implicit step: z follows at h sigma/m = 10."""
        e = errors(bristle, 12.0, np.array([2e-3, 1e-3, 5e-4]))
        assert np.all(np.log2(e[:-1] / e[1:]) > 0.9)
        assert e[-1] < 2e-4

    def test_published_belt_matches_closed_form(self):
        """200 s and 87 events with a step of 1 ms: the state is that of the closed form at the last event."""
        machine, initial = belt()
        rt = ss.RealTime(machine, step=1e-3, initial=initial)
        rt.run(199_000)
        assert rt.transitions == len([e for e in belt_reference.PUBLISHED.events(199.0)])
        exact = ss.simulate(machine, 199.0, initial=initial)
        assert rt.state == pytest.approx(exact.y[:, -1], abs=5e-7)

    def test_map_is_exact_without_events(self):
        """Linear motion under a force that is straight within steps: exact at any step."""
        m = ss.Machine(
            mass=[1.0, 2.0], stiffness=[[90.0, -50.0], [-50.0, 50.0]], damping=[0.3, 0.2], names=["a", "b"]
        )
        m.add_force("a", ss.Piecewise([0.0, 1.0, 2.0], [0.0, 3.0, -1.0]))
        m.add_friction("f", on=("a", "b"), law=ss.Viscous(0.7))
        rt = ss.RealTime(m, step=0.25, initial={"b.velocity": 1.0})
        y = rt.run(16)
        run = ss.simulate(m, 4.0, initial={"b.velocity": 1.0}, t_eval=0.25 * np.arange(1, 17))
        assert y == pytest.approx(run.y.T, abs=1e-12)


class TestStates:
    @pytest.mark.parametrize("name", ["dwell", "presliding"])
    def test_automaton_states_agree_with_simulate(self, name):
        """Lagged force, presliding, age and peak after several transitions."""
        machine, _ = pulled(memory.RUNS[name])
        rt = ss.RealTime(machine, step=1e-4)
        rt.run(55_000)
        run = ss.simulate(machine, 5.5, rtol=1e-11)
        assert len(run.events) == 4
        for state, value, exact in zip(machine.states, rt.state, run.y[:, -1], strict=True):
            assert value == pytest.approx(exact, rel=1e-4, abs=1e-8), state

    def test_outputs_agree_with_simulate(self):
        machine, _ = pulled(memory.DWELL)
        names = [
            "block.velocity",
            "belt.force",
            "belt.mode",
            "belt.limit",
            "belt.load",
            "belt.velocity",
            "block.acceleration",
        ]
        rt = ss.RealTime(machine, step=1e-3, outputs=names)
        assert rt.outputs == tuple(names)
        y = rt.run(3000)
        run = ss.simulate(machine, 3.0, t_eval=1e-3 * np.arange(1, 3001), rtol=1e-11)
        for k, name in enumerate(names):
            near = ~np.isin(
                np.arange(3000), [1999, 2000, 2425, 2426]
            )  # next to an event it may be one step late
            assert y[near, k] == pytest.approx(run[name][near], rel=2e-3, abs=2e-4, nan_ok=True), name

    def test_sticking_elements_stand_still(self):
        """Exactly on a moving surface, to the last bit, however long."""
        m = ss.Machine(mass=1.0, stiffness=1e-6, names=["a"])
        m.add_friction(
            "belt", on="a", law=ss.Coulomb(1.0, 0.8), surface_velocity=ss.Sine(amplitude=0.1, frequency=0.3)
        )
        rt = ss.RealTime(m, step=1e-3, outputs=["belt.velocity", "a.velocity", "belt.mode"])
        y = rt.run(20_000)
        assert np.all(y[:, 2] == 0) and np.all(y[:, 0] == 0.0)
        assert y[:, 1] == pytest.approx(
            0.1 * np.sin(2 * np.pi * 0.3 * 1e-3 * np.arange(1, 20_001)), abs=1e-15
        )


class TestInputs:
    @staticmethod
    def machine():
        m = ss.Machine(
            mass=2.0, names=["slide"], force={"slide": ss.Input("motor") + 0.5 * ss.Input("motor")}
        )
        m.add_force("slide", ss.Input("load", default=0.25))
        m.add_friction(
            "guide", on="slide", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=ss.Input("belt")
        )
        return m

    def test_inputs_have_the_names_of_their_signals(self):
        rt = ss.RealTime(self.machine(), step=0.01)
        assert set(rt.inputs) == {"motor", "load", "belt"}
        assert rt.run(3)[-1] == pytest.approx([0.0, 0.0])  # 0.25 N of the default do not move it

    def test_held_inputs_are_exact(self):
        """m a = 1.5 u - kinetic, piece by piece."""
        rt = ss.RealTime(self.machine(), step=0.01, outputs=["slide.velocity", "guide.mode"])
        v = 0.0
        for u in (2.0, 3.0, 2.5):
            y = rt.step({"motor": u, "load": 0.0})
            v += 0.01 * (1.5 * u - 0.8) / 2.0
            assert y == pytest.approx([v, 1.0], abs=1e-15)
        assert rt.step()[0] == pytest.approx(v + 0.01 * (1.5 * 2.5 - 0.8) / 2.0, abs=1e-15)  # kept

    def test_inputs_by_step_and_as_array_are_equal(self):
        a, b = (ss.RealTime(self.machine(), step=0.01) for _ in range(2))
        rng = np.random.default_rng(3)
        inputs = rng.normal(size=(200, 3)) * 3.0
        one = np.array([a.step(row) for row in inputs])
        assert np.array_equal(one, b.run(inputs))
        assert np.array_equal(a.state, b.state)

    def test_jumping_surface_agrees_with_simulate(self):
        """A belt that starts with a jump takes nothing along: it slips at the kinetic level until it has
        caught up."""
        rt = ss.RealTime(self.machine(), step=0.01, outputs=["slide.velocity", "guide.mode", "guide.force"])
        assert rt.step({"belt": 0.05, "load": 0.0}) == pytest.approx([0.01 * 0.4, -1.0, -0.8], abs=1e-15)
        for _ in range(11):
            rt.step()
        assert rt.step() == pytest.approx([0.05, 0.0, 0.0], abs=1e-12)  # 0.05/0.4 = 0.125 s, within this step
        assert rt.step({"belt": -0.05})[1] == 1.0
        assert rt.transitions == 3

    def test_bad_inputs_are_refused(self):
        rt = ss.RealTime(self.machine(), step=0.01)
        with pytest.raises(KeyError, match="unknown input 'torque'; known are:"):
            rt.step({"torque": 1.0})
        with pytest.raises(ValueError, match=r"inputs\['motor'\] = nan"):
            rt.step({"motor": np.nan})
        with pytest.raises(
            ValueError, match=r"inputs has the shape \(2,\), but it must be \(3,\) for .*'motor'"
        ):
            rt.step([1.0, 2.0])
        with pytest.raises(ValueError, match=r"inputs = \['a'\] is not allowed: it must be a number"):
            rt.step(["a"])
        with pytest.raises(ValueError, match="steps has the shape"):
            rt.run(np.zeros((5, 2)))
        assert rt.t == 0.0


class TestBounds:
    def test_no_more_transitions_than_allowed(self):
        """Three blocks let go at three instants of one long step: two are served, the third is flagged and
        comes next."""
        m = ss.Machine(mass=[1.0, 1.0, 1.0], names=["a", "b", "c"])
        for i, name in enumerate(m.names):
            m.add_force(name, ss.Ramp(slope=1.0))
            m.add_friction(f"guide_{name}", on=name, law=ss.Coulomb(static=0.2 + 0.3 * i, kinetic=0.1))
        rt = ss.RealTime(m, step=1.0)
        rt.step()
        assert (rt.transitions, rt.late, rt.late_steps) == (2, True, 1)
        rt.step()
        assert (rt.transitions, rt.late, rt.late_steps) == (3, False, 1)
        assert all(mode == ss.Mode.SLIP_FORWARD for mode in rt.modes.values())
        one = ss.RealTime(m, step=1.0, max_transitions=1)
        one.run(3)
        assert (one.transitions, one.late_steps) == (2, 1)  # both that were left are served together
        all_at_once = ss.RealTime(m, step=1.0, max_transitions=3)
        all_at_once.step()
        assert (all_at_once.transitions, all_at_once.late_steps) == (3, 0)

    def test_simultaneous_events_are_one_transition(self):
        m = ss.Machine(mass=[1.0] * 4, names=list("abcd"))
        for name in m.names:
            m.add_force(name, ss.Ramp(slope=1.0))
            m.add_friction(f"guide_{name}", on=name, law=ss.Coulomb(static=0.25, kinetic=0.1))
        rt = ss.RealTime(m, step=0.1)
        rt.run(3)
        assert rt.transitions == 1 and rt.late_steps == 0
        assert len(set(rt.state[4:])) == 1

    def test_all_modes_are_built_before_the_first_step(self):
        for build in MACHINES.values():
            assert ss.RealTime(build()[0], step=1e-3).prebuilt

    def test_long_step_stays_finite(self):
        """A step of many periods is useless, but bounded and without failure."""
        for build in MACHINES.values():
            machine, initial = build()
            rt = ss.RealTime(machine, step=1.7, initial=initial)
            assert np.all(np.isfinite(rt.run(500)))
            assert rt.transitions <= 1000

    def test_a_state_that_grows_without_bound_is_kept(self):
        m = ss.Machine(mass=1.0, damping=-5000.0, names=["a"])
        rt = ss.RealTime(m, step=1.0, initial={"a.velocity": 1.0})
        y = rt.run(3)
        assert rt.failed and np.array_equal(y[-1], [0.0, 1.0])

    def test_repeated_simulation_is_bitwise_equal(self):
        for build in MACHINES.values():
            machine, initial = build()
            a, b = (ss.RealTime(machine, step=1e-3, initial=initial) for _ in range(2))
            one = np.array([a.step() for _ in range(3000)])
            assert np.array_equal(one, b.run(3000))

    def test_time_does_not_drift(self):
        rt = ss.RealTime(belt()[0], step=0.1, t_start=3.0)
        rt.run(1_000_000)
        assert rt.t == 3.0 + 1_000_000 * 0.1


class TestAgainstVelocity:
    def test_presliding_above_its_limit_sticks_until_reversal(self):
        """As in exact runs, above the limit against the velocity the surface sticks until v reverses."""
        slow = ss.StickSlip(ss.Coulomb(0.01, 0.01), memory=100.0, presliding=ss.Presliding(5e-5))
        m = ss.Machine(mass=1e20, names=["anvil"])
        load = ss.Step(value=1.0, start=0.995, before=2.0)
        v = ss.Piecewise([0.0, 1.0, 1.01, 1.03, 2.0], [-1e-3, 0.0, 1e-3, -1e-3, -1e-3])
        m.add_friction("guide", on="anvil", law=slow, normal_load=load, surface_velocity=v)
        rt = ss.RealTime(m, step=1e-3, outputs=["guide.mode", "guide.force"])
        y = rt.run(1100)
        assert np.all(y[1001:1019, 0] == 0) and np.all(y[1021:, 0] == 1)
        assert np.all(y[1001:1019, 1] > 0.017)
        assert y[1021:, 1] == pytest.approx(0.01, abs=1e-5)


class TestBadInput:
    def test_bad_step_is_refused(self):
        for bad in (0.0, -1e-3, np.nan, np.inf):
            with pytest.raises(ValueError, match=r"step = .* is not allowed"):
                ss.RealTime(belt()[0], step=bad)

    def test_other_bad_arguments_are_refused(self):
        m, _ = belt()
        with pytest.raises(ValueError, match="machine = 3"):
            ss.RealTime(3, step=1e-3)
        with pytest.raises(
            KeyError, match=r"unknown signal 'block.speed' in outputs; known are: 'block.position'"
        ):
            ss.RealTime(m, step=1e-3, outputs=["block.speed"])
        with pytest.raises(ValueError, match=r"outputs = 'block.position'"):
            ss.RealTime(m, step=1e-3, outputs="block.position")
        with pytest.raises(ValueError, match="max_transitions = 0"):
            ss.RealTime(m, step=1e-3, max_transitions=0)
        with pytest.raises(KeyError, match="unknown state 'x'"):
            ss.RealTime(m, step=1e-3, initial={"x": 1.0})
        with pytest.raises(ValueError, match="steps = -1"):
            ss.RealTime(m, step=1e-3).run(-1)

    def test_python_laws_are_refused(self):
        m = ss.Machine(mass=1.0, names=["a"])
        m.add_friction("f", on="a", law=ss.Curve(lambda v: np.sign(v), static=1.0))
        with pytest.raises(ValueError, match="Python function"):
            ss.RealTime(m, step=1e-3)


def test_repr_counts_transitions_and_late_steps():
    rt = ss.RealTime(belt()[0], step=1e-3, initial={"block.velocity": 0.2})
    rt.run(4000)
    assert repr(rt) == "RealTime(step=0.001 s, t=4 s, 1 transitions, 0 late steps)"
