// SPDX-License-Identifier: Apache-2.0
/* Tests of the peer's async producer with its async consumer. The peer must detect each broken rule. */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "checks/checks.h"
#include "pair.h"
#include "tests.h"

static void pair(int64_t batches, int64_t window, int64_t producer_flags, int64_t consumer_flags) {
  begin(batches, window, producer_flags, consumer_flags);
  launch();
  finish();
}

/* Runs a pair in which the peer must detect a violation with this text. */
static void seen(const char* text, int64_t producer_flags, int64_t consumer_flags) {
  peer_reset();
  pair(5, 3, producer_flags, consumer_flags);
  CHECK(peer_violations() > 0);
  if (strstr(peer_violation_text(), text) == NULL) {
    printf("  expected a violation with \"%s\"\n", text);
    CHECK(!"the violation has another text");
  }
}

static int64_t expected_sum(int64_t batches) {
  struct ArrowArray all;
  struct ArrowSchema schema;
  peer_batch(&all, 0, batches * 10, 0);
  peer_batch_schema(&schema);
  int64_t sum = peer_array_checksum(&all, &schema);
  peer_release_array(&all);
  peer_release_schema(&schema);
  return sum;
}

static void whole(int64_t batches) {
  CHECK(c[PEER_ACON_TASKS] == batches && c[PEER_ACON_BATCHES] == batches && c[PEER_ACON_ROWS] == 10 * batches);
  CHECK(c[PEER_ACON_SCHEMAS] == 1 && c[PEER_ACON_ENDS] == 1 && c[PEER_ACON_ERRORS] == 0 && c[PEER_ACON_RELEASES] == 1);
  CHECK(p[PEER_ASYNC_SENT] == batches && p[PEER_ASYNC_EXTRACTED] == batches && p[PEER_ASYNC_ENDED] == 1 && p[PEER_ASYNC_RELEASED] == 1);
}

static void well(void) {
  const int64_t windows[] = {1, 5, 64}, manners[] = {0, PEER_ACON_REQUEST_INSIDE, PEER_ACON_REQUEST_BEFORE, PEER_ACON_EXTRACT_INSIDE,
                                                   PEER_ACON_REQUEST_LATER | PEER_ACON_REQUEST_BURSTS, PEER_ACON_REQUEST_MAX};
  int64_t sum = expected_sum(1000);
  for (int w = 0; w < 3; w++)
    for (int m = 0; m < 6; m++) {
      pair(w == 1 ? 1000 : 100, windows[w], m == 1 ? PEER_ASYNC_MANY_THREADS : 0, manners[m]);
      whole(w == 1 ? 1000 : 100);
      if (w == 1) CHECK(c[PEER_ACON_CHECKSUM] == sum);
      if (m == 3) CHECK(p[PEER_ASYNC_EXTRACTED_OUTSIDE] == 0);
      if (m == 0) CHECK(p[PEER_ASYNC_EXTRACTED_INSIDE] == 0);
    }
  pair(1000, 1, 0, 0);
  whole(1000);
  pair(1000, 64, 0, 0);
  whole(1000);
  begin(50, 50, 0, PEER_ACON_EXTRACT_RELEASED | PEER_ACON_EXTRACT_NEWEST);
  launch();
  finish();
  whole(50);
  CHECK(c[PEER_ACON_CHECKSUM] == 0 && c[PEER_ACON_ROW_SUM] != 0);
  begin(200, 8, 0, 0);
  to.threads = 4;
  to.discard_every = 3;
  launch();
  finish();
  CHECK(p[PEER_ASYNC_DISCARDED] == 66 && p[PEER_ASYNC_EXTRACTED] == 134 && c[PEER_ACON_DISCARDED] == 66);
  pair(0, 3, 0, 0);
  whole(0);
  pair(0, 0, 0, PEER_ACON_NO_DEMAND);
  whole(0);
  CHECK(peer_violations() == 0);
}

static void metadata(void) {
  const char bytes[] = "\1\0\0\0\1\0\0\0k\3\0\0\0\0x\0";
  char out[64];
  begin(5, 3, PEER_ASYNC_ERROR | PEER_ASYNC_TASK_METADATA, PEER_ACON_CHECK_TAIL);
  from.error_metadata = from.stream_metadata = bytes;
  from.error_metadata_len = from.stream_metadata_len = 16;
  to.flags = 0;
  for (int v = 0; v < 2; v++) {
    if (v) from.flags |= PEER_ASYNC_V_LAYOUT;
    if (v) to.flags |= PEER_ACON_V_LAYOUT;
    launch();
    CHECK(peer_async_consumer_join(handler, LIMIT) == 0);
    CHECK(peer_async_consumer_bytes(handler, PEER_ACON_ERROR_METADATA, out, 64) == 16 && memcmp(out, bytes, 16) == 0);
    CHECK(peer_async_consumer_bytes(handler, PEER_ACON_STREAM_METADATA, out, 64) == 16 && memcmp(out, bytes, 16) == 0);
    CHECK(peer_async_consumer_bytes(handler, PEER_ACON_LAST_METADATA, out, 64) == 18 && memcmp(out + 8, "index", 5) == 0 && out[17] == '1');
    CHECK(peer_async_consumer_bytes(handler, PEER_ACON_MESSAGE, out, 64) > 0 && strncmp(out, "peer: batch 2 failed", 20) == 0);
    finish();
    CHECK(c[PEER_ACON_CODE] == EIO && c[PEER_ACON_TASKS] == 2 && c[PEER_ACON_TASK_METADATA] == 2 && c[PEER_ACON_ENDS] == 0);
  }
  begin(5, 3, PEER_ASYNC_BAD_STREAM_METADATA | PEER_ASYNC_BAD_TASK_METADATA | PEER_ASYNC_MESSAGE_NULL | PEER_ASYNC_ERROR, 0);
  from.at = 0;
  launch();
  CHECK(peer_async_consumer_join(handler, LIMIT) == 0);
  CHECK(peer_async_consumer_bytes(handler, PEER_ACON_STREAM_METADATA, out, 64) == -2);
  CHECK(peer_async_consumer_bytes(handler, PEER_ACON_LAST_METADATA, out, 64) == -1);
  CHECK(peer_async_consumer_bytes(handler, PEER_ACON_MESSAGE, out, 64) == -1);
  finish();
  CHECK(peer_violations() == 0);
}

static void errors(void) {
  pair(5, 3, PEER_ASYNC_ERROR_FIRST, 0);
  CHECK(c[PEER_ACON_SCHEMAS] == 0 && c[PEER_ACON_ERRORS] == 1 && c[PEER_ACON_CODE] == EIO && c[PEER_ACON_RELEASES] == 1);
  pair(5, 3, PEER_ASYNC_EXTRACT_FAILS, 0);
  CHECK(c[PEER_ACON_EXTRACT_CODE] == EIO && c[PEER_ACON_CODE] == EIO && c[PEER_ACON_ENDS] == 0);
  pair(5, 3, PEER_ASYNC_EXTRACT_FAILS | PEER_ASYNC_EXTRACT_GARBAGE, PEER_ACON_EXTRACT_INSIDE);
  CHECK(c[PEER_ACON_EXTRACT_CODE] == EIO && c[PEER_ACON_CODE] == EIO);
  pair(5, 3, 0, PEER_ACON_REFUSE_SCHEMA);
  CHECK(p[PEER_ASYNC_SCHEMA_STATUS] == ENOMEM && p[PEER_ASYNC_SENT] == 0 && p[PEER_ASYNC_ERRORS] == 0);
  pair(5, 3, 0, PEER_ACON_REFUSE_SCHEMA | PEER_ACON_REFUSE_TAKING);
  pair(5, 3, 0, PEER_ACON_REFUSE_TASK);
  CHECK(p[PEER_ASYNC_TASK_STATUS] == ENOMEM && p[PEER_ASYNC_SENT] == 3 && p[PEER_ASYNC_TAKEN_BACK] == 1 && p[PEER_ASYNC_ERRORS] == 0);
  pair(5, 3, 0, PEER_ACON_REFUSE_END);
  pair(-1, 5, PEER_ASYNC_BAD_SCHEMA, PEER_ACON_REFUSE_SCHEMA);
  CHECK(peer_violations() == 0);
}

static void cancels(void) {
  const int64_t when[] = {PEER_ACON_CANCEL_SCHEMA, PEER_ACON_CANCEL_INSIDE, PEER_ACON_CANCEL_OUTSIDE};
  const int64_t how[] = {0, PEER_ACON_CANCEL_TWICE, PEER_ACON_CANCEL_RACE, PEER_ACON_REQUEST_CANCELLED};
  const int64_t answers[] = {0, PEER_ASYNC_LATE, PEER_ASYNC_LATE | PEER_ASYNC_END_AFTER_CANCEL};
  for (int i = 0; i < 36; i++) {
    begin(-1, 8, answers[i / 12], when[i / 4 % 3] | how[i % 4]);
    from.late = 3;
    launch();
    finish();
    CHECK(p[PEER_ASYNC_CANCELS] == (i % 4 == 1 || i % 4 == 2 ? 2 : 1) && c[PEER_ACON_ERRORS] == 0);
    if (when[i / 4 % 3] == PEER_ACON_CANCEL_INSIDE && i % 4 == 0) CHECK(c[PEER_ACON_AFTER_CANCEL] == (i >= 12 ? 3 : 0));
  }
  CHECK(peer_violations() == 0);
}

static void gates(void) {
  begin(5, 5, PEER_ASYNC_GATE_TASK, 0);
  launch();
  await_gate(1);
  peer_async_cancel(handler);
  peer_async_request(handler, 3);
  peer_gate_open();
  finish();
  CHECK(c[PEER_ACON_AFTER_CANCEL] == 1 && p[PEER_ASYNC_REQUESTS_CANCELLED] >= 1);
  peer_gate_shut();
  begin(3, 5, PEER_ASYNC_GATE_END | PEER_ASYNC_GATE_RELEASE, 0);
  launch();
  await_gate(1);
  peer_gate_open();
  finish();
  whole(3);
  peer_gate_shut();
  const int64_t held[][2] = {{0, PEER_ACON_GATE_SCHEMA}, {0, PEER_ACON_GATE_EXTRACT}, {0, PEER_ACON_GATE_REQUEST},
                            {0, PEER_ACON_GATE_INSIDE}, {PEER_ASYNC_GATE_EXTRACT, 0}, {PEER_ASYNC_GATE_TASK, 0}};
  for (int i = 0; i < 6; i++) {
    peer_gate_shut();
    begin(9, 1, held[i][0], held[i][1]);
    launch();
    await_gate(1);
    peer_gate_open();
    finish();
    whole(9);
  }
  peer_gate_shut();
  begin(3, 0, 0, PEER_ACON_NO_DEMAND);
  launch();
  CHECK(peer_async_join(producer, 50) == ETIMEDOUT && strstr(peer_violation_text(), "hang"));
  peer_reset();
  peer_async_request(handler, 3);
  finish();
  whole(3);
  begin(-1, 0, 0, PEER_ACON_NO_DEMAND | PEER_ACON_TOLERANT);
  launch();
  CHECK(peer_async_close(producer, 50) == ETIMEDOUT && peer_violations() == 1);
  CHECK(peer_async_consumer_close(handler, LIMIT) == 0);
  CHECK(peer_async_consumer_close(peer_async_handler(&to), LIMIT) == 0);
  CHECK(peer_async_close(peer_async_producer(&from), LIMIT) == 0);
}

static void deployed(void) {
  const int64_t cpp = PEER_ASYNC_LIKE_ARROW_CPP | PEER_ASYNC_TOLERANT, go = PEER_ASYNC_LIKE_ARROW_GO | PEER_ASYNC_TOLERANT;
  const int64_t producers[] = {cpp, go, PEER_ASYNC_TOLERANT};
  const int64_t consumers[] = {PEER_ASYNC_CONSUMER_LIKE_ARROW_CPP | PEER_ACON_TOLERANT, PEER_ASYNC_CONSUMER_LIKE_ARROW_GO | PEER_ACON_TOLERANT,
                               PEER_ACON_TOLERANT};
  for (int i = 0; i < 9; i++) {
    begin(100, 5, producers[i / 3], consumers[i % 3]);
    launch();
    finish();
    whole(100);
    begin(100, 5, producers[i / 3] | PEER_ASYNC_ERROR, consumers[i % 3]);
    launch();
    finish();
    CHECK(c[PEER_ACON_CODE] == EIO && c[PEER_ACON_TASKS] == 2);
    begin(100, 5, producers[i / 3], consumers[i % 3] | PEER_ACON_CANCEL_OUTSIDE);
    launch();
    finish();
    CHECK(p[PEER_ASYNC_CANCELS] == 1 && c[PEER_ACON_ERRORS] == (i < 3));
    CHECK(i % 3 != 1 || c[PEER_ACON_DROPPED] > 0);
  }
  pair(5, 3, cpp | PEER_ASYNC_EXTRACT_FAILS, PEER_ACON_TOLERANT);
  CHECK(c[PEER_ACON_EXTRACT_EMPTY] == 1 && c[PEER_ACON_CODE] == EIO);
  pair(5, 3, cpp, PEER_ACON_TOLERANT | PEER_ACON_REFUSE_TASK);
  CHECK(c[PEER_ACON_CODE] == EINVAL && c[PEER_ACON_AFTER_REFUSAL] == 1);
  begin(5, 3, go, PEER_ACON_TOLERANT);
  to.discard_every = 1;
  launch();
  finish();
  CHECK(p[PEER_ASYNC_NULL_EXTRACTS] == 5);
  CHECK(peer_violations() == 0);
  pair(5, 3, PEER_ASYNC_LIKE_ARROW_GO, PEER_ACON_CANCEL_OUTSIDE | PEER_ACON_CANCEL_TWICE);
  CHECK(p[PEER_ASYNC_CRASHES] == 1 && peer_violations() == 1);
  peer_reset();
  begin(20, 20, go | PEER_ASYNC_GATE_TASK, PEER_ACON_REQUEST_BURSTS | PEER_ACON_REQUEST_LATER);
  from.at = 0;
  launch();
  await_gate(1); /* one of the requests is read, five are queued, and the seventh blocks */
  for (int i = 0; i < LIMIT && p[PEER_ASYNC_REQUESTS] < 7; i++, usleep(1000)) peer_async_results(producer, p);
  for (int i = 0; i < LIMIT && p[PEER_ASYNC_BLOCKED_REQUESTS] == 0; i++, usleep(1000)) peer_async_results(producer, p);
  CHECK(p[PEER_ASYNC_REQUESTS] == 7);
  peer_gate_open();
  finish();
  whole(20);
  peer_gate_shut();
  CHECK(peer_violations() == 0);
  begin(3, 3, PEER_ASYNC_GONE_EARLY | PEER_ASYNC_GATE_END, 0);
  launch();
  await_gate(1);
  for (int i = 0; i < LIMIT && p[PEER_ASYNC_GONE] == 0; i++, usleep(1000)) peer_async_results(producer, p);
  peer_async_request(handler, 1);
  peer_gate_open();
  finish();
  CHECK(p[PEER_ASYNC_GONE_CALLS] >= 1 && strstr(peer_violation_text(), "gone"));
}

static void producer_sins(void) {
  seen("ASY-14", PEER_ASYNC_NO_END, 0);
  seen("release was called after release", PEER_ASYNC_RELEASE_TWICE, 0);
  seen("after the NULL task", PEER_ASYNC_TASK_AFTER_END, 0);
  seen("ASY-02", PEER_ASYNC_SCHEMA_TWICE, 0);
  seen("ASY-01", PEER_ASYNC_NO_PRODUCER, 0);
  seen("ASY-09", PEER_ASYNC_ERROR_AFTER_CANCEL, PEER_ACON_CANCEL_INSIDE);
  seen("ASY-11", PEER_ASYNC_ERROR_AFTER_REFUSAL, PEER_ACON_REFUSE_TASK);
  seen("ASY-11", PEER_ASYNC_IGNORE_REFUSAL, PEER_ACON_REFUSE_TASK | PEER_ACON_REQUEST_MAX);
  seen("ASY-17", PEER_ASYNC_EXTRACT_FAILS | PEER_ASYNC_EXTRACT_ZERO, 0);
  seen("ASY-18", PEER_ASYNC_EXTRACT_FAILS | PEER_ASYNC_EXTRACT_SILENT, PEER_ACON_EXTRACT_INSIDE);
  seen("not zero", 0, PEER_ACON_CHECK_TAIL);
  seen("ASY-06 task 3", PEER_ASYNC_OVERSEND, PEER_ACON_EXTRACT_RELEASED);
  peer_reset();
  begin(5, 3, 0, 0);
  from.flavour = PEER_OTHER_DEVICE;
  launch();
  finish();
  CHECK(c[PEER_ACON_TYPE_DIFFERS] == 1 && strstr(peer_violation_text(), "device type"));
  peer_reset();
  begin(5, 5, PEER_ASYNC_CONCURRENT, PEER_ACON_GATE_INSIDE | PEER_ACON_REQUEST_MAX);
  launch();
  await_gate(1);
  for (int i = 0; i < LIMIT && peer_violations() == 0; i++) usleep(1000);
  CHECK(strstr(peer_violation_text(), "another callback was running"));
  peer_gate_open();
  finish();
}

static void consumer_sins(void) {
  seen("ASY-03", 0, PEER_ACON_LEAVE_SCHEMA);
  seen("request(0)", 0, PEER_ACON_REQUEST_ZERO | PEER_ACON_REQUEST_INSIDE);
  CHECK(p[PEER_ASYNC_ERRORS] == 1 && p[PEER_ASYNC_ERROR_CODE] == EINVAL);
  seen("request(-1)", 0, PEER_ACON_REQUEST_NEGATIVE | PEER_ACON_REQUEST_INSIDE);
  seen("request(-1)", PEER_ASYNC_WRAP_REQUESTS, PEER_ACON_REQUEST_NEGATIVE | PEER_ACON_REQUEST_INSIDE);
  CHECK(p[PEER_ASYNC_SENT] == 5 && p[PEER_ASYNC_ERRORS] == 0);
  seen("ASY-16", 0, PEER_ACON_EXTRACT_TWICE);
}

void async_tests(void) {
  test("a well-behaved pair transfers all batches, at each window and in each manner [ASY]", well);
  test("the metadata of stream, task and error arrives, in both layouts [ASY-21, ASY-27]", metadata);
  test("errors and refusals end the stream by the rules [ASY-11, ASY-18, ASY-25]", errors);
  test("a cancel ends the stream by the rules [ASY-08, ASY-10]", cancels);
  test("gates hold either side, and a hang is a violation [ASY]", gates);
  test("pairs like Arrow C++ and arrow-go work [ASY]", deployed);
  test("the violations of a producer are detected [ASY]", producer_sins);
  test("the violations of a consumer are detected [ASY]", consumer_sins);
  test("violations that no switch of the peer makes are detected [ASY]", async_other_sins);
}
