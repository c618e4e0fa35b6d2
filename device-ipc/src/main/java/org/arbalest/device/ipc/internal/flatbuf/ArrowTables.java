// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.flatbuf;

import java.util.List;

/** The tables of Arrow's format: Schema.fbs, Message.fbs and File.fbs. */
final class ArrowTables {
  private static final TableType KEY_VALUE = new TableType("KeyValue").string("key").string("value");

  private static final TableType INT = new TableType("Int").scalar("bitWidth", 4).scalar("is_signed", 1);

  /** The tables of the union Type, from type 1 on. */
  static final List<TableType> TYPES = List.of(
      new TableType("Null"),
      INT,
      new TableType("FloatingPoint").scalar("precision", 2),
      new TableType("Binary"),
      new TableType("Utf8"),
      new TableType("Bool"),
      new TableType("Decimal").scalar("precision", 4).scalar("scale", 4).scalar("bitWidth", 4),
      new TableType("Date").scalar("unit", 2),
      new TableType("Time").scalar("unit", 2).scalar("bitWidth", 4),
      new TableType("Timestamp").scalar("unit", 2).string("timezone"),
      new TableType("Interval").scalar("unit", 2),
      new TableType("List"),
      new TableType("Struct_"),
      new TableType("Union").scalar("mode", 2).vector("typeIds", 4),
      new TableType("FixedSizeBinary").scalar("byteWidth", 4),
      new TableType("FixedSizeList").scalar("listSize", 4),
      new TableType("Map").scalar("keysSorted", 1),
      new TableType("Duration").scalar("unit", 2),
      new TableType("LargeBinary"),
      new TableType("LargeUtf8"),
      new TableType("LargeList"),
      new TableType("RunEndEncoded"),
      new TableType("BinaryView"),
      new TableType("Utf8View"),
      new TableType("ListView"),
      new TableType("LargeListView"));

  private static final TableType DICTIONARY_ENCODING = new TableType("DictionaryEncoding")
      .scalar("id", 8)
      .table("indexType", INT)
      .scalar("isOrdered", 1)
      .scalar("dictionaryKind", 2);

  private static final TableType FIELD = field();

  private static final TableType SCHEMA = new TableType("Schema")
      .scalar("endianness", 2)
      .tables("fields", FIELD)
      .tables("custom_metadata", KEY_VALUE)
      .vector("features", 8);

  private static final TableType BODY_COMPRESSION =
      new TableType("BodyCompression").scalar("codec", 1).scalar("method", 1);

  private static final TableType RECORD_BATCH = new TableType("RecordBatch")
      .scalar("length", 8)
      .vector("nodes", 16)
      .vector("buffers", 16)
      .table("compression", BODY_COMPRESSION)
      .vector("variadicBufferCounts", 8);

  private static final TableType DICTIONARY_BATCH =
      new TableType("DictionaryBatch").scalar("id", 8).table("data", RECORD_BATCH).scalar("isDelta", 1);

  /** The tables of the union MessageHeader, from type 1 on. Readers reject tensors, so these have no fields here. */
  static final List<TableType> HEADERS = List.of(
      SCHEMA, DICTIONARY_BATCH, RECORD_BATCH, new TableType("Tensor"), new TableType("SparseTensor"));

  static final TableType MESSAGE = new TableType("Message")
      .scalar("version", 2)
      .requiredUnion("header", HEADERS)
      .scalar("bodyLength", 8)
      .tables("custom_metadata", KEY_VALUE);

  static final TableType FOOTER = new TableType("Footer")
      .scalar("version", 2)
      .table("schema", SCHEMA)
      .vector("dictionaries", 24)
      .vector("recordBatches", 24)
      .tables("custom_metadata", KEY_VALUE);

  private ArrowTables() {}

  private static TableType field() {
    TableType field = new TableType("Field");
    return field
        .string("name")
        .scalar("nullable", 1)
        .union("type", TYPES)
        .table("dictionary", DICTIONARY_ENCODING)
        .tables("children", field)
        .tables("custom_metadata", KEY_VALUE);
  }
}
