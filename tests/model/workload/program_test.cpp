#include "model/workload/program.h"

#include <catch2/catch.hpp>

using namespace dsim;

TEST_CASE("a name is stored once and keeps its index") {
  Program program;
  const auto first = program.intern("gemm");
  const auto other = program.intern("norm");
  CHECK(first != other);
  CHECK(program.intern("gemm") == first);
  CHECK(program.names == std::vector<std::string>{"gemm", "norm"});
}

TEST_CASE("a copied program keeps its names") {
  Program program;
  const auto gemm = program.intern("gemm");
  Program copy = program;
  CHECK(copy.intern("gemm") == gemm);
  CHECK(copy.intern("norm") == 1);
  CHECK(program.names.size() == 1);
}

TEST_CASE("a task owns the range of its dependencies") {
  Program program;
  const TaskId a = program.add(Task{});
  const TaskId b = program.add(Task{}, {a});
  const TaskId c = program.add(Task{}, std::vector{a, b});
  CHECK(c == TaskId{2});
  CHECK(program.tasks[0].dependency_count == 0);
  const Task& last = program.tasks[c.index()];
  REQUIRE(last.dependency_count == 2);
  CHECK(program.dependencies[last.first_dependency] == a);
  CHECK(program.dependencies[last.first_dependency + 1] == b);
}

TEST_CASE("a task cannot depend on one that comes later") {
  Program program;
  CHECK_THROWS_AS(program.add(Task{}, {TaskId{0}}), std::logic_error);
}
