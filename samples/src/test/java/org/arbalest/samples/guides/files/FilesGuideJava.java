// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.files;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import org.arbalest.device.*;
import org.arbalest.device.columns.Selection;
import org.arbalest.device.ipc.*;
import org.arbalest.device.types.Metadata;

/** The Java of docs/guides/files.md, except the program that it begins with. */
final class FilesGuideJava {
  private FilesGuideJava() {}

  static void expensive(Path from, Path to) throws IOException {
    RecordBatchReader batches = ArrowFile.read(from, IpcReadOptions.defaults().withColumns("symbol", "price"));
    ArrowWriter.writeFile(to,
        batches.filter(batch -> Selection.where(batch.column("price").asDoubles(), price -> price > 2)),
        IpcWriteOptions.defaults().withCompression(IpcCompression.ZSTD));
  }

  static void send(ServerSocket server, RecordBatchReader batches) throws IOException {
    try (batches; Socket socket = server.accept()) {
      ArrowWriter.writeStream(socket.getOutputStream(), batches, IpcWriteOptions.defaults());
    }
  }

  static RecordBatchReader receive(String host, int port) throws IOException {
    return ArrowStream.read(new Socket(host, port).getInputStream()); // the reader closes the socket
  }

  static void annotate(RecordBatch batch, Path path) throws IOException {
    IpcWriteOptions options = IpcWriteOptions.defaults().withMetadata(Metadata.of("created by", "my program"));
    try (ArrowWriter writer = ArrowWriter.file(path, batch.schema(), options)) {
      writer.write(batch, Metadata.of("day", "2001-06-30"));
      writer.finish();
    }
  }

  static RecordBatchReader ahead(Path path, Device gpu, DeviceStream stream) throws IOException {
    MemoryManager pinned = gpu.hostMemory().orElse(Devices.cpu().memory());
    return ArrowFile.read(path, IpcReadOptions.defaults().withMemory(pinned)).copyTo(gpu.memory(), stream, 2);
  }
}
