package org.arbalest.samples;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** The data that comes with the samples. */
final class SampleData {
  private SampleData() {}

  /** The file of 400,000 flights; if the samples are in a jar, a copy of it that is deleted at exit. */
  static Path flights() {
    String name = "flights-400k.parquet";
    URL url = SampleData.class.getResource(name);
    if (url == null) throw new IllegalStateException("the samples were built without " + name + "; name a file with --file");
    try {
      if (url.getProtocol().equals("file")) return Path.of(url.toURI());
      Path copy = Files.createTempFile("flights", ".parquet");
      copy.toFile().deleteOnExit();
      try (InputStream in = url.openStream()) {
        Files.copy(in, copy, StandardCopyOption.REPLACE_EXISTING);
      }
      return copy;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot copy " + url + ": " + e.getMessage(), e);
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
