#include "model/collective/open_mpi_rules.h"

namespace dsim {

namespace {

using Step = OpenMpiStep;
using Row = OpenMpiRow;

constexpr Step all_reduce_0[] = {{8, 4},     {4096, 3},   {8192, 4}, {16384, 3},
                                 {65536, 4}, {262144, 5}, {0, 6}};
constexpr Step all_reduce_1[] = {{16, 4}, {8192, 3}, {0, 6}};
constexpr Step all_reduce_2[] = {{8192, 3}, {0, 6}};
constexpr Step all_reduce_3[] = {{64, 5}, {4096, 3}, {0, 6}};
constexpr Step all_reduce_4[] = {{128, 5}, {0, 6}};
constexpr Step all_reduce_5[] = {{262144, 3}, {0, 6}};
constexpr Step all_reduce_6[] = {{131072, 2}, {262144, 3}, {0, 6}};
constexpr Step all_reduce_7[] = {{4096, 2}, {0, 6}};
constexpr Step all_reduce_8[] = {{2048, 2}, {16384, 3}, {0, 6}};
constexpr Step all_reduce_9[] = {{2048, 2}, {4096, 5}, {16384, 3}, {0, 6}};
constexpr Step all_reduce_10[] = {{2048, 2}, {16384, 5}, {32768, 3}, {0, 6}};
constexpr Row all_reduce[] = {{4, all_reduce_0},    {8, all_reduce_1},   {16, all_reduce_2},
                              {32, all_reduce_3},   {64, all_reduce_4},  {128, all_reduce_5},
                              {256, all_reduce_6},  {512, all_reduce_7}, {2048, all_reduce_8},
                              {4096, all_reduce_9}, {0, all_reduce_10}};

constexpr Step all_to_all_0[] = {{2, 2},    {4, 5},     {16, 2},     {64, 5},      {256, 2},
                                 {4096, 5}, {32768, 2}, {262144, 4}, {1048576, 5}, {0, 2}};
constexpr Step all_to_all_1[] = {{8192, 4},   {16384, 1},   {65536, 4},
                                 {524288, 1}, {1048576, 2}, {0, 1}};
constexpr Step all_to_all_2[] = {{262144, 4}, {0, 1}};
constexpr Step all_to_all_3[] = {{4, 4},      {512, 3},    {8192, 4}, {32768, 1},
                                 {262144, 4}, {524288, 1}, {0, 4}};
constexpr Step all_to_all_4[] = {{512, 3}, {524288, 1}, {0, 4}};
constexpr Step all_to_all_5[] = {{1024, 3}, {2048, 1}, {4096, 4}, {262144, 1}, {0, 2}};
constexpr Step all_to_all_6[] = {{1024, 3}, {2048, 4}, {262144, 1}, {0, 2}};
constexpr Step all_to_all_7[] = {{1024, 3}, {8192, 4}, {32768, 1}, {0, 2}};
constexpr Step all_to_all_8[] = {{512, 3}, {8192, 4}, {16384, 1}, {131072, 4}, {262144, 1}, {0, 2}};
constexpr Step all_to_all_9[] = {{512, 3}, {1024, 4}, {2048, 1}, {16384, 4}, {262144, 1}, {0, 4}};
constexpr Step all_to_all_10[] = {{1024, 3}, {4096, 4}, {8192, 1}, {131072, 4}, {0, 1}};
constexpr Step all_to_all_11[] = {{2048, 3}, {8192, 4}, {16384, 1}, {32768, 4}, {65536, 1}, {0, 4}};
constexpr Row all_to_all[] = {{3, all_to_all_0},    {8, all_to_all_1},     {16, all_to_all_2},
                              {32, all_to_all_3},   {64, all_to_all_4},    {128, all_to_all_5},
                              {256, all_to_all_6},  {512, all_to_all_7},   {1024, all_to_all_8},
                              {2048, all_to_all_9}, {4096, all_to_all_10}, {0, all_to_all_11}};

constexpr Step barrier_0[] = {{0, 3}};
constexpr Step barrier_1[] = {{0, 1}};
constexpr Step barrier_2[] = {{0, 3}};
constexpr Step barrier_3[] = {{0, 4}};
constexpr Step barrier_4[] = {{0, 6}};
constexpr Step barrier_5[] = {{0, 4}};
constexpr Step barrier_6[] = {{0, 6}};
constexpr Step barrier_7[] = {{0, 4}};
constexpr Row barrier[] = {{4, barrier_0},   {8, barrier_1},    {64, barrier_2},   {256, barrier_3},
                           {512, barrier_4}, {1024, barrier_5}, {4096, barrier_6}, {0, barrier_7}};

constexpr Step broadcast_0[] = {{32, 3},     {256, 5},    {512, 3},    {1024, 7},    {32768, 1},
                                {131072, 5}, {262144, 2}, {524288, 1}, {1048576, 6}, {0, 5}};
constexpr Step broadcast_1[] = {{64, 5}, {128, 6}, {2048, 5}, {8192, 6}, {1048576, 1}, {0, 2}};
constexpr Step broadcast_2[] = {{8, 7}, {64, 5}, {4096, 7}, {16384, 5}, {32768, 6}, {0, 1}};
constexpr Step broadcast_3[] = {{4096, 7}, {1048576, 6}, {0, 8}};
constexpr Step broadcast_4[] = {{2048, 6}, {0, 7}};
constexpr Step broadcast_5[] = {{0, 7}};
constexpr Step broadcast_6[] = {{2, 6}, {16384, 5}, {32768, 1}, {65536, 5}, {0, 7}};
constexpr Step broadcast_7[] = {{16384, 7}, {32768, 4}, {0, 7}};
constexpr Step broadcast_8[] = {{524288, 7}, {0, 8}};
constexpr Step broadcast_9[] = {{262144, 7}, {0, 8}};
constexpr Step broadcast_10[] = {{8192, 7}, {16384, 5}, {262144, 7}, {0, 8}};
constexpr Row broadcast[] = {{4, broadcast_0},    {8, broadcast_1},    {16, broadcast_2},
                             {32, broadcast_3},   {64, broadcast_4},   {128, broadcast_5},
                             {256, broadcast_6},  {1024, broadcast_7}, {2048, broadcast_8},
                             {4096, broadcast_9}, {0, broadcast_10}};

constexpr Step reduce_0[] = {{8, 7},      {16, 4},      {32, 3}, {262144, 1},
                             {524288, 3}, {1048576, 2}, {0, 3}};
constexpr Step reduce_1[] = {{4096, 4}, {65536, 2}, {262144, 5}, {524288, 1}, {1048576, 5}, {0, 1}};
constexpr Step reduce_2[] = {{8192, 4}, {0, 5}};
constexpr Step reduce_3[] = {{4096, 4}, {0, 5}};
constexpr Step reduce_4[] = {{0, 5}};
constexpr Step reduce_5[] = {{8192, 5}, {16384, 6}, {0, 5}};
constexpr Step reduce_6[] = {{0, 5}};
constexpr Step reduce_7[] = {{512, 5}, {1024, 6}, {8192, 5}, {16384, 6}, {0, 5}};
constexpr Step reduce_8[] = {{16, 5}, {32, 6}, {1024, 5}, {2048, 6}, {8192, 5}, {16384, 6}, {0, 5}};
constexpr Row reduce[] = {{4, reduce_0},    {8, reduce_1},    {16, reduce_2},
                          {32, reduce_3},   {256, reduce_4},  {512, reduce_5},
                          {2048, reduce_6}, {4096, reduce_7}, {0, reduce_8}};

constexpr Step reduce_scatter_0[] = {{65536, 3}, {131072, 4}, {0, 3}};
constexpr Step reduce_scatter_1[] = {{8, 1}, {262144, 2}, {0, 3}};
constexpr Step reduce_scatter_2[] = {{262144, 2}, {0, 3}};
constexpr Step reduce_scatter_3[] = {{64, 1}, {2048, 2}, {524288, 4}, {0, 3}};
constexpr Step reduce_scatter_4[] = {{256, 1}, {512, 2}, {2048, 4}, {4096, 2}, {0, 4}};
constexpr Step reduce_scatter_5[] = {{256, 1}, {512, 2}, {0, 4}};
constexpr Step reduce_scatter_6[] = {{256, 1}, {1024, 2}, {0, 4}};
constexpr Step reduce_scatter_7[] = {{512, 1}, {2048, 2}, {8192, 4}, {16384, 2}, {0, 4}};
constexpr Step reduce_scatter_8[] = {{512, 1}, {4096, 2}, {16384, 4}, {32768, 2}, {0, 4}};
constexpr Step reduce_scatter_9[] = {{512, 1}, {4096, 2}, {0, 4}};
constexpr Step reduce_scatter_10[] = {{1024, 1}, {8192, 2}, {0, 4}};
constexpr Row reduce_scatter[] = {
    {4, reduce_scatter_0},    {8, reduce_scatter_1},    {32, reduce_scatter_2},
    {64, reduce_scatter_3},   {128, reduce_scatter_4},  {256, reduce_scatter_5},
    {512, reduce_scatter_6},  {1024, reduce_scatter_7}, {2048, reduce_scatter_8},
    {4096, reduce_scatter_9}, {0, reduce_scatter_10}};

constexpr Step all_gather_0[] = {{0, 6}};
constexpr Step all_gather_1[] = {{0, 3}};
constexpr Step all_gather_2[] = {{1024, 3}, {65536, 5}, {0, 4}};
constexpr Step all_gather_3[] = {{512, 3}, {65536, 5}, {0, 4}};
constexpr Step all_gather_4[] = {{512, 3}, {131072, 5}, {524288, 4}, {1048576, 5}, {0, 4}};
constexpr Step all_gather_5[] = {{32, 3},     {128, 2},     {1024, 3}, {131072, 5},
                                 {524288, 4}, {1048576, 5}, {0, 4}};
constexpr Step all_gather_6[] = {{64, 3}, {256, 2}, {2048, 3}, {0, 5}};
constexpr Step all_gather_7[] = {{4, 3},   {8, 2},   {16, 3},   {32, 2},
                                 {256, 3}, {512, 2}, {4096, 3}, {0, 5}};
constexpr Step all_gather_8[] = {{32, 2}, {128, 3}, {512, 2}, {4096, 3}, {0, 5}};
constexpr Step all_gather_9[] = {{2, 3}, {8, 2}, {16, 3}, {512, 2}, {4096, 3}, {0, 5}};
constexpr Row all_gather[] = {{3, all_gather_0},    {32, all_gather_1},   {64, all_gather_2},
                              {128, all_gather_3},  {256, all_gather_4},  {512, all_gather_5},
                              {1024, all_gather_6}, {2048, all_gather_7}, {4096, all_gather_8},
                              {0, all_gather_9}};

constexpr Step gather_0[] = {{2, 3}, {4, 1}, {32768, 2}, {65536, 1}, {131072, 2}, {0, 3}};
constexpr Step gather_1[] = {{1024, 2}, {8192, 1}, {32768, 2}, {262144, 1}, {0, 3}};
constexpr Step gather_2[] = {{0, 2}};
constexpr Step gather_3[] = {{2048, 2}, {8192, 1}, {0, 2}};
constexpr Step gather_4[] = {{0, 2}};
constexpr Row gather[] = {
    {4, gather_0}, {8, gather_1}, {256, gather_2}, {512, gather_3}, {0, gather_4}};

constexpr Step scatter_0[] = {{2, 3}, {131072, 1}, {262144, 3}, {0, 1}};
constexpr Step scatter_1[] = {{2048, 2}, {4096, 1}, {8192, 2}, {32768, 1}, {1048576, 3}, {0, 1}};
constexpr Step scatter_2[] = {{16384, 2}, {1048576, 3}, {0, 1}};
constexpr Step scatter_3[] = {{16384, 2}, {32768, 1}, {0, 3}};
constexpr Step scatter_4[] = {{512, 2}, {8192, 3}, {16384, 2}, {0, 3}};
constexpr Step scatter_5[] = {{512, 2}, {0, 3}};
constexpr Row scatter[] = {{4, scatter_0},  {8, scatter_1},  {16, scatter_2},
                           {32, scatter_3}, {64, scatter_4}, {0, scatter_5}};

}  // namespace

std::span<const OpenMpiRow> open_mpi_rows(CollectiveOp op) {
  switch (op) {
    case CollectiveOp::all_reduce:
      return all_reduce;
    case CollectiveOp::all_to_all:
      return all_to_all;
    case CollectiveOp::barrier:
      return barrier;
    case CollectiveOp::broadcast:
      return broadcast;
    case CollectiveOp::reduce:
      return reduce;
    case CollectiveOp::reduce_scatter:
      return reduce_scatter;
    case CollectiveOp::all_gather:
      return all_gather;
    case CollectiveOp::gather:
      return gather;
    case CollectiveOp::scatter:
      return scatter;
    default:
      return {};
  }
}

}  // namespace dsim
