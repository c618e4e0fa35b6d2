// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy;

import org.arbalest.device.types.Field;
import org.arbalest.device.types.NestedType.DictionaryType;
import org.arbalest.device.internal.memory.Integers;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.MalformedException;
import org.arbalest.device.internal.schema.TypeNames;

/**
 * Dictionary columns: indices into one dictionary. If all inputs have the same dictionary, the result has it too.
 * Otherwise the result's dictionary contains the different dictionaries in order, each once.
 */
final class ConcatDictionary {
  private final ConcatPlan plan;
  private final DictionaryType type;
  private final Layout layout;
  private final ConcatInputs inputs;

  /** The inputs of the result's dictionary. Kept dictionaries contribute all their values, the others none. */
  private final ConcatInputs dictionaries;

  /** The position of each input's values in the result's dictionary. */
  private final long[] shift;

  /** The indices of the inputs whose dictionaries are kept. */
  private final int[] kept;

  private int keptCount;
  private long total;

  private ConcatDictionary(ConcatPlan plan, Field field, ConcatInputs inputs) {
    this.plan = plan;
    this.type = (DictionaryType) field.type();
    this.layout = Layout.of(field);
    this.inputs = inputs;
    this.dictionaries = inputs.dictionaries();
    this.shift = new long[inputs.structs.length];
    this.kept = new int[inputs.structs.length];
  }

  static void measure(ConcatPlan plan, ConcatPlan.Node node, Field field, ConcatInputs inputs) {
    new ConcatDictionary(plan, field, inputs).measure(node);
  }

  private void measure(ConcatPlan.Node node) {
    try {
      plan.each(inputs, this::collect);
    } catch (MalformedException e) {
      throw e.under(MalformedException.DICTIONARY);
    }
    if (node.length == 0) keep(0); // an array without elements has a dictionary too
    long bits = layout.bits;
    boolean isOne = keptCount == 1;
    node.buffers.add(
        isOne ? plan.values(inputs, 1, bits, node.length)
            : plan.buffer((bits >>> 3) * node.length, to -> plan.each(inputs, i -> write(i, to))));
    try {
      node.dictionary = plan.measure(MalformedException.DICTIONARY, type.values(), dictionaries);
    } catch (MalformedException e) {
      throw e.under(MalformedException.DICTIONARY);
    }
  }

  private void collect(int input) {
    for (int i = 0; i < keptCount; i++) {
      if (isSame(kept[i], input)) {
        shift[input] = shift[kept[i]];
        return;
      }
    }
    long length = dictionaries.length(input);
    if (type.ordered() && total > 0 && length > 0)
      throw new MalformedException("is ordered, and differs from the dictionary of the arrays before");
    shift[input] = total;
    if (keptCount > 0 && length > 0 && total > Integers.most(layout.bits, type.index().signed()) - (length - 1)) {
      throw new MalformedException(
          total + " + " + length + " values are more than indices of type " + TypeNames.of(type.index()) + " reach");
    }
    keep(input);
  }

  private void keep(int input) {
    dictionaries.set(input, dictionaries.offset(input), dictionaries.length(input));
    total += dictionaries.length(input);
    kept[keptCount++] = input;
  }

  private boolean isSame(int one, int other) {
    if (dictionaries.length(one) != dictionaries.length(other)) return false;
    return new SameValues(plan.owner(inputs, one), plan.owner(inputs, other))
        .test(
            Layout.of(type.values()), dictionaries.structs[one], dictionaries.offset(one), dictionaries.structs[other],
            dictionaries.offset(other),
            dictionaries.length(one));
  }

  /** Writes the indices. Each one is checked, because a wrong one would lead into another input's dictionary. */
  private void write(int input, long to) {
    long from = inputs.buffer(input, 1);
    long length = dictionaries.length(input);
    for (long k = 0; k < inputs.counts[input]; k++) {
      long at = inputs.starts[input] + k;
      long index = 0;
      if (!inputs.isNull(input, k)) {
        long own =
            type.index().signed() ? Integers.get(from, layout.bits, at) : Integers.getUnsigned(from, layout.bits, at);
        if (own < 0 || own >= length)
          throw new MalformedException("index " + own + " is beyond the " + length + " values of the dictionary");
        index = own + shift[input];
      }
      Integers.put(to, layout.bits, inputs.at[input] + k, index);
    }
  }
}
