// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.read;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.apache.arrow.flatbuf.DictionaryBatch;
import org.apache.arrow.flatbuf.RecordBatch;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Devices;
import org.arbalest.device.Errno;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.Validation;
import org.arbalest.device.ipc.IpcException;
import org.arbalest.device.ipc.IpcReadOptions;
import org.arbalest.device.ipc.internal.memory.MappedFault;
import org.arbalest.device.ipc.internal.memory.NativeMemory;
import org.arbalest.device.ipc.internal.read.Dictionaries.Dictionary;
import org.arbalest.device.ipc.internal.schema.IpcField;
import org.arbalest.device.ipc.internal.schema.IpcSchema;
import org.arbalest.device.spi.ArrayBridge;
import org.arbalest.device.spi.ForeignArray;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/**
 * Makes arrays of record batches and dictionary batches.
 *
 * <p>First it collects the lengths and the buffers of the chosen columns, in the order of the schema. Then the buffers
 * get their memory. Last it describes the arrays. It is reused for each batch. Not thread-safe.
 */
final class BatchDecoder {
  private final IpcReadOptions options;
  private final MemoryManager memory;

  /** The most bytes of one allocation. */
  private final long limit;
  private final MessageArrays arrays = new MessageArrays();
  private final UsedDictionaries used;
  private final ForeignArray described = new ForeignArray();

  /** The first array and the first buffer of each choice, by its slot. */
  private int[] firstArrays = {};

  private int[] firstBuffers = {};

  /** A message for the caller, so that it makes none for each batch. */
  final Message message = new Message();

  // the array that is described
  private int nextArray;
  private int nextPlaced;

  BatchDecoder(IpcReadOptions options) {
    this.options = options;
    MemoryManager chosen = options.memory();
    memory = chosen == null ? Devices.cpu().memory() : chosen;
    limit = Math.min(options.maxAllocation(), NativeMemory.MOST_BYTES);
    used = new UsedDictionaries(memory, options.validation());
  }

  /** Returns the memory of bodies and decompressed buffers. */
  MemoryManager memory() {
    return memory;
  }

  /** Reads a record batch. The caller closes the result. */
  DeviceArray batch(Message message, Projection projection, Dictionaries dictionaries) throws IOException {
    RecordBatch source = message.recordBatch();
    arrays.begin(message, source, projection.source.columns());
    if (firstArrays.length < projection.slots) {
      firstArrays = new int[projection.slots];
      firstBuffers = new int[projection.slots];
    }
    for (int i = 0; i < projection.source.columnCount(); i++) {
      collect(projection.choice(i), projection.source.column(i));
    }
    arrays.finish();
    long rows = message.rows(projection.source);
    return make(message, source, projection.struct, () -> {
      described.array(rows, 0, 0).buffer(0, 0);
      List<Choice> columns = projection.columns();
      for (int i = 0; i < columns.size(); i++) describe(columns.get(i), dictionaries, message.body().position());
    });
  }

  /** Collects the arrays of a field as far as they are chosen, in the order of the message. */
  private void collect(@Nullable Choice choice, IpcField field) {
    if (choice == null) {
      arrays.skip(field);
      return;
    }
    firstArrays[choice.slot] = arrays.count();
    firstBuffers[choice.slot] = arrays.table.count();
    if (choice.fields == null) {
      arrays.collect(field);
      return;
    }
    arrays.collectOwn(field);
    for (int i = 0; i < field.childCount(); i++) collect(choice.child(i), field.child(i));
  }

  private void describe(Choice choice, Dictionaries dictionaries, long position) {
    nextArray = firstArrays[choice.slot];
    nextPlaced = firstBuffers[choice.slot];
    List<Choice> fields = choice.fields;
    if (fields == null) {
      describe(choice.source, dictionaries, position);
      return;
    }
    describeOwn(choice.source);
    for (int i = 0; i < fields.size(); i++) describe(fields.get(i), dictionaries, position);
  }

  /** Reads a dictionary batch into the dictionaries. Does nothing if its id is not needed. */
  void dictionary(Message message, IpcSchema schema, Set<Long> needed, Dictionaries dictionaries) throws IOException {
    DictionaryBatch source = message.dictionaryBatch();
    IpcField values = schema.dictionary(source.id());
    if (values == null) throw message.malformed("dictionary " + source.id() + " is not part of the schema");
    if (!needed.contains(source.id())) return;
    RecordBatch data = source.data();
    if (data == null) throw message.malformed("dictionary " + source.id() + " has no values");
    arrays.begin(message, data, List.of(values));
    arrays.collect(values);
    arrays.finish();
    if (arrays.length(0) != arrays.rows()) throw message.malformed("dictionary " + source.id() + " has "
        + arrays.length(0) + " values in a batch of " + arrays.rows() + " rows");
    DeviceArray array = make(message, data, values.plain, () -> {
      nextArray = 0;
      nextPlaced = 0;
      describe(values, null, message.body().position());
    });
    try {
      if (!source.isDelta()) {
        dictionaries.put(source.id(), array, described, arrays.joinedBytes());
      } else {
        append(message, source.id(), array, dictionaries);
      }
    } catch (Throwable t) {
      array.close();
      throw t;
    }
  }

  private void append(Message message, long id, DeviceArray delta, Dictionaries dictionaries) {
    if (!dictionaries.has(id)) {
      throw message.malformed("dictionary " + id + " has a delta, but was not defined before");
    }
    long bytes = dictionaries.append(id, delta, arrays.joinedBytes(), limit);
    if (bytes > limit)
      throw new IpcException(message.body().position(),
          "dictionary " + id + " has " + bytes + " bytes with all of its deltas, but at most "
              + limit + " may be allocated (maxAllocation)");
  }

  /** Joins dictionaries with their deltas, and validates nested ones, so that several threads may then use them. */
  void join(Set<Long> ids, IpcSchema schema, Dictionaries dictionaries) {
    long position = message.body().position();
    try {
      for (Long id : ids) {
        Dictionary dictionary = dictionaries.get(id, memory);
        IpcField values = schema.dictionary(id);
        if (dictionary != null && values != null) used.validate(values, dictionary, dictionaries, position);
      }
    } catch (DeviceException e) {
      throw positioned(e, position);
    }
  }

  /** Describes the next array without those below it, and returns its index. */
  private int describeOwn(IpcField field) {
    int array = nextArray++;
    described.array(arrays.length(array), arrays.nullCount(array), 0);
    for (int i = 0; i < arrays.bufferCount(array); i++, nextPlaced++) {
      boolean isAbsent = i == 0 && field.shape.hasValidity;
      long address = arrays.table.address(nextPlaced);
      described.buffer(address == 0 && !isAbsent ? NativeMemory.zeros() : address, arrays.table.size(nextPlaced));
    }
    return array;
  }

  /** @param dictionaries null to describe the indices only */
  private void describe(IpcField field, @Nullable Dictionaries dictionaries, long position) {
    int array = describeOwn(field);
    for (int i = 0; i < field.childCount(); i++) describe(field.child(i), dictionaries, position);
    IpcField values = field.values;
    if (values != null && dictionaries != null) {
      boolean isUsed = arrays.nullCount(array) != arrays.length(array);
      used.describe(described, field, values, isUsed, dictionaries, position);
    }
  }

  private DeviceArray make(Message read, RecordBatch batch, Field field, Runnable description) throws IOException {
    Body body = read.body();
    boolean isChosen = options.memory() != null;
    Runnable owner = BufferPlacement.place(arrays.table, read.compression(batch), body, memory, isChosen, limit);
    try {
      described.clear();
      description.run();
      owner = used.keep(owner);
      DeviceArray array = ArrayBridge.wrap(field, described, memory.device(), owner);
      owner = Body.NOTHING; // the array has it now
      return validated(array);
    } catch (DeviceException e) {
      owner.run();
      throw positioned(e, body.position());
    } catch (Throwable t) {
      owner.run();
      throw t;
    } finally {
      used.clear();
    }
  }

  /** Returns an error of the array's content with its position in the file or stream. */
  private static DeviceException positioned(DeviceException e, long position) {
    if (e instanceof IpcException || e.errno() != Errno.EINVAL) return e;
    return new IpcException(position, String.valueOf(e.getMessage()), e);
  }

  /** Validates an array without its dictionaries. The error of a wrong value names the level that accepts it. */
  static void validate(DeviceArray array, Validation level) {
    try {
      ArrayBridge.validateWithoutDictionaries(array, level);
    } catch (DeviceException e) {
      if (level == Validation.FULL && e.errno() == Errno.EINVAL && isWithinBounds(array)) throw new DeviceException(
          Errno.EINVAL, e.getMessage() + "; withValidation(Validation.BOUNDS) reads it, and checks no values", e);
      throw e;
    }
  }

  private static boolean isWithinBounds(DeviceArray array) {
    try {
      ArrayBridge.validateWithoutDictionaries(array, Validation.BOUNDS);
      return true;
    } catch (DeviceException _) { // the first error is thrown
      return false;
    }
  }

  private DeviceArray validated(DeviceArray array) {
    try {
      // a dictionary is validated when it is read, because a stream may have many small batches with a large one
      validate(array, options.validation());
      MappedFault.settle(); // before the caller has the array
      return array;
    } catch (Throwable t) {
      array.close();
      throw t;
    }
  }
}
