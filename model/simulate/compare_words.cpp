// The difference between two ways to train, in words.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/simulate/compare.h"
#include "sim/base/quantity.h"

namespace dsim {

namespace {

/// Below this share of a step nobody calls it a difference.
constexpr double worth_mentioning = .01;

struct Piece {
  double seconds = 0;  ///< more than in the best run; negative = less
  std::string words;
};

bool is_horovod(const ComparedRun& run) { return run.report->framework.starts_with("Horovod"); }
bool is_one_process(const ComparedRun& run) {
  return run.report->framework.find("DataParallel") != std::string::npos;
}

std::string plural(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// What stands behind the exposed communication of a run.
std::string exposed_details(const ComparedRun& run, const ComparedRun& best, double exposed) {
  const CommunicationFacts &a = run.facts, &b = best.facts;
  std::vector<std::string> details;
  if (is_one_process(run)) {
    details.push_back(fmt::format(
        "GPU 0 broadcasts the parameters before every forward pass ({}) and gradients are reduced "
        "to it after the whole backward pass",
        format_time(a.broadcast_s)));
  } else if (a.collectives != b.collectives) {
    details.push_back(
        fmt::format("{} against {}", plural(a.collectives, "collective"), b.collectives));
  }
  if (a.buffers_s > b.buffers_s)
    details.push_back(fmt::format("BatchNorm's statistics come from rank 0 before forward: {}",
                                  format_time(a.buffers_s)));
  if (a.last_negotiation_s > .05 * std::abs(exposed))
    details.push_back(fmt::format("the last gradients wait {} for their cycle and its negotiation",
                                  format_time(a.last_negotiation_s)));
  if (a.fusion_copies_s > 0)
    details.push_back(fmt::format("{} of copies into and out of the fusion buffer",
                                  format_time(a.fusion_copies_s)));
  if (a.staging_s > 0)
    details.push_back(
        fmt::format("{} of copies between GPU and host memory", format_time(a.staging_s)));
  if (std::abs(a.moving_s - b.moving_s) > .1 * std::max(a.moving_s, b.moving_s))
    details.push_back(fmt::format("the collectives themselves take {} instead of {}",
                                  format_time(a.moving_s), format_time(b.moving_s)));
  std::string text;
  for (const std::string& detail : details) text += (text.empty() ? "" : "; ") + detail;
  return text.empty() ? text : " (" + text + ")";
}

std::string launch_details(const ComparedRun& run, const ComparedRun& best) {
  if (is_one_process(run))
    return fmt::format(" (one process launches for {} GPUs, its threads share the GIL)", run.gpus);
  if (is_horovod(run) && !is_horovod(best))
    return " (optimizer.step() waits for all gradients, so the host cannot run ahead)";
  return "";
}

std::string backward_details(const ComparedRun& run, const ComparedRun& best) {
  const double copies = run.facts.bucket_copies_s - best.facts.bucket_copies_s;
  if (copies > 0)
    return fmt::format(" ({} of it copies into and out of buckets)", format_time(copies));
  if (run.facts.casts_s > best.facts.casts_s)
    return fmt::format(" ({} of casts)", format_time(run.facts.casts_s));
  if (run.facts.moving_s > best.facts.moving_s)
    return " (collectives take SMs and memory bandwidth from kernels)";
  return "";
}

}  // namespace

std::string difference_in_words(const ComparedRun& run, const ComparedRun& best) {
  const Report &a = *run.report, &b = *best.report;
  // Runs of one comparison share the batch, so steps compare as throughput does.
  const double difference = a.step_time_s - b.step_time_s;
  const double share = difference / b.step_time_s;
  if (std::abs(share) < worth_mentioning)
    return fmt::format("as fast as {} within {:.0f} %", b.framework, 100 * worth_mentioning);
  const StepParts &p = a.parts, &q = b.parts;
  std::vector<Piece> pieces{
      {p.exposed_communication_s - q.exposed_communication_s,
       "exposed communication" +
           exposed_details(run, best, p.exposed_communication_s - q.exposed_communication_s)},
      {p.launch_s - q.launch_s, "waiting for the host" + launch_details(run, best)},
      {p.backward_s - q.backward_s, "backward" + backward_details(run, best)},
      {p.forward_s - q.forward_s, "forward"},
      {p.optimizer_s - q.optimizer_s, "the optimizer"},
      {p.wait_s - q.wait_s, "waiting for other ranks"},
      {p.bubble_s - q.bubble_s, "pipeline bubbles"},
      {p.input_s - q.input_s, "waiting for the batch"}};
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& x, const Piece& y) { return x.seconds > y.seconds; });
  std::string text = fmt::format("{:.1f} % slower than {}: ", 100 * share, b.framework);
  std::size_t told = 0;
  for (const Piece& piece : pieces)
    if (piece.seconds > .1 * difference)
      text += fmt::format("{}{} more {}", told++ == 0 ? "" : ", ", format_time(piece.seconds),
                          piece.words);
  for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece)
    if (piece->seconds < -.1 * difference)
      text += fmt::format("{}{} less {}", told++ == 0 ? "" : ", ", format_time(-piece->seconds),
                          piece->words.substr(0, piece->words.find(" (")));
  return text;
}

}  // namespace dsim
