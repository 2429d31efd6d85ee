/* --- small matrices -------------------------------------------------------------------------------------------- */

#define X_OF(point) ((point) + NV)
#define S_OF(point) ((point) + NV + NX)
#define F_OF(point) ((point) + NV + NX + NV)

/* Numbers of the machine, by place. */
static const real *numbers_of(const machine *m) {
@numbers@}

/* Linear part of a row of a map. */
static real linear_row(const real *row, int width, const real *u) {
  real sum = REAL(0.0);
  int j;
  for (j = 0; j < width; ++j) {
    sum += row[1 + j] * u[j];
  }
  return sum;
}

/* y = c + M u, rows (c, M) one after the other. */
static void affine(const real *map, int rows, int width, const real *u, real *y) {
  int i, j;
  for (i = 0; i < rows; ++i) {
    const real *const row = map + (i * (1 + width));
    real sum = row[0];
    for (j = 0; j < width; ++j) {
      sum += row[1 + j] * u[j];
    }
    y[i] = sum;
  }
}

/* A row over states and signals. */
static real form(const real *row, const real *xs) {
  return row[0] + linear_row(row, NX + NV, xs);
}

static real greater(real a, real b) {
  return (a < b) ? b : a;
}

static real lesser(real a, real b) {
  return (b < a) ? b : a;
}

#if SOLVES
/* LU factorisation with partial pivoting, column by column; the diagonal keeps reciprocals. 0: singular. */
static int lu_factor(real *m, int n, int *order) {
  int i, j, k, regular = 1;
  for (i = 0; i < n; ++i) {
    order[i] = i;
  }
  for (k = 0; (k < n) && (regular != 0); ++k) {
    real *const column = m + (k * n);
    int p = k;
    for (i = k + 1; i < n; ++i) {
      if (FABS(column[i]) > FABS(column[p])) {
        p = i;
      }
    }
    if (!(FABS(column[p]) > REAL(0.0)) || !isfinite(column[p])) {
      regular = 0;
    } else {
      real inverse;
      if (p != k) {
        const int other = order[k];
        order[k] = order[p];
        order[p] = other;
        for (j = 0; j < n; ++j) {
          const real kept = m[(j * n) + k];
          m[(j * n) + k] = m[(j * n) + p];
          m[(j * n) + p] = kept;
        }
      }
      inverse = REAL(1.0) / column[k];
      for (i = k + 1; i < n; ++i) {
        column[i] *= inverse;
      }
      for (j = k + 1; j < n; ++j) {
        real *const other = m + (j * n);
        const real factor = other[k];
        for (i = k + 1; i < n; ++i) {
          other[i] -= column[i] * factor;
        }
      }
      column[k] = inverse;
    }
  }
  return regular;
}

static void lu_solve(const real *m, int n, const int *order, const real *b, real *x) {
  int i, k;
  for (i = 0; i < n; ++i) {
    x[i] = b[order[i]];
  }
  for (k = 0; k < (n - 1); ++k) {
    for (i = k + 1; i < n; ++i) {
      x[i] -= m[(k * n) + i] * x[k];
    }
  }
  for (k = n - 1; k >= 0; --k) {
    x[k] *= m[(k * n) + k];
    for (i = 0; i < k; ++i) {
      x[i] -= m[(k * n) + i] * x[k];
    }
  }
}
#endif
