/* --- rigid contacts: impacts, then the modes after them -------------------------------------------------------- */

#if (NC > 0)
static real contact_rate(const machine *m, int j) {
  return form(numbers_of(m) + contacts[j].rate, X_OF(m->start));
}

/* Size of the terms of a row over states. */
static real size_along(const machine *m, const real *row) {
  real sum = REAL(0.0);
  int i;
  for (i = 0; i < NX; ++i) {
    sum += FABS(row[1 + i]) * m->size[i];
  }
  return sum;
}

static real no_rate(const machine *m, int j) {
  return RESIDUAL * size_along(m, numbers_of(m) + contacts[j].rate);
}

/* Components of an impact: normals of the contacts, then tangents of their friction. */
typedef struct {
  int contacts, size;
  int16_t contact[IMPACT_SIZE];       /* of the normals */
  int16_t element[IMPACT_SIZE];    /* of the tangents */
  int16_t normal[IMPACT_SIZE];     /* component of a tangent's contact */
  real friction[IMPACT_SIZE];
  real G[IMPACT_SIZE * IMPACT_SIZE], velocity[IMPACT_SIZE];
} impact;

/* Impulses of one set of modes: mode 0 holds a component, 1 lets it go (a normal that is open, a tangent that slides
   forward), 2: backward. `given`: an impulse that acts on the normals besides, and raises the limits of friction.
   0: they do not exist, or contradict these modes. */
static int solve_modes(const impact *p, const int8_t *modes, const real *free, const real *given, real *normal,
                       real *tangent, real *velocity) {
  real M[IMPACT_SIZE * IMPACT_SIZE], rhs[IMPACT_SIZE], held[IMPACT_SIZE], total[IMPACT_SIZE], size = REAL(0.0), fast = REAL(0.0);
  int rows[IMPACT_SIZE], order[IMPACT_SIZE], n = 0, a, b, i, k, valid = 1;
  for (i = 0; i < p->size; ++i) {
    if (modes[i] == 0) {
      rows[n] = i;
      ++n;
    }
  }
  for (a = 0; a < n; ++a) {
    rhs[a] = -free[rows[a]];
    for (k = p->contacts; k < p->size; ++k) { /* friction that slides */
      if (modes[k] != 0) {
        const real side = (modes[k] == 1) ? REAL(1.0) : REAL(-1.0);
        rhs[a] += p->G[(rows[a] * p->size) + k] * (side * p->friction[k - p->contacts] * given[p->normal[k - p->contacts]]);
      }
    }
    for (b = 0; b < n; ++b) { /* columns b; friction that slides follows its normal */
      real sum = p->G[(rows[a] * p->size) + rows[b]];
      for (k = p->contacts; k < p->size; ++k) {
        if ((modes[k] != 0) && (p->normal[k - p->contacts] == rows[b])) {
          const real side = (modes[k] == 1) ? REAL(1.0) : REAL(-1.0);
          sum -= p->G[(rows[a] * p->size) + k] * (side * p->friction[k - p->contacts]);
        }
      }
      M[(b * n) + a] = sum;
    }
  }
  if (n > 0) {
    valid = lu_factor(M, n, order);
    if (valid != 0) {
      lu_solve(M, n, order, rhs, held);
    }
  }
  for (i = 0; i < p->size; ++i) {
    total[i] = REAL(0.0);
  }
  for (a = 0; (a < n) && (valid != 0); ++a) {
    total[rows[a]] = held[a];
  }
  for (k = p->contacts; k < p->size; ++k) {
    if (modes[k] != 0) {
      const int of = p->normal[k - p->contacts];
      const real side = (modes[k] == 1) ? REAL(1.0) : REAL(-1.0);
      total[k] = -side * p->friction[k - p->contacts] * (given[of] + total[of]);
    }
  }
  for (i = 0; i < p->size; ++i) {
    real speed = FABS(free[i]);
    velocity[i] = free[i];
    for (k = 0; k < p->size; ++k) {
      velocity[i] += p->G[(i * p->size) + k] * total[k];
      speed += FABS(p->G[(i * p->size) + k] * total[k]);
    }
    fast = greater(fast, speed);
    size = greater(size, FABS(total[i]));
    if (modes[i] == 0) {
      velocity[i] = REAL(0.0);
    }
  }
  for (i = 0; i < p->contacts; ++i) {
    normal[i] = total[i];
    if ((total[i] < (-SAME_REAL * size)) || (velocity[i] < (-ROUNDING * fast))) {
      valid = 0;
    }
  }
  for (k = p->contacts; k < p->size; ++k) {
    const int of = p->normal[k - p->contacts];
    const real limit = p->friction[k - p->contacts] * (given[of] + total[of]);
    tangent[k - p->contacts] = -total[k];
    if (modes[k] == 0) {
      if (FABS(total[k]) > (limit + (SAME_REAL * size))) {
        valid = 0;
      }
    } else if (((modes[k] == 1) ? velocity[k] : -velocity[k]) < (-ROUNDING * fast)) {
      valid = 0;
    } else {
      /* it slides against its friction */
    }
  }
  return valid;
}

/* The first set of modes that solves the problem: held before sliding. At most IMPACT_SETS are tried. */
static int solve_impact(const impact *p, const real *free, const real *given, real *normal, real *tangent,
                        real *velocity) {
  int8_t modes[IMPACT_SIZE];
  int k, set, sets = 1, found = 0;
  for (k = 0; k < p->size; ++k) {
    sets *= (k < p->contacts) ? 2 : 3;
  }
  for (set = 0; (set < sets) && (found == 0); ++set) {
    int rest = set;
    for (k = p->size - 1; k >= 0; --k) {
      const int kinds = (k < p->contacts) ? 2 : 3;
      modes[k] = (int8_t)(rest % kinds);
      rest /= kinds;
    }
    found = solve_modes(p, modes, free, given, normal, tangent, velocity);
  }
  return found;
}

static void pose_impact(const machine *m, const int8_t *touched, impact *p) {
  const real *rows[IMPACT_SIZE], *effects[IMPACT_SIZE];
  int a, b, i, j;
#if (NP > 0)
  int k;
#endif
  p->contacts = 0;
  for (j = 0; j < NC; ++j) {
    if ((touched[j] != 0) && (contact_rate(m, j) <= no_rate(m, j))) {
      p->contact[p->contacts] = (int16_t)j;
      rows[p->contacts] = numbers_of(m) + contacts[j].rate;
      effects[p->contacts] = numbers_of(m) + contacts[j].effect;
      ++p->contacts;
    }
  }
  p->size = p->contacts;
#if (NP > 0)
  for (k = 0; k < p->contacts; ++k) {
    for (i = 0; i < NP; ++i) {
      if (elements[i].contact == p->contact[k]) {
        const int q = p->size - p->contacts;
        p->element[q] = (int16_t)i;
        p->normal[q] = (int16_t)k;
        p->friction[q] = numbers_of(m)[elements[i].values + IMPULSIVE];
        rows[p->size] = numbers_of(m) + elements[i].velocity;
        effects[p->size] = numbers_of(m) + elements[i].effect;
        ++p->size;
      }
    }
  }
#endif
  for (a = 0; a < p->size; ++a) {
    p->velocity[a] = form(rows[a], X_OF(m->start));
    for (b = 0; b < p->size; ++b) {
      real sum = REAL(0.0);
      for (i = 0; i < NX; ++i) {
        sum += rows[a][1 + i] * effects[b][i];
      }
      p->G[(a * p->size) + b] = (b < p->contacts) ? sum : -sum;
    }
  }
}

/* Impact of all contacts that touch and do not separate: by Newton's law if one of them has it, else by Poisson's. */
static int strike_once(machine *m, const int8_t *touched, int rebounds) {
  impact p;
  real normal[IMPACT_SIZE], tangent[IMPACT_SIZE], velocity[IMPACT_SIZE], more[IMPACT_SIZE], more_tangent[IMPACT_SIZE], free[IMPACT_SIZE],
      given[IMPACT_SIZE], restitution[IMPACT_SIZE];
  int i, k, newton = 0, found;
  pose_impact(m, touched, &p);
  for (k = 0; k < p.size; ++k) {
    given[k] = REAL(0.0);
    restitution[k] = REAL(0.0);
    free[k] = p.velocity[k];
  }
  for (k = 0; k < p.contacts; ++k) {
    const rigid_contact *const c = &contacts[p.contact[k]];
    const real e = numbers_of(m)[c->restitution], least = NO_REBOUND * size_along(m, numbers_of(m) + c->rate);
    if ((rebounds != 0) && (p.velocity[k] < REAL(0.0)) && ((e * FABS(p.velocity[k])) > least)) {
      restitution[k] = e;
    }
    if (c->newton != 0) {
      newton = 1;
    }
  }
  for (k = 0; (k < p.contacts) && (newton != 0); ++k) {
    free[k] += restitution[k] * lesser(p.velocity[k], REAL(0.0));
  }
  found = solve_impact(&p, free, given, normal, tangent, velocity);
  if ((found != 0) && (newton == 0)) { /* expansion, beside the impulse that restitution gives back */
    int any = 0;
    for (k = 0; k < p.contacts; ++k) {
      given[k] = restitution[k] * normal[k];
      if (given[k] != REAL(0.0)) {
        any = 1;
      }
    }
    if (any != 0) {
      for (i = 0; i < p.size; ++i) {
        free[i] = velocity[i];
        for (k = 0; k < p.contacts; ++k) {
          free[i] += p.G[(i * p.size) + k] * given[k];
        }
      }
      found = solve_impact(&p, free, given, more, more_tangent, velocity);
      for (k = 0; k < p.contacts; ++k) {
        normal[k] += more[k] + given[k];
      }
      for (k = 0; k < (p.size - p.contacts); ++k) {
        tangent[k] += more_tangent[k];
      }
    }
  }
  if (found != 0) {
    for (k = 0; k < p.contacts; ++k) {
      for (i = 0; i < NX; ++i) {
        X_OF(m->start)[i] += numbers_of(m)[contacts[p.contact[k]].effect + i] * normal[k];
      }
    }
#if (NP > 0)
    for (k = 0; k < (p.size - p.contacts); ++k) {
      for (i = 0; i < NX; ++i) {
        X_OF(m->start)[i] += numbers_of(m)[elements[p.element[k]].effect + i] * tangent[k];
      }
    }
#endif
  }
  return found;
}

/* Positions move by the least change that closes the gap of contact j. */
static void move_onto(machine *m, int j) {
  const real *const gap = numbers_of(m) + contacts[j].gap, *const effect = numbers_of(m) + contacts[j].effect;
  real *const x = X_OF(m->start), per_force = REAL(0.0), distance;
  int i;
  for (i = 0; i < COORDINATES; ++i) {
    per_force += gap[1 + i] * effect[COORDINATES + i];
  }
  if (per_force != REAL(0.0)) {
    distance = form(gap, x) / per_force;
    for (i = 0; i < COORDINATES; ++i) {
      x[i] -= effect[COORDINATES + i] * distance;
    }
  }
}

/* Impacts until no contact approaches, at most 4 for each contact. 0: they have no answer or do not end. */
static int strike(machine *m, const int8_t *touched, int rebounds, int *struck) {
  int j, k, approaching = 1, solved = 1;
  *struck = 0;
  for (k = 0; (k <= (4 * NC)) && (approaching != 0) && (solved != 0); ++k) {
    approaching = 0;
    for (j = 0; j < NC; ++j) {
      if ((touched[j] != 0) && (contact_rate(m, j) < -no_rate(m, j))) {
        approaching = 1;
      }
    }
    if (approaching != 0) {
      solved = (k < (4 * NC)) ? strike_once(m, touched, rebounds) : 0;
      *struck = 1;
    }
  }
  for (j = 0; (j < NC) && (solved != 0); ++j) {
    int8_t *const mode = &m->modes[(2 * NP) + j];
    if (touched[j] != 0) {
      const int closed = (contact_rate(m, j) <= no_rate(m, j)) ? 1 : 0;
      if ((*mode == 0) && (contacts[j].of_velocity == 0)) {
        move_onto(m, j);
      }
      *mode = (int8_t)closed;
    }
  }
  return solved;
}

/* No guard of these modes fires just after this instant: the first nonzero of its value and first two derivatives is
   negative. */
static int lasts(const machine *m, const mode_plan *plan) {
  const int width = NX + NV;
  real rate[NX + NV], bend[NX + NV];
  int i, j, k, holds = 1;
  affine(numbers_of(m) + plan->rate, NX, width, X_OF(m->start), rate);
  for (j = 0; j < NV; ++j) {
    rate[NX + j] = m->start[j] / (real)STEP;
    bend[NX + j] = REAL(0.0);
  }
  for (i = 0; i < NX; ++i) {
    bend[i] = linear_row(numbers_of(m) + plan->rate + (i * (1 + width)), width, rate);
  }
  for (k = 0; (k < plan->guards) && (holds != 0); ++k) {
    const real *const row = numbers_of(m) + plan->values + (k * (1 + width));
    const real zero = LOCATED * numbers_of(m)[plan->tolerance + k];
    real value;
    affine(row, 1, width, X_OF(m->start), &value);
    if (FABS(value) <= zero) {
      value = (real)STEP * linear_row(row, width, rate);
    }
    if (FABS(value) <= zero) {
      value = ((real)STEP * (real)STEP) * linear_row(row, width, bend);
    }
    if (value > zero) {
      holds = 0;
    }
  }
  return holds;
}

/* Elements and contacts whose modes an instant decides. */
typedef struct {
  int8_t touching[NC];
  int8_t rests[IMPACT_SIZE];
  int8_t only[IMPACT_SIZE];      /* the mode that a guard leaves to an element at rest; -1: any */
  int8_t not_again[IMPACT_SIZE]; /* the mode that it excludes; -1: none */
  int8_t opens[NC];
} choice;

/* Tries every set of modes: held before sliding, closed before open. At most MODE_SETS. */
static int search(machine *m, const choice *open) {
  int8_t present[STICKSLIP_MODES], modes[STICKSLIP_MODES];
  int j, k, set, sets = 1, found = 0;
#if (NP > 0)
  int i;
#endif
  for (k = 0; k < STICKSLIP_MODES; ++k) {
    present[k] = m->modes[k];
  }
  for (j = 0; j < NC; ++j) {
    sets *= (open->touching[j] != 0) ? 2 : 1;
  }
#if (NP > 0)
  for (i = 0; i < NP; ++i) {
    sets *= (open->rests[i] != 0) ? 3 : 1;
  }
#endif
  for (set = 0; (set < sets) && (found == 0); ++set) {
    int rest = set, allowed = 1, plan;
    for (k = 0; k < STICKSLIP_MODES; ++k) {
      modes[k] = present[k];
    }
#if (NP > 0)
    for (i = NP - 1; i >= 0; --i) {
      if (open->rests[i] != 0) {
        const int which = rest % 3;
        rest /= 3;
        modes[i] = (int8_t)((which == 0) ? STICK : ((which == 1) ? FORWARD : BACKWARD));
      }
    }
#endif
    for (j = NC - 1; j >= 0; --j) {
      if (open->touching[j] != 0) {
        modes[(2 * NP) + j] = (int8_t)(1 - (rest % 2));
        rest /= 2;
        if ((open->opens[j] != 0) && (modes[(2 * NP) + j] != 0)) {
          allowed = 0;
        }
      }
    }
#if (NP > 0)
    for (i = 0; i < NP; ++i) {
      if ((elements[i].contact >= 0) && (modes[(2 * NP) + elements[i].contact] == 0)) {
        if ((open->rests[i] != 0) && (modes[i] != STICK)) {
          allowed = 0; /* the same set again */
        }
        modes[i] = OPEN;
      } else if ((open->rests[i] != 0) &&
                 (((open->only[i] >= 0) && (modes[i] != open->only[i])) || (modes[i] == open->not_again[i]))) {
        allowed = 0;
      } else {
        /* allowed */
      }
    }
#endif
    plan = (allowed != 0) ? find_plan(modes) : -1;
    if ((plan >= 0) && (lasts(m, &plans[plan]) != 0)) {
      found = 1;
    }
  }
  for (k = 0; (k < STICKSLIP_MODES) && (found != 0); ++k) {
    m->modes[k] = modes[k];
  }
  return found;
}

#if (NP > 0)
static int acceleration_side(machine *m, int i) {
  const friction_element *const p = &elements[i];
  const real *const row = numbers_of(m) + p->velocity_x;
  real sum = form(numbers_of(m) + p->acceleration, X_OF(m->start));
  int k;
  rates(m, m->start, m->rates_start);
  for (k = 0; k < NX; ++k) {
    sum += row[k] * m->rates_start[k];
  }
  return (sum > REAL(0.0)) ? 1 : ((sum < REAL(0.0)) ? -1 : 0);
}

/* Which elements rest: those that were at rest, stop now, or come to a halt beside a contact that closes or after an
   impact. Others slide to the side of their velocity. */
static void find_resting(machine *m, const int8_t *stopped, int touched, int struck, choice *open) {
  int i;
  for (i = 0; i < NP; ++i) {
    const friction_element *const p = &elements[i];
    const int c = p->contact, was = plans[m->plan].modes[i];
    const real v = velocity_of(m, p), tiny = RESIDUAL * size_along(m, numbers_of(m) + p->velocity);
    open->rests[i] = 0;
    if ((c >= 0) && (open->touching[c] == 0)) {
      m->modes[i] = OPEN;
    } else if (p->sticks == 0) {
      if (FABS(v) > tiny) {
        m->modes[i] = SLIP((v > REAL(0.0)) ? 1 : -1);
      } else if (m->modes[i] == OPEN) {
        m->modes[i] = FORWARD;
      } else {
        /* it keeps its side */
      }
    } else {
      const int side = direction_of(m->modes[i]), held = is_at_rest(was);
      real rounding;
      const int jumps = (FABS(velocity_jump(m, p, &rounding)) > tiny) && (m->passed == REAL(0.0));
      const int away = (stopped[i] == 0) && (FABS(v) > tiny) && ((held == 0) || (struck != 0) || (jumps != 0));
      if (away != 0) {
        m->modes[i] = SLIP((v > REAL(0.0)) ? 1 : -1);
      } else if ((side == 0) || (stopped[i] != 0) || (struck != 0) || (touched != 0) ||
                 ((acceleration_side(m, i) * side) < 0)) {
        open->rests[i] = 1;
      } else {
        /* a velocity that passes through zero */
      }
    }
  }
}
#endif

/* Decides the modes after the guards that have fired. 0: no answer, and modes and state stay. */
static int decide(machine *m, const int16_t *fired, int count, int rebounds) {
  const mode_plan *const plan = &plans[m->plan];
  int8_t touched[NC], before[STICKSLIP_MODES];
#if (NP > 0)
  int8_t stopped[NP];
#endif
  choice open;
  int i, j, k, struck = 0, decided;
#if (NP > 0)
  int lifts = 0, meets = 0;
#endif
  for (i = 0; i < NX; ++i) {
    m->size[i] = greater(m->size[i], FABS(X_OF(m->start)[i]));
  }
  for (k = 0; k < STICKSLIP_MODES; ++k) {
    before[k] = m->modes[k];
  }
#if (NP > 0)
  for (i = 0; i < NP; ++i) {
    stopped[i] = 0;
    open.only[i] = -1;
    open.not_again[i] = -1;
  }
#endif
  for (j = 0; j < NC; ++j) {
    touched[j] = m->modes[(2 * NP) + j];
    open.opens[j] = 0;
  }
  for (k = 0; k < count; ++k) {
    const guard *const g = &guards[plan->first_guard + fired[k]];
    switch (g->kind) {
    case CLOSES:
    case LOCKS:
      touched[g->contact] = 1;
#if (NP > 0)
      meets = 1;
#endif
      break;
    case LIFTS_OFF:
      open.opens[g->contact] = 1;
#if (NP > 0)
      lifts = 1;
#endif
      break;
#if (NP > 0)
    case SLIP_ENDS:
      stopped[g->element] = 1;
      open.not_again[g->element] = SLIP(g->direction);
      break;
    case BREAKS_AWAY:
      open.only[g->element] = SLIP(g->direction);
      break;
#endif
#if (NLEAVERS > 0)
    case SHARED_LIMIT:
      for (i = 0; i < g->leave; ++i) {
        open.only[leavers[g->leaving + i].element] = SLIP(leavers[g->leaving + i].side);
      }
      break;
#endif
    default:
      fire(m, g);
      break;
    }
  }
#if (NP > 0)
  for (i = 0; (i < NP) && (lifts != 0); ++i) { /* as a contact lifts off, friction at v = 0 comes to rest */
    const int side = direction_of(m->modes[i]);
    if ((elements[i].sticks != 0) && (side != 0) &&
        (FABS(velocity_of(m, &elements[i])) <= (RESIDUAL * size_along(m, numbers_of(m) + elements[i].velocity)))) {
      stopped[i] = 1;
      open.not_again[i] = SLIP(side);
    }
  }
#endif
  decided = strike(m, touched, rebounds, &struck);
  if (decided != 0) {
#if (NP > 0)
    if (struck != 0) { /* an impact has moved elements that stopped at this instant */
      for (i = 0; i < NP; ++i) {
        stopped[i] = 0;
        open.not_again[i] = -1;
      }
    }
    for (i = 0; i < NP; ++i) {
      if (stopped[i] != 0) {
        meets = 1;
      }
    }
#endif
    for (j = 0; j < NC; ++j) {
      open.touching[j] = ((m->modes[(2 * NP) + j] != 0) && !(contact_rate(m, j) > no_rate(m, j))) ? 1 : 0;
      m->modes[(2 * NP) + j] = open.touching[j];
    }
#if (NP > 0)
    find_resting(m, stopped, meets, struck, &open);
#endif
    decided = search(m, &open);
    if (decided == 0) { /* guards of one instant need not all change their modes */
#if (NP > 0)
      for (i = 0; i < NP; ++i) {
        open.only[i] = -1;
        open.not_again[i] = -1;
      }
#endif
      for (j = 0; j < NC; ++j) {
        open.opens[j] = 0;
      }
      decided = search(m, &open);
    }
  }
  if (decided == 0) {
    for (k = 0; k < STICKSLIP_MODES; ++k) {
      m->modes[k] = before[k];
    }
  }
  return decided;
}
#endif
