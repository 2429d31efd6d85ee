/* --- outputs --------------------------------------------------------------------------------------------------- */

#if (NREADS > 0)
#if NEEDS_FORCES
/* Force of an element that slides or is held by its elastic surface. */
static real sliding_force_now(const machine *m, int i) {
  const friction_element *const p = &elements[i];
  const real *const x = X_OF(m->start);
  const int direction = direction_of(m->modes[i]);
  const real v = velocity_of(m, p), load = load_of(m, i);
  real f = REAL(0.0);
  if (direction == 0) {
    if (p->travelled >= 0) {
      f = (((VALUE_OF(p, BREAK_AWAY) / VALUE_OF(p, TRAVEL)) * x[p->travelled]) * load) +
          (VALUE_OF(p, SURFACE_DAMPING) * v);
    }
  } else {
    dual dry, viscous;
    sliding_force(m, p, x, v, direction, &dry, &viscous);
    if (p->lagged >= 0) {
      f = (x[p->lagged] * (real)direction) + viscous.x;
    } else {
      f = (((p->delayed >= 0) ? delayed_dry(m, p, x, direction) : dry.x) * load) + viscous.x;
    }
  }
  return f;
}
#endif

static real read_one(machine *m, int k) {
  const output_read *const o = &reads[k];
  const real *const xs = X_OF(m->start), *const row = numbers_of(m) + plans[m->plan].outputs + (k * OUTPUT_WIDTH);
  real out = form(row, xs);
  switch (o->kind) {
  case READ_RATE:
    find_forces(m);
    rates(m, m->start, m->rates_start);
    out = m->rates_start[o->index];
    break;
#if (NP > 0)
#if NEEDS_FORCES
  case READ_FORCE: {
    int i;
    for (i = 0; i < NP; ++i) {
      const real share = row[1 + NX + NV + i];
      if (share != REAL(0.0)) {
        out += share * sliding_force_now(m, i);
      }
    }
    break;
  }
#endif
  case READ_FREE_MODE: /* friction that no load presses */
    if (load_of(m, o->index) == REAL(0.0)) {
      out = REAL(4.0);
    }
    break;
  case READ_SIDE: { /* of a law without a jump at v = 0 */
    const real v = velocity_of(m, &elements[o->index]);
    out = (v > REAL(0.0)) ? REAL(1.0) : ((v < REAL(0.0)) ? REAL(-1.0) : REAL(0.0));
    break;
  }
#endif
#if (NLOOPS > 0)
  case READ_HELD: { /* output of a sampled controller: at its upper or lower limit, or within them */
    const controller *const c = &controllers[o->index];
    const real high = numbers_of(m)[c->high + o->part], low = numbers_of(m)[c->low + o->part];
    out = (out >= high) ? REAL(5.0) : ((out <= low) ? REAL(6.0) : REAL(4.0));
    break;
  }
#endif
  default:
    break;
  }
  return out;
}
#endif

static void read_outputs(machine *m, real *out) {
#if (NREADS > 0)
  int j, k = 0;
  for (j = 0; j < NO; ++j) {
    out[j] = REAL(0.0);
    for (; k < first_term[j + 1]; ++k) {
      out[j] += output_terms[k].factor * read_one(m, output_terms[k].read);
    }
  }
#else
  (void)m;
  (void)out;
#endif
}
