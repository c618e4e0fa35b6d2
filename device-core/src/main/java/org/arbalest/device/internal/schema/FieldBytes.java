// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema;

import java.util.ArrayList;
import java.util.List;
import org.arbalest.device.c.ArrowSchemaStruct;
import org.arbalest.device.internal.memory.ByteReader;
import org.arbalest.device.internal.memory.ByteWriter;
import org.arbalest.device.internal.memory.Slots;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.IntType;
import org.arbalest.device.types.Metadata;
import org.arbalest.device.types.NestedType.DictionaryType;

/**
 * Serializes a field to bytes: the contents of its C schema, in the order format, name, flags, metadata, children,
 * dictionary.
 */
public final class FieldBytes {
  private static final int MOST_PAIRS = 1 << 16;

  private int fields;

  private FieldBytes() {}

  public static void write(Field field, ByteWriter out) {
    Layout layout = Layout.of(field);
    out.text(layout.format);
    out.text(field.name());
    out.long64(field.flags());
    List<Metadata.Entry> entries = field.metadata().entries();
    out.int32(entries.size());
    for (Metadata.Entry entry : entries) {
      out.bytes(entry.keyBytes());
      out.bytes(entry.valueBytes());
    }
    out.int32(layout.children.length);
    for (Field child : layout.children) write(child, out);
    Field dictionary = layout.dictionary;
    out.int32(dictionary == null ? 0 : 1);
    if (dictionary != null) write(dictionary, out);
  }

  /**
   * Reads a field that {@link #write} wrote, with the checks of an imported schema. Throws {@link MalformedException}.
   */
  public static Field read(ByteReader in) {
    return new FieldBytes().read(in, 1);
  }

  private Field read(ByteReader in, int depth) {
    if (depth > FieldImpl.DEEPEST) throw new MalformedException("nests deeper than " + FieldImpl.DEEPEST + " levels");
    if (++fields > Slots.MOST_NODES) throw new MalformedException("has more than " + Slots.MOST_NODES + " fields");
    String format = in.text("a format");
    String name = in.text("a name");
    long flags = in.long64("flags");
    Metadata metadata = metadata(in);
    int count = in.count("the number of children", Slots.MOST_NODES);
    List<Field> children = new ArrayList<>();
    for (int i = 0; i < count; i++) children.add(read(in, depth + 1));
    boolean isEncoded = in.count("whether there is a dictionary", 1) == 1;
    Field values = isEncoded ? read(in, depth + 1) : null;
    try {
      DataType type = Format.read(format, children, (flags & ArrowSchemaStruct.FLAG_MAP_KEYS_SORTED) != 0);
      if (values != null) {
        if (!(type instanceof IntType index))
          throw new MalformedException("the index of a dictionary is an integer, but its format is \"" + format + "\"");
        type = new DictionaryType(index, values, (flags & ArrowSchemaStruct.FLAG_DICTIONARY_ORDERED) != 0);
      }
      return FieldImpl.of(name, type, flags, metadata);
    } catch (IllegalArgumentException e) {
      throw new MalformedException(String.valueOf(e.getMessage())).under(name);
    }
  }

  private static Metadata metadata(ByteReader in) {
    int pairs = in.count("the number of pairs of metadata", MOST_PAIRS);
    List<Metadata.Entry> entries = new ArrayList<>();
    for (int i = 0; i < pairs; i++)
      entries.add(new Metadata.Entry(in.bytes("a key of metadata"), in.bytes("a value of metadata")));
    return Metadata.of(entries);
  }
}
