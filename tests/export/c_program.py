"""Exported C code in a program that reads inputs and writes outputs as binary numbers."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip.export import ExportedC99

COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]
WARNINGS = ["-std=c99", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror"]
SANITIZER = ["-fsanitize=undefined", "-fno-sanitize-recover=undefined"]

_MAIN = """\
#include "{header}"
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {{
  static {p}_machine m;
  {p}_inputs in;
  {p}_outputs out;
  long steps = atol(argv[1]), k;
  {real} u[{inputs} + 1];
{parameters}  (void)argc;
  for (k = 0; k < steps; ++k) {{
    if (fread(u, sizeof u[0], {inputs}, stdin) != {inputs}) return 1;
{set}    {p}_step(&m, &in);
    {p}_read(&m, &out);
    fwrite(&out, sizeof out, 1, stdout);
  }}
  fprintf(stderr, "%u %u %d", (unsigned)m.transitions, (unsigned)m.late_steps, (int)m.failed);
  return 0;
}}
"""


class Program:
    """The compiled program; after a run `transitions`, `late_steps` and `failed` are its own.

    careful: optimised, which finds more to warn of, and stopped by the sanitizer at undefined behaviour.
    """

    def __init__(self, made: ExportedC99, *, compiler: str = "gcc", careful: bool = False) -> None:
        self.made = made
        self.real = "float" if "typedef float" in made.header.read_text() else "double"
        self.transitions = self.late_steps = self.failed = -1
        p = made.prefix
        lines = [f"  {p}_parameters values;", f"  {p}_default_parameters(&values);"]
        lines += [
            f"  values.{name} = ({self.real})atof(argv[{2 + k}]);"
            for k, name in enumerate(made.parameters.values())
        ]
        lines.append(f"  {p}_start(&m, &values);")
        main = _MAIN.format(
            header=made.header.name,
            p=p,
            real=self.real,
            inputs=len(made.inputs),
            parameters="\n".join(lines if made.parameters else [f"  {p}_start(&m);"]) + "\n",
            set="".join(f"    in.{name} = u[{k}];\n" for k, name in enumerate(made.inputs.values()))
            or "    in.none = 0;\n",
        )
        beside = made.source.with_name("program.c")
        beside.write_text(main)
        self.program = made.source.with_name("program")
        options = ["-O2", *SANITIZER] if careful else ["-O0"]
        objects = []
        for source, flags in ((made.source, [*WARNINGS, *options]), (beside, ["-std=c99"])):
            objects.append(str(source.with_suffix(".o")))
            command = [compiler, *flags, "-c", str(source), "-o", objects[-1]]
            subprocess.run(command, check=True, capture_output=True, text=True)
        subprocess.run([compiler, *options, *objects, "-lm", "-o", str(self.program)], check=True)

    def run(self, inputs: ArrayLike, parameters: tuple[float, ...] = ()) -> NDArray[np.float64]:
        """Return the outputs after each step; `inputs`: a row for each."""
        given = np.atleast_2d(np.asarray(inputs, dtype=np.float32 if self.real == "float" else np.float64))
        arguments = [repr(float(value)) for value in parameters]
        done = subprocess.run(
            [str(self.program), str(len(given)), *arguments],
            input=given.tobytes(),
            capture_output=True,
            check=True,
        )
        self.transitions, self.late_steps, self.failed = map(int, done.stderr.split())
        return np.frombuffer(done.stdout, dtype=given.dtype).reshape(len(given), -1).astype(float)


def object_file(made: ExportedC99, *flags: str) -> Path:
    """Compile the source alone, without a sanitizer."""
    out = made.source.with_suffix(".alone.o")
    subprocess.run(["gcc", *WARNINGS, *flags, "-c", str(made.source), "-o", str(out)], check=True)
    return out
