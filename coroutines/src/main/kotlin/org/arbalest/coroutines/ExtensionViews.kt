// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.columns.Column
import org.arbalest.device.columns.Tensor
import org.arbalest.device.objects.ExtensionCodec
import org.arbalest.device.types.DataType
import java.time.OffsetDateTime
import java.util.UUID

/** Returns a view of UUIDs (`arrow.uuid`). */
public fun Column.uuids(): ObjectView<UUID> = ObjectView(this, Column::getUuid)

/**
 * Returns a view of points in time with their offset from UTC (`arrow.timestamp_with_offset`). Its `get` throws
 * [ArithmeticException] for a value outside the range of `java.time`.
 */
public fun Column.offsetDateTimes(): ObjectView<OffsetDateTime> = ObjectView(this, Column::getOffsetDateTime)

/**
 * Returns a view of tensors, `arrow.fixed_shape_tensor` and `arrow.variable_shape_tensor`:
 * `batch["image"].tensors()[row].values.floats()`.
 */
public fun Column.tensors(): ObjectView<Tensor> = ObjectView(this, Column::getTensor)

/**
 * Returns a view of the values of an application's own extension type: `batch["price"].values(money)`. Its `get` throws
 * [IllegalArgumentException] for a column of another type.
 */
public fun <T : Any> Column.values(codec: ExtensionCodec<T>): ObjectView<T> =
    ObjectView(this) { column, row -> codec.get(column, row) }

/**
 * Creates a codec between the values of an extension type and objects. See [ExtensionCodec]: after its `register`,
 * core's `get` reads these values too.
 *
 *     val money = extensionCodec("com.acme.money", DataType.INT64,
 *         { row -> Money(getLong(row)) }, { append(it.cents) })
 *
 *     val trades = device.batch(rows) { extension("price", money) { row -> prices[row] } }
 *     val prices = trades["price"].values(money)
 *
 * @param name the extension type's name; names that begin with `arrow.` belong to Arrow
 * @param storage the storage type
 * @param read returns the value of a non-null row; its receiver is the column in its storage type
 * @param append appends exactly one value
 */
public inline fun <reified T : Any> extensionCodec(
    name: String,
    storage: DataType,
    crossinline read: Column.(row: Long) -> T,
    crossinline append: ColumnBuilder.(value: T) -> Unit,
): ExtensionCodec<T> = ExtensionCodec.of(name, T::class.javaObjectType, storage, { column, row ->
    column.read(row)
}, { column, value -> column.append(value) })
