package org.arbalest.device;

import java.util.ArrayList;
import java.util.List;
import org.arbalest.device.DataType.DictionaryType;
import org.arbalest.device.DataType.IntType;
import org.arbalest.device.abi.ArrowSchemaStruct;

/** Reads C schemas. */
final class SchemaImporter {
  private int fields;

  private SchemaImporter() {}

  /** Reads a schema and releases it, whether or not it could be read (SCH-19). */
  static Field importSchema(long schema) {
    if (ArrowSchemaStruct.release(schema) == 0) throw DeviceException.invalid("$: the schema was released before it was imported");
    try {
      return new SchemaImporter().read(schema, 1);
    } catch (Malformed e) {
      throw e.toDeviceException();
    } finally {
      Calls.releaseSchema(schema);
    }
  }

  private Field read(long schema, int depth) {
    if (depth > Field.DEEPEST) throw new Malformed("nests deeper than " + Field.DEEPEST + " levels");
    if (++fields > Slots.MOST_NODES) throw new Malformed("has more than " + Slots.MOST_NODES + " fields");
    if (ArrowSchemaStruct.format(schema) == 0) throw new Malformed("format is NULL");
    String format = NativeHeap.getString(ArrowSchemaStruct.format(schema));
    long flags = ArrowSchemaStruct.flags(schema);
    List<Field> children = children(schema, depth);
    try {
      DataType type = Format.read(format, children, (flags & ArrowSchemaStruct.FLAG_MAP_KEYS_SORTED) != 0);
      long dictionary = ArrowSchemaStruct.dictionary(schema);
      if (dictionary != 0) type = encoded(format, type, flags, dictionary, depth);
      return Field.of(name(schema), type, flags, MetadataCodec.read(ArrowSchemaStruct.metadata(schema)));
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
}
