// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.read;

import java.util.Arrays;
import java.util.List;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.RecordBatch;
import org.arbalest.device.ipc.IpcException;
import org.arbalest.device.ipc.internal.memory.NativeMemory;
import org.arbalest.device.ipc.internal.schema.IpcField;
import org.arbalest.device.ipc.internal.schema.Shape;

/**
 * The arrays of a message that are needed: the length, the null count and the buffers of each, in the order of the
 * schema. All numbers are checked against the message and its body. Reused for the next message.
 */
final class MessageArrays {
  /**
   * Buffers may share bytes of the body. Together they have at most this many times its size. Otherwise a small message
   * could describe columns that take hours to validate.
   */
  private static final int SHARING = 16;

  /** The buffers of the arrays. */
  final BufferTable table = new BufferTable();

  private final FieldNode node = new FieldNode();
  private final Buffer buffer = new Buffer();

  /** The length and the null count of each collected array, and the number of its buffers in the table. */
  private long[] lengths = new long[64];

  private long[] nullCounts = new long[64];
  private int[] bufferCounts = new int[64];
  private int arrays;

  // the message that is read
  private RecordBatch batch = new RecordBatch();
  private Body body = Body.NONE;

  /** Whether unions, and whether run-end encoded arrays, have a validity bitmap in front, as in version 4. */
  private boolean hasUnionValidity;

  private boolean hasRunEndValidity;
  private int nextNode;
  private int nextBuffer;
  private int nextVariadic;

  /** The sizes of all buffers together, or the largest number. */
  private long declared;

  /** Begins with another message, which has an array of each field. */
  void begin(Message message, RecordBatch source, List<IpcField> fields) {
    batch = source;
    body = message.body();
    hasUnionValidity = message.version() < MetadataVersion.V5;
    hasRunEndValidity = hasUnionValidity && hasRunEndValidity(source, fields);
    table.clear();
    arrays = 0;
    nextNode = 0;
    nextBuffer = 0;
    nextVariadic = 0;
    declared = 0;
  }

  /**
   * Returns whether run-end encoded arrays of version 4 have a bitmap: Arrow C++ writes one, Arrow Java does not. Only
   * the number of buffers shows it.
   */
  private static boolean hasRunEndValidity(RecordBatch batch, List<IpcField> fields) {
    long buffers = 0;
    long runEnds = 0;
    for (IpcField field : fields) {
      buffers += field.buffers + field.unions;
      runEnds += field.runEnds;
    }
    for (int i = 0; i < batch.variadicBufferCountsLength(); i++) buffers += batch.variadicBufferCounts(i);
    return runEnds > 0 && batch.buffersLength() == buffers + runEnds;
  }

  /** Returns the number of collected arrays. */
  int count() {
    return arrays;
  }

  long length(int array) {
    return lengths[array];
  }

  long nullCount(int array) {
    return nullCounts[array];
  }

  int bufferCount(int array) {
    return bufferCounts[array];
  }

  /** Returns the number of rows of the message. */
  long rows() {
    long rows = batch.length();
    if (rows < 0) throw malformed("the batch has a negative number of rows: " + rows);
    return rows;
  }

  /** Adds the next array of the message, and those below it. */
  void collect(IpcField field) {
    collectOwn(field);
    for (int i = 0; i < field.childCount(); i++) collect(field.child(i));
  }

  /** Adds the next array of the message without those below it. */
  void collectOwn(IpcField field) {
    int array = addArray();
    Shape shape = field.shape;
    if (shape.isUnion() ? hasUnionValidity : shape == Shape.RUN_ENDS && hasRunEndValidity) {
      if (nullCounts[array] != 0) throw malformed("an array of type " + field.field.type() + " has "
          + nullCounts[array] + " nulls in its own bitmap, which this type has only in version V4, and without nulls;"
          + " field " + field.field.name());
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
  }

  /** Skips the next array of the message, and those below it. */
  void skip(IpcField field) {
    nextNode += field.arrays;
    if (hasUnionValidity) skipBuffers(field.unions);
    if (hasRunEndValidity) skipBuffers(field.runEnds);
    skipBuffers(field.buffers);
    for (int i = 0; i < field.views; i++) skipBuffers(variadicCount());
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
  void finish() {
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

  /**
   * Returns the bytes that the arrays may need when they are joined with others: at least a bitmap each, because a long
   * array without buffers needs one if another array has nulls.
   */
  long joinedBytes() {
    long bytes = table.bytes();
    for (int i = 0; i < arrays; i++) bytes = Math.min(NativeMemory.MOST_BYTES, bytes + (lengths[i] >>> 3));
    return bytes;
  }

  private IpcException malformed(String fault) {
    return new IpcException(body.position(), fault);
  }
}
