"""Upper bound of the floating-point operations of a step."""

from __future__ import annotations

from stickslip.export._c99_layout import Layout

_CALL = 20  # operations that a function of math.h counts for


def operations(layout: Layout, max_transitions: int) -> int:
    """Return the bound: loops to their ends, every branch its longest way."""
    c = layout.counts
    nx, nv, nf, ng, elements, contacts = (c[name] for name in ("NX", "NV", "NF", "NG", "NP", "NC"))
    row = 2 * (nx + nv) + 1
    law = 40 + 3 * _CALL
    forces = nf * (2 * row + law)
    map_step = nx * (2 * (2 * nv + nx + nf) + 1)
    map_rate = nx * (2 * (nx + nv + nf) + 1)
    solve = nf * (2 * row + 12) + 2 * nf**3 + 4 * nf**2 + 2 * nx * nf
    guard = 2 * (nx + nv + nf) + 1 + (row + 10 if c["NAGEING"] else 0)
    advance = forces + map_step + nv + solve
    between = 8 * nx + 3 * (nv + nf)
    location = ng * (guard + map_rate + 2 * (nx + nv + nf) + 20 + _CALL)
    project = 2 * (elements + contacts) * (row + 2 * nx)
    limits = c["NLIMITED"] * (
        2 * c["MOST_INPUTS"] * row + 8 * (c["MOST_CONTROLLER_STATES"] + 1) ** 2 * (c["MOST_INPUTS"] + 1)
    )
    states = elements * (3 * row + 2 * law + 20)
    change = location + between + ng * guard + states + project + limits + map_rate
    if contacts:
        flow = c["HALVES"] * (nx * (2 * (2 * nv + nx) + 1) + nv) + 2 * map_rate + 6 * nx
        change += ng * (3 * flow + 6 * guard) + flow
        n = contacts + elements
        sets = 2**contacts * 3**elements
        modes = map_rate + 2 * nx * (nx + nv) + 3 * ng * guard
        impact = n * n * 2 * nx + n * row + 2 * sets * (2 * n**3 + 8 * n**2) + 4 * nx * n
        change += (
            2 * sets * modes + 4 * contacts * (impact + 2 * contacts * row) + elements * (2 * row + map_rate)
        )
    else:
        change += (elements + 1) * (forces + ng * guard)
    sampled = c["NS"] * (
        c["MOST_INPUTS"] * row
        + 2
        * (c["MOST_CONTROLLER_STATES"] + c["MOST_OUTPUTS"])
        * (c["MOST_CONTROLLER_STATES"] + c["MOST_INPUTS"] + c["MOST_OUTPUTS"])
        + 20
    )
    signals = nv * (30 + _CALL * max(1, c["NHARMONICS"]))
    parts = max_transitions + contacts + 2 * c["NS"] + 1
    changes = max_transitions + contacts
    surfaces = c["NMEMORIES"] * (row + 1)
    if elements > 1:  # one rests with others, or surfaces part
        surfaces += elements * (2 * row + law) + elements * (2 * elements * (row + 1) + project)
    begin = signals + sampled + limits + states + surfaces
    return (
        parts * (advance + between + ng * guard)
        + changes * change
        + begin
        + c["NS"] * limits
        + project
        + limits
    )
