// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.read;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.DictionaryBatch;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.RecordBatch;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Devices;
import org.arbalest.device.Errno;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.ipc.IpcException;
import org.arbalest.device.ipc.IpcReadOptions;
import org.arbalest.device.ipc.internal.memory.NativeMemory;
import org.arbalest.device.ipc.internal.read.Dictionaries.Dictionary;
import org.arbalest.device.ipc.internal.schema.IpcField;
import org.arbalest.device.ipc.internal.schema.IpcSchema;
import org.arbalest.device.ipc.internal.schema.Shape;
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
  /**
   * Buffers may share bytes of the body. Together they have at most this many times its size. Otherwise a small message
   * could describe columns that take hours to validate.
   */
  private static final int SHARING = 16;

  private final IpcReadOptions options;
  private final MemoryManager memory;

  /** The most bytes of one allocation. */
  private final long limit;
  private final BufferTable table = new BufferTable();
  private final ForeignArray described = new ForeignArray();
  private final FieldNode node = new FieldNode();
  private final Buffer buffer = new Buffer();

  /** The length and the null count of each collected array, and the number of its buffers in the table. */
  private long[] lengths = new long[64];

  private long[] nullCounts = new long[64];
  private int[] bufferCounts = new int[64];
  private int arrays;

  /** The first array and the first buffer of each column of the source; −1 for a column that is not chosen. */
  private int[] firstArrays = {};

  private int[] firstBuffers = {};

  /** The dictionaries that the batch uses. */
  private final List<Dictionary> used = new ArrayList<>();

  /** A message for the caller, so that it makes none for each batch. */
  final Message message = new Message();

  // the message that is read
  private Message read = message;
  private RecordBatch batch = new RecordBatch();
  private Body body = Body.NONE;
  private boolean hasUnionValidity;
  private int nextNode;
  private int nextBuffer;
  private int nextVariadic;

  /** The sizes of all buffers together, or the largest number. */
  private long declared;

  // the array that is described
  private int nextArray;
  private int nextPlaced;

  BatchDecoder(IpcReadOptions options) {
    this.options = options;
    MemoryManager chosen = options.memory();
    memory = chosen == null ? Devices.cpu().memory() : chosen;
    limit = Math.min(options.maxAllocation(), NativeMemory.MOST_BYTES);
  }

  /** Returns the memory of bodies and decompressed buffers. */
  MemoryManager memory() {
    return memory;
  }

  /** Reads a record batch. The caller closes the result. */
  DeviceArray batch(Message message, Projection projection, Dictionaries dictionaries) throws IOException {
    begin(message, message.recordBatch());
    int columns = projection.source.columnCount();
    if (firstArrays.length < columns) {
      firstArrays = new int[columns];
      firstBuffers = new int[columns];
    }
    for (int i = 0; i < columns; i++) {
      IpcField column = projection.source.column(i);
      if (projection.isChosen(i)) {
        firstArrays[i] = arrays;
        firstBuffers[i] = table.count();
        collect(column);
      } else {
        skip(column);
      }
    }
    finish();
    long rows = rows();
    return make(projection.struct, () -> {
      described.array(rows, 0, 0).buffer(0, 0);
      for (int i = 0; i < projection.count(); i++) {
        nextArray = firstArrays[projection.column(i)];
        nextPlaced = firstBuffers[projection.column(i)];
        describe(projection.source.column(projection.column(i)), dictionaries);
      }
    });
  }

  /** Reads a dictionary batch into the dictionaries. Does nothing if its id is not needed. */
  void dictionary(Message message, IpcSchema schema, Set<Long> needed, Dictionaries dictionaries) throws IOException {
    DictionaryBatch source = message.dictionaryBatch();
    IpcField values = schema.dictionary(source.id());
    if (values == null) throw message.malformed("dictionary " + source.id() + " is not part of the schema");
    if (!needed.contains(source.id())) return;
    RecordBatch data = source.data();
    if (data == null) throw message.malformed("dictionary " + source.id() + " has no values");
    begin(message, data);
    collect(values);
    finish();
    if (lengths[0] != rows()) throw message.malformed(
        "dictionary " + source.id() + " has " + lengths[0] + " values in a batch of " + rows() + " rows");
    DeviceArray array = make(values.plain, () -> {
      nextArray = 0;
      nextPlaced = 0;
      describe(values, null);
    });
    try {
      if (!source.isDelta()) {
        dictionaries.put(source.id(), array, described, joinedBytes());
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
    long bytes = dictionaries.append(id, delta, joinedBytes(), limit);
    if (bytes > limit)
      throw malformed("dictionary " + id + " has " + bytes + " bytes with all of its deltas, but at most "
          + limit + " may be allocated (maxAllocation)");
  }

  /**
   * Returns the bytes that the arrays may need when they are joined with others: at least a bitmap each, because a long
   * array without buffers needs one if another array has nulls.
   */
  private long joinedBytes() {
    long bytes = table.bytes();
    for (int i = 0; i < arrays; i++) bytes = Math.min(NativeMemory.MOST_BYTES, bytes + (lengths[i] >>> 3));
    return bytes;
  }

  /** Joins dictionaries with their deltas, and validates nested ones, so that several threads may then use them. */
  void join(Set<Long> ids, IpcSchema schema, Dictionaries dictionaries) {
    try {
      for (Long id : ids) {
        Dictionary dictionary = dictionaries.get(id, memory);
        IpcField values = schema.dictionary(id);
        if (dictionary != null && values != null) validate(values, dictionary, dictionaries);
      }
    } catch (DeviceException e) {
      throw positioned(e);
    }
  }

  private void begin(Message message, RecordBatch source) {
    read = message;
    batch = source;
    body = message.body();
    hasUnionValidity = message.version() < MetadataVersion.V5;
    table.clear();
    arrays = 0;
    nextNode = 0;
    nextBuffer = 0;
    nextVariadic = 0;
    declared = 0;
  }

  private long rows() {
    long rows = batch.length();
    if (rows < 0) throw malformed("the batch has a negative number of rows: " + rows);
    return rows;
  }

  private void collect(IpcField field) {
    int array = addArray();
    Shape shape = field.shape;
    if (hasUnionValidity && shape.isUnion()) {
      if (nullCounts[array] != 0) throw malformed("a union of version V4 has " + nullCounts[array]
          + " nulls in its own bitmap, which unions have no more; field " + field.field.name());
      skipBuffers(1);
    }
    int first = table.count();
    for (int i = 0; i < shape.buffers; i++) {
      takeBuffer();
      // as other implementations do: a bitmap of an array without nulls is not read
      if (i == 0 && shape.hasValidity && nullCounts[array] == 0) table.set(first, 0, 0);
    }
    if (shape == Shape.VIEW) {
      for (long left = variadicCount(); left > 0; left--) takeBuffer();
    }
    bufferCounts[array] = table.count() - first;
    for (int i = 0; i < field.childCount(); i++) collect(field.child(i));
  }

  private void skip(IpcField field) {
    nextNode += field.arrays;
    if (hasUnionValidity) skipBuffers(unions(field));
    skipBuffers(field.buffers);
    for (int i = 0; i < field.views; i++) skipBuffers(variadicCount());
  }

  private static int unions(IpcField field) {
    int unions = field.shape.isUnion() ? 1 : 0;
    for (int i = 0; i < field.childCount(); i++) unions += unions(field.child(i));
    return unions;
  }

  private int addArray() {
    if (nextNode >= batch.nodesLength()) throw malformed("the message has " + batch.nodesLength()
        + " arrays, but its schema has more");
    batch.nodes(node, nextNode++);
    long length = node.length();
    long nullCount = node.nullCount();
    if (length < 0 || nullCount < 0 || nullCount > length)
      throw malformed("array " + (nextNode - 1) + " has the length "
          + length + " and " + nullCount + " nulls");
    if (arrays == lengths.length) {
      lengths = Arrays.copyOf(lengths, 2 * arrays);
      nullCounts = Arrays.copyOf(nullCounts, 2 * arrays);
      bufferCounts = Arrays.copyOf(bufferCounts, 2 * arrays);
    }
    lengths[arrays] = length;
    nullCounts[arrays] = nullCount;
    return arrays++;
  }

  private void takeBuffer() {
    if (nextBuffer >= batch.buffersLength()) throw malformed("the message has " + batch.buffersLength()
        + " buffers, but its schema has more");
    batch.buffers(buffer, nextBuffer++);
    long position = buffer.offset();
    long size = buffer.length();
    if (position < 0 || size < 0 || position > body.size() - size) throw malformed("buffer " + (nextBuffer - 1)
        + " has " + size + " bytes at byte " + position + " of a body of " + body.size() + " bytes");
    declared = size > Long.MAX_VALUE - declared ? Long.MAX_VALUE : declared + size;
    table.add(position, size);
  }

  private void skipBuffers(long count) {
    if (count > batch.buffersLength() - nextBuffer) throw malformed("the message has " + batch.buffersLength()
        + " buffers, but its schema has more");
    nextBuffer += (int) count;
  }

  private long variadicCount() {
    if (nextVariadic >= batch.variadicBufferCountsLength()) throw malformed("the message has "
        + batch.variadicBufferCountsLength() + " counts of the data of views, but its schema has more views");
    long count = batch.variadicBufferCounts(nextVariadic++);
    if (count < 0 || count > batch.buffersLength() - nextBuffer) throw malformed("a view array has " + count
        + " buffers of data, but the message has " + batch.buffersLength() + " buffers");
    return count;
  }

  /** Checks that nothing is left of the message: otherwise it belongs to another schema. */
  private void finish() {
    if (nextNode != batch.nodesLength() || nextBuffer != batch.buffersLength()) {
      throw malformed("the message has " + batch.nodesLength() + " arrays and " + batch.buffersLength()
          + " buffers, but its schema has " + nextNode + " and " + nextBuffer);
    }
    if (declared / SHARING > body.size()) {
      throw malformed(
          "the buffers of the message have " + declared + " bytes altogether, but the body has " + body.size()
              + ": too many of them overlap");
    }
  }

  /** @param dictionaries null to describe the indices only */
  private void describe(IpcField field, @Nullable Dictionaries dictionaries) {
    int array = nextArray++;
    described.array(lengths[array], nullCounts[array], 0);
    for (int i = 0; i < bufferCounts[array]; i++, nextPlaced++) {
      boolean isAbsent = i == 0 && field.shape.hasValidity;
      long address = table.address(nextPlaced);
      described.buffer(address == 0 && !isAbsent ? NativeMemory.zeros() : address, table.size(nextPlaced));
    }
    for (int i = 0; i < field.childCount(); i++) describe(field.child(i), dictionaries);
    IpcField values = field.values;
    if (values != null && dictionaries != null) {
      boolean isUsed = nullCounts[array] != lengths[array];
      Dictionary dictionary = dictionaries.get(field.dictionaryId, memory);
      if (dictionary != null) validate(values, dictionary, dictionaries);
      describeDictionary(described, field, values, isUsed, dictionaries, used);
    }
  }

  /** @param uses receives the dictionary, and the dictionaries that it uses */
  private void describeDictionary(ForeignArray target, IpcField field, IpcField values, boolean isUsed,
      Dictionaries dictionaries, List<Dictionary> uses) {
    Dictionary dictionary = dictionaries.get(field.dictionaryId, memory);
    if (dictionary == null) {
      // the format allows it for columns that use no value
      if (isUsed) throw malformed("column " + field.field.name() + " uses dictionary " + field.dictionaryId
          + ", which was not defined before");
      describeEmpty(target, values);
      return;
    }
    uses.add(dictionary);
    describe(target, values, dictionary, 0, dictionaries, uses);
  }

  /** Describes an array of a dictionary from its words, and returns the position of the next array. */
  private int describe(ForeignArray target, IpcField field, Dictionary dictionary, int from, Dictionaries dictionaries,
      List<Dictionary> uses) {
    long[] words = dictionary.words();
    target.array(words[from], words[from + 1], words[from + 2]);
    int next = from + 4;
    for (long left = words[from + 3]; left > 0; left--, next += 2) target.buffer(words[next], words[next + 1]);
    for (int i = 0; i < field.childCount(); i++) {
      next = describe(target, field.child(i), dictionary, next, dictionaries, uses);
    }
    IpcField values = field.values;
    if (values != null) {
      boolean isUsed = words[from + 1] != words[from];
      describeDictionary(target, field, values, isUsed, dictionaries, uses);
    }
    return next;
  }

  /**
   * Checks the indices in the values of a dictionary against the inner dictionaries, once for each change of either.
   */
  private void validate(IpcField values, Dictionary dictionary, Dictionaries dictionaries) {
    if (!values.hasDictionary) return;
    validateInner(values, dictionaries);
    ForeignArray whole = new ForeignArray();
    List<Dictionary> inner = new ArrayList<>();
    describe(whole, values, dictionary, 0, dictionaries, inner);
    if (dictionary.isValidatedWith(inner)) return;
    // its memory is that of the dictionaries, which stay until it is closed
    validated(ArrayBridge.wrap(values.field, whole, memory.device(), Body.NOTHING)).close();
    dictionary.setValidatedWith(inner);
  }

  /** Validates the dictionaries of a field and those below it, first the innermost. */
  private void validateInner(IpcField field, Dictionaries dictionaries) {
    for (int i = 0; i < field.childCount(); i++) validateInner(field.child(i), dictionaries);
    IpcField values = field.values;
    if (values == null) return;
    Dictionary dictionary = dictionaries.get(field.dictionaryId, memory);
    if (dictionary != null) validate(values, dictionary, dictionaries);
  }

  private static void describeEmpty(ForeignArray target, IpcField field) {
    target.array(0, 0, 0);
    for (int i = 0; i < field.shape.buffers; i++) {
      target.buffer(i == 0 && field.shape.hasValidity ? 0 : NativeMemory.zeros(), 0);
    }
    for (int i = 0; i < field.childCount(); i++) describeEmpty(target, field.child(i));
    if (field.values != null) describeEmpty(target, field.values);
  }

  private DeviceArray make(Field field, Runnable description) throws IOException {
    boolean isChosen = options.memory() != null;
    Runnable owner = BufferPlacement.place(table, read.compression(batch), body, memory, isChosen, limit);
    try {
      described.clear();
      description.run();
      if (!used.isEmpty()) owner = withDictionaries(owner);
      DeviceArray array = ArrayBridge.wrap(field, described, memory.device(), owner);
      owner = Body.NOTHING; // the array has it now
      return validated(array);
    } catch (DeviceException e) {
      owner.run();
      throw positioned(e);
    } catch (Throwable t) {
      owner.run();
      throw t;
    } finally {
      used.clear();
    }
  }

  /** Returns an error of the array's content with its position in the file or stream. */
  private DeviceException positioned(DeviceException e) {
    if (e instanceof IpcException || e.errno() != Errno.EINVAL) return e;
    return new IpcException(body.position(), String.valueOf(e.getMessage()), e);
  }

  private DeviceArray validated(DeviceArray array) {
    try {
      // a dictionary is validated when it is read, because a stream may have many small batches with a large one
      ArrayBridge.validateWithoutDictionaries(array, options.validation());
      return array;
    } catch (Throwable t) {
      array.close();
      throw t;
    }
  }

  /** Returns an owner that also keeps the dictionaries which the batch uses. */
  private Runnable withDictionaries(Runnable owner) {
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

  private IpcException malformed(String fault) {
    return new IpcException(body.position(), fault);
  }
}
