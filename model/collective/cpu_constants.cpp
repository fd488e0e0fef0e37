// What messages between CPUs cost Gloo and MPI.
#include "model/collective/constants_tables.h"
#include "sim/network/link_defaults.h"

namespace dsim {

CpuConstants built_in_cpu_constants(const CollectiveMachine& machine) {
  CpuConstants c;
  c.local_message = {1e-6, .5, Level::assumed, "shared memory between processes", "MPI; Gloo: TCP"};
  // eth-cscs/cscs-docs 80abed1 communication/openmpi.md: 1.8 (GPU) to 3.1 GB/s (CPU) a pair over
  // sockets; about 24 GB/s and 2 us over Slingshot.
  if (machine.network == LinkKind::tcp) {
    c.network_message = {25e-6, .4, Level::assumed, "TCP message round of 15 to 30 us",
                         "10 to 25 Gb/s Ethernet"};
    c.connection_rate = {3.1e9, .3, Level::published,
                         "eth-cscs/cscs-docs 80abed1 communication/openmpi.md", "TCP, a pair"};
  } else {
    c.network_message = {2e-6 + nic_latency(machine.network).seconds(), .4, Level::assumed,
                         "MPI over RDMA: about 2 us and the NIC", "small messages"};
    c.connection_rate = {24e9, .2, Level::published,
                         "eth-cscs/cscs-docs 80abed1 communication/openmpi.md: osu_bw",
                         "RDMA, a pair"};
  }
  c.local_rate = {8e9, .4, Level::assumed, "one copy in and one out of shared memory", ""};
  c.reduce_rate = {7e9, .4, Level::assumed, "5 to 10 GB/s a thread, float32 sums", ""};
  return c;
}

}  // namespace dsim
