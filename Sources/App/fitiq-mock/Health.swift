import ArgumentParser
import FitIQClient
import Sockets

struct Health: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health", abstract: "Check whether a server answers, for container health checks.",
        discussion: "Exits with 0 if the server answers, otherwise with 1.")

    @Option("The server's URL, with its plain HTTP port. \(Settings.defaultServer)", "url")
    var url: String?

    func run() throws {
        let base = try Settings.serverURL(url)
        do throws(ClientError) {
            try Self.get("/health", of: base)
        } catch {
            throw Failure(message: Messages.unhealthy(error, url: base.description), exitCode: 1)
        }
    }

    /// How long the complete answer may take.
    static let answerTime = Duration.seconds(5)

    /// Requests a target that returns 200 if the server is healthy; the server must answer within ``answerTime``.
    static func get(_ target: String, of base: BaseURL) throws(ClientError) {
        var request = ServerRequest(target: target, of: base)
        try request.run(within: .answer(within: answerTime)) { _ in true }
    }
}

struct WaitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait", abstract: "Wait until a server accepts requests, and print its URL.",
        discussion: """
            Reads the server's --ready-file, and distinguishes a running server's file from a file that a killed \
            server left behind. Exits with 1 if no server is ready in time.
            """)

    @Option("The server's --ready-file.", "path", .file())
    var readyFile: String

    @Option("How long to wait: a number followed by s, m, h or d; 0 checks once.", "duration", parsing: .unconditional)
    var timeout = Lifetime(seconds: 30)

    private static let pause = Duration.milliseconds(20)

    func validate() throws { guard timeout.seconds >= 0 else { throw ValidationError(Messages.negativeTimeout) } }

    func run() throws {
        let gate = try orFailure(try Gate(), Failure.running)
        let deadline = MonotonicInstant.now().advanced(by: .seconds(timeout.seconds))
        while true {
            let trouble: String
            switch ReadyFile.state(at: readyFile) {
            case .absent: trouble = Messages.noReadyFile(readyFile)
            case .foreign: trouble = Messages.notReadyFile(readyFile, nil)
            case .stale(let writer): trouble = Messages.staleReadyFile(readyFile, writer)
            case .running(_, let url, let isRecorder):
                let base = try Settings.baseURL(url)
                do throws(ClientError) {
                    // A recorder would forward and record any request.
                    if isRecorder {
                        try ServerRequest.connect(to: base, within: .answer(within: Health.answerTime))
                    } else {
                        try Health.get("/ready", of: base)
                    }
                    return print(url)
                } catch {
                    trouble = Messages.unhealthy(error, url: url)
                }
            }
            guard MonotonicInstant.now() < deadline else { throw Failure(message: trouble, exitCode: 1) }
            gate.wait(until: .now().advanced(by: Self.pause))
        }
    }
}
