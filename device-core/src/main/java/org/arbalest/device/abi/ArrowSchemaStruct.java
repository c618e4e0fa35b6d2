// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.abi;

import static org.arbalest.device.abi.Memory.int64;
import static org.arbalest.device.abi.Memory.byteOffset;
import static org.arbalest.device.abi.Memory.pointer;
import static org.arbalest.device.abi.Memory.struct;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;

/** {@code struct ArrowSchema}: the type, name and metadata of an array. The base struct belongs to the consumer, all it points to to the producer. */
public final class ArrowSchemaStruct {
  /** The struct as the C compiler lays it out. */
  public static final StructLayout LAYOUT =
      struct(
          "ArrowSchema",
          pointer("format"),
          pointer("name"),
          pointer("metadata"),
          int64("flags"),
          int64("n_children"),
          pointer("children"),
          pointer("dictionary"),
          pointer("release"),
          pointer("private_data"));

  /** Its size in bytes. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final long FORMAT = byteOffset(LAYOUT, "format");
  private static final long NAME = byteOffset(LAYOUT, "name");
  private static final long METADATA = byteOffset(LAYOUT, "metadata");
  private static final long FLAGS = byteOffset(LAYOUT, "flags");
  private static final long N_CHILDREN = byteOffset(LAYOUT, "n_children");
  private static final long CHILDREN = byteOffset(LAYOUT, "children");
  private static final long DICTIONARY = byteOffset(LAYOUT, "dictionary");
  private static final long RELEASE = byteOffset(LAYOUT, "release");
  private static final long PRIVATE_DATA = byteOffset(LAYOUT, "private_data");

  private ArrowSchemaStruct() {}

  /** Memory for one: zeroed, and so a released struct, for an export of ours or for C to write. It is the arena's, and must outlast the struct. */
  public static MemorySegment allocate(SegmentAllocator arena) {
    return Memory.allocate(arena, LAYOUT);
  }

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

  /** Flag: the order of the dictionary's values means something. */
  public static final long FLAG_DICTIONARY_ORDERED = 1;

  /** Flag: the field may hold nulls. */
  public static final long FLAG_NULLABLE = 2;

  /** Flag: the keys of each map value are sorted. */
  public static final long FLAG_MAP_KEYS_SORTED = 4;
}
