// Arrow C++'s arrays and streams, as C functions. The declarations are our own and no more than what is called: classes without fields, whose
// member functions are not virtual. What is laid out here is laid out by arrow/status.h, arrow/result.h and arrow/compare.h of Arrow C++ 21, and
// std::string is that of GCC's old ABI: compiled with -D_GLIBCXX_USE_CXX11_ABI=0.
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "arbalest/arrow_abi.h"

namespace arrow {

// A pointer, NULL for OK.
class Status {
 public:
  ~Status() {
    if (state_ != nullptr) DeleteState();
  }
  bool ok() const { return state_ == nullptr; }
  std::string ToString() const;

 private:
  void DeleteState();
  void *state_;
};

// A status, and a value if that is OK.
template <typename T>
class Result {
 public:
  Result(const Result &) = delete;
  ~Result() {
    if (status_.ok()) value().~T();
  }
  const Status &status() const { return status_; }
  T &value() { return *reinterpret_cast<T *>(value_); }

 private:
  Status status_;
  alignas(T) unsigned char value_[sizeof(T)];
};

// A tolerance of 0, then flags of which the first makes NaNs equal, then where to write differences: nowhere. There is room for more.
class EqualOptions {
  double atol = 0;
  bool flags[8] = {true};
  void *more[8] = {};
};

class MemoryPool;
MemoryPool *default_memory_pool();

class Scalar {
 public:
  std::string ToString() const;
};

class Array {
 public:
  Status ValidateFull() const;
  bool Equals(const Array &, const EqualOptions &) const;
  std::shared_ptr<Array> Slice(int64_t, int64_t) const;
  Result<std::shared_ptr<Scalar>> GetScalar(int64_t) const;
};

class ChunkedArray {
 public:
  Status ValidateFull() const;
  bool Equals(const ChunkedArray &, const EqualOptions &) const;
  Result<std::vector<std::shared_ptr<ChunkedArray>>> Flatten(MemoryPool *) const;
};

Result<std::shared_ptr<Array>> ImportArray(ArrowArray *, ArrowSchema *);
Status ExportArray(const Array &, ArrowArray *, ArrowSchema *);
Result<std::shared_ptr<ChunkedArray>> ImportChunkedArray(ArrowArrayStream *);
Status ExportChunkedArray(std::shared_ptr<ChunkedArray>, ArrowArrayStream *);
Result<std::shared_ptr<Array>> Concatenate(const std::vector<std::shared_ptr<Array>> &, MemoryPool *);

}  // namespace arrow

namespace {

using Held = std::shared_ptr<arrow::Array>;
using HeldStream = std::shared_ptr<arrow::ChunkedArray>;

constexpr size_t TEXT = 4096;

bool failed(const arrow::Status &status, char *text) {
  if (status.ok()) return false;
  std::strncpy(text, status.ToString().c_str(), TEXT - 1);
  return true;
}

template <typename T>
T *hold(arrow::Result<T> result, char *text) {
  return failed(result.status(), text) ? nullptr : new T(std::move(result.value()));
}

}  // namespace

// Each `text` has room for TEXT bytes, which are zero, and tells what failed. What is returned by pointer is freed by its _free.
extern "C" {

Held *cpp_import(ArrowArray *array, ArrowSchema *schema, char *text) { return hold<Held>(arrow::ImportArray(array, schema), text); }

int cpp_export(Held *array, ArrowArray *out, ArrowSchema *schema, char *text) { return failed(arrow::ExportArray(**array, out, schema), text); }

int cpp_validate(Held *array, char *text) { return failed((*array)->ValidateFull(), text); }

int cpp_equals(Held *array, Held *other) { return (*array)->Equals(**other, arrow::EqualOptions()); }

Held *cpp_slice(Held *array, int64_t from, int64_t count) { return new Held((*array)->Slice(from, count)); }

Held *cpp_concatenate(Held *first, Held *second, char *text) {
  return hold<Held>(arrow::Concatenate({*first, *second}, arrow::default_memory_pool()), text);
}

int cpp_value(Held *array, int64_t row, char *text) {
  auto scalar = (*array)->GetScalar(row);
  if (failed(scalar.status(), text)) return 1;
  std::strncpy(text, scalar.value()->ToString().c_str(), TEXT - 1);
  return 0;
}

void cpp_free(Held *array) { delete array; }

// The last reference may be this one: the producer's release is then called on a thread that the producer has never seen.
void cpp_free_on_thread(Held *array) { std::thread([array] { delete array; }).join(); }

HeldStream *cpp_import_stream(ArrowArrayStream *stream, char *text) { return hold<HeldStream>(arrow::ImportChunkedArray(stream), text); }

int cpp_export_stream(HeldStream *stream, ArrowArrayStream *out, char *text) { return failed(arrow::ExportChunkedArray(*stream, out), text); }

int cpp_validate_stream(HeldStream *stream, char *text) { return failed((*stream)->ValidateFull(), text); }

// Whether two columns of a stream of structs are equal; -1 with a text if that cannot be told.
int cpp_columns_equal(HeldStream *stream, int64_t column, int64_t other, char *text) {
  auto columns = (*stream)->Flatten(arrow::default_memory_pool());
  if (failed(columns.status(), text)) return -1;
  return columns.value()[column]->Equals(*columns.value()[other], arrow::EqualOptions());
}

void cpp_free_stream(HeldStream *stream) { delete stream; }
}
