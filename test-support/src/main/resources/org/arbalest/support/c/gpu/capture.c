// SPDX-License-Identifier: Apache-2.0
/*
 * While a thread captures a graph in global mode, every other thread "is prohibited from potentially unsafe API calls",
 * unless its own mode is thread-local or relaxed (cuda.h, cuThreadExchangeStreamCaptureMode). Such a call returns 900,
 * and more: "any associated capture graphs are invalidated" (CUDA programming guide, Prohibited and Unhandled
 * Operations). So the capturing thread fails as well, without its own fault. PyTorch met this when its watchdog queried
 * events by cudaEventQuery (pytorch/pytorch, pull requests 104487, 104555, 148594). HIP behaves in the same way
 * (CHECK_STREAM_CAPTURE_SUPPORTED in hip_internal.hpp; hipEventQuery since ROCm 7.0, according to "HIP API 7.0
 * changes"; ROCm/hip issue 3876).
 *
 * HIP 7.0 to 7.2 also reject hipEventQuery and hipEventSynchronize on relaxed threads (rocm-systems, pull requests 2177
 * and 3176). In any mode, both reject an event "that was last recorded inside a capture sequence".
 */
#include "capture.h"

enum { NOBODY, GLOBAL, DEAF }; /* DEAF: every query of an event is rejected */

#define MODES 3 /* global, the default; thread-local; relaxed */

static int capturing;
static int deaf_code = GPU_CAPTURE_UNSUPPORTED;
static int exchangeable = 1;
static int64_t refused;
static __thread int mode;

int capture_check(const char* name, enum capture_call call) {
  if (capturing == NOBODY || call == CAPTURE_SAFE) return GPU_OK;
  gpu_lock();
  int is_deaf = capturing == DEAF && call == CAPTURE_ASKS;
  int forbidden = is_deaf || mode == 0;
  if (forbidden) refused++;
  if (forbidden && !is_deaf && exchangeable) gpu_violation("%s invalidated the capture of another thread", name);
  gpu_unlock();
  return is_deaf ? deaf_code : forbidden ? GPU_CAPTURE_UNSUPPORTED : GPU_OK;
}

int capture_exchange(int* its) {
  if (!exchangeable) return GPU_NOT_SUPPORTED;
  if (*its < 0 || *its >= MODES) return GPU_INVALID_VALUE;
  int before = mode;
  mode = *its;
  *its = before;
  return GPU_OK;
}

/* Another thread captures a graph in global mode (1), or none does (0). With another number a thread captures, and each
   query of an event, or wait for one, returns that code, in any mode. */
DOUBLE void double_capture(int how) {
  gpu_lock();
  capturing = how == 0 ? NOBODY : how == 1 ? GLOBAL : DEAF;
  if (capturing == DEAF) deaf_code = how;
  if (capturing == NOBODY) refused = 0;
  gpu_unlock();
}

/* Sets whether the driver has a function for a thread's mode; CUDA has it since 10.1. Without it no thread can avoid
   invalidating captures. */
DOUBLE void double_capture_modes(int has) { exchangeable = has; }

/* The calling thread's mode. */
DOUBLE int double_capture_mode(void) { return mode; }

/* Returns the number of rejected calls since the capture began. */
DOUBLE int64_t double_capture_refused(void) { return refused; }
