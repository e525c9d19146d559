import Deflate
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

    /// - Parameter isWhole: whether all traffic was recorded.
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
        (self.exchange, self.head) = (exchange, head)
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

    var status: Int? { exchange.response?.status }
    /// Whether it was answered with a success, or opened its WebSocket.
    var isAccepted: Bool {
        guard let status else { return false }
        return status == 101 || 200..<300 ~= status
    }

    var token: ExactString? { PresentedCredentials(head).token }

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

/// Assigns the requests of a session to users.
///
/// A JSON Web Token names its user. Every other token, or its placeholder, is a user of its own, except that two tokens
/// belong to one user if both were accepted for the same consultation, goal or meal log: those belong to one user, and
/// a refreshed token still belongs to that user.
struct SessionUsers {
    /// The single user of a recording without credentials.
    static let untold: ExactString = "user"

    private let areTold: Bool
    /// The representative of each accepted token's user; a subject represents all of its tokens.
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
        // A single token needs no distinction.
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

    /// The user whose credentials were accepted, or nil for a 401 and without credentials.
    mutating func user(of call: SessionCall) -> ExactString? {
        guard call.status != 401 else { return nil }
        guard areTold else { return Self.untold }
        return call.token.map { root(of: Owner($0)).name }
    }

    /// Shortens the path for the next lookup.
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
        // The server may share it between users, but they stay two.
        case (.subject, .subject): return
        case (.subject, .token): owners[two] = one
        case (.token, _): owners[one] = two
        }
    }

    /// The IDs of what belongs to the user: those in the path and in the response.
    private static func ids(of call: SessionCall) -> [ExactString] {
        var ids = [call.route?.id].compactMap { $0 }.map { ExactString($0).asciiLowercased() }
        // Quick actions belong to everyone.
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
    /// The traffic in a world's journal, as a recorder next to the client sees it: what did not reach the other side is
    /// not in it.
    ///
    /// Secrets stay as they are in the journal, and so do truncated bodies. Frames of a WebSocket whose handshake the
    /// journal has dropped are omitted.
    ///
    /// - Parameter origin: The scheme and the host of URLs: `http://127.0.0.1:8080`.
    public init(_ journal: some Sequence<JournalEntry>, origin: String) {
        var draft = SessionDraft(origin: origin)
        for entry in journal { draft.add(entry) }
        self = draft.session
    }
}

/// A session that is made of a journal, one entry after the other.
package struct SessionDraft: Sendable {
    private var entries: [SessionExchange] = []
    /// The places of open WebSockets.
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
            // A fault, or whatever else ends it, is to a recorder the end of the transport.
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
    /// The fields that agree with a journal's body, which is the text of what had gzip.
    fileprivate func describing(_ body: RecordedBody) -> [SessionField] {
        body.bytes.starts(with: [0x1F, 0x8B]) ? self : filter { $0.codingFormat != ZlibFormat.gzip }
    }
}
