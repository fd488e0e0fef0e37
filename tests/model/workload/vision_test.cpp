// Networks for images as torchvision builds them: parameter counts, multiply-adds, order of
// arrival.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "tests/model/workload/model_queries.h"

using namespace dsim;
using namespace dsim::testing;

namespace {

std::size_t arrival(const Model& model, const std::string& name) {
  const std::vector<std::size_t> order = arrival_order(model);
  return static_cast<std::size_t>(
      std::find(order.begin(), order.end(), parameter_index(model, name)) - order.begin());
}

}  // namespace

TEST_CASE("networks for images have the parameters and multiply-adds torchvision states",
          "[networks]") {
  // num_params and _ops (GMAC) in the metadata of torchvision's weights. Inception's _ops is that
  // of evaluation, without the auxiliary classifier.
  const auto [name, count, giga_macs] = GENERATE(table<std::string, std::int64_t, double>({
      {"alexnet", 61'100'840, 0.714},
      {"vgg-11", 132'863'336, 7.609},
      {"vgg-13", 133'047'848, 11.308},
      {"vgg-16", 138'357'544, 15.47},
      {"vgg-19", 143'667'240, 19.632},
      {"inception-v3", 27'161'264, 5.718},
      {"inception-v3-no-aux", 23'834'568, 5.713},
      {"densenet-121", 7'978'856, 2.834},
      {"densenet-161", 28'681'000, 7.728},
      {"densenet-169", 14'149'480, 3.36},
      {"densenet-201", 20'013'928, 4.291},
      {"resnext101-64x4d", 83'455'272, 15.46},
      {"wide-resnet-50-2", 68'883'240, 11.398},
      {"wide-resnet-101-2", 126'886'696, 22.753},
  }));
  const Model model = build(name, {2});
  INFO(name);
  CHECK(model.parameter_count() == count);
  CHECK(flops(forward_kernels(model)) / 4 == Approx(giga_macs * 1e9).epsilon(0.001));
  CHECK(model.model_flops == Approx(3 * flops(forward_kernels(model))).epsilon(1e-12));
  CHECK(model.sample_unit == "images");
}

TEST_CASE("layers of a network for images hand their outputs on", "[networks]") {
  const std::string name =
      GENERATE("vgg-16", "alexnet", "inception-v3", "densenet-121", "resnet-50");
  const Model model = build(name, {4, 0, Precision::fp32});
  INFO(name);
  CHECK(model.layers.front().role == LayerRole::embedding);
  CHECK(model.layers.back().role == LayerRole::head);
  for (std::size_t i = 1; i < model.layers.size(); ++i) {
    INFO(model.layers[i].name);
    CHECK(model.layers[i].input_bytes > 0);
    CHECK(model.layers[i].input_bytes == model.layers[i - 1].output_bytes);
  }
}

TEST_CASE("VGG-16's first dense layer holds three quarters of its parameters and arrives early",
          "[networks]") {
  const Model model = build("vgg-16");
  CHECK(model.parameters[parameter_index(model, "classifier.0.weight")].elements == 25088 * 4096);
  CHECK(model.parameters.front().name == "features.0.weight");
  CHECK(model.parameters.back().name == "classifier.6.bias");
  CHECK(parameter_index(model, "features.28.bias") == 25);
  CHECK(arrival(model, "classifier.6.bias") == 0);
  CHECK(arrival(model, "classifier.0.weight") == 5);
  CHECK(arrival(model, "features.0.bias") > arrival(model, "features.2.weight"));
}

TEST_CASE("a convolution's bias arrives after its weight, before it where both are cast",
          "[networks]") {
  const Model plain = build("alexnet", {0, 0, Precision::fp32});
  CHECK(arrival(plain, "features.3.weight") + 1 == arrival(plain, "features.3.bias"));
  const Model cast = build("alexnet", {0, 0, Precision::fp16});
  CHECK(arrival(cast, "features.3.bias") + 1 == arrival(cast, "features.3.weight"));
}

TEST_CASE("Inception's auxiliary classifier is registered and goes back between its neighbours",
          "[networks]") {
  const Model model = build("inception-v3");
  const std::string before = "Mixed_7a.branch3x3_1.conv.weight", own = "AuxLogits.fc.weight",
                    after = "Mixed_6e.branch_pool.bn.bias";
  CHECK(parameter_index(model, after) < parameter_index(model, own));
  CHECK(parameter_index(model, own) < parameter_index(model, before));
  CHECK(arrival(model, before) < arrival(model, own));
  CHECK(arrival(model, own) < arrival(model, after));
  CHECK(model.parameters[parameter_index(model, "Mixed_6b.branch7x7_2.conv.weight")].shape ==
        std::vector<std::int64_t>{128, 128, 1, 7});
}

TEST_CASE("AlexNet's maps are 55, 27, 13 and 6 pixels wide", "[networks]") {
  const Model model = build("alexnet", {1});
  const auto first_gemm = [&](const std::string& layer) {
    for (const Kernel& kernel : forward_kernels(model, layer))
      if (kernel.kind == KernelKind::conv || kernel.kind == KernelKind::gemm) return kernel;
    return Kernel{};
  };
  CHECK(first_gemm("features.0").m == 55 * 55);
  CHECK(first_gemm("features.3").m == 27 * 27);
  CHECK(first_gemm("features.6").m == 13 * 13);
  CHECK(first_gemm("classifier.1").k == 256 * 6 * 6);
}
