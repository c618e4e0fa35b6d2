// SPDX-License-Identifier: Apache-2.0
/*
 * Arrow C++'s async and device stream bridge, as C functions for a test. Nothing here knows a type or a value: batches come and go by the C
 * interfaces, and Arrow C++ moves them in between.
 *
 * A function that can fail returns 0, or -1 with bridge_error() saying why, on the same thread.
 */
#ifdef ARROW_BY_HEADERS
#include <arrow/record_batch.h>
#include <arrow/c/bridge.h>
#include <arrow/config.h>
#include <arrow/util/future.h>
#include <arrow/util/thread_pool.h>
#else
#include "arrow_own.h"
#endif

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>

namespace {

using Batch = std::shared_ptr<arrow::RecordBatch>;

thread_local std::string last_error;

int fail(const arrow::Status &status) {
  last_error = status.message();
  return -1;
}

int answer(const arrow::Status &status) { return status.ok() ? 0 : fail(status); }

/*
 * A generator that gives what it was told to give, in order. What was not told yet is a future that the next one completes, on the telling
 * thread; or, if it blocks, is waited for on the asking thread.
 */
class Script {
 public:
  explicit Script(bool blocks) : blocks_(blocks) {}

  void tell(arrow::Result<Batch> item) {
    std::unique_lock<std::mutex> lock(mutex_);
    if (!asked_) {
      items_.push_back(std::move(item));
      lock.unlock();
      told_.notify_one();
      return;
    }
    arrow::Future<Batch> future = *asked_;
    asked_.reset();
    lock.unlock();
    future.MarkFinished(std::move(item));
  }

  arrow::Future<Batch> operator()() {
    std::unique_lock<std::mutex> lock(mutex_);
    if (blocks_) {
      waiting_ = true;
      told_.wait(lock, [this] { return !items_.empty(); });
      waiting_ = false;
    }
    if (items_.empty()) {
      asked_ = arrow::Future<Batch>::Make();
      return *asked_;
    }
    arrow::Result<Batch> item = std::move(items_.front());
    items_.pop_front();
    lock.unlock();
    return arrow::Future<Batch>::MakeFinished(std::move(item));
  }

  bool isWaitedFor() {
    std::lock_guard<std::mutex> lock(mutex_);
    return waiting_ || asked_.has_value();
  }

 private:
  const bool blocks_;
  std::mutex mutex_;
  std::condition_variable told_;
  std::deque<arrow::Result<Batch>> items_;
  std::optional<arrow::Future<Batch>> asked_;
  bool waiting_ = false;
};

struct Producer {
  std::shared_ptr<arrow::Schema> schema;
  std::shared_ptr<Script> script;
  std::optional<arrow::Future<>> done;
};

/*
 * With an executor of its own, whose thread is joined before the consumer is gone: none outlives the test. Nor is the handler gone before its
 * release, the producer's last call: Arrow C++ is at the end when it has heard of it, which is before that.
 */
struct Consumer : ArrowAsyncDeviceStreamHandler {
  std::shared_ptr<arrow::internal::ThreadPool> pool;
  std::optional<arrow::Future<arrow::AsyncRecordBatchGenerator>> made;

  void (*arrow_release)(ArrowAsyncDeviceStreamHandler *) = nullptr;
  std::mutex mutex;
  std::condition_variable changed;
  bool released = false;

  void awaitRelease() {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [this] { return released; });
  }

  static void onRelease(ArrowAsyncDeviceStreamHandler *handler) {
    auto *self = static_cast<Consumer *>(handler);
    self->arrow_release(handler);
    std::lock_guard<std::mutex> lock(self->mutex);
    self->released = true;
    self->changed.notify_all();
  }
};

}  // namespace

extern "C" {

const char *bridge_error() { return last_error.c_str(); }

int bridge_version() { return arrow::GetBuildInfo().version; }

/* ---- Arrow C++ as async producer ---- */

/* Takes the schema. NULL is failure. */
void *bridge_producer(struct ArrowSchema *schema, int blocks) {
  auto imported = arrow::ImportSchema(schema);
  if (!imported.ok()) {
    fail(imported.status());
    return nullptr;
  }
  return new Producer{imported.ValueOrDie(), std::make_shared<Script>(blocks != 0), std::nullopt};
}

/* The next batch; takes the array. */
int bridge_producer_give(void *producer, struct ArrowDeviceArray *array) {
  auto *self = static_cast<Producer *>(producer);
  auto imported = arrow::ImportDeviceRecordBatch(array, self->schema, arrow::DefaultDeviceMemoryMapper);
  if (!imported.ok()) return fail(imported.status());
  self->script->tell(imported.ValueOrDie());
  return 0;
}

/* Then it fails. */
void bridge_producer_fail(void *producer, const char *message) {
  static_cast<Producer *>(producer)->script->tell(arrow::Status::IOError(std::string(message)));
}

/* Then it is at its end. */
void bridge_producer_end(void *producer) { static_cast<Producer *>(producer)->script->tell(Batch()); }

/* Drives the handler; blocks as Arrow C++ does. */
void bridge_producer_start(void *producer, struct ArrowAsyncDeviceStreamHandler *handler) {
  auto *self = static_cast<Producer *>(producer);
  auto script = self->script;
  self->done = arrow::ExportAsyncRecordBatchReader(
      self->schema, [script] { return (*script)(); }, arrow::DeviceAllocationType::kCPU, handler);
}

/* Whether Arrow C++ has asked for what was not told yet. */
int bridge_producer_is_waiting(void *producer) { return static_cast<Producer *>(producer)->script->isWaitedFor(); }

/* What the producer, once it was started, ended with; waits for the end. */
int bridge_producer_outcome(void *producer) { return answer(static_cast<Producer *>(producer)->done->status()); }

/* After the outcome. */
void bridge_producer_free(void *producer) { delete static_cast<Producer *>(producer); }

/* ---- Arrow C++ as async consumer ---- */

/* NULL is failure. */
void *bridge_consumer(uint64_t queue_size) {
  auto pool = arrow::internal::ThreadPool::Make(1);
  if (!pool.ok()) {
    fail(pool.status());
    return nullptr;
  }
  auto *self = new Consumer{};
  self->pool = pool.ValueOrDie();
  auto *executor = reinterpret_cast<arrow::internal::Executor *>(self->pool.get());
  self->made = arrow::CreateAsyncDeviceStreamHandler(self, executor, queue_size, arrow::DefaultDeviceMemoryMapper);
  self->arrow_release = self->release;
  self->release = Consumer::onRelease;
  return self;
}

/* Lives until the consumer is freed. */
struct ArrowAsyncDeviceStreamHandler *bridge_consumer_handler(void *consumer) { return static_cast<Consumer *>(consumer); }

/* Waits for the schema. */
int bridge_consumer_schema(void *consumer, struct ArrowSchema *out) {
  auto &made = static_cast<Consumer *>(consumer)->made->result();
  return made.ok() ? answer(arrow::ExportSchema(*made.ValueOrDie().schema, out)) : fail(made.status());
}

/* Waits for the next batch; its release is NULL at the end. */
int bridge_consumer_next(void *consumer, struct ArrowDeviceArray *out) {
  out->array.release = nullptr;
  auto &made = static_cast<Consumer *>(consumer)->made->result();
  if (!made.ok()) return fail(made.status());
  auto next = made.ValueOrDie().generator();
  auto &result = next.result();
  if (!result.ok()) return fail(result.status());
  const Batch &batch = result.ValueOrDie().batch;
  return batch == nullptr ? 0 : answer(arrow::ExportDeviceRecordBatch(*batch, nullptr, out, nullptr));
}

/* Waits for what Arrow C++ is at, and for the handler's release: it must have been handed to a producer. */
void bridge_consumer_free(void *consumer) {
  auto *self = static_cast<Consumer *>(consumer);
  self->awaitRelease();
  self->made.reset();
  auto closed = self->pool->Shutdown(true);
  (void)closed;
  delete self;
}

/* ---- device streams ---- */

/* Takes a stream in, and gives it out again as Arrow C++'s own. */
int bridge_stream_through(struct ArrowDeviceArrayStream *in, struct ArrowDeviceArrayStream *out) {
  auto reader = arrow::ImportDeviceRecordBatchReader(in, arrow::DefaultDeviceMemoryMapper);
  return reader.ok() ? answer(arrow::ExportDeviceRecordBatchReader(reader.ValueOrDie(), out)) : fail(reader.status());
}
}
