"""
The compiled engine of stickslip.
"""

from __future__ import annotations

from . import contact as contact
from . import control as control
from . import dynamics as dynamics
from . import ensemble as ensemble
from . import export as export
from . import expression as expression
from . import flow as flow
from . import friction as friction
from . import linear as linear
from . import model as model
from . import realtime as realtime
from . import run as run
from . import sensitivity as sensitivity
from . import signal as signal
from . import transition as transition

__version__: str
