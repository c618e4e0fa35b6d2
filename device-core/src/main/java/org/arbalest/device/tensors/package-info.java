// SPDX-License-Identifier: Apache-2.0
/**
 * Arrays as tensors of DLPack, and tensors as arrays.
 *
 * <p>{@link org.arbalest.device.tensors.DLPack} exports an array as a tensor that NumPy, PyTorch, JAX or CuPy take, and
 * imports theirs, without a copy. A tensor has one type, one shape and no nulls, so not every array is one. An exported
 * tensor keeps the array's memory until the consumer calls its deleter, which it may do on any thread. An imported one
 * is deleted when the last array that uses it is closed, also if the import fails.
 *
 * <pre>{@code
 * try (DeviceArray prices = batch.retainChild(batch.schema().indexOf("price"))) {
 *   MemorySegment tensor = DLPack.VERSIONED.exportTensor(prices);
 *   callNumPy(tensor); // NumPy owns it from here on
 * }
 *
 * try (DeviceArray scores = DLPack.VERSIONED.importTensor(tensorOfTorch)) {
 *   System.out.println(scores.field().type() + ", " + scores.length() + " rows");
 * }
 * }</pre>
 */
@NullMarked
package org.arbalest.device.tensors;

import org.jspecify.annotations.NullMarked;
