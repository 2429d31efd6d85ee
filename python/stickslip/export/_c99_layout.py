"""Tables of the fixed-step form in the layout that the C code reads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stickslip.export._c99_numbers import Numbers, Place

_LAWS = ["coulomb", "viscous", "stribeck", "tanh", "table", "odd_table"]
_READS = {"row": 0, "rate": 1, "force": 2, "mode": 3, "held": 6}
_FREE_MODE, _SIDE = 4, 5

Rows = list[tuple[Any, ...]]


class Seconds(float):
    """A time, or what multiplies one: double also in code of single precision."""


@dataclass
class Layout:
    """Counts, by the names that the C code has for them, and arrays: of each its type and its rows."""

    counts: dict[str, int] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)
    arrays: dict[str, tuple[str, Rows]] = field(default_factory=dict)

    def structure(self) -> Any:
        """Return everything but the numbers themselves."""
        return self.counts, self.arrays


def lay_out(tables: dict[str, Any], numbers: Numbers, *, loose: float = 1.0) -> Layout:
    """Lay out tables; `loose`: factor on thresholds, for numbers with fewer digits."""
    return _Layouter(tables, numbers, loose).run()


class _Layouter:
    def __init__(self, tables: dict[str, Any], numbers: Numbers, loose: float) -> None:
        self.t, self.add, self.loose = tables, numbers.add, loose
        self.out = Layout()
        self.nx, self.nv = len(tables["x"]), len(tables["s"])
        self.np, self.nc = len(tables["friction"]), len(tables["contacts"])
        self.nf = max((len(p["curved"]) for p in tables["plans"]), default=0)
        self.ng = max((len(p["guards"]) for p in tables["plans"]), default=0)

    def run(self) -> Layout:
        self.signals()
        self.friction()
        self.contacts()
        self.flanks()
        self.controllers()
        self.sampled()
        self.reads()
        self.plans()
        t, out = self.t, self.out
        out.places["START_STATE"] = self.add(t["x"], t["s"])
        out.places["NOMINAL"] = self.add(t["nominal"], fixed=True)
        first = self.modes(t["modes"])
        out.arrays["first_modes"] = "int8_t", [(m,) for m in first]
        halves = {len(p["halves"]) for p in t["plans"]}
        out.counts |= {
            "NX": self.nx,
            "NV": self.nv,
            "NF": self.nf,
            "NG": self.ng,
            "NP": self.np,
            "NC": self.nc,
            "NI": len(t["inputs"]),
            "NPLANS": len(t["plans"]),
            "NMODES": len(first),
            "IMPACT_SIZE": max(
                2, self.nc + self.np
            ),  # of matrices: compilers warn of loops over single entries
            "COORDINATES": t["coordinates"],
            "HALVES": max(halves, default=0),
            "FIRST_SATURATION": 2 * self.np + self.nc + len(t["flanks"]),
            "SOLVES": int(self.nf > 1 or self.nc > 0),
        }
        return out

    def array(self, name: str, kind: str, rows: Rows) -> None:
        self.out.arrays[name] = kind, rows

    def threshold(self, values: Any) -> Place:
        return self.add(self.loose * np.atleast_1d(values), fixed=True)

    # --- the machine ---------------------------------------------------------------------------------------------

    def signals(self) -> None:
        signals: Rows = []
        pieces: Rows = []
        harmonics: Rows = []
        for s in self.t["signals"]:
            gain = self.add([s["gain"], s["default"]])
            signals.append(
                (s["input"], int(s["jumps"]), int(s["whole"]), s["degree"], int(s["load"]), len(pieces),
                 len(s["pieces"]), s["repeats"], gain, Seconds(s["period"]))
            )  # fmt: skip
            for p in s["pieces"]:
                start = p["start"] if np.isfinite(p["start"]) else -1e30
                pieces.append(
                    (
                        Seconds(start),
                        Seconds(p["anchor"]),
                        self.add(p["c"]),
                        len(harmonics),
                        len(p["harmonics"]),
                    )
                )
                harmonics += [(self.add([a]), Seconds(w), Seconds(phi)) for a, w, phi in p["harmonics"]]
        self.array("signals", "signal", signals)
        self.array("pieces", "signal_piece", pieces)
        self.array("harmonics", "harmonic", harmonics)
        self.out.counts |= {
            "NHARMONICS": len(harmonics),
            "MOST_PIECES": max((len(s["pieces"]) for s in self.t["signals"]), default=0),
            "REPEATS": int(any(s["repeats"] > 0 for s in self.t["signals"])),
        }

    def friction(self) -> None:
        elements: Rows = []
        terms: Rows = []
        delays: Rows = []
        history = 0
        for i, p in enumerate(self.t["friction"]):
            law = [(_LAWS.index(kind), self.count(kind, c), self.add(c)) for kind, c in p["law"]]
            impulsive = p["impulsive"]
            if p["contact"] >= 0 and self.t["contacts"][p["contact"]]["friction"] == i:
                impulsive = self.t["contacts"][p["contact"]]["impulsive"]
            values = self.add([p["break_away"], p["kinetic"], p["dwell"], p["travel"], p["surface_damping"],
                               impulsive])  # fmt: skip
            elements.append(
                (len(terms), len(law), int(p["sticks"]), int(p["dead_centre"]),
                 int(p["can_be_free"]), p["contact"], *p["states"],
                 self.add(p["velocity"]), (self.add(p["load_0"]), self.add(p["load_1"])), values,
                 self.threshold(p["zero"]), self.add(p["effect"]),
                 self.add(p["velocity_x"]), self.add(p["acceleration"]))
            )  # fmt: skip
            terms += law
            if p["states"][1] >= 0:
                steps = p["dead_time"] / self.t["step"]
                whole = int(steps)
                delays.append((i, history, whole + 3, whole, steps - whole))
                history += whole + 3
        self.array("elements", "friction_element", elements)
        self.array("law_terms", "law_term", terms)
        self.array("delays", "dead_time", delays)
        memories = sum(p["can_be_free"] and max(p["states"]) >= 0 for p in self.t["friction"])
        self.out.counts |= {"NDELAYS": len(delays), "NHISTORY": history, "NMEMORIES": memories}

    @staticmethod
    def count(kind: str, values: Any) -> int:
        return len(values) // 2 if "table" in kind else len(values)

    def contacts(self) -> None:
        self.array(
            "contacts",
            "rigid_contact",
            [
                (int(c["of_velocity"]), int(c["newton"]), c["friction"], self.add(c["gap"]), self.add(c["rate"]),
                 self.add(c["effect"]), self.add([c["restitution"]]))
                for c in self.t["contacts"]
            ],
        )  # fmt: skip

    def flanks(self) -> None:
        flanks: Rows = []
        stretches: Rows = []
        for f in self.t["flanks"]:
            flanks.append(
                (len(stretches), self.add(f["elongation"]), self.add(f["rate"]), self.add([f["damping"]]))
            )
            stretches += [
                (int(lets_go), side, self.add([slope, offset]))
                for slope, offset, side, lets_go in f["stretches"]
            ]
        self.array("flanks", "flank", flanks)
        self.array("stretches", "stretch", stretches)
        self.out.counts["NFLANKS"] = len(flanks)

    def controllers(self) -> None:
        loops: Rows = []
        channels: Rows = []
        limited: Rows = []
        row = 0
        for c in self.t["loops"]:
            n, m, p = len(c["initial"]), len(c["channels"]), len(c["lo"])
            states, held, saturation, memory = c["places"]
            blocks = [self.add(c[name]) for name in "ABCDL"]
            loops.append(
                (n, m, p, c["integrator"], c["further"], len(channels), states, held, saturation, memory, row, *blocks,
                 self.add(c["lo"]), self.add(c["hi"]), self.add([c["quantum"]]), self.add(c["initial"]), c["period"])
            )  # fmt: skip
            channels += [(int(difference), int(quantised)) for difference, quantised in c["channels"]]
            row += m
        for k in self.t["order"]:
            c = self.t["loops"][k]
            if c["places"][2] >= 0:
                limited += [
                    (k, j) for j in range(len(c["lo"])) if np.isfinite(c["lo"][j]) or np.isfinite(c["hi"][j])
                ]
        self.array("controllers", "controller", loops)
        self.array("channels", "channel", channels)
        self.array("limited", "limited_output", limited)
        most = [(len(c["channels"]), len(c["lo"]), len(c["initial"])) for c in self.t["loops"]] or [(0, 0, 0)]
        self.out.counts |= {
            "NLOOPS": len(loops),
            "NLIMITED": len(limited),
            "NSAT": len(self.t["modes"]["saturation"]),
            "NEEDS_RATES": int(any(c["needs_rates"] for c in self.t["loops"])),
            "MOST_INPUTS": max(1, max(m for m, _, _ in most)),
            "MOST_OUTPUTS": max(1, max(p for _, p, _ in most)),
            "MOST_CONTROLLER_STATES": max(1, max(n for _, _, n in most)),
        }

    def sampled(self) -> None:
        rows = []
        place = 0
        places = []
        for c in self.t["loops"]:
            places.append(place)
            place += len(c["lo"])
        for s in self.t["sampled"]:
            rows.append(
                (s["loop"], places[s["loop"]], s["every"], s["first"], s["delay_steps"], s["delay_rest"])
            )
        start = np.zeros(self.t["memory"])
        for c in self.t["loops"]:
            if c["places"][3] >= 0:
                start[c["places"][3] : c["places"][3] + len(c["initial"])] = c["initial"]
        self.array("sampled", "sampled_loop", rows)
        self.out.places["FIRST_MEMORY"] = self.add(start)
        self.out.counts |= {"NS": len(rows), "NMEMORY": len(start), "NCOMPUTED": place}

    # --- modes and their plans -----------------------------------------------------------------------------------

    @staticmethod
    def modes(m: dict[str, Any]) -> tuple[int, ...]:
        codes = {(1, 0): 0, (-1, 0): 1, (0, 0): 2, (0, 1): 3, (0, -1): 4, (2, 0): 5}
        return (
            *(codes[mode, above] for mode, above, _ in m["friction"]),
            *(stretch for _, _, stretch in m["friction"]),
            *m["contact"],
            *(2 * stretch + int(loose) for stretch, loose in m["flank"]),
            *m["saturation"],
        ) or (0,)

    def plans(self) -> None:
        plans: Rows = []
        self.guards: Rows = []
        self.leavers: Rows = []
        self.curves: Rows = []
        self.ageing: Rows = []
        for p in sorted(self.t["plans"], key=lambda one: self.modes(one["modes"])):
            plans.append(self.plan(p))
        self.array("plans", "mode_plan", plans)
        self.array("guards", "guard", self.guards)
        self.array("leavers", "leaver", self.leavers)
        self.array("curves", "curve", self.curves)
        self.array("ageing", "ageing_limit", self.ageing)
        self.out.counts |= {"NAGEING": len(self.ageing), "NLEAVERS": len(self.leavers)}
        self.out.counts["MODE_SETS"] = 2**self.nc * 3**self.np if self.nc else 0

    def plan(self, p: dict[str, Any]) -> tuple[Any, ...]:
        first_guard = self.found(self.guards, [self.guard(g) for g in p["guards"]])
        curves = [
            (c["kind"], c["element"], c["mode"], self.add(c["u"]), self.add(c["load"])) for c in p["curved"]
        ]
        first_curve = len(self.curves)
        self.curves += curves
        first_ageing = len(self.ageing)
        self.ageing += [(g, i, self.add([level]), self.add(load)) for g, i, level, load in p["ageing"]]
        names = ("end", "through", "u_end", "u_through", "load_end", "load_through")
        columns = [self.add(np.asarray(p[name]).T) for name in names]
        inputs = self.add(*(row for rows in p["inputs"] for row in rows))
        return (
            self.modes(p["modes"]),
            int(p["follows"]),
            int(p["shared"]),
            int(p["short_guards"]),
            first_guard,
            len(p["guards"]),
            first_curve,
            len(curves),
            first_ageing,
            len(p["ageing"]),
            self.add(np.asarray(p["step"])[: self.nx]),
            self.add(np.asarray(p["rate"])[: self.nx]),
            self.add(np.asarray(p["values"])[: len(p["guards"])]),
            self.threshold(p["tolerance"]),
            *columns,
            self.add(*(half[: self.nx] for half in p["halves"])),
            inputs,
            self.outputs(p["reads"]),
            self.projection(p["gaps"]),
            self.projection(p["held"]),
        )

    @staticmethod
    def found(everything: Rows, rows: Rows) -> int:
        """Place of these rows in a row, which are appended unless they are known."""
        for at in range(len(everything) - len(rows) + 1):
            if everything[at : at + len(rows)] == rows:
                return at
        everything += rows
        return len(everything) - len(rows)

    def guard(self, g: dict[str, Any]) -> tuple[Any, ...]:
        loop, output, trigger = g.get("limit", (-1, -1, -1))
        stretch, loose = g.get("next", (0, False))
        leaving = [(int(i), int(side)) for i, side in g["leaving"]]
        at = self.found(self.leavers, leaving)
        return (g["kind"], g["direction"], g["friction"], g["contact"], g["flank"], 2 * stretch + int(loose), loop, output,
                trigger, at, len(leaving))  # fmt: skip

    def projection(self, p: dict[str, Any]) -> tuple[Any, ...]:
        return len(p["rows"]), self.add(*p["rows"]), self.add(np.asarray(p["change"]).T)

    # --- outputs -------------------------------------------------------------------------------------------------

    def reads(self) -> None:
        reads: Rows = []
        for r in self.t["reads"]:
            kind = _READS[r["kind"]]
            if r["kind"] == "mode":
                element = self.t["friction"][r["index"]]
                kind = _SIDE if not element["sticks"] else _FREE_MODE if r["can_be_free"] else kind
            reads.append((kind, r["index"], max(r["part"], 0)))
        terms = [(int(read), float(factor)) for of in self.t["outputs"] for read, factor in of]
        ends = np.cumsum([0, *(len(of) for of in self.t["outputs"])])
        self.array("reads", "output_read", reads)
        self.array("output_terms", "output_term", terms)
        self.array("first_term", "int16_t", [(int(k),) for k in ends])
        self.forces = any(kind == _READS["force"] for kind, _, _ in reads)
        self.width = 1 + self.nx + self.nv + (self.np if self.forces else 0)
        self.out.counts |= {
            "NO": len(self.t["outputs"]),
            "NREADS": len(reads),
            "NEEDS_FORCES": int(self.forces),
            "OUTPUT_WIDTH": self.width,
        }

    def outputs(self, rows: list[Any]) -> Place:
        all_rows = np.zeros((len(rows), self.width))
        for k, row in enumerate(rows):
            all_rows[k, : len(row)] = row
        return self.add(all_rows)
