package org.arbalest.device.internal.schema;

import java.util.ArrayList;
import java.util.List;
import org.arbalest.device.DataType;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Field;
import org.arbalest.device.FlatType.IntType;
import org.arbalest.device.NestedType.DictionaryType;
import org.arbalest.device.abi.ArrowSchemaStruct;
import org.arbalest.device.internal.calls.Calls;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.memory.Slots;

/** Reads C schemas. */
public final class SchemaImporter {
  private int fields;

  private SchemaImporter() {}

  /** Reads a schema and releases it, whether or not it could be read (SCH-19). */
  public static Field importSchema(long schema) {
    if (ArrowSchemaStruct.release(schema) == 0) throw DeviceException.invalid("$: the schema was released before it was imported");
    try {
      return new SchemaImporter().read(schema, 1);
    } catch (Malformed e) {
      throw e.toDeviceException();
    } finally {
      giveBack(schema);
    }
  }

  private Field read(long schema, int depth) {
    if (depth > FieldImpl.DEEPEST) throw new Malformed("nests deeper than " + FieldImpl.DEEPEST + " levels");
    if (++fields > Slots.MOST_NODES) throw new Malformed("has more than " + Slots.MOST_NODES + " fields");
    if (ArrowSchemaStruct.format(schema) == 0) throw new Malformed("format is NULL");
    String format = NativeHeap.getString(ArrowSchemaStruct.format(schema));
    long flags = ArrowSchemaStruct.flags(schema);
    List<Field> children = children(schema, depth);
    try {
      DataType type = Format.read(format, children, (flags & ArrowSchemaStruct.FLAG_MAP_KEYS_SORTED) != 0);
      long dictionary = ArrowSchemaStruct.dictionary(schema);
      if (dictionary != 0) type = encoded(format, type, flags, dictionary, depth);
      return FieldImpl.of(name(schema), type, flags, MetadataCodec.read(ArrowSchemaStruct.metadata(schema)));
    } catch (IllegalArgumentException | DeviceException e) {
      throw new Malformed(String.valueOf(e.getMessage()));
    }
  }

  private DataType encoded(String format, DataType index, long flags, long dictionary, int depth) {
    if (!(index instanceof IntType integer)) {
      throw new Malformed("the index of a dictionary is an integer, but its format is \"" + format + "\"");
    }
    if (ArrowSchemaStruct.release(dictionary) == 0) throw new Malformed("the dictionary is released");
    try {
      return new DictionaryType(integer, read(dictionary, depth + 1), (flags & ArrowSchemaStruct.FLAG_DICTIONARY_ORDERED) != 0);
    } catch (Malformed e) {
      throw e.under(Malformed.DICTIONARY);
    }
  }

  private List<Field> children(long schema, int depth) {
    long count = ArrowSchemaStruct.nChildren(schema);
    if (count < 0 || count > Slots.MOST_NODES) throw new Malformed("n_children = " + count + "; 0 to " + Slots.MOST_NODES + " are legal");
    if (count == 0) return List.of();
    if (ArrowSchemaStruct.children(schema) == 0) throw new Malformed("n_children = " + count + ", but children is NULL");
    List<Field> children = new ArrayList<>((int) count);
    for (long i = 0; i < count; i++) {
      long child = ArrowSchemaStruct.child(schema, i);
      if (child == 0) throw new Malformed("children[" + i + "] is NULL");
      if (ArrowSchemaStruct.release(child) == 0) throw new Malformed("children[" + i + "] is released");
      try {
        children.add(read(child, depth + 1));
      } catch (Malformed e) {
        throw e.under(name(child).isEmpty() ? "[" + i + "]" : name(child));
      }
    }
    return children;
  }

  private static String name(long schema) {
    long name = ArrowSchemaStruct.name(schema);
    return name == 0 ? "" : NativeHeap.getString(name);
  }

  /** Releases a schema, unless it is released. */
  public static void giveBack(long schema) {
    long release = ArrowSchemaStruct.release(schema);
    if (release != 0) Calls.release(release, schema);
  }
}
