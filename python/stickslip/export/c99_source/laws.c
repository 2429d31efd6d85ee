/* --- friction laws: values with their derivative by the velocity ----------------------------------------------- */

#if (NP > 0)
typedef struct { real x, d; } dual;

static int is_odd(real shape) {
  return (shape == FLOOR(shape)) && (FMOD(shape, REAL(2.0)) != REAL(0.0));
}

/* |u|^p beyond the steepest slope that is still finite; u < 0 is continued analytically for integers, else evenly. */
static dual power_of(dual u, real p) {
  const real steepest_at = REAL(1e-12);
  dual out;
  if (p == REAL(1.0)) {
    out = u;
  } else if (p == REAL(2.0)) {
    out.x = u.x * u.x;
    out.d = (u.x * u.d) + (u.x * u.d);
  } else if (p == FLOOR(p)) {
    out.x = POW(u.x, p);
    out.d = (p * POW(u.x, p - REAL(1.0))) * u.d;
  } else {
    const real a = FABS(u.x), near = ((p < REAL(1.0)) && (a < steepest_at)) ? steepest_at : a;
    out.x = POW(a, p);
    out.d = (((u.x < REAL(0.0)) ? -p : p) * POW(near, p - REAL(1.0))) * u.d;
  }
  return out;
}

/* |v|^p sgn v. */
static dual odd_power_of(real v, real p) {
  const real steepest_at = REAL(1e-12), a = FABS(v), near = ((p < REAL(1.0)) && (a < steepest_at)) ? steepest_at : a;
  dual out;
  out.x = COPYSIGN(POW(a, p), v);
  out.d = p * POW(near, p - REAL(1.0));
  return out;
}

/* Level between the static and the kinetic one at s = |v|; numbers: static, kinetic, velocity, shape, form. */
static dual level_of(const real *numbers, dual s) {
  const real kinetic = numbers[1], rise = numbers[0] - numbers[1], shape = numbers[3];
  dual out, fall, u, p;
  out.x = kinetic;
  out.d = REAL(0.0);
  if (numbers[0] != numbers[1]) {
    u.x = s.x / numbers[2];
    u.d = (REAL(1.0) / numbers[2]) * s.d;
    if ((u.x < REAL(-0.5)) && (is_odd(shape) != 0)) {
      u.x = REAL(-0.5);
      u.d = REAL(0.0);
    }
    p = power_of(u, shape);
    fall.x = REAL(0.0);
    fall.d = REAL(0.0);
    if (numbers[4] == REAL(0.0)) {
      if (p.x <= REAL(745.0)) {
        fall.x = EXP(-p.x);
        fall.d = fall.x * -p.d;
      }
    } else if (p.x <= HUGE_LEVEL) {
      const real inverse = REAL(1.0) / (REAL(1.0) + p.x);
      fall.x = inverse;
      fall.d = (-inverse * inverse) * p.d;
    } else {
      /* far beyond the Stribeck velocity */
    }
    out.x = kinetic + (rise * fall.x);
    out.d = rise * fall.d;
  }
  return out;
}

static dual viscous_of(real coefficient, real exponent, real v, int direction) {
  dual out;
  if (exponent == REAL(1.0)) {
    out.x = coefficient * v;
    out.d = coefficient;
  } else if (exponent == REAL(2.0)) {
    const real c = coefficient * (real)direction;
    out.x = (c * v) * v;
    out.d = (v * c) + (c * v);
  } else {
    out = odd_power_of(v, exponent);
    out.x *= coefficient;
    out.d *= coefficient;
  }
  return out;
}

/* Piecewise linear, held beyond its ends; numbers: velocities, then forces. */
static dual table_of(const real *numbers, int n, int odd, real v, int direction) {
  const real side = ((odd != 0) && (direction < 0)) ? REAL(-1.0) : REAL(1.0), at = side * v;
  const int upward = (odd != 0) || (direction > 0);
  real from = numbers[0], value = numbers[n], slope = REAL(0.0);
  int k = 0, zero = 0;
  dual out;
  while ((k < n) && ((upward != 0) ? (numbers[k] <= at) : (numbers[k] < at))) {
    ++k;
  }
  while ((zero < n) && ((upward != 0) ? (numbers[zero] <= REAL(0.0)) : (numbers[zero] < REAL(0.0)))) {
    ++zero;
  }
  if ((upward != 0) ? (zero > k) : (zero < k)) {
    k = zero;
  }
  if (k == n) {
    from = numbers[n - 1];
    value = numbers[(2 * n) - 1];
  } else if (k > 0) {
    from = numbers[k - 1];
    value = numbers[n + k - 1];
    slope = (numbers[n + k] - numbers[n + k - 1]) / (numbers[k] - numbers[k - 1]);
  } else {
    /* held before the first point */
  }
  out.x = (side * value) + (slope * (v - (side * from)));
  out.d = slope;
  return out;
}

/* Force of the steady curve at v on the side `direction` of zero: per unit load, and viscous. */
static void law_of(const machine *m, const friction_element *p, real v, int direction, dual *dry, dual *viscous) {
  int k;
  dry->x = dry->d = viscous->x = viscous->d = REAL(0.0);
  for (k = 0; k < p->terms; ++k) {
    const law_term *const term = &law_terms[p->first_term + k];
    const real *const c = numbers_of(m) + term->numbers;
    const real side = (real)direction;
    dual own = {REAL(0.0), REAL(0.0)}, smooth = {REAL(0.0), REAL(0.0)}, s;
    s.x = side * v;
    s.d = side;
    switch (term->kind) {
    case COULOMB:
      own.x = side * c[0];
      break;
    case VISCOUS:
      smooth = viscous_of(c[0], c[1], v, direction);
      break;
    case STRIBECK:
      own = level_of(c, s);
      own.x = side * own.x;
      own.d = side * own.d;
      smooth = viscous_of(c[5], c[6], v, direction);
      break;
    case TANH: {
      const real t = TANH_OF(v / c[7]), t_slope = (REAL(1.0) - (t * t)) * (REAL(1.0) / c[7]);
      const dual level = level_of(c, s);
      own.x = level.x * t;
      own.d = (t * level.d) + (level.x * t_slope);
      smooth = viscous_of(c[5], c[6], v, direction);
      break;
    }
    default:
      own = table_of(c, term->count, term->kind == ODD_TABLE, v, direction);
      break;
    }
    dry->x += own.x;
    dry->d += own.d;
    viscous->x += smooth.x;
    viscous->d += smooth.d;
  }
}

/* Numbers of an element that its automaton needs. */
enum { BREAK_AWAY, KINETIC, DWELL, TRAVEL, SURFACE_DAMPING, IMPULSIVE };
#define VALUE_OF(p, which) (numbers_of(m)[(p)->values + (which)])

/* The same with the peak of the curve as the last dwell has left it. */
static void sliding_force(const machine *m, const friction_element *p, const real *x, real v, int direction, dual *dry,
                          dual *viscous) {
  law_of(m, p, v, direction, dry, viscous);
  if (p->peak >= 0) {
    const real peak = x[p->peak], kinetic = VALUE_OF(p, KINETIC), rise = VALUE_OF(p, BREAK_AWAY) - kinetic;
    if (rise > REAL(0.0)) {
      const real side = (dry->x < REAL(0.0)) ? REAL(-1.0) : REAL(1.0), inverse = REAL(1.0) / rise,
                 higher = (peak * VALUE_OF(p, BREAK_AWAY)) - kinetic;
      dry->x = side * (kinetic + (higher * (((side * dry->x) - kinetic) / rise)));
      dry->d = side * (higher * (inverse * (side * dry->d)));
    }
  }
}

static real peak_of(const friction_element *p, const real *x) {
  return (p->peak >= 0) ? x[p->peak] : REAL(1.0);
}

/* Dry force per unit load of the velocity one dead time ago; zero: the level at which the element broke away. */
static real delayed_dry(const machine *m, const friction_element *p, const real *x, int direction) {
  const real past = x[p->delayed], side = (real)direction;
  real f;
  if (past == REAL(0.0)) {
    f = side * peak_of(p, x) * VALUE_OF(p, BREAK_AWAY);
  } else {
    dual dry, viscous;
    sliding_force(m, p, x, side * FABS(past), direction, &dry, &viscous);
    f = dry.x;
  }
  return f;
}

static int direction_of(int mode) {
  return (mode == FORWARD) ? 1 : ((mode == BACKWARD) ? -1 : 0);
}

static real velocity_of(const machine *m, const friction_element *p) {
  return form(numbers_of(m) + p->velocity, X_OF(m->start));
}

static real load_of(const machine *m, int element) {
  const friction_element *const p = &elements[element];
  return form(numbers_of(m) + p->load[m->modes[NP + element]], X_OF(m->start));
}

/* Share of the static level that holds at time t. */
static real aged_share(const machine *m, const friction_element *p, double t, const real *x) {
  real share = REAL(1.0);
  if (p->aged >= 0) {
    const real clock = greater(REAL(0.0), (real)(t - (double)x[p->entered]));
    share = x[p->aged] + (((REAL(1.0) - x[p->aged]) * clock) / (clock + VALUE_OF(p, DWELL)));
  }
  return share;
}
#endif
