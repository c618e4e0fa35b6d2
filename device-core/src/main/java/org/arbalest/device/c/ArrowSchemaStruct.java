// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.c;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.arbalest.device.internal.abi.Memory.byteOffset;
import static org.arbalest.device.internal.abi.Memory.int64;
import static org.arbalest.device.internal.abi.Memory.pointer;
import static org.arbalest.device.internal.abi.Memory.struct;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import org.arbalest.device.internal.abi.Memory;

/**
 * {@code struct ArrowSchema}: the type, name and metadata of an array. The base struct belongs to the consumer, all it
 * points to to the producer.
 */
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

  /** Flag: the order of the dictionary's values means something. */
  public static final long FLAG_DICTIONARY_ORDERED = 1;

  /** Flag: the field may hold nulls. */
  public static final long FLAG_NULLABLE = 2;

  /** Flag: the keys of each map value are sorted. */
  public static final long FLAG_MAP_KEYS_SORTED = 4;

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

  /**
   * Memory for one: zeroed, and so a released struct, for an export of ours or for C to write. It is the arena's, and
   * must outlast the struct.
   */
  public static MemorySegment allocate(SegmentAllocator arena) {
    return Memory.allocate(arena, LAYOUT);
  }

  /** The type as a NUL-terminated format string; mandatory. */
  public static MemorySegment format(MemorySegment schema) {
    return schema.get(ADDRESS, FORMAT);
  }

  /** Writes {@code format}. */
  public static void setFormat(MemorySegment schema, MemorySegment value) {
    schema.set(ADDRESS, FORMAT, value);
  }

  /** The field's name, NUL-terminated, or NULL. */
  public static MemorySegment name(MemorySegment schema) {
    return schema.get(ADDRESS, NAME);
  }

  /** Writes {@code name}. */
  public static void setName(MemorySegment schema, MemorySegment value) {
    schema.set(ADDRESS, NAME, value);
  }

  /** Key-value metadata (binary, see {@code Metadata}), or NULL. */
  public static MemorySegment metadata(MemorySegment schema) {
    return schema.get(ADDRESS, METADATA);
  }

  /** Writes {@code metadata}. */
  public static void setMetadata(MemorySegment schema, MemorySegment value) {
    schema.set(ADDRESS, METADATA, value);
  }

  /** The {@code ARROW_FLAG_} bits. */
  public static long flags(MemorySegment schema) {
    return schema.get(JAVA_LONG, FLAGS);
  }

  /** Writes {@code flags}. */
  public static void setFlags(MemorySegment schema, long value) {
    schema.set(JAVA_LONG, FLAGS, value);
  }

  /** The number of children. */
  public static long nChildren(MemorySegment schema) {
    return schema.get(JAVA_LONG, N_CHILDREN);
  }

  /** Writes {@code n_children}. */
  public static void setNChildren(MemorySegment schema, long value) {
    schema.set(JAVA_LONG, N_CHILDREN, value);
  }

  /**
   * A list of {@code n_children} pointers to ArrowSchema; may be NULL if there are none.
   * {@code reinterpret(8 * nChildren)} makes it readable, and a child with its layout\'s size.
   */
  public static MemorySegment children(MemorySegment schema) {
    return schema.get(ADDRESS, CHILDREN);
  }

  /** Writes {@code children}. */
  public static void setChildren(MemorySegment schema, MemorySegment value) {
    schema.set(ADDRESS, CHILDREN, value);
  }

  /** The value type of a dictionary-encoded field, or NULL. */
  public static MemorySegment dictionary(MemorySegment schema) {
    return schema.get(ADDRESS, DICTIONARY);
  }

  /** Writes {@code dictionary}. */
  public static void setDictionary(MemorySegment schema, MemorySegment value) {
    schema.set(ADDRESS, DICTIONARY, value);
  }

  /** The release callback; NULL if and only if the struct is released (OWN-01). */
  public static MemorySegment release(MemorySegment schema) {
    return schema.get(ADDRESS, RELEASE);
  }

  /** Writes {@code release}. */
  public static void setRelease(MemorySegment schema, MemorySegment value) {
    schema.set(ADDRESS, RELEASE, value);
  }

  /** The producer's own pointer; nobody else's business. */
  public static MemorySegment privateData(MemorySegment schema) {
    return schema.get(ADDRESS, PRIVATE_DATA);
  }

  /** Writes {@code private_data}. */
  public static void setPrivateData(MemorySegment schema, MemorySegment value) {
    schema.set(ADDRESS, PRIVATE_DATA, value);
  }

  /** Moves the struct: a bitwise copy, then {@code release = NULL} at the source, without a call (OWN-05). */
  public static void move(MemorySegment from, MemorySegment to) {
    if (from.asOverlappingSlice(to).isPresent())
      throw new IllegalArgumentException("a struct is not moved to where it is");
    if (from.isReadOnly()) throw new IllegalArgumentException(
        "a struct in read-only memory cannot be moved: it could not be marked as released");
    MemorySegment.copy(from, 0, to, 0, LAYOUT.byteSize());
    setRelease(from, MemorySegment.NULL);
  }
}
