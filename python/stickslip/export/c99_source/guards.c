/* --- guards that fire within a step, located on the path between its ends -------------------------------------- */

static double now(const machine *m) {
  return time_at(m->tick) + (double)m->passed;
}

static real ageing_at(const machine *m, const mode_plan *plan, int which, const real *point, real tau) {
  real less = REAL(0.0);
#if (NAGEING > 0)
  int k;
  for (k = 0; k < plan->ageing; ++k) {
    const ageing_limit *const one = &ageing[plan->first_ageing + k];
    if (one->guard == which) {
      const real share = aged_share(m, &elements[one->element], now(m) + (double)tau, X_OF(point));
      less += ((REAL(1.0) - share) * numbers_of(m)[one->level]) * form(numbers_of(m) + one->load, X_OF(point));
    }
  }
#else
  (void)m;
  (void)plan;
  (void)which;
  (void)point;
  (void)tau;
#endif
  return less;
}

static const real *guard_row(const machine *m, int which) {
  const mode_plan *const plan = &plans[m->plan];
  return numbers_of(m) + plan->values + (which * (1 + NX + NV + plan->curves));
}

static real guard_value(const machine *m, int which, const real *point, real tau) {
  const mode_plan *const plan = &plans[m->plan];
  real g;
  if (plan->short_guards != 0) {
    g = form(guard_row(m, which), X_OF(point));
  } else {
    affine(guard_row(m, which), 1, NX + NV + plan->curves, X_OF(point), &g);
    g -= ageing_at(m, plan, which, point, tau);
  }
  return g;
}

static void guard_values(const machine *m, const real *point, real tau, real *out) {
  int k;
  for (k = 0; k < plans[m->plan].guards; ++k) {
    out[k] = guard_value(m, k, point, tau);
  }
}

static int meets_contact(const guard *g) {
  return ((g->kind == CLOSES) || (g->kind == LOCKS)) ? 1 : 0;
}

/* Guards that have fired at the end; `met`: contacts that are met alone. */
static int any_fired(const machine *m, int met) {
  const mode_plan *const plan = &plans[m->plan];
  int k, fired = 0;
  for (k = 0; k < plan->guards; ++k) {
    if ((m->guard_end[k] > numbers_of(m)[plan->tolerance + k]) &&
        ((met == 0) || (meets_contact(&guards[plan->first_guard + k]) != 0))) {
      fired = 1;
    }
  }
  return fired;
}

#if (NC > 0)
/* Rounding error of a guard, relative to its terms. */
static real guard_rounding(const machine *m, int which, const real *point) {
  const real *const row = guard_row(m, which), *const u = X_OF(point);
  const int width = NX + NV + plans[m->plan].curves;
  real sum = FABS(row[0]);
  int j;
  for (j = 0; j < width; ++j) {
    sum += FABS(row[1 + j] * u[j]);
  }
  return POLYNOMIAL * sum;
}
#endif

/* On a parabola through both values, with its slope at an end. */
static real locate(machine *m, int which, real end) {
  const int width = NX + NV + plans[m->plan].curves;
  const real g1 = m->guard_end[which];
  real g0 = lesser(m->guard_start[which], REAL(0.0)), square, slope, inside, root, theta, tau;
#if (NC > 0)
  if (-g0 <= guard_rounding(m, which, m->start)) {
    g0 = REAL(0.0); /* rebounds begin at the wall: else their flights would not get shorter */
  }
  square = (g1 - g0) - (linear_row(guard_row(m, which), NX + NV, rates_at_start(m)) * end);
  (void)width;
#else
  slope = linear_row(guard_row(m, which), width, rates_at_end(m));
  square = (((g1 - g0) - (slope * end)) / (end - (REAL(2.0) * (real)STEP))) * end;
#endif
  slope = (g1 - g0) - square;
  inside = (slope * slope) - ((REAL(4.0) * square) * g0);
  root = (inside >= REAL(0.0)) ? SQRT(inside) : REAL(-1.0);
  if (root < REAL(0.0)) {
    theta = REAL(2.0);
  } else if (slope > REAL(0.0)) {
    theta = (REAL(-2.0) * g0) / (slope + root);
  } else { /* it decreases first */
    theta = (root - slope) / (REAL(2.0) * square);
  }
  tau = end * (((theta >= REAL(0.0)) && (theta <= REAL(1.0))) ? theta : (g0 / (g0 - g1)));
#if (NC > 0)
  { /* Newton's method with the slope of the parabola at its root, until what is left is rounding */
    const real fall = (slope + (((REAL(2.0) * square) * tau) / end)) / end;
    int round, done = 0;
    for (round = 0; (round < 3) && (done == 0); ++round) {
      if ((fall > REAL(0.0)) && (tau > REAL(0.0)) && (tau < end)) {
        const real *const p = on_exact_flow(m, tau);
        const real residual = guard_value(m, which, p, tau);
        if (FABS(residual) <= guard_rounding(m, which, p)) {
          done = 1;
        } else {
          tau = lesser(greater(tau - (residual / fall), REAL(0.0)), end);
        }
      } else {
        done = 1;
      }
    }
  }
#endif
  return tau;
}

/* To the first instant before the end at which one of them fires. met: contacts that are reached count alone. */
static void move_to_first(machine *m, real end, int met) {
  const mode_plan *const plan = &plans[m->plan];
  const real *p;
  real tau = REAL(2.0) * (real)STEP;
  int k, which = 0, count = 0;
  for (k = 0; k < plan->guards; ++k) {
    const real zero = numbers_of(m)[plan->tolerance + k];
    if ((met != 0) && (meets_contact(&guards[plan->first_guard + k]) == 0)) {
      m->guard_end[k] = NOT_FIRED;
    }
    if (m->guard_end[k] > zero) {
      real time = REAL(0.0);
      ++count;
      m->guard_start[k] = guard_value(m, k, m->start, REAL(0.0));
      if (!(m->guard_start[k] > zero)) {
        time = locate(m, k, end);
      }
      if (time < tau) {
        tau = time;
        which = k;
      }
    }
  }
  p = (tau > REAL(0.0)) ? point_at(m, tau) : m->start;
  if ((count > 1) && (met == 0)) { /* some of the others may fire at the same instant */
    guard_values(m, p, tau, m->guard_first);
  } else {
    for (k = 0; k < plan->guards; ++k) {
      m->guard_first[k] = NOT_FIRED;
    }
    m->guard_first[which] = REAL(0.0);
  }
  m->guard_least = lesser(m->guard_first[which], REAL(0.0));
  if (tau > REAL(0.0)) {
    move_to(m, p, tau);
  }
}

static int fires(const machine *m, int k) {
  const real zero = numbers_of(m)[plans[m->plan].tolerance + k];
  return ((m->guard_first[k] > zero) || ((m->guard_end[k] > zero) && (m->guard_first[k] >= m->guard_least))) ? 1 : 0;
}
