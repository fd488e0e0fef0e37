#include "calibrate/measure/json_lines.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

namespace dsim {
namespace {

/// An object with its "kind" first.
class Line {
 public:
  explicit Line(const char* kind) {
    writer_.StartObject();
    add("kind", std::string(kind));
  }
  void add(const char* key, const std::string& value) {
    writer_.Key(key);
    writer_.String(value.c_str());
  }
  void add(const char* key, bool value) {
    writer_.Key(key);
    writer_.Bool(value);
  }
  void add(const char* key, int value) {
    writer_.Key(key);
    writer_.Int(value);
  }
  void add(const char* key, std::int64_t value) {
    writer_.Key(key);
    writer_.Int64(value);
  }
  void add(const char* key, double value) {
    writer_.Key(key);
    writer_.Double(value);
  }
  std::string text() {
    writer_.EndObject();
    return buffer_.GetString();
  }

 private:
  rapidjson::StringBuffer buffer_;
  rapidjson::Writer<rapidjson::StringBuffer> writer_{buffer_};
};

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

std::string json_line(const CudaVersions& versions) {
  Line line("cuda");
  line.add("driver_version", version_text(versions.driver));
  line.add("runtime_version", version_text(versions.runtime));
  return line.text();
}

std::string json_line(const DeviceFacts& facts) {
  Line line("gpu");
  line.add("index", facts.index);
  line.add("name", facts.name);
  line.add("pci_address", facts.pci_address);
  line.add("compute_capability",
           std::to_string(facts.compute_major) + "." + std::to_string(facts.compute_minor));
  line.add("sms", facts.sms);
  line.add("sm_clock_hz", facts.sm_clock_hz);
  line.add("memory_clock_hz", facts.memory_clock_hz);
  line.add("memory_bytes", facts.memory_bytes);
  line.add("memory_bus_bits", facts.memory_bus_bits);
  line.add("l2_bytes", facts.l2_bytes);
  line.add("shared_memory_per_sm_bytes", facts.shared_memory_per_sm_bytes);
  line.add("copy_engines", facts.copy_engines);
  line.add("ecc", facts.ecc);
  line.add("gpudirect_rdma", facts.gpudirect_rdma);
  return line.text();
}

std::string json_line(const PeerFacts& facts) {
  Line line("peer");
  line.add("from", facts.from);
  line.add("to", facts.to);
  line.add("access", facts.access);
  line.add("native_atomics", facts.native_atomics);
  line.add("performance_rank", facts.performance_rank);
  return line.text();
}

}  // namespace dsim
