"""P3: Lemke's method on problems of contact type and on random ones, orders 5, 20 and 100; time per solve."""

from __future__ import annotations

import numpy as np

from stickslip import lcp

from .entries import Entry, with_peer


def contact_type(contacts: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return the problem of so many closed contacts that all stick (Hinrichsen 2007, 3.56), order 5 each."""
    dof = 2 * contacts + 2
    root = rng.standard_normal((dof, dof))
    inverse = np.linalg.inv(root @ root.T / dof + np.eye(dof))
    N, T = rng.standard_normal((dof, contacts)), rng.standard_normal((dof, contacts))
    h = rng.standard_normal(dof)
    mu, zero, one = np.diag(rng.uniform(0.1, 0.6, contacts)), np.zeros((contacts, contacts)), np.eye(contacts)
    nn, nt, tn, tt = N.T @ inverse @ N, N.T @ inverse @ T, T.T @ inverse @ N, T.T @ inverse @ T
    A = np.block(
        [
            [nn, nt, -nt, zero, zero],
            [tn, tt, -tt, one, zero],
            [-tn, -tt, tt, zero, one],
            [mu, -one, zero, zero, zero],
            [mu, zero, -one, zero, zero],
        ]
    )
    b = np.concatenate([N.T @ inverse @ h, T.T @ inverse @ h, -T.T @ inverse @ h, np.zeros(2 * contacts)])
    return A, b


def random_type(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return a positive definite, unsymmetric matrix: exactly one solution."""
    root, skew = rng.standard_normal((n, n)), rng.standard_normal((n, n))
    return root @ root.T / n + 0.1 * np.eye(n) + 0.5 * (skew - skew.T), rng.standard_normal(n)


def numpy_lemke(M: np.ndarray, q: np.ndarray, budget: int = 2000) -> np.ndarray | None:
    """Return z by the textbook tableau with a covering vector of ones, or None."""
    n = len(q)
    if (q >= 0).all():
        return np.zeros(n)
    tableau = np.hstack([np.eye(n), -M, -np.ones((n, 1)), q[:, None]])
    basis = list(range(n))
    row = int(np.argmin(q))
    entering = 2 * n
    for _ in range(budget):
        tableau[row] /= tableau[row, entering]
        column = tableau[:, entering].copy()
        column[row] = 0.0
        tableau -= np.outer(column, tableau[row])
        leaving, basis[row] = basis[row], entering
        if leaving == 2 * n:
            z = np.zeros(2 * n + 1)
            z[basis] = tableau[:, -1]
            return z[n : 2 * n]
        entering = leaving + n if leaving < n else leaving - n
        usable = tableau[:, entering] > 1e-11
        if not usable.any():
            return None
        ratios = np.full(n, np.inf)
        ratios[usable] = tableau[usable, -1] / tableau[usable, entering]
        ties = np.flatnonzero(ratios <= ratios.min() + 1e-12)
        row = next((int(i) for i in ties if basis[i] == 2 * n), int(ties[0]))
    return None


def quantecon_run(Ms, qs):
    """Return a call of quantecon's Lemke (compiled by numba beforehand)."""
    from quantecon.optimize import lcp_lemke

    lcp_lemke(Ms[0], qs[0])
    return lambda: [
        r.z if r.success else None for r in (lcp_lemke(M, q) for M, q in zip(Ms, qs, strict=True))
    ]


def entries(quick: bool) -> list[Entry]:
    """Rows of P3."""
    rows = []
    for n in (5, 20) if quick else (5, 20, 100):
        for kind in ("contact", "random"):
            count = 10 if quick else {5: 200, 20: 100, 100: 20}[n]
            rng = np.random.default_rng(n)
            pairs = [
                contact_type(n // 5, rng) if kind == "contact" else random_type(n, rng) for _ in range(count)
            ]
            Ms, qs = np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs])
            problem = f"P3 LCP {kind} type, n = {n} (worst residual; solved of {count})"

            def judge(answers, Ms=Ms, qs=qs):
                worst, solved = 0.0, 0
                for M, q, z in zip(Ms, qs, answers, strict=True):
                    if z is None or not np.isfinite(z).all():
                        continue
                    r = lcp.residual(M, q, z)
                    if r < 1e-6:
                        solved += 1
                        worst = max(worst, r)
                return f"{worst:.0e}, {solved}"

            rows.append(
                Entry(
                    problem,
                    "stickslip lemke, 2-D",
                    lambda a=Ms, b=qs: lcp.lemke(a, b).z,
                    judge,
                    count,
                    ours=True,
                )
            )
            rows.append(
                Entry(problem, "stickslip lemke, one by one",
                      lambda a=Ms, b=qs: [lcp.lemke(M, q).z for M, q in zip(a, b, strict=True)],
                      judge, count, ours=True)
            )  # fmt: skip
            rows.append(
                Entry(problem, "plain NumPy Lemke",
                      lambda a=Ms, b=qs: [numpy_lemke(M, q) for M, q in zip(a, b, strict=True)], judge, count)
            )  # fmt: skip
            if not quick:
                rows += with_peer(
                    "quantecon",
                    lambda a=Ms, b=qs, p=problem, j=judge, c=count: [
                        Entry(p, "quantecon lcp_lemke", quantecon_run(a, b), j, c)
                    ],
                )
    return rows
