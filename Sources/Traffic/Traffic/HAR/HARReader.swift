import JSON
import Text

/// Converts a HAR's JSON to a session.
///
/// It is strict where a replay would go wrong (method, URL, start, status, messages) and lenient elsewhere, because
/// each writer omits something.
struct HARReader {
    let limits: HARLimits
    private(set) var notes: [HARNote] = []
    var skippedMessages = 0
    private var missingBodies = 0
    /// Whether each WebSocket has a list of control frames, possibly an empty one.
    private(set) var hasControlFrames = true
    /// The position of each numbered socket's entry.
    private var sockets: [Int: Int] = [:]

    /// How many bytes bodies with gzip may still become: together no more than a file has at most.
    private var inflatable: Int

    init(limits: HARLimits) {
        self.limits = limits
        inflatable = limits.bytes
    }

    mutating func session(from root: JSONValue) throws(HARError) -> Session {
        let file = try root.asObject()
        let log = try file.object("log")
        let values = try HARError.at("log") { () throws(HARError) in try log.array("entries") }
        guard values.count <= limits.entries else { throw HARError(.tooManyEntries(limit: limits.entries)) }
        var drafts: [Draft] = []
        drafts.reserveCapacity(values.count)
        for (index, value) in values.enumerated() {
            do throws(HARError) {
                try read(value.asObject(), into: &drafts)
            } catch {
                throw error.inEntry(index + 1)
            }
        }
        note(log)
        // The sort is stable, so simultaneous entries keep the order of the file.
        let entries = drafts.map { $0.finished() }.enumerated().sorted {
            ($0.element.started, $0.offset) < ($1.element.started, $1.offset)
        }
        return Session(entries: entries.map(\.element))
    }

    private enum Draft {
        case exchange(SessionExchange)
        case socket(HARSocketDraft)

        func finished() -> SessionEntry {
            switch self {
            case .exchange(let exchange): .exchange(exchange)
            case .socket(let draft): .socket(draft.finished())
            }
        }
    }

    private mutating func read(_ entry: JSONObject, into drafts: inout [Draft]) throws(HARError) {
        let ours = try entry.optionalObject("_fitiq") ?? [:]
        guard let started = HARTime.date(try entry.string("startedDateTime", expected: Messages.date)) else {
            throw entry.wrong("startedDateTime", expected: Messages.date)
        }
        let binary = try ours.optionalString("bodyBase64").map { _ throws(HARError) in
            try HARError.at("_fitiq") { () throws(HARError) in try ours.base64("bodyBase64") }
        }
        var request = try request(of: entry, binary, ours)
        let response = try response(of: entry, request, ours)
        let messages = try entry.optionalArray("_webSocketMessages")
        let timings = try entry.optionalObject("timings") ?? [:]
        let waited = HARTime.span(timings["wait"]?.number)
        guard Self.isSocket(entry, request, response, messages, ours) else {
            let spans = ["blocked", "dns", "connect", "send", "wait", "receive"]
            let sum = spans.reduce(0) { min($0 + HARTime.span(timings[$1]?.number), HARTime.longest) }
            let lasted = entry["time"]?.number.map { HARTime.span($0) } ?? sum
            drafts.append(
                .exchange(
                    SessionExchange(
                        started: started, waited: waited, lasted: lasted, request: request, response: response)))
            return
        }
        if ours["controlFrames"] == nil { hasControlFrames = false }
        if request.url.hasPrefix("http") { request.url = "ws" + request.url.dropFirst(4) }
        let number = try HARError.at("_fitiq") { () throws(HARError) in try ours.optionalCount("socket") }
        if let number, let place = sockets[number], case .socket(var draft) = drafts[place] {
            // This releases the frames, so that they are appended to in place.
            drafts[place] = .exchange(SessionExchange(started: started, request: request, response: nil))
            try draft.append(messages ?? [], ours, skipped: &skippedMessages)
            drafts[place] = .socket(draft)
            return
        }
        // Chrome, which alone writes this member, calls a WebSocket's whole life a wait; the first message may reveal
        // more.
        let isWholeLife = timings["_blocked_queueing"] != nil && !(messages ?? []).contains { $0["type"] != "error" }
        var draft = HARSocketDraft(
            SessionSocket(
                started: started, opened: started.advanced(byNanoseconds: isWholeLife ? 0 : waited), request: request,
                response: response ?? SessionResponse(status: 101)))
        draft.socket.response.status = 101
        try draft.append(messages ?? [], ours, skipped: &skippedMessages)
        if let number { sockets[number] = drafts.count }
        drafts.append(.socket(draft))
    }

    /// Whether an entry is a WebSocket that was opened; a refused handshake is an exchange.
    private static func isSocket(
        _ entry: JSONObject, _ request: SessionRequest, _ response: SessionResponse?, _ messages: [JSONValue]?,
        _ ours: JSONObject
    ) -> Bool {
        if let status = response?.status, status != 101 { return false }
        // Chrome gives no status to a WebSocket that was open when the file was saved.
        if response == nil { return !(messages ?? []).isEmpty }
        return messages != nil || entry["_resourceType"]?.string == "websocket" || request.url.hasPrefix("ws")
            || request.fields.value(of: "upgrade").map { ExactString($0).asciiLowercased() } == "websocket"
    }

    private mutating func note(_ log: JSONObject) {
        if missingBodies > 0 { notes.append(.missingBodies(missingBodies)) }
        if skippedMessages > 0 { notes.append(.skippedMessages(skippedMessages)) }
        for text in log["_fitiq"]?["notes"]?.array ?? [] {
            if let text = text.string { notes.append(.recorded(text)) }
        }
    }
}

/// Requests and responses.
extension HARReader {
    private mutating func request(
        of entry: JSONObject, _ binary: [UInt8]?, _ ours: JSONObject
    ) throws(HARError) -> SessionRequest {
        let object = try entry.object("request")
        return try HARError.at("request") { () throws(HARError) in
            var request = SessionRequest(
                method: try object.string("method"), url: try object.string("url"), fields: try Self.fields(of: object))
            let isDecoded = ours["decoded"]?.bool == true
            request.body = try body(
                of: object, binary, cutOf: ours["cut"]?["request"]?.int ?? 0, isDecoded: isDecoded)
            if isDecoded {
                request.codedSize = object["bodySize"]?.int.flatMap { $0 > 0 ? $0 : nil }
                request.fields.removeAll(where: \.isContentEncoding)
            } else {
                inflateBody(of: &request)
            }
            return request
        }
    }

    /// Inflates what another writer kept as it went over the wire, as far as the file's limit allows.
    private mutating func inflateBody(of request: inout SessionRequest) {
        guard let coded = request.body?.bytes, coded.starts(with: [0x1F, 0x8B]) else { return }
        request.codedSize = request.body?.inflate(&request.fields, limit: inflatable)
        // A byte becomes 1,032 at most; so much what cannot be inflated may have cost.
        let cost = request.codedSize == nil ? 1032 * coded.count : request.body?.bytes.count ?? 0
        inflatable -= min(inflatable, cost)
    }

    /// The body of a request: our base64, the text, or the fields of a form without its text.
    private mutating func body(
        of request: JSONObject, _ binary: [UInt8]?, cutOf size: Int, isDecoded: Bool
    ) throws(HARError) -> RecordedBody? {
        guard let data = try request.optionalObject("postData") else { return nil }
        var bytes = binary ?? []
        try HARError.at("postData") { () throws(HARError) in
            if binary == nil, let text = try data.optionalString("text") { bytes = try Self.bytes(of: text, in: data) }
            if bytes.isEmpty { bytes = Self.form(try data.optionalArray("params") ?? []) }
        }
        guard bytes.isEmpty, size == 0, !isDecoded, let missing = request["bodySize"]?.int, missing > 0 else {
            // mitmproxy writes this for a POST without a body.
            if bytes.isEmpty, size == 0, data["mimeType"] == "" { return nil }
            return RecordedBody(bytes, of: max(bytes.count, size))
        }
        missingBodies += 1
        return RecordedBody([], of: missing)
    }

    private static func bytes(of text: String, in object: JSONObject) throws(HARError) -> [UInt8] {
        try object["encoding"]?.string?.lowercased() == "base64" ? object.base64("text") : Array(text.utf8)
    }

    /// `application/x-www-form-urlencoded` of decoded names and values.
    private static func form(_ params: [JSONValue]) -> [UInt8] {
        var output: [UInt8] = []
        func append(_ text: String?) { PercentCoding.append((text ?? "").utf8, spaceIsPlus: true, to: &output) }
        for (index, param) in params.enumerated() {
            if index > 0 { output.append(UInt8(ascii: "&")) }
            append(param["name"]?.string)
            output.append(UInt8(ascii: "="))
            append(param["value"]?.string)
        }
        return output
    }

    private mutating func response(
        of entry: JSONObject, _ request: SessionRequest, _ ours: JSONObject
    ) throws(HARError) -> SessionResponse? {
        guard let object = try entry.optionalObject("response") else { return nil }
        return try HARError.at("response") { () throws(HARError) -> SessionResponse? in
            guard let status = object["status"]?.int, status <= 999 else {
                throw object.wrong("status", expected: Messages.status)
            }
            // Playwright writes -1, others 0.
            guard status > 0 else { return nil }
            guard status >= 100 else { throw object.wrong("status", expected: Messages.status) }
            var fields = try Self.fields(of: object)
            // Bodies in a HAR are decoded, except in our own recordings, which say so.
            let codings = ours["coded"]?.bool == true ? [] : fields.filter(\.isContentEncoding)
            if !codings.isEmpty { fields.removeAll(where: \.isContentEncoding) }
            var response = SessionResponse(
                status: status, fields: fields, body: try body(of: object, status, request, ours),
                isComplete: ours["incomplete"]?.bool != true)
            if codings.map({ $0.value.lowercased() }) == ["gzip"], let saved = object["content"]?["compression"]?.int {
                let (size, overflow) = response.body.byteCount.subtractingReportingOverflow(saved)
                if !overflow, size > 0 { response.codedSize = size }
            }
            return response
        }
    }

    private mutating func body(
        of response: JSONObject, _ status: Int, _ request: SessionRequest, _ ours: JSONObject
    ) throws(HARError) -> RecordedBody {
        let content = try response.optionalObject("content") ?? [:]
        let text = try HARError.at("content") { () throws(HARError) -> [UInt8]? in
            try content.optionalString("text").map { text throws(HARError) in try Self.bytes(of: text, in: content) }
        }
        if let text { return RecordedBody(text, of: max(text.count, ours["cut"]?["response"]?.int ?? 0)) }
        let size = content["size"]?.int ?? 0
        guard size > 0, request.method != "HEAD", status >= 200, status != 204, status != 304 else {
            return RecordedBody()
        }
        missingBodies += 1
        return RecordedBody([], of: size)
    }

    /// The fields, without the pseudo-fields of HTTP/2 (RFC 9113 §8.3), whose names begin with a colon.
    private static func fields(of message: JSONObject) throws(HARError) -> [SessionField] {
        var fields: [SessionField] = []
        for (index, value) in (try message.optionalArray("headers") ?? []).enumerated() {
            try HARError.at("headers[\(index)]") { () throws(HARError) in
                let field = try value.asObject()
                let name = try field.string("name")
                if !name.hasPrefix(":") { fields.append(SessionField(name, try field.string("value"))) }
            }
        }
        return fields
    }
}
