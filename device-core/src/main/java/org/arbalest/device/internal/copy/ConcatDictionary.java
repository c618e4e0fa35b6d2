// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy;

import java.util.Arrays;
import java.util.BitSet;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.arbalest.device.internal.array.RecordedArrays;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.NestedType.DictionaryType;
import org.arbalest.device.internal.memory.Integers;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.MalformedException;
import org.arbalest.device.internal.schema.TypeNames;
import org.jspecify.annotations.Nullable;

/**
 * Dictionary columns: indices into one dictionary. If all inputs have the same dictionary, the result has it too.
 * Otherwise the result's dictionary contains the different values in order, each once. Values that no row has are left
 * out if they are most of a large dictionary, or if the indices do not reach all values.
 */
final class ConcatDictionary {
  /** The number of values of all dictionaries up to which equal values are united. */
  private static final long MOST_UNITED = 1 << 24;

  private final ConcatPlan plan;
  private final DictionaryType type;
  private final Layout layout;
  private final Layout valueLayout;
  private final boolean areComparable;
  private final ConcatInputs inputs;

  /** The inputs' dictionaries. */
  private final ConcatInputs dictionaries;

  /** For each input, the first input that has the same dictionary. */
  private final int[] same;

  /** The inputs with the different dictionaries: the first one of each. */
  private final int[] kept;

  private int keptCount;

  // by the first input with the dictionary
  private final long[] rows;

  /** The values of a dictionary that are not left out, in order; null for all. */
  private final int[] @Nullable [] used;

  /** The new index of each value that is not left out; null if {@link #shift} is added to each index. */
  private final int[] @Nullable [] moved;

  private final long[] shift;

  private ConcatDictionary(ConcatPlan plan, Field field, ConcatInputs inputs) {
    int count = inputs.structs.length;
    this.plan = plan;
    this.type = (DictionaryType) field.type();
    this.layout = Layout.of(field);
    this.valueLayout = Layout.of(type.values());
    this.areComparable = ElementValues.areComparable(valueLayout);
    this.inputs = inputs;
    this.dictionaries = inputs.dictionaries();
    this.same = new int[count];
    this.kept = new int[count];
    this.rows = new long[count];
    this.used = new int[count][];
    this.moved = new int[count][];
    this.shift = new long[count];
  }

  static void measure(ConcatPlan plan, ConcatPlan.Node node, Field field, ConcatInputs inputs) {
    new ConcatDictionary(plan, field, inputs).measure(node);
  }

  private void measure(ConcatPlan.Node node) {
    plan.each(inputs, this::collect);
    if (node.length == 0) kept[keptCount++] = 0; // an array without elements has a dictionary too
    ConcatInputs values = keptCount == 1 ? one(kept[0]) : several();
    boolean areUnchanged = keptCount == 1 && moved[kept[0]] == null;
    long bits = layout.bits;
    node.buffers.add(
        areUnchanged ? plan.values(inputs, 1, bits, node.length)
            : plan.buffer((bits >>> 3) * node.length, to -> plan.each(inputs, i -> write(i, to))));
    try {
      node.dictionary = plan.measure(MalformedException.DICTIONARY, type.values(), values);
    } catch (MalformedException e) {
      throw e.under(MalformedException.DICTIONARY);
    }
  }

  private void collect(int input) {
    for (int i = 0; i < keptCount; i++) {
      if (!isSame(kept[i], input)) continue;
      same[input] = kept[i];
      rows[kept[i]] += inputs.counts[input];
      return;
    }
    kept[keptCount++] = input;
    same[input] = input;
    rows[input] = inputs.counts[input];
  }

  private boolean isSame(int one, int other) {
    if (dictionaries.length(one) != dictionaries.length(other)) return false;
    return new SameValues(plan.owner(inputs, one), plan.owner(inputs, other))
        .test(valueLayout, dictionaries.structs[one], dictionaries.offset(one), dictionaries.structs[other],
            dictionaries.offset(other), dictionaries.length(one));
  }

  /** Returns the values of the only dictionary. */
  private ConcatInputs one(int input) {
    if (!isSpare(input)) return whole(input);
    ConcatInputs.Collected values = new ConcatInputs.Collected();
    keepUsed(input, values, 0);
    return values.isEmpty() ? dictionaries : values.inputs();
  }

  /** Adds the values that rows have to the result, after a number of others. Returns their count. */
  private int keepUsed(int input, ConcatInputs.Collected values, int before) {
    int[] own = used(input);
    int[] indices = new int[own.length];
    for (int k = 0; k < own.length; k++) {
      indices[k] = before + k;
      values.add(dictionaries.origins[input], dictionaries.structs[input], dictionaries.offset(input) + own[k], 1);
    }
    used[input] = own;
    moved[input] = indices;
    return own.length;
  }

  private ConcatInputs whole(int input) {
    dictionaries.set(input, dictionaries.offset(input), dictionaries.length(input));
    return dictionaries;
  }

  /**
   * Returns whether values are left out because the rows have few of them, even if each row has another one. An ordered
   * dictionary keeps its levels, and is joined only to one that has them. Values that cannot be compared stay because
   * different parts of one dictionary could not be united again.
   */
  private boolean isSpare(int input) {
    long length = dictionaries.length(input);
    if (plan.dictionaries == ConcatPlan.Dictionaries.WHOLE) return false;
    if (type.ordered() || !areComparable || length > MOST_UNITED) return false;
    if (!SpareMemory.isMost(rows[input], length)) return false;
    long cost = rows[input] * layout.width();
    long bytes = SpareMemory.leastBytes(valueLayout, dictionaries.structs[input], dictionaries.offset(input), length,
        true, SpareMemory.spareFrom(cost));
    return SpareMemory.isMostBytes(cost, bytes);
  }

  /** Returns the values that rows have, in order. Few rows cost nothing that depends on the dictionary's length. */
  private int[] used(int dictionary) {
    if (!SpareMemory.isMost(rows[dictionary], dictionaries.length(dictionary))) {
      BitSet used = new BitSet();
      eachIndex(dictionary, used::set);
      return used.stream().toArray();
    }
    IntStream.Builder used = IntStream.builder();
    eachIndex(dictionary, used);
    return used.build().sorted().distinct().toArray();
  }

  /** Calls an action with the index of each row that is not null. The dictionary's length is an int. */
  private void eachIndex(int dictionary, IntConsumer action) {
    plan.each(inputs, input -> {
      if (same[input] != dictionary) return;
      for (long k = 0; k < inputs.counts[input]; k++) {
        if (!inputs.isNull(input, k)) action.accept((int) index(input, k));
      }
    });
  }

  /** Returns the values of different dictionaries. */
  private ConcatInputs several() {
    ConcatInputs united = united();
    if (united != null) return united;
    if (plan.dictionaries != ConcatPlan.Dictionaries.APPENDED)
      throw new MalformedException("the dictionaries cannot be united");
    return appended();
  }

  /** Returns the different values, each once; null if they cannot be compared in a reasonable time. */
  private @Nullable ConcatInputs united() {
    if (!areComparable) return null;
    long sum = 0;
    long bytes = 0;
    for (int i = 0; i < keptCount; i++) {
      long length = dictionaries.length(kept[i]);
      sum = Math.min(MOST_UNITED + 1, sum + Math.min(MOST_UNITED + 1, length));
      if (sum > MOST_UNITED) return null;
      long least = SpareMemory.leastBytes(valueLayout, dictionaries.structs[kept[i]], dictionaries.offset(kept[i]),
          length, true, Long.MAX_VALUE);
      bytes = Math.min(Layout.MOST_BYTES, RecordedArrays.sum(bytes, least));
    }
    ElementValues.Steps steps = new ElementValues.Steps((1L << 26) + 64 * sum + 16 * bytes);
    UnitedValues values = unite(steps, false);
    if (!type.ordered() && values.count() - 1L > most()) values = unite(steps, true);
    if (steps.areOver()) return null;
    return values.count() == 0 ? dictionaries : values.places();
  }

  private long most() {
    return Integers.most(layout.bits, type.index().signed());
  }

  /** @param onlyUsed whether the values of all dictionaries that no row has are left out */
  private UnitedValues unite(ElementValues.Steps steps, boolean onlyUsed) {
    ElementValues[] readers = new ElementValues[inputs.structs.length];
    for (int i = 0; i < keptCount; i++) readers[kept[i]] = new ElementValues(plan.owner(inputs, kept[i]), steps);
    UnitedValues values = new UnitedValues(valueLayout, dictionaries, readers, steps);
    int first = first();
    add(values, first, onlyUsed, true);
    for (int i = 0; i < keptCount && !steps.areOver(); i++) {
      if (kept[i] == first) continue;
      long before = values.count();
      add(values, kept[i], onlyUsed, false);
      plan.reads(inputs, Math.max(first, kept[i]));
      if (type.ordered() && (values.count() > before || descends(moved[kept[i]]))) throw isOrdered();
      if (onlyUsed && values.count() - 1L > most()) throw tooMany(before, values.count() - before);
    }
    return values;
  }

  /** Returns the input whose dictionary comes first. An ordered one must have the values of all others. */
  private int first() {
    int first = kept[0];
    for (int i = 1; type.ordered() && i < keptCount; i++) {
      if (dictionaries.length(kept[i]) > dictionaries.length(first)) first = kept[i];
    }
    return first;
  }

  private void add(UnitedValues values, int input, boolean onlyUsed, boolean isFirst) {
    moved[input] = null;
    used[input] = null;
    shift[input] = 0;
    int length = (int) dictionaries.length(input);
    boolean leavesOut = onlyUsed || isSpare(input);
    if (isFirst && !leavesOut) {
      values.addWhole(input);
      return;
    }
    int[] own = leavesOut ? used(input) : null;
    int[] indices = new int[own == null ? length : own.length];
    for (int k = 0; k < indices.length && !values.areOver(); k++)
      indices[k] = values.add(input, own == null ? k : own[k]);
    used[input] = own;
    moved[input] = indices;
  }

  /** Returns the new index of a value, or −1 if the value was left out. */
  private long moved(int dictionary, long own) {
    int[] indices = moved[dictionary];
    if (indices == null) return own + shift[dictionary];
    int[] values = used[dictionary];
    int at = values == null ? (int) own : Arrays.binarySearch(values, (int) own);
    return at < 0 ? -1 : indices[at];
  }

  private static boolean descends(int @Nullable [] indices) {
    for (int i = 1; indices != null && i < indices.length; i++) {
      if (indices[i] < indices[i - 1]) return true;
    }
    return false;
  }

  /**
   * Returns the values of all dictionaries, one dictionary after the other: those that rows have if the indices do not
   * reach all.
   */
  private ConcatInputs appended() {
    boolean areInReach = true;
    boolean areInts = true;
    long sum = 0;
    for (int i = 0; i < keptCount; i++) {
      long length = dictionaries.length(kept[i]);
      areInReach &= i == 0 || length == 0 || sum <= most() - (length - 1);
      areInts &= length <= Integer.MAX_VALUE;
      sum = RecordedArrays.sum(sum, length);
    }
    return type.ordered() || areInReach || !areInts ? appendedWhole() : appendedUsed();
  }

  private ConcatInputs appendedUsed() {
    ConcatInputs.Collected values = new ConcatInputs.Collected();
    int total = 0;
    for (int i = 0; i < keptCount; i++) {
      plan.reads(inputs, kept[i]);
      int more = keepUsed(kept[i], values, total);
      if (more > 0 && total > most() - (more - 1)) throw tooMany(total, more);
      total = Math.addExact(total, more);
    }
    return values.isEmpty() ? dictionaries : values.inputs();
  }

  private ConcatInputs appendedWhole() {
    long total = 0;
    for (int i = 0; i < keptCount; i++) {
      int input = kept[i];
      long length = dictionaries.length(input);
      plan.reads(inputs, input);
      if (type.ordered() && total > 0 && length > 0) throw isOrdered();
      if (i > 0 && length > 0 && total > most() - (length - 1)) throw tooMany(total, length);
      moved[input] = null;
      used[input] = null;
      shift[input] = total;
      whole(input);
      total += length;
    }
    return dictionaries;
  }

  private static MalformedException isOrdered() {
    return new MalformedException("is ordered, and differs from the dictionary of the arrays before")
        .under(MalformedException.DICTIONARY);
  }

  private MalformedException tooMany(long before, long more) {
    return new MalformedException(
        before + " + " + more + " values are more than indices of type " + TypeNames.of(type.index()) + " reach")
        .under(MalformedException.DICTIONARY);
  }

  /** Returns the index of a row. It is checked, because a wrong one would lead into another input's dictionary. */
  private long index(int input, long element) {
    long from = inputs.buffer(input, 1);
    long at = inputs.starts[input] + element;
    long own =
        type.index().signed() ? Integers.get(from, layout.bits, at) : Integers.getUnsigned(from, layout.bits, at);
    long length = dictionaries.length(input);
    if (own < 0 || own >= length)
      throw new MalformedException("index " + own + " is beyond the " + length + " values of the dictionary");
    return own;
  }

  private void write(int input, long to) {
    int dictionary = same[input];
    for (long k = 0; k < inputs.counts[input]; k++) {
      long index = 0;
      if (!inputs.isNull(input, k)) {
        long own = index(input, k);
        index = moved(dictionary, own);
        if (index < 0) throw new MalformedException("index " + own + " was written while it was copied");
      }
      Integers.put(to, layout.bits, inputs.at[input] + k, index);
    }
  }
}
