/* --- tables ---------------------------------------------------------------------------------------------------- */

typedef stickslip_real real;
typedef stickslip_machine machine;

enum { /* kinds of guards: a guard fires when it becomes positive */
  SLIP_ENDS = 1, BREAKS_AWAY = 2, VELOCITY_REVERSAL = 3, LOAD_CORNER = 4, SURFACE_TURNS = 7, LIMIT_AGAIN = 8,
  SHARED_LIMIT = 11, LIFTS_OFF = 13, CLOSES = 14, LOCKS = 15, SATURATION = 16, TOUCHES = 17, LEAVES = 18, CORNER = 19
};
enum { FORWARD, BACKWARD, STICK, ABOVE_FORWARD, ABOVE_BACKWARD, OPEN }; /* modes of a friction element */
enum { DRY, VISCOUS_PART, BOTH, PRESLIDING, DELAYED };                  /* kinds of curves */
enum { COULOMB, VISCOUS, STRIBECK, TANH, TABLE, ODD_TABLE };            /* terms of laws */
enum { READ_ROW, READ_RATE, READ_FORCE, READ_MODE, READ_FREE_MODE, READ_SIDE, READ_HELD }; /* kinds of outputs */

/* int32_t numbers are places in the table of real numbers; a row is (constant, states, signals). */
typedef struct { int16_t kind, count; int32_t numbers; } law_term;
typedef struct {
  int16_t first_term, terms, sticks, dead_centre, can_be_free, contact;
  int16_t lagged, delayed, travelled, aged, peak, entered; /* states; -1: none */
  int32_t velocity, load[2], values, no_velocity, effect, velocity_x, acceleration;
} friction_element;
typedef struct { int16_t kind, direction, element, contact, flank, next, loop, output, trigger, leaving, leave; } guard;
typedef struct { int16_t element, side; } leaver;
typedef struct { int16_t kind, element, direction; int32_t u, load; } curve;
typedef struct { int16_t guard, element; int32_t level, load; } ageing_limit;
typedef struct { int16_t rows; int32_t row, change; } projection;
typedef struct {
  int8_t modes[STICKSLIP_MODES];
  int8_t follows, shared, short_guards;
  int16_t first_guard, guards, first_curve, curves, first_ageing, ageing;
  int32_t step, rate, values, tolerance, end, through, u_end, u_through, load_end, load_through, halves, inputs, outputs;
  projection gaps, held;
} mode_plan;
typedef struct { int16_t input, jumps, whole, degree, load, first_piece, pieces, repeats; int32_t gain; double period; } signal;
typedef struct { double start, anchor; int32_t c; int16_t first_harmonic, harmonics; } signal_piece;
typedef struct { int32_t amplitude; double omega, phase; } harmonic;
typedef struct {
  int16_t states, inputs, outputs, integrator, further, first_channel, place, held, saturation, memory, input_row;
  int32_t A, B, C, D, L, low, high, quantum, initial;
  real period;
} controller;
typedef struct { int16_t difference, quantised; } channel;
typedef struct { int16_t loop, computed; int64_t every, first, delay_steps; real delay_rest; } sampled_loop;
typedef struct { int16_t loop, output; } limited_output;
typedef struct { int16_t lets_go, side; int32_t line; } stretch;
typedef struct { int16_t first_stretch; int32_t elongation, rate, damping; } flank;
typedef struct { int16_t of_velocity, newton, friction; int32_t gap, rate, effect, restitution; } rigid_contact;
typedef struct { int16_t element, first, size; int64_t whole; real part; } dead_time;
typedef struct { int16_t kind, index, part; } output_read;
typedef struct { int16_t read; real factor; } output_term;
