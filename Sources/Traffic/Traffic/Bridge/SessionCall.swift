import FitIQAPI
import HTTP1
import HTTPTypes
import JSON
import Text

/// An API entry of a session, with its head parsed as a server does.
struct SessionCall {
    let entry: SessionEntry
    let head: RequestHead
    /// The world in the path, or nil if there is none.
    let world: ExactString?
    let route: Route?
    let endpoint: Endpoint?

    private init?(_ entry: SessionEntry) {
        guard let head = RequestHead(entry.request) else { return nil }
        self.entry = entry
        self.head = head
        let segments = head.target.segments
        let isInWorld = segments.count > 2 && segments[0] == "w"
        world = isInWorld ? ExactString(segments[1]) : nil
        route = Route(segments: isInWorld ? Array(segments.dropFirst(2)) : segments)
        endpoint = route?.endpoint(for: head.method)
    }

    /// Returns the API calls of a session: its endpoints, and requests to the hosts that have them.
    ///
    /// A browser's recording also contains other sites and the page itself.
    static func calls(in session: Session, isWhole: Bool) -> [SessionCall] {
        let all = session.entries.compactMap { SessionCall($0) }
        var hosts: Set<ExactString> = []
        for call in all where call.route != nil { hosts.insert(call.host) }
        return all.filter { call in
            switch call.entry {
            case .socket: call.endpoint == .webSocket
            case .exchange(let exchange):
                if isWhole {
                    call.route != nil || hosts.isEmpty || hosts.contains(call.host)
                } else {
                    exchange.response != nil
                        && (call.route != nil || hosts.contains(call.host) && !call.isOtherHandshake)
                }
            }
        }
    }

    private var host: ExactString { ExactString(URLParts(entry.request.url).authority ?? "") }

    /// Whether it requests an unrelated WebSocket, such as a development server's on the same host.
    private var isOtherHandshake: Bool { head.wantsUpgrade && head.target.segmentsInWorld.last != "ws" }

    /// The status, or nil if there was no response.
    var status: Int? {
        switch entry {
        case .exchange(let exchange): exchange.response?.status
        case .socket: 101
        }
    }

    /// The effective token: the field takes precedence over the query.
    var token: ExactString? {
        let scheme = "bearer "
        if let field = head.fields[.authorization], field.prefix(scheme.count).lowercased() == scheme {
            return ExactString(field.dropFirst(scheme.count))
        }
        return head.target.query == nil
            ? nil : head.target.queryItems().first { $0.name == "token" }.map { ExactString($0.value) }
    }
}

extension RequestHead {
    /// Parses the head of a recorded request, or returns nil if a server would not have accepted it.
    init?(_ request: SessionRequest) {
        let line = "\(request.method) \(URLParts(request.url).target) HTTP/1.1"
        guard Self.isOneLine(line) else { return nil }
        let fields = request.fields.filter { field in
            !field.name.isEmpty && Self.isOneLine(field.name) && Self.isOneLine(field.value)
        }
        // A tool's own idea of framing is no reason to skip the request.
        let needed = fields.filter { Self.neededNames.contains($0.name.lowercased()) }
        for fields in [fields, needed] {
            var bytes = Array("\(line)\r\n".utf8)
            for field in fields { bytes += Array("\(field.name): \(field.value)\r\n".utf8) }
            if let head = try? RequestHead(recorded: bytes) {
                self = head
                return
            }
        }
        return nil
    }

    /// The fields that judges read.
    private static let neededNames: Set = ["authorization", "x-api-key", "content-type", "connection", "upgrade"]

    private static func isOneLine(_ text: String) -> Bool {
        !text.utf8.contains { $0 == 0x0A || $0 == 0x0D || $0 == 0 }
    }
}
