// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples;

import java.time.LocalDate;
import org.arbalest.device.*;
import org.arbalest.device.builders.*;
import org.arbalest.device.types.*;

/** The Java of docs/types.md: nested columns. */
final class NestedJava {
  private NestedJava() {}

  static RecordBatch nested() {
    try (BatchBuilder builder = BatchBuilder.of(Devices.cpu(), 3)) {
      // list<utf8>: ["a", "b"], null, []. appendList takes the next items, which are appended before it or after it.
      ColumnBuilder tags = builder.column(Field.of("tags", DataType.list(Field.of("item", DataType.UTF8))));
      tags.items().append("a").append("b");
      tags.appendList(2).appendNull().appendList(0);

      // struct<day, qty>: each field has a value in every row, also in a null row.
      ColumnBuilder order = builder.column(
          Field.of("order", DataType.struct(Field.of("day", DataType.DATE32), Field.of("qty", DataType.INT32))));
      ColumnBuilder day = order.child("day");
      ColumnBuilder quantity = order.child("qty");
      day.append(LocalDate.of(2024, 2, 29));
      quantity.append(7);
      order.appendStruct().appendNullWithParts();
      day.append(LocalDate.of(2024, 3, 1));
      quantity.appendNull();
      order.appendStruct();

      // map<utf8, float64>: {"EUR": 1.5, "USD": 2.5}, {}, null
      ColumnBuilder prices =
          builder.column(Field.of("prices",
              DataType.map(Field.of("key", DataType.UTF8).withNullable(false), Field.of("value", DataType.FLOAT64))));
      prices.keys().append("EUR").append("USD");
      prices.values().append(1.5).append(2.5);
      prices.appendMap(2).appendMap(0).appendNull();

      // dense_union<number, text>: 42, "n/a", null. A null goes to the first child that can be null.
      ColumnBuilder reading = builder.column(Field.of("reading",
          DataType.denseUnion(Field.of("number", DataType.INT64), Field.of("text", DataType.UTF8))));
      ColumnBuilder number = reading.child(0);
      ColumnBuilder text = reading.child(1);
      number.append(42);
      reading.appendUnion(0);
      text.append("n/a");
      reading.appendUnion(1).appendNull();

      return builder.build();
    }
  }
}
