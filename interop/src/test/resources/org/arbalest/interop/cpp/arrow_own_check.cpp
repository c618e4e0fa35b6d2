// SPDX-License-Identifier: Apache-2.0
/*
 * Compares arrow_own.h's layouts with those of the real headers, where there are some: at compile time, under another name.
 */
#ifdef ARROW_BY_HEADERS
#include <arrow/c/bridge.h>
#include <arrow/config.h>
#include <arrow/record_batch.h>
#include <arrow/util/future.h>
#include <arrow/util/thread_pool.h>

#define arrow arrow_own
#include "arrow_own.h"
#undef arrow

template <typename Real, typename Own>
constexpr bool same = sizeof(Real) == sizeof(Own) && alignof(Real) == alignof(Own);

using RealBatch = std::shared_ptr<arrow::RecordBatch>;
using OwnBatch = std::shared_ptr<arrow_own::RecordBatch>;

static_assert(same<arrow::Status, arrow_own::Status>);
static_assert(same<arrow::Result<RealBatch>, arrow_own::Result<OwnBatch>>);
static_assert(same<arrow::Result<arrow::AsyncRecordBatchGenerator>, arrow_own::Result<arrow_own::AsyncRecordBatchGenerator>>);
static_assert(same<arrow::Result<arrow::internal::Empty>, arrow_own::Result<arrow_own::internal::Empty>>);
static_assert(same<arrow::Future<RealBatch>, arrow_own::Future<OwnBatch>>);
static_assert(same<arrow::RecordBatchWithMetadata, arrow_own::RecordBatchWithMetadata>);
static_assert(same<arrow::AsyncRecordBatchGenerator, arrow_own::AsyncRecordBatchGenerator>);
static_assert(same<arrow::DeviceMemoryMapper, arrow_own::DeviceMemoryMapper>);
static_assert(same<arrow::StatusCode, arrow_own::StatusCode>);
static_assert(same<arrow::DeviceAllocationType, arrow_own::DeviceAllocationType>);
static_assert(same<arrow::FutureState, arrow_own::FutureState>);
static_assert(static_cast<char>(arrow::StatusCode::IOError) == static_cast<char>(arrow_own::StatusCode::IOError));
static_assert(static_cast<char>(arrow::DeviceAllocationType::kCPU) == static_cast<char>(arrow_own::DeviceAllocationType::kCPU));

#pragma GCC diagnostic ignored "-Winvalid-offsetof"
static_assert(offsetof(arrow::FutureImpl, state_) == offsetof(arrow_own::FutureImpl, state_));
static_assert(offsetof(arrow::FutureImpl, result_) == offsetof(arrow_own::FutureImpl, result_));
static_assert(offsetof(arrow::AsyncRecordBatchGenerator, generator) == offsetof(arrow_own::AsyncRecordBatchGenerator, generator));
static_assert(offsetof(arrow::BuildInfo, version) == offsetof(arrow_own::BuildInfo, version));
#endif
