#pragma once
#include "model/simulate/executor.h"
#include "model/simulate/report.h"

namespace dsim {

/// Divides the step of one class: every instant of its compute stream belongs to one part. A gap
/// before a task is what the task waited for: a collective (exposed communication, or wait while
/// another rank had not arrived), the host (launch), the batch (input).
/// Waiting for another stage of a pipeline is bubble.
StepParts step_parts(const Workload& workload, const Program& program,
                     const ClassExecution& execution);

/// Time in which collectives moved data, hidden or not; of merged blocks their exposed part.
double communication_seconds(const Program& program, const ClassExecution& execution);

}  // namespace dsim
