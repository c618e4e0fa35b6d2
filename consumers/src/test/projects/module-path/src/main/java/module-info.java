module com.example.app {
  requires org.arbalest.device;
}
