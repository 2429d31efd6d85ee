"""A small hybrid simulation that runs a continuous block together with a linear plant, as the engine will.

Modes and guards come from the block; the smooth motion between them from SciPy at tight tolerances.
"""

import numpy as np
from scipy.integrate import solve_ivp

from stickslip import _core

FREE = _core.control.Saturation.free


class Loop:
    """x' = F x + G u; ``inputs(t, x, x')`` gives the block's inputs and their rates, u is its output."""

    def __init__(self, block, inputs, F=None, G=None):
        self.block, self.inputs = block, inputs
        self.F = np.zeros((0, 0)) if F is None else np.asarray(F, float)
        self.G = np.zeros(0) if G is None else np.asarray(G, float)
        self.n = len(self.F)
        self.log = []

    def parts(self, t, X, a):
        """States, inputs, rates of the inputs, output and rates of the states in a mode."""
        x, z = X[: self.n], X[self.n :]
        # The blocks that are run here do not feed an input's value through to itself.
        w, _ = self.inputs(t, x, np.zeros(self.n))
        u = float((a.C @ z + a.D @ w + a.d)[0])
        xdot = self.F @ x + self.G * u
        w, wdot = self.inputs(t, x, xdot)
        return z, w, wdot, u, np.concatenate([xdot, a.A @ z + a.B @ w + a.b])

    def run(self, t0, t1, x0, z0, mode=None, t_eval=()):
        block, t = self.block, t0
        X = np.concatenate([np.asarray(x0, float), np.asarray(z0, float)])
        if mode is None:
            a = block.affine([FREE])
            z, w, wdot, *_ = self.parts(t, X, a)
            mode = block.mode_anew(0, FREE, z, w, wdot)
        samples = []
        t_eval = np.asarray(t_eval, float)
        for _ in range(200):
            a, now = block.affine([mode]), mode
            guards = block.guards(0, mode)
            self.log.append((t, mode.name))

            def values(s, Y, a=a, guards=guards):
                z, w, wdot, *_ = self.parts(s, Y, a)
                return [g.z @ z + g.w @ w + g.wdot @ wdot + g.offset for g in guards]

            events = []
            for i in range(len(guards)):

                def event(s, Y, i=i, values=values):
                    return values(s, Y)[i]

                event.terminal, event.direction = True, 1
                events.append(event)
            rhs = lambda s, Y, a=a: self.parts(s, Y, a)[4]  # noqa: E731
            sol = solve_ivp(
                rhs,
                (t, t1),
                X,
                method="DOP853",
                rtol=1e-12,
                atol=1e-13,
                events=events,
                dense_output=True,
                max_step=0.05,
            )
            inside = t_eval[(t_eval >= t) & (t_eval < sol.t[-1] if sol.status == 1 else t_eval <= t1)]
            for s in inside:
                Y = sol.sol(s)
                z, w, _, u, _ = self.parts(s, Y, a)
                samples.append((s, *Y[: self.n], *block.settle(0, now, w, z), u))
            t, X = sol.t[-1], sol.y[:, -1].copy()
            if sol.status != 1:
                break
            fired = next(i for i, e in enumerate(sol.t_events) if len(e))
            z, w, wdot, *_ = self.parts(t, X, a)
            X[self.n :] = z = block.settle(0, mode, w, z)
            mode = block.after(0, mode, guards[fired].trigger, z, w, wdot)
        else:
            raise AssertionError("too many mode changes")
        z, w, *_ = self.parts(t, X, block.affine([mode]))
        X[self.n :] = block.settle(0, mode, w, z)
        return X, mode, np.array(samples)
