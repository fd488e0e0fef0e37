#include <fmt/format.h>

#include <iterator>

#include "calibrate/validate/compute/compute_report.h"
#include "calibrate/validate/training_report.h"

namespace dsim {

std::string compute_csv(const ComputeValidation& validation) {
  std::string text =
      "table,line,gpu,dtype,m,n,k,batch,flops,status,reason,predicted_us,measured_us,error\n";
  const std::back_insert_iterator<std::string> out(text);
  const auto microseconds = [](double seconds) {
    return seconds > 0 ? fmt::format("{:.6g}", seconds * 1e6) : std::string();
  };
  for (const ComparedGemm& row : validation.rows)
    fmt::format_to(out, "{},{},{},{},{},{},{},{},{:.6g},{},{},{},{},{}\n", csv_field(row.table),
                   row.line, csv_field(row.gpu), csv_field(row.dtype), row.m, row.n, row.k,
                   row.batch, row.flops, name_of(row.status), csv_field(row.reason),
                   microseconds(row.predicted_s), microseconds(row.measured_s),
                   row.compared() ? fmt::format("{:.5f}", row.error()) : "");
  return text;
}

}  // namespace dsim
