#include <fmt/format.h>

#include <iterator>

#include "calibrate/validate/collective/collectives_report.h"
#include "calibrate/validate/training_report.h"
#include "model/collective/algorithm.h"

namespace dsim {

std::string collectives_csv(const CollectiveValidation& validation) {
  std::string text =
      "table,line,source,machine,gpu,nodes,ranks,network,collective,dtype,healthy,size_bytes,"
      "algorithm,protocol,channels,status,reason,predicted_us,measured_us,error,left_out_us,"
      "assumptions\n";
  const std::back_insert_iterator<std::string> out(text);
  const auto microseconds = [](double value) {
    return value > 0 ? fmt::format("{:.6g}", value * 1e6) : std::string();
  };
  for (const MeasuredRun& run : validation.runs) {
    const StatedRun& stated = run.plan.series->stated;
    std::string assumptions;
    for (const std::string& part : run.plan.assumptions)
      assumptions += (assumptions.empty() ? "" : "; ") + part;
    for (const ComparedPoint& point : run.points)
      fmt::format_to(out, "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                     csv_field(run.plan.series->name), point.line, csv_field(stated.source),
                     csv_field(run.plan.machine), csv_field(stated.gpu), stated.nodes,
                     run.plan.ranks, run.plan.network, csv_field(stated.collective),
                     csv_field(stated.dtype), name_of(run.health), point.bytes, point.algorithm,
                     point.protocol, point.channels, name_of(point.status), csv_field(point.reason),
                     microseconds(point.predicted_s), microseconds(point.measured_s),
                     point.ratio() > 0 ? fmt::format("{:.5f}", point.ratio() - 1) : "",
                     microseconds(point.left_out_s), csv_field(assumptions));
  }
  return text;
}

}  // namespace dsim
