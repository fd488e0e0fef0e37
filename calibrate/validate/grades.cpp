#include "calibrate/validate/grades.h"

#include <array>

#include "calibrate/validate/text_pattern.h"

namespace dsim {
namespace {

struct GradeRule {
  std::string_view source = {}, framework = {}, model = {}, id = {};
  Grade grade = Grade::none;
};

// Grades of the index that comes with the published tables.
constexpr std::array rules{
    GradeRule{.source = "vtrain", .grade = Grade::a},
    GradeRule{.source = "tr11-176b-ml", .grade = Grade::a},
    GradeRule{.source = "llm-foundry", .grade = Grade::a},
    GradeRule{.source = "calculon", .grade = Grade::a},
    GradeRule{.framework = "megatron-lm-2020", .grade = Grade::a},
    GradeRule{.source = "torchtitan", .grade = Grade::a},
    GradeRule{.source = "kempnerforge", .grade = Grade::a},
    GradeRule{.source = "simumax", .grade = Grade::a},
    GradeRule{.source = "benchmarks-distributed-ddp", .grade = Grade::a},
    GradeRule{.source = "mlcommons", .model = "gpt-3|llama", .grade = Grade::a_minus},
    GradeRule{.framework = "nanotron", .grade = Grade::a_minus},
    GradeRule{.framework = "megatron-lm-2021|megatron-lm-readme", .grade = Grade::a_minus},
    GradeRule{.source = "flagperf", .id = "fp-llm", .grade = Grade::a_minus},
    GradeRule{.source = "flagperf", .grade = Grade::c},
    GradeRule{.source = "deeplearningexamples languagemodeling-bert", .grade = Grade::a_minus},
    GradeRule{.source = "dgxc-benchmarking", .grade = Grade::b},
    GradeRule{.source = "megatron-bridge", .grade = Grade::b},
    GradeRule{.source = "nvidia-megatron-lm-images-model-table|model-table-png", .grade = Grade::b},
    GradeRule{.source = "nvidia-nemo-docs|nemo-automodel", .grade = Grade::b},
    GradeRule{.source = "stas00|fms-fsdp|mlcommons|tensorflow-docs", .grade = Grade::b},
    GradeRule{.source = "deeplearningexamples classification", .grade = Grade::b},
    GradeRule{.source = "deeplearningexamples|horovod-horovod|maxtext", .grade = Grade::c},
};

}  // namespace

std::string_view name_of(Grade grade) {
  switch (grade) {
    case Grade::a:
      return "A";
    case Grade::a_minus:
      return "A-";
    case Grade::b:
      return "B";
    case Grade::c:
      return "C";
    case Grade::none:
      return "none";
  }
  return "";
}

Grade grade_of(const RowInputs& row) {
  for (const GradeRule& rule : rules)
    if (matches(row.remark("source"), rule.source) &&
        matches(row.text("framework"), rule.framework) &&
        matches(row.text("model"), rule.model) && matches(row.text("id"), rule.id))
      return rule.grade;
  return Grade::none;
}

bool is_headline(Grade grade) {
  return grade == Grade::a || grade == Grade::a_minus || grade == Grade::none;
}

}  // namespace dsim
