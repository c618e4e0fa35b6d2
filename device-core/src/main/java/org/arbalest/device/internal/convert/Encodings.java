// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert;

import org.arbalest.device.Field;
import org.arbalest.device.NestedType.DictionaryType;
import org.arbalest.device.NestedType.RunEndEncodedType;
import org.arbalest.device.abi.ArrowArrayStruct;
import org.arbalest.device.internal.memory.Integers;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.Malformed;

/** Dictionaries and run-ends that become plain values, by a list of which value stands in each row; and run-ends that stay some. */
final class Encodings {
  private Encodings() {}

  /** The values of a dictionary, one for each index. */
  static Node decode(ConversionPlan plan, Field from, long struct, Selection rows, Field to) {
    DictionaryType type = (DictionaryType) from.type();
    long dictionary = ArrowArrayStruct.dictionary(struct);
    if (rows.count == 0) return plan.measure(type.values(), dictionary, Selection.range(ArrowArrayStruct.offset(dictionary), 0), to);
    plan.look();
    Mask mask = rows.mask(plan, ConversionPlan.bitmap(Layout.of(from), struct));
    long indices = ArrowArrayStruct.buffer(struct, 1);
    long known = ArrowArrayStruct.length(dictionary);
    long offset = ArrowArrayStruct.offset(dictionary);
    long list = plan.list(rows.entries());
    boolean hasNone = false;
    long next = list;
    for (long k = 0; k < rows.count; k = rows.next(k)) {
      long position = -1;
      if (mask.isNull(k)) {
        hasNone = true;
      } else {
        long index = FixedWidth.index(type.index(), indices, rows.at(k));
        if (index < 0 || index >= known) throw new Malformed("row " + k + ": index " + index + " is beyond the " + known + " values of the dictionary");
        position = offset + index;
      }
      NativeHeap.putLong(next, position);
      next += Long.BYTES;
    }
    return plan.measure(type.values(), dictionary, Selection.decoded(list, rows, hasNone), to);
  }

  /** The ends of a struct's runs, and where the values of the first begins. */
  private record Runs(long ends, long bits, long count, long values) {
    static Runs of(Field from, long struct) {
      long ends = ArrowArrayStruct.child(struct, 0);
      long values = ArrowArrayStruct.child(struct, 1);
      Layout layout = Layout.of(from).children[0].layout;
      long address = ArrowArrayStruct.buffer(ends, 1) + layout.width() * ArrowArrayStruct.offset(ends);
      return new Runs(address, layout.bits, ArrowArrayStruct.length(ends), ArrowArrayStruct.offset(values));
    }

    long end(long run) {
      return Integers.get(ends, bits, run);
    }

    /** The first run that ends behind a position; there may be none. */
    long find(long position) {
      long low = 0;
      long high = count;
      while (low < high) {
        long middle = (low + high) >>> 1;
        if (end(middle) > position) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      return low;
    }

    /** How many runs some rows are in that follow each other, the first of which is in one of them. */
    long count(long first, Selection rows) {
      long count = 0;
      for (long last = rows.start; last < rows.start + rows.count; count++) last = end(first + count, last);
      return count;
    }

    /** The end of a run that must end behind a position. */
    long end(long run, long before) {
      if (run >= count) throw new Malformed("the runs end at " + before + ", but there are elements behind that");
      long end = end(run);
      if (end <= before) throw new Malformed("run_ends[" + run + "] = " + end + " is not behind " + before);
      return end;
    }
  }

  /** The value of its run for each row. */
  static Node expand(ConversionPlan plan, Field from, long struct, Selection rows, Field to) {
    Field values = ((RunEndEncodedType) from.type()).values();
    long child = ArrowArrayStruct.child(struct, 1);
    if (rows.count == 0) return plan.measure(values, child, Selection.range(ArrowArrayStruct.offset(child), 0), to);
    plan.look();
    Runs runs = Runs.of(from, struct);
    if (rows.isRange() && !rows.mayBeHidden()) {
      long first = runs.find(rows.start);
      long count = runs.count(first, rows);
      if (2 * count < rows.count) return plan.measure(values, child, byRuns(plan, runs, first, count, rows), to); // otherwise a list of all is shorter
    }
    long list = plan.list(rows.entries());
    fill(runs, rows, list);
    return plan.measure(values, child, Selection.decoded(list, rows, rows.hasNone), to);
  }

  /** The value of each run that rows are in. What this takes goes by the runs: a few bytes of them may speak of more rows than memory has room for. */
  private static Selection byRuns(ConversionPlan plan, Runs runs, long first, long count, Selection rows) {
    ConversionPlan.requireRoom(rows.count);
    long list = plan.list(count);
    long ends = plan.list(count);
    for (long run = 0; run < count; run++) {
      NativeHeap.putLong(list + Long.BYTES * run, runs.values + first + run);
      NativeHeap.putLong(ends + Long.BYTES * run, Math.min(runs.end(first + run) - rows.start, rows.count));
    }
    return Selection.decoded(list, rows, new Spans(ends, count));
  }

  private static void fill(Runs runs, Selection rows, long list) {
    if (rows.isRange()) {
      long run = runs.find(rows.start);
      for (long k = 0; k < rows.count; run++) {
        long end = Math.min(rows.count, runs.end(run, rows.start + k) - rows.start);
        for (; k < end; k++) NativeHeap.putLong(list + Long.BYTES * k, runs.values + run);
      }
      return;
    }
    long next = list;
    for (long k = 0; k < rows.count; k = rows.next(k)) {
      long at = rows.at(k);
      long run = at < 0 ? -1 : runs.find(at);
      if (run == runs.count) throw new Malformed("row " + k + ": there is no run at " + at);
      NativeHeap.putLong(next, at < 0 ? -1 : runs.values + run);
      next += Long.BYTES;
    }
  }

  /** Run-ends that stay run-ends: cut to what is shown, of the width that is asked for. */
  static void runs(ConversionPlan plan, Node node, Field from, long struct, Selection rows, Field to) {
    long bits = node.layout.children[0].layout.bits;
    if (rows.count > Integers.most(bits, true)) throw new Malformed(rows.count + " elements are more than run ends of " + bits + " bits reach");
    if (rows.count == 0) {
      plan.child(node, from, 0, struct, Selection.range(ArrowArrayStruct.offset(ArrowArrayStruct.child(struct, 0)), 0), to, 0);
      plan.child(node, from, 1, struct, Selection.range(ArrowArrayStruct.offset(ArrowArrayStruct.child(struct, 1)), 0), to, 1);
      return;
    }
    plan.look();
    Runs runs = Runs.of(from, struct);
    if (rows.isRange()) {
      cut(plan, node, from, struct, rows, to, runs, bits);
    } else {
      gather(plan, node, from, struct, rows, to, runs, bits);
    }
  }

  private static void cut(ConversionPlan plan, Node node, Field from, long struct, Selection rows, Field to, Runs runs, long bits) {
    long first = runs.find(rows.start);
    long count = runs.count(first, rows);
    boolean isKept = rows.start == 0 && runs.end(first + count - 1) == rows.count && runs.bits == bits && (!plan.isCompact || count == runs.count);
    addEnds(node, count, isKept ? plan.share(runs.ends) : plan.piece((bits >>> 3) * count, address -> {
      for (long run = 0; run < node.children.getFirst().length; run++) {
        Integers.put(address, bits, run, Math.min(runs.end(first + run) - rows.start, rows.count));
      }
    }));
    plan.child(node, from, 1, struct, Selection.range(runs.values + first, count), to, 1);
  }

  /** Rows that follow each other and are of one run are one again. */
  private static void gather(ConversionPlan plan, Node node, Field from, long struct, Selection rows, Field to, Runs runs, long bits) {
    long list = plan.list(rows.entries());
    long ends = plan.list(rows.entries());
    fill(runs, rows, list);
    long count = 0;
    long next = list;
    for (long k = 0; k < rows.count; k = rows.next(k)) {
      long value = NativeHeap.getLong(next);
      next += Long.BYTES;
      if (count == 0 || NativeHeap.getLong(list + Long.BYTES * (count - 1)) != value) NativeHeap.putLong(list + Long.BYTES * count++, value);
      NativeHeap.putLong(ends + Long.BYTES * (count - 1), rows.next(k));
    }
    long all = count;
    addEnds(node, all, plan.piece((bits >>> 3) * all, address -> {
      for (long run = 0; run < all; run++) Integers.put(address, bits, run, NativeHeap.getLong(ends + Long.BYTES * run));
    }));
    Selection of = Selection.range(0, all);
    plan.child(node, from, 1, struct, rows.hasNone ? Selection.decoded(list, of, true) : Selection.list(list, all, 0), to, 1);
  }

  private static void addEnds(Node node, long count, Node.Buffer ends) {
    Node child = new Node(node.layout.children[0].layout, count);
    child.buffers.add(Node.Buffer.NONE);
    child.buffers.add(ends);
    node.children.add(child);
  }
}
