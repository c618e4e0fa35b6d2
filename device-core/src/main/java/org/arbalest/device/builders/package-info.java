// SPDX-License-Identifier: Apache-2.0
/**
 * Builders of arrays, in memory that the CPU can write.
 *
 * <p>A {@link org.arbalest.device.builders.BatchBuilder} builds a record batch, column by column. It accepts whole
 * columns as Java arrays and lists. For values that are appended one by one, it returns a
 * {@link org.arbalest.device.builders.ColumnBuilder}. One thread uses a builder, and the caller closes it.
 * {@code build} moves the memory to the batch, and the builder then accepts nothing more. If the CPU cannot write the
 * device's memory, as on a GPU, {@code build} copies the complete batch there.
 *
 * <pre>{@code
 * try (BatchBuilder batch = BatchBuilder.of(Devices.cpu(), 3)) {
 *   batch.int64("id", new long[] {1, 2, 3});
 *   batch.utf8("name", Arrays.asList("ada", null, "bob"));
 *   batch.column(Field.of("tags", DataType.list(DataType.UTF8)),
 *       Arrays.asList(List.of("new", "red"), null, List.of()));
 *   ColumnBuilder sizes = batch.column(Field.of("sizes", DataType.list(DataType.INT32))); // also, value by value
 *   sizes.items().append(7).append(8);
 *   sizes.appendList(2).appendNull().appendList(0); // a list of two items, a null, an empty list
 *   try (RecordBatch array = batch.build()) {
 *     System.out.println(array);
 *   }
 * }
 * }</pre>
 */
@NullMarked
package org.arbalest.device.builders;

import org.jspecify.annotations.NullMarked;
