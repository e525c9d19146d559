import FitIQClient
import JSON
import Sockets
import Text

/// Reports events other than answers on standard error.
enum ChatNews {
    /// How long to wait for an event before asking the server about its clock.
    private static let patience = Duration.seconds(3)
    /// How long to wait for the server's answer about its clock.
    private static let answerTime = Duration.seconds(2)
    private static let answerLimit = 64 * 1024

    /// Reports lost and restored connections, and the coach's templates, until the client closes.
    static func follow(_ client: FitIQClient) async {
        var last = ClientState.Connection.disconnected
        var isLost = false
        // Templates in the history are not news.
        var made = client.state.templates ?? []
        for await state in client.states {
            if let templates = state.templates {
                report(templates, since: made)
                made = templates
            }
            guard state.connection != last else { continue }
            switch state.connection {
            case .connecting where last == .connected:
                isLost = true
                say(Messages.connectionLost)
            case .connected where isLost:
                isLost = false
                say(Messages.chatContinues)
            case .failed where isLost: say("could not reconnect.")
            case .connected, .connecting, .disconnected, .failed: break
            }
            last = state.connection
        }
    }

    /// Reports the coach's templates that are not in `known`.
    static func report(_ templates: [ClientState.Template], since known: [ClientState.Template]) {
        guard templates != known else { return }
        // A client keeps only the latest templates, so the count may stay the same when another one arrives.
        for template in templates.dropFirst(max(0, min(known.count, templates.count - 1))) {
            say("the coach created a \(template.type) template: \(template.name)")
        }
    }

    /// Runs a command, and says so if its result is missing because the server's clock has stopped.
    static func waiting<Result>(
        for client: FitIQClient, at base: BaseURL, adminToken: String?, _ body: () async throws -> Result
    ) async throws -> Result {
        let end = try Gate()
        defer { end.open() }
        // Use a separate thread, so that the client's tasks have all the threads of Swift's pool.
        try SystemThread.start {
            var last = client.state
            while !end.wait(until: .now().advanced(by: patience)) {
                let state = client.state
                if state == last {
                    if let reason = stillness(at: base, adminToken: adminToken) { say(reason) }
                    return
                }
                last = state
            }
        }
        return try await body()
    }

    private static func say(_ message: String) {
        // The line being edited is redrawn below. The partial answer stays.
        let editor = LineInput.awake.value
        let start = !System.isTerminal(.error) ? "" : editor == nil ? "\n" : "\r\u{1B}[K"
        FitIQMock.drawOnStandardError("\(start)fitiq-mock: \(TerminalText.printed(message))\n")
        editor?.requestStop()
    }

    /// What the server says about a stopped clock or a missing token, or nil if it does not answer in time.
    private static func stillness(at base: BaseURL, adminToken: String?) -> String? {
        var request = ServerRequest(path: "clock", of: base, adminToken: adminToken)
        var answer: [UInt8] = []
        do throws(ClientError) {
            try request.run(within: .answer(within: answerTime)) { bytes in
                answer += bytes
                return answer.count < answerLimit
            }
        } catch {
            guard case .refused(status: 401...403, let message) = error else { return nil }
            return Messages.clockRefused(message)
        }
        guard (try? JSON.parse(answer))?["mode"] == "manual" else { return nil }
        return Messages.clockStands(ServerRequest.path("clock", of: base))
    }
}
