#include "model/strategy/zero3_trace.h"

#include <algorithm>

namespace dsim {

namespace {

std::string module_of(const std::string& parameter) {
  return parameter.substr(0, parameter.rfind('.'));
}

/// Decides use by use what to gather, as the coordinator does.
class Coordinator {
 public:
  Coordinator(Zero3Trace& trace, const ZeroOptions& options, std::int64_t reuse,
              std::int64_t most_live)
      : trace_(trace),
        options_(options),
        reuse_(reuse),
        most_live_(most_live),
        gather_of_(trace.modules.size(), absent) {}

  void run() {
    for (std::size_t u = 0; u < trace_.uses.size(); ++u) {
      fetch(u);
      prefetch(u);
      trace_.most_live = std::max(trace_.most_live, live_);
      release(u);
    }
  }

 private:
  static constexpr std::size_t absent = static_cast<std::size_t>(-1);

  /// What the layer needs and nobody fetched.
  void fetch(std::size_t u) {
    Zero3Use& use = trace_.uses[u];
    std::vector<std::size_t> missing;
    for (const std::size_t m : use.modules)
      if (gather_of_[m] == absent) missing.push_back(m);
    gather(use, missing);
    for (const std::size_t m : use.modules) use.waits.push_back(gather_of_[m]);
    std::sort(use.waits.begin(), use.waits.end());
    use.waits.erase(std::unique(use.waits.begin(), use.waits.end()), use.waits.end());
  }

  /// Each module of the layer looks ahead once, a prefetch bucket further.
  void prefetch(std::size_t u) {
    if (next_ <= u) {
      next_ = u + 1;
      next_module_ = 0;
    }
    for (std::size_t i = 0; i < trace_.uses[u].modules.size(); ++i) {
      const std::int64_t room = std::min(most_live_ - live_, options_.prefetch_elements);
      std::vector<std::size_t> ahead;
      std::int64_t elements = 0;
      while (elements < room && next_ < trace_.uses.size()) {
        const auto& modules = trace_.uses[next_].modules;
        if (next_module_ >= modules.size()) {
          ++next_;
          next_module_ = 0;
          continue;
        }
        const std::size_t m = modules[next_module_++];
        if (gather_of_[m] != absent || std::find(ahead.begin(), ahead.end(), m) != ahead.end())
          continue;
        ahead.push_back(m);
        elements += trace_.modules[m].elements;
      }
      gather(trace_.uses[u], ahead);
    }
  }

  /// Frees what is not used again soon.
  void release(std::size_t u) {
    for (const std::size_t m : trace_.uses[u].modules)
      if (gather_of_[m] != absent && !used_soon(m, u)) {
        gather_of_[m] = absent;
        live_ -= trace_.modules[m].elements;
      }
  }

  bool used_soon(std::size_t module, std::size_t u) const {
    std::int64_t distance = 0;
    for (std::size_t v = u + 1; v < trace_.uses.size(); ++v)
      for (const std::size_t m : trace_.uses[v].modules) {
        distance += trace_.modules[m].elements;
        if (distance > reuse_) return false;
        if (m == module) return true;
      }
    return false;
  }

  void gather(Zero3Use& use, const std::vector<std::size_t>& modules) {
    if (modules.empty()) return;
    Zero3Gather gather;
    gather.modules = modules;
    for (const std::size_t m : modules) {
      gather_of_[m] = trace_.gathers.size();
      gather.elements[trace_.modules[m].expert] += trace_.modules[m].elements;
      live_ += trace_.modules[m].elements;
    }
    use.starts.push_back(trace_.gathers.size());
    trace_.gathers.push_back(std::move(gather));
  }

  Zero3Trace& trace_;
  const ZeroOptions& options_;
  std::int64_t reuse_, most_live_, live_ = 0;
  std::vector<std::size_t> gather_of_;  ///< by module: the gather that brought it; absent if freed
  std::size_t next_ = 0, next_module_ = 0;  ///< where looking ahead has come to
};

}  // namespace

Zero3Trace zero3_trace(const Model& model, const ZeroOptions& options, bool experts_apart,
                       std::int64_t reuse_distance, std::int64_t live_parameters) {
  Zero3Trace trace;
  std::vector<std::vector<std::size_t>> of_layer(model.layers.size());
  std::size_t embedding = static_cast<std::size_t>(-1);
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    std::string last;
    for (const ParameterId id : model.layers[l].parameters) {
      const Parameter& parameter = model.parameters[id.index()];
      const bool expert = parameter.expert && experts_apart;
      if (parameter.elements < options.persistent_elements) {
        (expert ? trace.persistent_experts : trace.persistent) += parameter.elements;
        continue;
      }
      const std::string module = module_of(parameter.name);
      if (module != last || trace.modules.back().expert != expert) {
        of_layer[l].push_back(trace.modules.size());
        trace.modules.push_back({module, 0, expert});
      }
      last = module;
      trace.modules.back().elements += parameter.elements;
    }
    if (model.layers[l].role == LayerRole::embedding)
      for (const std::size_t m : of_layer[l])
        if (embedding >= trace.modules.size() ||
            trace.modules[m].elements > trace.modules[embedding].elements)
          embedding = m;
    if (model.layers[l].role == LayerRole::head && model.tied_embeddings &&
        embedding < trace.modules.size() && l + 1 == model.layers.size())
      of_layer[l].push_back(embedding);
  }
  for (std::size_t l = 0; l < of_layer.size(); ++l) trace.uses.push_back({l, of_layer[l], {}, {}});
  for (std::size_t l = of_layer.size(); l-- > 0;) {
    std::reverse(of_layer[l].begin(), of_layer[l].end());
    trace.uses.push_back({l, of_layer[l], {}, {}});
  }
  Coordinator(trace, options, reuse_distance, live_parameters).run();
  return trace;
}

}  // namespace dsim
