// How a job is cut over its ranks: degrees, order, pipeline schedule, Megatron's overlaps.
#include "model/simulate/settings_rows.h"

namespace dsim {
namespace {

using namespace setting_values;
using Draft = ExperimentDraft;
using Text = std::string_view;

constexpr std::array reduce_types{std::pair<std::string_view, Precision>{"fp32", Precision::fp32},
                                  std::pair<std::string_view, Precision>{"bf16", Precision::bf16},
                                  std::pair<std::string_view, Precision>{"fp16", Precision::fp16}};
constexpr std::array exchanges{
    std::pair<std::string_view, ContextExchange>{"ring", ContextExchange::ring},
    std::pair<std::string_view, ContextExchange>{"gather", ContextExchange::gather},
    std::pair<std::string_view, ContextExchange>{"all_to_all", ContextExchange::all_to_all}};

const std::array rows{
    Setting{"tp", "Parallel", "N", "tensor-parallel ranks; default 1", false,
            [](Draft& d, Text t) { training(d).parallel.tensor = degree("--tp", t); }},
    Setting{"sp", "Parallel", "", "sequence parallel beside tensor parallel (Korthikanti et al.)",
            false, [](Draft& d, Text) { training(d).parallel.sequence = true; }},
    Setting{"pp", "Parallel", "N", "pipeline stages; default 1", false,
            [](Draft& d, Text t) { training(d).parallel.pipeline = degree("--pp", t); }},
    Setting{"vpp", "Parallel", "N", "model chunks a pipeline rank holds (interleaved); default 1",
            false, [](Draft& d, Text t) { training(d).parallel.chunks = degree("--vpp", t); }},
    Setting{"cp", "Parallel", "N", "context-parallel ranks; default 1", false,
            [](Draft& d, Text t) { training(d).parallel.context = degree("--cp", t); }},
    Setting{"ep", "Parallel", "N", "expert-parallel ranks, inside the others; default 1", false,
            [](Draft& d, Text t) { training(d).parallel.expert = degree("--ep", t); }},
    Setting{"etp", "Parallel", "N", "tensor-parallel ranks of an expert; default as --tp", false,
            [](Draft& d, Text t) { training(d).parallel.expert_tensor = degree("--etp", t); }},
    Setting{"dp", "Parallel", "N", "data-parallel ranks; default: what is left of the GPUs", false,
            [](Draft& d, Text t) { training(d).parallel.data = degree("--dp", t); }},
    Setting{"order", "Parallel", "TEXT",
            "order of ranks, fastest first; default tp-cp-ep-dp-pp, as Megatron", false,
            [](Draft& d, Text t) { training(d).parallel.order = t; }},
    Setting{"schedule", "Parallel", "NAME",
            "pipeline: gpipe, 1f1b (default), interleaved (default with --vpp), zb-h1, zb-v or "
            "dualpipe",
            false,
            [](Draft& d, Text t) {
              training(d).schedule = pipeline_kind_from(t);
              d.schedule_given = true;
            }},
    Setting{"context-exchange", "Parallel", "NAME",
            "keys and values of context parallelism: ring (default), gather or all_to_all", false,
            [](Draft& d, Text t) {
              training(d).context_exchange = choose("context exchange", t, exchanges);
            }},
    Setting{"tp-overlap", "Parallel", "",
            "tensor-parallel collectives pipelined with their GEMMs (userbuffers)", false,
            [](Draft& d, Text) { training(d).tensor_overlap = true; }},
    Setting{"no-async-tp", "Parallel", "",
            "backward all-reduce of tensor parallelism before the weight gradient, not beside it",
            false, [](Draft& d, Text) { training(d).async_tensor_backward = false; }},
    Setting{"fp8-dispatch", "Parallel", "", "tokens travel to their experts in fp8", false,
            [](Draft& d, Text) { training(d).fp8_dispatch = true; }},
    Setting{"distributed-optimizer", "Parallel", "",
            "Megatron: optimizer states sharded over data-parallel ranks", false,
            [](Draft& d, Text) { training(d).megatron.distributed_optimizer = true; }},
    Setting{"overlap-grad-reduce", "Parallel", "",
            "Megatron: gradient buckets reduced during the last backward", false,
            [](Draft& d, Text) { training(d).megatron.overlap_grad_reduce = true; }},
    Setting{"overlap-param-gather", "Parallel", "",
            "Megatron: parameters gathered during the next forward", false,
            [](Draft& d, Text) { training(d).megatron.overlap_param_gather = true; }},
    Setting{"grad-reduce", "Parallel", "NAME",
            "gradients on the wire of Megatron and FSDP: fp32 (default), bf16 or fp16", false,
            [](Draft& d, Text t) {
              training(d).megatron.grad_reduce = training(d).fsdp.reduce =
                  choose("gradient type", t, reduce_types);
            }},
    Setting{"clip-gradients", "Parallel", "", "gradient norm over all ranks before the update",
            false, [](Draft& d, Text) { training(d).clip_gradients = true; }},
};

}  // namespace

std::span<const Setting> parallel_settings() { return rows; }

}  // namespace dsim
