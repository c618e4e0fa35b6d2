// SPDX-License-Identifier: Apache-2.0
/* A driver from before CUDA 10. */
int cuInit(unsigned flags) { return (int)flags; }
