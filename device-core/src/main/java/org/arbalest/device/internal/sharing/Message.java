// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.sharing;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceType;
import org.arbalest.device.internal.memory.ByteReader;
import org.arbalest.device.internal.memory.ByteWriter;
import org.arbalest.device.internal.schema.FieldBytes;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.MalformedException;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/**
 * The description of a shared array for another process: its memory, its layout, and the handles to open it.
 *
 * <p>The bytes are a mark, the version and a checksum of all bytes that follow. Then come the fields of this record in
 * their order, lowest byte first. Each change of the format needs a new version number. A message of another version is
 * rejected with an error that contains both version numbers.
 *
 * @param process the process that shares the array
 * @param uuid the UUID of the device; null if it has none, and then no process can find the device
 * @param pciBusId the PCI bus id of the device, for several devices with one UUID
 * @param event the handle of the event to wait for; null if no wait is necessary
 * @param memories the allocations
 */
@SuppressWarnings("ArrayRecordComponent") // the record only carries the arrays
record Message(UUID process, DeviceType device, @Nullable UUID uuid, @Nullable String pciBusId, byte @Nullable [] event,
    List<Memory> memories, Field field,
    SharedStruct root) {
  static final int VERSION = 1;

  /** The text "ARBSHARE", lowest byte first. */
  static final long MARK = 0x4552414853425241L;

  private static final int HEADER = Long.BYTES + 2 * Integer.BYTES;
  private static final int MOST_MEMORIES = 1 << 20;

  /** An allocation: its size in bytes, and its handle. */
  record Memory(long bytes, byte[] handle) {}

  byte[] toBytes() {
    ByteWriter body = new ByteWriter();
    write(process, body);
    body.int32(device.code());
    write(uuid == null ? new UUID(0, 0) : uuid, body);
    body.text(pciBusId == null ? "" : pciBusId);
    body.bytes(event == null ? new byte[0] : event);
    body.int32(memories.size());
    for (Memory memory : memories) {
      body.long64(memory.bytes);
      body.bytes(memory.handle);
    }
    FieldBytes.write(field, body);
    root.write(body);
    byte[] bytes = body.toArray();
    ByteWriter whole = new ByteWriter();
    whole.long64(MARK);
    whole.int32(VERSION);
    whole.int32(checksum(bytes, 0));
    byte[] message = Arrays.copyOf(whole.toArray(), HEADER + bytes.length);
    System.arraycopy(bytes, 0, message, HEADER, bytes.length);
    return message;
  }

  /**
   * Reads a message from arbitrary bytes.
   *
   * @throws DeviceException with {@code EINVAL} and the fault, if the message is malformed
   */
  static Message read(byte[] message) {
    ByteReader header = new ByteReader(Arrays.copyOf(message, Math.min(message.length, HEADER)));
    long mark = header.long64("the mark");
    if (mark != MARK)
      throw DeviceException.invalid("these " + message.length
          + " bytes are not a message of a shared array: they begin with 0x" + Long.toHexString(mark));
    int version = header.int32("the version");
    if (version != VERSION)
      throw DeviceException.invalid(
          "the message of a shared array has version " + version + ", and this release reads version " + VERSION);
    int checksum = header.int32("the checksum");
    if (checksum != checksum(message, HEADER)) {
      throw DeviceException.invalid(
          "the message of a shared array, of " + message.length + " bytes, was cut or changed: its checksum is wrong");
    }
    try {
      return body(new ByteReader(Arrays.copyOfRange(message, HEADER, message.length)));
    } catch (MalformedException e) {
      throw e.toException();
    }
  }

  private static Message body(ByteReader in) {
    UUID process = uuid(in, "the process");
    DeviceType device = new DeviceType(in.int32("the device type"));
    UUID uuid = uuid(in, "the device");
    String pciBusId = in.text("the PCI bus id");
    byte[] event = in.bytes("the handle of the event");
    int count = in.count("the number of allocations", MOST_MEMORIES);
    List<Memory> memories = new ArrayList<>();
    Map<ByteBuffer, Integer> handles = new HashMap<>();
    for (int i = 0; i < count; i++) {
      Memory memory = memory(in, i);
      Integer same = handles.put(ByteBuffer.wrap(memory.handle), i);
      if (same != null)
        throw DeviceException.invalid("the message has the same handle for the allocations " + same + " and " + i);
      memories.add(memory);
    }
    long[] sizes = memories.stream().mapToLong(Memory::bytes).toArray();
    Field field = FieldBytes.read(in);
    SharedStruct root = SharedStruct.read(Layout.of(field), in, sizes);
    in.end();
    boolean hasUuid = uuid.getMostSignificantBits() != 0 || uuid.getLeastSignificantBits() != 0;
    return new Message(process, device, hasUuid ? uuid : null, pciBusId.isEmpty() ? null : pciBusId,
        event.length == 0 ? null : event, memories, field, root);
  }

  private static Memory memory(ByteReader in, int index) {
    long bytes = in.long64("the size of an allocation");
    if (bytes <= 0 || bytes > Layout.MOST_BYTES)
      throw DeviceException.invalid("the message says that allocation " + index + " has " + bytes + " bytes");
    return new Memory(bytes, in.bytes("the handle of an allocation"));
  }

  private static void write(UUID uuid, ByteWriter out) {
    out.long64(uuid.getMostSignificantBits());
    out.long64(uuid.getLeastSignificantBits());
  }

  private static UUID uuid(ByteReader in, String what) {
    return new UUID(in.long64(what), in.long64(what));
  }

  private static int checksum(byte[] bytes, int from) {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, from, bytes.length - from);
    return (int) checksum.getValue();
  }
}
