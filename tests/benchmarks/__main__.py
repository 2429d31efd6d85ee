"""``python -m benchmarks`` from the folder tests."""

from benchmarks.run import main

main()
