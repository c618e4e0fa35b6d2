// SPDX-License-Identifier: Apache-2.0
module com.example.app {
  requires org.arbalest.device;
}
