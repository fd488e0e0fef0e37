// Rows of each layout and strategy become the jobs they describe.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "calibrate/validate/source_facts.h"
#include "calibrate/validate/training_plan.h"
#include "model/workload/transformer/config.h"

using namespace dsim;
using Catch::Matchers::Contains;

namespace {

const std::string columns =
    "id,model,params,layers,hidden,heads,kv_heads,ffn,vocab,seq_len,gpu,gpus,precision,strategy,dp,"
    "tp,pp,vp,cp,ep,sp,micro_batch,global_batch,grad_accum,activation_recompute,optimizer,"
    "framework,step_time_s,notes\n";

PlannedRow planned(const std::string& row, const std::string& remarks = "") {
  const CsvTable table = CsvTable::parse(remarks + columns + row + "\n", "folder/t.csv");
  TopologyShelf shelf;
  return plan_training_row(RowInputs(table, 0), "t", shelf);
}

Job job_of(const std::string& row, const std::string& remarks = "") {
  const PlannedRow plan = planned(row, remarks);
  INFO(row << ": " << plan.row.reason);
  REQUIRE(plan.experiment);
  return plan.experiment->jobs.front();
}

std::string reason(const std::string& row, const std::string& remarks = "") {
  const PlannedRow plan = planned(row, remarks);
  CHECK_FALSE(plan.experiment);
  return plan.row.reason;
}

}  // namespace

TEST_CASE("a Megatron row: degrees, schedule, batch and network") {
  const Job job = job_of(
      "a,GPT 175B,175e9,96,12288,96,,49152,51200,2048,A100-80GB,64,FP16,TP+PP (no DP) Megatron,1,8,"
      "8,3,,,True,1,64,64,selective(attention core),Adam,Megatron-LM 2022-05,13.75,");
  CHECK(job.training.strategy == Strategy::megatron);
  CHECK(job.training.parallel.tensor == 8);
  CHECK(job.training.parallel.pipeline == 8);
  CHECK(job.training.parallel.chunks == 3);
  CHECK(job.training.parallel.data == 1);
  CHECK(job.training.parallel.sequence);
  CHECK(job.training.schedule == PipelineKind::interleaved);
  CHECK(job.training.accumulate == 64);
  CHECK(job.training.recompute == Recompute::selective);
  // Facts of the release: unfused attention, backward all-reduce beside the weight gradient.
  CHECK(job.attention == AttentionKernel::unfused);
  CHECK(job.training.async_tensor_backward);
  CHECK(job.fusion == Fusion::jit);
  REQUIRE(job.kind);
  REQUIRE(job.kind->transformer);
  CHECK(job.kind->transformer->layers == 96);
  CHECK(job.kind->transformer->vocabulary == 51200);
}

TEST_CASE("columns change a named network, and only what they state") {
  const Job job = job_of(
      "a,Llama 3 70B 12 layers,,12,,,,,,4096,B200-SXM,8,BF16,Megatron distributed-optimizer "
      "(ZeRO-1),4,2,1,,1,,,1,16,4,none,,Megatron-LM (SimuMax release run),0.72,");
  REQUIRE(job.kind);
  const TransformerConfig& config = *job.kind->transformer;
  CHECK(job.kind->name == "llama3-70b");
  CHECK(config.layers == 12);
  CHECK(config.hidden == 8192);
  CHECK(config.kv_heads == 8);
  CHECK(job.training.megatron.distributed_optimizer);
  ModelRequest request;
  request.micro_batch = 1;
  request.sequence = 4096;
  const Model model = job.kind->build(*job.kind, request);
  CHECK(model.parameter_count() == Approx(12 * 855.7e6 + 2 * 128256 * 8192.0).epsilon(0.01));
}

TEST_CASE("sharded rows: FSDP of both kinds, hybrid groups, ZeRO with offload") {
  const auto row = [](const char* gpus, const char* strategy, const char* framework) {
    return fmt::format(
        "a,Llama 3 8B,,,,,,,,8192,H100-80GB,{},BF16,{},,,,,,,,1,,,full,AdamW,{},1,", gpus, strategy,
        framework);
  };
  CHECK(job_of(row("8", "FSDP FULL_SHARD", "PyTorch")).training.strategy == Strategy::fsdp1);
  CHECK_FALSE(job_of(row("8", "FSDP SHARD_GRAD_OP", "PyTorch"))
                  .training.fsdp.reshard_after_forward);
  CHECK(job_of(row("64", "HSDP", "PyTorch")).training.fsdp.shard_size == 8);
  CHECK(job_of(row("64", "FSDP2 (group 32)", "PyTorch")).training.fsdp.shard_size == 32);
  CHECK(job_of(row("64", "FSDP2 (group 64)", "PyTorch")).training.fsdp.shard_size == 0);
  CHECK(job_of(row("8", "FSDP2+TP", "PyTorch")).training.strategy == Strategy::fsdp2);
  const Job zero = job_of(row("8", "ZeRO-3 + CPU-offloaded AdamW", "DeepSpeed"));
  CHECK(zero.training.strategy == Strategy::zero3);
  CHECK(zero.training.zero.offload_optimizer);
  CHECK(job_of(row("8", "Horovod", "TensorFlow2 Horovod")).training.framework ==
        Framework::horovod);
}

TEST_CASE("vTrain's tables are known by their header") {
  const CsvTable table = CsvTable::parse(
      "# source: VIA-Research/vTrain data/ground_truth_single.csv (MIT)\n"
      "gpus,global_batch,micro_batch,hidden,heads,layers,seq_len,tp,dp,pp,step_time_ms\n"
      "8,64,2,2048,16,24,1024,2,2,2,410.5\n",
      "v.csv");
  TopologyShelf shelf;
  const PlannedRow plan = plan_training_row(RowInputs(table, 0), "v", shelf);
  INFO(plan.row.reason);
  REQUIRE(plan.experiment);
  const Job& job = plan.experiment->jobs.front();
  CHECK(job.precision == Precision::fp16);
  CHECK(job.training.recompute == Recompute::full);
  CHECK(job.training.accumulate == 16);
  CHECK(job.optimizer_bytes == 47.5);
  CHECK(job.launch_seconds > 5e-6);
  CHECK(job.launch_seconds < 100e-6);  // of the few launches that a fused layer has
  CHECK(job.backward_launch_seconds > 5e-6);
  CHECK(job.kind->transformer->vocabulary == 50257);
  CHECK(plan.row.grade == Grade::a);
}

TEST_CASE("degrees that do not make the GPUs are refused, in words") {
  const auto row = [](const char* degrees) {
    return fmt::format("a,GPT 18B,,6,14336,64,,57344,250880,2048,A100-80GB,320,FP16,3D Megatron,{},"
                       ",,,,4,2048,,full,Adam,Megatron-LM,147,",
                       degrees);
  };
  CHECK_THAT(reason(row("8,8,10")), Contains("dp 8 x tp x pp x cp = 640 is not 320 GPUs"));
  CHECK_THAT(reason(row(",7,1")), Contains("does not divide 320 GPUs"));
  CHECK(job_of(row("4,8,10")).training.parallel.data == 4);
}

TEST_CASE("networks without a rule or without sizes are refused, by name") {
  const auto row = [](const char* model) {
    return fmt::format("a,{},,,,,,,,2048,A100-80GB,8,FP16,DDP,,,,,,,,4,,,,Adam,PyTorch,1,", model);
  };
  CHECK_THAT(reason(row("Nemotron-H-56B")), Contains("Nemotron-H-56B"));
  CHECK_THAT(reason(row("GPT made up")), Contains("layers not stated"));
  CHECK_THAT(reason(row("Llama 2 70B LoRA r16")), Contains("LoRA"));
  CHECK_THAT(reason(row("ViT-B/16?")), Contains("not certain"));
}

TEST_CASE("layers that are not stated follow from the parameters and the pipeline") {
  const PlannedRow plan = planned(
      "a,GPT 183B,183e9,,14400,64,,57600,250880,2048,A100-80GB,384,FP16,3D Megatron-DeepSpeed "
      "ZeRO-1,4,8,12,,,,,1,2048,512,full,Adam,Megatron-DeepSpeed,172,");
  REQUIRE(plan.experiment);
  CHECK(plan.experiment->jobs.front().kind->transformer->layers == 72);
  CHECK_THAT(plan.row.assumptions, Contains("72 layers from the parameter count"));
}

TEST_CASE("facts fill empty cells, set what no column states, and exclude by column reasons") {
  const std::string prequel =
      "# source: bigscience-workshop/bigscience train/tr11-176B-ml/chronicles-prequel.md\n";
  const auto row = [](const char* id, const char* heads) {
    return fmt::format("{},GPT 181B,181e9,72,14336,{},,57344,250880,2048,A100-80GB,384,FP16,3D "
                       "Megatron-DeepSpeed ZeRO-1,4,8,12,,,,,2,2048,256,full,Adam,"
                       "Megatron-DeepSpeed 2022-02,134,",
                       id, heads);
  };
  CHECK(job_of(row("bs-031", ""), prequel).kind->transformer->heads == 64);
  CHECK(job_of(row("bs-031", "112"), prequel).kind->transformer->heads == 112);
  CHECK(job_of(row("bs-031", ""), prequel).kind->transformer->position == PositionScheme::alibi);
  CHECK(planned(row("bs-044", ""), prequel).row.status == RowStatus::excluded);
  CHECK(planned(row("bs-031", ""), prequel).row.status == RowStatus::predicted);
  for (const SourceFact& fact : source_facts()) {
    INFO(fact.source << " " << fact.framework << ": " << fact.says);
    CHECK_FALSE(fact.citation.empty());
    CHECK((fact.set == nullptr) == fact.says.empty());
    CHECK(fact.column.empty() == fact.value.empty());
  }
}

TEST_CASE("fp8 recipes differ by their words") {
  const auto job = [](const char* gpu, const char* precision, const char* remarks = "") {
    return job_of(fmt::format("a,Llama 3 8B,,,,,,,,8192,{},8,{},FSDP2,,,,,,,,2,,,none,AdamW,x,1,", gpu,
                              precision),
                  remarks);
  };
  const char* torchtitan = "# source: pytorch/torchtitan benchmarks\n";
  CHECK(job("H100-80GB", "FP8").fp8_recipe == Fp8Recipe::delayed);
  CHECK(job("H100-80GB", "FP8 rowwise", torchtitan).fp8_recipe == Fp8Recipe::dynamic);
  CHECK(job("H100-80GB", "FP8 rowwise", torchtitan).fp8_gain == 0);
  CHECK(job("H100-80GB", "FP8 tensorwise", torchtitan).fp8_gain == 1.31);
  CHECK(job("H200-141GB", "FP8 linear", torchtitan).fp8_gain == 1.5);
  CHECK(job("B200", "NVFP4").fp8_recipe == Fp8Recipe::nvfp4);
  CHECK(job("B200", "MXFP8").fp8_recipe == Fp8Recipe::block);
}
