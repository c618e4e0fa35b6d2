// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema;

import java.util.ArrayList;
import java.util.List;
import org.arbalest.device.DeviceException;
import org.arbalest.device.c.ArrowSchemaStruct;
import org.arbalest.device.internal.abi.RawArrowSchema;
import org.arbalest.device.internal.calls.Calls;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.memory.Slots;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.IntType;
import org.arbalest.device.types.Metadata;
import org.arbalest.device.types.NestedType.DictionaryType;

/** A reader of C schemas. It reads each string once, so the cache keeps exactly the bytes that were parsed. */
public final class SchemaImporter {
  private final SchemaText text = new SchemaText(RecentSchemas.MOST_BYTES);
  private int fields;

  private record Read(Field field, SchemaImage.Node node) {}

  private SchemaImporter() {}

  /** Imports a schema and releases it, whether or not the import succeeds (SCH-19). */
  public static Field importSchema(long schema) {
    if (RawArrowSchema.release(schema) == 0)
      throw DeviceException.invalid("the schema was released before it was imported");
    try {
      Field recent = RecentSchemas.find(schema);
      return recent == null ? new SchemaImporter().read(schema) : recent;
    } catch (MalformedException e) {
      throw e.toException();
    } finally {
      giveBack(schema);
    }
  }

  private Field read(long schema) {
    Read root = read(schema, 1);
    if (!text.isFull() && fields <= RecentSchemas.MOST_NODES)
      RecentSchemas.add(new SchemaImage(root.node, fields, text), root.field);
    return root.field;
  }

  private Read read(long schema, int depth) {
    if (depth > FieldImpl.DEEPEST) throw new MalformedException("nests deeper than " + FieldImpl.DEEPEST + " levels");
    if (++fields > Slots.MOST_NODES) throw new MalformedException("has more than " + Slots.MOST_NODES + " fields");
    if (RawArrowSchema.format(schema) == 0) throw new MalformedException("format is NULL");
    int formatPlace = text.size();
    String format = text.putString(RawArrowSchema.format(schema));
    long flags = RawArrowSchema.flags(schema);
    List<Read> children = children(schema, depth);
    List<Field> childFields = new ArrayList<>(children.size());
    SchemaImage.Node[] childNodes = new SchemaImage.Node[children.size()];
    for (Read child : children) {
      childNodes[childFields.size()] = child.node;
      childFields.add(child.field);
    }
    try {
      DataType type = Format.read(format, childFields, (flags & ArrowSchemaStruct.FLAG_MAP_KEYS_SORTED) != 0);
      long dictionaryStruct = RawArrowSchema.dictionary(schema);
      Read dictionary = dictionaryStruct == 0 ? null : dictionary(format, type, dictionaryStruct, depth);
      if (dictionary != null && type instanceof IntType index) {
        type = new DictionaryType(index, dictionary.field, (flags & ArrowSchemaStruct.FLAG_DICTIONARY_ORDERED) != 0);
      }
      long nameString = RawArrowSchema.name(schema);
      int namePlace = nameString == 0 ? -1 : text.size();
      String name = nameString == 0 ? "" : text.putString(nameString);
      long block = RawArrowSchema.metadata(schema);
      Metadata metadata = block == 0 ? Metadata.empty() : MetadataCodec.read(block);
      int metadataPlace = block == 0 ? -1 : text.put(metadata);
      SchemaImage.Node values = dictionary == null ? null : dictionary.node;
      SchemaImage.Node node = new SchemaImage.Node(flags, formatPlace, namePlace, metadataPlace, childNodes, values);
      return new Read(FieldImpl.of(name, type, flags, metadata), node);
    } catch (IllegalArgumentException | DeviceException e) {
      throw new MalformedException(String.valueOf(e.getMessage()));
    }
  }

  private Read dictionary(String format, DataType index, long dictionary, int depth) {
    if (!(index instanceof IntType))
      throw new MalformedException("the index of a dictionary is an integer, but its format is \"" + format + "\"");
    if (RawArrowSchema.release(dictionary) == 0) throw new MalformedException("the dictionary is released");
    try {
      return read(dictionary, depth + 1);
    } catch (MalformedException e) {
      throw e.under(MalformedException.DICTIONARY);
    }
  }

  private List<Read> children(long schema, int depth) {
    long count = RawArrowSchema.nChildren(schema);
    if (count < 0 || count > Slots.MOST_NODES)
      throw new MalformedException("n_children = " + count + "; 0 to " + Slots.MOST_NODES + " are legal");
    if (count == 0) return List.of();
    if (RawArrowSchema.children(schema) == 0)
      throw new MalformedException("n_children = " + count + ", but children is NULL");
    List<Read> children = new ArrayList<>((int) count);
    for (long i = 0; i < count; i++) {
      long child = RawArrowSchema.child(schema, i);
      if (child == 0) throw new MalformedException("children[" + i + "] is NULL");
      if (RawArrowSchema.release(child) == 0) throw new MalformedException("children[" + i + "] is released");
      try {
        children.add(read(child, depth + 1));
      } catch (MalformedException e) {
        throw e.under(name(child).isEmpty() ? "[" + i + "]" : name(child));
      }
    }
    return children;
  }

  private static String name(long schema) {
    long name = RawArrowSchema.name(schema);
    return name == 0 ? "" : NativeHeap.getString(name);
  }

  /**
   * Releases a schema that is not released yet. A schema that this library exported is released without a native call.
   */
  public static void giveBack(long schema) {
    long release = RawArrowSchema.release(schema);
    if (release == SchemaExport.RELEASE) {
      SchemaExport.release(schema);
    } else if (release != 0) {
      Calls.release(release, schema);
    }
  }
}
