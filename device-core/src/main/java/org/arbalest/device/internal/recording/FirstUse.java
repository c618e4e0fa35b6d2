// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.recording;

import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;

/** An action that waits for the first use of Flight Recorder. A program without a recording does not load it. */
final class FirstUse implements FlightRecorderListener {
  private final Runnable action;

  private FirstUse(Runnable action) {
    this.action = action;
  }

  /** Runs an action when Flight Recorder is used for the first time, before a recording starts; now if it was used. */
  static void run(Runnable action) {
    FlightRecorder.addListener(new FirstUse(action));
  }

  @Override
  public void recorderInitialized(FlightRecorder recorder) {
    action.run();
  }
}
