"""Controllers that are functions of C."""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip import _core
from stickslip._checks import reject, vector
from stickslip.control.controllers import Controller

__all__ = ["CFunction"]

_ALLOWED = "a pair (library, name), a function of ctypes, or an address"


@dataclass(frozen=True)
class NativeFunction:
    """A function of C with its address; `origin`: the library and the name, or the object that keeps it loaded."""

    native_address: int
    origin: Any = field(compare=False, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        if not isinstance(self.origin, tuple):
            raise TypeError(
                "a C function given by its address exists in this process alone: give the pair (library, name)"
            )
        return native_function, (self.origin,)


def native_function(given: Any) -> NativeFunction:
    """Find a function of C."""
    if isinstance(given, NativeFunction):
        return given
    if isinstance(given, (int, np.integer)) and not isinstance(given, bool):
        if given <= 0:
            reject("function", given, _ALLOWED)
        return NativeFunction(int(given), None)
    if callable(given) and hasattr(given, "argtypes"):  # a function of ctypes
        address = ctypes.cast(given, ctypes.c_void_p).value
        if address is None:
            reject("function", given, "a function of ctypes that is not null")
        return NativeFunction(address, given)
    if not isinstance(given, tuple) or len(given) != 2 or not isinstance(given[1], str):
        reject("function", given, _ALLOWED)
    path = Path(os.fspath(given[0])).resolve()
    try:
        found = getattr(ctypes.CDLL(str(path)), given[1])
    except OSError as error:
        raise ValueError(f"function = {given!r} cannot be loaded: {error}") from error
    except AttributeError as error:
        raise ValueError(
            f"function = {given!r} is not allowed: {path} has no function {given[1]!r}"
        ) from error
    address = ctypes.cast(found, ctypes.c_void_p).value
    assert address is not None
    return NativeFunction(address, (str(path), given[1]))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CFunction(Controller):
    """Sampled controller as a function of C, called at its sampling instants without the interpreter.

    Parameters
    ----------
    function : (path-like, str), function of ctypes, or int
        A shared library and the name of a function in it, a function of ctypes, or an address, as cffi gives it by
        ``int(ffi.cast("intptr_t", f))``. Only the pair can be pickled, and so sent to other processes. Whoever gives an
        address keeps its library loaded.
    references, measurements, outputs : int, default 1
        Numbers of signals.
    memory : array_like, shape (n,), default empty
        Start value of the memory. It is part of the state of a run, which can be continued and repeated bitwise; static
        variables of the function are not.
    **options
        Limits and sampling: see `Controller`; the period must be given.

    Raises
    ------
    ValueError
        For an argument that is not allowed, a library that cannot be loaded, or a name that it does not hold.

    Notes
    -----
    The signature of the function in C is::

        void controller(double t, const double *reference, const double *measurement,
                        double *memory, double *output);

    It is called at the sampling instants with the time in s and arrays of the lengths given here, changes `memory` and
    fills `output`. Runs of an ensemble call it from several threads at once. It runs in `RealTime` as well. An output that
    is NaN ends the run.

    Examples
    --------
    >>> import ctypes, stickslip as ss
    >>> signature = ctypes.CFUNCTYPE(None, ctypes.c_double, *[ctypes.POINTER(ctypes.c_double)] * 4)
    >>> @signature
    ... def proportional(t, reference, measurement, memory, output):
    ...     output[0] = 4.0 * (reference[0] - measurement[0])
    >>> m = ss.Machine(mass=1.0, names=["q"])
    >>> m.add_controller(ss.control.CFunction(proportional, period=0.1), "loop", measure="q.velocity",
    ...                  reference=1.0, to="q")
    'loop'
    >>> ss.simulate(m, t_end=0.1)["q.velocity"][-1].round(12)
    np.float64(0.4)
    """

    function: Any
    references: int = 1
    measurements: int = 1
    outputs: int = 1
    memory: NDArray[np.float64] | tuple[float, ...] = ()

    def __post_init__(self) -> None:
        memory = vector("memory", self.memory)
        function = native_function(self.function)
        compiled = _core.control.Controller.program(
            function, self.references, self.measurements, self.outputs, memory, self._options()
        )
        given = function.origin if isinstance(function.origin, tuple) else self.function
        self._fill(compiled, memory=memory, function=given)
