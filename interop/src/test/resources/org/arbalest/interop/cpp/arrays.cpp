// SPDX-License-Identifier: Apache-2.0
/*
 * Arrow C++'s arrays, and streams of them, as C functions; beside arrow_own.h, more declarations of our own: classes without fields, whose member
 * functions are not virtual.
 */
#include <cstring>
#include <thread>

#include "arrow_own.h"

namespace arrow {

/* A tolerance of 0, then flags of which the first makes NaNs equal, then where to write differences: nowhere. There is room for more. */
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

class RecordBatch {
 public:
  static Result<std::shared_ptr<RecordBatch>> FromStructArray(const std::shared_ptr<Array> &, MemoryPool *);
  Result<std::shared_ptr<Array>> MakeStatisticsArray(MemoryPool *) const;
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
Result<std::shared_ptr<RecordBatchReader>> ImportRecordBatchReader(ArrowArrayStream *);
Result<std::shared_ptr<Array>> Concatenate(const std::vector<std::shared_ptr<Array>> &, MemoryPool *);

}  // namespace arrow

namespace {

using Held = std::shared_ptr<arrow::Array>;
using HeldStream = std::shared_ptr<arrow::ChunkedArray>;

constexpr size_t TEXT = 4096;

bool failed(const arrow::Status &status, char *text) {
  if (status.ok()) return false;
  std::strncpy(text, status.message().c_str(), TEXT - 1);
  return true;
}

template <typename T>
T *hold(arrow::Result<T> result, char *text) {
  return failed(result.status(), text) ? nullptr : new T(result.ValueOrDie());
}

}  // namespace

/* Each `text` has room for TEXT bytes, which are zero, and tells what failed. What is returned by pointer is freed by its _free. */
extern "C" {

Held *arrays_import(ArrowArray *array, ArrowSchema *schema, char *text) { return hold<Held>(arrow::ImportArray(array, schema), text); }

int arrays_export(Held *array, ArrowArray *out, ArrowSchema *schema, char *text) { return failed(arrow::ExportArray(**array, out, schema), text); }

int arrays_validate(Held *array, char *text) { return failed((*array)->ValidateFull(), text); }

int arrays_equals(Held *array, Held *other) { return (*array)->Equals(**other, arrow::EqualOptions()); }

Held *arrays_slice(Held *array, int64_t from, int64_t count) { return new Held((*array)->Slice(from, count)); }

Held *arrays_concatenate(Held *first, Held *second, char *text) {
  return hold<Held>(arrow::Concatenate({*first, *second}, arrow::default_memory_pool()), text);
}

int arrays_value(Held *array, int64_t row, char *text) {
  auto scalar = (*array)->GetScalar(row);
  if (failed(scalar.status(), text)) return 1;
  std::strncpy(text, scalar.ValueOrDie()->ToString().c_str(), TEXT - 1);
  return 0;
}

/* What Arrow C++ knows of a struct array as a record batch, by its statistics schema: the number of rows. */
Held *arrays_statistics(Held *array, char *text) {
  auto batch = arrow::RecordBatch::FromStructArray(*array, arrow::default_memory_pool());
  if (failed(batch.status(), text)) return nullptr;
  return hold<Held>(batch.ValueOrDie()->MakeStatisticsArray(arrow::default_memory_pool()), text);
}

void arrays_free(Held *array) { delete array; }

/* The last reference may be this one: the producer's release is then called on a thread that the producer has never seen. */
void arrays_free_on_thread(Held *array) { std::thread([array] { delete array; }).join(); }

HeldStream *arrays_import_stream(ArrowArrayStream *stream, char *text) { return hold<HeldStream>(arrow::ImportChunkedArray(stream), text); }

int arrays_export_stream(HeldStream *stream, ArrowArrayStream *out, char *text) { return failed(arrow::ExportChunkedArray(*stream, out), text); }

int arrays_validate_stream(HeldStream *stream, char *text) { return failed((*stream)->ValidateFull(), text); }

/* Whether two columns of a stream of structs are equal; -1 with a text if that cannot be told. */
int arrays_columns_equal(HeldStream *stream, int64_t column, int64_t other, char *text) {
  auto columns = (*stream)->Flatten(arrow::default_memory_pool());
  if (failed(columns.status(), text)) return -1;
  return columns.ValueOrDie()[column]->Equals(*columns.ValueOrDie()[other], arrow::EqualOptions());
}

/* Takes the stream over, asks for its schema, and wants no batch. */
int arrays_leave_stream(ArrowArrayStream *stream, char *text) { return failed(arrow::ImportRecordBatchReader(stream).status(), text); }

void arrays_free_stream(HeldStream *stream) { delete stream; }
}
