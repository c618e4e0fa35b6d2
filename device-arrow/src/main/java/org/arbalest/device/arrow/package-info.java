// SPDX-License-Identifier: Apache-2.0
/**
 * Arrow Java's vectors, roots and readers from and to device arrays, by the addresses of their buffers: without a copy,
 * without JNI, and without {@code arrow-c-data}. Arrow Java itself is the user's to bring; 18.3 and 19 are tested.
 *
 * <p>Outward, {@link org.arbalest.device.arrow.ArrowVectors#toDeviceArray} walks ({@code VectorLender}) a root by what
 * is known of its schema ({@code RootPlan}, of {@code VectorPlan}s) and retains its buffers ({@code VectorLoan}) until
 * the last holder of the array has left. Inward, {@code VectorLoader} wraps the array's buffers for an allocator, each
 * with a holder ({@code ArrayLoan}) of one handle, which is closed with the last of them.
 */
@NullMarked
package org.arbalest.device.arrow;

import org.jspecify.annotations.NullMarked;
