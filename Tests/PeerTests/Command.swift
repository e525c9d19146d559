import Foundation
import TestSupport
import Testing

/// A finished program and its output.
struct Command {
    let status: Int32
    let output: String
    let errors: String

    /// Runs a program; cancelling the test, as its time limit does, terminates the program.
    init(
        _ program: URL, _ arguments: [String], environment: [String: String] = [:], input: String = "",
        directory: URL? = nil
    ) async throws {
        let files = try ScratchFolder()
        defer { files.remove() }
        try Data(input.utf8).write(to: files["in"])
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.environment = Command.environment.merging(environment) { $1 }
        if let directory { process.currentDirectoryURL = directory }
        let streams = (
            input: try FileHandle(forReadingFrom: files["in"]), output: try files.create("out"),
            errors: try files.create("err")
        )
        process.standardInput = streams.input
        process.standardOutput = streams.output
        process.standardError = streams.errors
        // Foundation keeps these streams open after the process has ended; with more than about 1,300 open files, it
        // cannot start another process.
        defer { for stream in [streams.input, streams.output, streams.errors] { try? stream.close() } }
        status = try await process.runToItsEnd()
        output = try files.read("out")
        errors = try files.read("err")
    }

    /// Runs a script with fitiq-mock as `$0`.
    static func bash(_ script: String, _ arguments: String..., in folder: ScratchFolder) async throws -> Command {
        try await Command(
            URL(fileURLWithPath: "/bin/bash"), ["-c", script, try Programs.fitiqMock().path] + arguments,
            directory: folder.url)
    }

    /// Runs a Python script of `peers`.
    static func peer(
        _ script: String, _ arguments: [String], with python: URL? = nil, environment: [String: String] = [:]
    ) async throws -> Command {
        try await Command(
            try python ?? Programs.python(), [Programs.peers.appending(path: script + ".py").path] + arguments,
            environment: environment)
    }

    /// The text that a test shows when the command fails.
    var transcript: String { "exit \(status)\n\(output)\(errors)" }

    /// The environment without server settings, because the user's own settings must not affect the tests.
    ///
    /// Python writes no compiled files beside its scripts.
    static var environment: [String: String] {
        ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("FITIQ_MOCK_") }
            .merging(["PYTHONDONTWRITEBYTECODE": "1"]) { $1 }
    }
}
