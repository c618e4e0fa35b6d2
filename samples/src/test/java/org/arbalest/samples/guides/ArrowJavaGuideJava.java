// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides;

import org.apache.arrow.memory.*;
import org.apache.arrow.vector.*;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.arrow.ArrowVectors;

public final class ArrowJavaGuideJava {
  public static void main(String[] args) {
    try (BufferAllocator allocator = new RootAllocator();
        Float8Vector price = new Float8Vector("price", allocator)) {
      price.allocateNew(2);
      price.set(0, 1.5);
      price.set(1, 4.25);
      price.setValueCount(2);
      try (RecordBatch batch = ArrowVectors.toRecordBatch(VectorSchemaRoot.of(price));
          VectorSchemaRoot root = ArrowVectors.toVectorSchemaRoot(batch, allocator)) { // the same buffers
        System.out.println(batch.column("price").getDouble(1)); // 4.25
        System.out.println(root.getVector("price")); // [1.5, 4.25]
      }
    }
  }
}
