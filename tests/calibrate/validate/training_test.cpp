#include "calibrate/validate/training.h"

#include <fmt/format.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "calibrate/validate/table_files.h"
#include "calibrate/validate/training_plan.h"
#include "calibrate/validate/training_report.h"
#include "sim/base/data_files.h"
#include "sim/base/json.h"

using namespace dsim;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

namespace {

const std::string columns =
    "id,model,gpu,gpus,intra_link,precision,framework,strategy,seq_len,micro_batch,global_batch,"
    "grad_accum,"
    "optimizer,step_time_s,throughput,throughput_unit,notes\n";

std::vector<CsvTable> tables(const std::string& rows, const std::string& remarks = "") {
  std::vector<CsvTable> result;
  result.push_back(CsvTable::parse(remarks + columns + rows, "folder/t.csv"));
  return result;
}

Report step_of(double seconds) {
  Report report;
  report.step_time_s = report.parts.forward_s = seconds;
  return report;
}

/// Predicts a microsecond a sample and GPU, 10 us more for each doubling of the GPUs.
Report closed_form(const Experiment& experiment) {
  const Job& job = experiment.jobs.front();
  const auto gpus = static_cast<double>(experiment.topology->gpu_count());
  return step_of(1e-6 * static_cast<double>(job.micro_batch * job.training.accumulate) +
                 1e-5 * std::log2(gpus));
}

TrainingRow only_row(const std::string& row, const std::string& remarks = "") {
  const auto given = tables(row, remarks);
  const TrainingValidation validation = validate_training(given, closed_form);
  REQUIRE(validation.rows.size() == 1);
  return validation.rows.front();
}

/// The job that a row becomes.
Job job_of(const std::string& row, const std::string& remarks = "") {
  Job job;
  const auto given = tables(row, remarks);
  validate_training(given, [&](const Experiment& experiment) {
    job = experiment.jobs.front();
    return step_of(1.0);
  });
  return job;
}

}  // namespace

TEST_CASE("a row becomes the experiment it describes") {
  const Job job =
      job_of("a,BERT-Large,A100-80GB,8,,FP16-AMP,PyTorch,DDP,128,256,65536,32,LAMB,14.2,,,\n");
  CHECK(job.model == "bert-large");
  CHECK(job.training.strategy == Strategy::ddp);
  CHECK(job.precision == Precision::fp16);
  CHECK(job.precision_given);
  CHECK(job.sequence == 128);
  CHECK(job.micro_batch == 256);
  CHECK(job.training.accumulate == 32);
  CHECK(job.optimizer == "lamb");
  CHECK(job.training.ddp.bucket_cap == 25_MiB);
}

TEST_CASE("the global batch is trusted before micro-batch and accumulation") {
  const auto row = [](const char* batch) {
    return only_row(
        fmt::format("a,BERT-Large,A100-80GB,8,,TF32,PyTorch,DDP,128,{},LAMB,26,,,\n", batch));
  };
  // 8192 samples a GPU are 64 x 128, not 64 x 126.
  CHECK(row("126,65536,64").micro_batch == 128);
  CHECK(row("126,65536,64").accumulate == 64);
  CHECK_THAT(row("126,65536,64").assumptions, Contains("micro-batch 126 printed, 128 follows"));
  // 2048 samples a GPU are 8 x 256, not 18 x 256.
  CHECK(row("256,16384,18").accumulate == 8);
  CHECK_THAT(row("256,16384,18").assumptions, Contains("accumulation 18 printed, 8 follows"));
  CHECK(row("256,65536,").accumulate == 32);
  CHECK(row(",65536,64").micro_batch == 128);
  CHECK(row("32,,").accumulate == 1);
  CHECK(row("32,,").samples == 256);
  CHECK(row(",,").obstacle == Obstacle::batch);
  CHECK(row("100,65536,3").obstacle == Obstacle::batch);
  CHECK(row("32,65537,").obstacle == Obstacle::batch);
}

TEST_CASE("bucket sizes come from the notes") {
  const Job job = job_of(
      "a,ResNet-50,V100-SXM2,2,NVLink2,FP32,PyTorch 1.4,DDP,,32,64,,SGD,0.1,,,p75; "
      "bucket_cap_mb=1; x\n");
  CHECK(job.training.ddp.bucket_cap == 1_MiB);
  CHECK(job.training.ddp.first_bucket == 1_MiB);
  CHECK(job.attention == AttentionKernel::unfused);
}

TEST_CASE("facts that a source states in prose are inputs of its rows") {
  const std::string bert =
      "# source: https://github.com/NVIDIA/DeepLearningExamples PyTorch/LanguageModeling/BERT\n";
  const std::string row =
      "a,BERT-Large,A100-80GB,8,,FP16-AMP,PyTorch,DDP,128,256,65536,32,LAMB,14.2,,,pre-training\n";
  const Job job = job_of(row, bert);
  CHECK(job.fusion == Fusion::jit);
  CHECK(job.attention == AttentionKernel::unfused);
  CHECK(job.training.ddp.compression == Compression::fp16);
  CHECK(job.training.ddp.first_bucket > 100_GiB);
  CHECK(job.training.ddp.gradient_as_bucket_view);
  CHECK(job_of(row).fusion == Fusion::eager);  // the same row of another source

  const std::string bench = "# source: pytorch/pytorch benchmarks/distributed/ddp/README.md\n";
  CHECK_FALSE(job_of("a,ResNet-50,V100-SXM2,2,NVLink2,FP32,PyTorch,DDP,,32,64,,SGD,0.1,,,\n", bench)
                  .training.ddp.broadcast_buffers);
}

TEST_CASE("rows whose padding is skipped count only in ratios") {
  const auto given = tables(
      "a,BERT-Large,A100-80GB,8,,FP16-AMP,PyTorch,DDP,512,32,32768,128,LAMB,19,,,\n"
      "b,BERT-Large,A100-80GB,16,,FP16-AMP,PyTorch,DDP,512,32,32768,64,LAMB,10,,,\n",
      "# source: NVIDIA/DeepLearningExamples PyTorch/LanguageModeling/BERT\n");
  const TrainingValidation validation = validate_training(given, closed_form);
  CHECK(validation.rows[0].status == RowStatus::ratio_only);
  CHECK(validation.overall().points == 0);
  CHECK(validation.not_predictable() == 2);
  REQUIRE(validation.ratios.size() == 1);
  // Half the time on twice the GPUs would be 1; 10 s for 9.5 s is .95.
  CHECK(validation.ratios[0].measured == Approx(0.95));
  // 4096 samples a GPU and 3 doublings against 2048 and 4, at a microsecond a sample and 10 a
  // doubling.
  CHECK(validation.ratios[0].predicted == Approx((4096.0 + 30) / 2 / (2048 + 40)));
}

TEST_CASE("rows that no model here covers are counted with the reason") {
  const auto obstacle = [](const char* row) { return only_row(row).obstacle; };
  CHECK(obstacle("a,Jasper,A100-80GB,8,,FP16,PyTorch,DDP,,8,64,,Adam,1,,,\n") == Obstacle::model);
  CHECK(obstacle("a,SE-ResNeXt-50 32x4d,A100-80GB,8,,FP16,PyTorch,DDP,,8,64,,SGD,1,,,\n") ==
        Obstacle::model);
  CHECK(obstacle("a,BERT-Large?,A100-80GB,8,,FP16,PyTorch,DDP,,8,64,,Adam,1,,,\n") ==
        Obstacle::model);
  CHECK(obstacle("a,BERT-Large,A100-80GB,8,,FP16,MaxText (JAX),FSDP,,8,64,,Adam,1,,,\n") ==
        Obstacle::framework);
  CHECK(obstacle("a,BERT-Large,A100-80GB,8,,FP16,PyTorch,parameter_server(cpu),,8,64,,Adam,1,,,\n") ==
        Obstacle::strategy);
  CHECK(obstacle("a,BERT-Large,A100-80GB,8,,FP16,PyTorch,made up,,8,64,,Adam,1,,,\n") ==
        Obstacle::strategy);
  CHECK(obstacle("a,BERT-Large,A100-80GB,8,,INT4,PyTorch,DDP,,8,64,,Adam,1,,,\n") ==
        Obstacle::precision);
  CHECK(obstacle("a,BERT-Large,TPUv4,8,,BF16,PyTorch,DDP,,8,64,,Adam,1,,,\n") ==
        Obstacle::hardware);
  CHECK(obstacle("a,BERT-Large,A100-80GB,eight,,FP16,PyTorch,DDP,,8,64,,Adam,1,,,\n") ==
        Obstacle::number);
  CHECK(obstacle("a,BERT-Large,A100-80GB,8,,FP16,PyTorch,DDP,,8,64,,Adam,,,,\n") ==
        Obstacle::measurement);
  CHECK(obstacle("a,BERT-Large,A100-80GB,8,,FP16,PyTorch,DDP,,8,64,,RMSProp,1,,,\n") ==
        Obstacle::model);
}

TEST_CASE("what the simulator refuses is not predictable, with its first line as the reason") {
  const auto given = tables("a,BERT-Large,A100-80GB,8,,BF16,PyTorch,DDP,128,8,64,,Adam,1,,,\n");
  const TrainingValidation refused = validate_training(given, [](const Experiment&) -> Report {
    throw InputError(TextPosition{"f", 1, 2}, "too long", "source line", 3);
  });
  CHECK(refused.rows[0].obstacle == Obstacle::simulation);
  CHECK(refused.rows[0].reason == "f:1:2: error: too long");
  const TrainingValidation infinite =
      validate_training(given, [](const Experiment&) { return step_of(1.0 / 0.0); });
  CHECK(infinite.rows[0].obstacle == Obstacle::simulation);
}

TEST_CASE("step times come from throughput where the step time is missing") {
  const auto measured = [](const char* end) {
    return only_row(
               fmt::format("a,BERT-Large,A100-80GB,8,,BF16,PyTorch,DDP,128,8,64,,Adam,{},\n", end))
        .measured_s;
  };
  CHECK(measured("2.5,,") == 2.5);
  CHECK(measured(",32,sequences/s") == 2);    // 64 / 32
  CHECK(measured(",4096,tokens/s") == 2);     // 64 * 128 / 4096
  CHECK(measured(",512,tokens/s/GPU") == 2);  // over 8 GPUs
  CHECK(measured(",32,") == 2);
  CHECK(std::isnan(measured(",32,furlongs")));
  CHECK(std::isnan(measured("-1,,")));
  CHECK(std::isnan(measured("0,0,images/s")));
}

TEST_CASE("predictions do not depend on what was measured") {
  const std::string row =
      "r,BERT-Large,A100-80GB,{},,BF16,PyTorch,DDP,128,8,,,Adam,{},{},sequences/s,\n";
  const auto seed = GENERATE(5u, 6u);
  INFO("seed " << seed);
  std::mt19937 random(seed);
  std::string one, other;
  for (const int gpus : {1, 2, 4, 8, 16, 64}) {
    one += fmt::format(fmt::runtime(row), gpus, random() % 100 + 1, random() % 100);
    other += fmt::format(fmt::runtime(row), gpus, random() % 100 + 1, random() % 100);
  }
  const TrainingValidation a = validate_training(tables(one), closed_form);
  const TrainingValidation b = validate_training(tables(other), closed_form);
  REQUIRE(a.overall().points == 6);
  for (std::size_t i = 0; i < 6; ++i) CHECK(a.rows[i].predicted_s == b.rows[i].predicted_s);
}

TEST_CASE("every row is either a point or counted as not predictable") {
  const auto given = tables(
      "a,BERT-Large,A100-80GB,8,,BF16,PyTorch,DDP,128,8,64,,Adam,0.0001,,,\n"
      ",,,,,,,,,,,,,,,,\n"
      "b,Jasper,A100-80GB,8,,BF16,PyTorch,DDP,128,8,64,,Adam,1,,,\n"
      "c,Jasper,A100-80GB,8,,BF16,PyTorch,DDP,128,8,64,,Adam,1,,,\n"
      "d,BERT-Large,TPUv3,8,,BF16,PyTorch,DDP,128,8,64,,Adam,1,,,\n");
  const TrainingValidation validation = validate_training(given, closed_form);
  CHECK(validation.rows.size() == 4);  // the empty line is no row
  CHECK(validation.overall().points + validation.not_predictable() == 4);
  const auto reasons = validation.reasons();
  REQUIRE(reasons.size() == 2);
  CHECK(reasons[0].rows == 2);
  CHECK(reasons[0].reason == "Jasper");
  // 8 us and 3 doublings at 10 us against 100 us: -62 %.
  CHECK_THAT(
      training_text(validation),
      EndsWith("\nmedian 62.0 % p90 62.0 % worst 62.0 % over 1 points (3 rows not predictable)\n"));
  CHECK_THAT(training_text(validation), Contains("-62.0 %  not explained"));
}

TEST_CASE("other tables are left out with a word, misspelt columns get the nearest name") {
  std::vector<CsvTable> given;
  given.push_back(CsvTable::parse("size_bytes,time_us,busbw_gbps\n8,1,0\n", "nccl.csv"));
  given.push_back(CsvTable::parse("model,precison\nbert,FP32\n", "mine.csv"));
  given.push_back(
      CsvTable::parse("gpus,hidden,layers,tp,dp,pp,step_time_ms\n8,1024,24,1,8,1,100\n", "v.csv"));
  const TrainingValidation validation = validate_training(given, closed_form);
  CHECK(validation.rows.size() == 2);
  CHECK(validation.rows[1].obstacle == Obstacle::model);  // no header says what vTrain's does
  REQUIRE(validation.notices.size() == 2);
  CHECK_THAT(validation.notices[0],
             Contains("nccl.csv: left out, no table of training runs but collectives"));
  CHECK(validation.notices[1] ==
        "mine.csv:1:7: column 'precison' is not known (did you mean 'precision'?)");
}

TEST_CASE("the JSON and CSV faces hold every row") {
  const auto given = tables(
      "\"a,\"\"1\"\"\",BERT-Large,A100-80GB,8,,BF16,PyTorch,DDP,128,8,64,,Adam,0.0001,,,\n"
      "b,\"J\tasper\",A100-80GB,8,,BF16,PyTorch,DDP,128,8,64,,Adam,1,,,\n");
  const TrainingValidation validation = validate_training(given, closed_form);

  const auto document = json::Document::parse(training_json(validation), "out.json");
  json::ObjectReader root(document.root());
  CHECK(root.at("format").as_string() == "dsim.validation/1");
  CHECK(root.at("rows").elements().size() == 2);
  json::ObjectReader row(root.at("rows").elements()[0]);
  CHECK(row.at("id").as_string() == "a,\"1\"");
  CHECK(row.at("error").as_number() == Approx(-0.62));
  json::ObjectReader summary(root.at("summary"));
  CHECK(summary.at("points").as_integer() == 1);
  CHECK(summary.at("not_predictable").as_integer() == 1);

  const CsvTable table = CsvTable::parse(training_csv(validation), "out.csv");
  REQUIRE(table.row_count() == 2);
  CHECK(table.cell(0, "id").text == "a,\"1\"");
  CHECK(table.cell(1, "model").text == "J\tasper");
  CHECK(table.cell(1, "predicted_s").text == "");
  CHECK_THAT(training_markdown(validation), Contains("over 1 points (1 rows not predictable)"));
  const std::string page = training_html(validation);
  CHECK_THAT(page, Contains("over 1 points (1 rows not predictable)"));
  CHECK_THAT(page, Contains("a,&quot;1&quot;"));
  CHECK_THAT(page, Contains("<svg"));
}

TEST_CASE("the shipped figures are all read, and all but the unknown models are predictable") {
  const auto shipped = load_tables(data_directory() / "calibrate/validate/data/training", {});
  const TrainingValidation validation = validate_training(shipped, closed_form);
  CHECK(validation.notices.empty());
  CHECK(validation.rows.size() >= 88);
  for (const TrainingRow& row : validation.rows) {
    INFO(row.source << " " << row.id << ": " << row.reason);
    CHECK((row.status == RowStatus::predicted || row.obstacle == Obstacle::padding ||
           row.model == "ResNeXt-101-32x4d"));
  }
}

TEST_CASE("memory is compared in the measure its source prints, out of memory is an answer") {
  const auto given = tables(
      "a,BERT-Large,A100-80GB,8,,BF16,PyTorch,DDP,128,8,64,,Adam,1,,,\n"
      "b,BERT-Large,A100-80GB,8,,BF16,PyTorch,DDP,128,999,,,Adam,,,,OOM (did not fit)\n"
      "c,BERT-Large,A100-80GB,8,,BF16,PyTorch,DDP,128,500,,,Adam,,,,OOM\n");
  const TrainingValidation validation = validate_training(given, [](const Experiment& experiment) {
    Report report = step_of(1.0);
    report.memory.activations = static_cast<double>(experiment.jobs.front().micro_batch);
    report.memory.capacity = 600;
    return report;
  });
  const OomSummary oom = validation.out_of_memory();
  CHECK(oom.stated == 2);
  CHECK(oom.foreseen == 1);
  CHECK(oom.ran == 1);
  CHECK(oom.allowed == 1);
  CHECK(validation.rows[1].reason == "ran out of memory: no step time");
  CHECK_THAT(training_text(validation), Contains("out of memory foreseen in 1 of 2 rows"));
}

TEST_CASE("rows that are one experiment run once, on any number of threads") {
  std::string rows;
  for (int i = 0; i < 12; ++i)
    rows += fmt::format("r{},BERT-Large,A100-80GB,8,,BF16,PyTorch,DDP,128,{},,,Adam,{},,,note {}\n", i,
                        8 * (i % 3 + 1), i + 1, i);
  const auto given = tables(rows);
  std::atomic<int> runs{0};
  for (const unsigned threads : {1u, 3u}) {
    runs = 0;
    std::size_t last = 0;
    const TrainingValidation validation = validate_training(
        given,
        [&](const Experiment& experiment) {
          ++runs;
          return closed_form(experiment);
        },
        [&](std::size_t done, std::size_t) { last = done; }, {.ids = {}, .threads = threads});
    CHECK(runs == 3);
    CHECK(last == 12);
    for (std::size_t i = 0; i < 12; ++i)
      CHECK(validation.rows[i].predicted_s == validation.rows[i % 3].predicted_s);
  }
}

TEST_CASE("rows are chosen by their ids") {
  const auto given = tables(
      "abc-1,BERT-Large,A100-80GB,8,,BF16,PyTorch,DDP,128,8,64,,Adam,1,,,\n"
      "abd-2,BERT-Large,A100-80GB,8,,BF16,PyTorch,DDP,128,8,64,,Adam,1,,,\n");
  const TrainingValidation one = validate_training(given, closed_form, {}, {.ids = {"bd-"}});
  REQUIRE(one.rows.size() == 1);
  CHECK(one.rows[0].id == "abd-2");
  CHECK(validate_training(given, closed_form).rows.size() == 2);
}

TEST_CASE("a source left out is predicted by the level the others ask for") {
  // Two sources whose rows take twice and four times as long as predicted, kernels being all of it.
  std::vector<CsvTable> given;
  for (const auto& [name, seconds] : {std::pair{"two.csv", 2.0}, {"four.csv", 4.0}})
    given.push_back(CsvTable::parse(
        columns + fmt::format("a,BERT-Large,A100-80GB,8,,BF16,PyTorch,DDP,128,8,64,,Adam,{},,,\n",
                              seconds),
        name));
  TrainingValidation validation =
      validate_training(given, [](const Experiment&) { return step_of(1.0); });
  leave_one_source_out(validation);
  CHECK(validation.rows[0].left_out_s == Approx(4));  // the other's level
  CHECK(validation.rows[1].left_out_s == Approx(2));
  REQUIRE(validation.levels.size() == 2);
  CHECK(validation.levels[0].gpu == "a100-sxm");
  CHECK(validation.levels[0].sources == 1);
  // A source alone keeps the built-in level.
  given.pop_back();
  validation = validate_training(given, [](const Experiment&) { return step_of(1.0); });
  leave_one_source_out(validation);
  CHECK(validation.rows[0].left_out_s == Approx(1));
  CHECK(validation.levels[0].sources == 0);
}
