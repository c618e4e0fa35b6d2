// SPDX-License-Identifier: Apache-2.0
/**
 * Builders of arrays, in memory that the CPU can write.
 *
 * <p>A {@link org.arbalest.device.builders.BatchBuilder} builds a record batch, column by column. It takes whole
 * columns of Java arrays and lists, and gives a {@link org.arbalest.device.builders.ColumnBuilder} for values that are
 * appended one by one. A builder is used by one thread, and closed by the caller; {@code build} hands the memory to the
 * batch, and the builder can do no more then. Where the CPU cannot write, as on a GPU, the batch is copied there when
 * it is complete.
 *
 * <pre>{@code
 * try (BatchBuilder batch = BatchBuilder.of(Devices.cpu(), 3)) {
 *   batch.int64("id", new long[] {1, 2, 3});
 *   batch.utf8("name", Arrays.asList("ada", null, "bob"));
 *   batch.column(Field.of("tags", DataType.list(DataType.UTF8)),
 *       Arrays.asList(List.of("new", "red"), null, List.of()));
 *   ColumnBuilder sizes = batch.column(Field.of("sizes", DataType.list(DataType.INT32))); // the same, value by value
 *   sizes.items().append(7).append(8);
 *   sizes.appendList(2).appendNull().appendList(0); // of two items, null, of none
 *   try (DeviceArray array = batch.build()) {
 *     System.out.println(array);
 *   }
 * }
 * }</pre>
 */
@NullMarked
package org.arbalest.device.builders;

import org.jspecify.annotations.NullMarked;
