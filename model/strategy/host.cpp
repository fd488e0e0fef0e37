#include "model/strategy/host.h"

namespace dsim {

// Launch costs. Eager PyTorch spends 5-25 us of host time per operation (Python, binding, autograd,
// dispatcher, cudaLaunchKernel; jiahuanglin.xyz, lesson 18): the middle of that range on a log
// scale is 11 us. Backward runs from C++ without Python: about half. Step times bracket this: a
// transformer layer in eager Megatron-DeepSpeed on A100 hosts (vTrain's runs) costs the host .95 ms
// forward and 1.2 ms backward, in a 2024 container .35 and .5 ms at most. With the 36 and 48
// launches that an eager BERT layer has, that is 26 and 25 us then, 10 and 10 us now. Sigma reaches
// to the A100 era.
HostConstants built_in_host_constants() {
  constexpr std::string_view eager =
      "eager PyTorch, one process a GPU; no CUDA graphs, no torch.compile";
  HostConstants host;
  host.forward_launch = {
      11e-6, 0.5, Level::assumed,
      "5-25 us per eager operation (jiahuanglin.xyz lesson 18), middle of the range", eager};
  host.backward_launch = {6e-6, 0.5, Level::assumed,
                          "half of forward: autograd runs from C++ (jiahuanglin.xyz lesson 18)",
                          eager};
  host.optimizer_launch = {20e-6, 0.5, Level::assumed,
                           "multi-tensor launch: builds and passes a table of up to 110 tensors "
                           "(pytorch aten/src/ATen/native/cuda/MultiTensorApply.cuh)",
                           "fused or foreach optimizers"};
  host.launch_latency = {3e-6, 0.4, Level::assumed,
                         "cudaLaunchKernel to start on an idle stream, common figure", ""};
  host.gradient_hook = {
      5e-6, 0.5, Level::assumed,
      "Reducer::autograd_hook per parameter (pytorch reducer.cpp), order of magnitude",
      "DDP, NCCL"};
  host.bucket_copy = {7.5e-6, 0.4, Level::assumed,
                      "5-10 us: one at::mul_out or copy_ from C++ (pytorch reducer.cpp)", "DDP"};
  host.collective_enqueue = {
      35e-6, 0.5, Level::assumed,
      "20-50 us: one c10d call with ncclAllReduce (pytorch ProcessGroupNCCL)", "eager mode"};
  // 0.8 ms a micro-batch and stage, both passes, on hosts whose launches cost 26 us (vTrain's
  // Megatron-DeepSpeed runs on A100): in proportion to 11 us.
  host.micro_batch = {0.17e-3, 0.5, Level::fitted,
                      "VIA-Research/vTrain measured runs, h = 1024: cost a micro-batch that no layer "
                      "explains",
                      "Megatron, DeepSpeed; scales with the host's launch time"};
  host.step_fixed = {1e-3, 1.0, Level::assumed,
                     "Python loop, zero_grad, scheduler, loss read-back; no public figure for it",
                     "plain training loop without logging or checkpoints"};
  host.graph_launch = {7.5e-6, 0.3, Level::published,
                       "5-10 us a replay, whatever it holds; 2.5 us less a kernel than a direct "
                       "launch (dogacel.github.io, B200)",
                       "CUDA graphs: kernels inside cost no host time"};
  return host;
}

void HostConstants::visit(const ConstantVisitor& visitor) {
  visitor("forward_launch", forward_launch);
  visitor("backward_launch", backward_launch);
  visitor("optimizer_launch", optimizer_launch);
  visitor("launch_latency", launch_latency);
  visitor("gradient_hook", gradient_hook);
  visitor("bucket_copy", bucket_copy);
  visitor("collective_enqueue", collective_enqueue);
  visitor("micro_batch", micro_batch);
  visitor("step_fixed", step_fixed);
  visitor("graph_launch", graph_launch);
}

}  // namespace dsim
