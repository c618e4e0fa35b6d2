/** What a backend implements to serve a kind of device. Found by {@link java.util.ServiceLoader}; the CPU is a backend like any other. */
@NullMarked
package org.arbalest.device.spi;

import org.jspecify.annotations.NullMarked;
