// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.SocketChannel;
import java.util.UUID;
import org.arbalest.device.*;
import org.arbalest.device.DeviceType;
import org.arbalest.device.sharing.*;

/** Memory and processes: the snippets of docs/guides/devices.md, and calls of docs/devices-reference.md. */
final class DevicesJava {
  private DevicesJava() {}

  static Device find(String uuid, String pciBusId) {
    Device gpu = Devices.device(DeviceType.CUDA, UUID.fromString(uuid)); // from nvidia-smi -L, without GPU-
    Device same = Devices.deviceAt(DeviceType.CUDA, pciBusId); // as nvidia-smi or lspci prints it
    if (!gpu.equals(same))
      throw new IllegalStateException(uuid + " is " + gpu + ", and at " + pciBusId + " is " + same);
    return gpu;
  }

  static String allocate(Device gpu, long bytes) {
    Device managed = Devices.device(DeviceType.CUDA_MANAGED, gpu.id()); // a device type of its own, with the GPU's id
    try (DeviceStream stream = gpu.createStream();
        DeviceBuffer own = gpu.allocate(bytes);
        DeviceBuffer pinned = gpu.hostMemory().orElseThrow().allocate(bytes);
        DeviceBuffer both = managed.allocate(bytes);
        DeviceBuffer ordered = stream.memory().allocate(bytes)) { // closing it frees it in stream order
      pinned.segment().fill((byte) 1);
      stream.copy(pinned, own);
      stream.copy(own, both);
      stream.copy(own, ordered);
      stream.synchronize();
      return own + ", " + pinned + ", " + both + ", " + ordered;
    }
  }

  static MeteredMemory.Statistics bounded(Device gpu, RecordBatch batch, long limit) {
    MeteredMemory memory = gpu.memory().limited(limit); // counts the allocations of this manager
    try (RecordBatch there = batch.copyTo(memory, gpu.defaultStream())) {
      // ENOMEM with the numbers if the copy exceeds the limit
      there.synchronize();
      return memory.statistics(); // bytes in buffers now, their peak, their total
    }
  }

  static void pinned(Device gpu, MemorySegment table, DeviceBuffer to, DeviceStream stream, Arena arena) {
    try (DeviceBuffer buffer = gpu.pin(table, arena::close)) {
      // the callback runs when the table may be freed
      stream.copy(buffer, to); // as fast as from hostMemory()
    } // does not wait: pinned until the callback runs
  }

  static void give(Device gpu, RecordBatch batch, SocketChannel socket) throws IOException {
    MemoryManager memory = gpu.shareableMemory().orElseThrow();
    try (ArrayLink link = ArrayLink.over(socket)) { // the link owns the socket, and closes it
      // send consumes the copy; its memory stays until the other process releases it
      try (RecordBatch copy = batch.copyTo(memory, gpu.defaultStream())) {
        link.send(copy);
      }
    }
  }

  static double take(SocketChannel socket) throws IOException, InterruptedException {
    double total = 0;
    try (ArrayLink link = ArrayLink.over(socket)) {
      DeviceArray next;
      while ((next = link.receive()) != null) {
        try (RecordBatch batch = next.asRecordBatch();
            RecordBatch here = batch.copyTo(Devices.cpu())) {
          here.synchronize();
          for (double price : here.column("price").toDoubleArray()) total += price;
        }
      }
    }
    return total;
  }
}
