#include <cuda_runtime_api.h>

#include <array>

#include "calibrate/measure/device_facts.h"

namespace dsim {
namespace {

void check(cudaError_t code, const char* call) {
  if (code == cudaSuccess) return;
  throw CudaError(call, code, cudaGetErrorName(code), cudaGetErrorString(code));
}
#define DSIM_CUDA_CHECK(call) check(call, #call)

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  DSIM_CUDA_CHECK(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

int peer_attribute(cudaDeviceP2PAttr which, int from, int to) {
  int value = 0;
  DSIM_CUDA_CHECK(cudaDeviceGetP2PAttribute(&value, which, from, to));
  return value;
}

DeviceFacts facts_of(int device) {
  cudaDeviceProp properties{};
  DSIM_CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
  std::array<char, 32> address{};
  DSIM_CUDA_CHECK(cudaDeviceGetPCIBusId(address.data(), static_cast<int>(address.size()), device));

  DeviceFacts facts;
  facts.index = device;
  facts.name = properties.name;
  facts.pci_address = address.data();
  facts.compute_major = properties.major;
  facts.compute_minor = properties.minor;
  facts.sms = properties.multiProcessorCount;
  // The clocks left cudaDeviceProp with CUDA 13; the attributes (in kHz) stayed.
  facts.sm_clock_hz = 1e3 * attribute(cudaDevAttrClockRate, device);
  facts.memory_clock_hz = 1e3 * attribute(cudaDevAttrMemoryClockRate, device);
  facts.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  facts.l2_bytes = properties.l2CacheSize;
  facts.shared_memory_per_sm_bytes =
      static_cast<std::int64_t>(properties.sharedMemPerMultiprocessor);
  facts.memory_bus_bits = properties.memoryBusWidth;
  facts.copy_engines = properties.asyncEngineCount;
  facts.ecc = properties.ECCEnabled != 0;
  facts.gpudirect_rdma = attribute(cudaDevAttrGPUDirectRDMASupported, device) != 0;
  return facts;
}

}  // namespace

CudaError::CudaError(const char* call, int code, const char* name, const char* meaning)
    : std::runtime_error(std::string(call) + ": " + name + " (" + meaning + ")"),
      no_device_(code == cudaErrorNoDevice || code == cudaErrorInsufficientDriver ||
                 code == cudaErrorStubLibrary || code == cudaErrorSystemDriverMismatch) {}

std::vector<DeviceFacts> read_device_facts() {
  int count = 0;
  DSIM_CUDA_CHECK(cudaGetDeviceCount(&count));
  std::vector<DeviceFacts> facts;
  for (int device = 0; device < count; ++device) facts.push_back(facts_of(device));
  return facts;
}

std::vector<PeerFacts> read_peer_facts(int devices) {
  std::vector<PeerFacts> facts;
  for (int from = 0; from < devices; ++from)
    for (int to = 0; to < devices; ++to) {
      if (from == to) continue;
      PeerFacts peer;
      peer.from = from;
      peer.to = to;
      peer.access = peer_attribute(cudaDevP2PAttrAccessSupported, from, to) != 0;
      peer.native_atomics = peer_attribute(cudaDevP2PAttrNativeAtomicSupported, from, to) != 0;
      peer.performance_rank = peer_attribute(cudaDevP2PAttrPerformanceRank, from, to);
      facts.push_back(peer);
    }
  return facts;
}

CudaVersions read_cuda_versions() {
  CudaVersions versions;
  DSIM_CUDA_CHECK(cudaDriverGetVersion(&versions.driver));
  DSIM_CUDA_CHECK(cudaRuntimeGetVersion(&versions.runtime));
  return versions;
}

}  // namespace dsim
