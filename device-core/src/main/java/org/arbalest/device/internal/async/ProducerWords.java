// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async;

import java.util.Set;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceType;
import org.arbalest.device.Errno;
import org.arbalest.device.async.AsyncQuirk;
import org.arbalest.device.async.AsyncSchema;
import org.arbalest.device.internal.abi.RawArrowAsyncProducer;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.MetadataCodec;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Metadata;
import org.arbalest.device.types.NestedType.StructType;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/** Readers of a native producer's struct and errors, which consider the producer's quirks. */
final class ProducerWords {
  private ProducerWords() {}

  /** Returns the schema of a producer's stream. The producer's struct must be complete. */
  static AsyncSchema schema(long producer, Field field, Set<AsyncQuirk> quirks) {
    if (RawArrowAsyncProducer.request(producer) == 0 || RawArrowAsyncProducer.cancel(producer) == 0) {
      throw DeviceException.invalid("the producer's request or cancel is NULL");
    }
    Metadata metadata = MetadataCodec.read(RawArrowAsyncProducer.additionalMetadata(metadataBase(producer, quirks)));
    if (!(field.type() instanceof StructType))
      throw DeviceException
          .invalid("an async stream has record batches, arrays of structs, but this one has arrays of " + field);
    return new AsyncSchema(Schema.ofStruct(field), new DeviceType(RawArrowAsyncProducer.deviceType(producer)),
        metadata);
  }

  /** Returns the address at which the struct would begin if its metadata were at {@code abi.h}'s offset. */
  private static long metadataBase(long producer, Set<AsyncQuirk> quirks) {
    return quirks.contains(AsyncQuirk.PRODUCER_HAS_RELEASE) ? producer + Long.BYTES : producer;
  }

  /** Returns whether the producer's struct may be freed before the last callbacks (ASY-29). */
  static boolean endsEarly(long producer, Set<AsyncQuirk> quirks) {
    if (quirks.contains(AsyncQuirk.PRODUCER_ENDS_EARLY)) return true;
    return !quirks.contains(AsyncQuirk.PRODUCER_STAYS) && ArrowCpp.contains(RawArrowAsyncProducer.request(producer));
  }

  /**
   * Returns the error that a producer passes to {@code on_error}. The cause is known only if the producer is the
   * library's own.
   */
  static DeviceException error(int code, long message, long metadata, @Nullable Throwable cause) {
    String text = message == 0 ? "the producer failed with " + Errno.name(code) + " and no message"
        : NativeHeap.getString(message);
    Metadata details;
    try {
      details = MetadataCodec.read(metadata);
    } catch (DeviceException e) {
      details = Metadata.empty();
      text += " (its metadata is malformed: " + e.getMessage() + ")";
    }
    return new DeviceException(code == 0 ? Errno.EIO : code, text, cause, details);
  }
}
