import Deflate
import FitIQAPI
import HTTP1
import HTTPTypes
import JSON
import Text
import WebSocket

/// A session converted into the journals of its worlds, in chronological order, for judging.
///
/// An exchange's time is when its response ended, and a WebSocket's opening time is the time of the 101. Entries
/// outside the API are omitted. In recordings by other programs, requests without a response are omitted too, because
/// the client may not have sent them. Time and memory use are linear except for sorting.
public struct SessionJournal: Sendable {
    /// An entry and its world.
    public struct Line: Sendable {
        /// The world in the path's `/w/{id}`, or nil for the default world.
        public let world: ExactString?
        /// The entry.
        ///
        /// Numbers start at 1 in each world.
        public let entry: JournalEntry
    }

    public let lines: [Line]
    /// Whether the journal includes control frames and the ends of WebSockets, which only our recordings have.
    public let tellsSocketEnds: Bool
    /// Whether requests have credentials or placeholders.
    ///
    /// Browsers can omit credentials.
    public let tellsCredentials: Bool

    /// The first request, if the session contains no API call.
    ///
    /// Otherwise it is nil.
    public let stranger: Stranger?

    /// A request that is not an API call.
    public struct Stranger: Sendable, Equatable {
        /// The request, such as `GET /prod/api/v1/goals`, shortened and without its query, or empty if there is none.
        public var request: String
        /// The prefix before the API's paths, if a request has one.
        public var prefix: String?

        public init(request: String = "", prefix: String? = nil) { (self.request, self.prefix) = (request, prefix) }

        fileprivate init(_ session: Session) {
            self.init()
            let requests = session.entries.lazy.map(\.request)
            if let first = requests.first {
                let path = RequestURL(first.url).path
                request = TerminalText.escaped("\(first.method.cut(toBytes: 60)) \(path.cut(toBytes: 200))")
            }
            let prefixes = requests.compactMap { PathPrefix.guess(RequestURL($0.url).segments) }
            prefix = prefixes.first.map(TerminalText.escaped)
        }
    }

    /// Reads the API entries of a file.
    public init(_ file: HARFile, prefix: PathPrefix? = nil) {
        self.init(file.session.without(prefix), isWhole: file.isWhole)
    }

    /// - Parameter isWhole: Whether the recording contains all traffic.
    init(_ session: Session, isWhole: Bool) {
        let calls = SessionCall.calls(in: session, isWhole: isWhole)
        let tellsCredentials = isWhole || calls.contains { $0.head.fields.contains(.authorization) }
        var users = SessionUsers(calls, areTold: tellsCredentials)
        var events: [(world: ExactString?, connection: Int, time: Timestamp, event: JournalEvent)] = []
        for (index, call) in calls.enumerated() {
            let own = call.events(of: users.user(of: call), isWhole: isWhole)
            events += own.map { (call.world, index + 1, $0.0, $0.1) }
        }
        tellsSocketEnds = isWhole
        stranger = calls.contains { $0.route != nil } ? nil : Stranger(session)
        self.tellsCredentials = tellsCredentials
        // The sort is stable, so simultaneous entries keep the session's order.
        events.sort { $0.time < $1.time }
        var numbers: [ExactString?: Int] = [:]
        lines = events.map { world, connection, time, event in
            numbers[world, default: 0] += 1
            let entry = JournalEntry(
                number: numbers[world, default: 0], time: time, connection: UInt64(connection), event: event)
            // Use the same limit as a journal, so that sessions and journals are judged in the same way.
            return Line(world: world, entry: entry.excerpt(bodies: Journal.Limits().body))
        }
    }
}

/// An API call in a session, with its head parsed as a server would parse it.
struct SessionCall {
    let exchange: SessionExchange
    let head: RequestHead
    /// The world in the path, or nil for the default world.
    let world: ExactString?
    let route: Route?
    let endpoint: Endpoint?

    private init?(_ exchange: SessionExchange) {
        guard let head = RequestHead(exchange.request) else { return nil }
        (self.exchange, self.head) = (exchange, head)
        let segments = head.target.segments
        let isInWorld = segments.count > 2 && segments[0] == "w"
        world = isInWorld ? ExactString(segments[1]) : nil
        route = Route(segments: isInWorld ? Array(segments.dropFirst(2)) : segments)
        endpoint = route?.endpoint(for: head.method)
    }

    /// Returns the API calls of a session: requests to the API's endpoints and to hosts with such endpoints.
    ///
    /// A browser's recording also contains the page itself and other sites.
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

    /// Whether the call opens an unrelated WebSocket, such as one to a development server.
    private var isOtherHandshake: Bool {
        head.wantsUpgrade && endpoint?.isSocket != true && head.target.segmentsInWorld.last != "ws"
    }

    var status: Int? { exchange.response?.status }
    /// Whether the call succeeded or opened its WebSocket.
    var isAccepted: Bool {
        guard let status else { return false }
        return status == 101 || 200..<300 ~= status
    }

    var token: ExactString? { PresentedCredentials(head).token }

    /// The events of the call, in chronological order.
    fileprivate func events(of user: ExactString?, isWhole: Bool) -> [(Timestamp, JournalEvent)] {
        if let opened = exchange.opened { return events(openedAt: opened, by: user, isWhole: isWhole) }
        let answered = exchange.started.advanced(byNanoseconds: max(0, exchange.lasted))
        return [(answered, .exchange(recorded(user, isWhole: isWhole)))]
    }

    private func recorded(_ user: ExactString?, isWhole: Bool) -> RecordedExchange {
        /// The body as a journal stores it.
        ///
        /// A body that must be missing from another program's file counts as truncated.
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

    /// The opening, the frames and the end.
    ///
    /// A journal records the end at the time of the client's close frame, because the client does not control when the
    /// transport ends.
    private func events(
        openedAt opened: Timestamp, by user: ExactString?, isWhole: Bool
    ) -> [(Timestamp, JournalEvent)] {
        var time = max(exchange.started, opened)
        // Browsers truncate the start time to milliseconds, so a handshake may appear to precede its cause.
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

extension RequestHead {
    /// Parses a recorded request's head; returns nil if a server would have refused the head.
    init?(_ request: SessionRequest) {
        let line = "\(request.method) \(URLParts(request.url).target) HTTP/1.1"
        guard Self.isOneLine(line) else { return nil }
        let fields = request.fields.filter { field in
            !field.name.isEmpty && Self.isOneLine(field.name) && Self.isOneLine(field.value)
        }
        // Tools may write wrong framing fields, so try again with only the required fields.
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

/// Assigns a session's requests to users.
///
/// A JSON Web Token contains its user. Any other token or placeholder initially counts as a separate user. If two
/// tokens are accepted for the same consultation, goal or meal log, they belong to the same user; one may be a
/// refreshed token.
struct SessionUsers {
    /// The single user in a recording without credentials.
    static let untold: ExactString = "user"

    private let areTold: Bool
    /// The representative of each accepted token's user; a subject represents all tokens that name it.
    private var owners: [Owner: Owner] = [:]

    private enum Owner: Hashable {
        case subject(ExactString)
        case token(ExactString)

        init(_ token: ExactString) {
            self = AccessToken.claimedSubject(of: token.text).map(Owner.subject) ?? .token(token)
        }

        var name: ExactString {
            switch self {
            case .subject(let name), .token(let name): name
            }
        }
    }

    private struct Resource: Hashable {
        let world: ExactString?
        let id: ExactString
    }

    init(_ calls: [SessionCall], areTold: Bool) {
        self.areTold = areTold
        let accepted = calls.filter(\.isAccepted)
        let tokens = Set(accepted.compactMap(\.token))
        // If there is only one token, users need not be distinguished.
        guard areTold, tokens.count > 1 else { return }
        var holders: [Resource: Owner] = [:]
        for call in accepted {
            guard let token = call.token else { continue }
            let owner = Owner(token)
            for id in Self.ids(of: call) {
                let resource = Resource(world: call.world, id: id)
                if let holder = holders[resource] { join(owner, holder) } else { holders[resource] = owner }
            }
        }
    }

    /// The user whose credentials the server accepted, or nil after a 401 or without credentials.
    mutating func user(of call: SessionCall) -> ExactString? {
        guard call.status != 401 else { return nil }
        guard areTold else { return Self.untold }
        return call.token.map { root(of: Owner($0)).name }
    }

    /// Shorten the path for the next lookup.
    private mutating func root(of owner: Owner) -> Owner {
        var owner = owner
        while let next = owners[owner] {
            if let second = owners[next] { owners[owner] = second }
            owner = next
        }
        return owner
    }

    private mutating func join(_ one: Owner, _ two: Owner) {
        let (one, two) = (root(of: one), root(of: two))
        guard one != two else { return }
        switch (one, two) {
        // The server may share an entity between two users, who still count as two.
        case (.subject, .subject): return
        case (.subject, .token): owners[two] = one
        case (.token, _): owners[one] = two
        }
    }

    /// The IDs of the user's entities in the path and the response.
    private static func ids(of call: SessionCall) -> [ExactString] {
        var ids = [call.route?.id].compactMap { $0 }.map { ExactString($0).asciiLowercased() }
        // Quick actions belong to all users.
        guard !call.exchange.isSocket, let endpoint = call.endpoint, endpoint != .listQuickActions,
            let answer = call.exchange.response.flatMap({ try? JSON.parse($0.body.bytes) })
        else { return ids }
        var rest = [answer]
        while let value = rest.popLast() {
            switch value {
            case .object(let members): rest += members.map(\.value)
            case .array(let elements): rest += elements
            case .string(let text):
                if ResourceID.read(text) != .malformed { ids.append(ExactString(text).asciiLowercased()) }
            case .null, .bool, .number: break
            }
        }
        return ids
    }
}

extension Session {
    /// The traffic in a world's journal that reached the other side, as a recorder next to the client would see it.
    ///
    /// Secrets are kept, and truncated bodies stay truncated. A WebSocket's frames are omitted if the journal has
    /// dropped its handshake.
    ///
    /// - Parameter origin: The scheme and host for URLs, such as `http://127.0.0.1:8080`.
    public init(_ journal: some Sequence<JournalEntry>, origin: String) {
        var draft = SessionDraft(origin: origin)
        for entry in journal { draft.add(entry) }
        self = draft.session
    }
}

/// A session under construction from a journal's entries.
package struct SessionDraft: Sendable {
    private var entries: [SessionExchange] = []
    /// The index of each open WebSocket, by connection.
    private var open: [UInt64: Int] = [:]
    private let origin: String

    package init(origin: String) { self.origin = origin }

    package mutating func add(_ entry: JournalEntry) {
        switch entry.event {
        case .exchange(let exchange): entries.append(SessionExchange(exchange, entry.time, origin))
        case .opened(let opening):
            open[entry.connection] = entries.count
            var socket = SessionExchange(opening, entry.time, "ws" + origin.dropFirst("http".count))
            (socket.opened, socket.waited, socket.lasted) = (entry.time, 0, 0)
            entries.append(socket)
        case .frame(let frame) where frame.delivery == .complete:
            guard let place = open[entry.connection] else { break }
            entries[place].frames.append(SessionFrame(time: entry.time, value: frame))
        case .closed(let closing):
            guard let place = open.removeValue(forKey: entry.connection) else { break }
            // A recorder sees only how the transport ended, not why.
            let cause: RecordedClosing.Cause = [.closeFrame, .reset].contains(closing.cause) ? closing.cause : .finish
            entries[place].ending = SessionEnding(time: entry.time, party: closing.party, cause: cause)
        case .frame, .fault, .clock, .note, .held, .released: break
        }
    }

    package var session: Session { Session(entries: entries) }
}

extension SessionExchange {
    fileprivate init(_ exchange: RecordedExchange, _ answered: Timestamp, _ origin: String) {
        let lasted = max(0, answered.nanosecondsSinceEpoch - exchange.requestedAt.nanosecondsSinceEpoch)
        self.init(
            started: exchange.requestedAt, waited: lasted, lasted: lasted,
            request: SessionRequest(
                method: exchange.head.method.rawValue, url: origin + exchange.head.target.description,
                fields: exchange.head.fields.nameValuePairs.map(SessionField.init).describing(exchange.body),
                body: exchange.body.byteCount == 0 ? nil : exchange.body))
        guard let status = exchange.status, exchange.delivery != .none else { return }
        response = SessionResponse(
            status: status,
            fields: exchange.responseFields.nameValuePairs.map(SessionField.init).describing(exchange.responseBody),
            body: exchange.head.method == .head ? RecordedBody() : exchange.responseBody,
            isComplete: exchange.delivery == .complete)
    }
}

extension [SessionField] {
    /// The fields adapted to a journal's body, because a journal stores gzip bodies as text.
    fileprivate func describing(_ body: RecordedBody) -> [SessionField] {
        body.bytes.starts(with: [0x1F, 0x8B]) ? self : filter { $0.codingFormat != ZlibFormat.gzip }
    }
}
