/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The eight structs by which Arrow data crosses a library boundary inside one process.
 *
 * Each interface sits behind its canonical guard, so this header can be included before or after any other
 * that declares the same structs. Sizes and offsets are a frozen ABI on every platform.
 *
 * Ownership, in short: the memory of a base struct belongs to the party that receives data in it; the data that it
 * points to belongs to the party that filled it in. A struct whose `release` is NULL contains nothing. To move one,
 * copy its bytes and set `release` to NULL in the source. Release functions may be called on any thread.
 */
#ifndef ARBALEST_ARROW_ABI_H
#define ARBALEST_ARROW_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

/* ArrowSchema.flags: a set of these bits. Keep the bits you do not know. */
#define ARROW_FLAG_DICTIONARY_ORDERED 1 /* the order of the dictionary's values means something */
#define ARROW_FLAG_NULLABLE 2           /* the field may hold nulls */
#define ARROW_FLAG_MAP_KEYS_SORTED 4    /* the keys of every map are in order */

/* The type of a field, and of the fields below it. Its owner releases it once, at the root only. */
struct ArrowSchema {
  const char* format;   /* type code, never NULL; with a dictionary, the type of the index */
  const char* name;     /* UTF-8; may be NULL */
  const char* metadata; /* native-endian: int32 pairs, then per pair int32 length + bytes, twice; NULL if none */
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;  /* owned by this struct, unless moved out */
  struct ArrowSchema* dictionary; /* type of the dictionary's values; owned likewise; NULL if none */
  void (*release)(struct ArrowSchema* self); /* sets self->release to NULL */
  void* private_data;                        /* the producer's own */
};

/* The data of a field. Its type is in a separate schema. Its owner releases it once. */
struct ArrowArray {
  int64_t length;
  int64_t null_count; /* -1: not computed */
  int64_t offset;     /* in elements; applies on top of the children's own */
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;          /* read-only; valid until release */
  struct ArrowArray** children;  /* owned by this struct, unless moved out */
  struct ArrowArray* dictionary; /* owned likewise; NULL if none */
  void (*release)(struct ArrowArray* self); /* sets self->release to NULL */
  void* private_data;                       /* the producer's own */
};

#endif /* ARROW_C_DATA_INTERFACE */

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

/* Chunks of one schema, pulled one call at a time. Its chunks may outlive it. The consumer releases it. */
struct ArrowArrayStream {
  /* 0, or an errno. May be called again; each result is released by the caller. */
  int (*get_schema)(struct ArrowArrayStream* self, struct ArrowSchema* out);
  /* 0, or an errno. At the end: 0, and out->release is NULL. The caller releases each chunk. */
  int (*get_next)(struct ArrowArrayStream* self, struct ArrowArray* out);
  /* Only straight after a failed call. UTF-8 or NULL; valid until the next call on this stream. */
  const char* (*get_last_error)(struct ArrowArrayStream* self);
  void (*release)(struct ArrowArrayStream* self); /* sets self->release to NULL */
  void* private_data;                             /* the producer's own */
};

#endif /* ARROW_C_STREAM_INTERFACE */

#ifndef ARROW_C_DEVICE_DATA_INTERFACE
#define ARROW_C_DEVICE_DATA_INTERFACE

/* Where buffers are. The numbers are DLPack's, and the list is open: expect codes that are not here. */
typedef int32_t ArrowDeviceType;

#define ARROW_DEVICE_CPU 1           /* main memory */
#define ARROW_DEVICE_CUDA 2          /* NVIDIA GPU */
#define ARROW_DEVICE_CUDA_HOST 3     /* main memory pinned by CUDA */
#define ARROW_DEVICE_OPENCL 4        /* OpenCL device */
#define ARROW_DEVICE_VULKAN 7        /* Vulkan buffer */
#define ARROW_DEVICE_METAL 8         /* Apple GPU */
#define ARROW_DEVICE_VPI 9           /* Verilog simulator */
#define ARROW_DEVICE_ROCM 10         /* AMD GPU */
#define ARROW_DEVICE_ROCM_HOST 11    /* main memory pinned by ROCm */
#define ARROW_DEVICE_EXT_DEV 12      /* a device that producer and consumer agree on */
#define ARROW_DEVICE_CUDA_MANAGED 13 /* CUDA memory that migrates between host and GPU */
#define ARROW_DEVICE_ONEAPI 14       /* oneAPI unified shared memory */
#define ARROW_DEVICE_WEBGPU 15       /* WebGPU buffer */
#define ARROW_DEVICE_HEXAGON 16      /* Qualcomm Hexagon DSP */

/* An array whose buffers are on a device; all else is main memory. Release and moves go by `array`. */
struct ArrowDeviceArray {
  struct ArrowArray array;
  int64_t device_id; /* -1 where devices are not numbered, as on the CPU */
  ArrowDeviceType device_type;
  void* sync_event; /* pointer to an event handle to wait on before access; NULL: ready. array.release frees it */
  int64_t reserved[3]; /* producers write zeros */
};

#endif /* ARROW_C_DEVICE_DATA_INTERFACE */

#ifndef ARROW_C_DEVICE_STREAM_INTERFACE
#define ARROW_C_DEVICE_STREAM_INTERFACE

/* ArrowArrayStream for device arrays: one device type, any device ids. Released by the puller. */
struct ArrowDeviceArrayStream {
  ArrowDeviceType device_type; /* of every chunk */
  /* 0, or an errno. May be called again; each result is released by the caller. */
  int (*get_schema)(struct ArrowDeviceArrayStream* self, struct ArrowSchema* out);
  /* 0, or an errno. At the end: 0, and out->array.release is NULL. The caller releases each chunk. */
  int (*get_next)(struct ArrowDeviceArrayStream* self, struct ArrowDeviceArray* out);
  /* Only straight after a failed call. UTF-8 or NULL; valid until the next call on this stream. */
  const char* (*get_last_error)(struct ArrowDeviceArrayStream* self);
  void (*release)(struct ArrowDeviceArrayStream* self); /* sets self->release to NULL */
  void* private_data;                                   /* the producer's own */
};

#endif /* ARROW_C_DEVICE_STREAM_INTERFACE */

#ifndef ARROW_C_ASYNC_STREAM_INTERFACE
#define ARROW_C_ASYNC_STREAM_INTERFACE

/* A promise of one chunk. Belongs to the producer; copy it to keep it past on_next_task. */
struct ArrowAsyncTask {
  /* Exactly once per task: fills `out`, which the caller then releases, or discards the chunk if out is NULL. */
  int (*extract_data)(struct ArrowAsyncTask* self, struct ArrowDeviceArray* out);
  void* private_data; /* the producer's own */
};

/* The producer's end, by which a consumer asks for chunks. Belongs to the producer, which cleans it up after
   the handler's release has returned; there is no release here. */
struct ArrowAsyncProducer {
  ArrowDeviceType device_type; /* of every chunk */
  /* Allows n > 0 chunks more. Never calls back before it returns. Nothing after cancel. */
  void (*request)(struct ArrowAsyncProducer* self, int64_t n);
  /* Asks the producer to come to an end. May be repeated, on any thread. */
  void (*cancel)(struct ArrowAsyncProducer* self);
  const char* additional_metadata; /* as ArrowSchema.metadata; lives as long as this struct */
  void* private_data;              /* the producer's own */
};

/* The consumer's end: made by the consumer, called by the producer, one call at a time, on any thread. */
struct ArrowAsyncDeviceStreamHandler {
  /* First and once. The schema is moved out or released before returning. Non-zero: only release follows. */
  int (*on_schema)(struct ArrowAsyncDeviceStreamHandler* self, struct ArrowSchema* stream_schema);
  /* One chunk, or the end if task is NULL. metadata lives for the call. Non-zero: only release follows. */
  int (*on_next_task)(struct ArrowAsyncDeviceStreamHandler* self, struct ArrowAsyncTask* task,
                      const char* metadata);
  /* A failure; only release follows. message and metadata live for the call and may be NULL. */
  void (*on_error)(struct ArrowAsyncDeviceStreamHandler* self, int code, const char* message,
                   const char* metadata);
  /* The last call: the producer is done with this handler. */
  void (*release)(struct ArrowAsyncDeviceStreamHandler* self);
  struct ArrowAsyncProducer* producer; /* set by the producer before anything but release is called */
  void* private_data;                  /* the consumer's own */
};

#endif /* ARROW_C_ASYNC_STREAM_INTERFACE */

#ifdef __cplusplus
}
#endif

#endif /* ARBALEST_ARROW_ABI_H */
