// SPDX-License-Identifier: Apache-2.0
/* A HIP from before ROCm 5. */
int hipInit(unsigned flags) { return (int)flags; }
