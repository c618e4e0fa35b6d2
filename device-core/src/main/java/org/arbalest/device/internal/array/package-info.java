// SPDX-License-Identifier: Apache-2.0
/** Arrays: what holds their memory, how they come from C and go there, whether their structure is sound. */
@NullMarked
package org.arbalest.device.internal.array;

import org.jspecify.annotations.NullMarked;
