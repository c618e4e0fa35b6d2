// SPDX-License-Identifier: Apache-2.0
/** Beans in the platform's MBean server, if it is available. */
@NullMarked
package org.arbalest.device.internal.management;

import org.jspecify.annotations.NullMarked;
