// SPDX-License-Identifier: Apache-2.0
// A user's library between the JVM and HIP. It takes HIP's handles and addresses unchanged, and returns HIP's codes.
// The kernel is in a module that HIP loads, so no GPU compiler is needed. With hipcc, the launch would be
// scale<<<blocks, 256, 0, stream>>>(from, to, rows).
// This file compiles without HIP's headers, on every machine. With HIP_BY_HEADERS defined, it compiles with them.
#include <cstddef>
#include <cstdint>

#ifdef HIP_BY_HEADERS
#include <hip/hip_runtime_api.h>
#else
struct ihipStream_t;
struct ihipEvent_t;
struct ihipModule_t;
struct ihipModuleSymbol_t;
typedef ihipStream_t* hipStream_t;
typedef ihipEvent_t* hipEvent_t;
typedef ihipModule_t* hipModule_t;
typedef ihipModuleSymbol_t* hipFunction_t;
typedef int hipError_t;
extern "C" {
hipError_t hipMalloc(void** address, size_t bytes);
hipError_t hipFree(void* address);
hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags);
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream);
hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags);
hipError_t hipStreamDestroy(hipStream_t stream);
hipError_t hipModuleLoadData(hipModule_t* module, const void* image);
hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t module, const char* name);
hipError_t hipModuleUnload(hipModule_t module);
hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                 hipStream_t stream, void** parameters, void** extra);
}
#endif

static int check(hipError_t code) { return static_cast<int>(code); }

extern "C" {

// Launches the kernel of an image in a stream, on the current device.
int scale_column(const char* image, hipStream_t stream, const int64_t* from, int64_t* to, int64_t rows) {
  hipModule_t module;
  hipFunction_t function;
  int code = check(hipModuleLoadData(&module, image));
  if (code != 0) return code;
  code = check(hipModuleGetFunction(&function, module, "twice"));
  void* parameters[] = {&from, &to, &rows};
  if (code == 0) code = check(hipModuleLaunchKernel(function, (rows + 255) / 256, 1, 1, 256, 1, 1, 0, stream, parameters, nullptr));
  int unloaded = check(hipModuleUnload(module));
  return code != 0 ? code : unloaded;
}

// The library's own stream, memory and event, which it passes to Arbalest.
int scale_stream(hipStream_t* stream) { return check(hipStreamCreateWithFlags(stream, 1)); }

int scale_end_stream(hipStream_t stream) { return check(hipStreamDestroy(stream)); }

int scale_memory(void** address, int64_t bytes) { return check(hipMalloc(address, bytes)); }

int scale_free(void* address) { return check(hipFree(address)); }

int scale_event(hipEvent_t* event, hipStream_t stream) {
  int code = check(hipEventCreateWithFlags(event, 3));
  return code != 0 ? code : check(hipEventRecord(*event, stream));
}
}
