// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.flatbuf;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.arbalest.device.ipc.IpcException;
import org.arbalest.device.ipc.internal.flatbuf.Slot.Kind;

/**
 * A check of untrusted FlatBuffers. The generated classes follow every offset; after the check they stay within the
 * bytes, as long as these do not change.
 *
 * <p>The check leaves three things to the readers. A string may be malformed UTF-8: the generated {@code name()} then
 * throws {@link IllegalArgumentException}, and {@code nameAsByteBuffer()} never does. A table or vector may be absent,
 * except a message's header. The values of scalars, and the fields of tensors, are unchecked.
 *
 * <p>The format also demands aligned values, and a zero after each string. Java needs neither, so both are unchecked.
 */
public final class Verifier {
  /** Tables nest at most this deep. Core's limit for the nesting of fields is lower. */
  static final int DEEPEST = 128;

  /**
   * Tables may share tables, vectors and strings. All of them, counted once for each path to them, have at most this
   * many times the bytes of the buffer. Otherwise a small buffer could describe exponentially many fields.
   */
  static final int SHARING = 16;

  /** The cost of a table in addition to its bytes: it limits the number of visits by the size of the buffer. */
  private static final int TABLE_COST = 16;

  private final ByteBuffer bytes;
  private final int start;
  private final int end;
  private long budget;

  private Verifier(ByteBuffer bytes) {
    this.bytes = bytes;
    this.start = bytes.position();
    this.end = bytes.limit();
    this.budget = (long) SHARING * (end - start);
  }

  /**
   * Verifies a Message.
   *
   * @param bytes the message from position to limit, little-endian
   * @param at the position of the message in the file or stream, from which errors count
   * @throws IpcException if the generated classes could leave the bytes, or the message has no header
   */
  public static void message(ByteBuffer bytes, long at) {
    verify(ArrowTables.MESSAGE, bytes, at);
  }

  /**
   * Verifies a Footer.
   *
   * @param bytes the footer from position to limit, little-endian
   * @param at the position of the footer in the file, from which errors count
   * @throws IpcException if the generated classes could leave the bytes
   */
  public static void footer(ByteBuffer bytes, long at) {
    verify(ArrowTables.FOOTER, bytes, at);
  }

  private static void verify(TableType root, ByteBuffer bytes, long at) {
    if (bytes.order() != ByteOrder.LITTLE_ENDIAN) throw new IllegalArgumentException("the buffer is big-endian");
    Verifier verifier = new Verifier(bytes);
    try {
      verifier.root(root);
    } catch (Fault fault) {
      String size = "; the " + root.name() + " has " + bytes.remaining() + " bytes";
      throw new IpcException(at + (fault.position() - verifier.start), fault.from(root).text() + size);
    }
  }

  private void root(TableType type) {
    if (end - start < Integer.BYTES) throw new Fault(start, "the offset of the root table needs 4 bytes");
    table(type, target(start), 1);
  }

  /** Verifies the table at a position with at least four bytes. */
  private void table(TableType type, int table, int depth) {
    if (depth > DEEPEST) throw new Fault(table, "tables nest deeper than " + DEEPEST + " levels");
    int vtable = vtable(table);
    int vtableSize = Short.toUnsignedInt(bytes.getShort(vtable));
    int size = Short.toUnsignedInt(bytes.getShort(vtable + 2));
    if (size < 4 || size > end - table) {
      throw new Fault(vtable + 2, "the table of " + size + " bytes at offset " + (table - start) + " does not fit");
    }
    spend(table, TABLE_COST + size);
    int before = 0; // the field of the slot before: the type of a union
    for (int i = 0; i < type.size(); i++) {
      Slot slot = type.slot(i);
      try {
        int field = slot.entry() < vtableSize ? Short.toUnsignedInt(bytes.getShort(vtable + slot.entry())) : 0;
        if (field != 0) {
          // the generated classes read the offset as a signed number
          if (field < 4 || field > size - slot.inline() || field > Short.MAX_VALUE) {
            throw new Fault(vtable + slot.entry(), "the field of " + slot.inline() + " bytes at " + field
                + " does not fit into the table of " + size + " bytes at offset " + (table - start));
          }
          field += table;
        }
        if (slot.isUnion()) {
          union(slot, before, field, table, depth);
        } else if (field != 0) {
          field(slot, field, depth);
        }
        before = field;
      } catch (Fault fault) {
        throw fault.within("." + slot.name());
      }
    }
  }

  /** Returns the position of the table's vtable, which lies within the buffer. */
  private int vtable(int table) {
    long vtable = (long) table - bytes.getInt(table);
    if (vtable < start || vtable > end - 4) {
      throw new Fault(table, "the vtable at offset " + (vtable - start) + " is outside");
    }
    int size = Short.toUnsignedInt(bytes.getShort((int) vtable));
    // the generated classes read the size as a signed number
    if (size < 4 || size % 2 != 0 || size > Short.MAX_VALUE || size > end - vtable) {
      throw new Fault((int) vtable, "the vtable at offset " + (vtable - start) + " has an invalid size of " + size);
    }
    return (int) vtable;
  }

  private void field(Slot slot, int field, int depth) {
    switch (slot.kind()) {
      case STRING, VECTOR -> vector(target(field), slot.width());
      case TABLE -> table(slot.tables().getFirst(), target(field), depth + 1);
      case TABLES -> tables(slot.tables().getFirst(), target(field), depth + 1);
      case SCALAR, UNION, REQUIRED_UNION -> {}
    }
  }

  private void tables(TableType type, int vector, int depth) {
    int length = vector(vector, Integer.BYTES);
    for (int i = 0; i < length; i++) {
      try {
        table(type, target(vector + 4 + 4 * i), depth);
      } catch (Fault fault) {
        throw fault.within("[" + i + "]");
      }
    }
  }

  /** Verifies a union: {@code type} and {@code field} are the positions of its two fields, or 0. */
  private void union(Slot slot, int type, int field, int table, int depth) {
    List<TableType> tables = slot.tables();
    int number = type == 0 ? 0 : Byte.toUnsignedInt(bytes.get(type));
    if (number > tables.size()) throw new Fault(type, slot.name() + " " + number + " is unknown");
    if (number == 0) {
      if (field != 0) throw new Fault(field, "the type of the table is missing");
      if (slot.kind() == Kind.REQUIRED_UNION) throw new Fault(table, "the " + slot.name() + " is missing");
      return;
    }
    TableType member = tables.get(number - 1);
    if (field == 0) throw new Fault(type, "the table of the type " + member.name() + " is missing");
    int target = target(field);
    try {
      table(member, target, depth + 1);
    } catch (Fault fault) {
      throw depth == 1 ? fault.from(member) : fault.within("(" + member.name() + ")");
    }
  }

  /** Verifies the vector at a position with at least four bytes, and returns its length. */
  private int vector(int vector, int width) {
    long length = Integer.toUnsignedLong(bytes.getInt(vector));
    if (length * width > end - vector - 4) {
      String elements = width == 1 ? " bytes" : " elements of " + width + " bytes";
      throw new Fault(vector, length + elements + " at offset " + (vector + 4 - start) + " do not fit");
    }
    spend(vector, 4 + length * width);
    return (int) length;
  }

  /**
   * Returns the position that the offset at a position leads to. Four bytes fit there: the size of a vector or string,
   * or the offset of a vtable. Offsets only lead forward, so tables form no cycle.
   */
  private int target(int position) {
    int offset = bytes.getInt(position);
    if (offset <= 0 || offset > end - position - 4) {
      long unsigned = Integer.toUnsignedLong(offset);
      throw new Fault(position, "the offset " + unsigned + " at offset " + (position - start)
          + (offset == 0 ? " leads nowhere" : " leads beyond the end"));
    }
    return position + offset;
  }

  private void spend(int position, long cost) {
    budget -= cost;
    if (budget < 0) {
      throw new Fault(position, "shared tables, vectors and strings exceed " + SHARING + " times the size");
    }
  }
}
