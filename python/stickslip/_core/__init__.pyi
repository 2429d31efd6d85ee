"""
The compiled engine of stickslip.
"""

from __future__ import annotations

import collections.abc
import typing

import numpy
import numpy.typing

from . import contact as contact
from . import lcp as lcp

class Signal:
    """
    A compiled function of time: polynomial pieces plus harmonics.
    """

    @staticmethod
    def constant(value: typing.SupportsFloat | typing.SupportsIndex) -> Signal: ...
    @staticmethod
    def input(name: str, default: typing.SupportsFloat | typing.SupportsIndex) -> Signal: ...
    @staticmethod
    def move(
        distance: typing.SupportsFloat | typing.SupportsIndex,
        velocity: typing.SupportsFloat | typing.SupportsIndex,
        acceleration: typing.SupportsFloat | typing.SupportsIndex,
        jerk: typing.SupportsFloat | typing.SupportsIndex | None,
        start: typing.SupportsFloat | typing.SupportsIndex,
        offset: typing.SupportsFloat | typing.SupportsIndex,
    ) -> Signal: ...
    @staticmethod
    def move_plan(
        distance: typing.SupportsFloat | typing.SupportsIndex,
        velocity: typing.SupportsFloat | typing.SupportsIndex,
        acceleration: typing.SupportsFloat | typing.SupportsIndex,
        jerk: typing.SupportsFloat | typing.SupportsIndex | None,
    ) -> typing.Annotated[list[float], "FixedSize(3)"]:
        """
        Duration, peak velocity and peak acceleration of a move.
        """

    @staticmethod
    def piecewise(
        times: typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"],
        values: typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"],
    ) -> Signal: ...
    @staticmethod
    def ramp(
        slope: typing.SupportsFloat | typing.SupportsIndex,
        start: typing.SupportsFloat | typing.SupportsIndex,
        offset: typing.SupportsFloat | typing.SupportsIndex,
        stop: typing.SupportsFloat | typing.SupportsIndex | None,
    ) -> Signal: ...
    @staticmethod
    def samples(
        t: typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"],
        values: typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"],
        kind: str,
    ) -> Signal: ...
    @staticmethod
    def sine(
        amplitude: typing.SupportsFloat | typing.SupportsIndex,
        frequency: typing.SupportsFloat | typing.SupportsIndex,
        phase: typing.SupportsFloat | typing.SupportsIndex,
        offset: typing.SupportsFloat | typing.SupportsIndex,
        start: typing.SupportsFloat | typing.SupportsIndex | None,
    ) -> Signal: ...
    @staticmethod
    def smooth_step(
        value: typing.SupportsFloat | typing.SupportsIndex,
        start: typing.SupportsFloat | typing.SupportsIndex,
        duration: typing.SupportsFloat | typing.SupportsIndex,
        before: typing.SupportsFloat | typing.SupportsIndex,
    ) -> Signal: ...
    @staticmethod
    def step(
        value: typing.SupportsFloat | typing.SupportsIndex,
        at: typing.SupportsFloat | typing.SupportsIndex,
        before: typing.SupportsFloat | typing.SupportsIndex,
    ) -> Signal: ...
    def __add__(self, arg0: Signal) -> Signal: ...
    def __eq__(self, arg0: object) -> bool: ...
    def __rmul__(self, arg0: typing.SupportsFloat | typing.SupportsIndex) -> Signal: ...
    def differentiate(self, order: typing.SupportsInt | typing.SupportsIndex = 1) -> Signal: ...
    def next_breakpoint(self, t: typing.SupportsFloat | typing.SupportsIndex) -> float: ...
    def taylor(
        self, t: typing.SupportsFloat | typing.SupportsIndex, count: typing.SupportsInt | typing.SupportsIndex
    ) -> numpy.typing.NDArray[numpy.float64]: ...
    def value(
        self,
        t: typing.SupportsFloat | typing.SupportsIndex,
        order: typing.SupportsInt | typing.SupportsIndex = 0,
    ) -> float: ...
    def value_with_input(
        self, t: typing.SupportsFloat | typing.SupportsIndex, u: typing.SupportsFloat | typing.SupportsIndex
    ) -> float: ...
    def values(
        self,
        t: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
        order: typing.SupportsInt | typing.SupportsIndex = 0,
    ) -> numpy.typing.NDArray[numpy.float64]: ...
    @property
    def breakpoints(self) -> list[float]: ...
    @property
    def input_default(self) -> float: ...
    @property
    def input_gain(self) -> float: ...
    @property
    def input_name(self) -> str: ...
    @property
    def is_constant(self) -> bool: ...

class LawTraits:
    """
    What does not change while a law runs.
    """

    @property
    def affine(self) -> bool: ...
    @property
    def break_away(self) -> tuple[float, float]: ...
    @property
    def damping(self) -> float: ...
    @property
    def kinked(self) -> bool: ...
    @property
    def needs_interpreter(self) -> bool: ...
    @property
    def states(self) -> int: ...
    @property
    def sticks(self) -> bool: ...
    @property
    def stiffness(self) -> float: ...
    @property
    def switches(self) -> int: ...

class Law:
    """
    A sum of friction terms, each given as (kind, parameters).
    """

    def __add__(self, arg0: Law) -> Law: ...
    def __eq__(self, arg0: object) -> bool: ...
    def __init__(
        self, terms: collections.abc.Sequence[typing.Any] | numpy.typing.NDArray[typing.Any]
    ) -> None: ...
    def evaluate(
        self,
        velocity: typing.SupportsFloat | typing.SupportsIndex,
        direction: typing.SupportsInt | typing.SupportsIndex,
        z: typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"],
        branch: typing.SupportsInt | typing.SupportsIndex = 0,
    ) -> tuple[typing.Any, ...]: ...
    def force(
        self,
        velocity: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
        normal_load: typing.SupportsFloat | typing.SupportsIndex = 1.0,
    ) -> numpy.typing.NDArray[numpy.float64]: ...
    def linearise(
        self,
        velocity: typing.SupportsFloat | typing.SupportsIndex,
        direction: typing.SupportsInt | typing.SupportsIndex,
        z: typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"],
        branch: typing.SupportsInt | typing.SupportsIndex = 0,
    ) -> tuple[typing.Any, ...]: ...
    def response(
        self,
        velocity: Signal,
        t: typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"],
        initial: typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"],
        normal_load: typing.SupportsFloat | typing.SupportsIndex,
        rtol: typing.SupportsFloat | typing.SupportsIndex,
    ) -> tuple[typing.Any, ...]: ...
    def rest_interval(
        self, z: typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]
    ) -> tuple[float, float]: ...
    def rest_rates(
        self,
        dry: typing.SupportsFloat | typing.SupportsIndex,
        z: typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"],
    ) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...
    def slope(
        self,
        velocity: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
        normal_load: typing.SupportsFloat | typing.SupportsIndex = 1.0,
        direction: typing.SupportsInt | typing.SupportsIndex = 1,
    ) -> numpy.typing.NDArray[numpy.float64]: ...
    def switch_guards(
        self,
        velocity: typing.SupportsFloat | typing.SupportsIndex,
        direction: typing.SupportsInt | typing.SupportsIndex,
        z: typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"],
        branch: typing.SupportsInt | typing.SupportsIndex = 0,
    ) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...
    @property
    def state_names(self) -> list[str]: ...
    @property
    def terms(self) -> list[typing.Any]: ...
    @property
    def traits(self) -> LawTraits: ...
    @property
    def velocity_kinks(self) -> list[float]: ...

class ControlOptions:
    """
    What all controllers have: limits, sampling, anti-windup.
    """

    def __init__(
        self,
        min: typing.SupportsFloat | typing.SupportsIndex | None,
        max: typing.SupportsFloat | typing.SupportsIndex | None,
        anti_windup: str | None,
        tracking_time: typing.SupportsFloat | typing.SupportsIndex | None,
        period: typing.SupportsFloat | typing.SupportsIndex | None,
        delay: typing.SupportsFloat | typing.SupportsIndex,
        quantum: typing.SupportsFloat | typing.SupportsIndex,
        rate: str,
    ) -> None: ...

class Saturation:
    """
    Mode of a limited output of a continuous controller.

    Members:

      free

      high

      low

      high_frozen

      low_frozen

      high_following

      low_following
    """

    __members__: typing.ClassVar[dict[str, Saturation]]
    free: typing.ClassVar[Saturation]
    high: typing.ClassVar[Saturation]
    high_following: typing.ClassVar[Saturation]
    high_frozen: typing.ClassVar[Saturation]
    low: typing.ClassVar[Saturation]
    low_following: typing.ClassVar[Saturation]
    low_frozen: typing.ClassVar[Saturation]

    def __eq__(self, other: object) -> bool: ...
    def __index__(self) -> int: ...
    def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    def __ne__(self, other: object) -> bool: ...
    def __repr__(self) -> str: ...
    def __str__(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class BlockTrigger:
    """
    What a guard of a limited output says when it fires.

    Members:

      exceeds_max

      exceeds_min

      returns

      turns_outwards

      turns_inwards
    """

    __members__: typing.ClassVar[dict[str, BlockTrigger]]
    exceeds_max: typing.ClassVar[BlockTrigger]
    exceeds_min: typing.ClassVar[BlockTrigger]
    returns: typing.ClassVar[BlockTrigger]
    turns_inwards: typing.ClassVar[BlockTrigger]
    turns_outwards: typing.ClassVar[BlockTrigger]

    def __eq__(self, other: object) -> bool: ...
    def __index__(self) -> int: ...
    def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    def __ne__(self, other: object) -> bool: ...
    def __repr__(self) -> str: ...
    def __str__(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class BlockGuard:
    @property
    def offset(self) -> float: ...
    @property
    def trigger(self) -> BlockTrigger: ...
    @property
    def w(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...
    @property
    def wdot(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...
    @property
    def z(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...

class AffineBlock:
    @property
    def A(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    @property
    def B(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    @property
    def C(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    @property
    def D(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    @property
    def b(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...
    @property
    def d(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...

class Block:
    """
    A controller in the form in which the engine runs it.
    """

    def affine(
        self, modes: collections.abc.Sequence[Saturation] | numpy.typing.NDArray[typing.Any]
    ) -> AffineBlock: ...
    def after(
        self,
        output: typing.SupportsInt | typing.SupportsIndex,
        mode: Saturation,
        fired: BlockTrigger,
        z: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
        w: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
        wdot: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"] | None = None,
    ) -> Saturation: ...
    def decide(
        self,
        output: typing.SupportsInt | typing.SupportsIndex,
        before: Saturation,
        z: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
        w: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
        wdot: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"] | None = None,
    ) -> Saturation: ...
    def guards(
        self, output: typing.SupportsInt | typing.SupportsIndex, mode: Saturation
    ) -> list[BlockGuard]: ...
    def settle(
        self,
        output: typing.SupportsInt | typing.SupportsIndex,
        mode: Saturation,
        w: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
        z: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    ) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]:
        """
        The states with the integral of a following output filled in.
        """

    @property
    def A(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    @property
    def B(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    @property
    def C(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    @property
    def D(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    @property
    def L(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    @property
    def delay(self) -> float: ...
    @property
    def hi(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...
    @property
    def initial(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...
    @property
    def inputs(self) -> list[str]: ...
    @property
    def integrator(self) -> int: ...
    @property
    def is_program(self) -> bool: ...
    @property
    def lo(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...
    @property
    def needs_input_rates(self) -> bool: ...
    @property
    def period(self) -> float: ...
    @property
    def quantum(self) -> float: ...

class Ticker:
    """
    A sampled controller with its memory, run by hand.
    """

    def __init__(self, block: Block) -> None: ...
    def step(
        self,
        t: typing.SupportsFloat | typing.SupportsIndex,
        samples: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    ) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]:
        """
        One sampling instant: samples in the order of block.inputs; returns the outputs.
        """

    @property
    def memory(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...

class Controller:
    """
    A controller as a value; see stickslip.control.
    """

    @staticmethod
    def cascade(
        kv: typing.SupportsFloat | typing.SupportsIndex,
        kp: typing.SupportsFloat | typing.SupportsIndex,
        tn: typing.SupportsFloat | typing.SupportsIndex,
        position: str,
        velocity_feedforward: typing.SupportsFloat | typing.SupportsIndex,
        force_feedforward: typing.SupportsFloat | typing.SupportsIndex,
        options: ControlOptions,
    ) -> Controller: ...
    @staticmethod
    def linear(
        A: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, n]"],
        B: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, n]"],
        C: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, n]"],
        D: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, n]"],
        error: bool,
        references: typing.SupportsInt | typing.SupportsIndex,
        gain: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, n]"] | None,
        discrete: bool,
        options: ControlOptions,
    ) -> Controller: ...
    @staticmethod
    def p(
        kp: typing.SupportsFloat | typing.SupportsIndex,
        feedforward: typing.SupportsFloat | typing.SupportsIndex,
        controls: str,
        options: ControlOptions,
    ) -> Controller: ...
    @staticmethod
    def pi(
        kp: typing.SupportsFloat | typing.SupportsIndex,
        tn: typing.SupportsFloat | typing.SupportsIndex,
        feedforward: typing.SupportsFloat | typing.SupportsIndex,
        controls: str,
        options: ControlOptions,
    ) -> Controller: ...
    @staticmethod
    def pid(
        kp: typing.SupportsFloat | typing.SupportsIndex,
        ki: typing.SupportsFloat | typing.SupportsIndex,
        kd: typing.SupportsFloat | typing.SupportsIndex,
        tf: typing.SupportsFloat | typing.SupportsIndex,
        derivative_of: str,
        options: ControlOptions,
    ) -> Controller: ...
    @staticmethod
    def program(
        function: typing.Any,
        references: typing.SupportsInt | typing.SupportsIndex,
        measurements: typing.SupportsInt | typing.SupportsIndex,
        outputs: typing.SupportsInt | typing.SupportsIndex,
        memory: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
        options: ControlOptions,
    ) -> Controller: ...
    def __eq__(self, arg0: object) -> bool: ...
    def block(self) -> Block: ...

class Automaton:
    def __init__(
        self,
        lag: typing.SupportsFloat | typing.SupportsIndex = 0.0,
        dwell: typing.SupportsFloat | typing.SupportsIndex = 0.0,
        travel: typing.SupportsFloat | typing.SupportsIndex = 0.0,
        surface_damping: typing.SupportsFloat | typing.SupportsIndex = 0.0,
        load_factor: typing.SupportsFloat | typing.SupportsIndex = 0.0,
    ) -> None: ...

class Compiled:
    def initial_state(
        self,
        t0: typing.SupportsFloat | typing.SupportsIndex,
        x0: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    ) -> typing.Any: ...
    def linear_part(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    @property
    def compensators(self) -> list[str]: ...
    @property
    def contacts(self) -> list[tuple[str, int]]: ...
    @property
    def controllers(self) -> list[typing.Any]: ...
    @property
    def coordinates(self) -> list[str]: ...
    @property
    def drives(self) -> list[str]: ...
    @property
    def nominal(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...
    @property
    def places(self) -> list[str]: ...
    @property
    def quantities(self) -> dict[typing.Any, typing.Any]: ...
    @property
    def signals(self) -> list[Signal]: ...
    @property
    def states(self) -> list[str]: ...
    @property
    def variables(self) -> list[typing.Any]:
        """
        Name, where it is read from, index, part, terms of a sum.
        """

class Machine:
    """
    The one description of a machine.
    """

    shared: bool

    @staticmethod
    def unpack(saved: dict[typing.Any, typing.Any]) -> Machine: ...
    def __eq__(self, arg0: object) -> bool: ...
    def __init__(self, kind: str, fields: dict[typing.Any, typing.Any]) -> None: ...
    def add(self, kind: str, fields: dict[typing.Any, typing.Any]) -> None: ...
    def compile(self) -> Compiled: ...
    def copy(self) -> Machine: ...
    def has(self, name: str) -> bool: ...
    def names(self, kinds: collections.abc.Sequence[str] | numpy.typing.NDArray[typing.Any]) -> list[str]:
        """
        Names of the elements of these kinds, in the order of adding.
        """

    def pack(self) -> dict[typing.Any, typing.Any]: ...
    @property
    def coordinates(self) -> list[str]: ...
    @property
    def elements(self) -> typing.Any: ...
    @property
    def parameters(self) -> list[str]: ...
    @property
    def plant(self) -> dict[typing.Any, typing.Any]: ...

class Method:
    """
    Members:

      auto

      exact

      explicit

      stiff

      time_stepping
    """

    __members__: typing.ClassVar[dict[str, Method]]
    auto: typing.ClassVar[Method]
    exact: typing.ClassVar[Method]
    explicit: typing.ClassVar[Method]
    stiff: typing.ClassVar[Method]
    time_stepping: typing.ClassVar[Method]

    def __eq__(self, other: object) -> bool: ...
    def __index__(self) -> int: ...
    def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    def __ne__(self, other: object) -> bool: ...
    def __repr__(self) -> str: ...
    def __str__(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class Keep:
    """
    Members:

      segments

      events

      nothing
    """

    __members__: typing.ClassVar[dict[str, Keep]]
    events: typing.ClassVar[Keep]
    nothing: typing.ClassVar[Keep]
    segments: typing.ClassVar[Keep]

    def __eq__(self, other: object) -> bool: ...
    def __index__(self) -> int: ...
    def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    def __ne__(self, other: object) -> bool: ...
    def __repr__(self) -> str: ...
    def __str__(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class State:
    def __eq__(self, arg0: object) -> bool: ...
    @property
    def modes(self) -> list[int]: ...
    @property
    def t(self) -> float: ...
    @property
    def x(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...

class Trajectory:
    @staticmethod
    def unpack(compiled: Compiled, saved: tuple[typing.Any, ...]) -> Trajectory: ...
    def energy(
        self, times: typing.Annotated[numpy.typing.ArrayLike, numpy.float64]
    ) -> dict[typing.Any, typing.Any]: ...
    def jacobian(
        self,
        held: typing.SupportsFloat | typing.SupportsIndex,
        t: typing.SupportsFloat | typing.SupportsIndex,
        x: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    ) -> tuple[
        typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"],
        typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"],
    ]: ...
    def pack(self) -> tuple[typing.Any, ...]: ...
    def rate(
        self,
        held: typing.SupportsFloat | typing.SupportsIndex,
        t: typing.SupportsFloat | typing.SupportsIndex,
        x: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    ) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...
    def step_times(self) -> list[float]: ...
    def stuck_for_good(self, t: typing.SupportsFloat | typing.SupportsIndex) -> bool: ...
    @property
    def compiled(self) -> Compiled: ...
    @property
    def energy_residual(self) -> float: ...
    @property
    def evaluations(self) -> int: ...
    @property
    def event_count(self) -> int: ...
    @property
    def events(self) -> tuple[typing.Any, ...]: ...
    @property
    def keeps_segments(self) -> bool: ...
    @property
    def message(self) -> str: ...
    @property
    def regimes(self) -> list[typing.Any]: ...
    @property
    def state(self) -> State: ...
    @property
    def status(self) -> str: ...
    @property
    def steps(self) -> int: ...
    @property
    def t_begin(self) -> float: ...
    @property
    def t_end(self) -> float: ...

class Samples:
    def __init__(
        self, run: Trajectory, times: typing.Annotated[numpy.typing.ArrayLike, numpy.float64]
    ) -> None: ...
    @property
    def contact_modes(self) -> typing.Annotated[numpy.typing.NDArray[numpy.int8], "[m, n]"]: ...
    @property
    def errors(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    @property
    def forces(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    @property
    def gap_rates(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    @property
    def gaps(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    @property
    def loads(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    @property
    def lower_limits(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    @property
    def modes(self) -> typing.Annotated[numpy.typing.NDArray[numpy.int8], "[m, n]"]: ...
    @property
    def normal_impulses(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    @property
    def output_modes(self) -> typing.Annotated[numpy.typing.NDArray[numpy.int8], "[m, n]"]: ...
    @property
    def outputs(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    @property
    def rates(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    @property
    def references(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    @property
    def states(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    @property
    def upper_limits(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    @property
    def velocities(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...

class Options:
    def __init__(self, **kwargs: typing.Any) -> None: ...
    def __repr__(self) -> str: ...
    @property
    def atol(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...
    @property
    def keep(self) -> Keep: ...
    @property
    def max_events(self) -> int: ...
    @property
    def max_step(self) -> float: ...
    @property
    def max_time(self) -> float: ...
    @property
    def method(self) -> Method: ...
    @property
    def rtol(self) -> float: ...
    @property
    def t_end(self) -> float: ...
    @property
    def theta(self) -> float: ...

class RealTime:
    def __init__(
        self,
        compiled: Compiled,
        step: typing.SupportsFloat | typing.SupportsIndex,
        x0: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
        t0: typing.SupportsFloat | typing.SupportsIndex,
        max_transitions: typing.SupportsInt | typing.SupportsIndex,
        outputs: collections.abc.Sequence[str] | numpy.typing.NDArray[typing.Any],
    ) -> None: ...
    def go(self, steps: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def read(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...
    def run(
        self, inputs: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, n]"]
    ) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    def step(
        self, inputs: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"]
    ) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...
    @property
    def failed(self) -> bool: ...
    @property
    def input_values(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...
    @property
    def inputs(self) -> list[str]: ...
    @property
    def late(self) -> bool: ...
    @property
    def left_over(self) -> int: ...
    @property
    def modes(self) -> list[int]: ...
    @property
    def prebuilt(self) -> bool: ...
    @property
    def state(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...
    @property
    def t(self) -> float: ...
    @property
    def ticks(self) -> int: ...
    @property
    def transitions(self) -> int: ...

def ensemble(
    machine: Machine,
    t_start: typing.SupportsFloat | typing.SupportsIndex,
    initial: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    options: Options,
    parameters: collections.abc.Sequence[str] | numpy.typing.NDArray[typing.Any],
    values: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, n]"],
    measures: collections.abc.Sequence[str] | numpy.typing.NDArray[typing.Any],
    workers: typing.SupportsInt | typing.SupportsIndex,
) -> tuple[typing.Any, ...]: ...
def simulate(compiled: Compiled, state: State, options: Options) -> Trajectory: ...

__version__: str
