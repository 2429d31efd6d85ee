"""The C source and header of an exported machine."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stickslip.export._c99_layout import Layout, Seconds
from stickslip.export._c99_numbers import Place, Table
from stickslip.export._c99_text import called_only, resolve, source

_BEFORE = (
    "numbers.c",
    "laws.c",
    "signals.c",
    "flow.c",
    "guards.c",
    "elements.c",
    "controllers.c",
    "contacts.c",
)
_AFTER = ("step.c", "outputs.c", "calls.c")
_FUNCTIONS = {
    "FABS": "fabs", "FLOOR": "floor", "FMOD": "fmod", "SQRT": "sqrt", "EXP": "exp", "POW": "pow", "TANH_OF": "tanh",
    "COPYSIGN": "copysign",
}  # fmt: skip
_PLACEHOLDER = re.compile(r"@(\w+)@")

# Thresholds of the engine, in double precision and, where a number has 24 bits, coarser.
_THRESHOLDS = {
    "PRODUCT": (1e-12, 2e-6),
    "ROUNDING": (1e-13, 5e-7),
    "RESIDUAL": (1e-11, 1e-5),
    "POLYNOMIAL": (8 * 2.0**-52, 8 * 2.0**-23),
    "EPSILON": (2.0**-52, 2.0**-23),
    "SAME_REAL": (1e-9, 1e-5),
    "NO_REBOUND": (1e-9, 1e-5),
    "LOCATED": (1e3, 4.0),  # error of event location, relative to the threshold of a guard
    "HUGE_LEVEL": (1e150, 1e30),
    "SMALLEST": (2.0**-1022, 2.0**-126),
}
LOOSE = 2e6  # thresholds of guards with 24 bits, relative to those with 53


@dataclass(frozen=True)
class Names:
    """Identifiers of the functions, and of inputs, outputs and parameters by the names of the machine."""

    prefix: str
    inputs: dict[str, str]
    outputs: dict[str, str]
    parameters: dict[str, str]


@dataclass(frozen=True)
class Written:
    """A machine in the layout of the C code, with what its text needs to know."""

    layout: Layout
    table: Table
    names: Names
    values: Sequence[float]  # of the parameters
    units: dict[str, str]  # of inputs, outputs and parameters
    step: float
    t_start: float
    max_transitions: int
    single: bool  # float in place of double

    def source(self) -> str:
        counts = self._counts()
        calls = {
            "inputs": self._copies("  inputs[{}] = in->{};\n", self.names.inputs)
            or "  inputs[0] = REAL(0.0);\n  (void)in;\n",
            "outputs": self._copies("  out->{1} = values[{0}];\n", self.names.outputs) or "  (void)out;\n",
            "set_parameters": self._set_parameters(),
            "numbers": "  return m->table;\n" if self.values else "  (void)m;\n  return numbers;\n",
            "parameters_argument": self._argument(),
            "take_parameters": "  stickslip_set_parameters(m, p);\n" if self.values else "",
        }  # fmt: skip
        runtime = "\n".join(resolve(source(name), counts) for name in _BEFORE + _AFTER)
        runtime = _PLACEHOLDER.sub(lambda found: calls[found.group(1)], runtime)
        runtime = called_only(runtime)
        text = "\n".join([self._top(runtime, counts), source("types.c"), self._data(runtime), runtime])
        return self._named(text)

    def header(self) -> str:
        counts = self._counts()
        sizes = {
            "STICKSLIP_STATES": counts["NX"],
            "STICKSLIP_SIGNALS": counts["NV"],
            "STICKSLIP_POINT": 2 * counts["NV"] + counts["NX"] + counts["NF"],
            "STICKSLIP_CURVES": counts["NF"],
            "STICKSLIP_GUARDS": counts["NG"],
            "STICKSLIP_ELEMENTS": counts["NP"],
            "STICKSLIP_MODES": counts["NMODES"],
            "STICKSLIP_HISTORY": counts["NHISTORY"],
            "STICKSLIP_MEMORY": counts["NMEMORY"],
            "STICKSLIP_COMPUTED": counts["NCOMPUTED"],
            "STICKSLIP_SAMPLED": counts["NS"],
            "STICKSLIP_TABLE_ROOM": len(self.table.values) if self.values else 1,
        }
        parameters = set_parameters = ""
        if self.values:
            fields = self._fields(self.names.parameters)
            parameters = f"typedef struct {{\n{fields}\n}} stickslip_parameters;\n\n"
            set_parameters = (
                "/* Values that the machine was exported with. */\n"
                "void stickslip_default_parameters(stickslip_parameters *p);\n"
                "/* Other values, from the next step on. */\n"
                "void stickslip_set_parameters(stickslip_machine *m, const stickslip_parameters *p);\n"
            )
        texts = {
            "real": "float" if self.single else "double",
            "sizes": "\n".join(f"#define {name} {max(1, size)}" for name, size in sizes.items()),
            "inputs": self._fields(self.names.inputs),
            "outputs": self._fields(self.names.outputs),
            "parameters": parameters,
            "parameters_argument": self._argument(),
            "set_parameters": set_parameters,
            "step": repr(self.step),
            "t_start": repr(self.t_start),
        }
        text = _PLACEHOLDER.sub(lambda found: texts[found.group(1)], source("header.h"))
        return self._named(text)

    # --- parts ---------------------------------------------------------------------------------------------------

    def _named(self, text: str) -> str:
        prefix = self.names.prefix
        return text.replace("STICKSLIP_", f"{prefix.upper()}_").replace("stickslip_", f"{prefix}_")

    def _counts(self) -> dict[str, int]:
        counts = dict(self.layout.counts)
        counts["MOST_CHANGES"] = self.max_transitions
        counts["MOST_PARTS"] = self.max_transitions + counts["NC"] + 2 * counts["NS"] + 2
        counts["MOST_DEGREE"] = 5
        return counts

    def _argument(self) -> str:
        return ", const stickslip_parameters *p" if self.values else ""

    def _fields(self, names: dict[str, str]) -> str:
        lines = []
        for key, name in names.items():
            unit = self.units.get(key)
            described = key if unit in (None, "1") else f"{key}, {unit}"
            lines.append(f"  stickslip_real {name}; /* {described} */")
        return "\n".join(lines) or "  stickslip_real none; /* no entries */"

    @staticmethod
    def _copies(line: str, names: dict[str, str]) -> str:
        return "".join(line.format(k, name) for k, name in enumerate(names.values()))

    def _set_parameters(self) -> str:
        if not self.values:
            return ""
        defaults = "".join(
            f"  p->{name} = {self._real(value)};\n"
            for name, value in zip(self.names.parameters.values(), self.values, strict=True)
        )
        given = "".join(
            f"  difference[{k}] = p->{name} - {self._real(value)};\n"
            for k, (name, value) in enumerate(zip(self.names.parameters.values(), self.values, strict=True))
        )
        return (
            "void stickslip_default_parameters(stickslip_parameters *p) {\n" + defaults + "}\n\n"
            "void stickslip_set_parameters(stickslip_machine *m, const stickslip_parameters *p) {\n"
            f"  real difference[{len(self.values)}];\n  int i;\n{given}"
            "  for (i = 0; i < STICKSLIP_TABLE_ROOM; ++i) {\n    m->table[i] = numbers[i];\n  }\n"
            f"  for (i = 0; i < {len(self.table.changes)}; ++i) {{\n"
            "    m->table[changes[i].at] += changes[i].slope * difference[changes[i].parameter];\n  }\n}\n\n"
        )

    def _top(self, runtime: str, counts: dict[str, int]) -> str:
        lines = [
            f"/* A machine with steps of {self.step!r} s, written by stickslip.",
            "   No memory is allocated, and the work of a step is bounded. Nothing beyond math.h is called. */",
            '#include "stickslip_header.h"',
            "",
            "#include <math.h>",
            "#include <stddef.h>",
            "",
        ]
        suffix = "f" if self.single else ""
        defines = {name: f"{called}{suffix}" for name, called in _FUNCTIONS.items()}
        defines["REAL(number)"] = "number##f" if self.single else "number"
        defines["NOT_FIRED"] = "(-HUGE_VALF)" if self.single else "(-HUGE_VAL)"
        defines["STEP"], defines["T_START"] = repr(self.step), repr(self.t_start)
        defines["SAME"] = "1e-5" if self.single else "1e-9"
        for name, (double, single) in _THRESHOLDS.items():
            defines[name] = self._real(single if self.single else double)
        for name, place in self.layout.places.items():
            defines[name] = str(self.table.offsets[place.block])
        defines |= {name: str(count) for name, count in counts.items()}
        words = set(re.findall(r"\w+", runtime)) | {"NX"}
        lines += [
            f"#define {name} {value}" for name, value in defines.items() if name.partition("(")[0] in words
        ]
        return "\n".join([*lines, ""])

    def _data(self, runtime: str) -> str:
        words = set(re.findall(r"\w+", runtime))
        lines = [f"static const real numbers[{len(self.table.values)}] = {{"]
        lines += self._filled([self._real(value) for value in self.table.values])
        lines.append("};")
        for name, (kind, rows) in self.layout.arrays.items():
            if name not in words or not rows:
                continue
            lines.append(f"static const {kind} {name}[{len(rows)}] = {{")
            plain = all(len(row) == 1 for row in rows)
            texts = [self._entry(row[0] if plain else row) for row in rows]
            lines += self._filled(texts) if plain else [f"  {text}," for text in texts]
            lines.append("};")
        if self.values:
            lines.append("typedef struct { int32_t at; int16_t parameter; real slope; } parameter_change;")
            lines.append(f"static const parameter_change changes[{len(self.table.changes)}] = {{")
            lines += [f"  {{{c.at}, {c.parameter}, {self._real(c.slope)}}}," for c in self.table.changes]
            lines.append("};")
        return "\n".join([*lines, ""])

    @staticmethod
    def _filled(texts: Sequence[str]) -> list[str]:
        return ["  " + ", ".join(texts[k : k + 8]) + "," for k in range(0, len(texts), 8)]

    def _entry(self, value: Any) -> str:
        if isinstance(value, Place):
            return str(self.table.offsets[value.block])
        if isinstance(value, tuple):
            return "{" + ", ".join(self._entry(one) for one in value) + "}"
        if isinstance(value, Seconds):
            return repr(float(value))
        if isinstance(value, float):
            return self._real(value)
        return str(int(value))

    def _real(self, value: float) -> str:
        if np.isinf(value):
            return ("-" if value < 0 else "") + ("HUGE_VALF" if self.single else "HUGE_VAL")
        if not self.single:
            return repr(float(value))
        text = str(np.float32(value))
        return f"{text}f" if "." in text or "e" in text else f"{text}.0f"
