#ifndef STICKSLIP_H
#define STICKSLIP_H

#include <stdint.h>

typedef @real@ stickslip_real;

@sizes@

typedef struct {
@inputs@
} stickslip_inputs;

typedef struct {
@outputs@
} stickslip_outputs;

@parameters@
/* A machine in a run; its fields are internal but for those that are described here. Copy it to save the state. */
typedef struct {
  int8_t late;           /* the last step left a change of mode to the next one */
  int8_t clipped;        /* the last step clipped a negative normal load to zero */
  int8_t failed;         /* the state would have become infinite: it stays at its last finite value */
  uint32_t late_steps;   /* steps so far that were late */
  uint32_t transitions;  /* instants with changes of mode so far */
  int64_t tick;          /* steps so far; the time is @t_start@ s + tick * @step@ s */

  int16_t plan;                                 /* tables of the present modes */
  int8_t modes[STICKSLIP_MODES];
  stickslip_real table[STICKSLIP_TABLE_ROOM];   /* numbers that depend on parameters; else unused */
  stickslip_real start[STICKSLIP_POINT];        /* changes of signals, state, signals, forces: start of a part of a step */
  stickslip_real end[STICKSLIP_POINT];          /* a whole step later */
  stickslip_real between[STICKSLIP_POINT];
  stickslip_real passed, left;                  /* of the step, s */
  stickslip_real rates_start[STICKSLIP_POINT];
  stickslip_real rates_end[STICKSLIP_POINT];
  int8_t forces_known, rates_end_known;
  stickslip_real curve_u[STICKSLIP_CURVES];
  stickslip_real curve_load[STICKSLIP_CURVES];
  stickslip_real curve_f[STICKSLIP_CURVES];
  stickslip_real curve_by_u[STICKSLIP_CURVES];
  stickslip_real curve_by_load[STICKSLIP_CURVES];
  stickslip_real guard_start[STICKSLIP_GUARDS];
  stickslip_real guard_end[STICKSLIP_GUARDS];
  stickslip_real guard_first[STICKSLIP_GUARDS];
  stickslip_real guard_least;
  stickslip_real jump[STICKSLIP_SIGNALS];       /* of signals, between two steps */
  int8_t came_from[STICKSLIP_ELEMENTS];         /* direction of slip of elements that stopped at this instant */
  int8_t loaded[STICKSLIP_ELEMENTS];            /* 0: the element had no load at the start of the last step */
  stickslip_real history[STICKSLIP_HISTORY];    /* sliding velocities over a dead time */
  stickslip_real memory[STICKSLIP_MEMORY];      /* of sampled controllers */
  stickslip_real computed[STICKSLIP_COMPUTED];
  int64_t next[STICKSLIP_SAMPLED];              /* tick of the next sampling instant */
  int64_t due[STICKSLIP_SAMPLED];               /* tick at which an output takes effect; -1: none */
  stickslip_real size[STICKSLIP_STATES];        /* greatest magnitude of each state so far */
} stickslip_machine;

/* Sets the state at the start. To be called before the first step. */
void stickslip_start(stickslip_machine *m@parameters_argument@);
@set_parameters@
/* Advances by one step with inputs that are held over it. */
void stickslip_step(stickslip_machine *m, const stickslip_inputs *in);
/* Reads the outputs at the end of the last step. */
void stickslip_read(stickslip_machine *m, stickslip_outputs *out);

#endif
