"""States of an FMU: saved, restored, serialised; many instances."""

from __future__ import annotations

import resource

import numpy as np
import pytest

import stickslip as ss
from export.importer import Importer, extracted, imported
from export.test_fmu_motion import CASES, walk


@pytest.mark.parametrize("case", CASES)
def test_restored_state_continues_with_the_same_bits(case: str) -> None:
    make, name, size, t_end, outputs = CASES[case]
    times = np.linspace(0.0, t_end, 101)
    values = {name: walk(times, size)}
    with imported(make(ss.Input), outputs=outputs) as one:
        one.start()
        one.run(times[:41], outputs, {name: values[name][:41]})
        state = one.fmu.getFMUState()
        late = {name: values[name][40:]}
        first = one.run(times[40:], outputs, late)
        one.fmu.setFMUState(state)
        one.t = times[40]
        again = one.run(times[40:], outputs, late)
        one.fmu.freeFMUState(state)
    assert np.array_equal(first, again)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("version", ["3.0", pytest.param("2.0", marks=pytest.mark.slow)])
def test_serialised_state_continues_in_another_instance_with_the_same_bits(case: str, version: str) -> None:
    make, name, size, t_end, outputs = CASES[case]
    times = np.linspace(0.0, t_end, 61)
    values = walk(times, size)
    with extracted(make(ss.Input), outputs=outputs, version=version) as folder:
        one, other = Importer(folder), Importer(folder)
        one.start()
        one.run(times[:31], outputs, {name: values[:31]})
        save, write = (
            ("getFMUState", "serializeFMUState") if one.is_3 else ("getFMUstate", "serializeFMUstate")
        )
        read, put = (
            ("deserializeFMUState", "setFMUState") if one.is_3 else ("deSerializeFMUstate", "setFMUstate")
        )
        saved = getattr(one.fmu, write)(getattr(one.fmu, save)())
        getattr(other.fmu, put)(getattr(other.fmu, read)(saved))
        other.t = one.t
        late = {name: values[30:]}
        assert np.array_equal(one.run(times[30:], outputs, late), other.run(times[30:], outputs, late))
        one.close()
        other.close()


def test_state_holds_the_parameters() -> None:
    """A state that is restored after a reset brings its mass with it: v = F t / m."""
    m = ss.Machine(mass=1.0, names=["q"], force={"q": 6.0})
    with imported(m, outputs=["q.velocity"], parameters=["q.mass"]) as one:
        one.start({"q.mass": 3.0})
        one.step(1.0)
        state = one.fmu.getFMUState()
        one.fmu.reset()
        one.start()
        one.step(1.0)
        assert one.get(["q.velocity"]) == pytest.approx([6.0])
        one.fmu.setFMUState(state)
        one.t = 1.0
        one.step(1.0)
        assert one.get(["q.velocity", "q.mass"]) == pytest.approx([4.0, 3.0])


@pytest.mark.parametrize("cut", [slice(0, -1), slice(0, 3), slice(5, None)])
def test_damaged_state_is_refused(cut: slice) -> None:
    with imported(ss.Machine(mass=1.0, names=["q"]), outputs=["q.velocity"]) as one:
        one.start()
        saved = one.fmu.serializeFMUState(one.fmu.getFMUState())
        with pytest.raises(Exception, match="DeserializeFMUState"):
            one.fmu.deserializeFMUState(saved[cut])
        assert "damaged" in one.messages[-1] or "no state" in one.messages[-1] or "format" in one.messages[-1]


@pytest.mark.parametrize(
    ("count", "steps"),
    [(1000, True), pytest.param(100_000, False, marks=[pytest.mark.slow, pytest.mark.timeout(1800)])],
)
def test_instances_leave_no_memory_behind(count: int, steps: bool) -> None:
    """Instances of 20 kB each, made and freed, a thousand of them run: less than 2 MB more than after fifty."""
    make, _, _, _, outputs = CASES["cascade"]
    with imported(make(ss.Input), outputs=outputs) as one:
        peaks = []
        for number in (50, count):
            for _ in range(number):
                one.fmu.fmi3FreeInstance(one.fmu.component)
                one.fmu.instantiate()
                if steps:
                    one.start()
                    one.step(0.1)
            peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    assert peaks[1] - peaks[0] < 2048  # kB
