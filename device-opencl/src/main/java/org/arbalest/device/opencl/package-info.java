// SPDX-License-Identifier: Apache-2.0
/**
 * OpenCL devices, by shared virtual memory (DEV-12); found by {@link java.util.ServiceLoader}.
 *
 * <p>Named as CUDA's and ROCm's packages are, where it does the same: {@code OpenClProvider}, {@code OpenClDriver};
 * {@code ClLibrary}, {@code Cl}, {@code ClErrors}; {@code SvmMemory}. The driver has a context of its own for each
 * device, and so is also what {@code Gpu} is there; events call back by themselves, which takes no {@code Waits}, but
 * {@code ClEvents} and {@code ClFailures} for PoCL; and pageable memory needs no {@code Staging}.
 */
@NullMarked
package org.arbalest.device.opencl;

import org.jspecify.annotations.NullMarked;
