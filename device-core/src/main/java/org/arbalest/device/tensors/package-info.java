// SPDX-License-Identifier: Apache-2.0
/**
 * Exports of arrays as DLPack tensors, and imports of such tensors as arrays.
 *
 * <p>{@link org.arbalest.device.tensors.DLPack} exports an array as a tensor for NumPy, PyTorch, JAX or CuPy, and
 * imports their tensors, without a copy. A tensor has one type, one shape and no nulls, so only some arrays can be
 * tensors. An exported tensor keeps the array's memory until the consumer calls its deleter, on any thread. An imported
 * tensor is deleted when the last array that uses it is closed, and also if the import fails.
 *
 * <pre>{@code
 * try (DeviceArray prices = batch.retainChild(batch.schema().indexOf("price"))) {
 *   MemorySegment tensor = DLPack.VERSIONED.exportTensor(prices);
 *   callNumPy(tensor); // NumPy owns it from here on
 * }
 *
 * try (DeviceArray scores = DLPack.VERSIONED.importTensor(tensorOfTorch, stream)) {
 *   System.out.println(scores.field().type() + ", " + scores.length() + " rows");
 * }
 * }</pre>
 */
@NullMarked
package org.arbalest.device.tensors;

import org.jspecify.annotations.NullMarked;
