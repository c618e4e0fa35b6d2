// SPDX-License-Identifier: Apache-2.0
/*
 * Arrow C++'s writers of Arrow files and streams as one C function; beside arrow_own.h, more declarations of our own, with the layouts of Arrow C++ 21.
 */
#include <cstring>
#include <optional>

#include "arrow_own.h"

namespace arrow {

class MemoryPool;

struct Compression {
  enum type { UNCOMPRESSED = 0, ZSTD = 4, LZ4_FRAME = 6 };
};

namespace util {

class Codec {
 public:
  virtual ~Codec(); /* more follow */
  static Result<std::unique_ptr<Codec>> Create(Compression::type codec, int level);
};

}  // namespace util

namespace io {

class OutputStream;

/* Its first base, at the same address, is OutputStream. */
class FileOutputStream {
 public:
  static Result<std::shared_ptr<FileOutputStream>> Open(const std::string &path, bool append);
};

}  // namespace io

namespace ipc {

enum class MetadataVersion : char { V4 = 3, V5 = 4 };

struct IpcWriteOptions {
  bool allow_64bit;
  int max_recursion_depth;
  int32_t alignment;
  bool write_legacy_ipc_format;
  MemoryPool *memory_pool;
  std::shared_ptr<util::Codec> codec;
  std::optional<double> min_space_savings;
  bool use_threads;
  bool emit_dictionary_deltas;
  bool unify_dictionaries;
  MetadataVersion metadata_version;
  static IpcWriteOptions Defaults();
};

class RecordBatchWriter {
 public:
  virtual ~RecordBatchWriter();
  virtual Status WriteRecordBatch(const RecordBatch &batch) = 0;
  virtual Status WriteRecordBatch(const RecordBatch &batch, const std::shared_ptr<const KeyValueMetadata> &metadata) = 0;
  virtual Status WriteTable(const void *table, int64_t rows) = 0;
  virtual Status Close() = 0; /* more follow */
};

Result<std::shared_ptr<RecordBatchWriter>> MakeFileWriter(
    std::shared_ptr<io::OutputStream> out, const std::shared_ptr<Schema> &schema, const IpcWriteOptions &options,
    const std::shared_ptr<const KeyValueMetadata> &metadata);
Result<std::shared_ptr<RecordBatchWriter>> MakeStreamWriter(
    std::shared_ptr<io::OutputStream> out, const std::shared_ptr<Schema> &schema, const IpcWriteOptions &options);

}  // namespace ipc

Result<std::shared_ptr<RecordBatch>> ImportRecordBatch(struct ArrowArray *array, std::shared_ptr<Schema> schema);

}  // namespace arrow

namespace {

template <typename T>
T value(const arrow::Result<T> &result) {
  if (!result.ok()) throw result.status();
  return result.ValueOrDie();
}

void require(const arrow::Status &status) {
  if (!status.ok()) throw status;
}

void write(const char *path, ArrowSchema *c_schema, ArrowArray *arrays, int64_t count, bool is_file,
           const arrow::ipc::IpcWriteOptions &options) {
  std::shared_ptr<arrow::Schema> schema = value(arrow::ImportSchema(c_schema));
  auto out = std::reinterpret_pointer_cast<arrow::io::OutputStream>(value(arrow::io::FileOutputStream::Open(path, false)));
  auto writer = is_file ? value(arrow::ipc::MakeFileWriter(out, schema, options, nullptr))
                        : value(arrow::ipc::MakeStreamWriter(out, schema, options));
  for (int64_t i = 0; i < count; i++) require(writer->WriteRecordBatch(*value(arrow::ImportRecordBatch(arrays + i, schema))));
  require(writer->Close());
}

}  // namespace

extern "C" {

/* Writes a file, or a stream, of batches. Takes over the schema, and the batches up to a failure. Returns 0, or −1 and the message. */
int32_t files_write(const char *path, ArrowSchema *schema, ArrowArray *arrays, int64_t count, int32_t is_file, int32_t codec,
                    int32_t version, int32_t deltas, char *message) {
  try {
    arrow::ipc::IpcWriteOptions options = arrow::ipc::IpcWriteOptions::Defaults();
    if (codec != 0) {
      auto made = arrow::util::Codec::Create(static_cast<arrow::Compression::type>(codec), INT32_MIN);
      if (!made.ok()) throw made.status();
      options.codec = std::move(const_cast<std::unique_ptr<arrow::util::Codec> &>(made.ValueOrDie()));
    }
    options.metadata_version = static_cast<arrow::ipc::MetadataVersion>(version);
    options.emit_dictionary_deltas = deltas != 0;
    write(path, schema, arrays, count, is_file != 0, options);
    return 0;
  } catch (const arrow::Status &status) {
    std::strncpy(message, status.message().c_str(), 4095);
    return -1;
  }
}
}
