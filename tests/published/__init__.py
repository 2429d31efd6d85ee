"""Machines of the published experiments, built with the package: what several rooms test."""
