// SPDX-License-Identifier: Apache-2.0
/* AdbcConnectionGetInfo: each kind of value of its union at least once. Codes from 500 on are those of Flight SQL's GetSqlInfo. */
#include "functions.h"

#define SQL_DDL_CATALOG 500
#define SQL_IDENTIFIER_CASE 503
#define SQL_KEYWORDS 508
#define SQL_SUPPORTS_CONVERT 517
#define SQL_SUPPORTED_GROUP_BY 522
#define OWN 10000

static const struct shape item[] = {{"u", "item", 1, 0, NULL}};
static const struct shape integer[] = {{"i", "item", 1, 0, NULL}};
static const struct shape entry[] = {{"i", "key", 0, 0, NULL}, {"+l", "value", 1, PARTS(integer)}};
static const struct shape entries[] = {{"+s", "entries", 0, PARTS(entry)}};
static const struct shape kinds[] = {{"u", "string_value", 1, 0, NULL}, {"b", "bool_value", 1, 0, NULL}, {"l", "int64_value", 1, 0, NULL},
                                     {"i", "int32_bitmask", 1, 0, NULL}, {"+l", "string_list", 1, PARTS(item)},
                                     {"+m", "int32_to_int32_list_map", 1, PARTS(entries)}};
static const struct shape fields[] = {{"I", "info_name", 0, 0, NULL}, {"+ud:0,1,2,3,4,5", "info_value", 1, PARTS(kinds)}};
static const struct shape shape = {"+s", "", 0, PARTS(fields)};

enum kind { TEXT, BOOL, INT, BITMASK, LIST, MAP };

static const struct { uint32_t code; enum kind kind; const char* text; int64_t integer; } infos[] = {
  {ADBC_INFO_VENDOR_NAME, TEXT, "Arbalest's double", 0},
  {ADBC_INFO_VENDOR_VERSION, TEXT, "0.1", 0},
  {ADBC_INFO_VENDOR_ARROW_VERSION, TEXT, NULL, 0},
  {ADBC_INFO_VENDOR_SQL, BOOL, NULL, 1},
  {ADBC_INFO_VENDOR_SUBSTRAIT, BOOL, NULL, 1},
  {ADBC_INFO_VENDOR_SUBSTRAIT_MIN_VERSION, TEXT, "0.0.1", 0},
  {ADBC_INFO_VENDOR_SUBSTRAIT_MAX_VERSION, TEXT, "0.0.2", 0},
  {ADBC_INFO_DRIVER_NAME, TEXT, "adbc_driver_double", 0},
  {ADBC_INFO_DRIVER_VERSION, TEXT, "0.1.0", 0},
  {ADBC_INFO_DRIVER_ARROW_VERSION, TEXT, "1.4", 0},
  {ADBC_INFO_DRIVER_ADBC_VERSION, INT, NULL, ADBC_VERSION_1_1_0},
  {SQL_DDL_CATALOG, BOOL, NULL, 0},
  {SQL_IDENTIFIER_CASE, INT, NULL, 3},
  {SQL_KEYWORDS, LIST, NULL, 0},
  {SQL_SUPPORTS_CONVERT, MAP, NULL, 0},
  {SQL_SUPPORTED_GROUP_BY, BITMASK, NULL, 6},
  {OWN, TEXT, "an own one \xE2\x86\x92", 0},
};

static void value(struct column* column, const char* text, int64_t integer, enum kind kind) {
  struct column* part = column_part(column, kind);
  struct column* inner;
  switch (kind) {
    case TEXT: column_text(part, text); break;
    case BOOL: case INT: case BITMASK: column_int(part, integer); break;
    case LIST:
      column_text(column_part(part, 0), "SELECT");
      column_null(column_part(part, 0));
      column_text(column_part(part, 0), "");
      column_item(part);
      break;
    case MAP: /* {5: [1, 7], 8: [], 9: null} */
      inner = column_part(column_part(column_part(part, 0), 1), 0);
      for (int key = 5; key < 10; key += key == 5 ? 3 : 1) {
        column_int(column_part(column_part(part, 0), 0), key);
        if (key == 5) column_int(inner, 1), column_int(inner, 7);
        if (key == 9) column_null(column_part(column_part(part, 0), 1));
        else column_item(column_part(column_part(part, 0), 1));
        column_item(column_part(part, 0));
      }
      column_item(part);
  }
  column_pick(column, kind);
}

/* "Drivers/vendors will ignore requests for unrecognized codes (the row will be omitted from the result)." */
static int is_asked(uint32_t code, const uint32_t* codes, size_t n) {
  for (size_t i = 0; codes != NULL && i < n; i++) {
    if (codes[i] == code) return 1;
  }
  return codes == NULL;
}

AdbcStatusCode connection_get_info(struct AdbcConnection* handle, const uint32_t* codes, size_t n, struct ArrowArrayStream* out, struct AdbcError* error) {
  struct call call;
  if (!call_connection(&call, "ConnectionGetInfo", CALL_RUNS, handle, error)) return call.status;
  struct column* column = column_new(&shape);
  for (size_t i = 0; i < sizeof infos / sizeof infos[0]; i++) {
    if (!is_asked(infos[i].code, codes, n)) continue;
    int64_t integer = infos[i].code == ADBC_INFO_DRIVER_ADBC_VERSION && knob_init() == INIT_ODD_VERSION ? -7 : infos[i].integer;
    column_int(column_part(column, 0), infos[i].code);
    value(column_part(column, 1), infos[i].text, integer, infos[i].kind);
    column_item(column);
  }
  result_start(source_once(&shape, column), handle->private_data, NULL, out);
  return call_end(&call, ADBC_STATUS_OK);
}
