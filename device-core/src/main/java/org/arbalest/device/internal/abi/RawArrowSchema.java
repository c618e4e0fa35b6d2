// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.abi;

import org.arbalest.device.c.ArrowSchemaStruct;

/** Access to {@link ArrowSchemaStruct} by its address, without a check of the address. Pointers are {@code long}s. */
public final class RawArrowSchema {
  /** The size of the struct in bytes. */
  public static final long SIZE = 72;

  /** The offsets of the fields in bytes. They are constants, so that reading them initializes no class. */
  public static final long FORMAT = 0;
  public static final long NAME = 8;
  public static final long METADATA = 16;
  public static final long FLAGS = 24;
  public static final long N_CHILDREN = 32;
  public static final long CHILDREN = 40;
  public static final long DICTIONARY = 48;
  public static final long RELEASE = 56;
  public static final long PRIVATE_DATA = 64;

  private RawArrowSchema() {}

  /** Returns the type as a NUL-terminated format string. It is mandatory. */
  public static long format(long schema) {
    return Memory.getLong(schema + FORMAT);
  }

  /** Writes {@code format}. */
  public static void setFormat(long schema, long value) {
    Memory.putLong(schema + FORMAT, value);
  }

  /** Returns the field's name as a NUL-terminated string, or NULL. */
  public static long name(long schema) {
    return Memory.getLong(schema + NAME);
  }

  /** Writes {@code name}. */
  public static void setName(long schema, long value) {
    Memory.putLong(schema + NAME, value);
  }

  /** Returns the key-value metadata in its binary encoding, or NULL; see {@code Metadata}. */
  public static long metadata(long schema) {
    return Memory.getLong(schema + METADATA);
  }

  /** Writes {@code metadata}. */
  public static void setMetadata(long schema, long value) {
    Memory.putLong(schema + METADATA, value);
  }

  /** Returns the {@code ARROW_FLAG_} bits. */
  public static long flags(long schema) {
    return Memory.getLong(schema + FLAGS);
  }

  /** Writes {@code flags}. */
  public static void setFlags(long schema, long value) {
    Memory.putLong(schema + FLAGS, value);
  }

  /** Returns the number of children. */
  public static long nChildren(long schema) {
    return Memory.getLong(schema + N_CHILDREN);
  }

  /** Writes {@code n_children}. */
  public static void setNChildren(long schema, long value) {
    Memory.putLong(schema + N_CHILDREN, value);
  }

  /**
   * Returns the list of {@code n_children} pointers to {@code ArrowSchema}. May be NULL if the type has no children.
   */
  public static long children(long schema) {
    return Memory.getLong(schema + CHILDREN);
  }

  /** Writes {@code children}. */
  public static void setChildren(long schema, long value) {
    Memory.putLong(schema + CHILDREN, value);
  }

  /** Returns the value type of a dictionary-encoded field; NULL for any other field. */
  public static long dictionary(long schema) {
    return Memory.getLong(schema + DICTIONARY);
  }

  /** Writes {@code dictionary}. */
  public static void setDictionary(long schema, long value) {
    Memory.putLong(schema + DICTIONARY, value);
  }

  /** Returns the release callback. It is NULL (0) if and only if the struct is released (OWN-01). */
  public static long release(long schema) {
    return Memory.getLong(schema + RELEASE);
  }

  /** Writes {@code release}. */
  public static void setRelease(long schema, long value) {
    Memory.putLong(schema + RELEASE, value);
  }

  /** Returns {@code private_data}, a pointer that only the producer uses. */
  public static long privateData(long schema) {
    return Memory.getLong(schema + PRIVATE_DATA);
  }

  /** Writes {@code private_data}. */
  public static void setPrivateData(long schema, long value) {
    Memory.putLong(schema + PRIVATE_DATA, value);
  }

  /** Moves a struct: copies it bitwise, then sets {@code release} of the source to NULL, without a call (OWN-05). */
  public static void move(long from, long to) {
    Memory.copy(from, to, SIZE);
    setRelease(from, 0);
  }

  /** Returns the pointer at {@code children[index]}. */
  public static long child(long schema, long index) {
    return Memory.getLong(children(schema) + 8 * index);
  }

  /** Writes {@code children[index]}. */
  public static void setChild(long schema, long index, long value) {
    Memory.putLong(children(schema) + 8 * index, value);
  }
}
