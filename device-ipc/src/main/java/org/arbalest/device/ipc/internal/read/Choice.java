// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.read;

import java.util.ArrayList;
import java.util.List;
import org.arbalest.device.ipc.internal.schema.IpcField;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/** A field to read: whole, or a struct with some of its fields. Immutable. */
final class Choice {
  final IpcField source;

  /** The field of the result. */
  final Field field;

  /** The number of this choice, by which a decoder knows the place of its arrays. */
  final int slot;

  /** The chosen fields of a struct, in the order of the result; null if all are, in their own order. */
  final @Nullable List<Choice> fields;

  /** The choice of each child of the source; null for one that is not chosen. */
  private final @Nullable Choice[] byChild;

  private Choice(IpcField source, Field field, int[] slots) {
    this.source = source;
    this.field = field;
    this.slot = slots[0]++;
    byChild = new Choice[source.childCount()];
    if (source.field.equals(field)) {
      fields = null;
      return;
    }
    fields = new ArrayList<>();
    for (Field chosen : field.type().children()) {
      int child = child(source, chosen);
      Choice choice = new Choice(source.child(child), chosen, slots);
      byChild[child] = choice;
      fields.add(choice);
    }
  }

  /**
   * Creates the choice of a field.
   *
   * @param field the source's field, or that of a struct with some of its fields, each of which has a name of its own
   * @param slots has the next number
   */
  static Choice of(IpcField source, Field field, int[] slots) {
    return new Choice(source, field, slots);
  }

  private static int child(IpcField source, Field field) {
    for (int i = 0; i < source.childCount(); i++) {
      if (source.child(i).field.name().equals(field.name())) return i;
    }
    throw new IllegalStateException("the struct has no field " + field.name());
  }

  /** Returns the choice of a child of the source; null if it is not chosen. */
  @Nullable
  Choice child(int child) {
    return byChild[child];
  }
}
