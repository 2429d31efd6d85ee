/* --- functions of the header ----------------------------------------------------------------------------------- */

void stickslip_start(stickslip_machine *m@parameters_argument@) {
  int i;
@take_parameters@  m->late = 0;
  m->clipped = 0;
  m->failed = 0;
  m->late_steps = 0;
  m->transitions = 0;
  m->tick = 0;
  m->plan = 0;
  m->passed = REAL(0.0);
  m->left = REAL(0.0);
  m->rates_end_known = 0;
  for (i = 0; i < STICKSLIP_POINT; ++i) {
    m->start[i] = REAL(0.0);
  }
  for (i = 0; i < STICKSLIP_SIGNALS; ++i) {
    m->jump[i] = REAL(0.0);
  }
  for (i = 0; i < STICKSLIP_ELEMENTS; ++i) {
    m->came_from[i] = 0;
    m->loaded[i] = 1;
  }
  for (i = 0; i < (NX + NV); ++i) {
    X_OF(m->start)[i] = numbers_of(m)[START_STATE + i];
  }
  for (i = 0; i < STICKSLIP_MODES; ++i) {
    m->modes[i] = first_modes[i];
  }
#if (NC > 0)
  for (i = 0; i < NX; ++i) {
    m->size[i] = numbers_of(m)[NOMINAL + i];
  }
#endif
#if (NS > 0)
  start_sampled(m);
#endif
#if (NDELAYS > 0)
  for (i = 0; i < NDELAYS; ++i) {
    const dead_time *const d = &delays[i];
    int k;
    for (k = 0; k < d->size; ++k) {
      m->history[d->first + k] =
          (is_at_rest(m->modes[d->element]) != 0) ? REAL(0.0) : X_OF(m->start)[elements[d->element].delayed];
    }
  }
#endif
  change_modes(m);
}

@set_parameters@void stickslip_step(stickslip_machine *m, const stickslip_inputs *in) {
  real inputs[NI + 1];
@inputs@  m->late = 0;
  m->clipped = 0;
  if (m->failed != 0) {
    ++m->tick;
  } else {
    step(m, inputs);
  }
}

void stickslip_read(stickslip_machine *m, stickslip_outputs *out) {
  real values[NO + 1];
  read_outputs(m, values);
@outputs@}
