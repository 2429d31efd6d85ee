"""Response of a friction automaton to a prescribed velocity, by a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from stickslip._checks import finite, non_negative, reject, vector
from stickslip.laws import Response
from stickslip.laws.stick_slip import StickSlip
from stickslip.machine.machine import Machine
from stickslip.run.simulation import simulate
from stickslip.signals import Constant, Piecewise


def response(
    law: StickSlip,
    t: ArrayLike,
    velocity: Any,
    *,
    initial: ArrayLike | Mapping[str, float] | None = None,
    normal_load: float = 1.0,
    rtol: float = 1e-12,
) -> Response:
    """Simulate the law as a moving surface under a heavy body: see `StickSlip.response`."""
    if initial is not None:
        reject("initial", initial, "left out: an automaton starts as stated in the table of StickSlip")
    times, load = vector("t", t), non_negative("normal_load", normal_load)
    if hasattr(velocity, "compiled"):
        relative = velocity
    elif np.ndim(velocity) == 0:
        relative = Constant(finite("velocity", velocity))
    else:
        samples = vector("velocity", velocity)
        if samples.shape != times.shape:
            raise ValueError(f"velocity has {samples.size} samples, but t has {times.size}")
        relative = Piecewise(times, samples)
    body = Machine(mass=1e15 * max(float(law.break_away) * load, 1.0), names=["body"])
    driven = StickSlip(law.curve, law.memory, law.dwell, law.presliding) if law.load_factor else law
    body.add_friction("law", on="body", law=driven, normal_load=load, surface_velocity=-1.0 * relative)
    run = simulate(body, float(times[-1]), t_start=float(times[0]), t_eval=times, rtol=float(rtol))
    if not run.success:
        raise ValueError(f"the response ends before the velocity: {run.message}")
    rows = [run[f"law.{name}"] for name in law.state_names]
    work = run.energy.friction["law"]
    return Response(
        times, run["law.velocity"], run["law.force"], work - work[0],
        np.array(rows).reshape(len(rows), times.size), law.state_names,
    )  # fmt: skip
