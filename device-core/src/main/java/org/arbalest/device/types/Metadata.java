// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.types;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.arbalest.device.internal.schema.Utf8;
import org.jspecify.annotations.Nullable;

/**
 * Key-value metadata of a field, a schema or a stream: an ordered list of pairs. Immutable.
 *
 * <p>Keys and values are bytes. The {@code String} methods read and write them as UTF-8. They reject a text with an
 * unpaired surrogate, which UTF-8 cannot encode, with an {@code IllegalArgumentException}. A key may occur more than
 * once; a lookup finds the first pair.
 */
public final class Metadata implements Serializable {
  private static final long serialVersionUID = 1;

  private static final Metadata EMPTY = new Metadata(List.of());

  @SuppressWarnings("serial") // a copy, and its class is serializable
  private final List<Entry> entries;

  private Metadata(List<Entry> entries) {
    this.entries = List.copyOf(entries);
  }

  /** Returns metadata without pairs. */
  public static Metadata empty() {
    return EMPTY;
  }

  /** Creates metadata of one pair. */
  public static Metadata of(String key, String value) {
    return EMPTY.with(key, value);
  }

  /** Creates metadata of a map's pairs, in the map's order. */
  public static Metadata of(Map<String, String> map) {
    List<Entry> entries = new ArrayList<>();
    map.forEach((key, value) -> entries.add(Entry.of(key, value)));
    return of(entries);
  }

  /** Creates metadata of these pairs, in their order. */
  public static Metadata of(List<Entry> entries) {
    return entries.isEmpty() ? EMPTY : new Metadata(entries);
  }

  /** Returns this metadata with one more pair at the end. */
  public Metadata with(String key, String value) {
    return with(Entry.of(key, value));
  }

  /** Returns this metadata with one more pair at the end. */
  public Metadata with(byte[] key, byte[] value) {
    return with(new Entry(key, value));
  }

  private Metadata with(Entry entry) {
    List<Entry> all = new ArrayList<>(entries);
    all.add(entry);
    return new Metadata(all);
  }

  /** Returns the value of the first pair with this key; null if no pair has it. */
  public @Nullable String get(String key) {
    byte[] value = getBytes(key);
    return value == null ? null : new String(value, UTF_8);
  }

  /** Returns the bytes of the first pair with this key; null if no pair has it. */
  public byte @Nullable [] getBytes(String key) {
    byte[] wanted = key.getBytes(UTF_8);
    if (Utf8.half(key, wanted) >= 0) return null;
    for (Entry entry : entries) {
      if (Arrays.equals(entry.key, wanted)) return entry.value.clone();
    }
    return null;
  }

  /** Returns the pairs in order. */
  public List<Entry> entries() {
    return entries;
  }

  /** Returns whether there are no pairs. */
  public boolean isEmpty() {
    return entries.isEmpty();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Metadata that && entries.equals(that.entries);
  }

  @Override
  public int hashCode() {
    return entries.hashCode();
  }

  @Override
  public String toString() {
    return entries.toString();
  }

  /** One pair of key and value. Immutable. */
  public static final class Entry implements Serializable {
    private static final long serialVersionUID = 1;

    private final byte[] key;
    private final byte[] value;

    /** Creates a pair. The arrays are copied. */
    public Entry(byte[] key, byte[] value) {
      this.key = key.clone();
      this.value = value.clone();
    }

    private static Entry of(String key, String value) {
      Objects.requireNonNull(key, "key");
      Objects.requireNonNull(value, "value");
      return new Entry(Utf8.bytes("the key \"" + key + "\" of metadata", key),
          Utf8.bytes("the value of \"" + key + "\" in metadata", value));
    }

    /** Returns the key as UTF-8. */
    public String key() {
      return new String(key, UTF_8);
    }

    /** Returns the value as UTF-8. */
    public String value() {
      return new String(value, UTF_8);
    }

    /** Returns a copy of the key's bytes. */
    public byte[] keyBytes() {
      return key.clone();
    }

    /** Returns a copy of the value's bytes. */
    public byte[] valueBytes() {
      return value.clone();
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Entry that && Arrays.equals(key, that.key) && Arrays.equals(value, that.value);
    }

    @Override
    public int hashCode() {
      return Objects.hash(Arrays.hashCode(key), Arrays.hashCode(value));
    }

    @Override
    public String toString() {
      return key() + "=" + value();
    }
  }
}
