/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a test asks of the driver, and reads from it: calls that fail, that wait at the gate, that find the server gone; what errors look like; how often
 * each function was called; which threads were in one object at once. Those named adbc_double_… are exported, and called from Kotlin.
 *
 * Included by: adbc/driver.c adbc/driver.h errors.c handles.h knobs.c
 */
#ifndef ARBALEST_ADBC_KNOBS_H
#define ARBALEST_ADBC_KNOBS_H

#include <pthread.h>
#include <stdint.h>

#include "peer/ledger.h"

#define KNOBS_EXPORT __attribute__((visibility("default")))

/* What errors look like: bits of adbc_double_errors. */
#define STYLE_NO_MESSAGE 0x1      /* message is NULL */
#define STYLE_FOREIGN 0x2         /* message and release are of another library, see adbc_double_foreign */
#define STYLE_VENDOR_CODE 0x4     /* vendor_code is a code, though the caller has room for details */
#define STYLE_NO_SQLSTATE 0x8
#define STYLE_NO_DETAILS 0x10
#define STYLE_NOT_UTF8 0x20       /* a byte of the message is 0xFF */
#define STYLE_LONG 0x40           /* 64 KiB of message */
#define STYLE_NO_LAST_ERROR 0x80  /* get_last_error of a stream gives NULL */
#define STYLE_NO_STREAM_ERROR 0x100 /* ErrorFromArrayStream gives NULL */
#define STYLE_ODD_DETAIL 0x200      /* the second detail has -1 bytes */

/* What is one object, which two threads may not be in at once. */
#define THREADS_OBJECT 0     /* each handle, each stream: what the specification asks for */
#define THREADS_CONNECTION 1 /* a connection together with its statements and streams */
#define THREADS_ANY 2        /* nothing is: a driver that is thread-safe */

/* How entry points behave: adbc_double_init. */
#define INIT_NORMAL 0
#define INIT_OLD 1             /* 1.0.0 only: another version is NOT_IMPLEMENTED, as AdbcDriverInitFunc says */
#define INIT_REFUSES 2         /* NOT_IMPLEMENTED whatever the version */
#define INIT_FAILS 3           /* IO, with a message */
#define INIT_SILENT 4          /* INTERNAL, and nothing is written */
#define INIT_ODD_STATUS 5      /* 200, which is no status, with a message */
#define INIT_EMPTY 6           /* OK, and the table is all NULL */
#define INIT_IGNORES_VERSION 7 /* OK whatever the version, but only 1.0.0's part is written */
#define INIT_ODD_VERSION 8     /* as usual, but GetInfo says that the driver's version is -7 */
#define INIT_FAILS_LATE 9      /* IO, with a message; the table is filled, and to be released */

#pragma GCC visibility push(hidden)

/* What befalls a call. */
struct knob {
  int code; /* 0, or what it fails with: a status, an errno for a stream's function */
  int gone; /* whether that is because the server is gone */
};

/* Counts the call of a function and says what befalls it; it may wait at the gate before, until *cancelled is not 0. A release finds no server gone. */
struct knob knob_call(const char* function, const int* cancelled, int is_release);

int knob_style(void);
int knob_is_missing(const char* member); /* whether a member of the driver's table is to be NULL */
int knob_binds_on_thread(void);          /* whether a thread of the driver's own reads what is bound */
int knob_binding_ends_failed(void);      /* whether what is bound is at its end where it fails, as it is for DuckDB */
int knob_init(void);                     /* adbc_double_init's mode */
void knob_entered(const char* entry, int version);
void (*knob_foreign(void))(void);

/* One lock for the gate, and for all that says whether something runs or is cancelled. Never held while anybody else is called. */
void state_lock(void);
void state_unlock(void);
void state_moved(void); /* wakes those who wait at the gate to look whether they are cancelled */
/* Waits until the gate is opened, or *cancelled; 1 if it was cancelled. cancelled may be NULL. */
int gate_hold(const int* cancelled);

/* Who is in an object. */
struct guard {
  pthread_t thread; /* of those in it who may not be two */
  int exclusive, inside;
};
/* 1 if a violation of threads was counted. May a second thread be in it, as for cancel, it says shared. */
int guard_enter(struct guard* guard, int shared, const char* what);
void guard_leave(struct guard* guard, int shared);
int guard_inside(struct guard* guard); /* how many calls are in it */
int knob_threads(void);

#pragma GCC visibility pop

#endif
