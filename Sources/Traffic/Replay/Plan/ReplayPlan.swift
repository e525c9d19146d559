import FitIQAPI
import JSON
import Text
import Traffic

/// A session compiled once, in linear time except for sorting, for replaying in any number of worlds.
///
/// Every request is found by its shape in constant time, regardless of the session's length.
public struct ReplayPlan: Sendable, Equatable {
    /// The session, with its entries in starting order.
    ///
    /// It excludes the requests that the server answers itself: `/health`, `/ready`, the descriptions, `/favicon.ico`,
    /// all of `/__admin`, and tunnels.
    public let session: Session
    /// The path in front of the recorded ones, which the session lacks and clients may have or not.
    let prefix: PathPrefix?
    /// The second segments of recorded paths below `/w/`, whether or not they named worlds.
    public let worlds: Set<ExactString>
    /// Sentences about the parts that cannot be replayed as recorded, at most ``ReplayLimits/misses``.
    public private(set) var notes: [String] = []

    /// The number of each entry among all recorded ones, counted from 1 as 'show' and 'diff' do.
    let numbers: [Int]
    private(set) var entries: [PlannedEntry] = []
    private(set) var full = MatchIndex()
    private(set) var routes = MatchIndex()
    private(set) var vocabulary = Vocabulary()
    private(set) var hasUnknownBodies = false
    var origins: Origins { vocabulary.origins }

    /// Throws a ``ReplayError`` if there is nothing to replay, or more than ``ReplayLimits`` allow.
    public init(_ session: Session, prefix: PathPrefix? = nil) throws(ReplayError) {
        let session = session.without(prefix)
        self.prefix = prefix
        try Self.check(session)
        let own = session.entries.map { Self.ownName(of: $0.request) }
        var order = Array(session.entries.indices)
        order.sort { (session.entries[$0].started, $0) < (session.entries[$1].started, $1) }
        numbers = order.indices.filter { own[order[$0]] == nil }.map { $0 + 1 }
        guard !numbers.isEmpty else { throw .nothingToPlay(session.entries.count) }
        order.removeAll { own[$0] != nil }
        self.session = Session(entries: order.map { Self.opening(session.entries[$0]) })
        let urls = self.session.entries.map { RequestURL($0.request.url) }
        worlds = Set(urls.compactMap { $0.world.map(ExactString.init(_:)) })
        vocabulary.origins = Origins(urls)
        if order.count < own.count {
            note(Messages.ownRequests(own.count - order.count, Set(own.compactMap(\.self)).sorted()))
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

    /// What an entry and a frame count in addition to their content, because they take that memory.
    static let (memoryOfEntry, memoryOfFrame) = (1024, 192)

    private static func check(_ session: Session) throws(ReplayError) {
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

    /// An accepted WebSocket handshake that a file contains as an exchange, with nothing known beyond it.
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

    /// Whether it is a WebSocket handshake, accepted or refused.
    private static func isHandshake(_ entry: SessionExchange) -> Bool {
        entry.isSocket || entry.request.url.lowercased().hasPrefix("ws")
            || entry.request.fields.contains {
                ExactString($0.name).asciiLowercased() == "upgrade"
                    && ExactString($0.value).asciiLowercased().text.contains("websocket")
            }
    }

    /// The name of a request that the replaying server answers itself, a path or `CONNECT`; nil if it is replayed.
    ///
    /// Browsers and probes request such paths on their own. They would never count as requested, and in `strict` they
    /// would block everything after their turn.
    private static func ownName(of request: SessionRequest) -> String? {
        // A tunnel ends at another server.
        if request.method.uppercased() == "CONNECT" { return "CONNECT" }
        let segments = RequestURL(request.url).segments
        switch segments {
        case ["health"], ["ready"], ["docs"], ["docs", "deviations"], ["openapi.yaml"], ["asyncapi.yaml"],
            ["llms.txt"], ["favicon.ico"]:
            return "/" + segments.joined(separator: "/")
        default: return segments.first == "__admin" ? "/__admin" : nil
        }
    }

    /// A reference to an entry as misses show it.
    func reference(to index: Int) -> ReplayMiss.Nearest {
        let request = session.entries[index].request
        return .init(
            entry: numbers[index], method: request.method, target: Excerpts.target(URLParts(request.url).target))
    }
}

/// Which side used a value first.
extension ReplayPlan {
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
        // Swift's sort is stable: at equal times a request precedes its response.
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

/// A recorded request, compiled.
struct PlannedEntry: Sendable {
    var url: RequestURL
    /// The method, or `HANDSHAKE` for a WebSocket handshake.
    var method: String
    /// Its position in the index of whole requests.
    var place: MatchIndex.Place
    /// Times and secrets of the request, in the order of its shape.
    var free: [ExactString]
    var credentials: [Credential]
    /// When it was requested and answered, in nanoseconds.
    var started: Int64
    var ended: Int64
    /// For a WebSocket that opened.
    var script: SocketScript?
}
