/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structs of a kind that is known only at run time.
 *
 * Included by: moves.c threads.c
 */
#ifndef ARBALEST_PEER_MOVES_H
#define ARBALEST_PEER_MOVES_H

#include <stddef.h>

#include "peer.h"

#pragma GCC visibility push(hidden)

size_t size_of_kind(int32_t kind);
int is_released(const void* ptr, int32_t kind);

#pragma GCC visibility pop

#endif
