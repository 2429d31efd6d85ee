"""Table of deferred methods: declaration and implementation."""

from __future__ import annotations

from stickslip._attached import attach

for declared, function in {
    "stickslip.analysis.maps:StateMap.plot": "stickslip.draw.state_map:plot",
    "stickslip.laws.law:Law.plot": "stickslip.draw.law:plot",
    "stickslip.laws.law:_as_law": "stickslip.laws.curves:as_law",
    "stickslip.laws.stick_slip:StickSlip.response": "stickslip.run.law_response:response",
    "stickslip.linear.response:FrequencyResponse.plot": "stickslip.linear.drawing:bode",
    "stickslip.linear.response:FrequencyResponse.plot_nyquist": "stickslip.linear.drawing:nyquist",
    "stickslip.linear.time_response:TimeResponse.plot": "stickslip.linear.drawing:over_time",
    "stickslip.machine.base:BaseMachine.draw": "stickslip.draw.machine:draw",
    "stickslip.machine.linear:LinearMachine.linearise": "stickslip.linear.machine:linearise",
    "stickslip.machine.linear:LinearMachine.poles": "stickslip.linear.machine:poles",
    "stickslip.machines.wedge_gear:WedgeGear.draw": "stickslip.draw.wedge:draw",
    "stickslip.machines.worm_gear:WormGear.draw": "stickslip.draw.worm:draw",
    "stickslip.run.trajectory:Trajectory.animate": "stickslip.animation:animate",
    "stickslip.run.trajectory:Trajectory.plot": "stickslip.plotting:plot",
    "stickslip.run.trajectory:Trajectory.save": "stickslip.run.files:save",
    "stickslip.run.trajectory:Trajectory.to_csv": "stickslip.run.files:write_csv",
    "stickslip.run.trajectory:Trajectory.to_mat": "stickslip.run.files:write_mat",
    "stickslip.signals.signal:_clipped": "stickslip.signals.made:Clip",
    "stickslip.signals.signal:_product": "stickslip.signals.made:Product",
    "stickslip.signals.signal:_where": "stickslip.signals.made:Where",
}.items():
    attach(declared, function)
