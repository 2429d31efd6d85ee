"""Directional derivatives of FMUs: outputs at a communication point by inputs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import stickslip as ss
from export.importer import Importer, imported
from export.test_fmu_motion import CASES, walk


def slopes(
    one: Importer, outputs: Sequence[str], inputs: Sequence[str], seed: Sequence[float]
) -> list[float]:
    of = [one.variables[name].valueReference for name in outputs]
    by = [one.variables[name].valueReference for name in inputs]
    return list(one.fmu.getDirectionalDerivative(of, by, list(seed)))


def slide() -> ss.Machine:
    """2 kg on a surface, pressed and pushed from outside."""
    m = ss.Machine(mass=2.0, names=["slide"], force={"slide": ss.Input("push")})
    m.add_friction(
        "guide",
        on="slide",
        law=ss.Coulomb(static=0.3, kinetic=0.2),
        normal_load=ss.Input("load", default=10.0),
    )
    return m


OUTPUTS = ["slide.acceleration", "guide.force", "slide.velocity"]


@pytest.mark.parametrize("version", ["3.0", pytest.param("2.0", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("push", "by_push", "by_load"),
    [
        (2.0, [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]),  # sticking: the force of friction is the push
        (5.0, [0.5, 0.0, 0.0], [-0.1, 0.2, 0.0]),  # sliding: F = 0.2 load, a = (push - F) / 2
    ],
)
def test_derivatives_of_sticking_and_sliding_are_those_of_the_laws(
    push: float, by_push: list[float], by_load: list[float], version: str
) -> None:
    with imported(slide(), outputs=OUTPUTS, version=version) as one:
        one.set({"push": push})
        one.start()
        one.step(0.1)
        assert slopes(one, OUTPUTS, ["push"], [1.0]) == pytest.approx(by_push, abs=1e-8)
        assert slopes(one, OUTPUTS, ["load"], [1.0]) == pytest.approx(by_load, abs=1e-8)
        both = 3.0 * np.array(by_push) - 2.0 * np.array(by_load)
        assert slopes(one, OUTPUTS, ["push", "load"], [3.0, -2.0]) == pytest.approx(both, abs=1e-8)
        assert slopes(one, OUTPUTS, ["push"], [0.0]) == [0.0, 0.0, 0.0]


def test_output_of_a_controller_follows_its_input_at_a_sampling_instant() -> None:
    """u = 3 r at the instants k T; between them the output is held."""
    m = ss.Machine(mass=1.0, names=["q"])
    gain = ss.LTI([], [], [], [[3.0]], inputs="both", references=1, period=0.1)
    m.add_controller(gain, "gain", reference=ss.Input("r"), to="q")
    with imported(m, outputs=["gain.output"]) as one:
        one.start()
        one.step(0.1)
        assert slopes(one, ["gain.output"], ["r"], [1.0]) == pytest.approx([3.0], rel=1e-8)
        one.step(0.05)
        assert slopes(one, ["gain.output"], ["r"], [1.0]) == [0.0]


@pytest.mark.parametrize(
    "case", ["sampled", *(pytest.param(case, marks=pytest.mark.slow) for case in ("belt", "cascade"))]
)
def test_motion_is_the_same_with_and_without_derivatives(case: str) -> None:
    make, name, size, t_end, outputs = CASES[case]
    times = np.linspace(0.0, t_end, 41)
    values = walk(times, size)
    numbers = [output for output in outputs if not output.endswith("mode")]
    found = []
    for asks in (False, True):
        with imported(make(ss.Input), outputs=outputs) as one:
            one.start()
            for k in range(len(times) - 1):
                one.set({name: values[k]})
                if asks:
                    slopes(one, numbers, [name], [1.0])
                one.step(times[k + 1] - times[k])
                one.t = times[k + 1]
            found.append(one.get(numbers))
    assert found[0] == pytest.approx(found[1], rel=1e-8)  # the accuracy of integration


@pytest.mark.parametrize(
    ("outputs", "inputs", "message"),
    [
        (["guide.mode"], ["push"], "value reference 3 is not an output with a derivative"),
        (["slide.velocity"], ["slide.velocity"], "value reference 4 is not an input"),
    ],
)
def test_variables_without_derivatives_are_refused(
    outputs: list[str], inputs: list[str], message: str
) -> None:
    with imported(slide(), outputs=["guide.mode", "slide.velocity"]) as one:
        one.start()
        with pytest.raises(Exception, match="fmi3GetDirectionalDerivative"):
            slopes(one, outputs, inputs, [1.0])
        assert message in one.messages[-1]
