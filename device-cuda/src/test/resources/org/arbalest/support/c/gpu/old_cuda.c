// SPDX-License-Identifier: Apache-2.0
/* A driver that is older than CUDA 10. */
int cuInit(unsigned flags) { return (int)flags; }
