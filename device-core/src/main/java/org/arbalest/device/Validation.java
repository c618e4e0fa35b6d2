// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

/**
 * How closely an array is looked at when it is taken in from C, or by {@link DeviceArray#validate}. What is wrong is a
 * {@link DeviceException} with {@code EINVAL}: the path of the field, the row, the numbers. An array that is refused at
 * import goes back to its producer.
 *
 * <p>No level can know what C does not say: whether a pointer leads somewhere, and that a buffer is as large as length
 * and offset, or its array's own last offset, demand.
 */
public enum Validation {
  /**
   * Nothing is looked at, but whether the struct is released, its device and its event. For producers that are trusted
   * as much as code of one's own: if a struct is malformed, whatever is done with the array may end the process.
   */
  NONE,

  /**
   * The structs agree with the schema and with each other (ARR-17): lengths, offsets, null counts, buffers and children
   * that must be there, and are long enough. No buffer is read, wherever it is, but for the list of the sizes of a
   * view's data. What is in the buffers is checked where it is read. The default.
   */
  STRUCTURAL,

  /**
   * The same, and what is in the buffers, so that all rows can be read, and handed to others:
   *
   * <ul>
   *   <li>null counts are true, and the bitmap of a field that is not nullable has no nulls, but where what it is part
   *       of is null itself (VAL-01, VAL-02). The values that unions, run-ends and dictionaries stand for are other
   *       fields', which say whether they may be null;
   *   <li>offsets do not go back, and stay within the data or the elements, as list views do, also beneath nulls; views
   *       that are not null stay within their data (VAL-03 to VAL-05);
   *   <li>text is UTF-8 (VAL-06);
   *   <li>indices are within the dictionary (ARR-16); the types of a union are its own, and its offsets in order and
   *       within its children (VAL-07);
   *   <li>run ends ascend, and cover all rows (VAL-08);
   *   <li>decimals have no more digits than their precision, dates in milliseconds are whole days, times are within a
   *       day (VAL-09, VAL-10).
   * </ul>
   *
   * <p>What an extension type asks beyond its storage is not looked at: the shapes of tensors, offsets of times, JSON.
   * Getters that read it as more than that check it in each row.
   *
   * <p>Values beneath nulls may be anything. Of a slice only what it shows is checked, but for what only the content of
   * buffers could tell: the elements of lists, the children of dense unions and of run-ends, and dictionaries are
   * checked whole, as they are handed on whole. So a slice whose hidden rows are corrupt is accepted here, and refused
   * by Arrow C++'s {@code ValidateFull}, which looks at some of them; {@link DeviceArray#compact} makes one of it that
   * both accept.
   *
   * <p>Waits until the buffers can be read. Where the CPU cannot reach them, the device's default stream copies to main
   * memory, one after the other, these and no others: validity bitmaps where a null count is said, where nulls are not
   * allowed, of views, and beside values that are suspicious; offsets and sizes; the types of unions; run ends; views
   * with their data; the bytes of text; indices of dictionaries; decimals, times, and dates in milliseconds. No
   * numbers, booleans, timestamps, or other bytes.
   */
  FULL
}
