import ArgumentParser
import CLibrary
import FitIQClient
import HTTPTypes
import JSON
import MCP
import MockServer
import Sockets
import Synchronization

struct MCPCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp",
        abstract: "Serve a coding agent over the Model Context Protocol, on standard input and output.",
        discussion: """
            The agent can create worlds, set faults, read traffic and verdicts, and run --command under 'verify' and \
            'explore'. The command ends when its input ends. A running server offers the same tools at /__admin/mcp, \
            except 'verify' and 'explore'.
            """)

    @Option(
        "The URL of a server or of one of its worlds, with the plain HTTP port. (default: FITIQ_MOCK_URL, or a "
            + "server that the command starts)",
        "url")
    var url: String?

    @Option("The --admin-token of --url. (default: none)", "token")
    var adminToken: String?

    @Option(
        "The shell command for 'verify' and 'explore', such as 'swift test'. (default: none, so the tools are "
            + "unavailable)",
        "command")
    var command: String?

    func run() throws {
        if command == "" { throw Failure.configuration(Messages.empty("--command")) }
        let given = try Settings.nonEmpty(url, .url).map { (text) throws(Failure) in try Settings.baseURL(text) }
        let own = try given == nil ? Harness.startServer() : nil
        let base = try given ?? Settings.baseURL(own?.url ?? "")
        let place = ServerRequest.place(of: base)
        let session = MCPSession(
            MCPServer(version: Version.current, world: place.world, command: command),
            base: try Settings.baseURL("http://\(base.authority)\(place.server)"),
            adminToken: try Settings.fieldValue(adminToken, .adminToken))
        CurrentProcess.ignoreBrokenPipeSignal()
        let wait = try MainWait()
        let (mailbox, end) = (wait.mailbox, MCPEnd())
        try withExtendedLifetime(own) {
            try orFailure(
                try SystemThread.start {
                    session.read()
                    end.isReached.store(true, ordering: .releasing)
                    mailbox.requestStop()
                }, Failure.running)
            while !end.isReached.load(ordering: .acquiring) {
                if case .signal = try wait.next() { break }
            }
            session.end()
        }
    }
}

/// Whether the input of a session has ended.
private final class MCPEnd: Sendable { let isReached = Atomic(false) }

/// A Model Context Protocol client on standard input and output; each running request has its own thread.
final class MCPSession: Sendable {
    private let server: MCPServer
    private let base: BaseURL
    private let adminToken: String?
    private let underWay = Mutex<[(number: Int, id: JSONValue, stop: Gate)]>([])
    private let lastNumber = Atomic(0)

    /// How long a complete answer may take; this is longer than the server waits for an entry.
    private static let answerTime = Duration.seconds(660)
    /// How long requests may continue after the input ends, and how long runs may continue after they are asked to end.
    private static let (lastTime, grace) = (Duration.seconds(5), Duration.seconds(5))
    private static let lookTime = Duration.milliseconds(100)
    /// The maximum number of bytes from a run's output in an answer.
    private static let outputBytes = 2000

    init(_ server: MCPServer, base: BaseURL, adminToken: String?) {
        (self.server, self.base, self.adminToken) = (server, base, adminToken)
    }

    /// Reads messages until the input ends.
    func read() {
        var lines = MCPLines()
        var bytes = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = CLibrary.read(STDIN_FILENO, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            for line in lines.receive(bytes[..<count]) { take(line) }
        }
    }

    /// Ends requests and runs that outlast the time allowed after the input ends.
    func end() {
        waitUntilIdle(Self.lastTime)
        for request in underWay.withLock({ $0 }) { request.stop.open() }
        waitUntilIdle(Self.grace + .seconds(1))
    }

    private func waitUntilIdle(_ time: Duration) {
        let end = MonotonicInstant.now().advanced(by: time)
        while underWay.withLock({ !$0.isEmpty }), MonotonicInstant.now() < end, let pause = try? Gate() {
            pause.wait(until: .now().advanced(by: Self.lookTime / 10))
        }
    }

    private func take(_ line: [UInt8]) {
        switch server.receive(line) {
        case .nothing: break
        case .answer(let answer): write(answer.bytes)
        case .cancel(let id): for request in underWay.withLock({ $0 }) where request.id == id { request.stop.open() }
        case .call(let call): start(call)
        }
    }

    /// Handles a call on its own thread; sends the answer unless the client has cancelled the call.
    private func start(_ call: MCPCall) {
        let number = lastNumber.add(1, ordering: .relaxed).newValue
        do throws(SocketError) {
            let stop = try Gate()
            let hasRoom = underWay.withLock { requests in
                guard requests.count < MCPLimits.requests else { return false }
                requests.append((number, call.id, stop))
                return true
            }
            guard hasRoom else { return write(call.failure(Messages.tooManyRequests(MCPLimits.requests)).bytes) }
            try SystemThread.start { [self] in
                let answer =
                    switch call.work {
                    case .admin(let method, let path, let body): self.answer(to: call, method, path, body, stop)
                    case .run(let words): self.answer(to: call, running: words, stop)
                    case .known: preconditionFailure("The server answers it.")
                    }
                if !stop.wait(until: .now()) { write(answer.bytes) }
                underWay.withLock { $0.removeAll { $0.number == number } }
            }
        } catch {
            underWay.withLock { $0.removeAll { $0.number == number } }
            write(call.failure(error.description).bytes)
        }
    }

    private func write(_ message: [UInt8]) {
        StandardOutput.write(message + [UInt8(ascii: "\n")])
        StandardOutput.flush()
    }

    private func answer(
        to call: MCPCall, _ method: String, _ path: String, _ body: [UInt8]?, _ stop: Gate
    ) -> MCPAnswer {
        var request = ServerRequest(
            HTTPRequest.Method(method) ?? .get, path: path, of: base, adminToken: adminToken, body: body)
        var body: [UInt8] = []
        do throws(ClientError) {
            var patience = ServerRequest.Patience.answer(within: Self.answerTime)
            patience.stop = stop
            try request.run(within: patience) { bytes in
                body += bytes
                return body.count <= MCPCall.answerLimit
            }
        } catch {
            guard let refusal = request.refusal else {
                return call.failure(Messages.unhealthy(error, url: base.description))
            }
            return call.answer(status: refusal.status, body: refusal.body)
        }
        return call.answer(status: 200, body: body.count > MCPCall.answerLimit ? nil : body)
    }

    // MARK: Runs of the operator's command

    private func answer(to run: MCPCall, running words: [String], _ stop: Gate) -> MCPAnswer {
        let (file, report) = System.temporaryFile()
        guard file >= 0 else { return run.failure(Messages.noOutputFile(String(cString: strerror(errno)))) }
        close(file)
        defer { unlink(report) }
        let program = CurrentProcess.arguments.first ?? "fitiq-mock"
        let words = [program] + words + ["--summary", "--json", report, "--", "/bin/sh", "-c", server.command ?? ""]
        do throws(ChildProcessError) {
            let output = try follow(words, of: run, stop)
            return run.answer(report: (try? InputFile.read(report, limit: MCPCall.answerLimit)) ?? [], output: output)
        } catch {
            return run.failure(error.description)
        }
    }

    /// Runs a program and reports the lines that it writes itself as progress.
    ///
    /// - Returns: The last part of its output.
    private func follow(_ words: [String], of run: MCPCall, _ stop: Gate) throws(ChildProcessError) -> String {
        let pipe = try ChildPipe(.fromChild)
        let child = try ChildProcess(
            words, environment: CurrentProcess.environment(),
            streams: .init(output: pipe.childStream, errors: pipe.childStream))
        pipe.closeChildEnd()
        defer { child.end(grace: Self.grace) }
        var (lines, bytes, output, count) = (MCPLines(), [UInt8](), [UInt8](), 0)
        var isOpen = true
        while isOpen, !stop.wait(until: .now()) {
            let hasExited = child.wait(until: .now()) != nil
            do throws(ChildProcessError) {
                isOpen = try pipe.read(into: &bytes, until: .now().advanced(by: Self.lookTime))
            } catch {
                guard error.isTimeout else { throw error }
                // The program's children may keep the pipe open.
                isOpen = !hasExited
            }
            output = (output + bytes).suffix(Self.outputBytes)
            for line in lines.receive(bytes) where line.starts(with: Self.mark.utf8) {
                let text = String(decoding: line.dropFirst(Self.mark.utf8.count), as: UTF8.self)
                guard let text = run.progress(text, count: count) else { continue }
                write(text)
                count += 1
            }
            bytes = []
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// The prefix of the lines that this program itself writes.
    private static let mark = "fitiq-mock: "
}
