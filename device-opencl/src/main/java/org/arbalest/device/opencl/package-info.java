// SPDX-License-Identifier: Apache-2.0
/**
 * The OpenCL backend: devices by shared virtual memory (DEV-12). {@link java.util.ServiceLoader} finds it.
 *
 * <p>Classes that do the same as in the CUDA and ROCm packages have the same names: {@code OpenClProvider},
 * {@code OpenClDriver}; {@code ClLibrary}, {@code Cl}, {@code ClErrors}; {@code SvmMemory}. The driver has its own
 * context for each device, and therefore also has the role of {@code Gpu}.
 *
 * <p>Events call back by themselves, so no {@code Waits} are necessary; PoCL needs {@code ClEvents} and
 * {@code ClFailures}. Pageable memory needs no {@code HostStaging}.
 */
@NullMarked
package org.arbalest.device.opencl;

import org.jspecify.annotations.NullMarked;
