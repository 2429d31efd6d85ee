"""Settings of all tests: slow tests, one thread of linear algebra, drawing without a screen, no shared axes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest

# Before NumPy and SciPy are loaded. The processes of pytest-xdist use all cores; further threads of OpenBLAS would wait
# for each other in a busy loop: 300 exponentials of a 3 x 3 matrix then take 2 s of processor time instead of 3 ms.
for _library in ("OPENBLAS", "MKL", "OMP"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

try:
    import matplotlib as mpl
except ImportError:
    pass
else:
    mpl.use("agg")  # not by MPLBACKEND, which the kernels of notebooks would inherit

# Tests of more than half a second of processor time (together more than all others) whose subject has a faster test
# beside them. A name without brackets stands for all cases. `pytest -m slow` runs them.
SLOW = (
    "analysis/test_maps.py::test_impact_maps_hold_what_enumeration_by_hand_finds[0.3]",
    "analysis/test_maps.py::test_impact_maps_hold_what_enumeration_by_hand_finds[1.0]",
    "analysis/test_maps.py::test_maps_agree_with_contact_impacts[0.4]",
    "analysis/test_stuck.py::test_error_is_continuous_between_cases_a_and_c",
    "auditing/test_audited_corpus.py::test_random_machines_pass_the_audit[4]",
    "auditing/test_audited_corpus.py::test_random_machines_pass_the_audit[8]",
    "automaton/test_dead_time.py::test_stick_slip_agrees_with_the_method_of_steps[0.01]",
    "benchmarks/test_benchmarks.py::test_quick_benchmark_runs",
    "bristles/test_canudas.py::test_hysteresis_in_velocity_widens_with_frequency",
    "bristles/test_machines.py::test_two_bristles_in_one_machine_agree_with_independent_solution[maxwell slip]",
    "bristles/test_machines.py::test_two_bristles_in_one_machine_agree_with_independent_solution[two-state]",
    "bristles/test_second_state.py::test_the_peak_at_a_reversal_is_not_stepped_over[1e-06]",
    "bristles/test_second_state.py::test_the_peak_at_a_reversal_is_not_stepped_over[1e-08]",
    "constraints/test_closed_loops.py::test_springs_and_controllers_beside_joints_agree_with_angles",
    "constraints/test_constraints_between_steps.py::test_closed_loop_of_a_slider_crank_stays_closed[True]",
    "contact/test_impact.py::test_hoop_sticks_below_0_6_however_often_its_contact_is_listed[256]",
    "contact/test_impact.py::test_poisson_loses_energy[2-5-35000]",
    "contact/test_impact.py::test_poisson_loses_energy[3-7-5000]",
    "contact/test_lcp.py::test_every_solution_of_lemke_is_enumerated[gauss]",
    "contact/test_lcp.py::test_every_solution_of_lemke_is_enumerated[integers]",
    "contact/test_lcp.py::test_every_solution_of_lemke_is_enumerated[semidefinite]",
    "contact/test_lcp.py::test_every_solution_of_lemke_is_enumerated[skew]",
    "contact/test_lcp.py::test_lemke_agrees_with_quantecon",
    "contact/test_lcp_exact.py::test_statuses_agree_with_rational_arithmetic[0]",
    "contact/test_lcp_exact.py::test_statuses_agree_with_rational_arithmetic[1]",
    "contact/test_lcp_exact.py::test_statuses_agree_with_rational_arithmetic[2]",
    "contact/test_open_impulses.py::test_indeterminate_impulses_list_both_ends_and_are_ambiguous[1]",
    "contact/test_open_impulses.py::test_indeterminate_impulses_list_both_ends_and_are_ambiguous[2]",
    "contact/test_open_impulses.py::test_indeterminate_impulses_list_both_ends_and_are_ambiguous[3]",
    "contact/test_transitions.py::test_random_contacts_and_guides_agree_with_brute_force",
    "contact_run/test_contacts_in_time_steps.py::test_incline_converges_with_first_order[0.3-0.3--1.0-0.75]",
    "contact_run/test_contacts_in_time_steps.py::test_incline_converges_with_first_order[0.3-0.3--1.0-1.0]",
    "contact_run/test_contacts_in_time_steps.py::test_incline_converges_with_first_order[0.5-0.4--1.0-0.75]",
    "contact_run/test_contacts_in_time_steps.py::test_incline_converges_with_first_order[0.5-0.4--1.0-1.0]",
    "contact_run/test_contacts_in_time_steps.py::test_incline_converges_with_first_order[0.7-0.7-1.0-0.75]",
    "contact_run/test_contacts_in_time_steps.py::test_incline_converges_with_first_order[0.7-0.7-1.0-1.0]",
    "contact_run/test_gears.py::test_chatter_map_agrees_with_simulation",
    "contact_run/test_lossy_gear.py::test_flank_changes_over_three_seconds_agree_with_scipy[False-0.001]",
    "contact_run/test_lossy_gear.py::test_flank_changes_over_three_seconds_agree_with_scipy[False-0.01]",
    "contact_run/test_lossy_gear.py::test_flank_changes_over_three_seconds_agree_with_scipy[True-0.03]",
    "contact_run/test_lossy_gear.py::test_flank_changes_over_three_seconds_agree_with_scipy[True-1e-06]",
    "contact_run/test_rapid_impacts.py::test_chain_of_five_agrees_with_decimal_sequence",
    "contact_run/test_rapid_impacts.py::test_light_part_between_heavy_ones_agrees_with_decimal_sequence[0.0001-0.3-newton]",
    "contact_run/test_rapid_impacts.py::test_light_part_between_heavy_ones_agrees_with_decimal_sequence[0.0001-0.3-poisson]",
    "contact_run/test_rapid_impacts.py::test_light_part_between_heavy_ones_agrees_with_decimal_sequence[0.0001-0.5-newton]",
    "contact_run/test_rapid_impacts.py::test_light_part_between_heavy_ones_agrees_with_decimal_sequence[0.0001-0.5-poisson]",
    "contact_run/test_rapid_impacts.py::test_rubbing_light_part_reaches_the_common_velocity[0.001-0.1]",
    "contact_run/test_rapid_impacts.py::test_slowly_separating_body_is_hit_on_the_way_to_the_limit[0.3-newton]",
    "contact_run/test_rapid_impacts.py::test_slowly_separating_body_is_hit_on_the_way_to_the_limit[0.3-poisson]",
    "contact_run/test_several_contacts_at_once.py::test_no_velocity_changes_without_an_event[0]",
    "contact_run/test_several_contacts_at_once.py::test_no_velocity_changes_without_an_event[2]",
    "contact_run/test_several_contacts_at_once.py::test_no_velocity_changes_without_an_event[5]",
    "contact_run/test_shared_forces.py::test_a_contact_that_is_listed_many_times_is_one[256]",
    "contact_run/test_shared_forces.py::test_beam_that_drops_on_many_feet_comes_to_rest",
    "contact_run/test_shared_forces.py::test_opposed_stops_without_clearance_hold",
    "cycles/test_belt_orbits.py::test_unstable_slipping_cycle_of_falling_curve_matches_liouville[0.34]",
    "cycles/test_belt_orbits.py::test_unstable_slipping_cycle_of_falling_curve_matches_liouville[0.3]",
    "cycles/test_branches_of_impact.py::test_multiplier_grows_as_inverse_of_distance_to_grazing",
    "cycles/test_smooth_orbits.py::test_van_der_pol_orbit_agrees_with_scipy[3.0]",
    "engine/test_engine.py::test_engine_tests_pass",  # compiles the tests in C++",
    "engine/test_engine.py::test_failing_check_is_reported",
    "ensemble/test_executors.py::test_unguarded_script_gets_a_hint",
    "ensemble/test_store.py::test_a_million_points_need_little_memory",
    "ensemble/test_store.py::test_interrupted_sweep_continues[kill -9]",
    "ensemble/test_store.py::test_store_that_another_process_writes_to_is_refused_by_its_number",
    "ensemble/test_store.py::test_two_processes_cannot_create_one_store",
    "export/test_fmu_derivatives.py::test_motion_is_the_same_with_and_without_derivatives[sampled]",
    "export/test_fmu_motion.py::test_reading_outputs_does_not_change_the_motion[sampled]",
    "expressions/test_saved_expressions.py::test_random_damage_is_an_error_or_another_formula",
    "families/test_families.py::test_crashes_and_hangs_are_verdicts",
    "families/test_families.py::test_fixed_machines_stay_correct",
    "families/test_families.py::test_sampled_loops_that_end_early_diverge[1705]",
    "families/test_families.py::test_sampled_loops_that_end_early_diverge[1714]",
    "families/test_families.py::test_sampled_loops_that_end_early_diverge[1828]",
    "families/test_families.py::test_sampled_loops_that_end_early_diverge[290]",
    "families/test_families.py::test_stiff_machines_start_as_in_exact_arithmetic_or_are_watched",
    "families/test_refined.py::test_motions_hardly_depend_on_rtol",
    "figures/test_bristle_figures.py::TestClaims::test_printed_alpha_cannot_reproduce_the_figure",
    "figures/test_bristle_figures.py::TestExpectedNumbers",
    "figures/test_chatter.py::test_deviations_from_the_source_are_the_known_ones[chatter_7_8]",
    "figures/test_checks.py::test_claims_in_words_give_no_number",
    "figures/test_checks.py::test_every_figure_is_checked_from_outside",
    "figures/test_checks.py::test_inputs_are_named",
    "figures/test_checks.py::test_only_what_is_printed_may_differ",
    "figures/test_checks.py::test_printed_numbers_are_met_to_half_a_unit_of_the_last_digit",
    "figures/test_checks.py::test_tolerances_state_what_was_reached",
    "figures/test_checks.py::test_wrong_sign_and_factor_of_two_are_detected",
    "figures/test_figures.py::test_files_keep_every_bit[bristle2_10]",
    "figures/test_figures.py::test_files_keep_every_bit[bristle2_vi]",
    "figures/test_figures.py::test_files_keep_every_bit[chatter_7_8]",
    "figures/test_figures.py::test_files_keep_every_bit[servo_map]",
    "figures/test_figures.py::test_numbers_hold[bristle2_10]",
    "figures/test_figures.py::test_numbers_hold[bristle2_vi]",
    "figures/test_figures.py::test_numbers_hold[chatter_7_8]",
    "figures/test_figures.py::test_numbers_hold[servo_map]",
    "figures/test_figures.py::test_picture_names_its_axes_and_hides_nothing",
    "figures/test_figures.py::test_several_processes_do_the_same_as_one",
    "figures/test_rig.py::test_every_check_detects_a_neighbouring_value[chatter_7_6]",
    "figures/test_rig.py::test_every_check_detects_a_neighbouring_value[chatter_7_7]",
    "figures/test_rig.py::test_every_check_detects_a_neighbouring_value[chatter_7_8]",
    "figures/test_rig.py::test_figures_7_4_and_7_5_leave_the_damping_open",
    "figures/test_rig.py::test_opposite_flank_is_hit_at_15_rpm_only",
    "figures/test_rig.py::test_stored_damping_is_the_middle_of_the_window",
    "figures/test_sketches_and_laws.py::test_labels_lie_apart_and_inside[chatter_3_4]",
    "figures/test_wrong_physics.py::test_doubled_friction_is_detected",
    "friction/test_load_table.py::test_periodic_load_repeats_every_turn[1.0]",
    "friction/test_passivity.py::test_counterexamples_of_other_laws_deliver_energy_in_finer_steps",
    "friction/test_passivity.py::test_energy_is_found_and_can_be_drawn_again[TwoStateBristle0]",
    "friction/test_passivity.py::test_energy_is_found_and_can_be_drawn_again[TwoStateBristle1]",
    "friction/test_passivity.py::test_lugre_condition_is_sharp",
    "friction/test_passivity.py::test_passive_laws_deliver_no_energy[TwoStateBristle1]",
    "friction/test_passivity.py::test_passive_laws_deliver_no_energy[TwoStateBristle3]",
    "friction/test_passivity.py::test_search_is_at_least_as_good_as_the_printed_signals",
    "friction/test_passivity.py::test_second_order_law_is_passive_between_two_limits[2.0-printed0]",
    "friction/test_passivity.py::test_viscous_part_counts_per_load_in_the_second_order_condition[0.5]",
    "friction/test_passivity.py::test_viscous_part_counts_per_load_in_the_second_order_condition[4.0]",
    "friction/test_response.py::test_smooth_motion_agrees_with_scipy[lugre shape 1]",
    "friction/test_response.py::test_smooth_motion_agrees_with_scipy[two states]",
    "friction/test_steep_laws.py::test_rate_and_state_under_a_reversing_load_is_the_run_of_scipy[slip]",
    "identify/test_assessment.py::test_bristle_that_leaves_out_something_is_named",
    "identify/test_assessment.py::test_noise_free_lugre_of_radau_is_a_success",
    "identify/test_bristle.py::TestBatch::test_all_parameters_are_recovered[100000.0-2.0]",
    "identify/test_bristle.py::TestBatch::test_all_parameters_are_recovered[80000.0-0.5]",
    "identify/test_bristle.py::TestBatch::test_free_damping_contradicts_the_claim",
    "identify/test_bristle.py::TestBatch::test_parameters_under_noise_stay_within_their_errors",
    "identify/test_bristle.py::TestRecursive::test_a_drift_of_30_per_cent_is_followed_in_three_memories[4.0]",
    "identify/test_driven.py::test_parameters_per_unit_load_are_recovered_under_noise",
    "identify/test_driven.py::test_parameters_without_noise_are_recovered[BoucWen]",
    "identify/test_driven.py::test_parameters_without_noise_are_recovered[ElastoPlastic]",
    "identify/test_driven.py::test_parameters_without_noise_are_recovered[Leuven]",
    "identify/test_driven.py::test_parameters_without_noise_are_recovered[MaxwellSlip]",
    "identify/test_driven.py::test_parameters_without_noise_are_recovered[StickSlip]",
    "identify/test_driven.py::test_parameters_without_noise_are_recovered[TwoStateBristle]",
    "identify/test_fit.py::TestClosedLoop::test_sampled_loop_with_limits_is_fitted",
    "identify/test_fit.py::TestNoise::test_dwell_and_memory_are_recovered_under_noise",
    "identify/test_fit.py::TestNoise::test_intervals_contain_the_true_values",
    "identify/test_fit.py::test_parameters_without_noise_are_recovered[ElastoPlastic]",
    "identify/test_fit.py::test_parameters_without_noise_are_recovered[Leuven]",
    "identify/test_fit.py::test_parameters_without_noise_are_recovered[MaxwellSlip]",
    "identify/test_fit.py::test_parameters_without_noise_are_recovered[StickSlip]",
    "identify/test_fit.py::test_parameters_without_noise_are_recovered[TwoStateBristle]",
    "identify/test_fit_break_away.py::test_intervals_contain_the_true_values",
    "identify/test_fit_curve.py::test_intervals_contain_the_true_values",
    "linear/test_discretisation.py::test_held_response_of_stiff_drives_matches_fifty_digits",
    "model/test_order.py::test_shuffled_calls_give_the_same_motion",
    "notebooks/test_notebooks.py::test_a_slider_leaves_a_picture",
    "notebooks/test_notebooks.py::test_notebook_runs[automaton]",
    "notebooks/test_notebooks.py::test_notebook_runs[bristle2]",
    "notebooks/test_notebooks.py::test_notebook_runs[chatter]",
    "notebooks/test_notebooks.py::test_notebook_runs[cycles]",
    "notebooks/test_notebooks.py::test_notebook_runs[identify]",
    "notebooks/test_notebooks.py::test_notebook_runs[laws]",
    "notebooks/test_notebooks.py::test_notebook_runs[nonlinear]",
    "notebooks/test_notebooks.py::test_notebook_runs[outlook]",
    "notebooks/test_notebooks.py::test_notebook_runs[own_law]",
    "notebooks/test_notebooks.py::test_notebook_runs[put_friction_into_your_drive]",
    "notebooks/test_notebooks.py::test_notebook_runs[servo]",
    "notebooks/test_notebooks.py::test_notebook_runs[servo_axis]",
    "notebooks/test_notebooks.py::test_notebook_runs[sweeps]",
    "notebooks/test_notebooks.py::test_notebook_runs[trust]",
    "notebooks/test_servo_axis_page.py::test_cells_of_the_servo_axis_have_the_stated_results",
    "notebooks/test_site.py::test_guide_runs_and_draws[friction_parameters]",
    "notebooks/test_site.py::test_guide_runs_and_draws[gear_backlash]",
    "notebooks/test_site.py::test_guide_runs_and_draws[million_variants]",
    "notebooks/test_site.py::test_guide_runs_and_draws[real_time]",
    "notebooks/test_site.py::test_guide_runs_and_draws[simulink_openmodelica]",
    "notebooks/test_site.py::test_guide_runs_and_draws[slowest_smooth_speed]",
    "notebooks/test_site.py::test_guide_runs_and_draws[squeal]",
    "notebooks/test_site.py::test_guide_runs_and_draws[stable_cycle]",
    "notebooks/test_site.py::test_guide_runs_and_draws[test_rig]",
    "notebooks/test_site.py::test_guide_runs_and_draws[torque_limiter]",
    "notebooks/test_site.py::test_guide_runs_and_draws[vibratory_conveyor]",
    "package/test_animation.py::test_progress_bar_counts_pictures[w.gif]",
    "package/test_animation.py::test_progress_bar_counts_pictures[w.html]",
    "package/test_pictures_appear.py::test_published_figures_leave_none_open",
    "real_time/test_controllers.py::TestWithoutPython",
    "reference/test_reference.py::TestAutomaton::test_stored_automaton_hunting_is_reproduced[dop853-3e-12]",
    "reference/test_reference.py::TestLuGre::test_stored_hunting_agrees_with_another_solver",
    "reference/test_reference.py::TestMemory::test_stored_events_are_reproduced[dop853-1e-11-lag]",
    "reference/test_reference.py::TestMemory::test_stored_events_are_reproduced[dop853-1e-11-presliding]",
    "reference/test_reference.py::TestTwoMass::test_frictionless_drive_agrees_with_matrix_exponential",
    "reference/test_reference.py::TestTwoMass::test_start_of_case_c_agrees_with_explicit_pair",
    "sensitivity/test_derivatives_that_exist.py::test_chains_keep_their_derivatives_through_break_away[6-0]",
    "sensitivity/test_differences.py::test_derivatives_of_an_automaton_agree_with_differences[None]",
    "sensitivity/test_differences.py::test_derivatives_of_an_automaton_agree_with_differences[presliding1]",
    "sensitivity/test_reverse.py::test_adjoint_of_100_parameters_agrees_with_forward",
    "signal/test_signals_made.py::test_sequences_are_maximal[15]",
    "signal/test_signals_made.py::test_sequences_are_maximal[16]",
    "simulate/test_damaged.py::test_damage_in_a_run_is_refused_or_harmless",
    "simulate/test_description_of_a_run.py::test_adding_from_another_thread_leaves_the_run_as_it_was",
    "simulate/test_files.py::test_damage_in_a_dictionary_is_refused_or_harmless[contact]",
    "simulate/test_files.py::test_damage_in_a_dictionary_is_refused_or_harmless[drive]",
    "simulate/test_fuzz.py::test_random_damage_is_refused_or_harmless[state-400]",
    "simulate/test_many_coordinates.py::test_bar_impact_on_a_wall_agrees_with_reference",
    "simulate/test_many_coordinates.py::test_chain_after_an_impact_agrees_with_reference[200]",
    "simulate/test_many_coordinates.py::test_chain_after_an_impact_agrees_with_reference[500]",
    "simulate/test_resume.py::test_run_split_anywhere_is_bitwise_equal[dead time-stiff]",
    "simulate/test_resume.py::test_run_split_anywhere_is_bitwise_equal[lugre-explicit]",
    "simulate/test_samples_without_a_grid.py::test_default_samples_are_limited_with_a_warning",
    "simulate/test_time_stepping.py::test_event_driven_run_agrees_with_time_stepping[0]",
    "simulate/test_torture.py::test_every_run_ends_and_balances[1]",
    "simulate/test_torture.py::test_every_run_ends_and_balances[2]",
    "simulate/test_torture.py::test_every_run_ends_and_balances[3]",
    "simulate/test_torture.py::test_every_run_ends_and_balances[4]",
    "simulate/test_torture.py::test_every_run_ends_and_balances[5]",
    "simulate/test_torture.py::test_every_run_ends_and_balances[6]",
    "simulate/test_torture.py::test_every_run_ends_and_balances[7]",
    "simulate/test_two_surfaces.py::test_integration_error_across_zero_starts_no_loop",
    "smooth/test_two_curves.py::test_egg_on_a_hill_rolls_by_scipy",
    "smooth/test_two_curves.py::test_gap_of_closed_and_open_curve_agrees_with_brute_force[body1-ground1-0.4]",
    "smooth/test_two_curves.py::test_gap_of_closed_curves_agrees_with_brute_force[pair2--2.6]",
    "smooth/test_two_curves.py::test_gap_of_closed_curves_agrees_with_brute_force[pair2-1.1]",
    "smooth/test_two_curves.py::test_gap_of_closed_curves_agrees_with_brute_force[pair3--2.6]",
    "smooth/test_two_curves.py::test_gap_of_closed_curves_agrees_with_brute_force[pair3-1.1]",
    "smooth/test_two_curves.py::test_gap_of_closed_curves_agrees_with_brute_force[pair3-2.9]",
    "springs/test_tables.py::test_attached_table_is_a_hardening_spring",
    "truths/test_just_after.py::test_derivatives_up_to_order_16_decide_the_same",
    "truths/test_truths.py::test_events_follow_limits_and_anti_windup",
    "truths/test_truths.py::test_impacts_and_accelerations_solve_a_set_of_modes[stops]",
    "truths/test_truths.py::test_impacts_and_accelerations_solve_a_set_of_modes[supports]",
    "truths/test_truths.py::test_motions_agree_with_refined_time_stepping[contacts]",
    "truths/test_truths.py::test_motions_agree_with_refined_time_stepping[frictional]",
    "truths/test_truths.py::test_motions_agree_with_refined_time_stepping[geared]",
    "truths/test_truths.py::test_motions_agree_with_refined_time_stepping[stops]",
    "truths/test_truths.py::test_motions_agree_with_refined_time_stepping[supports]",
    "truths/test_truths.py::test_runs_agree_with_independent_solution_event_by_event[chains-8]",
    "truths/test_truths.py::test_runs_agree_with_independent_solution_event_by_event[drives-3]",
    "truths/test_truths.py::test_runs_agree_with_independent_solution_event_by_event[springs-4]",
    "truths/test_truths.py::test_springs_starting_on_a_corner_agree_with_truth[11]",
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
