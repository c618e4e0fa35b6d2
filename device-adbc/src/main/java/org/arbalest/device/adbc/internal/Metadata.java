// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.arbalest.device.adbc.AdbcCatalog;
import org.arbalest.device.adbc.AdbcColumn;
import org.arbalest.device.adbc.AdbcConstraint;
import org.arbalest.device.adbc.AdbcDbSchema;
import org.arbalest.device.adbc.AdbcInfo;
import org.arbalest.device.adbc.AdbcStatistic;
import org.arbalest.device.adbc.AdbcTable;
import org.jspecify.annotations.Nullable;

/** Conversions of metadata rows to the records of the public API. */
final class Metadata {
  private Metadata() {}

  static AdbcInfo info(List<MetadataRow> rows) {
    Map<Integer, @Nullable Object> values = new LinkedHashMap<>();
    for (MetadataRow row : rows) values.put(row.numberThatIsThere("info_name"), infoValue(row.get("info_value")));
    return new AdbcInfo(values);
  }

  /** Converts a value; a map arrives as its entries. */
  private static @Nullable Object infoValue(@Nullable Object value) {
    if (!(value instanceof List<?> list) || list.isEmpty() || !(list.getFirst() instanceof Map.Entry)) return value;
    Map<Object, @Nullable Object> map = new LinkedHashMap<>();
    for (Object item : list) {
      if (item instanceof Map.Entry<?, ?> entry) map.put(entry.getKey(), entry.getValue());
    }
    return map;
  }

  static AdbcCatalog catalog(MetadataRow row) {
    return new AdbcCatalog(row.text("catalog_name"),
        row.rows("catalog_db_schemas").stream().map(Metadata::dbSchema).toList());
  }

  private static AdbcDbSchema dbSchema(MetadataRow row) {
    return new AdbcDbSchema(row.text("db_schema_name"),
        row.rows("db_schema_tables").stream().map(Metadata::table).toList());
  }

  private static AdbcTable table(MetadataRow row) {
    return new AdbcTable(
        row.textThatIsThere("table_name"),
        row.textThatIsThere("table_type"),
        row.rows("table_columns").stream().map(Metadata::column).toList(),
        row.rows("table_constraints").stream().map(Metadata::constraint).toList());
  }

  private static AdbcColumn column(MetadataRow row) {
    return new AdbcColumn(
        row.textThatIsThere("column_name"),
        row.number("ordinal_position"),
        row.text("remarks"),
        new AdbcColumn.Xdbc(
            row.number("xdbc_data_type"),
            row.text("xdbc_type_name"),
            row.number("xdbc_column_size"),
            row.number("xdbc_decimal_digits"),
            row.number("xdbc_num_prec_radix"),
            row.number("xdbc_nullable"),
            row.text("xdbc_column_def"),
            row.number("xdbc_sql_data_type"),
            row.number("xdbc_datetime_sub"),
            row.number("xdbc_char_octet_length"),
            row.text("xdbc_is_nullable"),
            row.text("xdbc_scope_catalog"),
            row.text("xdbc_scope_schema"),
            row.text("xdbc_scope_table"),
            row.flag("xdbc_is_autoincrement"),
            row.flag("xdbc_is_generatedcolumn")));
  }

  private static AdbcConstraint constraint(MetadataRow row) {
    return new AdbcConstraint(
        row.text("constraint_name"),
        row.textThatIsThere("constraint_type"),
        row.texts("constraint_column_names"),
        row.rows("constraint_column_usage").stream().map(Metadata::reference).toList());
  }

  private static AdbcConstraint.Reference reference(MetadataRow row) {
    return new AdbcConstraint.Reference(
        row.text("fk_catalog"), row.text("fk_db_schema"), row.textThatIsThere("fk_table"),
        row.textThatIsThere("fk_column_name"));
  }

  static List<AdbcStatistic> statistics(List<MetadataRow> catalogs) {
    List<AdbcStatistic> all = new ArrayList<>();
    for (MetadataRow catalog : catalogs) {
      for (MetadataRow dbSchema : catalog.rows("catalog_db_schemas")) {
        for (MetadataRow row : dbSchema.rows("db_schema_statistics")) {
          all.add(
              new AdbcStatistic(
                  catalog.text("catalog_name"),
                  dbSchema.text("db_schema_name"),
                  row.textThatIsThere("table_name"),
                  row.text("column_name"),
                  row.numberThatIsThere("statistic_key"),
                  row.get("statistic_value"),
                  Boolean.TRUE.equals(row.flag("statistic_is_approximate"))));
        }
      }
    }
    return List.copyOf(all);
  }
}
