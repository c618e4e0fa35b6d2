// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides;

import java.util.function.LongFunction;

/** The public methods of cuDF's Java classes that the programs for cuDF call. A test implements them. */
interface Cudf {
  /** Memory on a GPU. */
  interface BaseDeviceMemoryBuffer {
    long getAddress();

    long getLength();
  }

  /** Memory on a GPU that closing frees, such as {@code Rmm.alloc} returns. */
  interface DeviceMemoryBuffer extends BaseDeviceMemoryBuffer, AutoCloseable {
    @Override
    void close();
  }

  /** RMM's current memory resource. */
  final class Rmm {
    static volatile LongFunction<DeviceMemoryBuffer> resource = bytes -> {
      throw new IllegalStateException("a test sets the resource");
    };

    private Rmm() {}

    static DeviceMemoryBuffer alloc(long bytes) {
      return resource.apply(bytes);
    }
  }

  /** A column, which counts its references. A buffer is null if the column has none, or if it has no bytes. */
  interface ColumnVector extends AutoCloseable {
    BaseDeviceMemoryBuffer getData();

    BaseDeviceMemoryBuffer getValid();

    BaseDeviceMemoryBuffer getOffsets();

    long getRowCount();

    long getNullCount();

    ColumnVector incRefCount();

    @Override
    void close();
  }
}
