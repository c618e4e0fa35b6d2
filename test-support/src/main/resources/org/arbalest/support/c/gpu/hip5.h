/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiled with hip.c, it makes hip.c behave like libamdhip64 of ROCm 5: with another flag for memory of other
 * processes, and with an allocation that fails by a null pointer. The versions in hip_api.h determine its functions.
 *
 * Included by: hip.c, which only asks whether it is there
 */
