// SPDX-License-Identifier: Apache-2.0
/* A HIP that is older than ROCm 5. */
int hipInit(unsigned flags) { return (int)flags; }
