#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace dsim {

/// A CUDA runtime call that failed: `what()` names the call, the error and its meaning.
class CudaError : public std::runtime_error {
 public:
  CudaError(const char* call, int code, const char* name, const char* meaning);
  /// No driver, a driver too old for the runtime, or no GPU: nothing to measure here.
  bool no_device() const { return no_device_; }

 private:
  bool no_device_ = false;
};

/// What the CUDA runtime says of one GPU. Clocks are the highest the device states, not those held
/// under load.
struct DeviceFacts {
  int index = 0;
  std::string name, pci_address;
  int compute_major = 0, compute_minor = 0;
  int sms = 0;
  double sm_clock_hz = 0, memory_clock_hz = 0;
  std::int64_t memory_bytes = 0, l2_bytes = 0, shared_memory_per_sm_bytes = 0;
  int memory_bus_bits = 0, copy_engines = 0;
  bool ecc = false, gpudirect_rdma = false;
};

/// What one GPU can do with the memory of another.
struct PeerFacts {
  int from = 0, to = 0;
  bool access = false;  ///< can map the other's memory
  /// Atomics across the link, as NVLink has them and PCIe has not.
  bool native_atomics = false;
  int performance_rank = 0;  ///< the runtime's own ranking of links, 0 is best
};

/// Facts of every visible GPU. Throws CudaError.
std::vector<DeviceFacts> read_device_facts();

/// Facts of every ordered pair of `devices` GPUs. Throws CudaError.
std::vector<PeerFacts> read_peer_facts(int devices);

/// The CUDA versions of driver and runtime, e.g. 13000 for 13.0. Throws CudaError.
struct CudaVersions {
  int driver = 0, runtime = 0;
};
CudaVersions read_cuda_versions();

}  // namespace dsim
