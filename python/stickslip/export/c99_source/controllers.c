/* --- controllers ----------------------------------------------------------------------------------------------- */

#if (NLOOPS > 0)
static real row_times(const real *row, int columns, const real *x) {
  real sum = REAL(0.0);
  int i;
  for (i = 0; i < columns; ++i) {
    sum += row[i] * x[i];
  }
  return sum;
}

static real raw_output(const machine *m, const controller *c, int output, const real *z, const real *w) {
  return row_times(numbers_of(m) + c->C + (output * c->states), c->states, z) +
         row_times(numbers_of(m) + c->D + (output * c->inputs), c->inputs, w);
}

static const real *input_row(const machine *m, const controller *c, int input) {
  return numbers_of(m) + plans[m->plan].inputs + ((c->input_row + input) * (1 + NX + NV));
}

static void read_inputs(const machine *m, const controller *c, real *w) {
  int k;
  for (k = 0; k < c->inputs; ++k) {
    w[k] = form(input_row(m, c, k), X_OF(m->start));
  }
}
#endif

#if (NSAT > 0)
/* Saturation modes are stored as side * kind: 1 moving, 2 integral held, 3 following the limit; 0: within its limits. */
enum { EXCEEDS_MAX, EXCEEDS_MIN, RETURNS, TURNS_OUTWARDS, TURNS_INWARDS };

static real integral_rate(const machine *m, const controller *c, const real *z, const real *w) {
  return row_times(numbers_of(m) + c->A + (c->integrator * c->states), c->states, z) +
         row_times(numbers_of(m) + c->B + (c->integrator * c->inputs), c->inputs, w);
}

/* Rate of the raw output, with the integral going on or held. */
static real raw_rate(const machine *m, const controller *c, int output, const real *z, const real *w, const real *wdot,
                     int held) {
  real sum = row_times(numbers_of(m) + c->D + (output * c->inputs), c->inputs, wdot);
  int i;
  for (i = 0; i < c->states; ++i) {
    if ((held == 0) || (i != c->integrator)) {
      sum += numbers_of(m)[c->C + (output * c->states) + i] *
             (row_times(numbers_of(m) + c->A + (i * c->states), c->states, z) +
              row_times(numbers_of(m) + c->B + (i * c->inputs), c->inputs, w));
    }
  }
  return sum;
}

static int side_of(int mode) {
  return (mode > 0) ? 1 : ((mode < 0) ? -1 : 0);
}

static int is_following(int mode) {
  return ((mode == 3) || (mode == -3)) ? 1 : 0;
}

static real bound_of(const machine *m, const controller *c, int output, int side) {
  return numbers_of(m)[((side > 0) ? c->high : c->low) + output];
}

/* The mode after a guard has fired. */
static int saturation_after(const machine *m, const controller *c, int output, int mode, int fired, const real *z,
                            const real *w, const real *wdot) {
  const int side = side_of(mode);
  int next = mode;
  if ((fired == EXCEEDS_MAX) || (fired == EXCEEDS_MIN)) {
    const int to = (fired == EXCEEDS_MAX) ? 1 : -1;
    const real outwards = (real)to;
    if (c->integrator < 0) {
      next = to;
    } else if (is_following(mode) != 0) {
      next = 2 * to;
    } else if ((outwards * integral_rate(m, c, z, w)) <= REAL(0.0)) {
      next = to;
    } else {
      next = ((outwards * raw_rate(m, c, output, z, w, wdot, 1)) >= REAL(0.0)) ? (2 * to) : (3 * to);
    }
  } else if (fired == RETURNS) {
    next = 0;
    if (((mode == 2) || (mode == -2)) && (((real)side * raw_rate(m, c, output, z, w, wdot, 0)) > REAL(0.0))) {
      next = 3 * side;
    }
  } else {
    next = (fired == TURNS_OUTWARDS) ? (2 * side) : side;
  }
  return next;
}

static int outside(const machine *m, const controller *c, int side, const real *z, const real *w) {
  return ((c->integrator >= 0) && (((real)side * integral_rate(m, c, z, w)) > REAL(0.0))) ? (2 * side) : side;
}

/* The mode after inputs have jumped. An output on its limit up to rounding is decided by its rate. */
static int saturation_anew(const machine *m, const controller *c, int output, int before, const real *z, const real *w,
                           const real *wdot) {
  const real raw = raw_output(m, c, output, z, w);
  real size = REAL(0.0);
  int i, k, mode = 0, decided = 0;
  for (i = 0; i < c->states; ++i) {
    size += FABS(numbers_of(m)[c->C + (output * c->states) + i] * z[i]);
  }
  for (i = 0; i < c->inputs; ++i) {
    size += FABS(numbers_of(m)[c->D + (output * c->inputs) + i] * w[i]);
  }
  for (k = 0; (k < 2) && (decided == 0); ++k) {
    const int side = (k == 0) ? 1 : -1;
    const real bound = bound_of(m, c, output, side);
    if (isfinite(bound)) {
      const real rounding = (REAL(16.0) * EPSILON) * (size + FABS(bound)), excess = (real)side * (raw - bound);
      if (excess > rounding) {
        mode = outside(m, c, side, z, w);
        decided = 1;
      } else if (excess >= -rounding) {
        const int stays = (side_of(before) == side) ? before : 0;
        decided = 1;
        if (c->integrator < 0) {
          mode = stays;
        } else {
          const real on = (real)side * raw_rate(m, c, output, z, w, wdot, 0),
                     held = (real)side * raw_rate(m, c, output, z, w, wdot, 1);
          if ((on == REAL(0.0)) && (held == REAL(0.0))) {
            mode = stays;
          } else if (on > REAL(0.0)) {
            mode = (held >= REAL(0.0)) ? outside(m, c, side, z, w) : (3 * side);
          } else {
            mode = 0;
          }
        }
      } else {
        /* within this limit */
      }
    }
  }
  return mode;
}

/* The integral of each output that follows its limit. */
static void settle(machine *m) {
  if (plans[m->plan].follows != 0) {
    int k;
    for (k = 0; k < NLIMITED; ++k) {
      const int output = limited[k].output;
      const controller *const c = &controllers[limited[k].loop];
      const int mode = m->modes[FIRST_SATURATION + c->saturation + output];
      if (is_following(mode) != 0) {
        real w[MOST_INPUTS], *const z = X_OF(m->start) + c->place;
        read_inputs(m, c, w);
        z[c->integrator] += (bound_of(m, c, output, side_of(mode)) - raw_output(m, c, output, z, w)) /
                            numbers_of(m)[c->C + (output * c->states) + c->integrator];
      }
    }
  }
}

/* fired: which guard, or -1: anew. `rate`: of states and signals. */
static void choose_saturation(machine *m, int loop, int output, int fired, const real *rate) {
  const controller *const c = &controllers[loop];
  int8_t *const mode = &m->modes[FIRST_SATURATION + c->saturation + output];
  const real *const z = X_OF(m->start) + ((c->place >= 0) ? c->place : 0);
  real w[MOST_INPUTS], wdot[MOST_INPUTS];
  int k;
  read_inputs(m, c, w);
  for (k = 0; k < c->inputs; ++k) {
    wdot[k] = (rate != NULL) ? linear_row(input_row(m, c, k), NX + NV, rate) : REAL(0.0);
  }
  if (fired >= 0) {
    *mode = (int8_t)saturation_after(m, c, output, *mode, fired, z, w, wdot);
  } else {
    *mode = (int8_t)saturation_anew(m, c, output, *mode, z, w, wdot);
  }
}

static const real *prepare_limits(machine *m) {
  settle(m);
#if NEEDS_RATES
  return rates_at_start(m);
#else
  return NULL;
#endif
}

static void fire_saturation(machine *m, const guard *g, const real *rate) {
  const int k = FIRST_SATURATION + controllers[g->loop].saturation + g->output;
  if (m->modes[k] == plans[m->plan].modes[k]) { /* else another guard of this output came first */
    choose_saturation(m, g->loop, g->output, g->trigger, rate);
  }
}

/* All of them, after a jump of inputs. */
static void choose_limits(machine *m) {
  const real *const rate = prepare_limits(m);
  int k, changed = 0;
  for (k = 0; k < NLIMITED; ++k) {
    choose_saturation(m, limited[k].loop, limited[k].output, -1, rate);
  }
  for (k = 0; k < NSAT; ++k) {
    if (m->modes[FIRST_SATURATION + k] != plans[m->plan].modes[FIRST_SATURATION + k]) {
      changed = 1;
    }
  }
  if (changed != 0) {
    change_modes(m);
    ++m->transitions;
  }
}
#endif

#if (NS > 0)
/* One sampling instant: samples, new states and limited outputs. */
static void sample(machine *m, const controller *c, real *u) {
  real *const z = m->memory + c->memory, *previous = z + c->states;
  real w[MOST_INPUTS], raw[MOST_OUTPUTS], next[MOST_CONTROLLER_STATES];
  int differences = 0, i, j;
  read_inputs(m, c, w);
  for (i = 0; i < c->inputs; ++i) {
    differences += channels[c->first_channel + i].difference;
  }
  for (i = 0; i < c->inputs; ++i) {
    const channel *const of = &channels[c->first_channel + i];
    const real quantum = numbers_of(m)[c->quantum];
    if ((of->quantised != 0) && (quantum > REAL(0.0))) {
      w[i] = quantum * FLOOR((w[i] / quantum) + REAL(0.5));
    }
    if (of->difference != 0) {
      const real value = w[i];
      w[i] = (z[c->states + differences] != REAL(0.0)) ? ((value - *previous) / c->period) : REAL(0.0);
      *previous = value;
      ++previous;
    }
  }
  z[c->states + differences] = REAL(1.0); /* it has sampled before */
  for (j = 0; j < c->outputs; ++j) {
    raw[j] = REAL(0.0);
    for (i = 0; i < c->states; ++i) {
      raw[j] += numbers_of(m)[c->C + (j * c->states) + i] * z[i];
    }
    for (i = 0; i < c->inputs; ++i) {
      raw[j] += numbers_of(m)[c->D + (j * c->inputs) + i] * w[i];
    }
    u[j] = lesser(greater(raw[j], numbers_of(m)[c->low + j]), numbers_of(m)[c->high + j]);
  }
  for (j = 0; j < c->states; ++j) {
    next[j] = REAL(0.0);
    for (i = 0; i < c->states; ++i) {
      next[j] += numbers_of(m)[c->A + (j * c->states) + i] * z[i];
    }
    for (i = 0; i < c->inputs; ++i) {
      next[j] += numbers_of(m)[c->B + (j * c->inputs) + i] * w[i];
    }
  }
  if (c->integrator >= 0) { /* the integral does not carry the output beyond its limits: at most its own step */
    const real step = next[c->integrator] - z[c->integrator], less = (c->further >= 0) ? w[c->further] : REAL(0.0);
    const real above = greater(raw[0] - numbers_of(m)[c->high], -less), below = greater(numbers_of(m)[c->low] - raw[0], less);
    next[c->integrator] -= lesser(greater(above, REAL(0.0)), greater(step, REAL(0.0))) -
                           lesser(greater(below, REAL(0.0)), greater(-step, REAL(0.0)));
  } else {
    for (j = 0; j < c->states; ++j) {
      for (i = 0; i < c->outputs; ++i) {
        next[j] += numbers_of(m)[c->L + (j * c->outputs) + i] * (u[i] - raw[i]);
      }
    }
  }
  for (j = 0; j < c->states; ++j) {
    z[j] = next[j];
  }
}

/* Computed outputs take effect. 1: one of them changed. */
static int put_out(machine *m, int k) {
  const controller *const c = &controllers[sampled[k].loop];
  real *const held = X_OF(m->start) + c->held;
  int j, changed = 0;
  m->due[k] = -1;
  for (j = 0; j < c->outputs; ++j) {
    if (held[j] != m->computed[sampled[k].computed + j]) {
      changed = 1;
    }
    held[j] = m->computed[sampled[k].computed + j];
  }
  return changed;
}

/* Outputs whose delay is over take effect; then all due controllers sample, in the order of dataflow. */
static int run_sampled(machine *m) {
  int k, changed = 0;
  for (k = 0; k < NS; ++k) {
    if ((m->due[k] == m->tick) && (sampled[k].delay_rest == REAL(0.0)) && (put_out(m, k) != 0)) {
      changed = 1;
    }
  }
  for (k = 0; k < NS; ++k) {
    const sampled_loop *const s = &sampled[k];
    if (m->next[k] == m->tick) {
      sample(m, &controllers[s->loop], &m->computed[s->computed]);
      m->next[k] += s->every;
      m->due[k] = m->tick + s->delay_steps;
      if ((s->delay_steps == 0) && (s->delay_rest == REAL(0.0)) && (put_out(m, k) != 0)) {
        changed = 1;
      }
    }
  }
  return changed;
}

/* Time to the next output that takes effect within this step; beyond its end if there is none. */
static real next_output(const machine *m) {
  real next = REAL(2.0) * (real)STEP;
  int k;
  for (k = 0; k < NS; ++k) {
    if (m->due[k] == m->tick) {
      next = lesser(next, sampled[k].delay_rest - m->passed);
    }
  }
  return next;
}

static void put_out_now(machine *m) {
  int k, changed = 0;
  for (k = 0; k < NS; ++k) {
    if ((m->due[k] == m->tick) && (sampled[k].delay_rest <= (m->passed + ((real)SAME * (real)STEP))) &&
        (put_out(m, k) != 0)) {
      changed = 1;
    }
  }
  restart(m);
#if (NSAT > 0)
  if (changed != 0) {
    choose_limits(m);
  }
#else
  (void)changed;
#endif
}
#endif

#if (NS > 0)
/* Memory before the first sampling instant. */
static void start_sampled(machine *m) {
  int i, k;
  for (i = 0; i < STICKSLIP_MEMORY; ++i) {
    m->memory[i] = numbers_of(m)[FIRST_MEMORY + i];
  }
  for (i = 0; i < STICKSLIP_COMPUTED; ++i) {
    m->computed[i] = REAL(0.0);
  }
  for (k = 0; k < NS; ++k) {
    m->next[k] = sampled[k].first;
    m->due[k] = -1;
  }
}
#endif
