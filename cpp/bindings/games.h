#pragma once

#include <nanobind/nanobind.h>

namespace sandtable {

void bind_tubstap(nanobind::module_& m);
void bind_tubstap_evaluator(nanobind::module_& m);
void bind_tubstap_policy(nanobind::module_& m);
void bind_tubstap_search(nanobind::module_& m);
void bind_tubstap_self_play(nanobind::module_& m);
void bind_conquest(nanobind::module_& m);
void bind_conquest_evaluator(nanobind::module_& m);
void bind_conquest_policy(nanobind::module_& m);
void bind_conquest_search(nanobind::module_& m);
void bind_python_game(nanobind::module_& m);

}  // namespace sandtable
