#pragma once
#include "model/simulate/executor.h"
#include "model/simulate/report.h"

namespace dsim {

/// Divides the step of one class: every instant of its compute stream belongs to one part. A gap
/// before a task is what the task waited for: a collective (exposed communication, or wait while
/// another rank had not arrived), the host (launch), the batch (input).
StepParts step_parts(const Program& program, const ClassExecution& execution);

/// Time the communication stream moved data, hidden or not.
double communication_seconds(const Program& program, const ClassExecution& execution);

}  // namespace dsim
