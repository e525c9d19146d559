import FitIQAPI
import JSON
import Text
import Traffic
import WebSocket

/// A session that is compiled once and can be replayed in any number of worlds.
///
/// Compiling takes linear time except for sorting. Finding a request by its shape takes constant time.
public struct ReplayPlan: Sendable, Equatable {
    /// The session, with its entries in the order in which they started.
    ///
    /// The session excludes tunnels and requests that the server answers itself: `/health`, `/ready`, the API
    /// descriptions, `/favicon.ico`, and everything under `/__admin`.
    public let session: Session
    /// The prefix of the recorded paths; the session omits the prefix, and clients may send or omit it.
    let prefix: PathPrefix?
    /// The segments that follow `/w/` in recorded paths, whether or not they are the names of worlds.
    public let worlds: Set<ExactString>
    /// Notes on the parts that cannot be replayed as recorded, at most ``ReplayLimits/misses`` sentences.
    public private(set) var notes: [String] = []

    /// Each entry's number in the recording, counted from 1 as in 'show' and 'diff'.
    let numbers: [Int]
    private(set) var entries: [PlannedEntry] = []
    private(set) var full = MatchIndex()
    private(set) var routes = MatchIndex()
    private(set) var vocabulary = Vocabulary()
    private(set) var hasUnknownBodies = false
    var origins: Origins { vocabulary.origins }

    /// Compiles a session, or throws if nothing can be replayed or a limit of ``ReplayLimits`` is exceeded.
    public init(_ session: Session, prefix: PathPrefix? = nil) throws(Refusal) {
        let session = session.without(prefix)
        self.prefix = prefix
        try Self.check(session)
        let own = session.entries.map { Self.ownName(of: $0.request) }
        let played = own.indices.filter { own[$0] == nil }
        guard !played.isEmpty else { throw .nothingToPlay(own.count) }
        numbers = played.map { $0 + 1 }
        self.session = Session(entries: played.map { Self.opening(session.entries[$0]) })
        let urls = self.session.entries.map { RequestURL($0.request.url) }
        worlds = Set(urls.compactMap { $0.world.map(ExactString.init(_:)) })
        vocabulary.origins = Origins(urls)
        if played.count < own.count {
            note(Messages.ownRequests(own.count - played.count, Set(own.compactMap(\.self)).sorted()))
        }
        noteValues()
        for index in self.session.entries.indices { compile(index) }
        if origins.count > 1 { note(Messages.severalHosts(origins.count)) }
        if !worlds.isEmpty {
            note(Messages.worlds(worlds.sorted().prefix(3).map { "/w/\($0.text.cut(toBytes: 60))" }, worlds.count))
        }
        if vocabulary.isFull { note(Messages.tooManyValues) }
    }

    public static func == (left: ReplayPlan, right: ReplayPlan) -> Bool { left.session == right.session }

    private mutating func note(_ sentence: String) {
        if notes.count < ReplayLimits.misses { notes.append(sentence) }
    }

    /// The memory that an entry or a frame takes in addition to its content, in bytes.
    static let (memoryOfEntry, memoryOfFrame) = (1024, 192)

    private static func check(_ session: Session) throws(Refusal) {
        guard !session.entries.isEmpty else { throw .empty }
        guard session.entries.count <= ReplayLimits.entries else { throw .tooManyEntries(session.entries.count) }
        var (frames, bytes) = (0, 0)
        func count(_ fields: [SessionField], _ body: RecordedBody?) {
            bytes += fields.reduce(body?.bytes.count ?? 0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        }
        for entry in session.entries {
            bytes += memoryOfEntry + entry.request.url.utf8.count
            count(entry.request.fields, entry.request.body)
            if let response = entry.response { count(response.fields, response.body) }
            frames += entry.frames.count
            for frame in entry.frames { bytes += memoryOfFrame + frame.payload.bytes.count }
        }
        guard frames <= ReplayLimits.frames else { throw .tooManyFrames(frames) }
        guard bytes <= ReplayLimits.bytes else { throw .tooManyBytes(bytes) }
    }

    /// Turns an exchange into a socket if it is an accepted handshake without a recorded socket.
    private static func opening(_ entry: SessionExchange) -> SessionExchange {
        guard !entry.isSocket, entry.response?.status == 101, isHandshake(entry) else { return entry }
        var socket = entry
        socket.opened = Timestamp(
            nanosecondsSinceEpoch: entry.started.nanosecondsSinceEpoch.advanced(capped: max(entry.waited, 0)))
        return socket
    }

    private mutating func compile(_ index: Int) {
        let entry = session.entries[index]
        let request = entry.request
        let number = numbers[index]
        func place() -> String { Messages.place(number, request) }
        let url = RequestURL(request.url)
        let shapes = RequestShapes(
            method: request.method, isHandshake: Self.isHandshake(entry), url: url, fields: request.fields,
            body: request.body?.bytes ?? [], origins)
        let isUnknown = request.hasUnknownBody
        if isUnknown {
            hasUnknownBodies = true
            note(Messages.unknownBody(place()))
        }
        let (shape, route) = (shapes.full(ignoringBody: isUnknown), shapes.route())
        let values = shape.values.map { vocabulary.intern($0.text) }
        let routeValues = route.values.map { vocabulary.intern($0.text) }
        routes.add(entry: index, shape: route, values: routeValues)
        let started = entry.started.nanosecondsSinceEpoch
        var planned = PlannedEntry(
            url: url, method: shapes.method, place: full.add(entry: index, shape: shape, values: values),
            free: shape.free, credentials: Credential.all(in: request.fields, url), started: started, ended: started)
        if let opened = entry.opened {
            planned.ended = max(started, opened.nanosecondsSinceEpoch)
            planned.script = SocketScript(entry, opened: opened, vocabulary: &vocabulary)
            if planned.script?.hasCutFrames == true { note(Messages.cutFrame(place())) }
        } else {
            planned.ended = started.advanced(capped: max(entry.lasted, 0))
            if let response = entry.response {
                if response.body.isCut {
                    note(Messages.cutBody(place(), kept: response.body.bytes.count, of: response.body.byteCount))
                }
                if !(200...999).contains(response.status) { note(Messages.noFinalStatus(place(), response.status)) }
            }
        }
        entries.append(planned)
    }

    private static func isHandshake(_ entry: SessionExchange) -> Bool {
        entry.isSocket || entry.request.url.lowercased().hasPrefix("ws")
            || entry.request.fields.contains {
                ExactString($0.name).asciiLowercased() == "upgrade"
                    && ExactString($0.value).asciiLowercased().text.contains("websocket")
            }
    }

    /// The path or `CONNECT` that the server answers itself, or nil if the request is replayed.
    ///
    /// Browsers and probes send such requests. If they were entries, they would count as never requested and, in
    /// `strict` mode, would block all later entries.
    private static func ownName(of request: SessionRequest) -> String? {
        // A tunnel connects to a different server.
        if request.method.uppercased() == "CONNECT" { return "CONNECT" }
        let segments = RequestURL(request.url).segments
        switch segments {
        case ["health"], ["ready"], ["docs"], ["docs", "deviations"], ["openapi.yaml"], ["asyncapi.yaml"],
            ["llms.txt"], ["favicon.ico"]:
            return "/" + segments.joined(separator: "/")
        default: return segments.first == "__admin" ? "/__admin" : nil
        }
    }

    /// A reference to an entry, for misses.
    func reference(to index: Int) -> ReplayMiss.Nearest {
        let request = session.entries[index].request
        return .init(
            entry: numbers[index], method: request.method, target: Excerpts.target(URLParts(request.url).target))
    }

    // MARK: Which side used a value first

    private struct Event {
        var time: Int64
        var entry: Int
        var part: Part

        enum Part { case request, response, frame(Int) }
    }

    private mutating func noteValues() {
        var events: [Event] = []
        for (index, entry) in session.entries.enumerated() {
            let started = entry.started.nanosecondsSinceEpoch
            events.append(Event(time: started, entry: index, part: .request))
            var time = entry.opened?.nanosecondsSinceEpoch ?? started.advanced(capped: max(entry.lasted, 0))
            events.append(Event(time: time, entry: index, part: .response))
            for (number, frame) in entry.frames.enumerated() {
                time = max(time, frame.time.nanosecondsSinceEpoch)
                events.append(Event(time: time, entry: index, part: .frame(number)))
            }
        }
        // The sort is stable, so a request precedes its response even if their times are equal.
        events.sort { $0.time < $1.time }
        for event in events { note(event.part, of: session.entries[event.entry]) }
    }

    private mutating func note(_ part: Event.Part, of entry: SessionExchange) {
        switch part {
        case .request:
            let request = entry.request
            let url = RequestURL(request.url)
            let credentials = Credential.all(in: request.fields, url).map(\.value.text)
            for text in url.segments + url.items.flatMap({ [$0.name, $0.value] }) + credentials {
                vocabulary.note(valuesOf: Array(text.utf8), fromClient: true)
            }
            vocabulary.note(valuesOf: request.body?.bytes ?? [], fromClient: true)
        case .response:
            guard let response = entry.response else { return }
            for field in response.fields { vocabulary.note(valuesOf: Array(field.value.utf8), fromClient: false) }
            if !entry.isSocket { vocabulary.note(valuesOf: response.body.bytes, fromClient: false) }
        case .frame(let index):
            let frame = entry.frames[index]
            vocabulary.note(valuesOf: frame.payload.bytes, fromClient: frame.sender == .client)
        }
    }
}

struct PlannedEntry: Sendable {
    var url: RequestURL
    /// The method, or `HANDSHAKE` for a WebSocket handshake.
    var method: String
    var place: MatchIndex.Place
    /// The times and secrets of the request, in the order in which its shape has them.
    var free: [ExactString]
    var credentials: [Credential]
    /// When the request started and was answered, in nanoseconds.
    var started: Int64
    var ended: Int64
    /// The script of a WebSocket that opened.
    var script: SocketScript?
}

/// A compiled recording of a WebSocket: the actions of the server and the client, in order.
struct SocketScript: Sendable {
    private(set) var steps: [Step] = []
    private(set) var messages: [Message] = []
    private(set) var messagesOfShape: [ShapeKey: [Int]] = [:]
    /// The client's pings and their pongs, in the order of the pings.
    private(set) var keepAlives: [KeepAlive] = []
    /// Whether the recording truncated some frames.
    private(set) var hasCutFrames = false
    /// The index of the first ping that has no pong.
    private var unanswered = 0

    struct Step: Sendable {
        /// Nanoseconds after the opening.
        var time: Int64
        var kind: Kind
        /// Whether the step is a keep-alive; other steps wait for a keep-alive only in `timed` mode.
        var isKeepAlive = false
    }

    enum Kind: Sendable {
        case server(ReplayEffect.Action)
        /// The client sends the message with this index.
        case client(Int)
        case ping
        /// The client closes the socket or ends the connection; the codec handles the server's part.
        case clientEnds
    }

    /// An API ping, with its pong.
    struct KeepAlive: Sendable {
        var time: Int64
        /// The pong and its delay, or nil if no pong followed.
        var pong: (action: ReplayEffect.Action, after: Int64)?
    }

    struct Message: Sendable {
        var step: Int
        var isText: Bool
        var payload: [UInt8]
        var shape: Shape
        var values: [Int]
    }

    init(_ socket: SessionExchange, opened: Timestamp, vocabulary: inout Vocabulary) {
        let opened = opened.nanosecondsSinceEpoch
        // A script's times never go backwards, even if the recorded clock did.
        var time: Int64 = 0
        func advance(to nanoseconds: Int64) {
            let (difference, overflow) = nanoseconds.subtractingReportingOverflow(opened)
            if !overflow { time = max(time, difference) }
        }
        for frame in socket.frames {
            advance(to: frame.time.nanosecondsSinceEpoch)
            if frame.payload.isCut { hasCutFrames = true }
            let bytes = frame.payload.bytes
            switch (frame.sender, frame.opcode) {
            case (.client, .text) where KeepAliveFrame(bytes) == .ping:
                steps.append(Step(time: time, kind: .ping, isKeepAlive: true))
                keepAlives.append(KeepAlive(time: time))
            case (.client, .text), (.client, .binary):
                add(message: bytes, isText: frame.opcode == .text, at: time, vocabulary: &vocabulary)
            case (.client, .close):
                steps.append(Step(time: time, kind: .clientEnds))
                return
            case (.client, _), (.server, .pong), (.server, .continuation): break
            case (.server, .text):
                // Send truncated text that is invalid UTF-8 as binary, because the codec would refuse it.
                let isValid = String(validating: bytes, as: UTF8.self) != nil
                let action = isValid ? ReplayEffect.Action.text(bytes) : .binary(bytes)
                let isPong = takePong(bytes, action, at: time)
                steps.append(Step(time: time, kind: .server(action), isKeepAlive: isPong))
            case (.server, .binary): steps.append(Step(time: time, kind: .server(.binary(bytes))))
            case (.server, .ping): steps.append(Step(time: time, kind: .server(.ping(Array(bytes.prefix(125))))))
            case (.server, .close):
                steps.append(Step(time: time, kind: .server(Self.close(bytes))))
                return
            }
        }
        guard let ending = socket.ending else { return }
        advance(to: ending.time.nanosecondsSinceEpoch)
        let isReset = ending.cause == .reset
        steps.append(
            Step(time: time, kind: ending.party == .client ? .clientEnds : .server(isReset ? .reset : .finish)))
    }

    /// Assigns a pong to the oldest unanswered ping; returns false if the frame is not a pong.
    private mutating func takePong(_ bytes: [UInt8], _ action: ReplayEffect.Action, at time: Int64) -> Bool {
        guard unanswered < keepAlives.count, KeepAliveFrame(bytes) == .pong else { return false }
        keepAlives[unanswered].pong = (action, time - keepAlives[unanswered].time)
        unanswered += 1
        return true
    }

    private mutating func add(message bytes: [UInt8], isText: Bool, at time: Int64, vocabulary: inout Vocabulary) {
        let shape = Self.shape(of: bytes, isText: isText, Shape(origins: vocabulary.origins))
        let values = shape.values.map { vocabulary.intern($0.text) }
        steps.append(Step(time: time, kind: .client(messages.count)))
        messagesOfShape[shape.key, default: []].append(messages.count)
        messages.append(Message(step: steps.count - 1, isText: isText, payload: bytes, shape: shape, values: values))
    }

    /// The shape of a message; text and binary messages never have the same shape.
    static func shape(of bytes: [UInt8], isText: Bool, _ empty: Shape) -> Shape {
        var shape = empty
        shape.add(literally: isText ? "text" : "binary")
        shape.add(body: bytes)
        shape.finish()
        return shape
    }

    /// Creates a close frame that may be sent (RFC 6455 §5.5.1, §7.4.1).
    private static func close(_ payload: [UInt8]) -> ReplayEffect.Action {
        guard payload.count >= 2 else { return .close(code: nil, reason: "") }
        let code = CloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
        guard code.isAllowedOnWire else { return .close(code: nil, reason: "") }
        let reason = String(validating: payload[2...].prefix(123), as: UTF8.self) ?? ""
        return .close(code: code.rawValue, reason: reason)
    }
}

/// A frame that is an API keep-alive.
enum KeepAliveFrame: String {
    case ping, pong

    /// Returns nil unless the frame is `{"type":"ping"}` or `{"type":"pong"}`, each with at most one additional member.
    init?(_ text: [UInt8]) {
        guard text.count <= 200, let object = JSONValue.container(text)?.object, object.count <= 2 else { return nil }
        self.init(rawValue: object["type"]?.string ?? "")
    }
}

/// A session's IDs, days, addresses and tokens, numbered in order of first appearance.
struct Vocabulary: Sendable {
    private(set) var texts: [ExactString] = []
    private var numbers: [ExactString: Int] = [:]
    /// For each value, whether it may be replaced because the client or redaction created it.
    private(set) var isReplaceable: [Bool] = []
    /// The origins of the session's URLs; they do not count as values.
    var origins = Origins()
    /// Whether the session has more than ``ReplayLimits/recordedValues`` values.
    private(set) var isFull = false

    func number(of text: ExactString) -> Int? { numbers[text] }

    mutating func note(_ text: ExactString, fromClient: Bool) {
        guard numbers[text] == nil else { return }
        guard texts.count < ReplayLimits.recordedValues else {
            isFull = true
            return
        }
        append(text, isReplaceable: fromClient || Self.isPlaceholder(text))
    }

    /// Returns the number of a value, adding the value if needed.
    mutating func intern(_ text: ExactString) -> Int { numbers[text] ?? append(text, isReplaceable: true) }

    @discardableResult
    private mutating func append(_ text: ExactString, isReplaceable replaceable: Bool) -> Int {
        numbers[text] = texts.count
        texts.append(text)
        isReplaceable.append(replaceable)
        return texts.count - 1
    }

    mutating func note(valuesOf bytes: [UInt8], fromClient: Bool) {
        bytes.withUnsafeBufferPointer { bytes in
            var scanner = ValueScanner(bytes, origins: origins)
            while let found = scanner.next() {
                // Only the client's times count, because responses repeat the times that the client sends.
                if found.kind == .origin || (found.kind == .time && !fromClient) { continue }
                note(ExactString(String(decoding: bytes[found.range], as: UTF8.self)), fromClient: fromClient)
            }
        }
    }

    /// Whether a string is a placeholder like `redacted-token-1` or `user-1@redacted.example`.
    private static func isPlaceholder(_ text: ExactString) -> Bool {
        var text = text.text
        return text.withUTF8 { $0.isPlaceholder } || text.hasSuffix("@redacted.example")
    }
}

/// A secret in a request, and its location: the name of a query item, scheme, field or cookie.
struct Credential: Sendable {
    var name: ExactString
    var value: ExactString

    private init(_ name: String, _ value: some StringProtocol) {
        self.name = ExactString(name)
        self.value = ExactString(String(value))
    }

    static func all(in fields: [SessionField], _ url: RequestURL) -> [Credential] {
        var credentials = url.items.filter { SecretName.isSecret($0.name) }.map {
            Credential("query \($0.name)", $0.value)
        }
        for field in fields {
            switch field.name.lowercased() {
            case "authorization":
                let parts = field.value.split(separator: " ", maxSplits: 1)
                if parts.count == 2 {
                    credentials.append(Credential("authorization \(parts[0].lowercased())", parts[1]))
                }
            case "x-api-key": credentials.append(Credential("x-api-key", field.value))
            case "cookie":
                for pair in field.value.split(separator: ";").prefix(100) {
                    let parts = pair.split(separator: "=", maxSplits: 1)
                    guard parts.count == 2 else { continue }
                    credentials.append(Credential("cookie \(parts[0].drop { $0 == " " })", parts[1]))
                }
            default: break
            }
        }
        return credentials
    }
}
