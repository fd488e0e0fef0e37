#pragma once
#include <string>
#include <vector>

#include "model/simulate/campaign.h"
#include "sim/base/json_writer.h"

namespace dsim {

/// The campaign in sentences, a line each; what was not asked for is left out.
std::vector<std::string> campaign_lines(const CampaignReport& report);

/// Writes the members of the object "campaign".
void write_campaign(JsonWriter& json, const CampaignReport& report);

}  // namespace dsim
