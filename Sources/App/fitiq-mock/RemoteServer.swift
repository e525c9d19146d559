import ArgumentParser
import FitIQClient
import HTTPTypes
import JSON
import Sockets

/// The admin API of another server.
struct RemoteServer: Sendable {
    let base: BaseURL
    let adminToken: String?
    var patience = ServerRequest.Patience(silence: .seconds(30))
    /// How long a complete answer of up to 1 MiB may take.
    ///
    /// Larger answers, such as a journal, may take ten times as long.
    ///
    /// A world with a lot of data may take a few seconds to start.
    var answerTime = Duration.seconds(60)

    /// Sends a request for a path below `/__admin`, or below a world there, and returns the response body.
    ///
    /// - Parameter limit: the maximum size of the body, in bytes.
    func ask(
        _ method: HTTPRequest.Method, _ path: String, world: String? = nil, body: JSONValue? = nil, limit: Int = 1 << 20
    ) throws(ClientError) -> [UInt8] {
        var request = ServerRequest(
            method, path: path, of: base, world: world, adminToken: adminToken, body: body.map { $0.encoded() })
        var (answer, patience) = ([UInt8](), patience)
        patience.deadline = min(patience.deadline, .now().advanced(by: limit > 1 << 20 ? answerTime * 10 : answerTime))
        try request.run(within: patience) { bytes in
            answer += bytes
            return answer.count <= limit
        }
        guard answer.count <= limit else { throw .truncatedResponse }
        return answer
    }
}

struct DrainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drain",
        abstract:
            "Make a server refuse new worlds and stop after its last world is deleted; wait until its port is closed.",
        discussion: """
            Meanwhile /ready answers 503, so that a proxy sends new worlds to other servers. A world ends when a \
            client deletes it, or when it has been idle for too long. Exits with 1 if the server cannot be reached \
            or is still running after --timeout.
            """)

    @Option("The server's URL, with its plain HTTP port. \(Settings.defaultServer)", "url")
    var url: String?

    @Option("The server's --admin-token. (default: none)", "token")
    var adminToken: String?

    @Option(
        "How long a world may be idle before the server deletes it: a number followed by s, m, h or d. "
            + "(default: 30m)", "duration",
        parsing: .unconditional)
    var idle: Lifetime?

    @Option(
        "How long to wait: a number followed by s, m, h or d; 0 does not wait.", "duration", parsing: .unconditional)
    var timeout = Lifetime(seconds: 3600)

    private static let pause = Duration.milliseconds(200)

    func validate() throws { guard timeout.seconds >= 0 else { throw ValidationError(Messages.negativeTimeout) } }

    func run() throws {
        let base = try Settings.serverURL(url)
        let gate = try orFailure(try Gate(), Failure.running)
        let start = MonotonicInstant.now()
        let deadline = start.advanced(by: .seconds(timeout.seconds))
        let token = try Settings.fieldValue(adminToken, .adminToken)
        var body: JSONObject = [:]
        if let idle { body["idle"] = .string("\(idle.seconds)s") }
        var worlds: Int?
        do throws(ClientError) {
            var server = RemoteServer(base: base, adminToken: token)
            server.patience.deadline = timeout.seconds > 0 ? deadline : start.advanced(by: Health.answerTime)
            _ = try server.ask(.post, "drain", body: .object(body))
            while timeout.seconds > 0 {
                let state: [UInt8]
                do throws(ClientError) {
                    state = try server.ask(.get, "drain")
                } catch {
                    guard case .transport(let cause) = error else { throw error }
                    guard MonotonicInstant.now() < deadline else { throw error }
                    // Any other error means that the server is no longer listening.
                    guard cause.isTimeout else { return }
                    state = []
                }
                guard MonotonicInstant.now() < deadline else {
                    worlds = (try? JSON.parse(state))?["worlds"]?.int ?? 0
                    break
                }
                gate.wait(until: .now().advanced(by: Self.pause))
            }
        } catch {
            throw Failure(message: Messages.unreachable(error, url: base.description), exitCode: 1)
        }
        if let worlds { throw Failure(message: Messages.stillDrains(base.description, worlds: worlds), exitCode: 1) }
    }
}
