// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.files

import kotlinx.coroutines.flow.Flow
import org.arbalest.coroutines.*
import org.arbalest.device.*
import org.arbalest.device.ipc.*
import org.arbalest.device.types.Metadata
import org.arbalest.ipc.coroutines.*
import java.net.ServerSocket
import java.net.Socket
import java.nio.file.Path

// The Kotlin of docs/guides/files.md, except the program that it begins with.

suspend fun expensive(from: Path, to: Path): Long =
    arrowFileFlow(from, IpcReadOptions.defaults().withColumns("symbol", "price"))
        .filterRows { batch -> batch["price"].doubles().where { it > 2 } }
        .writeArrowFile(to, options = IpcWriteOptions.defaults().withCompression(IpcCompression.ZSTD))

suspend fun send(server: ServerSocket, batches: Flow<RecordBatch>): Long =
    server.accept().use { socket -> batches.writeArrowStream(socket.getOutputStream()) }

fun receive(host: String, port: Int): LendingFlow<RecordBatch> =
    arrowStreamFlow { Socket(host, port).getInputStream() }

fun annotate(batch: RecordBatch, path: Path) {
    val options = IpcWriteOptions.defaults().withMetadata(Metadata.of("created by", "my program"))
    ArrowWriter.file(path, batch.schema(), options).use { writer ->
        writer.write(batch, Metadata.of("day", "2001-06-30"))
        writer.finish()
    }
}

fun ahead(path: Path, gpu: Device, stream: DeviceStream): RecordBatchReader {
    val pinned = IpcReadOptions.defaults().withMemory(gpu.hostMemory().orElse(Devices.cpu().memory()))
    return ArrowFile.read(path, pinned).copyTo(gpu.memory(), stream, 2)
}
