import JSON
import Text

/// Converts a HAR's JSON to a session.
///
/// It is strict where a replay would go wrong (method, URL, start, status, messages) and lenient elsewhere, because
/// each writer omits something.
struct HARReader {
    let limits: HARLimits
    private(set) var notes: [HARNote] = []
    var losses = HARLosses()
    /// Whether our own recorder wrote the file: it left nothing out that it did not mark.
    private(set) var isOurs = false
    /// Whether each WebSocket has a list of control frames, possibly an empty one.
    private(set) var hasControlFrames = true
    /// The position of each numbered socket's entry.
    private var sockets: [Int: Int] = [:]

    /// How many bytes coded bodies may still become: together no more than a file has at most.
    var inflatable: Int

    init(limits: HARLimits) {
        self.limits = limits
        inflatable = limits.bytes
    }

    mutating func session(from root: JSONValue) throws(HARError) -> Session {
        let file = try root.asObject()
        let log = try file.object("log")
        let values = try HARError.at("log") { () throws(HARError) in try log.array("entries") }
        isOurs = log["creator"]?["name"]?.string == HAREncoder.creatorName
        guard values.count <= limits.entries else { throw HARError(.tooManyEntries(limit: limits.entries)) }
        var drafts: [HARDraft] = []
        drafts.reserveCapacity(values.count)
        for (index, value) in values.enumerated() {
            losses.entry = index + 1
            do throws(HARError) {
                try read(value.asObject(), into: &drafts)
            } catch {
                throw error.inEntry(index + 1)
            }
        }
        note(log)
        // The sort is stable, so simultaneous entries keep the order of the file.
        return Session(entries: drafts.map { $0.finished() }.sorted { $0.started < $1.started })
    }

    private mutating func read(_ entry: JSONObject, into drafts: inout [HARDraft]) throws(HARError) {
        let ours = try entry.optionalObject("_fitiq") ?? [:]
        let date = try entry.string("startedDateTime", expected: Messages.date)
        guard let started = HARTime.date(date) else {
            // An offset may be missing.
            throw entry.wrong("startedDateTime", expected: Messages.date, RFC3339.problem(date + "Z"))
        }
        let binary = try ours.optionalString("bodyBase64").map { _ throws(HARError) in
            try HARError.at("_fitiq") { () throws(HARError) in try ours.base64("bodyBase64") }
        }
        var request = try request(of: entry, binary, ours)
        let response = try response(of: entry, request, ours)
        let messages = try entry.optionalArray("_webSocketMessages")
        let timings = try entry.optionalObject("timings") ?? [:]
        let waited = HARTime.span(timings["wait"]?.number)
        guard Self.isSocket(entry, request, response, messages) else {
            losses.add(.strayMessage, count: messages?.count ?? 0)
            let spans = ["blocked", "dns", "connect", "send", "wait", "receive"]
            let sum = spans.reduce(0) { min($0 + HARTime.span(timings[$1]?.number), HARTime.longest) }
            let lasted = entry["time"]?.number.map { HARTime.span($0) } ?? sum
            let exchange = SessionExchange(
                started: started, waited: waited, lasted: lasted, request: request, response: response)
            return drafts.append(HARDraft(exchange))
        }
        if ours["controlFrames"] == nil { hasControlFrames = false }
        if messages == nil, entry["response"]?["content"]?["_file"] == nil { losses.add(.messages) }
        // The handshake of HTTP/2 is a CONNECT that opens one stream; what it asks for is the same.
        if request.method == "CONNECT" { request.method = "GET" }
        if request.url.hasPrefix("http") { request.url = "ws" + request.url.dropFirst(4) }
        let number = try HARError.at("_fitiq") { () throws(HARError) in try ours.optionalCount("socket") }
        if let number, let place = sockets[number] {
            return try drafts[place].append(messages ?? [], ours, losses: &losses)
        }
        // Chrome, which alone writes this member, calls a WebSocket's whole life a wait; the first message may reveal
        // more.
        let isWholeLife = timings["_blocked_queueing"] != nil && !(messages ?? []).contains { $0["type"] != "error" }
        var draft = HARDraft(
            SessionExchange(
                started: started, opened: started.advanced(byNanoseconds: isWholeLife ? 0 : waited), request: request,
                response: response ?? SessionResponse(status: 101)))
        draft.exchange.response?.status = 101
        try draft.append(messages ?? [], ours, losses: &losses)
        if let number { sockets[number] = drafts.count }
        drafts.append(draft)
    }

    /// Whether an entry is a WebSocket that was opened; a refused handshake is an exchange.
    private static func isSocket(
        _ entry: JSONObject, _ request: SessionRequest, _ response: SessionResponse?, _ messages: [JSONValue]?
    ) -> Bool {
        // A WebSocket over HTTP/2 is opened by a CONNECT and 200 (RFC 8441 §5).
        if response?.status == 200 {
            return request.method == "CONNECT" && (messages != nil || request.url.hasPrefix("ws"))
                || messages?.contains { $0["type"] != "error" } == true
        }
        if let status = response?.status, status != 101 { return false }
        // Chrome gives no status to a WebSocket that was open when the file was saved.
        if response == nil { return !(messages ?? []).isEmpty }
        return messages != nil || entry["_resourceType"]?.string == "websocket" || request.url.hasPrefix("ws")
            || request.fields.value(of: "upgrade").map { ExactString($0).asciiLowercased() } == "websocket"
    }

    private mutating func note(_ log: JSONObject) {
        notes += losses.notes
        for text in log["_fitiq"]?["notes"]?.array ?? [] {
            if let text = text.string { notes.append(.recorded(text)) }
        }
    }
}
