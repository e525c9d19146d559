import FitIQAPI
import HTTP1
import HTTPTypes
import JSON
import Text
import WebSocket

/// A session as the journals of its worlds, in time order, for judging.
///
/// An exchange is placed at the completion of its response, a WebSocket's opening at the 101. It omits entries outside
/// the API and those that another program recorded without a response, because they may never have been sent. Time and
/// memory are linear in the session, except for sorting.
public struct SessionJournal: Sendable {
    /// An entry, and the world whose journal contains it.
    public struct Line: Sendable {
        /// The world in the path's `/w/{id}`, or nil if there is none.
        public let world: ExactString?
        /// The entry; numbers begin with 1 in each world.
        public let entry: JournalEntry
    }

    /// The entries of all worlds.
    public let lines: [Line]
    /// Whether control frames and the ends of WebSockets are included; other programs do not record them.
    public let tellsSocketEnds: Bool
    /// Whether requests have their credentials or placeholders; browsers omit them when asked to.
    public let tellsCredentials: Bool

    /// In a session without calls of the API, the first request; nil in others.
    public let stranger: Stranger?

    /// A request that is no call of the API.
    public struct Stranger: Sendable, Equatable {
        /// `GET /prod/api/v1/goals`, shortened and without its query; empty if there is no request.
        public var request: String
        /// The path in front of the API's, if some request has one.
        public var prefix: String?

        public init(request: String = "", prefix: String? = nil) { (self.request, self.prefix) = (request, prefix) }
    }

    /// Reads the API entries of a file.
    public init(_ file: HARFile, prefix: PathPrefix? = nil) {
        self.init(file.session.without(prefix), isWhole: file.isWhole)
    }

    /// - Parameter isWhole: whether all traffic was recorded.
    init(_ session: Session, isWhole: Bool) {
        let calls = SessionCall.calls(in: session, isWhole: isWhole)
        let tellsCredentials = isWhole || calls.contains { $0.head.fields.contains(.authorization) }
        var users = SessionUsers(calls, areTold: tellsCredentials)
        var events: [(world: ExactString?, connection: Int, time: Timestamp, event: JournalEvent)] = []
        for (index, call) in calls.enumerated() {
            events += call.events(of: users.user(of: call), isWhole: isWhole).map {
                (call.world, index + 1, $0.0, $0.1)
            }
        }
        tellsSocketEnds = isWhole
        stranger = calls.contains { $0.route != nil } ? nil : Stranger(session)
        self.tellsCredentials = tellsCredentials
        // The sort is stable: simultaneous entries keep the order of the session.
        events.sort { $0.time < $1.time }
        var numbers: [ExactString?: Int] = [:]
        lines = events.map { world, connection, time, event in
            numbers[world, default: 0] += 1
            let entry = JournalEntry(
                number: numbers[world, default: 0], time: time, connection: UInt64(connection), event: event)
            // The same limit as in a journal, so that both are judged alike.
            return Line(world: world, entry: entry.excerpt(bodies: Journal.Limits().body))
        }
    }
}

extension SessionJournal.Stranger {
    fileprivate init(_ session: Session) {
        self.init()
        let requests = session.entries.lazy.map(\.request)
        if let first = requests.first {
            let path = RequestURL(first.url).path
            request = TerminalText.escaped("\(first.method.cut(toBytes: 60)) \(path.cut(toBytes: 200))")
        }
        prefix = requests.compactMap { PathPrefix.guess(RequestURL($0.url).segments) }.first.map(TerminalText.escaped)
    }
}

extension SessionCall {
    /// The events of the call, in time order.
    fileprivate func events(of user: ExactString?, isWhole: Bool) -> [(Timestamp, JournalEvent)] {
        if let opened = exchange.opened { return events(openedAt: opened, by: user, isWhole: isWhole) }
        let answered = exchange.started.advanced(byNanoseconds: max(0, exchange.lasted))
        return [(answered, .exchange(recorded(user, isWhole: isWhole)))]
    }

    private func recorded(_ user: ExactString?, isWhole: Bool) -> RecordedExchange {
        /// A body that is missing from another program's file counts as truncated if there must have been one.
        func body(_ body: RecordedBody?, isExpected: Bool) -> RecordedBody {
            let body = body ?? RecordedBody()
            return body.byteCount == 0 && isExpected && !isWhole ? RecordedBody([], of: 1) : body
        }
        let response = exchange.response
        var recorded = RecordedExchange(
            head: head, requestedAt: exchange.started, endpoint: endpoint, user: user,
            unmatched: endpoint != nil ? nil : route == nil ? .unknownPath : .wrongMethod, status: response?.status,
            delivery: response.map { $0.isComplete ? .complete : .partial } ?? .none)
        recorded.body = body(exchange.request.body, isExpected: [.post, .put, .patch].contains(head.method))
        if let response {
            let isExpected = head.method != .head && response.status != 204 && response.status != 304
            recorded.responseBody = body(response.body, isExpected: isExpected)
        }
        return recorded
    }

    /// The opening, the frames, and the end, which a journal records at the client's close frame: what the transport
    /// does after that is no longer up to the client.
    private func events(
        openedAt opened: Timestamp, by user: ExactString?, isWhole: Bool
    ) -> [(Timestamp, JournalEvent)] {
        var time = max(exchange.started, opened)
        // Browsers truncate the start to milliseconds: what led to the handshake may seem to come after it.
        let started = isWhole ? exchange.started : min(time, exchange.started.advanced(byNanoseconds: 1_000_000))
        let opening = RecordedOpening(head: head, requestedAt: started, endpoint: endpoint, user: user)
        var events: [(Timestamp, JournalEvent)] = [(time, .opened(opening))]
        let closes = exchange.frames.filter { $0.opcode == .close }
        func content(_ party: Party) -> CloseSummary.Frame? {
            closes.first { $0.sender == party }.map { $0.value.closeFrame ?? CloseSummary.Frame(code: nil) }
        }
        let isOurs = closes.first?.sender == .server
        let summary = CloseSummary(
            sent: content(.server), received: content(.client),
            initiator: closes.isEmpty ? nil : isOurs ? .weStarted : .theyStarted)
        for frame in exchange.frames {
            time = max(time, frame.time)
            events.append((time, .frame(frame.value)))
            guard frame.opcode == .close, frame.sender == .client else { continue }
            let closing = RecordedClosing(by: isOurs ? .server : .client, cause: .closeFrame, summary: summary)
            events.append((time, .closed(closing)))
            return events
        }
        guard let ending = exchange.ending else { return events }
        let closing = RecordedClosing(by: ending.party, cause: ending.cause, summary: summary)
        events.append((max(time, ending.time), .closed(closing)))
        return events
    }
}

/// A call of the API in a session, with its head parsed as a server does.
struct SessionCall {
    let exchange: SessionExchange
    let head: RequestHead
    /// The world in the path, or nil if there is none.
    let world: ExactString?
    let route: Route?
    let endpoint: Endpoint?

    private init?(_ exchange: SessionExchange) {
        guard let head = RequestHead(exchange.request) else { return nil }
        self.exchange = exchange
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
            if call.exchange.isSocket {
                call.endpoint?.isSocket == true
            } else if isWhole {
                call.route != nil || hosts.isEmpty || hosts.contains(call.host)
            } else {
                call.exchange.response != nil
                    && (call.route != nil || hosts.contains(call.host) && !call.isOtherHandshake)
            }
        }
    }

    private var host: ExactString { ExactString(RequestURL(exchange.request.url).authority) }

    /// Whether it requests an unrelated WebSocket, such as a development server's on the same host.
    private var isOtherHandshake: Bool {
        head.wantsUpgrade && endpoint?.isSocket != true && head.target.segmentsInWorld.last != "ws"
    }

    /// The status, or nil if there was no response.
    var status: Int? { exchange.response?.status }
    /// Whether it was answered with a success, or opened its WebSocket.
    var isAccepted: Bool {
        guard let status else { return false }
        return status == 101 || 200..<300 ~= status
    }

    var token: ExactString? { PresentedCredentials(head).token }
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
