// SPDX-License-Identifier: Apache-2.0
/**
 * Arrow's types, fields and schemas.
 *
 * <p>A {@link org.arbalest.device.types.DataType} is a record, either flat or nested. A
 * {@link org.arbalest.device.types.Field} has a name, a type, a nullability and metadata. A
 * {@link org.arbalest.device.types.Schema} is the list of a batch's fields. An
 * {@link org.arbalest.device.types.Extension} gives a type another meaning, such as a UUID. All of them are immutable
 * values. They are compared by content, may be used by any thread, and need no release.
 *
 * <pre>{@code
 * Schema schema = Schema.of(
 *     Field.of("id", DataType.INT64).withNullable(false),
 *     Field.of("name", DataType.UTF8),
 *     Field.of("price", DataType.decimal128(12, 2)),
 *     Field.of("tags", DataType.list(DataType.UTF8)),
 *     Field.uuid("key"));
 *
 * Field price = schema.fields().get(2);
 * String text = switch (price.type()) {
 *   case FlatType.DecimalType decimal -> decimal.precision() + " digits";
 *   default -> "no decimal";
 * };
 * }</pre>
 */
@NullMarked
package org.arbalest.device.types;

import org.jspecify.annotations.NullMarked;
