"""Controllers that are FMUs of other programs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from stickslip import _core
from stickslip._checks import finite, reject
from stickslip.control._fmu_instances import ImportedFMU
from stickslip.control.controllers import Controller

__all__ = ["FMU"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FMU(Controller):
    """Sampled controller as an FMU for co-simulation (FMI 2.0 or 3.0), run through FMPy.

    Parameters
    ----------
    path : str or path-like
        The FMU.
    reference, measurement : sequence of str
        Names of the inputs of the FMU that take the references and the measurements of the controller, in the order of
        `Machine.add_controller`; either may be empty.
    output : sequence of str, optional
        Names of its outputs, by default all outputs that are floating-point numbers.
    parameters : mapping, optional
        Start values of parameters, and of inputs that stay constant, by name.
    reads_after_step : bool, default False
        At the sampling instant t the FMU has been stepped to t. False: it gets the inputs and its outputs are read at
        once, for controllers whose outputs follow their inputs. True: it gets the inputs and makes the step of one
        period before its outputs are read, for controllers that compute their outputs in the step.
    **options
        Limits and sampling: see `Controller`; the period must be given and is the communication step.

    Raises
    ------
    ValueError
        For an argument that is not allowed, a file that is no FMU for co-simulation, or variables that it does not have.
    MissingExtraError
        If FMPy is not installed.
    RuntimeError
        During a run, with the name of the controller and the time, where the FMU reports an error.

    Notes
    -----
    Each run has an instance of the FMU. A state of a run in this process can be continued as long as its instance is one
    of the last sixteen: the FMU is reset and repeats its steps where the state lies in the past. An FMU runs within the
    interpreter, so that runs of an ensemble do not run in parallel.

    Examples
    --------
    >>> import os, tempfile, stickslip as ss
    >>> control = ss.Machine(mass=1.0, names=["unused"])
    >>> loop = ss.PI(kp=4.0, tn=0.1, period=1e-2)
    >>> name = control.add_controller(loop, "loop", measure="unused", reference=ss.Input("error"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = ss.export.fmu(control, os.path.join(folder, "loop.fmu"), outputs=["loop.output"])
    ...     loop = ss.control.FMU(made.path, reference=["error"], period=1e-2)
    ...     m = ss.Machine(mass=1.0, names=["q"])
    ...     name = m.add_controller(loop, "loop", reference=1.0, to="q")
    ...     run = ss.simulate(m, t_end=1e-2)
    >>> run["loop.output"][0].round(12)
    np.float64(4.4)
    """

    path: str | os.PathLike[str]
    reference: Sequence[str] = ()
    measurement: Sequence[str] = ()
    output: Sequence[str] | None = None
    parameters: Mapping[str, float] = field(default_factory=dict)
    reads_after_step: bool = False

    def __post_init__(self) -> None:
        options = self._options()
        if self.period is None:
            reject("period", self.period, "given: an FMU is a sampled controller")
        for name in ("reference", "measurement", "output"):
            if isinstance(getattr(self, name), str):
                reject(name, getattr(self, name), "a sequence of names")
        imported = ImportedFMU(
            str(Path(self.path).resolve()),
            inputs=(*self.reference, *self.measurement),
            outputs=None if self.output is None else tuple(self.output),
            start={name: finite(f"parameters[{name!r}]", value) for name, value in self.parameters.items()},
            period=float(self.period),
            reads_after_step=bool(self.reads_after_step),
        )
        compiled = _core.control.Controller.program(
            imported, len(self.reference), len(self.measurement), len(imported.outputs), np.zeros(2), options
        )
        self._fill(
            compiled,
            path=str(self.path),
            reference=tuple(self.reference),
            measurement=tuple(self.measurement),
            output=imported.outputs,
            parameters=dict(self.parameters),
        )
