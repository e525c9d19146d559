import Foundation
import TestSupport
import Testing

/// A fitiq-mock process that serves or replays a session on a port that the system chooses.
final class RunningServer: Sendable {
    /// The contents of the ready file.
    struct Ready: Decodable {
        let url: String
        let ws_url: String
        let api_key: String
        let token: String
        let scenario: String
        let pid: Int32
    }

    let ready: Ready
    let readyFile: URL
    let banner: String
    private let process: Process
    private let files: ScratchFolder
    private let exits: AsyncStream<Int32>
    /// The server's output after the banner.
    private let outputs: AsyncStream<Data>
    private let standardOutput: OutputPipe
    private let standardError: OutputPipe
    /// Notified whenever the log has grown.
    private let logged: AsyncStream<Void>

    /// The server's log so far.
    var log: String { get throws { try files.read("err") } }

    /// Waits until the server has logged something.
    ///
    /// - Returns: The lines up to and including the line with the text, without the first `skipped` lines.
    @discardableResult
    func logged(_ text: String, skipping skipped: Int = 0) async throws -> [String] {
        func found() throws -> [String]? {
            let lines = try log.split(separator: "\n").map(String.init).dropFirst(skipped)
            return lines.firstIndex { $0.contains(text) }.map { Array(lines[...$0]) }
        }
        if let lines = try found() { return lines }
        for await _ in logged {
            if let lines = try found() { return lines }
        }
        throw NotLogged(text: text, log: try log)
    }

    struct NotLogged: Error {
        let text: String
        let log: String
    }

    /// Starts a server, runs the body, stops the server with SIGTERM, and requires that it exits with 0 in time.
    ///
    /// - Parameter isStoppedByBody: Whether the body itself sends the signal.
    static func serve(
        _ options: String..., isStoppedByBody: Bool = false, _ body: (RunningServer) async throws -> Void
    ) async throws {
        try await serve(options, isStoppedByBody: isStoppedByBody, body)
    }

    /// Serves with settings in the environment.
    static func serve(
        _ options: [String], environment: [String: String] = [:], isStoppedByBody: Bool = false,
        _ body: (RunningServer) async throws -> Void
    ) async throws {
        try await run(["serve"] + options, environment: environment, isStoppedByBody: isStoppedByBody, body)
    }

    /// Serves with a command other than `serve`, and possibly with a different exit status.
    ///
    /// - Returns: The server's output after the banner.
    @discardableResult
    static func run(
        _ command: [String], environment: [String: String] = [:], status expected: Int32 = 0,
        isStoppedByBody: Bool = false, _ body: (RunningServer) async throws -> Void
    ) async throws -> String {
        let server = try await RunningServer(command, environment)
        do {
            try await body(server)
        } catch {
            server.process.terminate()
            _ = await server.exitStatus()
            throw error
        }
        let start = ContinuousClock.now
        if !isStoppedByBody { server.process.terminate() }
        let status = await server.exitStatus()
        server.standardError.finish()
        let errors = try server.files.read("err")
        #expect(status == expected, "The server's exit status; it wrote: \(errors)")
        #expect(ContinuousClock.now - start < .seconds(20), "A server ends soon after SIGTERM.")
        server.files.remove()
        server.standardOutput.finish()
        var rest = Data()
        for await data in server.outputs { rest += data }
        return String(decoding: rest, as: UTF8.self)
    }

    private init(_ command: [String], _ environment: [String: String]) async throws {
        let files = try ScratchFolder()
        let process = Process()
        let (exits, exit) = AsyncStream.makeStream(of: Int32.self)
        let (outputs, output) = AsyncStream.makeStream(of: Data.self)
        let pipe = Pipe()
        let (logged, growth) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let errors = Pipe()
        let log = try files.create("err")
        process.executableURL = try Programs.fitiqMock()
        process.arguments = command + ["--port", "0", "--ready-file", files["ready.json"].path]
        process.environment = Command.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = errors
        process.terminationHandler = { exit.yield($0.outcome) }
        let standardOutput = OutputPipe(pipe) { data in
            if let data { output.yield(data) } else { output.finish() }
        }
        let standardError = OutputPipe(errors) { data in
            guard let data else { return growth.finish() }
            log.write(data)
            growth.yield()
        }
        try process.run()
        var written = Data()
        // Wait for the banner's last line; the ready file is written before the banner.
        for await data in outputs {
            written += data
            if String(decoding: written, as: UTF8.self).hasSuffix("Stop with Ctrl-C.\n") { break }
        }
        banner = String(decoding: written, as: UTF8.self)
        (self.process, self.files, self.exits) = (process, files, exits)
        (self.outputs, self.standardOutput, self.standardError) = (outputs, standardOutput, standardError)
        self.logged = logged
        readyFile = files["ready.json"]
        guard let data = try? Data(contentsOf: files["ready.json"]) else {
            if process.isRunning { process.terminate() }
            throw NotReady(banner: banner, errors: try files.read("err"))
        }
        ready = try JSONDecoder().decode(Ready.self, from: data)
    }

    /// The exit status; a server that does not exit is killed, and its status is then the signal's.
    private func exitStatus() async -> Int32? {
        let process = process
        DispatchQueue.global().asyncAfter(deadline: .now() + 30) {
            if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        }
        return await exits.first { _ in true }
    }

    struct NotReady: Error {
        let banner: String
        let errors: String
    }
}
