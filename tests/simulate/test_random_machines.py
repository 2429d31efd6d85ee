"""Random machines: what must hold for any of them, and two unrelated flows that must agree.

1-4 coordinates, 1-5 elements with Coulomb or Stribeck curves on ground, belts, each other, loads and forces of
all kinds; several elements may share a force, form loops, or be dragged apart by their surfaces.
"""

import numpy as np
import pytest

import stickslip as ss


def machine(rng):
    n = int(rng.integers(1, 5))
    names = [f"q{i}" for i in range(n)]
    mass = np.diag(10 ** rng.uniform(-1, 1, n))
    if rng.random() < 0.3 and n > 1:
        a = rng.normal(size=(n, n))
        mass += 0.1 * a @ a.T * np.diag(mass).min()
    k, d = np.zeros((n, n)), np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            if rng.random() < 0.6:
                for x, c in (
                    (k, 10 ** rng.uniform(-0.5, 1.5)),
                    (d, (rng.random() < 0.5) * 10 ** rng.uniform(-2, 0)),
                ):
                    x[np.ix_([i, j], [i, j])] += c * np.array([[1, -1], [-1, 1]])
        if rng.random() < 0.7:
            k[i, i] += 10 ** rng.uniform(-0.5, 1.5)
    m = ss.Machine(mass=mass, stiffness=k, damping=d, names=names)

    def signal(a):
        u = rng.random()
        if u < 0.3:
            return ss.Sine(amplitude=a, frequency=10 ** rng.uniform(-1, 0.5), phase=rng.uniform(0, 6))
        if u < 0.5:
            return ss.Ramp(slope=a * rng.normal(), start=rng.uniform(0, 3), stop=rng.uniform(4, 8))
        if u < 0.7:
            return ss.Piecewise(np.cumsum(rng.uniform(0.2, 2, 5)), a * rng.normal(size=5))
        if u < 0.8:
            return ss.SmoothStep(a, start=rng.uniform(0, 3), duration=rng.uniform(0.5, 3))
        return ss.Constant(a * rng.normal())

    for name in names:
        if rng.random() < 0.6:
            m.add_force(name, signal(10 ** rng.uniform(-0.5, 1)))
    elements, surfaces = [], {}
    for p in range(int(rng.integers(1, 6))):
        pair = n > 1 and rng.random() < 0.3
        chosen = rng.choice(n, 2, replace=False) if pair else [int(rng.integers(n))]
        key = tuple(sorted(int(i) for i in chosen))
        on = tuple(names[i] for i in chosen) if pair else names[chosen[0]]
        new = signal(10 ** rng.uniform(-2, 0)) if rng.random() < 0.4 and not pair else ss.Constant(0.0)
        surface = surfaces.setdefault(key, new)
        static = 10 ** rng.uniform(-1, 1)
        kinetic = static * rng.choice([1.0, rng.uniform(0.3, 1)])
        law = ss.Coulomb(static=static, kinetic=kinetic)
        if rng.random() < 0.3:
            law = ss.Stribeck(
                static=static, kinetic=kinetic, stribeck_velocity=10 ** rng.uniform(-2, 0),
                shape=rng.choice([0.5, 1.0, 1.5, 2.0]), viscous=rng.choice([0.0, 0.1]),
            )  # fmt: skip
        load = rng.uniform(0.5, 2)
        if rng.random() < 0.4:
            load = ss.Sine(
                amplitude=load * rng.uniform(0, 1), frequency=10 ** rng.uniform(-1, 0.3), offset=load
            )
        m.add_friction(f"p{p}", on=on, law=law, normal_load=load, surface_velocity=surface)
        w = np.zeros(n)
        w[list(chosen)] = [1.0, -1.0] if pair else [1.0]
        elements.append((f"p{p}", w, static, surface))
    x0 = np.concatenate(
        [0.3 * rng.normal(size=n) * (rng.random() < 0.7), rng.normal(size=n) * (rng.random() < 0.7)]
    )
    return m, x0, elements


def check(m, elements, r):
    assert r.success, r.message
    n = len(m.names)
    for name, w, static, surface in elements:
        force, mode, load = r[f"{name}.force"], r[f"{name}.mode"], r[f"{name}.load"]
        v = w @ r.y[n:] - surface(r.t)
        size = max(1.0, np.abs(v).max())
        stuck = mode == ss.Mode.STICK
        assert np.all(np.abs(force[stuck]) <= static * load[stuck] * (1 + 1e-7) + 1e-9)
        assert np.all(np.abs(v[stuck]) <= 1e-6 * size)
        assert np.all(v[mode == ss.Mode.SLIP_FORWARD] >= -1e-7 * size)
        assert np.all(v[mode == ss.Mode.SLIP_BACKWARD] <= 1e-7 * size)
        assert np.all(force * r[f"{name}.velocity"] >= -1e-12 * size * static)
    assert r.energy.residual < 1e-8


@pytest.mark.parametrize("seed", range(60))
def test_exact_and_integrated_flows_agree_on_random_machines(seed):
    m, x0, elements = machine(np.random.default_rng(seed))
    exact = ss.simulate(m, t_end=8.0, initial=x0, dt=0.02, rtol=1e-11)
    numerical = ss.simulate(m, t_end=8.0, initial=x0, dt=0.02, rtol=1e-11, method="explicit")
    check(m, elements, exact)
    check(m, elements, numerical)
    kinds = [sorted((e.element, e.after, round(e.time, 6)) for e in r.events) for r in (exact, numerical)]
    a, b = ([k[:2] for k in kind] for kind in kinds)
    assert a == b
    assert [k[2] for k in kinds[0]] == pytest.approx([k[2] for k in kinds[1]], abs=3e-6)
    assert np.abs(exact.y - numerical.y).max() < 1e-6 * max(1.0, np.abs(exact.y).max())


@pytest.mark.parametrize("seed", range(100, 115))
def test_split_runs_are_bitwise_equal(seed):
    m, x0, _ = machine(np.random.default_rng(seed))
    whole = ss.simulate(m, t_end=6.0, initial=x0)
    first = ss.simulate(m, t_end=2.345, initial=x0)
    second = ss.simulate(m, t_end=6.0, state=first.state)
    assert second.state == whole.state
    assert [*first.events, *second.events] == [*whole.events]
