// SPDX-License-Identifier: Apache-2.0
package org.arbalest.integration;

import java.nio.file.Path;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.ipc.ArrowFile;
import org.arbalest.device.ipc.ArrowStream;
import org.arbalest.device.ipc.ArrowWriter;
import org.arbalest.device.ipc.IpcReadOptions;
import org.arbalest.device.ipc.IpcWriteOptions;
import org.jspecify.annotations.Nullable;

/**
 * The commands that Arrow's integration suite runs for Arrow files and streams.
 *
 * <pre>
 * IpcTester JSON_TO_ARROW  JSON ARROW    writes a JSON file as an Arrow file
 * IpcTester VALIDATE       JSON ARROW    compares an Arrow file with a JSON file
 * IpcTester FILE_TO_STREAM ARROW STREAM  writes an Arrow file as an Arrow stream
 * IpcTester STREAM_TO_FILE STREAM ARROW  writes an Arrow stream as an Arrow file
 * </pre>
 *
 * <p>The program exits with 1 and a message if a file is malformed or differs, and with 2 after wrong arguments.
 */
public final class IpcTester {
  private IpcTester() {}

  /** Runs a command. */
  public static void main(String[] args) {
    if (args.length != 3) {
      exit(2, "usage: IpcTester JSON_TO_ARROW|VALIDATE|FILE_TO_STREAM|STREAM_TO_FILE FROM TO");
    }
    String error = switch (args[0]) {
      case "JSON_TO_ARROW" -> jsonToArrow(args[1], args[2]);
      case "VALIDATE" -> validate(args[1], args[2]);
      case "FILE_TO_STREAM" -> fileToStream(args[1], args[2]);
      case "STREAM_TO_FILE" -> streamToFile(args[1], args[2]);
      default -> exit(2, "the command " + args[0] + " is unknown");
    };
    if (error != null) exit(1, error);
  }

  private static @Nullable String exit(int status, String message) {
    System.err.println(message);
    System.exit(status);
    return null;
  }

  /** Writes a JSON file as an Arrow file; returns the text of an error, or null. */
  public static @Nullable String jsonToArrow(String json, String arrow) {
    return Expectation.attempt(() -> {
      ArrowWriter.writeFile(Path.of(arrow), Expectation.read(json).file().reader());
      return null;
    });
  }

  /** Compares an Arrow file with a JSON file; returns the text of the difference or of an error, or null. */
  public static @Nullable String validate(String json, String arrow) {
    return Expectation.attempt(() -> {
      Expectation expected = Expectation.read(json);
      try (ArrowFile file = ArrowFile.open(Path.of(arrow))) {
        String difference = expected.schemaDifference(file.schema());
        if (difference == null) difference = expected.countDifference(file.batchCount());
        for (int i = 0; difference == null && i < file.batchCount(); i++) {
          try (DeviceArray batch = file.batch(i)) {
            difference = expected.batchDifference(i, batch);
          }
        }
        return difference;
      }
    });
  }

  /** Writes an Arrow file as an Arrow stream; returns the text of an error, or null. */
  public static @Nullable String fileToStream(String arrow, String stream) {
    return Expectation.attempt(() -> {
      try (DeviceArrayReader reader = ArrowFile.read(Path.of(arrow));
          ArrowWriter writer = ArrowWriter.stream(Path.of(stream), reader.schema(), IpcWriteOptions.defaults())) {
        writer.writeAll(reader);
        writer.finish();
        return null;
      }
    });
  }

  /** Writes an Arrow stream as an Arrow file; returns the text of an error, or null. */
  public static @Nullable String streamToFile(String stream, String arrow) {
    return Expectation.attempt(() -> {
      ArrowWriter.writeFile(Path.of(arrow), ArrowStream.read(Path.of(stream), IpcReadOptions.defaults()));
      return null;
    });
  }
}
