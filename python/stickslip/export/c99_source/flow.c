/* --- motion in one combination of modes ------------------------------------------------------------------------ */

static int compare_modes(const int8_t *a, const int8_t *b) {
  int k, difference = 0;
  for (k = 0; (k < STICKSLIP_MODES) && (difference == 0); ++k) {
    difference = a[k] - b[k];
  }
  return difference;
}

/* Number of the plan of these modes; -1: they never occur together. Plans are in the order of their modes. */
static int find_plan(const int8_t *modes) {
  int low = 0, high = NPLANS - 1, found = -1;
  while ((low <= high) && (found < 0)) {
    const int middle = (low + high) / 2, difference = compare_modes(modes, plans[middle].modes);
    if (difference == 0) {
      found = middle;
    } else if (difference < 0) {
      high = middle - 1;
    } else {
      low = middle + 1;
    }
  }
  return found;
}

static void restart(machine *m) {
  m->forces_known = 0;
}

static void change_modes(machine *m) {
  const int found = find_plan(m->modes);
  if (found >= 0) {
    m->plan = (int16_t)found;
  }
  restart(m);
}

#if (NF > 0)
static void evaluate_curve(machine *m, int j, const curve *c, const real *xs, real *f) {
  const friction_element *const p = &elements[c->element];
  const real u = form(numbers_of(m) + c->u, xs), load = form(numbers_of(m) + c->load, xs);
  real by_u = REAL(0.0), by_load = REAL(0.0);
  *f = REAL(0.0);
  if (c->kind == PRESLIDING) {
    const real stiffness = VALUE_OF(p, BREAK_AWAY) / VALUE_OF(p, TRAVEL);
    by_u = stiffness * load;
    by_load = stiffness * u;
    *f = by_u * u;
  } else if (c->kind == DELAYED) {
    by_load = delayed_dry(m, p, xs, c->direction);
    *f = load * by_load;
  } else {
    dual dry, viscous;
    sliding_force(m, p, xs, u, c->direction, &dry, &viscous);
    if (c->kind != VISCOUS_PART) {
      *f = load * dry.x;
      by_u = load * dry.d;
      by_load = dry.x;
    }
    if (c->kind != DRY) {
      *f += viscous.x;
      by_u += viscous.d;
    }
  }
  if (j >= 0) {
    m->curve_u[j] = u;
    m->curve_load[j] = load;
    m->curve_f[j] = *f;
    m->curve_by_u[j] = by_u;
    m->curve_by_load[j] = by_load;
  }
}
#endif

/* Forces of curves at the start of this part of the step. */
static void find_forces(machine *m) {
#if (NF > 0)
  const mode_plan *const plan = &plans[m->plan];
  int j;
  if (m->forces_known == 0) {
    for (j = 0; j < plan->curves; ++j) {
      evaluate_curve(m, j, &curves[plan->first_curve + j], X_OF(m->start), &F_OF(m->start)[j]);
    }
  }
#endif
  m->forces_known = 1;
}

#if (NF > 0)
/* Change of the step by the only nonlinear force: linearly implicit. */
static void add_one_force(machine *m, const mode_plan *plan) {
  const curve *const c = &curves[plan->first_curve];
  const real by_u = m->curve_by_u[0], by_load = m->curve_by_load[0], *column = numbers_of(m) + plan->end;
  real *const b = m->end;
  real gain = (by_u * numbers_of(m)[plan->u_end]) + (by_load * numbers_of(m)[plan->load_end]), more = REAL(0.0);
  int i;
  if (gain < REAL(-1.0)) {
    gain = (by_u * numbers_of(m)[plan->u_through]) + (by_load * numbers_of(m)[plan->load_through]);
    column = numbers_of(m) + plan->through;
  }
  if (gain <= REAL(0.5)) { /* else it grows faster than the step: explicit */
    more = ((by_u * (form(numbers_of(m) + c->u, X_OF(b)) - m->curve_u[0])) +
            (by_load * (form(numbers_of(m) + c->load, X_OF(b)) - m->curve_load[0]))) /
           (REAL(1.0) - gain);
  }
  for (i = 0; i < NX; ++i) {
    X_OF(b)[i] += column[i] * more;
  }
  F_OF(b)[0] = m->curve_f[0] + more;
}

#if (NF > 1)
/* The same for several forces that depend on each other. Matrices are stored column by column. */
static void add_forces(machine *m, const mode_plan *plan) {
  const real *const u_end = numbers_of(m) + plan->u_end, *const load_end = numbers_of(m) + plan->load_end;
  const int n = plan->curves;
  real K[NF * NF], d[NF], rhs[NF], by_u[NF], by_load[NF];
  int order[NF], stiff[NF];
  real *const b = m->end;
  int i, j;
  for (i = 0; i < n; ++i) {
    const curve *const c = &curves[plan->first_curve + i];
    const real du = form(numbers_of(m) + c->u, X_OF(b)) - m->curve_u[i],
               dN = form(numbers_of(m) + c->load, X_OF(b)) - m->curve_load[i];
    const real gain = (m->curve_by_u[i] * u_end[(i * n) + i]) + (m->curve_by_load[i] * load_end[(i * n) + i]);
    by_u[i] = m->curve_by_u[i];
    by_load[i] = m->curve_by_load[i];
    stiff[i] = (gain < REAL(-1.0)) ? 1 : 0;
    if (gain > REAL(0.5)) { /* grows faster than the step: explicit */
      by_u[i] = REAL(0.0);
      by_load[i] = REAL(0.0);
    }
    rhs[i] = (by_u[i] * du) + (by_load[i] * dN);
    if (!isfinite(by_u[i])) { /* a vertical tangent at v = 0 has no finite slope; the force is finite */
      real f;
      evaluate_curve(m, -1, c, X_OF(b), &f);
      rhs[i] = f - m->curve_f[i];
      by_u[i] = REAL(0.0);
      by_load[i] = REAL(0.0);
    }
  }
  for (j = 0; j < n; ++j) {
    const real *const U = (stiff[j] != 0) ? (numbers_of(m) + plan->u_through) : u_end;
    const real *const L = (stiff[j] != 0) ? (numbers_of(m) + plan->load_through) : load_end;
    for (i = 0; i < n; ++i) {
      K[(j * n) + i] = (((i == j) ? REAL(1.0) : REAL(0.0)) - (by_u[i] * U[(j * n) + i])) - (by_load[i] * L[(j * n) + i]);
    }
  }
  if (lu_factor(K, n, order) != 0) {
    lu_solve(K, n, order, rhs, d);
  } else {
    for (j = 0; j < n; ++j) {
      d[j] = REAL(0.0);
    }
  }
  for (j = 0; j < n; ++j) {
    const real *const column = numbers_of(m) + ((stiff[j] != 0) ? plan->through : plan->end) + (j * NX);
    for (i = 0; i < NX; ++i) {
      X_OF(b)[i] += column[i] * d[j];
    }
    F_OF(b)[j] = F_OF(m->start)[j] + d[j];
  }
}
#endif
#endif

/* From the start of this part of the step to a whole step later. */
static void advance(machine *m) {
  const mode_plan *const plan = &plans[m->plan];
  int j;
  m->rates_end_known = 0;
  if (plan->curves > 0) {
    find_forces(m);
  }
  affine(numbers_of(m) + plan->step, NX, NV + NX + NV + plan->curves, m->start, X_OF(m->end));
  for (j = 0; j < NV; ++j) {
    S_OF(m->end)[j] = S_OF(m->start)[j] + m->start[j];
  }
#if (NF > 0)
#if (NF > 1)
  if (plan->curves > 0) {
    if ((plan->curves == 1) && isfinite(m->curve_by_u[0])) {
      add_one_force(m, plan);
    } else {
      add_forces(m, plan);
    }
  }
#else
  if (plan->curves > 0) {
    add_one_force(m, plan);
  }
#endif
#endif
}

static void rates(const machine *m, const real *point, real *out) {
  const mode_plan *const plan = &plans[m->plan];
  affine(numbers_of(m) + plan->rate, NX, NX + NV + plan->curves, X_OF(point), out);
}

/* Rates of (x, signals, forces) over the step, x' being that at its end. */
static const real *rates_at_end(machine *m) {
  int j;
  if (m->rates_end_known == 0) {
    rates(m, m->end, m->rates_end);
  }
  m->rates_end_known = 1;
  for (j = 0; j < NV; ++j) {
    m->rates_end[NX + j] = m->start[j] / (real)STEP;
  }
#if (NF > 0)
  for (j = 0; j < plans[m->plan].curves; ++j) {
    m->rates_end[NX + NV + j] = (F_OF(m->end)[j] - F_OF(m->start)[j]) / (real)STEP;
  }
#endif
  return m->rates_end;
}

/* Rates of (x, signals) at its start. */
static const real *rates_at_start(machine *m) {
  int j;
  find_forces(m);
  rates(m, m->start, m->rates_start);
  for (j = 0; j < NV; ++j) {
    m->rates_start[NX + j] = m->start[j] / (real)STEP;
  }
  return m->rates_start;
}

#if (NC > 0)
/* By the exact flow over the halves of a step whose sum is tau, and the rest to second order. */
static const real *on_exact_flow(machine *m, real tau) {
  const mode_plan *const plan = &plans[m->plan];
  const int width = NV + NX + NV;
  real *const p = m->between;
  real share = REAL(1.0), rest = tau / (real)STEP, next[NX], before[NX];
  int i, j, k;
  for (i = 0; i < width; ++i) {
    p[i] = m->start[i];
  }
  for (k = 0; k < HALVES; ++k) {
    share *= REAL(0.5);
    if (rest >= share) {
      rest -= share;
      affine(numbers_of(m) + plan->halves + (k * NX * (1 + width)), NX, width, p, next);
      for (i = 0; i < NX; ++i) {
        X_OF(p)[i] = next[i];
      }
      for (j = 0; j < NV; ++j) {
        S_OF(p)[j] += share * p[j];
      }
    }
  }
  rates(m, p, before);
  for (i = 0; i < NX; ++i) {
    X_OF(p)[i] += rest * (real)STEP * before[i];
  }
  for (j = 0; j < NV; ++j) {
    S_OF(p)[j] = S_OF(m->start)[j] + ((tau / (real)STEP) * m->start[j]);
  }
  rates(m, p, next);
  for (i = 0; i < NX; ++i) {
    X_OF(p)[i] += REAL(0.5) * rest * (real)STEP * (next[i] - before[i]);
  }
  return p;
}
#endif

/* The point a time tau after the start: on the exact flow, or on the parabola through both ends with the rate at the
   second one. */
static const real *point_at(machine *m, real tau) {
  const real *out = m->end;
  if (tau != (real)STEP) {
#if (NC > 0)
    out = on_exact_flow(m, tau);
#elif (NG > 0) || (NS > 0)
    const real span = (real)STEP, back = (tau / span) - REAL(1.0), linear = (back + (back * back)) * span,
               square = back * back, *const rate = rates_at_end(m);
    int i;
    for (i = 0; i < NX; ++i) {
      X_OF(m->between)[i] =
          (X_OF(m->end)[i] + (linear * rate[i])) + (square * (X_OF(m->start)[i] - X_OF(m->end)[i]));
    }
    for (i = 0; i < NV; ++i) {
      S_OF(m->between)[i] = S_OF(m->start)[i] + ((tau / span) * m->start[i]);
    }
#if (NF > 0)
    for (i = 0; i < plans[m->plan].curves; ++i) {
      F_OF(m->between)[i] = F_OF(m->start)[i] + ((tau / span) * (F_OF(m->end)[i] - F_OF(m->start)[i]));
    }
#endif
    out = m->between;
#endif
  }
  return out;
}

static void move_to(machine *m, const real *point, real tau) {
  int i;
  for (i = 0; i < (NX + NV); ++i) {
    X_OF(m->start)[i] = X_OF(point)[i];
  }
  restart(m);
  m->passed += tau;
  m->left -= tau;
}

#if (NC > 0) || (NP > 0)
/* Velocities and gaps that are held become zero, with the least change in the metric of the masses. */
static void project(machine *m, const projection *p) {
  real *const xs = X_OF(m->start);
  real values[NP + NC];
  int i, k, any = 0;
  for (k = 0; k < p->rows; ++k) {
    values[k] = form(numbers_of(m) + p->row + (k * (1 + NX + NV)), xs);
    if (values[k] != REAL(0.0)) {
      any = 1;
    }
  }
  for (k = 0; (k < p->rows) && (any != 0); ++k) {
    for (i = 0; i < NX; ++i) {
      xs[i] += numbers_of(m)[p->change + (k * NX) + i] * values[k];
    }
  }
}

static void hold(machine *m) {
  project(m, &plans[m->plan].gaps);
  project(m, &plans[m->plan].held);
}
#endif
