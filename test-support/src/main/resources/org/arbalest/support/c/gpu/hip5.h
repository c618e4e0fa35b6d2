/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Beside hip.c it makes that behave as libamdhip64 of ROCm 5: with another flag for memory of other processes, and with
 * an allocation that fails by a null pointer. Which functions it has follows from the versions in hip_api.h.
 *
 * Included by: hip.c, which only asks whether it is there
 */
