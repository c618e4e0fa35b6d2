// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy;

import java.util.Arrays;
import org.arbalest.device.internal.copy.ElementValues.Steps;
import org.arbalest.device.internal.schema.Layout;

/**
 * The different values of several dictionaries, in the order in which they are added. Each slot of the table that is
 * tried takes a step. Without steps left, indices are wrong.
 */
final class UnitedValues {
  private final Layout layout;

  /** The inputs that have the dictionaries, and their readers. */
  private final ConcatInputs dictionaries;

  private final ElementValues[] readers;
  private final Steps steps;

  /** Where the values are: to be copied to the result's dictionary in this order. */
  private final ConcatInputs.Collected places = new ConcatInputs.Collected();

  // of each value
  private int[] inputs = new int[16];
  private int[] elements = new int[16];
  private int[] hashes = new int[16];
  private int count;

  /** The values by their hashes, plus 1; 0 is empty. The length is a power of 2, and more than twice the count. */
  private int[] table = new int[64];

  UnitedValues(Layout layout, ConcatInputs dictionaries, ElementValues[] readers, Steps steps) {
    this.layout = layout;
    this.dictionaries = dictionaries;
    this.readers = readers;
    this.steps = steps;
  }

  boolean areOver() {
    return steps.areOver();
  }

  int count() {
    return count;
  }

  /** Returns the values as inputs of the result's dictionary; there are some. */
  ConcatInputs places() {
    return places.inputs();
  }

  /** Returns the index of a value of an input's dictionary. Adds it unless an equal value is there. */
  int add(int input, int element) {
    int hash = hash(input, element);
    int slot = find(input, element, hash);
    if (table[slot] != 0) return table[slot] - 1;
    append(input, element, hash);
    table[slot] = count;
    if (2 * count >= table.length) grow();
    return count - 1;
  }

  /** Adds all values of an input's dictionary, also equal ones. These are the first values, so the indices stay. */
  void addWhole(int input) {
    int length = (int) dictionaries.length(input);
    for (int element = 0; element < length && !steps.areOver(); element++) {
      int hash = hash(input, element);
      int slot = find(input, element, hash);
      append(input, element, hash);
      if (table[slot] == 0) table[slot] = count;
      if (2 * count >= table.length) grow();
    }
  }

  private int hash(int input, int element) {
    return readers[input].hash(layout, dictionaries.structs[input], dictionaries.offset(input) + element);
  }

  private int firstSlot(int hash) {
    return hash & (table.length - 1);
  }

  /** Returns the slot of an equal value, or an empty slot; any slot if the steps are over. */
  private int find(int input, int element, int hash) {
    int slot = firstSlot(hash);
    while (table[slot] != 0 && !steps.areOver()) {
      int there = table[slot] - 1;
      if (hashes[there] == hash && isEqual(there, input, element)) return slot;
      slot = next(slot);
    }
    return slot;
  }

  private int next(int slot) {
    steps.take(1);
    return (slot + 1) & (table.length - 1);
  }

  private boolean isEqual(int there, int input, int element) {
    int own = inputs[there];
    return readers[input].equal(layout, dictionaries.structs[input], dictionaries.offset(input) + element, readers[own],
        dictionaries.structs[own], dictionaries.offset(own) + elements[there]);
  }

  private void append(int input, int element, int hash) {
    if (count == inputs.length) {
      inputs = Arrays.copyOf(inputs, 2 * count);
      elements = Arrays.copyOf(elements, 2 * count);
      hashes = Arrays.copyOf(hashes, 2 * count);
    }
    inputs[count] = input;
    elements[count] = element;
    hashes[count++] = hash;
    places.add(dictionaries.origins[input], dictionaries.structs[input], dictionaries.offset(input) + element, 1);
  }

  private void grow() {
    int[] old = table;
    table = new int[2 * old.length];
    for (int entry : old) {
      if (entry == 0) continue;
      int slot = firstSlot(hashes[entry - 1]);
      while (table[slot] != 0 && !steps.areOver()) slot = next(slot);
      table[slot] = entry;
    }
  }
}
