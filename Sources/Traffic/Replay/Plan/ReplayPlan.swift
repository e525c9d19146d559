import FitIQAPI
import JSON
import Traffic

/// A session compiled once for replaying in any number of worlds.
///
/// Every request is found by its shape in constant time, regardless of the session's length. Compiling takes linear
/// time, except for sorting.
public struct ReplayPlan: Sendable, Equatable {
    /// The session, with its entries in starting order.
    ///
    /// It excludes the requests that the server answers itself: `/health`, `/ready`, the descriptions, `/favicon.ico`,
    /// all of `/__admin`, and tunnels.
    public let session: Session
    /// Sentences about the parts that cannot be replayed as recorded, at most ``ReplayLimits/misses``.
    public private(set) var notes: [String] = []

    /// The number of each entry among all recorded ones, counted from 1 as 'show' and 'diff' do.
    let numbers: [Int]
    private(set) var entries: [PlannedEntry] = []
    private(set) var scripts: [SocketScript] = []
    private(set) var full = MatchIndex()
    private(set) var routes = MatchIndex()
    private(set) var vocabulary = Vocabulary()
    /// The authorities of the session's URLs.
    private(set) var authorities: Set<ExactString> = []
    private(set) var hasUnknownBodies = false

    /// Compiles a session.
    ///
    /// - Throws: ``ReplayError`` if there is nothing to replay, or more than ``ReplayLimits`` allow.
    public init(_ session: Session) throws(ReplayError) {
        try Self.check(session)
        let own = session.entries.map { OwnRequest.name(of: $0.request) }
        var order = Array(session.entries.indices)
        order.sort { (session.entries[$0].started, $0) < (session.entries[$1].started, $1) }
        numbers = order.indices.filter { own[order[$0]] == nil }.map { $0 + 1 }
        guard !numbers.isEmpty else { throw .nothingToPlay(session.entries.count) }
        order.removeAll { own[$0] != nil }
        self.session = Session(entries: order.map { Self.opening(session.entries[$0]) })
        if order.count < own.count {
            note(Sentences.ownRequests(own.count - order.count, Set(own.compactMap(\.self)).sorted()))
        }
        noteValues()
        for index in self.session.entries.indices { compile(index) }
        if authorities.count > 1 { note(Sentences.severalHosts(authorities.count)) }
        if vocabulary.isFull { note(Sentences.tooManyValues) }
    }

    /// Whether two plans replay the same.
    public static func == (left: ReplayPlan, right: ReplayPlan) -> Bool { left.session == right.session }

    private mutating func note(_ sentence: String) {
        if notes.count < ReplayLimits.misses { notes.append(sentence) }
    }

    private static func check(_ session: Session) throws(ReplayError) {
        guard !session.entries.isEmpty else { throw .empty }
        guard session.entries.count <= ReplayLimits.entries else { throw .tooManyEntries(session.entries.count) }
        var (frames, bytes) = (0, 0)
        for entry in session.entries {
            bytes += entry.request.body?.bytes.count ?? 0
            switch entry {
            case .exchange(let exchange): bytes += exchange.response?.body.bytes.count ?? 0
            case .socket(let socket):
                frames += socket.frames.count
                for frame in socket.frames { bytes += frame.payload.bytes.count }
            }
        }
        guard frames <= ReplayLimits.frames else { throw .tooManyFrames(frames) }
        guard bytes <= ReplayLimits.bytes else { throw .tooManyBytes(bytes) }
    }

    /// An accepted WebSocket handshake that a file contains as an exchange, with nothing known beyond it.
    private static func opening(_ entry: SessionEntry) -> SessionEntry {
        guard case .exchange(let exchange) = entry, let response = exchange.response, response.status == 101,
            isHandshake(entry)
        else { return entry }
        let opened = Timestamp(
            nanosecondsSinceEpoch: exchange.started.nanosecondsSinceEpoch.advanced(capped: max(exchange.waited, 0)))
        return .socket(
            SessionSocket(
                started: exchange.started, opened: opened, request: exchange.request, response: response))
    }

    private mutating func compile(_ index: Int) {
        let entry = session.entries[index]
        let request = entry.request
        let url = RequestURL(request.url)
        if !url.authority.isEmpty { authorities.insert(ExactString(url.authority)) }
        let shapes = RequestShapes(
            method: request.method, isHandshake: Self.isHandshake(entry), url: url, body: request.body?.bytes ?? [])
        let isUnknown = Self.hasUnknownBody(request)
        if isUnknown {
            hasUnknownBodies = true
            note(Sentences.unknownBody(Sentences.place(numbers[index], request)))
        }
        let shape = shapes.full(ignoringBody: isUnknown)
        let route = shapes.route()
        let values = shape.values.map { vocabulary.intern($0.text) }
        let routeValues = route.values.map { vocabulary.intern($0.text) }
        let place = full.add(entry: index, shape: shape, values: values)
        let routePlace = routes.add(entry: index, shape: route, values: routeValues)
        let started = entry.started.nanosecondsSinceEpoch
        var planned = PlannedEntry(
            url: url, method: shapes.method, full: .init(bucket: place.bucket, variant: place.variant),
            route: .init(bucket: routePlace.bucket, variant: routePlace.variant), times: shape.times,
            secrets: shape.secrets,
            credentials: SecretNames.credentials(in: request.fields, url),
            started: started, ended: started)
        switch entry {
        case .exchange(let exchange):
            planned.ended = started.advanced(capped: max(exchange.lasted, 0))
            note(exchange, at: index)
        case .socket(let socket):
            planned.ended = max(started, socket.opened.nanosecondsSinceEpoch)
            planned.script = scripts.count
            var found: [String] = []
            scripts.append(
                SocketScript(
                    socket, vocabulary: &vocabulary, notes: &found, at: Sentences.place(numbers[index], request)))
            for sentence in found.prefix(1) { note(sentence) }
        }
        entries.append(planned)
    }

    private mutating func note(_ exchange: SessionExchange, at index: Int) {
        guard let response = exchange.response else { return }
        let place = Sentences.place(numbers[index], exchange.request)
        if response.body.isCut {
            note(Sentences.cutBody(place, kept: response.body.bytes.count, of: response.body.byteCount))
        }
        if !(200...999).contains(response.status) { note(Sentences.noFinalStatus(place, response.status)) }
    }

    /// Whether it is a WebSocket handshake, accepted or refused.
    private static func isHandshake(_ entry: SessionEntry) -> Bool {
        switch entry {
        case .socket: return true
        case .exchange(let exchange):
            if exchange.request.url.lowercased().hasPrefix("ws") { return true }
            return exchange.request.fields.contains {
                ExactString($0.name).asciiLowercased() == "upgrade"
                    && ExactString($0.value).asciiLowercased().text.contains("websocket")
            }
        }
    }

    /// Whether the recording lacks all or part of a body that was sent.
    private static func hasUnknownBody(_ request: SessionRequest) -> Bool {
        if let body = request.body { return body.isCut }
        return request.fields.contains {
            $0.name.lowercased() == "content-length" && (Int($0.value) ?? 0) > 0
        }
    }

    // MARK: Values

    /// Something that was sent, to find out which side used a value first.
    private struct Event {
        var time: Int64
        var entry: Int
        /// -1 for the request, -2 for the response, otherwise the frame.
        var part: Int
    }

    private mutating func noteValues() {
        var events: [Event] = []
        for (index, entry) in session.entries.enumerated() {
            let started = entry.started.nanosecondsSinceEpoch
            events.append(Event(time: started, entry: index, part: -1))
            switch entry {
            case .exchange(let exchange):
                let end = started.advanced(capped: max(exchange.lasted, 0))
                events.append(Event(time: end, entry: index, part: -2))
            case .socket(let socket):
                var time = socket.opened.nanosecondsSinceEpoch
                events.append(Event(time: time, entry: index, part: -2))
                for (number, frame) in socket.frames.enumerated() {
                    time = max(time, frame.time.nanosecondsSinceEpoch)
                    events.append(Event(time: time, entry: index, part: number))
                }
            }
        }
        // Swift's sort is stable: at equal times a request precedes its response.
        events.sort { $0.time < $1.time }
        for event in events { note(event) }
    }

    private mutating func note(_ event: Event) {
        let entry = session.entries[event.entry]
        switch (event.part, entry) {
        case (-1, _):
            let request = entry.request
            let url = RequestURL(request.url)
            for text in url.segments + url.items.flatMap({ [$0.name, $0.value] }) {
                vocabulary.note(valuesOf: Array(text.utf8), fromClient: true)
            }
            for credential in SecretNames.credentials(in: request.fields, url) {
                vocabulary.note(valuesOf: Array(credential.value.utf8), fromClient: true)
            }
            vocabulary.note(valuesOf: request.body?.bytes ?? [], fromClient: true)
        case (-2, .exchange(let exchange)):
            guard let response = exchange.response else { return }
            for field in response.fields { vocabulary.note(valuesOf: Array(field.value.utf8), fromClient: false) }
            vocabulary.note(valuesOf: response.body.bytes, fromClient: false)
        case (-2, .socket(let socket)):
            for field in socket.response.fields {
                vocabulary.note(valuesOf: Array(field.value.utf8), fromClient: false)
            }
        case (let frame, .socket(let socket)):
            let frame = socket.frames[frame]
            vocabulary.note(valuesOf: frame.payload.bytes, fromClient: frame.sender == .client)
        default: break
        }
    }
}

/// A recorded request, compiled.
struct PlannedEntry: Sendable {
    var url: RequestURL
    /// The method, or `HANDSHAKE` for a WebSocket handshake.
    var method: String
    /// Its positions in the two indices.
    var full: Place
    var route: Place
    /// Times and secrets of the request, in the order of its shape.
    var times: [ExactString]
    var secrets: [ExactString]
    var credentials: [Credential]
    /// When it was requested and answered, in nanoseconds.
    var started: Int64
    var ended: Int64
    /// The index of its script, for a WebSocket that opened.
    var script: Int?

    struct Place: Sendable {
        var bucket: Int
        var variant: Int
    }
}

/// A recorded request that the replaying server answers itself.
///
/// Browsers and probes request such paths on their own. They would never count as requested, and in `strict` they would
/// block everything after their turn.
enum OwnRequest {
    /// Its name for a note, a path or `CONNECT`, or nil for a request that is replayed.
    static func name(of request: SessionRequest) -> String? {
        // A tunnel ends at another server.
        if request.method.uppercased() == "CONNECT" { return "CONNECT" }
        return name(of: RequestURL(request.url).segments)
    }

    /// The name for a path's segments, without the world's.
    static func name(of segments: [String]) -> String? {
        switch segments {
        case ["health"], ["ready"], ["docs"], ["docs", "deviations"], ["openapi.yaml"], ["asyncapi.yaml"],
            ["favicon.ico"]:
            "/" + segments.joined(separator: "/")
        default: segments.first == "__admin" ? "/__admin" : nil
        }
    }
}
