"""Identity of an ensemble in JSON, by which a store recognises a call that resumes it."""

from __future__ import annotations

import hashlib
import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np

from stickslip._core import __version__
from stickslip.ensembles.design import Design
from stickslip.ensembles.task import Task
from stickslip.run.crossings import Crossing


def identity(task: Task, design: Design) -> dict[str, Any]:
    """Return all inputs on which results depend."""
    parameters = {name: _digest(values) for name, values in design.given.items()}
    return {
        "stickslip": __version__,
        "machine": _function(task.source) if task.builds else task.source.to_dict(),
        "kind": "function" if task.builds else type(task.source).__name__,
        "measure": [m if isinstance(m, str) else _function(m) for m in task.measures],
        "t_end": task.t_end,
        "options": {name: _plain(value) for name, value in task.options.items()},
        "design": {"kind": design.kind, "shape": list(design.shape), "seed": design.seed},
        "parameters": parameters,
    }


def difference(there: Any, here: Any, at: str = "") -> str | None:
    """Return the first difference of two descriptions, in words."""
    if isinstance(there, dict) and isinstance(here, dict):
        for key in [*here, *(k for k in there if k not in here)]:
            if found := difference(there.get(key), here.get(key), f"{at}.{key}" if at else str(key)):
                return found
        return None
    if isinstance(there, list) and isinstance(here, list) and len(there) == len(here):
        found_in = (difference(a, b, f"{at}[{k}]") for k, (a, b) in enumerate(zip(there, here, strict=True)))
        return next((found for found in found_in if found), None)
    if isinstance(there, list) and isinstance(here, list):
        return f"{at} has {len(there)} entries in the store, {len(here)} in this call"
    return None if there == here else f"{at} is {_short(there)} in the store, {_short(here)} in this call"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _digest(values: np.ndarray[Any, Any]) -> dict[str, Any]:
    return {
        "values": f"{values.min():.17g} to {values.max():.17g}",
        "length": int(values.size) if values.ndim else None,
        "sha256": hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest(),
    }


def _function(function: Callable[..., Any]) -> dict[str, Any]:
    """A function by its name and its text: one that has been changed is another one."""
    if isinstance(function, partial):
        bound = {"arguments": _plain(function.args), "keywords": _plain(function.keywords)}
        return _function(function.func) | bound
    try:
        text = inspect.getsource(function)
    except (OSError, TypeError):
        code = getattr(function, "__code__", None)
        text = repr(function) if code is None else repr((code.co_code, code.co_consts, code.co_names))
    name = f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', type(function).__qualname__)}"
    return {"function": name, "sha256": hashlib.sha256(text.encode()).hexdigest()}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return _plain(value.tolist())
    if isinstance(value, Crossing):
        return _plain(asdict(value))
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    return value if value is None or isinstance(value, (bool, int, float, str)) else repr(value)
