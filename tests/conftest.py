"""What holds for all tests: which are slow, and that pictures need no screen and share no axes."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

try:
    import matplotlib as mpl
except ImportError:
    pass
else:
    mpl.use("agg")  # not by MPLBACKEND, which the kernels of notebooks would inherit

# Tests that take more than two seconds of processor time (together more than all others) and whose subject has a
# faster test beside them. A name without brackets stands for all cases. `pytest -m slow` runs them.
SLOW = (
    "analysis/test_maps.py::test_maps_agree_with_contact_impacts[0.4]",
    "benchmarks/test_benchmarks.py::test_quick_benchmark_runs",
    "bristles/test_canudas.py::test_hysteresis_in_velocity_widens_with_frequency",
    "bristles/test_second_state.py::test_the_peak_at_a_reversal_is_not_stepped_over[1e-06]",
    "bristles/test_second_state.py::test_the_peak_at_a_reversal_is_not_stepped_over[1e-08]",
    "contact/test_impact.py::test_hoop_sticks_below_0_6_however_often_its_contact_is_listed[256]",
    "contact/test_lcp.py::test_every_solution_of_lemke_is_enumerated[gauss]",
    "contact/test_lcp.py::test_every_solution_of_lemke_is_enumerated[skew]",
    "contact/test_lcp.py::test_lemke_agrees_with_quantecon",
    "contact/test_lcp_exact.py::test_statuses_agree_with_rational_arithmetic[1]",
    "contact/test_lcp_exact.py::test_statuses_agree_with_rational_arithmetic[2]",
    "contact_run/test_several_contacts_at_once.py::test_no_velocity_changes_without_an_event[2]",
    "contact_run/test_several_contacts_at_once.py::test_no_velocity_changes_without_an_event[5]",
    "engine/test_engine.py::test_failing_check_is_reported",
    "engine/test_engine.py::test_engine_tests_pass",  # compiles the tests in C++
    "ensemble/test_store.py::test_a_million_points_need_little_memory",
    "expressions/test_saved_expressions.py::test_random_damage_is_an_error_or_another_formula",
    "families/test_families.py::test_fixed_machines_stay_correct",
    "families/test_refined.py::test_motions_hardly_depend_on_rtol",
    "figures/test_bristle_figures.py::TestExpectedNumbers",
    "figures/test_chatter.py::test_deviations_from_the_source_are_the_known_ones[chatter_7_8]",
    "figures/test_checks.py::test_wrong_sign_and_factor_of_two_are_detected",
    "figures/test_checks.py::test_claims_in_words_give_no_number",
    "figures/test_checks.py::test_every_figure_is_checked_from_outside",
    "figures/test_checks.py::test_inputs_are_named",
    "figures/test_checks.py::test_only_what_is_printed_may_differ",
    "figures/test_checks.py::test_printed_numbers_are_met_to_half_a_unit_of_the_last_digit",
    "figures/test_checks.py::test_tolerances_state_what_was_reached",
    "figures/test_figures.py::test_files_keep_every_bit[servo_map]",
    "figures/test_figures.py::test_numbers_hold[chatter_7_8]",
    "figures/test_figures.py::test_numbers_hold[servo_map]",
    "figures/test_figures.py::test_picture_names_its_axes_and_hides_nothing",
    "figures/test_rig.py::test_every_check_detects_a_neighbouring_value[chatter_7_6]",
    "figures/test_rig.py::test_every_check_detects_a_neighbouring_value[chatter_7_8]",
    "figures/test_rig.py::test_figures_7_4_and_7_5_leave_the_damping_open",
    "figures/test_rig.py::test_stored_damping_is_the_middle_of_the_window",
    "figures/test_wrong_physics.py::test_doubled_friction_is_detected",
    "friction/test_load_table.py::test_periodic_load_repeats_every_turn[1.0]",
    "identify/test_assessment.py::test_bristle_that_leaves_out_something_is_named",
    "identify/test_bristle.py::TestBatch::test_all_parameters_are_recovered[100000.0-2.0]",
    "identify/test_bristle.py::TestBatch::test_all_parameters_are_recovered[80000.0-0.5]",
    "identify/test_fit.py::TestNoise::test_intervals_contain_the_true_values",
    "identify/test_fit_break_away.py::test_intervals_contain_the_true_values",
    "identify/test_fit_curve.py::test_intervals_contain_the_true_values",
    "linear/test_discretisation.py::test_held_response_of_stiff_drives_matches_fifty_digits",
    "notebooks/test_notebooks.py::test_notebook_runs[automaton]",
    "notebooks/test_notebooks.py::test_notebook_runs[bristle2]",
    "notebooks/test_notebooks.py::test_notebook_runs[chatter]",
    "notebooks/test_notebooks.py::test_notebook_runs[identify]",
    "notebooks/test_notebooks.py::test_notebook_runs[laws]",
    "notebooks/test_notebooks.py::test_notebook_runs[nonlinear]",
    "notebooks/test_notebooks.py::test_notebook_runs[outlook]",
    "notebooks/test_notebooks.py::test_notebook_runs[put_friction_into_your_drive]",
    "notebooks/test_notebooks.py::test_notebook_runs[servo]",
    "notebooks/test_notebooks.py::test_notebook_runs[servo_axis]",
    "notebooks/test_notebooks.py::test_notebook_runs[sweeps]",
    "notebooks/test_notebooks.py::test_notebook_runs[trust]",
    "reference/test_reference.py::TestTwoMass::test_frictionless_drive_agrees_with_matrix_exponential",
    "sensitivity/test_differences.py::test_derivatives_of_an_automaton_agree_with_differences[presliding1]",
    "simulate/test_damaged.py::test_damage_in_a_run_is_refused_or_harmless",
    "simulate/test_files.py::test_damage_in_a_dictionary_is_refused_or_harmless[drive]",
    "simulate/test_many_coordinates.py::test_struck_chain_agrees_with_reference[500]",
    "simulate/test_samples_without_a_grid.py::test_default_samples_are_limited_with_a_warning",
    "springs/test_tables.py::test_attached_table_is_a_hardening_spring",
    "truths/test_truths.py::test_events_follow_limits_and_anti_windup",
    "truths/test_truths.py::test_runs_agree_with_independent_solution_event_by_event[chains-8]",
    "truths/test_truths.py::test_runs_agree_with_independent_solution_event_by_event[drives-3]",
    "truths/test_truths.py::test_runs_agree_with_independent_solution_event_by_event[springs-4]",
    "truths/test_truths.py::test_motions_agree_with_refined_time_stepping[contacts]",
    "truths/test_truths.py::test_motions_agree_with_refined_time_stepping[frictional]",
    "truths/test_truths.py::test_motions_agree_with_refined_time_stepping[geared]",
    "truths/test_truths.py::test_motions_agree_with_refined_time_stepping[stops]",
    "truths/test_truths.py::test_motions_agree_with_refined_time_stepping[supports]",
    "truths/test_truths.py::test_springs_starting_on_a_corner_agree_with_truth[19]",
)


# Warnings that folders of tests provoke, where all others are errors.
PROVOKED = {
    "identify/": "ignore:(fit|inverse_dynamics)",
    "truths/": "ignore:.*default samples",
    "simulate/": "ignore:.*default samples",
    "families/": "ignore:.*default samples",
    "contact_run/": "ignore:.*default samples",
}


@pytest.hookimpl(tryfirst=True)  # before tests are selected by their marks
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    found = set()
    for item in items:
        name = item.nodeid.removeprefix("tests/")
        for folder, warning in PROVOKED.items():
            if name.startswith(folder):
                item.add_marker(pytest.mark.filterwarnings(warning))
        listed = {one for one in (name, name.split("[")[0], name.rpartition("::")[0]) if one in SLOW}
        found |= listed
        if listed:
            item.add_marker(pytest.mark.slow)
    files = {item.nodeid.removeprefix("tests/").partition("::")[0] for item in items}
    whole = not any("::" in argument for argument in config.args)
    missing = [one for one in SLOW if whole and one.partition("::")[0] in files and one not in found]
    if missing:
        raise pytest.UsageError(f"tests/conftest.py lists as slow what is no test: {', '.join(missing)}")


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    yield
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")
