// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.abi;

import static org.arbalest.device.internal.abi.Memory.byteOffset;

import org.arbalest.device.c.ArrowSchemaStruct;

/** {@link ArrowSchemaStruct} by its address, which is not checked. Pointers are {@code long}s. */
public final class RawArrowSchema {
  /** Its size in bytes. */
  public static final long SIZE = ArrowSchemaStruct.LAYOUT.byteSize();

  private static final long FORMAT = byteOffset(ArrowSchemaStruct.LAYOUT, "format");
  private static final long NAME = byteOffset(ArrowSchemaStruct.LAYOUT, "name");
  private static final long METADATA = byteOffset(ArrowSchemaStruct.LAYOUT, "metadata");
  private static final long FLAGS = byteOffset(ArrowSchemaStruct.LAYOUT, "flags");
  private static final long N_CHILDREN = byteOffset(ArrowSchemaStruct.LAYOUT, "n_children");
  private static final long CHILDREN = byteOffset(ArrowSchemaStruct.LAYOUT, "children");
  private static final long DICTIONARY = byteOffset(ArrowSchemaStruct.LAYOUT, "dictionary");
  private static final long RELEASE = byteOffset(ArrowSchemaStruct.LAYOUT, "release");
  private static final long PRIVATE_DATA = byteOffset(ArrowSchemaStruct.LAYOUT, "private_data");

  private RawArrowSchema() {}

  /** The type as a NUL-terminated format string; mandatory. */
  public static long format(long schema) {
    return Memory.getLong(schema + FORMAT);
  }

  /** Writes {@code format}. */
  public static void setFormat(long schema, long value) {
    Memory.putLong(schema + FORMAT, value);
  }

  /** The field's name, NUL-terminated, or NULL. */
  public static long name(long schema) {
    return Memory.getLong(schema + NAME);
  }

  /** Writes {@code name}. */
  public static void setName(long schema, long value) {
    Memory.putLong(schema + NAME, value);
  }

  /** Key-value metadata (binary, see {@code Metadata}), or NULL. */
  public static long metadata(long schema) {
    return Memory.getLong(schema + METADATA);
  }

  /** Writes {@code metadata}. */
  public static void setMetadata(long schema, long value) {
    Memory.putLong(schema + METADATA, value);
  }

  /** The {@code ARROW_FLAG_} bits. */
  public static long flags(long schema) {
    return Memory.getLong(schema + FLAGS);
  }

  /** Writes {@code flags}. */
  public static void setFlags(long schema, long value) {
    Memory.putLong(schema + FLAGS, value);
  }

  /** The number of children. */
  public static long nChildren(long schema) {
    return Memory.getLong(schema + N_CHILDREN);
  }

  /** Writes {@code n_children}. */
  public static void setNChildren(long schema, long value) {
    Memory.putLong(schema + N_CHILDREN, value);
  }

  /** A list of {@code n_children} pointers to ArrowSchema; may be NULL if there are none. */
  public static long children(long schema) {
    return Memory.getLong(schema + CHILDREN);
  }

  /** Writes {@code children}. */
  public static void setChildren(long schema, long value) {
    Memory.putLong(schema + CHILDREN, value);
  }

  /** The value type of a dictionary-encoded field, or NULL. */
  public static long dictionary(long schema) {
    return Memory.getLong(schema + DICTIONARY);
  }

  /** Writes {@code dictionary}. */
  public static void setDictionary(long schema, long value) {
    Memory.putLong(schema + DICTIONARY, value);
  }

  /** The release callback; NULL (0) if and only if the struct is released (OWN-01). */
  public static long release(long schema) {
    return Memory.getLong(schema + RELEASE);
  }

  /** Writes {@code release}. */
  public static void setRelease(long schema, long value) {
    Memory.putLong(schema + RELEASE, value);
  }

  /** The producer's own pointer; nobody else's business. */
  public static long privateData(long schema) {
    return Memory.getLong(schema + PRIVATE_DATA);
  }

  /** Writes {@code private_data}. */
  public static void setPrivateData(long schema, long value) {
    Memory.putLong(schema + PRIVATE_DATA, value);
  }

  /** Moves the struct: a bitwise copy, then {@code release = NULL} at the source, without a call (OWN-05). */
  public static void move(long from, long to) {
    Memory.copy(from, to, SIZE);
    setRelease(from, 0);
  }

  /** The pointer at {@code children[index]}. */
  public static long child(long schema, long index) {
    return Memory.getLong(children(schema) + 8 * index);
  }

  /** Writes {@code children[index]}. */
  public static void setChild(long schema, long index, long value) {
    Memory.putLong(children(schema) + 8 * index, value);
  }
}
