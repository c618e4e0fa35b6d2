// SPDX-License-Identifier: Apache-2.0
/** The JSON format of Arrow's integration suite: reader and writer. */
@NullMarked
package org.arbalest.integration.json;

import org.jspecify.annotations.NullMarked;
