// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.columns.Column
import org.arbalest.device.columns.Tensor
import org.arbalest.device.objects.ExtensionCodec
import org.arbalest.device.types.DataType
import java.time.OffsetDateTime
import java.util.UUID

/** UUIDs, of `arrow.uuid`. */
public fun Column.uuids(): ObjectView<UUID> = ObjectView(this, Column::getUuid)

/**
 * Points in time with their offset from UTC, of `arrow.timestamp_with_offset`; [ArithmeticException] for one that
 * `java.time` has not.
 */
public fun Column.offsetDateTimes(): ObjectView<OffsetDateTime> = ObjectView(this, Column::getOffsetDateTime)

/**
 * Tensors, of `arrow.fixed_shape_tensor` and `arrow.variable_shape_tensor`:
 * `batch["image"].tensors()[row].values.floats()`.
 */
public fun Column.tensors(): ObjectView<Tensor> = ObjectView(this, Column::getTensor)

/**
 * Values of an extension type of one's own: `batch["price"].values(money)`; [IllegalArgumentException] from `get` for a
 * column of another type.
 */
public fun <T : Any> Column.values(codec: ExtensionCodec<T>): ObjectView<T> =
    ObjectView(this) { column, row -> codec.get(column, row) }

/**
 * How values of an extension type are objects; see [ExtensionCodec], whose `register` makes `get` read them, too.
 *
 *     val money = extensionCodec("com.acme.money", DataType.INT64,
 *         { row -> Money(getLong(row)) }, { append(it.cents) })
 *
 *     val trades = device.batch(rows) { extension("price", money) { row -> prices[row] } }
 *     val prices = trades["price"].values(money)
 *
 * @param name the extension type's name; those that begin with `arrow.` are Arrow's
 * @param storage what values are stored as
 * @param read the value of a row that is not null, of the column as what it is stored as
 * @param append appends one value, in whole
 */
public inline fun <reified T : Any> extensionCodec(
    name: String,
    storage: DataType,
    crossinline read: Column.(row: Long) -> T,
    crossinline append: ColumnBuilder.(value: T) -> Unit,
): ExtensionCodec<T> = ExtensionCodec.of(name, T::class.javaObjectType, storage, { column, row ->
    column.read(row)
}, { column, value -> column.append(value) })
