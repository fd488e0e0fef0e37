#include "model/simulate/report_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "model/simulate/report_campaign.h"
#include "model/simulate/text_layout.h"
#include "sim/base/quantity.h"

namespace dsim {
namespace {

constexpr std::size_t width = 80;
constexpr std::size_t most_lines = 30;
constexpr std::size_t label_width = 19;
constexpr std::size_t bar_columns = 24;  // of the whole step

using Lines = std::vector<std::string>;

void append(Lines& lines, const Lines& more) {
  lines.insert(lines.end(), more.begin(), more.end());
}

std::string label(std::string_view text) { return pad_right(std::string(text), label_width); }

/// "-2.6 %" with a minus sign that is as wide as the plus.
std::string change_text(double fraction) {
  return fmt::format("{}{:.1f} %", fraction < 0 ? "−" : "+", std::abs(fraction) * 100);
}

std::string share_text(double fraction) { return fmt::format("{:.1f} %", fraction * 100); }

/// Descriptions and formulas say "64 x DGX H100"; on paper that is a multiplication sign.
std::string with_times_signs(std::string text) {
  const auto digit = [&](std::size_t at) {
    return at < text.size() && text[at] >= '0' && text[at] <= '9';
  };
  for (std::size_t at = text.find(" x "); at != std::string::npos; at = text.find(" x ", at + 1))
    if ((at > 0 && digit(at - 1)) || digit(at + 3)) text.replace(at, 3, " × ");
  return text;
}

std::string plural(std::int64_t count, std::string_view noun, std::string_view ending = "s") {
  return fmt::format("{} {}{}", format_count(static_cast<double>(count)), noun,
                     count == 1 ? "" : ending);
}

/// "171.0 … 208.3 ms", or with both units where they differ.
std::string interval_text(double low, double high) {
  std::string first = format_time(low);
  const std::string last = format_time(high);
  const std::size_t unit = first.rfind(' '), other = last.rfind(' ');
  if (unit != std::string::npos && other != std::string::npos &&
      first.substr(unit) == last.substr(other))
    first.resize(unit);
  return first + " … " + last;
}

Lines heading(const Report& report) {
  std::vector<std::string> what{report.model_title,
                                format_si(static_cast<double>(report.parameters)) + " parameters"};
  if (report.sequence > 0) what.push_back(fmt::format("sequence {}", report.sequence));
  what.push_back(report.precision);
  if (!report.optimizer.empty()) what.push_back(report.optimizer);
  what.push_back(fmt::format("micro-batch {}", report.micro_batch));
  if (report.accumulate > 1) what.push_back(fmt::format("accumulate {}", report.accumulate));
  const std::int64_t batch = report.global_batch();
  if (batch != report.micro_batch)
    what.push_back("global batch " + format_count(static_cast<double>(batch)));
  what.push_back(report.framework);
  Lines lines = wrap_items("", what, " · ", width);

  std::vector<std::string> where{
      fmt::format("{}: {}", plural(report.gpus, "GPU"), with_times_signs(report.topology))};
  if (!report.fidelity.empty() && report.fidelity != "fluid")
    where.push_back("fidelity " + report.fidelity);
  if (report.rank_classes > 1) where.push_back(plural(report.rank_classes, "rank class", "es"));
  append(lines, wrap_items("", where, " · ", width));
  return lines;
}

Lines answer(const Report& report, bool colour) {
  Lines lines;
  std::string step =
      label("Step time") + inked(format_time(report.step_time_s), Ink::strong, colour);
  if (report.step_time_high_s > report.step_time_low_s)
    step += "    90 % interval " + interval_text(report.step_time_low_s, report.step_time_high_s);
  lines.push_back(step);

  std::string throughput =
      label("Throughput") +
      inked(format_count(report.throughput) + " " + report.sample_unit + "/s", Ink::strong, colour);
  if (report.tokens_per_s > 0) throughput += "    " + format_si(report.tokens_per_s) + " tokens/s";
  lines.push_back(throughput);
  std::string mfu = format_percent(report.mfu);
  if (!report.mfu_formula.empty()) mfu += " = " + with_times_signs(report.mfu_formula);
  append(lines, wrap_text(label("MFU"), mfu, width));

  if (report.gpus > 1) {
    std::vector<std::string> scaling;
    if (report.scaling_efficiency)
      scaling.push_back(fmt::format("{} of {} × one GPU",
                                    format_percent(*report.scaling_efficiency), report.gpus));
    else if (!report.scaling_efficiency_reason.empty())
      scaling.push_back("not against one GPU: " + report.scaling_efficiency_reason);
    if (report.scaling_efficiency_node && report.nodes > 1)
      scaling.push_back(fmt::format("{} of {} × one node",
                                    format_percent(*report.scaling_efficiency_node), report.nodes));
    if (!scaling.empty()) append(lines, wrap_items(label("Scaling"), scaling, "    ", width));
  }
  return lines;
}

struct Part {
  std::string_view name;
  double seconds;
  Ink ink;
};

Lines where_the_time_goes(const Report& report, bool colour) {
  const StepParts& p = report.parts;
  const std::array<Part, 8> parts{{{"forward", p.forward_s, Ink::compute},
                                   {"backward", p.backward_s, Ink::compute},
                                   {"exposed comm", p.exposed_communication_s, Ink::communication},
                                   {"optimizer", p.optimizer_s, Ink::optimizer},
                                   {"bubble", p.bubble_s, Ink::bubble},
                                   {"launch", p.launch_s, Ink::idle},
                                   {"input", p.input_s, Ink::data},
                                   {"wait", p.wait_s, Ink::idle}}};
  const double total = p.sum();
  const auto share = [&](double seconds) { return total > 0 ? seconds / total : 0; };
  std::size_t widest = 0;
  for (const Part& part : parts)
    widest = std::max(widest, display_width(bar(share(part.seconds), bar_columns)));

  Lines lines{"Where the time goes"};
  for (const Part& part : parts) {
    const bool communication = part.ink == Ink::communication && report.communication_s > 0;
    if (share(part.seconds) < 0.0005 && !communication) continue;  // would print as 0.0 %
    std::string line =
        "  " + pad_right(std::string(part.name), 13) + pad_left(format_time(part.seconds), 10) +
        "  " + pad_right(inked(bar(share(part.seconds), bar_columns), part.ink, colour), widest) +
        pad_left(share_text(share(part.seconds)), 8);
    if (communication) {
      const double hidden = std::clamp(1 - part.seconds / report.communication_s, 0.0, 1.0);
      const std::string percent = fmt::format("{:.0f} %", std::floor(hidden * 100));
      const std::string whole =
          fmt::format("  ({} of {} hidden)", percent, format_time(report.communication_s));
      line += display_width(line) + display_width(whole) <= width
                  ? whole
                  : fmt::format("  ({} hidden)", percent);
    }
    lines.push_back(line);
  }
  return lines;
}

Lines memory(const Report& report) {
  const MemoryFootprint& m = report.memory;
  return wrap_text(label("Memory"),
                   fmt::format("{} of {} per GPU: {}", format_binary_bytes(m.total()),
                               format_binary_bytes(m.capacity), m.fits() ? "fits" : "does not fit"),
                   width);
}

/// What the memory holds, in one or two lines.
Lines memory_parts(const Report& report) {
  const MemoryFootprint& m = report.memory;
  std::vector<std::string> parts;
  const auto part = [&](std::string_view name, double bytes) {
    if (bytes >= 0.005 * m.total() && bytes > 0)
      parts.push_back(fmt::format("{} {}", name, format_binary_bytes(bytes)));
  };
  part("parameters", m.parameters);
  part("gradients", m.gradients);
  part("optimizer", m.optimizer);
  part("activations", m.activations);
  part("buckets", m.buckets);
  part("other", m.workspace + m.context);
  return parts.empty() ? Lines{} : wrap_items(label(""), parts, " · ", width);
}

Lines would_help(const Report& report) {
  std::vector<const Elasticity*> changes;
  for (const Elasticity& elasticity : report.elasticities)
    if (!elasticity.is_constant) changes.push_back(&elasticity);
  if (changes.empty()) return {};
  std::stable_sort(changes.begin(), changes.end(), [](const Elasticity* a, const Elasticity* b) {
    return a->relative < b->relative;
  });
  std::vector<std::string> items;
  std::vector<std::string_view> knobs;  // each is named once, at its best
  for (const Elasticity* change : changes) {
    if (change->relative > -0.001 || items.size() == 4) break;
    if (std::find(knobs.begin(), knobs.end(), change->name) != knobs.end()) continue;
    knobs.push_back(change->name);
    items.push_back(change->change + "  " + change_text(change->relative));
  }
  if (items.empty()) items.push_back("nothing that was tried (each under 0.1 %)");
  return wrap_items(label("Would help"), items, "  ·  ", width);
}

Lines rests_on(const Report& report) {
  std::array<int, 4> counts{};
  std::vector<std::string> assumed;
  for (const InputUse& input : report.inputs) {
    ++counts[static_cast<std::size_t>(input.constant.level)];
    if (input.constant.level == Level::assumed) assumed.push_back(input.name);
  }
  std::string text = fmt::format("measured {} · fitted {} · published {} · assumed {}", counts[0],
                                 counts[1], counts[2], counts[3]);
  std::string names;
  for (std::size_t i = 0; i < assumed.size(); ++i) {
    const std::string longer = names + (i > 0 ? ", " : "") + assumed[i];
    const std::string_view rest = i + 1 < assumed.size() ? ", …" : "";
    if (label_width + display_width(text) + display_width(longer) + rest.size() + 3 > width) {
      if (!names.empty()) names += ", …";
      break;
    }
    names = longer;
  }
  if (!names.empty()) text += " (" + names + ")";
  return {label("Rests on") + text};
}

Lines explanation(const Report& report, bool with_memory_parts) {
  Lines lines;
  if (!report.buckets.empty() && report.gpus > 1) {
    std::string text =
        fmt::format("{} in {}", format_bytes(report.gradient_bytes),
                    plural(static_cast<std::int64_t>(report.buckets.size()), "bucket"));
    if (!report.collective.empty()) text += ", all-reduced by " + report.collective;
    append(lines, wrap_text(label("Gradients"), text, width));
  }
  std::string bottleneck = report.bottleneck_sentence;
  if (bottleneck.empty() && !report.bottleneck.resource.empty())
    bottleneck = fmt::format("{}, {} busy", report.bottleneck.resource,
                             format_percent(report.bottleneck.load));
  if (!bottleneck.empty()) append(lines, wrap_text(label("Bottleneck"), bottleneck, width));
  append(lines, memory(report));
  if (with_memory_parts) append(lines, memory_parts(report));
  append(lines, would_help(report));
  append(lines, rests_on(report));
  return lines;
}

/// Takes out blank lines, the last ones first, until no more than `most` lines are left.
void squeeze(Lines& lines, std::size_t most) {
  for (std::size_t i = lines.size(); i-- > 0 && lines.size() > most;)
    if (lines[i].empty()) lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(i));
}

/// As many warnings as there is room for above the last line; how many there are left.
void append_notes(Lines& lines, const Report& report) {
  const std::size_t count = report.warnings.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::string head = label(i == 0 ? "Note" : "");
    const Lines note = wrap_text(head, report.warnings[i], width);
    const std::size_t below = i + 1 < count ? 2 : 1;  // the count of the others, "See more"
    if (lines.size() + note.size() + below <= most_lines) {
      append(lines, note);
      continue;
    }
    if (lines.size() + 2 <= most_lines)
      lines.push_back(head +
                      fmt::format("{}{} in --json", count - i, i > 0 ? " more" : " warnings"));
    return;
  }
}

}  // namespace

std::string report_text(const Report& report, const TextStyle& style) {
  const bool colour = style.colour;
  Lines lines;
  if (!report.memory.fits()) {
    const double excess = report.memory.total() - report.memory.capacity;
    const std::string first = fmt::format(
        "Does not fit: {} of {} per GPU, {} too much.", format_binary_bytes(report.memory.total()),
        format_binary_bytes(report.memory.capacity), format_binary_bytes(excess));
    lines.push_back(inked(first, Ink::fault, colour));
    if (!report.memory_advice.empty()) append(lines, wrap_text("", report.memory_advice, width));
    lines.push_back("");
  }
  append(lines, heading(report));
  lines.push_back("");
  append(lines, answer(report, colour));
  lines.push_back("");
  append(lines, where_the_time_goes(report, colour));
  lines.push_back("");
  const std::size_t notes = report.warnings.empty() ? 0 : 2;
  const Lines whole = explanation(report, true);
  const bool room = lines.size() + whole.size() + notes + 2 <= most_lines;
  append(lines, room || !report.memory.fits() ? whole : explanation(report, false));
  squeeze(lines, most_lines - 1 - (report.warnings.empty() ? 0 : 1));
  append_notes(lines, report);
  if (report.campaign) {
    std::string_view first = "The run";
    for (const std::string& line : campaign_lines(*report.campaign)) {
      append(lines, wrap_text(label(first), line, width));
      first = "";
    }
  }
  if (lines.size() + 2 <= most_lines) lines.push_back("");
  lines.push_back(label("See more") + "--trace step.json (ui.perfetto.dev) · dsim scale · --json");

  std::string text;
  for (std::string& line : lines) {
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string report_line(const Report& report) {
  return fmt::format("{}  {} {}/s  MFU {}{}\n", format_time(report.step_time_s),
                     format_count(report.throughput), report.sample_unit,
                     format_percent(report.mfu),
                     report.memory.fits() ? "" : "  does not fit into memory");
}

}  // namespace dsim
