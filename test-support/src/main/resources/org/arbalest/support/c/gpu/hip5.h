/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Beside hip.c it makes that libamdhip64 of ROCm 5: without hipLaunchHostFunc, and with an allocation that fails by a null pointer.
 *
 * Included by: hip.c, which only asks whether it is there
 */
