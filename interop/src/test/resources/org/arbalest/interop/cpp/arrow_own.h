/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declares the arguments of Arrow C++'s bridge without Arrow's headers, because the jar of arrow-dataset 18.3.0 has a library without
 * headers. Contains only the declarations that bridge_shim.cpp uses; the names, and so the mangled symbols, are Arrow's, the layouts those of Arrow C++ 20 to 26
 * (arrow_own_check.cpp compares them with the real headers, where there are some).
 */
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "arbalest/arrow_abi.h"

namespace arrow {

class Schema;
class RecordBatch;
class RecordBatchReader;
class MemoryManager;
class KeyValueMetadata;

class Device {
 public:
  class SyncEvent;
};

enum class StatusCode : char { OK = 0, Invalid = 4, IOError = 5 };
enum class DeviceAllocationType : char { kCPU = 1 };

/* One pointer; NULL is OK. */
class Status {
 public:
  Status() noexcept : state_(nullptr) {}
  Status(StatusCode code, const std::string &msg);
  Status(const Status &s) : state_(nullptr) {
    if (s.state_ != nullptr) CopyFrom(s);
  }
  Status(Status &&s) noexcept : state_(s.state_) { s.state_ = nullptr; }
  Status &operator=(const Status &s) {
    if (state_ != s.state_) CopyFrom(s);
    return *this;
  }
  ~Status() noexcept {
    if (state_ != nullptr && !state_->is_constant) DeleteState();
  }
  static Status IOError(const std::string &msg) { return Status(StatusCode::IOError, msg); }
  bool ok() const { return state_ == nullptr; }
  const std::string &message() const;

 private:
  struct State {
    StatusCode code;
    bool is_constant; /* the message and the detail follow */
  };
  State *state_;

  void DeleteState() noexcept;
  void CopyFrom(const Status &s);
};

/* A status and, if that is OK, a value. */
template <typename T>
class Result {
 public:
  Result(Status status) : status_(std::move(status)) {}
  Result(T value) { new (&storage_) T(std::move(value)); }
  Result(const Result &other) : status_(other.status_) {
    if (ok()) new (&storage_) T(other.ValueOrDie());
  }
  Result(Result &&other) : status_(other.status_) {
    if (ok()) new (&storage_) T(std::move(*reinterpret_cast<T *>(&other.storage_)));
  }
  Result &operator=(const Result &) = delete;
  ~Result() {
    if (ok()) reinterpret_cast<T *>(&storage_)->~T();
  }
  bool ok() const { return status_.ok(); }
  const Status &status() const { return status_; }
  const T &ValueOrDie() const { return *reinterpret_cast<const T *>(&storage_); }

 private:
  Status status_;
  alignas(T) unsigned char storage_[sizeof(T)];
};

enum class FutureState : int8_t { PENDING, SUCCESS, FAILURE };

/* Made by Arrow only; callbacks and more follow. */
class FutureImpl : public std::enable_shared_from_this<FutureImpl> {
 public:
  virtual ~FutureImpl() = default;
  static std::unique_ptr<FutureImpl> Make();
  static std::unique_ptr<FutureImpl> MakeFinished(FutureState state);
  void MarkFinished();
  void MarkFailed();
  void Wait();

  std::atomic<FutureState> state_;
  std::unique_ptr<void, void (*)(void *)> result_;
};

namespace internal {
struct Empty {};
class Executor;
}  // namespace internal

template <typename T = internal::Empty>
class Future {
 public:
  static Future Make() { return Future(FutureImpl::Make()); }
  static Future MakeFinished(Result<T> result) {
    Future made(FutureImpl::MakeFinished(result.ok() ? FutureState::SUCCESS : FutureState::FAILURE));
    made.keep(std::move(result));
    return made;
  }
  void MarkFinished(Result<T> result) {
    bool ok = result.ok();
    keep(std::move(result));
    if (ok) {
      impl_->MarkFinished();
    } else {
      impl_->MarkFailed();
    }
  }
  const Result<T> &result() const {
    impl_->Wait();
    return *static_cast<Result<T> *>(impl_->result_.get());
  }
  const Status &status() const { return result().status(); }
  bool is_finished() const { return impl_->state_.load() != FutureState::PENDING; }

 private:
  explicit Future(std::shared_ptr<FutureImpl> impl) : impl_(std::move(impl)) {}
  void keep(Result<T> result) {
    impl_->result_ = {new Result<T>(std::move(result)), [](void *p) { delete static_cast<Result<T> *>(p); }};
  }
  std::shared_ptr<FutureImpl> impl_;
};

template <typename T>
using AsyncGenerator = std::function<Future<T>()>;

using DeviceMemoryMapper = std::function<Result<std::shared_ptr<MemoryManager>>(ArrowDeviceType, int64_t)>;

struct RecordBatchWithMetadata {
  std::shared_ptr<RecordBatch> batch;
  std::shared_ptr<KeyValueMetadata> custom_metadata;
};

struct AsyncRecordBatchGenerator {
  std::shared_ptr<Schema> schema;
  DeviceAllocationType device_type;
  AsyncGenerator<RecordBatchWithMetadata> generator;
};

struct BuildInfo {
  int version; /* its parts and more follow */
};

const BuildInfo &GetBuildInfo();
Result<std::shared_ptr<MemoryManager>> DefaultDeviceMemoryMapper(ArrowDeviceType device_type, int64_t device_id);

Status ExportSchema(const Schema &schema, struct ArrowSchema *out);
Result<std::shared_ptr<Schema>> ImportSchema(struct ArrowSchema *schema);
Status ExportDeviceRecordBatch(
    const RecordBatch &batch, std::shared_ptr<Device::SyncEvent> sync, struct ArrowDeviceArray *out, struct ArrowSchema *out_schema);
Result<std::shared_ptr<RecordBatch>> ImportDeviceRecordBatch(
    struct ArrowDeviceArray *array, std::shared_ptr<Schema> schema, const DeviceMemoryMapper &mapper);
Status ExportDeviceRecordBatchReader(std::shared_ptr<RecordBatchReader> reader, struct ArrowDeviceArrayStream *out);
Result<std::shared_ptr<RecordBatchReader>> ImportDeviceRecordBatchReader(
    struct ArrowDeviceArrayStream *stream, const DeviceMemoryMapper &mapper);
Future<> ExportAsyncRecordBatchReader(
    std::shared_ptr<Schema> schema, AsyncGenerator<std::shared_ptr<RecordBatch>> generator, DeviceAllocationType device_type,
    struct ArrowAsyncDeviceStreamHandler *handler);
Future<AsyncRecordBatchGenerator> CreateAsyncDeviceStreamHandler(
    struct ArrowAsyncDeviceStreamHandler *handler, internal::Executor *executor, uint64_t queue_size, DeviceMemoryMapper mapper);

namespace internal {

class ThreadPool {
 public:
  static Result<std::shared_ptr<ThreadPool>> Make(int threads);
  Status Shutdown(bool wait);
};

}  // namespace internal

}  // namespace arrow
