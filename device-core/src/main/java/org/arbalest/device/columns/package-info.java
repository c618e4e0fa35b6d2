// SPDX-License-Identifier: Apache-2.0
/**
 * Columns and views that read the values of an array in place.
 *
 * <p>A {@link org.arbalest.device.columns.Column} reads values of any type, one row at a time. Typed views, such as
 * {@link org.arbalest.device.columns.LongView}, read one type as fast as a Java array.
 * {@link org.arbalest.device.columns.ByteStringView} reads text without creating strings, and
 * {@link org.arbalest.device.columns.Runs} reads each run of equal values once. A column and its views are borrowed
 * from an array: they are valid while the array is open, and need no release. Rows are counted from 0, as {@code long}.
 *
 * <pre>{@code
 * reader.forEach(batch -> {
 *   Column name = batch.column("name");
 *   LongView price = batch.column("price").asLongs();
 *   long total = 0;
 *   for (long row = 0; row < price.length(); row++) {
 *     if (!price.isNull(row)) total += price.get(row);
 *   }
 *   if (batch.length() > 0 && !name.isNull(0)) System.out.println(name.getString(0) + ": " + total);
 * });
 * }</pre>
 *
 * <p>A dictionary-encoded column reads as its values. To count or compare without creating strings, read its
 * {@link org.arbalest.device.columns.Column#indices} and {@link org.arbalest.device.columns.Column#dictionary}:
 *
 * <pre>{@code
 * Column city = batch.column("city");
 * Column names = city.dictionary();
 * IntView indices = city.indices().asInts(); // of int32 indices; asBytes() and asShorts() read narrower ones
 * long[] counts = new long[Math.toIntExact(names.length())];
 * for (long row = 0; row < indices.length(); row++) {
 *   if (!indices.isNull(row)) counts[indices.get(row)]++;
 * }
 * for (int i = 0; i < counts.length; i++) {
 *   if (!names.isNull(i)) System.out.println(names.getString(i) + ": " + counts[i]);
 * }
 * }</pre>
 *
 * <p>The first loop asks the view for nulls: {@code city.isNull} is slower, because it also looks up the value of each
 * row. The second loop drops the values that are null. An imported index may be outside the dictionary, unless
 * {@link org.arbalest.device.Validation#FULL} has checked the array.
 */
@NullMarked
package org.arbalest.device.columns;

import org.jspecify.annotations.NullMarked;
