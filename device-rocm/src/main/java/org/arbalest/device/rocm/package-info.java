/** ROCm devices and pinned memory, by HIP; found by {@link java.util.ServiceLoader}. */
@NullMarked
package org.arbalest.device.rocm;

import org.jspecify.annotations.NullMarked;
