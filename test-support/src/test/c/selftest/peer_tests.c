// SPDX-License-Identifier: Apache-2.0
/* Tests of peer/ and checks/: structs and streams, and reading them. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "checks/checks.h"
#include "tests.h"

static int64_t take_schema_sum(struct ArrowArray* array, struct ArrowSchema* schema) {
  int64_t sum = peer_array_checksum(array, schema);
  CHECK(sum != 0);
  peer_release_array(array);
  peer_release_schema(schema);
  return sum;
}

static void layout(void) {
  const char* text = arbalest_layout();
  CHECK(strstr(text, "ArrowSchema 72\n") && strstr(text, "ArrowArray 80\n") && strstr(text, "ArrowAsyncProducer 40\n"));
  CHECK(strstr(text, "ArrowDeviceArray.reserved 104\n") && strstr(text, "ArrowAsyncDeviceStreamHandler 48\n"));
}

static void batches(void) {
  const int32_t flavours[] = {0, PEER_SLICED, PEER_UNALIGNED, PEER_SLICED | PEER_UNALIGNED};
  int64_t first = 0;
  for (int i = 0; i < 4; i++) {
    struct ArrowArray array;
    struct ArrowSchema schema;
    peer_batch(&array, 100, 50, flavours[i]);
    peer_batch_schema(&schema);
    CHECK(peer_consume_array(&array, &schema, "id", -1) == 100 * 50 + 49 * 25);
    CHECK(peer_consume_array(&array, &schema, NULL, 0) == 100 * 50 + 49 * 25);
    CHECK(peer_consume_array(&array, &schema, "name", -1) == INT64_MIN);
    CHECK(peer_consume_array(&array, &schema, "nobody", -1) == INT64_MIN);
    int64_t sum = take_schema_sum(&array, &schema);
    if (i == 0) first = sum;
    CHECK(sum == first);
  }
  CHECK(peer_violations() == 0 && peer_release_calls() == 4 * 6);
}

/* "a", "bcd", NULL, "a much longer text" in the layouts that can hold it. */
static void make_text(const char* format, struct ArrowArray* a, struct ArrowSchema* s) {
  static const char data[] = "abcda much longer text";
  const uint8_t valid = 0x0B;
  const int32_t small[] = {0, 1, 4, 4, 22};
  const int64_t large[] = {0, 1, 4, 4, 22};
  int dictionary = format[0] == 'c';
  peer_schema_init(s, format, NULL, NULL, 0, ARROW_FLAG_NULLABLE, 0);
  if (format[0] == 'v') {
    struct { int32_t size; char text[12]; } views[4];
    const int32_t far[] = {0, 4};
    const int64_t size = 22;
    memset(views, 0, sizeof views);
    views[0].size = 1; views[0].text[0] = 'a';
    views[1].size = 3; memcpy(views[1].text, "bcd", 3);
    views[3].size = 18; memcpy(views[3].text, "a mu", 4); memcpy(views[3].text + 4, far, 8);
    peer_array_init(a, 4, 1, 0, 4, 0);
    peer_array_set_buffer(a, 0, &valid, 1);
    peer_array_set_buffer(a, 1, views, sizeof views);
    peer_array_set_buffer(a, 2, data, 22);
    peer_array_set_buffer_guarded(a, 3, &size, 8);
  } else if (dictionary) {
    const int8_t codes[] = {0, 1, 99, 3};
    peer_array_init(a, 4, 1, 0, 2, 0);
    peer_array_set_buffer(a, 0, &valid, 1);
    peer_array_set_buffer(a, 1, codes, 4);
    peer_array_set_dictionary(a);
    peer_schema_set_dictionary(s);
    make_text("u", a->dictionary, s->dictionary);
  } else {
    int wide = format[0] == 'U';
    peer_array_init(a, 4, -1, 0, 3, 0);
    peer_array_set_buffer_guarded(a, 0, &valid, 1);
    peer_array_set_buffer_guarded(a, 1, wide ? (const void*)large : small, wide ? 40 : 20);
    peer_array_set_buffer_guarded(a, 2, data, 22);
  }
}

static void texts(void) {
  const char* const formats[] = {"u", "U", "vu", "c"};
  int64_t first = 0;
  for (int i = 0; i < 4; i++) {
    struct ArrowArray a;
    struct ArrowSchema s;
    make_text(formats[i], &a, &s);
    int64_t sum = take_schema_sum(&a, &s);
    if (i == 0) first = sum;
    CHECK(sum == first);
  }
  CHECK(peer_violations() == 0);
}

static void ints(struct ArrowArray* a, struct ArrowSchema* s, const char* format, const char* name, int size,
                 int64_t n) {
  char bytes[256] = {0};
  for (int64_t i = 0; i < n; i++) bytes[i * size] = (char)(i + 1);
  peer_schema_init(s, format, name, NULL, 0, 0, 0);
  peer_array_init(a, n, 0, 0, 2, 0);
  peer_array_set_buffer(a, 1, bytes, n * size);
}

/* [[1,2],[],[3,4]] as list, large list, list view: equal. As fixed-size list, union, run-end-encoded: readable. */
static void nested(void) {
  static const struct { const char* format; int64_t rows, values; int like_first; } cases[] = {
    {"+l", 3, 4, 1}, {"+L", 3, 4, 1}, {"+vl", 3, 4, 1}, {"+vL", 3, 4, 1}, {"+w:2", 2, 4, 0}, {"+us:5", 4, 4, 0}, {"+ud:5", 4, 4, 0},
  };
  const int32_t o32[] = {0, 2, 2, 4}, s32[] = {2, 0, 2};
  const int64_t o64[] = {0, 2, 2, 4}, s64[] = {2, 0, 2};
  const int8_t types[] = {5, 5, 5, 5};
  const int32_t spots[] = {3, 2, 1, 0};
  int64_t first = 0;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const char* f = cases[i].format;
    struct ArrowArray a;
    struct ArrowSchema s;
    int wide = f[1] == 'L' || f[2] == 'L', view = f[1] == 'v', is_union = f[1] == 'u';
    peer_schema_init(&s, f, "", NULL, 0, 0, 1);
    peer_array_init(&a, cases[i].rows, 0, 0, f[1] == 'w' ? 1 : is_union ? 1 + (f[2] == 'd') : view ? 3 : 2, 1);
    ints(a.children[0], s.children[0], "s", "item", 2, cases[i].values);
    if (is_union) {
      peer_array_set_buffer(&a, 0, types, 4);
      peer_array_set_buffer(&a, 1, spots, 16);
    } else if (f[1] != 'w') {
      peer_array_set_buffer(&a, 1, wide ? (const void*)o64 : o32, (view ? 3 : 4) * (wide ? 8 : 4));
      if (view) peer_array_set_buffer(&a, 2, wide ? (const void*)s64 : s32, 3 * (wide ? 8 : 4));
    }
    int64_t sum = take_schema_sum(&a, &s);
    if (i == 0) first = sum;
    CHECK((sum == first) == cases[i].like_first);
  }
  struct ArrowArray a, plain;
  struct ArrowSchema s, flat;
  const int32_t ends[] = {2, 3};
  const int8_t run_values[] = {1, 2}, same[] = {1, 2, 9};
  peer_schema_init(&s, "+r", "", NULL, 0, 0, 2);
  peer_array_init(&a, 2, 0, 1, 0, 2); /* [1,1,2] from index 1 on: [1,2] */
  ints(a.children[0], s.children[0], "i", "run_ends", 4, 2);
  peer_array_set_buffer(a.children[0], 1, ends, 8);
  ints(a.children[1], s.children[1], "c", "values", 1, 2);
  peer_array_set_buffer(a.children[1], 1, run_values, 2);
  ints(&plain, &flat, "c", "", 1, 2);
  peer_array_set_buffer(&plain, 1, same, 2);
  CHECK(take_schema_sum(&a, &s) == take_schema_sum(&plain, &flat));
  CHECK(peer_violations() == 0);
}

static void widths(void) {
  static const struct { const char* format; int bytes; } cases[] = {
    {"e", 2}, {"f", 4}, {"g", 8}, {"w:3", 3}, {"d:9,2,32", 4}, {"d:18,2", 16}, {"d:50,2,256", 32}, {"tdD", 4},
    {"tdm", 8}, {"tts", 4}, {"ttu", 8}, {"tsn:UTC", 8}, {"tDs", 8}, {"tiM", 4}, {"tiD", 8}, {"tin", 16}, {"L", 8}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct ArrowArray a;
    struct ArrowSchema s;
    ints(&a, &s, cases[i].format, "x", cases[i].bytes, 5);
    take_schema_sum(&a, &s);
  }
  CHECK(peer_violations() == 0);
  struct ArrowArray a;
  struct ArrowSchema s;
  ints(&a, &s, "?", "odd", 1, 1);
  CHECK(peer_array_checksum(&a, &s) == 0 && peer_violations() == 1);
  CHECK(strstr(peer_violation_text(), "'odd'"));
  CHECK(peer_array_set_buffer(&a, 2, "x", 1) == EINVAL);
  peer_release_array(&a);
  peer_release_schema(&s);
}

static void malformed(void) {
  struct ArrowArray a;
  struct ArrowSchema s;
  peer_schema_init(&s, NULL, NULL, NULL, 0, -1, 2);
  peer_schema_null_children(&s);
  peer_array_init(&a, -1, -5, -7, 2, 2);
  peer_array_null_children(&a);
  peer_array_null_buffers(&a);
  a.n_buffers = a.n_children = -1;
  peer_release_array(&a);
  peer_release_schema(&s);
  peer_array_init(&a, 1, 0, 0, -3, -3);
  CHECK(a.n_buffers == -3 && a.n_children == -3);
  peer_release_array(&a);
}

static void schemas(void) {
  struct ArrowSchema s, t;
  char metadata[4 + 4 + 2 + 4 + 3] = {0};
  int32_t sizes[] = {1, 2, 3};
  memcpy(metadata, &sizes[0], 4);
  memcpy(metadata + 4, &sizes[1], 4);
  memcpy(metadata + 10, &sizes[2], 4);
  peer_schema_init(&s, "c", "a", metadata, sizeof metadata, 0x102, 0);
  peer_schema_set_dictionary(&s);
  peer_schema_init(s.dictionary, "+s", NULL, NULL, 0, 0, 1);
  peer_schema_init(s.dictionary->children[0], "u", "x", NULL, 0, 0, 0);
  int64_t before = peer_schema_checksum(&s);
  peer_move_schema(&s, &t);
  CHECK(s.release == NULL && peer_schema_checksum(&t) == before);
  peer_move_schema_dictionary(&t, &s);
  CHECK(peer_release_schema(&t) == 1 && peer_release_schema(&t) == 0);
  CHECK(peer_live_schemas() == 2);
  peer_move_schema_child(&s, 0, &t);
  CHECK(peer_release_twice(&s, PEER_SCHEMA) == 1 && strcmp(t.name, "x") == 0);
  CHECK(peer_release_moved(&t, PEER_SCHEMA) == 1 && peer_double_releases() == 1 && peer_violations() == 0);
}

static void moves(void) {
  struct ArrowArray a, b, child;
  peer_batch(&a, 0, 10, 0);
  peer_move_array(&a, &b);
  CHECK(a.release == NULL && peer_release_array(&a) == 0);
  peer_move_child(&b, 0, &child);
  CHECK(peer_release_array(&b) == 1 && peer_live_arrays() == 1);
  CHECK(((const int64_t*)child.buffers[1])[9] == 9);
  peer_copy_array(&child, &b);
  CHECK(peer_release_array(&child) == 1 && peer_double_releases() == 0);
  CHECK(peer_release_array(&b) == 1 && peer_double_releases() == 1 && b.release == NULL);
  peer_batch(&a, 0, 10, 0);
  CHECK(peer_violations() == 0);
  peer_release_array(a.children[1]); /* against the rules: only the base structure may be released */
  CHECK(peer_violations() == 1 && strstr(peer_violation_text(), "in place"));
  CHECK(peer_release_moved(&a, PEER_ARRAY) == 1);
}

static void threads(void) {
  enum { N = 400 };
  static struct ArrowArray arrays[N];
  void* ptrs[N];
  struct ArrowSchema s;
  struct ArrowDeviceArray d;
  struct ArrowArrayStream stream;
  for (int i = 0; i < N; i++) peer_batch(ptrs[i] = &arrays[i], i, 5, 0);
  CHECK(peer_release_many(ptrs, N, 4, PEER_ARRAY) == N && peer_release_many(ptrs, N, 4, PEER_ARRAY) == 0);
  peer_batch(&arrays[0], 0, 3, 0);
  peer_device_array_wrap(&d, &arrays[0], -1, ARROW_DEVICE_CPU, NULL, 1);
  CHECK(d.reserved[2] != 0 && arrays[0].release == NULL);
  CHECK(peer_release_on_thread(&d, PEER_DEVICE_ARRAY) == 1 && d.array.release == NULL);
  peer_batch_schema(&s);
  peer_release_later(&s, PEER_SCHEMA, -1);
  peer_stream(&stream, 1, 1, 0, 0, 0);
  peer_release_later(&stream, PEER_STREAM, 1);
  CHECK(s.release == NULL && peer_live_schemas() == 3);
  peer_gate_open();
  peer_join_all();
  CHECK(peer_live_schemas() == 0);
}

/* Two threads release bitwise copies of one array. One release is a double release. */
static void contest(void) {
  for (int i = 0; i < 50; i++) {
    struct ArrowArray a, b;
    peer_batch(&a, 0, 3, 0);
    peer_copy_array(&a, &b);
    void* both[] = {&a, &b};
    CHECK(peer_release_many(both, 2, 2, PEER_ARRAY) == 2 && peer_double_releases() == i + 1);
  }
}

static int64_t r[PEER_RESULT_SLOTS];
static char error[160];

static int32_t drain(int64_t n, int32_t flavour, int64_t at, int32_t code, int32_t flags, int64_t stop, int64_t extra) {
  struct ArrowArrayStream s;
  peer_stream(&s, n, 10, flavour, at, code);
  int32_t answer = peer_drain_stream_with(&s, flags, stop, extra, r, error, sizeof error);
  if (flags & PEER_DRAIN_NO_RELEASE) CHECK(peer_release_stream(&s) == 1);
  CHECK(s.release == NULL);
  return answer;
}

static void streams(void) {
  struct ArrowArray all;
  struct ArrowSchema schema;
  peer_batch(&all, 0, 50, 0);
  peer_batch_schema(&schema);
  int64_t expected = take_schema_sum(&all, &schema);
  const int32_t flags[] = {0, PEER_DRAIN_SCHEMA_OFTEN, PEER_DRAIN_KEEP, PEER_DRAIN_NO_RELEASE | PEER_DRAIN_KEEP};
  int64_t row_sum = 0;
  for (int i = 0; i < 4; i++)
    for (int sliced = 0; sliced < 2; sliced++) {
      CHECK(drain(5, sliced ? PEER_SLICED | PEER_END_GARBAGE : 0, 0, 0, flags[i], -1, 3) == 0);
      CHECK(r[PEER_BATCHES] == 5 && r[PEER_ROWS] == 50 && r[PEER_CHECKSUM] == expected && r[PEER_ENDED] == 1);
      CHECK(r[PEER_EXTRA_SAME] == 3 && r[PEER_EXTRA_OTHER] == 0 && r[PEER_SCHEMA_DIFFERS] == 0);
      row_sum = r[PEER_ROW_SUM];
    }
  CHECK(drain(5, 0, 0, 0, PEER_DRAIN_TAKE_TURNS | PEER_DRAIN_KEEP, -1, 0) == 0 && r[PEER_ROW_SUM] == row_sum);
  CHECK(drain(5, 0, 0, 0, PEER_DRAIN_KEEP, 2, 9) == 0 && r[PEER_BATCHES] == 2 && r[PEER_ENDED] == 0);
  CHECK(peer_violations() == 0 && peer_double_releases() == 0 && peer_stream_calls(3) == 10);
}

static void stream_faults(void) {
  CHECK(drain(5, PEER_FAIL | PEER_FAIL_GARBAGE, 2, EIO, 0, -1, 4) == EIO);
  CHECK(r[PEER_BATCHES] == 2 && r[PEER_HAD_TEXT] == 1 && r[PEER_EXTRA_SAME] == 4);
  CHECK(strcmp(error, "peer: batch 2 failed \xE2\x80\x94 code 5") == 0);
  CHECK(drain(5, PEER_FAIL | PEER_FAIL_ONCE | PEER_TEXT_NULL, 2, EIO, 0, -1, 4) == EIO);
  CHECK(r[PEER_HAD_TEXT] == 0 && error[0] == 0 && r[PEER_EXTRA_OTHER] == 4);
  CHECK(drain(5, PEER_FAIL_SCHEMA, 0, ENOMEM, 0, -1, 2) == ENOMEM && r[PEER_EXTRA_SAME] == 2);
  CHECK(drain(5, PEER_SCHEMA_ONCE, 0, ENOSYS, PEER_DRAIN_SCHEMA_OFTEN, -1, 0) == 0 && r[PEER_SCHEMA_DIFFERS] == 1);
  CHECK(peer_violations() == 0);
  CHECK(drain(5, PEER_BAD_CHILDREN, 1, 0, 0, -1, 0) == 0 && r[PEER_CHECKSUM] == 0 && peer_violations() == 1);
  CHECK(drain(5, PEER_BAD_BUFFERS, 1, 0, 0, -1, 0) == 0 && r[PEER_CHECKSUM] == 0 && peer_violations() == 2);
  struct ArrowArrayStream s;
  struct ArrowSchema schema;
  struct ArrowArray a;
  peer_reset();
  peer_stream(&s, 1, 1, PEER_FAIL | PEER_TEXT_VOLATILE, 0, EINVAL);
  CHECK(s.get_next(&s, &a) == EINVAL);
  const char* text = s.get_last_error(&s);
  CHECK(strstr(text, "batch 0") && peer_violations() == 0);
  CHECK(s.get_schema(&s, &schema) == 0 && text[0] == '#');
  peer_release_schema(&schema);
  CHECK(s.get_last_error(&s) == NULL && peer_violations() == 1);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray*) = s.get_next;
  CHECK(peer_release_twice(&s, PEER_STREAM) == 1 && peer_double_releases() == 1);
  CHECK(get_next(&s, &a) == EINVAL && peer_violations() == 2);
}

static struct ArrowArrayStream gated;

static void* pull_gated(void* out) {
  CHECK(gated.get_next(&gated, out) == 0);
  return NULL;
}

static void concurrency(void) {
  struct ArrowArray a, b;
  pthread_t thread;
  const struct timespec moment = {0, 1000000};
  peer_stream(&gated, 3, 2, PEER_GATE, 0, 0);
  pthread_create(&thread, NULL, pull_gated, &a);
  while (peer_gate_waiting() == 0) nanosleep(&moment, NULL);
  CHECK(gated.get_next(&gated, &b) == EBUSY && peer_violations() == 1);
  peer_gate_open();
  pthread_join(thread, NULL);
  peer_release_array(&a);
  peer_release_stream(&gated);
  for (int i = 0; i < 20; i++) {
    int32_t code = drain(50, 0, 0, 0, PEER_DRAIN_RACE, -1, 0);
    CHECK(code == 0 || code == EBUSY);
    CHECK(r[PEER_BATCHES] <= 50);
  }
}

static void device_streams(void) {
  struct ArrowDeviceArrayStream s;
  int64_t n, rows, sum, plain_sum;
  drain(4, 0, 0, 0, 0, -1, 0);
  plain_sum = r[PEER_CHECKSUM];
  peer_device_stream(&s, 4, 10, PEER_END_GARBAGE, 0, 0, -1, ARROW_DEVICE_CPU);
  CHECK(peer_drain_device_stream(&s, &n, &rows, &sum, error, sizeof error) == 0);
  CHECK(n == 4 && rows == 40 && sum == plain_sum);
  peer_device_stream(&s, 4, 10, PEER_OTHER_DEVICE | PEER_DIRTY_RESERVED, 2, 0, 0, ARROW_DEVICE_CPU);
  CHECK(peer_drain_device_stream_with(&s, PEER_DRAIN_KEEP, -1, 1, r, error, sizeof error) == 0);
  CHECK(r[PEER_TYPE_DIFFERS] == 1 && r[PEER_RESERVED_DIRTY] == 4 && r[PEER_CPU_ID_ODD] == 3 && r[PEER_CHECKSUM] == 0);
  peer_device_stream(&s, 4, 10, PEER_FAIL | PEER_FAIL_GARBAGE, 1, ECANCELED, 7, ARROW_DEVICE_CUDA_HOST);
  CHECK(peer_drain_device_stream(&s, NULL, NULL, NULL, error, 10) == ECANCELED && strcmp(error, "peer: bat") == 0);
  CHECK(peer_violations() == 0);
}

void peer_tests(void) {
  test("the header has the sizes and offsets of the frozen ABI", layout);
  test("a batch reads the same at any offset and alignment [ARR-12]", batches);
  test("utf8, large utf8, view and dictionary hold the same text [ARR-07]", texts);
  test("nested types read the same in every layout", nested);
  test("types of fixed width are read [SCH-20]", widths);
  test("malformed structs can be created and released", malformed);
  test("schemas move with metadata, children and dictionary [SCH-04]", schemas);
  test("arrays move, and a second release of a copy is counted [OWN-05, OWN-06, OWN-07]", moves);
  test("other threads release structs [OWN-10]", threads);
  test("two threads that release one array are counted as a double release [OWN-07]", contest);
  test("streams are drained in each manner [STR-01, STR-05, STR-06]", streams);
  test("streams fail in each planned way [STR-02, STR-03, STR-04, STR-09]", stream_faults);
  test("concurrent calls of a stream are detected [STR-07]", concurrency);
  test("device streams are drained, and their chunks checked [STR-08, DEV-07]", device_streams);
}
