// SPDX-License-Identifier: Apache-2.0
package org.arbalest.integration;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.Validation;
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
  private static final List<String> COMMANDS =
      List.of("JSON_TO_ARROW", "VALIDATE", "FILE_TO_STREAM", "STREAM_TO_FILE");

  private IpcTester() {}

  /** Runs a command, and exits. */
  public static void main(String[] args) {
    System.exit(run(System.err, args));
  }

  /** Runs a command, and returns the status to exit with. */
  static int run(PrintStream errors, String... args) {
    if (args.length != 3 || !COMMANDS.contains(args[0])) {
      errors.println("usage: IpcTester " + String.join("|", COMMANDS) + " FROM TO");
      return 2;
    }
    String error = switch (args[0]) {
      case "JSON_TO_ARROW" -> jsonToArrow(args[1], args[2]);
      case "VALIDATE" -> validate(args[1], args[2]);
      case "FILE_TO_STREAM" -> fileToStream(args[1], args[2]);
      default -> streamToFile(args[1], args[2]);
    };
    if (error == null) return 0;
    errors.println(error);
    return 1;
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
    return validate(json, arrow, IpcReadOptions.defaults().withValidation(Validation.FULL));
  }

  /**
   * Compares an Arrow file with a JSON file, as {@link #validate} does. Decimals, dates and times may be out of range,
   * as they are in old files of the suite.
   */
  public static @Nullable String validateQuirky(String json, String arrow) {
    return validate(json, arrow, IpcReadOptions.defaults());
  }

  private static @Nullable String validate(String json, String arrow, IpcReadOptions options) {
    return Expectation.attempt(() -> {
      Expectation expected = Expectation.read(json);
      try (ArrowFile file = ArrowFile.open(Path.of(arrow), options)) {
        String difference = expected.schemaDifference(file.schema());
        if (difference == null) difference = expected.countDifference(file.batchCount());
        for (int i = 0; difference == null && i < file.batchCount(); i++) {
          try (RecordBatch batch = file.batch(i)) {
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
      try (RecordBatchReader reader = ArrowFile.read(Path.of(arrow), IpcReadOptions.defaults());
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
