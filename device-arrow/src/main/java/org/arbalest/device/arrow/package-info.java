// SPDX-License-Identifier: Apache-2.0
/**
 * Conversions between Arrow Java's vectors, roots and readers and device arrays, by the addresses of their buffers:
 * without a copy, without JNI, and without {@code arrow-c-data}. The application adds Arrow Java itself; versions 18.3
 * and 19 are tested.
 *
 * <p>For the conversion to arrays, {@link org.arbalest.device.arrow.ArrowVectors#toDeviceArray} walks ({@code
 * VectorLender}) a root by the plan of its schema ({@code RootPlan}, of {@code VectorPlan}s). It retains the buffers
 * ({@code VectorLoan}) until the last reference to the array is closed. For the conversion to vectors, {@code
 * VectorLoader} wraps the array's buffers for an allocator. Each buffer has a reference ({@code ArrayLoan}) to one
 * handle, which is closed with the last of them.
 */
@NullMarked
package org.arbalest.device.arrow;

import org.jspecify.annotations.NullMarked;
