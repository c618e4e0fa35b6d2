// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.read;

import java.util.ArrayList;
import java.util.List;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.Validation;
import org.arbalest.device.ipc.IpcException;
import org.arbalest.device.ipc.internal.memory.NativeMemory;
import org.arbalest.device.ipc.internal.read.Dictionaries.Dictionary;
import org.arbalest.device.ipc.internal.schema.IpcField;
import org.arbalest.device.spi.ArrayBridge;
import org.arbalest.device.spi.ForeignArray;

/** Describes the dictionaries that a batch uses, and keeps them for it. Reused for the next batch. */
final class UsedDictionaries {
  private final MemoryManager memory;
  private final Validation validation;
  private final List<Dictionary> used = new ArrayList<>();

  UsedDictionaries(MemoryManager memory, Validation validation) {
    this.memory = memory;
    this.validation = validation;
  }

  void clear() {
    used.clear();
  }

  /**
   * Describes the dictionary of a field, after the array of its indices.
   *
   * @param isUsed whether an index refers to it
   * @param position the position of the batch, for errors
   */
  void describe(ForeignArray target, IpcField field, IpcField values, boolean isUsed, Dictionaries dictionaries,
      long position) {
    Dictionary dictionary = dictionaries.get(field.dictionaryId, memory);
    if (dictionary != null) validate(values, dictionary, dictionaries, position);
    describeDictionary(target, field, values, isUsed, dictionaries, used, position);
  }

  /** @param uses receives the dictionary, and the dictionaries that it uses */
  private void describeDictionary(ForeignArray target, IpcField field, IpcField values, boolean isUsed,
      Dictionaries dictionaries, List<Dictionary> uses, long position) {
    Dictionary dictionary = dictionaries.get(field.dictionaryId, memory);
    if (dictionary == null) {
      // the format allows it for columns that use no value
      if (isUsed) throw new IpcException(position, "column " + field.field.name() + " uses dictionary "
          + field.dictionaryId + ", which was not defined before");
      describeEmpty(target, values);
      return;
    }
    uses.add(dictionary);
    describe(target, values, dictionary, 0, dictionaries, uses, position);
  }

  /** Describes an array of a dictionary from its words, and returns the position of the next array. */
  private int describe(ForeignArray target, IpcField field, Dictionary dictionary, int from, Dictionaries dictionaries,
      List<Dictionary> uses, long position) {
    long[] words = dictionary.words();
    target.array(words[from], words[from + 1], words[from + 2]);
    int next = from + 4;
    for (long left = words[from + 3]; left > 0; left--, next += 2) target.buffer(words[next], words[next + 1]);
    for (int i = 0; i < field.childCount(); i++) {
      next = describe(target, field.child(i), dictionary, next, dictionaries, uses, position);
    }
    IpcField values = field.values;
    if (values != null) {
      boolean isUsed = words[from + 1] != words[from];
      describeDictionary(target, field, values, isUsed, dictionaries, uses, position);
    }
    return next;
  }

  /**
   * Checks the indices in the values of a dictionary against the inner dictionaries, once for each change of either.
   */
  void validate(IpcField values, Dictionary dictionary, Dictionaries dictionaries, long position) {
    if (!values.hasDictionary) return;
    validateInner(values, dictionaries, position);
    ForeignArray whole = new ForeignArray();
    List<Dictionary> inner = new ArrayList<>();
    describe(whole, values, dictionary, 0, dictionaries, inner, position);
    if (dictionary.isValidatedWith(inner)) return;
    // its memory is that of the dictionaries, which stay until it is closed
    try (DeviceArray array = ArrayBridge.wrap(values.field, whole, memory.device(), Body.NOTHING)) {
      BatchDecoder.validate(array, validation);
    }
    dictionary.setValidatedWith(inner);
  }

  /** Validates the dictionaries of a field and those below it, first the innermost. */
  private void validateInner(IpcField field, Dictionaries dictionaries, long position) {
    for (int i = 0; i < field.childCount(); i++) validateInner(field.child(i), dictionaries, position);
    IpcField values = field.values;
    if (values == null) return;
    Dictionary dictionary = dictionaries.get(field.dictionaryId, memory);
    if (dictionary != null) validate(values, dictionary, dictionaries, position);
  }

  private static void describeEmpty(ForeignArray target, IpcField field) {
    target.array(0, 0, 0);
    for (int i = 0; i < field.shape.buffers; i++) {
      target.buffer(i == 0 && field.shape.hasValidity ? 0 : NativeMemory.zeros(), 0);
    }
    for (int i = 0; i < field.childCount(); i++) describeEmpty(target, field.child(i));
    if (field.values != null) describeEmpty(target, field.values);
  }

  /** Returns an owner that also keeps the dictionaries that were described. */
  Runnable keep(Runnable owner) {
    if (used.isEmpty()) return owner;
    DeviceArray[] kept = new DeviceArray[used.size()];
    for (int i = 0; i < kept.length; i++) kept[i] = used.get(i).values().retain();
    return () -> {
      try {
        owner.run(); // may run code of the application
      } finally {
        for (DeviceArray dictionary : kept) dictionary.close();
      }
    };
  }
}
