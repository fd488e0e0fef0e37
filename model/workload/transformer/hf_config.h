#pragma once
#include <memory>
#include <string>

#include "model/workload/model.h"
#include "sim/base/json.h"

namespace dsim {

/// The model of a Hugging Face config.json, called `name`. The language model alone is built; of a
/// file with a "text_config" that one. InputError with file:line:col: a family that is not known or
/// cannot be built (with the reason), missing, negative and absurd sizes, heads that do not divide.
std::shared_ptr<const ModelKind> hf_model(const json::Value& root, std::string name);

}  // namespace dsim
