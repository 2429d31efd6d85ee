/* --- signals: functions of time, with inputs ------------------------------------------------------------------- */

static double time_at(int64_t tick) {
  return T_START + ((double)tick * STEP);
}

#if (NV > 0)
static real piece_value(const machine *m, int piece, double later, double t, int degree) {
  const signal_piece *const p = &pieces[piece];
  const real *const c = numbers_of(m) + p->c;
  const real d = (real)((t - later) - p->anchor);
  real sum = c[degree];
  int k;
  for (k = degree - 1; k >= 0; --k) {
    sum = (sum * d) + c[k];
  }
#if (NHARMONICS > 0)
  for (k = 0; k < p->harmonics; ++k) {
    const harmonic *const w = &harmonics[p->first_harmonic + k];
    sum += numbers_of(m)[w->amplitude] * (real)sin((w->omega * t) + w->phase);
  }
#endif
  return sum;
}

/* The piece that holds at t, how much later than the first time it begins, and the end of it. */
static int piece_at(const signal *s, double t, double *later, double *end) {
  int k = 0;
#if (MOST_PIECES > 1)
  const signal_piece *const all = &pieces[s->first_piece];
#endif
  *later = 0.0;
  *end = HUGE_VAL;
#if REPEATS
  if ((s->repeats > 0) && (t >= all[s->repeats].start)) {
    const double first = all[s->repeats].start;
    double rounds = floor((t - first) / s->period);
    if (rounds < 0.0) {
      rounds = 0.0;
    }
    if ((rounds > 0.0) && (t < (first + (rounds * s->period)))) {
      rounds -= 1.0;
    }
    if (t >= (first + ((rounds + 1.0) * s->period))) {
      rounds += 1.0;
    }
    *later = rounds * s->period;
    *end = first + ((rounds + 1.0) * s->period);
    k = s->repeats;
  }
#endif
#if (MOST_PIECES > 1)
  while (((k + 1) < s->pieces) && (t >= (all[k + 1].start + *later))) {
    ++k;
  }
  if ((k + 1) < s->pieces) {
    *end = all[k + 1].start + *later;
  }
#else
  (void)t;
#endif
  return s->first_piece + k;
}

/* Both ends of the step: signals at its start, and their changes over it. 1: some signal has jumped. */
static int sample_signals(machine *m, const real *inputs) {
  const double t = time_at(m->tick), end = time_at(m->tick + 1), near = SAME * STEP;
  real *const change = m->start, *const value = S_OF(m->start);
  int j, jumped = 0;
  (void)inputs;
  for (j = 0; j < NV; ++j) {
    const signal *const s = &signals[j];
    m->jump[j] = REAL(0.0);
    if (s->whole != 0) {
      change[j] = piece_value(m, s->first_piece, 0.0, end, s->degree) - value[j];
    } else {
      real from = REAL(0.0), to = REAL(0.0);
      if (s->pieces > 0) {
        double later, until;
        const int piece = piece_at(s, t + near, &later, &until);
        from = piece_value(m, piece, later, t, MOST_DEGREE);
        if ((s->jumps != 0) || (until > (end - near))) {
          to = piece_value(m, piece, later, end, MOST_DEGREE);
        } else {
          const int last = piece_at(s, end, &later, &until);
          to = piece_value(m, last, later, end, MOST_DEGREE);
        }
      }
#if (NI > 0)
      if (s->input >= 0) {
        const real *const gain = numbers_of(m) + s->gain; /* gain, default */
        const real more = gain[0] * (inputs[s->input] - gain[1]);
        from += more;
        to += more;
      }
#endif
      m->jump[j] = from - value[j];
      if (FABS(m->jump[j]) > (PRODUCT * FABS(from))) {
        jumped = 1;
      }
      value[j] = from;
      change[j] = to - from;
    }
    if (s->load != 0) { /* a surface cannot pull */
      const real from = value[j], to = from + change[j];
      if (!((from >= REAL(0.0)) && (to >= REAL(0.0)))) {
        value[j] = greater(from, REAL(0.0));
        change[j] = greater(to, REAL(0.0)) - value[j];
        m->clipped = 1;
      }
    }
  }
  return jumped;
}
#endif
