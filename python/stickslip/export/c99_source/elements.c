/* --- mode changes of friction elements and of springs ---------------------------------------------------------- */

#if (NP > 0)
#define MODE_OF(m, element) ((m)->modes[element])
#define SLIP(side) ((int8_t)(((side) > 0) ? FORWARD : BACKWARD))

/* Dry force, >= 0, with which an element that slides comes to v = 0. */
static real reached_force(const machine *m, const friction_element *p, int direction, real load, const real *x) {
  real f;
  if (p->lagged >= 0) {
    f = x[p->lagged];
  } else if (p->delayed >= 0) {
    f = FABS(delayed_dry(m, p, x, direction)) * load;
  } else {
    dual dry, viscous;
    sliding_force(m, p, x, REAL(0.0), direction, &dry, &viscous);
    f = FABS(dry.x) * load;
  }
  return f;
}

/* From sliding to rest: the static level begins at the force reached, and ages from there. */
static void start_clock(const machine *m, const friction_element *p, int was, real load, real *x) {
  if (p->aged >= 0) {
    const real level = VALUE_OF(p, BREAK_AWAY) * load;
    x[p->aged] = (level > REAL(0.0)) ? (reached_force(m, p, was, load, x) / level) : REAL(1.0);
    x[p->entered] = (real)now(m);
  }
}

/* Sets the states of the automaton after a change of mode. */
static void set_states(machine *m, int element, int was, int is, real v) {
  const friction_element *const p = &elements[element];
  real *const x = X_OF(m->start);
  const real load = load_of(m, element);
  if (is == 0) {
    if (p->travelled >= 0) {
      const real k = (VALUE_OF(p, BREAK_AWAY) / VALUE_OF(p, TRAVEL)) * load;
      start_clock(m, p, was, load, x);
      x[p->travelled] = (k > REAL(0.0)) ? ((reached_force(m, p, was, load, x) * (real)was) / k) : REAL(0.0);
    }
  } else if (was == 0) {
    const real share = aged_share(m, p, now(m), x);
    if (p->peak >= 0) {
      x[p->peak] = share;
    }
    if (p->lagged >= 0) {
      dual dry, viscous;
      sliding_force(m, p, x, v, is, &dry, &viscous);
      x[p->lagged] =
          greater(REAL(0.0), ((share * VALUE_OF(p, BREAK_AWAY)) * load) - (viscous.x * (real)is));
    }
  } else if ((is == -was) && (p->lagged >= 0)) {
    x[p->lagged] = lesser(x[p->lagged], (aged_share(m, p, now(m), x) * VALUE_OF(p, BREAK_AWAY)) * load);
  } else {
    /* nothing is kept */
  }
}

static void stop(machine *m, int i) {
  const friction_element *const p = &elements[i];
  const int was = direction_of(MODE_OF(m, i));
  if (p->dead_centre != 0) { /* its force has no effect on the motion */
    set_states(m, i, was, -was, REAL(0.0));
    MODE_OF(m, i) = SLIP(-was);
  } else {
    if (p->travelled < 0) {
      start_clock(m, p, was, load_of(m, i), X_OF(m->start));
    } else {
      set_states(m, i, was, 0, REAL(0.0));
    }
    MODE_OF(m, i) = STICK;
    m->came_from[i] = (int8_t)was;
  }
}

static int is_at_rest(int mode) {
  return ((mode == STICK) || (mode == ABOVE_FORWARD) || (mode == ABOVE_BACKWARD)) ? 1 : 0;
}

/* One that came to rest at this same instant only reverses and keeps its force. */
static void release(machine *m, int i, int side) {
  const friction_element *const p = &elements[i];
  if (is_at_rest(MODE_OF(m, i)) != 0) {
    if (((p->lagged >= 0) || (p->peak >= 0)) && (m->came_from[i] == 0)) {
      set_states(m, i, 0, side, velocity_of(m, p));
    }
    MODE_OF(m, i) = SLIP(side);
  }
}

static int moves_towards(machine *m, int i, int side) {
  const friction_element *const p = &elements[i];
  const real v = velocity_of(m, p);
  int towards;
  if (FABS(v) > numbers_of(m)[p->no_velocity]) {
    towards = ((v * (real)side) > REAL(0.0)) ? 1 : 0;
  } else {
    const real *const row = numbers_of(m) + p->velocity_x;
    real acceleration = form(numbers_of(m) + p->acceleration, X_OF(m->start));
    int k;
    find_forces(m);
    rates(m, m->start, m->rates_start);
    for (k = 0; k < NX; ++k) {
      acceleration += row[k] * m->rates_start[k];
    }
    towards = ((acceleration * (real)side) >= REAL(0.0)) ? 1 : 0;
  }
  return towards;
}
#endif

#if (NFLANKS > 0)
/* A flank enters another segment, is released by its damper, or pushes again. Its mode: twice the segment, + 1: released. */
static void pass_corner(machine *m, const guard *g) {
  int8_t *const mode = &m->modes[(2 * NP) + NC + g->flank];
  const int was = plans[m->plan].modes[(2 * NP) + NC + g->flank];
  if (*mode == was) { /* else another guard of this flank came first */
    const flank *const f = &flanks[g->flank];
    const int segment = g->next / 2, entered = segment != (was / 2);
    const stretch *const s = &stretches[f->first_stretch + segment];
    const real damping = numbers_of(m)[f->damping];
    *mode = (int8_t)g->next;
    if ((entered != 0) && (damping != REAL(0.0)) && (s->lets_go != 0)) {
      const real *const xs = X_OF(m->start), *const line = numbers_of(m) + s->line;
      const real force = (line[0] * form(numbers_of(m) + f->elongation, xs)) + line[1];
      const real whole = force + (damping * form(numbers_of(m) + f->rate, xs));
      *mode = (int8_t)((2 * segment) + ((((real)s->side * whole) < REAL(0.0)) ? 1 : 0));
    }
  }
}
#endif

/* Guards of the flow and of single elements. */
static void fire(machine *m, const guard *g) {
  (void)m;
  switch (g->kind) {
#if (NP > 0)
  case SLIP_ENDS:
    stop(m, g->element);
    break;
  case BREAKS_AWAY:
    if ((elements[g->element].travelled < 0) || (moves_towards(m, g->element, g->direction) != 0)) {
      release(m, g->element, g->direction);
    } else {
      MODE_OF(m, g->element) = (int8_t)((g->direction > 0) ? ABOVE_FORWARD : ABOVE_BACKWARD);
    }
    break;
  case SURFACE_TURNS:
    release(m, g->element, g->direction);
    break;
#if (NLEAVERS > 0)
  case SHARED_LIMIT: {
    int k;
    for (k = 0; k < g->leave; ++k) {
      release(m, leavers[g->leaving + k].element, leavers[g->leaving + k].side);
    }
    break;
  }
#endif
  case VELOCITY_REVERSAL:
    MODE_OF(m, g->element) = (int8_t)((MODE_OF(m, g->element) == FORWARD) ? BACKWARD : FORWARD);
    break;
  case LIMIT_AGAIN:
    MODE_OF(m, g->element) = STICK;
    break;
  case LOAD_CORNER:
    m->modes[NP + g->element] = (int8_t)(m->modes[NP + g->element] + g->direction);
    break;
#endif
#if (NFLANKS > 0)
  case TOUCHES:
  case LEAVES:
  case CORNER:
    pass_corner(m, g);
    break;
#endif
  default:
    break;
  }
}

#if (NP > 0) && (NC == 0)
/* Releases elements whose new forces exceed their limits, each at most once: first the one that exceeds its limits
   most, since this may relieve the others. */
static void release_beyond(machine *m) {
  int round, done = 0;
  for (round = 0; (round <= NP) && (done == 0); ++round) {
    const mode_plan *const plan = &plans[m->plan];
    const guard *first = NULL;
    real worst = REAL(0.0);
    int k;
    find_forces(m);
    for (k = 0; k < plan->guards; ++k) {
      const guard *const g = &guards[plan->first_guard + k];
      const int rigid = (g->kind == BREAKS_AWAY) && (elements[g->element].travelled < 0);
      if ((rigid != 0) || (g->kind == SHARED_LIMIT)) {
        const real value = guard_value(m, k, m->start, REAL(0.0)), zero = numbers_of(m)[plan->tolerance + k];
        const real beyond = value / zero;
        if ((value > zero) && ((first == NULL) || (beyond > worst))) {
          worst = beyond;
          first = g;
        }
      }
    }
    if (first == NULL) {
      done = 1;
    } else {
      fire(m, first);
      change_modes(m);
    }
  }
}
#endif

#if (NP > 0)
/* The memory of an element whose load has come begins anew; what lags goes on from what it is. */
static void begin_under_load(machine *m) {
  int i;
  for (i = 0; i < NP; ++i) {
    const friction_element *const p = &elements[i];
    if ((p->can_be_free != 0) && ((p->aged >= 0) || (p->lagged >= 0) || (p->travelled >= 0))) {
      real *const x = X_OF(m->start);
      const real load = load_of(m, i);
      const int is = direction_of(MODE_OF(m, i));
      if ((load > REAL(0.0)) && (m->loaded[i] == 0)) {
        if (p->aged >= 0) {
          x[p->aged] = REAL(1.0);
          x[p->peak] = REAL(1.0);
          x[p->entered] = (real)now(m);
        }
        if ((p->travelled >= 0) && (is != 0)) {
          x[p->travelled] = REAL(0.0);
        }
        if ((p->lagged >= 0) && (is == 0)) {
          x[p->lagged] = VALUE_OF(p, BREAK_AWAY) * load;
        }
      }
      m->loaded[i] = (int8_t)((load > REAL(0.0)) ? 1 : 0);
    }
  }
}

#if (NP > 1)
/* Whether an element does not move on its surface. */
static int is_still(const machine *m, const friction_element *p) {
  return (FABS(velocity_of(m, p)) <= numbers_of(m)[p->no_velocity]) ? 1 : 0;
}

static int any_at_rest(const int8_t *modes) {
  int i, any = 0;
  for (i = 0; i < NP; ++i) {
    if (is_at_rest(modes[i]) != 0) {
      any = 1;
    }
  }
  return any;
}

/* An element sticks, too, whose body others hold. */
static int rest_with_others(machine *m) {
  int i, changed = 0;
  if (any_at_rest(plans[m->plan].modes) != 0) {
    for (i = 0; i < NP; ++i) {
      const friction_element *const p = &elements[i];
      const int slides = ((MODE_OF(m, i) == FORWARD) || (MODE_OF(m, i) == BACKWARD)) ? 1 : 0;
      if ((slides != 0) && (p->sticks != 0) && (p->travelled < 0) && (p->contact < 0) && (p->dead_centre == 0)) {
        if ((is_still(m, p) != 0) && (load_of(m, i) > REAL(0.0))) {
          stop(m, i);
          changed = 1;
        }
      }
      m->came_from[i] = 0;
    }
  }
  return changed;
}

/* -1: all elements that stick are at rest on their surfaces. */
static int weakest_parting(const machine *m) {
  int i, weakest = -1;
  real least = REAL(0.0);
  for (i = 0; (i < NP) && (plans[m->plan].shared != 0); ++i) {
    const friction_element *const p = &elements[i];
    if ((p->sticks != 0) && (p->travelled < 0) && (is_at_rest(MODE_OF(m, i)) != 0) && (is_still(m, p) == 0)) {
      const real limit = VALUE_OF(p, BREAK_AWAY) * load_of(m, i);
      if ((weakest < 0) || (limit < least)) {
        weakest = i;
        least = limit;
      }
    }
  }
  return weakest;
}

/* Of several surfaces that part under one body the weakest end sticking, until the others rest. */
static int leave_parting_surfaces(machine *m) {
  const int8_t *const before = plans[m->plan].modes;
  int i, round, changed = 0;
  for (round = 0; round < NP; ++round) { /* each is released once at most */
    const int weakest = weakest_parting(m);
    if (weakest >= 0) {
      release(m, weakest, (velocity_of(m, &elements[weakest]) > REAL(0.0)) ? 1 : -1);
      change_modes(m);
      hold(m);
      changed = 1;
    }
  }
  if (changed != 0) {
    for (i = 0; i < NP; ++i) { /* others have taken the body to its surface */
      if ((is_at_rest(before[i]) != 0) && (is_still(m, &elements[i]) != 0)) {
        MODE_OF(m, i) = before[i];
      }
    }
    change_modes(m);
  }
  return changed;
}
#endif

/* By how much signals change an element's velocity between two steps, and the rounding error of that. */
static real velocity_jump(const machine *m, const friction_element *p, real *rounding) {
  const real *const row = numbers_of(m) + p->velocity + 1 + NX;
  real jump = REAL(0.0), size = REAL(0.0);
  int j;
  for (j = 0; j < NV; ++j) {
    jump += row[j] * m->jump[j];
    size += FABS(row[j] * S_OF(m->start)[j]);
  }
  *rounding = ROUNDING * size;
  return jump;
}

/* A jump of a surface velocity between two steps ends sticking. */
static int follow_jumps(machine *m) {
  int i, changed = 0;
  for (i = 0; i < NP; ++i) {
    const friction_element *const p = &elements[i];
    real rounding;
    const real jump = velocity_jump(m, p, &rounding);
    if ((jump != REAL(0.0)) && (p->sticks != 0)) {
      const real zero = numbers_of(m)[p->no_velocity], v = velocity_of(m, p);
      const int was = direction_of(MODE_OF(m, i)), is = (v > REAL(0.0)) ? 1 : -1;
      if ((FABS(jump) > (zero + rounding)) && (FABS(v) > zero) &&
          !((was == 0) && (p->travelled >= 0)) && (MODE_OF(m, i) != OPEN) && (was != is)) {
        MODE_OF(m, i) = SLIP(is);
        changed = 1;
        set_states(m, i, was, is, v);
      }
    }
  }
  return changed;
}

/* What surfaces and loads have changed between two steps. */
static void follow_surfaces(machine *m, int jumped) {
  int follows, rests = 0, parts = 0;
  begin_under_load(m);
  follows = (jumped != 0) ? follow_jumps(m) : 0;
#if (NP > 1)
  rests = rest_with_others(m);
#endif
  if ((follows != 0) || (rests != 0)) {
    change_modes(m);
  }
#if (NP > 1)
  parts = leave_parting_surfaces(m);
#endif
  if ((follows != 0) || (parts != 0)) {
    ++m->transitions;
  }
}
#endif

#if (NDELAYS > 0)
/* Velocity one dead time before `share` <= 1/2 of the step that begins at this tick, linear between two steps. */
static real past_velocity(const machine *m, const dead_time *d, int64_t tick, real share) {
  const real within = share - d->part, down = FLOOR(within);
  const int64_t size = d->size, k = (tick - d->whole) + (int64_t)down;
  const int64_t first = ((k % size) + size) % size, last = (((k + 1) % size) + size) % size;
  const real before = m->history[d->first + (int)first], after = m->history[d->first + (int)last];
  const real between = before + ((within - down) * (after - before));
  return ((between == REAL(0.0)) && !((before == REAL(0.0)) && (after == REAL(0.0)))) ? SMALLEST : between;
}

static void look_ahead(machine *m) {
  int k;
  for (k = 0; k < NDELAYS; ++k) {
    X_OF(m->start)[elements[delays[k].element].delayed] = past_velocity(m, &delays[k], m->tick, REAL(0.5));
  }
}

static void remember(machine *m) {
  int k;
  for (k = 0; k < NDELAYS; ++k) {
    const dead_time *const d = &delays[k];
    const friction_element *const p = &elements[d->element];
    m->history[d->first + (int)(m->tick % d->size)] =
        (is_at_rest(MODE_OF(m, d->element)) != 0) ? REAL(0.0) : velocity_of(m, p);
    X_OF(m->start)[p->delayed] = past_velocity(m, d, m->tick, REAL(0.0));
  }
}
#endif
