"""Errors of the package."""

from collections.abc import Iterable

__all__ = ["MissingExtraError", "UnknownNameError"]


class UnknownNameError(KeyError, ValueError):
    """Unknown name in a machine, a run or a law; the message lists the known names.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=1.0, names=["block"])
    >>> try:
    ...     ss.simulate(m, t_end=1.0, initial={"blok.velocity": 1.0})
    ... except ss.UnknownNameError as error:
    ...     print(error)
    unknown state 'blok.velocity' in initial; known are: 'block.position', 'block.velocity'
    """

    def __str__(self) -> str:
        """Return the message as it is: KeyError would quote it."""
        return str(self.args[0])


def unknown_signal(name: object, known: Iterable[str]) -> UnknownNameError:
    """Return the error for an unknown signal; for the name of an element or a coordinate it lists its signals."""
    names = list(known)
    own = [signal for signal in names if signal.startswith(f"{name}.")]
    if own:
        return UnknownNameError(f"{name!r} is not a signal; its signals are {', '.join(map(repr, own))}")
    times = "times are run.t; " if name in ("t", "time") else ""
    return UnknownNameError(f"unknown signal {name!r}; {times}known are: {', '.join(map(repr, names))}")


class MissingExtraError(ImportError):
    """An optional dependency is not installed; the message names the extra that installs it."""
