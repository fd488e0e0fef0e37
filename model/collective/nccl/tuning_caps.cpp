#include "model/collective/nccl/tuning_tables.h"

namespace dsim {

namespace {

struct Row {
  NcclVersion since;
  TuningCaps value;
};

constexpr PerNodes same(double value) { return {value, value, value}; }

constexpr PerNodes volta_ll{39, 39, 20.4}, ampere_ll{87.7, 22.5, 19}, hopper_ll{141, 45, 35},
    blackwell_ll{282, 90, 70};
constexpr PerNodes hopper_tree_ll128{36.7, 36.7, 29};
constexpr PerNodes volta_tree{26.5, 18.5, 10}, ampere_tree{24, 23.6, 17.8},
    hopper_tree{38.7, 41.4, 36};
constexpr PerNodes no_cap{0, 0, 0};

// Blackwell's rows by themselves; the other generations of 2.21 on.
constexpr TuningCaps blackwell(PerNodes ring_ll128, PerNodes tree_ll128, PerNodes tree,
                               double nvls_tree_2, double nvls_tree_more) {
  return {{{volta_ll, ampere_ll, hopper_ll, blackwell_ll}},
          {{same(20), same(20), same(36.7), ring_ll128}},
          {{same(20), same(20), hopper_tree_ll128, tree_ll128}},
          {{volta_tree, ampere_tree, hopper_tree, tree}},
          // Hopper's 57.7 and 45.5 came with the rule of 2.28.
          {{no_cap,
            no_cap,
            nvls_tree_2 > 0 ? PerNodes{0, 57.7, 45.5} : no_cap,
            {0, nvls_tree_2, nvls_tree_more}}}};
}

constexpr Row rows[] = {
    // 2.7.8: trees are capped in total (tuning.cpp); 2.8, 2.9: Ampere's trees at 22.5 and 16.
    {{2, 7, 0},
     {{{volta_ll, ampere_ll, volta_ll, volta_ll}},
      {{same(20), same(20), same(20), same(20)}},
      {{same(20), same(20), same(20), same(20)}},
      {{volta_tree, {24, 22.5, 16}, volta_tree, volta_tree}},
      {{no_cap, no_cap, no_cap, no_cap}}}},
    // 2.10.3 to 2.14.3: newer GPUs than Ampere count as Volta.
    {{2, 10, 0},
     {{{volta_ll, ampere_ll, volta_ll, volta_ll}},
      {{same(20), same(20), same(20), same(20)}},
      {{same(20), same(20), same(20), same(20)}},
      {{volta_tree, ampere_tree, volta_tree, volta_tree}},
      {{no_cap, no_cap, no_cap, no_cap}}}},
    // 2.17.1 (2.15, 2.16 taken alike): Hopper.
    {{2, 15, 0},
     {{{volta_ll, ampere_ll, ampere_ll, ampere_ll}},
      {{same(20), same(20), same(36.7), same(36.7)}},
      {{same(20), same(20), same(36.7), same(36.7)}},
      {{volta_tree, ampere_tree, {38.7, 41.4, 33}, {38.7, 41.4, 33}}},
      {{no_cap, no_cap, no_cap, no_cap}}}},
    // 2.18.3, 2.19.3, 2.20.3.
    {{2, 18, 0},
     {{{volta_ll, ampere_ll, ampere_ll, ampere_ll}},
      {{same(20), same(20), same(36.7), same(36.7)}},
      {{same(20), same(20), hopper_tree_ll128, hopper_tree_ll128}},
      {{volta_tree, ampere_tree, hopper_tree, hopper_tree}},
      {{no_cap, no_cap, no_cap, no_cap}}}},
    // 2.21.5 to 2.24.3: LL on Hopper at 141. Blackwell is not known and counts as Hopper.
    {{2, 21, 0},
     {{{volta_ll, ampere_ll, hopper_ll, hopper_ll}},
      {{same(20), same(20), same(36.7), same(36.7)}},
      {{same(20), same(20), hopper_tree_ll128, hopper_tree_ll128}},
      {{volta_tree, ampere_tree, hopper_tree, hopper_tree}},
      {{no_cap, no_cap, no_cap, no_cap}}}},
    // 2.25.1 to 2.27: Blackwell twice Hopper.
    {{2, 25, 0}, blackwell(same(73.4), {73.4, 73.4, 58}, {77.4, 82.8, 72}, 0, 0)},
    // 2.28.3.
    {{2, 28, 0}, blackwell(same(73.4), {55.6, 31.67, 20}, {70, 42.8, 24}, 96, 43.1)},
    // 2.28.9.
    {{2, 28, 9}, blackwell({73.4, 34.6, 73.4}, {55.6, 31.67, 20}, {70, 42.8, 24}, 96, 43.8)},
    // 2.29.2, 2.29.3.
    {{2, 29, 0}, blackwell({34.5, 34.6, 34.5}, {55.6, 31.67, 20}, {70, 42.8, 24}, 96, 43.8)},
    // 2.29.7.
    {{2, 29, 7}, blackwell(same(40), {55.6, 31.67, 20}, {70, 42.8, 24}, 96, 43.8)},
    // 2.30.3, 2.30.7.
    {{2, 30, 0}, blackwell(same(40), {55.6, 31.67, 20}, {70, 42.8, 24}, 96, 80)},
};

struct OperationRow {
  NcclVersion since;
  OperationCaps value;
};

constexpr OperationRow operation_rows[] = {
    {{2, 7, 0}, {18.8, 12, 18.3, 15.2, 16.7}},  // 2.7.8
    {{2, 8, 0}, {18.8, 12, 18.3, 15.2, 16.9}},  // 2.8, 2.9 (microsoft/msccl)
    {{2, 10, 0}, {}},
};

struct CorrectionRow {
  NcclVersion since;
  std::size_t steps;
  std::array<std::array<double, 24>, 3> value;
};

constexpr CorrectionRow correction_rows[] = {
    {{2, 7, 0},  // 2.7.8, 64 B to 128 MiB
     22,
     {{{1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1},
       {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .5, .6, .6, .7, .7, .8, .9, .9, 1},
       {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .5, .5, .6, .6, .7, .8, .9}}}},
    {{2, 8, 0},  // 2.8, 2.9, 64 B to 256 MiB
     23,
     {{{1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1},
       {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .5, .6, .6, .7, .7, .8, .9, .9, .92, .92},
       {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5,
        .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9}}}},
    {{2, 10, 0},  // to 2.30.7; the last column serves NVLS-tree alone
     23,
     {{{1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1, 1},
       {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1},
       {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5,
        .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9}}}},
};

template <class Table>
const auto& of_version(const Table& table, const NcclVersion& version) {
  const auto* row = &table[0];
  for (const auto& r : table)
    if (r.since <= version) row = &r;
  return *row;
}

}  // namespace

const TuningCaps& tuning_caps(const NcclVersion& version) {
  return of_version(rows, version).value;
}

const OperationCaps& tuning_operation_caps(const NcclVersion& version) {
  return of_version(operation_rows, version).value;
}

double tree_correction(const NcclVersion& version, NcclAlgorithm algorithm, std::size_t protocol,
                       std::size_t step) {
  const CorrectionRow& row = of_version(correction_rows, version);
  const std::size_t steps = row.steps + (algorithm == NcclAlgorithm::nvls_tree ? 1 : 0);
  return step < steps ? row.value[protocol][step] : 1;
}

}  // namespace dsim
