// SPDX-License-Identifier: Apache-2.0
package org.arbalest.docs

import com.sun.net.httpserver.HttpServer
import com.sun.net.httpserver.SimpleFileServer
import com.sun.net.httpserver.SimpleFileServer.OutputLevel
import java.io.File
import java.net.BindException
import java.net.InetAddress
import java.net.InetSocketAddress

/**
 * The documentation as a site: docs/ made into pages by VitePress (`site/`), the API below `api/`. Works in the folder
 * of the module `docs`.
 */
internal object Site {
    /** Where it is built. */
    val folder = File("target/site")

    private val source = File("../site")

    /** The programs that are needed and are not there, as sentences. */
    fun missing(): String? = when {
        found("node") == null ->
            "node is not on the PATH: the site takes Node.js 18 or newer (on Debian, the packages nodejs and npm)"
        found("npm") == null ->
            "npm is not on the PATH: the site takes it besides Node.js (on Debian, the packages nodejs and npm)"
        else -> null
    }

    /** Where a program is, by the first of its names that is on the PATH. */
    fun found(vararg names: String): File? = System.getenv("PATH").orEmpty().split(File.pathSeparator)
        .filter { it.isNotEmpty() }
        .flatMap { folder ->
            names.flatMap { listOf(File(folder, it), File(folder, "$it.cmd"), File(folder, "$it.exe")) }
        }
        .firstOrNull { it.canExecute() && it.isFile }

    /**
     * Fetches what package-lock.json names, which takes the network, unless it is here already; no package runs a
     * script of its own.
     */
    fun install() {
        val lock = source.resolve("package-lock.json").readText()
        val installed = source.resolve("node_modules/.arbalest-lock")
        if (installed.isFile && installed.readText() == lock) return
        node("npm", "ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "--fetch-retries=1")
        installed.writeText(lock)
    }

    /** Builds the pages, and puts the API to them, if [ApiDocs] has made it. A link that leads to no page fails. */
    fun build() {
        node("node", "node_modules/vitepress/bin/vitepress.js", "build")
        if (ApiDocs.folder.isDirectory) ApiDocs.folder.copyRecursively(folder.resolve("api"))
    }

    /** Runs a program in `site/`, and answers what it wrote; throws with that if it fails. */
    fun node(program: String, vararg arguments: String): String {
        val path = checkNotNull(found(program)) { "$program is not on the PATH" }
        val process = ProcessBuilder("$path", *arguments).directory(source).redirectErrorStream(true).start()
        process.outputStream.close()
        val output = process.inputReader().readText()
        val code = process.waitFor()
        check(code == 0) { "$program ${arguments.joinToString(" ")} ended with $code\n$output" }
        return output
    }

    /** Serves the site on this machine only, as `jwebserver` does, until the process ends or the server is stopped. */
    fun serve(port: Int): HttpServer =
        SimpleFileServer.createFileServer(InetSocketAddress(InetAddress.getLoopbackAddress(), port),
            folder.canonicalFile.toPath(), OutputLevel.NONE)
            .also { it.start() }
}

/** Builds the site and the API, and serves them. Arguments: the version, and the port, or `none` to build only. */
fun main(args: Array<String>) {
    val (version, port) = args
    Site.missing()?.let { stop(it) }
    println("Packages of the site …")
    Site.install()
    println("API of the Java modules, and of the Kotlin ones …")
    ApiDocs.write(version)
    println("Pages …")
    Site.build()
    val again = "jwebserver -d ${Site.folder.canonicalPath}"
    if (port == "none") return println("Built. To serve it: $again")
    val server = try {
        Site.serve(port.toInt())
    } catch (e: BindException) {
        stop("port $port is taken (${e.message}): name another by -Dsite.port=, or serve what was built by " +
            "$again -p PORT")
    }
    println("http://127.0.0.1:${server.address.port}/ until Ctrl-C. To serve it again: $again")
}

private fun stop(message: String): Nothing {
    System.err.println(message)
    kotlin.system.exitProcess(1)
}
