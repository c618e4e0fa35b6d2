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
 * The documentation as a site. VitePress (`site/`) makes pages of docs/, and the API is below `api/`. The working
 * folder must be the module `docs`.
 */
internal object Site {
    /** The target folder of the site. */
    val folder = File("target/site")

    private val source = File("../site")

    /** Returns a sentence about a required program that is missing, or null. */
    fun missing(): String? = when {
        found("node") == null ->
            "node is not on the PATH: the site needs Node.js 18 or newer (on Debian, the packages nodejs and npm)"
        found("npm") == null ->
            "npm is not on the PATH: the site needs it besides Node.js (on Debian, the packages nodejs and npm)"
        else -> null
    }

    /** Returns the file of a program, by the first of its names that is on the PATH. */
    fun found(vararg names: String): File? = System.getenv("PATH").orEmpty().split(File.pathSeparator)
        .filter { it.isNotEmpty() }
        .flatMap { folder ->
            names.flatMap { listOf(File(folder, it), File(folder, "$it.cmd"), File(folder, "$it.exe")) }
        }
        .firstOrNull { it.canExecute() && it.isFile }

    /**
     * Downloads the packages of package-lock.json, except if they are already installed. No package runs a script of
     * its own.
     */
    fun install() {
        val lock = source.resolve("package-lock.json").readText()
        val installed = source.resolve("node_modules/.arbalest-lock")
        if (installed.isFile && installed.readText() == lock) return
        node("npm", "ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "--fetch-retries=1")
        installed.writeText(lock)
    }

    /** Builds the pages, and adds the API if [ApiDocs] has written it. A link to a missing page is an error. */
    fun build() {
        node("node", "node_modules/vitepress/bin/vitepress.js", "build")
        if (ApiDocs.folder.isDirectory) ApiDocs.folder.copyRecursively(folder.resolve("api"))
    }

    /** Runs a program in `site/`, and returns its output, or throws an exception with the output if it fails. */
    fun node(program: String, vararg arguments: String): String {
        val path = checkNotNull(found(program)) { "$program is not on the PATH: install Node.js 18 or newer, with npm" }
        val process = ProcessBuilder("$path", *arguments).directory(source).redirectErrorStream(true).start()
        process.outputStream.close()
        val output = process.inputReader().readText()
        val code = process.waitFor()
        check(code == 0) { "$program ${arguments.joinToString(" ")} ended with exit code $code\n$output" }
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
    println("Installing the packages of the site …")
    Site.install()
    println("Writing the API of the Java and Kotlin modules …")
    ApiDocs.write(version)
    println("Building the pages …")
    Site.build()
    val again = "jwebserver -d ${Site.folder.canonicalPath}"
    if (port == "none") return println("Built. To serve it: $again")
    val server = try {
        Site.serve(port.toInt())
    } catch (e: BindException) {
        stop("port $port is in use (${e.message}): choose another by -Dsite.port=, or serve the finished site by " +
            "$again -p PORT")
    }
    println("http://127.0.0.1:${server.address.port}/ until Ctrl-C. To serve it again: $again")
}

private fun stop(message: String): Nothing {
    System.err.println(message)
    kotlin.system.exitProcess(1)
}
