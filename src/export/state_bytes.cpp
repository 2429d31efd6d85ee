// States of a co-simulation as bytes: records by their members, in the order written here.
#include "export/co_simulation.hpp"
#include "export/value_bytes.hpp"

#include <tuple>

namespace stickslip {

// T: a record or a constant one.
template <class T, class Record>
concept Is = std::is_same_v<std::remove_const_t<T>, Record>;

template <Is<Identity> T> auto members(T& r) {
  return std::tie(r.fingerprint, r.text);
}
template <Is<ForceLimit> T> auto members(T& r) {
  return std::tie(r.force, r.side);
}
template <Is<Redundancy> T> auto members(T& r) {
  return std::tie(r.directions, r.limits);
}
template <Is<FlankMode> T> auto members(T& r) {
  return std::tie(r.stretch, r.loose);
}
template <Is<FrictionMode> T> auto members(T& r) {
  return std::tie(r.mode, r.hold, r.free, r.load_stretch, r.branch);
}
template <Is<Modes> T> auto members(T& r) {
  return std::tie(r.saturation, r.flank, r.friction, r.contact, r.at_limit, r.open, r.sides);
}
template <Is<SamplingState> T> auto members(T& r) {
  return std::tie(r.next, r.pending, r.output, r.memory);
}
template <Is<Past::Piece> T> auto members(T& r) {
  return std::tie(r.start, r.h, r.kind, r.joint, r.c);
}
template <Is<Past> T> auto members(T& r) {
  return std::tie(r.pieces);
}
template <Is<State> T> auto members(T& r) {
  return std::tie(r.t, r.x, r.modes, r.base_t, r.base_t_compensation, r.base_x, r.after_transition, r.zeros,
                  r.started, r.step, r.last_error, r.stiff, r.nominal, r.seen, r.time_scale, r.identity,
                  r.instant, r.sampling, r.slips.left, r.slips.brief, r.past, r.joint);
}
template <Is<HeldValues> T> auto members(T& r) {
  return std::tie(r.from, r.values, r.rates);
}
template <Is<ReachedPoint> T> auto members(T& r) {
  return std::tie(r.state, r.impulses);
}
template <Is<CoSimulationState> T> auto members(T& r) {
  return std::tie(r.parameters, r.inputs, r.t, r.rounding, r.t_start, r.rtol, r.started, r.inputs_changed,
                  r.parameters_changed, r.open, r.greatest, r.held, r.before, r.now, r.offsets, r.last_step,
                  r.step_before);
}

namespace {

constexpr std::string_view state_kind = "stickslip state";
constexpr int state_file_format = 4; // goes on with every change of the members above

} // namespace

std::string to_bytes(const CoSimulationState& state) {
  ByteWriter payload;
  ValueWriter{payload, {}}(state);
  return to_file(state_kind, state_file_format, payload.out);
}

CoSimulationState co_simulation_state(std::string_view bytes) {
  ByteReader from(values_of_file(bytes, state_kind, state_file_format));
  CoSimulationState out;
  ValueReader{from}(out);
  return out;
}

} // namespace stickslip
