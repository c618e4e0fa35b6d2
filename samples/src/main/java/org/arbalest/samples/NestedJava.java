package org.arbalest.samples;

import java.time.LocalDate;
import org.arbalest.device.*;

/** The Java of docs/types.md: columns that are made of others. */
final class NestedJava {
  private NestedJava() {}

  static DeviceArray nested() {
    try (BatchBuilder builder = Devices.cpu().batchBuilder(3)) {
      // list<utf8>: ["a", "b"], null, []. A list takes the next of its items, which are appended before it or after it.
      ColumnBuilder tags = builder.column(Field.of("tags", DataType.list(Field.of("item", DataType.UTF8))));
      tags.items().append("a").append("b");
      tags.appendList(2).appendNull().appendList(0);

      // struct<day, qty>: each row has a value of each field, a null one too.
      ColumnBuilder order = builder.column(Field.of("order", DataType.struct(Field.of("day", DataType.DATE32), Field.of("qty", DataType.INT32))));
      order.child("day").append(LocalDate.of(2024, 2, 29));
      order.child("qty").append(7);
      order.appendStruct().appendNullWithParts();
      order.child("day").append(LocalDate.of(2024, 3, 1));
      order.child("qty").appendNull();
      order.appendStruct();

      // map<utf8, float64>: {"EUR": 1.5, "USD": 2.5}, {}, null
      ColumnBuilder prices = builder.column(Field.of("prices", DataType.map(Field.of("key", DataType.UTF8).withNullable(false), Field.of("value", DataType.FLOAT64))));
      prices.keys().append("EUR").append("USD");
      prices.values().append(1.5).append(2.5);
      prices.appendMap(2).appendMap(0).appendNull();

      // dense_union<number, text>: 42, "n/a", null. A null is one of the first child's.
      ColumnBuilder reading = builder.column(Field.of("reading", DataType.denseUnion(Field.of("number", DataType.INT64), Field.of("text", DataType.UTF8))));
      reading.child("number").append(42);
      reading.appendUnion("number");
      reading.child("text").append("n/a");
      reading.appendUnion("text").appendNull();

      return builder.build();
    }
  }
}
