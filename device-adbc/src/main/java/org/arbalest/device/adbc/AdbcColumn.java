// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import org.jspecify.annotations.Nullable;

/**
 * A column of a table.
 *
 * @param name its name
 * @param position which column it is, from 1
 * @param remarks what the database says of it
 * @param xdbc what JDBC and ODBC would say of it
 */
public record AdbcColumn(String name, @Nullable Integer position, @Nullable String remarks, Xdbc xdbc) {
  /**
   * What JDBC's {@code DatabaseMetaData.getColumns} and ODBC's {@code SQLColumns} say of a column, under their names;
   * null where the driver does not.
   *
   * @param dataType the type's number
   * @param typeName the type's name
   * @param columnSize digits, characters or bytes
   * @param decimalDigits digits after the point
   * @param numPrecRadix what the digits are to: 10 or 2
   * @param nullable 0 for no, 1 for yes, 2 for unknown
   * @param columnDef its default
   * @param sqlDataType the type's number, without what a sub-code says of dates
   * @param datetimeSub the sub-code of dates and times
   * @param charOctetLength the most bytes of a text
   * @param isNullable YES, NO or empty
   * @param scopeCatalog the catalog of what a reference refers to
   * @param scopeSchema the schema of it
   * @param scopeTable the table of it
   * @param isAutoincrement whether the database counts it up
   * @param isGeneratedColumn whether the database computes it
   */
  public record Xdbc(
      @Nullable Integer dataType,
      @Nullable String typeName,
      @Nullable Integer columnSize,
      @Nullable Integer decimalDigits,
      @Nullable Integer numPrecRadix,
      @Nullable Integer nullable,
      @Nullable String columnDef,
      @Nullable Integer sqlDataType,
      @Nullable Integer datetimeSub,
      @Nullable Integer charOctetLength,
      @Nullable String isNullable,
      @Nullable String scopeCatalog,
      @Nullable String scopeSchema,
      @Nullable String scopeTable,
      @Nullable Boolean isAutoincrement,
      @Nullable Boolean isGeneratedColumn) {}
}
