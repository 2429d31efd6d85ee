/* --- one step -------------------------------------------------------------------------------------------------- */

static int is_finite(const real *x) {
  int i, finite = 1;
  for (i = 0; i < NX; ++i) {
    if (!isfinite(x[i])) {
      finite = 0;
    }
  }
  return finite;
}

/* The step leaves a change of mode to the next one. */
static void flag_late(machine *m) {
  if (m->late == 0) {
    ++m->late_steps;
  }
  m->late = 1;
}

/* Beyond MOST_CHANGES in a step only contacts that are reached may close, each at most once. */
static int may_change(machine *m, int changes) {
  int may = (changes < MOST_CHANGES) ? 1 : 0;
#if (NC > 0)
  if ((may == 0) && (changes < (MOST_CHANGES + NC)) && (any_fired(m, 1) != 0)) {
    flag_late(m);
    may = 1;
  }
#else
  (void)m;
#endif
  return may;
}

/* At the first instant before `end` at which a guard fires. In a late step contacts close without rebound. */
static void change_at_first(machine *m, real end) {
  const mode_plan *const plan = &plans[m->plan];
#if (NSAT > 0)
  const real *rate = NULL;
  int limits = 0;
#endif
#if (NC > 0)
  int16_t fired[NG];
  int count = 0;
#elif (NP > 0)
  int i, stops = 0;
#endif
  int k;
  move_to_first(m, end, m->late);
  for (k = 0; k < plan->guards; ++k) {
    if (fires(m, k) != 0) {
      const guard *const g = &guards[plan->first_guard + k];
      if (g->kind == SATURATION) {
#if (NSAT > 0)
        if (limits == 0) {
          rate = prepare_limits(m);
        }
        limits = 1;
        fire_saturation(m, g, rate);
#endif
      } else {
#if (NC > 0)
        if (g->flank < 0) {
          fired[count] = (int16_t)k;
          ++count;
        } else {
          fire(m, g);
        }
#else
        fire(m, g);
#if (NP > 0)
        if ((g->kind == SLIP_ENDS) && (elements[g->element].travelled < 0)) {
          stops = 1;
        }
#endif
#endif
      }
    }
  }
#if (NC > 0)
  if (decide(m, fired, count, (m->late == 0) ? 1 : 0) == 0) {
    flag_late(m);
  }
  change_modes(m);
  hold(m);
#else
  change_modes(m);
#if (NP > 0)
  if (stops != 0) {
    hold(m);
  }
  release_beyond(m);
  for (i = 0; i < NP; ++i) {
    m->came_from[i] = 0;
  }
#endif
#endif
  ++m->transitions;
}

/* Inputs, sampling instants and surfaces with velocity jumps at the start of a step. */
static void begin_step(machine *m, const real *inputs) {
  int jumped = 0, changed = 0;
#if (NV > 0)
  jumped = sample_signals(m, inputs);
  changed = jumped;
#else
  (void)inputs;
#endif
  m->passed = REAL(0.0);
  m->left = (real)STEP;
  restart(m);
#if (NDELAYS > 0)
  look_ahead(m);
#endif
#if (NS > 0)
  if (run_sampled(m) != 0) {
    changed = 1;
  }
#endif
#if (NP > 0)
  follow_surfaces(m, jumped);
#endif
#if (NSAT > 0)
  if (changed != 0) {
    choose_limits(m);
  }
#else
  (void)jumped;
  (void)changed;
#endif
}

static void finish_step(machine *m, const real *end) {
  int j;
  if (end != NULL) {
    move_to(m, end, m->left);
  } else { /* the last change of modes was at the end */
    for (j = 0; j < NV; ++j) {
      S_OF(m->start)[j] += (m->left / (real)STEP) * m->start[j];
    }
  }
  ++m->tick;
  m->passed = REAL(0.0);
#if (NC > 0) || (NP > 0)
  hold(m);
#endif
#if (NSAT > 0)
  settle(m);
#endif
#if (NDELAYS > 0)
  remember(m);
#endif
  (void)j;
}

static void step(machine *m, const real *inputs) {
  const real *end = NULL;
  int changes = 0, parts, done = 0;
  begin_step(m, inputs);
  for (parts = 0; (parts < MOST_PARTS) && (done == 0); ++parts) {
    real stop = m->left;
#if (NS > 0)
    const real next = next_output(m);
    const int output = (next < m->left) ? 1 : 0; /* a delayed output takes effect within the step */
    if ((output != 0) && (next <= REAL(0.0))) {
      put_out_now(m);
    } else {
      if (output != 0) {
        stop = next;
      }
#else
    {
#endif
      const real *p;
      int goes_on = 0;
      advance(m);
      p = point_at(m, stop);
      if (is_finite(X_OF(p)) == 0) {
        m->failed = 1;
        done = 1;
        goes_on = 1;
      }
#if (NG > 0)
      if (goes_on == 0) {
        guard_values(m, p, stop, m->guard_end);
        if (any_fired(m, 0) != 0) {
          if (may_change(m, changes) != 0) {
            change_at_first(m, stop);
            ++changes;
            goes_on = 1;
            if (m->left <= ((real)SAME * (real)STEP)) {
              done = 1;
            }
          } else {
            flag_late(m);
          }
        }
      }
#endif
      if (goes_on == 0) {
#if (NS > 0)
        if (output != 0) {
          move_to(m, p, stop);
          put_out_now(m);
        } else {
          end = p;
          done = 1;
        }
#else
        end = p;
        done = 1;
#endif
      }
    }
  }
  (void)changes;
  if (m->failed != 0) {
    ++m->tick;
  } else {
    finish_step(m, end);
  }
}
