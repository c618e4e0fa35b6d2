// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

/**
 * A level of checks for an array, at its import from native code or in {@link DeviceArray#validate}. A fault is a
 * {@link DeviceException} with {@code EINVAL}, whose message has the path of the field, the row and the numbers. An
 * array that is rejected at import is released to its producer.
 *
 * <p>No level can check facts that the C interface does not convey: whether a pointer is valid, and whether a buffer is
 * as large as the length and the offset, or the array's own last offset, require.
 */
public enum Validation {
  /**
   * Checks only whether the struct is released, its device and its event. It is for producers that are trusted like the
   * application's own code: if a struct is malformed, any use of the array may end the process.
   */
  NONE,

  /**
   * Checks that the structs agree with the schema and with each other (ARR-17): lengths, offsets and null counts, and
   * that required buffers and children exist, and are long enough. This is the default.
   *
   * <p>It reads no buffer, on any device, except the list of the sizes of a view's data. The content of buffers is
   * checked when it is read.
   */
  STRUCTURAL,

  /**
   * Checks the structs as {@link #STRUCTURAL} does, and all numbers in the buffers that lead to other memory, so that
   * no reader leaves the buffers. It checks no values: use it for data from outside if the reader checks their values,
   * or does not rely on them.
   *
   * <ul>
   *   <li>null counts are correct (VAL-01);
   *   <li>offsets do not decrease, and stay within the data or the elements. List views stay within the elements. Both
   *       apply beneath nulls, too. Views that are not null stay within their data (VAL-03 to VAL-05);
   *   <li>indices are within the dictionary (ARR-16). The types of a union are its own, and its offsets are in order
   *       and within its children (VAL-07);
   *   <li>run ends ascend, and cover all rows (VAL-08).
   * </ul>
   *
   * <p>Values beneath nulls may be arbitrary. Only the visible range of a slice is checked. Some parts have a range
   * that only the content of buffers defines. They are checked whole, because they are passed on whole: the elements of
   * lists, the children of dense unions and of run-ends, and dictionaries.
   *
   * <p>Therefore this level accepts a slice whose invisible rows are corrupt. Arrow C++'s {@code ValidateFull} checks
   * some of those rows, and rejects the slice. {@link DeviceArray#compact} makes an array from it that both accept.
   *
   * <p>The check waits until the buffers can be read. If the CPU cannot reach them, the device's default stream copies
   * some of them to main memory, one after the other: offsets and sizes, the types of unions, run ends, views without
   * their data, and indices of dictionaries. It copies validity bitmaps if a null count is given, of views, and beside
   * suspicious indices.
   */
  BOUNDS,

  /**
   * Checks all that {@link #BOUNDS} does, in the same range, and the values, so that all rows can be read and passed
   * on:
   *
   * <ul>
   *   <li>the bitmap of a field that is not nullable has no nulls, except where an enclosing value is null itself
   *       (VAL-02). The values of unions, run-ends and dictionaries belong to other fields, which define whether they
   *       may be null;
   *   <li>views begin with the bytes of their data (VAL-04);
   *   <li>text is UTF-8 (VAL-06);
   *   <li>decimals have no more digits than their precision, dates in milliseconds are whole days, times are within a
   *       day (VAL-09, VAL-10).
   * </ul>
   *
   * <p>Requirements of an extension type beyond its storage are not checked: the shapes of tensors, offsets of times,
   * JSON. Getters that read values of the extension type check them in each row.
   *
   * <p>The check waits, and copies buffers of a device, as {@link #BOUNDS} does. It also copies bitmaps if nulls are
   * not allowed and beside suspicious values, the bytes of text, the data of views, decimals, times, and dates in
   * milliseconds. Numbers, booleans, timestamps and other bytes are not copied.
   */
  FULL
}
