"""Three closed contacts in three coordinates, one of whose walls moves as a sine: all slips stop where the wall turns.

Sliding velocities and normal rates are more conditions than there are coordinates, so that rounding of the instant leaves a
contact that opens with a rate of about 1e-11 towards its wall.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import stickslip as ss

CASE = json.loads((Path(__file__).parents[1] / "reference" / "stops_together.json").read_text())


@pytest.mark.parametrize("scale", [1.0, 1.0 + 1e-9, 1.0 + 2e-9])
def test_contact_opens_where_all_slips_stop_together(scale: float) -> None:
    machine, initial = ss.Machine.from_dict(CASE["machine"]), np.array(CASE["initial"])
    run = ss.simulate(machine, CASE["t_end"], initial=initial * scale)
    assert run.success, run.message
    assert ss.analysis.audit(run).passed
    closer = ss.simulate(machine, CASE["t_end"], initial=initial, rtol=1e-11)
    assert run.state.x == pytest.approx(closer.state.x, abs=1e-8)
    # The wall of c0 turns at odd multiples of a quarter period.
    turns = np.pi / 2.0 / CASE["machine"]["elements"][3]["gap"]["pieces"][0]["harmonics"][0]["omega"]
    opens = [e.time for e in run.events if e.element == "c1" and e.after == ss.Mode.OPEN]
    assert opens and min(abs(t / turns - 17.0) for t in opens) < 1e-9
