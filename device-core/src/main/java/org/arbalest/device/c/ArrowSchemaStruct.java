// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.c;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.arbalest.device.internal.abi.Memory.int64;
import static org.arbalest.device.internal.abi.Memory.pointer;
import static org.arbalest.device.internal.abi.Memory.struct;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import org.arbalest.device.internal.abi.Memory;
import org.arbalest.device.internal.abi.RawArrowSchema;

/**
 * The C struct {@code ArrowSchema}: the type, name and metadata of an array.
 *
 * <p>The consumer owns the base struct. The producer owns all memory that the struct points to (OWN-12).
 */
public final class ArrowSchemaStruct {
  /** The memory layout of the C struct. */
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

  /** A flag: the order of the dictionary's values has a meaning. */
  public static final long FLAG_DICTIONARY_ORDERED = 1;

  /** A flag: the field may contain nulls. */
  public static final long FLAG_NULLABLE = 2;

  /** A flag: the keys of each map are sorted. */
  public static final long FLAG_MAP_KEYS_SORTED = 4;

  private static final long FORMAT = RawArrowSchema.FORMAT;
  private static final long NAME = RawArrowSchema.NAME;
  private static final long METADATA = RawArrowSchema.METADATA;
  private static final long FLAGS = RawArrowSchema.FLAGS;
  private static final long N_CHILDREN = RawArrowSchema.N_CHILDREN;
  private static final long CHILDREN = RawArrowSchema.CHILDREN;
  private static final long DICTIONARY = RawArrowSchema.DICTIONARY;
  private static final long RELEASE = RawArrowSchema.RELEASE;
  private static final long PRIVATE_DATA = RawArrowSchema.PRIVATE_DATA;

  private ArrowSchemaStruct() {}

  /**
   * Allocates memory for one struct, filled with zeros, which is the state of a released struct. An export or native
   * code then writes to it.
   *
   * <p>The arena owns the memory, and must stay open as long as the struct is in use.
   */
  public static MemorySegment allocate(SegmentAllocator arena) {
    return Memory.allocate(arena, LAYOUT);
  }

  /** Returns the type as a NUL-terminated format string. It is mandatory. */
  public static MemorySegment format(MemorySegment schema) {
    return schema.get(ADDRESS, FORMAT);
  }

  /** Writes {@code format}. */
  public static void setFormat(MemorySegment schema, MemorySegment value) {
    schema.set(ADDRESS, FORMAT, value);
  }

  /** Returns the field's name as a NUL-terminated string, or NULL. */
  public static MemorySegment name(MemorySegment schema) {
    return schema.get(ADDRESS, NAME);
  }

  /** Writes {@code name}. */
  public static void setName(MemorySegment schema, MemorySegment value) {
    schema.set(ADDRESS, NAME, value);
  }

  /** Returns the key-value metadata in its binary encoding, or NULL; see {@code Metadata}. */
  public static MemorySegment metadata(MemorySegment schema) {
    return schema.get(ADDRESS, METADATA);
  }

  /** Writes {@code metadata}. */
  public static void setMetadata(MemorySegment schema, MemorySegment value) {
    schema.set(ADDRESS, METADATA, value);
  }

  /** Returns the {@code ARROW_FLAG_} bits. */
  public static long flags(MemorySegment schema) {
    return schema.get(JAVA_LONG, FLAGS);
  }

  /** Writes {@code flags}. */
  public static void setFlags(MemorySegment schema, long value) {
    schema.set(JAVA_LONG, FLAGS, value);
  }

  /** Returns the number of children. */
  public static long nChildren(MemorySegment schema) {
    return schema.get(JAVA_LONG, N_CHILDREN);
  }

  /** Writes {@code n_children}. */
  public static void setNChildren(MemorySegment schema, long value) {
    schema.set(JAVA_LONG, N_CHILDREN, value);
  }

  /**
   * Returns the list of {@code n_children} pointers to {@code ArrowSchema}. May be NULL if the type has no children.
   *
   * <p>To read the list, call {@code reinterpret(8 * nChildren)} on it. To read a child, reinterpret it with the size
   * of its layout.
   */
  public static MemorySegment children(MemorySegment schema) {
    return schema.get(ADDRESS, CHILDREN);
  }

  /** Writes {@code children}. */
  public static void setChildren(MemorySegment schema, MemorySegment value) {
    schema.set(ADDRESS, CHILDREN, value);
  }

  /** Returns the value type of a dictionary-encoded field; NULL for any other field. */
  public static MemorySegment dictionary(MemorySegment schema) {
    return schema.get(ADDRESS, DICTIONARY);
  }

  /** Writes {@code dictionary}. */
  public static void setDictionary(MemorySegment schema, MemorySegment value) {
    schema.set(ADDRESS, DICTIONARY, value);
  }

  /** Returns the release callback. It is NULL if and only if the struct is released (OWN-01). */
  public static MemorySegment releaseCallback(MemorySegment schema) {
    return schema.get(ADDRESS, RELEASE);
  }

  /** Writes {@code release}. */
  public static void setReleaseCallback(MemorySegment schema, MemorySegment value) {
    schema.set(ADDRESS, RELEASE, value);
  }

  /** Returns {@code private_data}, a pointer that only the producer uses. */
  public static MemorySegment privateData(MemorySegment schema) {
    return schema.get(ADDRESS, PRIVATE_DATA);
  }

  /** Writes {@code private_data}. */
  public static void setPrivateData(MemorySegment schema, MemorySegment value) {
    schema.set(ADDRESS, PRIVATE_DATA, value);
  }

  /**
   * Moves a struct: copies it bitwise, then sets {@code release} of the source to NULL, without a call (OWN-05).
   *
   * @throws IllegalArgumentException if the structs overlap, or {@code from} is in read-only memory
   */
  public static void move(MemorySegment from, MemorySegment to) {
    if (from.asOverlappingSlice(to).isPresent())
      throw new IllegalArgumentException("a struct cannot be moved onto itself");
    if (from.isReadOnly()) throw new IllegalArgumentException(
        "a struct in read-only memory cannot be moved: it could not be marked as released");
    MemorySegment.copy(from, 0, to, 0, LAYOUT.byteSize());
    setReleaseCallback(from, MemorySegment.NULL);
  }
}
