import Digests
import FitIQAPI
import JSON
import Text
import WebSocket

/// Converts a HAR's JSON to a session.
///
/// The reader is strict about the data that a replay needs (method, URL, start, status, messages), and lenient about
/// the rest, because every writer omits some data.
struct HARReader {
    let limits: HARLimits
    private(set) var notes: [HARNote] = []
    var losses = HARLosses()
    /// Whether our recorder wrote the file; it marks everything that it omits.
    private(set) var isOurs = false
    /// Whether each WebSocket has a list of control frames, even if empty.
    private(set) var hasControlFrames = true
    /// The position of each numbered socket's entry.
    private var sockets: [Int: Int] = [:]

    /// How many more bytes encoded bodies may decode to in total; this starts at the size limit of a file.
    var inflatable: Int

    init(limits: HARLimits) {
        self.limits = limits
        inflatable = limits.bytes
    }

    mutating func session(from root: JSONValue) throws(Refusal) -> Session {
        let log = try HARObject(root).object("log")
        let values = try log.array("entries")
        isOurs = log["creator"]?["name"]?.string == HAREncoder.creatorName
        guard values.count <= limits.entries else {
            throw Refusal("more than \(Words.counted(limits.entries, "entry", "entries")), which is the limit")
        }
        var drafts: [HARDraft] = []
        drafts.reserveCapacity(values.count)
        for (index, value) in values.enumerated() {
            losses.entry = index + 1
            do throws(Refusal) {
                try read(HARObject(value), into: &drafts)
            } catch { throw error.inside("entry \(index + 1)") }
        }
        notes = losses.notes
        notes += (log["_fitiq"]?["notes"]?.array ?? []).compactMap { $0.string.map(HARNote.recorded) }
        return Session(entries: drafts.map { $0.finished() })
    }

    private mutating func read(_ entry: HARObject, into drafts: inout [HARDraft]) throws(Refusal) {
        let ours = try entry.objectOrNone("_fitiq")
        let date = try entry.string("startedDateTime", expected: Messages.date)
        guard let started = HARTime.date(date) else {
            // The offset may be missing.
            throw entry.wrong("startedDateTime", expected: Messages.date, RFC3339.problem(date + "Z"))
        }
        let binary = try ours.optionalString("bodyBase64").map { _ throws(Refusal) in try ours.base64("bodyBase64") }
        var request = try request(of: entry, binary, ours)
        let response = try response(of: entry, request, ours)
        let messages = try entry.optionalArray("_webSocketMessages")
        let timings = try entry.objectOrNone("timings")
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
        // An HTTP/2 handshake is a CONNECT that opens one stream, so treat it as a GET.
        if request.method == "CONNECT" { request.method = "GET" }
        if request.url.hasPrefix("http") { request.url = "ws" + request.url.dropFirst(4) }
        let number = try ours.optionalCount("socket")
        if let number, let place = sockets[number] {
            return try drafts[place].append(messages ?? [], ours, losses: &losses)
        }
        // Only Chrome writes this member. Chrome reports the socket's whole lifetime as the wait; the first message may
        // show that the wait was shorter.
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

    /// Whether an entry is an open WebSocket; a refused handshake is an exchange.
    private static func isSocket(
        _ entry: HARObject, _ request: SessionRequest, _ response: SessionResponse?, _ messages: [JSONValue]?
    ) -> Bool {
        // Over HTTP/2, a CONNECT and a 200 open a WebSocket (RFC 8441 §5).
        if response?.status == 200 {
            return request.method == "CONNECT" && (messages != nil || request.url.hasPrefix("ws"))
                || messages?.contains { $0["type"] != "error" } == true
        }
        if let status = response?.status, status != 101 { return false }
        // Chrome does not write a status for a WebSocket that was open when the file was saved.
        if response == nil { return !(messages ?? []).isEmpty }
        return messages != nil || entry["_resourceType"]?.string == "websocket" || request.url.hasPrefix("ws")
            || request.fields.value(of: "upgrade").map { ExactString($0).asciiLowercased() } == "websocket"
    }

    // MARK: Requests and responses

    mutating func request(
        of entry: HARObject, _ binary: [UInt8]?, _ ours: HARObject
    ) throws(Refusal) -> SessionRequest {
        let object = try entry.object("request")
        var request = SessionRequest(
            method: try object.string("method"), url: Self.url(try object.string("url"), object),
            fields: try Self.fields(of: object, cookies: "Cookie"))
        let isDecoded = ours["decoded"]?.bool == true
        request.body = try body(of: object, request.fields, binary, ours, isDecoded: isDecoded)
        if request.body != nil { Self.describe(object["postData"], in: &request.fields) }
        if isDecoded {
            if let size = object["bodySize"]?.int, size > 0, let (name, _) = request.fields.undoneCoding {
                request.coding = SessionCoding(name: name, byteCount: size)
            }
            request.fields.removeAll(where: \.isContentEncoding)
        } else {
            inflateBody(of: &request)
        }
        return request
    }

    /// The URL with its query, which some writers store separately.
    private static func url(_ url: String, _ request: HARObject) -> String {
        let parts = URLParts(url)
        guard let items = request["queryString"]?.array, !items.isEmpty, parts.query == nil, parts.fragment == nil
        else { return url }
        return url + "?" + String(decoding: form(items), as: UTF8.self)
    }

    /// Inflates a body that another writer stored as sent on the wire, within the file's limit.
    private mutating func inflateBody(of request: inout SessionRequest) {
        guard let coded = request.body?.bytes, let (_, format) = request.fields.undoneCoding, format.begins(coded)
        else { return }
        request.coding = request.body?.inflate(&request.fields, limit: inflatable)
        // A byte inflates to at most 1,032 bytes, so inflating an invalid body may have used that much.
        let cost = request.coding == nil ? 1032 * coded.count : request.body?.bytes.count ?? 0
        inflatable -= min(inflatable, cost)
    }

    /// The body of a request: our base64, the text or, if there is no text, a form's fields.
    private mutating func body(
        of request: HARObject, _ fields: [SessionField], _ binary: [UInt8]?, _ ours: HARObject, isDecoded: Bool
    ) throws(Refusal) -> RecordedBody? {
        let sent = max(request["bodySize"]?.int ?? 0, 0)
        // HTTP Toolkit stores a body that is not text in a separate member.
        let postData = try request.optionalObject("postData")
        guard let data = try postData == nil ? request.optionalObject("_content") : postData else {
            let length = isOurs ? nil : fields.value(of: "content-length").flatMap { Int($0) }
            let size = sent > 0 ? sent : length ?? 0
            return size > 0 ? missing(.body, size) : nil
        }
        let cut = ours["cut"]?["request"]?.int ?? 0
        var bytes = binary ?? []
        let loss = try { () throws(Refusal) -> HARLoss? in
            if binary == nil, let text = try data.optionalString("text") {
                guard let read = Self.bytes(of: text, in: data) else { return .unreadableBody }
                bytes = read
            }
            guard bytes.isEmpty, let params = try data.optionalArray("params"), !params.isEmpty else { return nil }
            guard let type = data["mimeType"]?.string, type.lowercased().hasPrefix("multipart/") else {
                bytes = Self.form(params)
                return nil
            }
            guard let parts = Self.parts(params, type) else { return .formFile }
            bytes = parts
            return nil
        }()
        if let loss { return missing(loss, max(sent, 1)) }
        if cut > bytes.count { return missing(.cutBody, cut, bytes) }
        if bytes.isEmpty, !isDecoded, sent > 0 { return missing(.body, sent) }
        // mitmproxy writes this for a POST without a body.
        return bytes.isEmpty && data["mimeType"] == "" ? nil : RecordedBody(bytes)
    }

    /// A body that is missing or truncated in the file.
    private mutating func missing(_ loss: HARLoss, _ size: Int, _ start: [UInt8] = []) -> RecordedBody {
        losses.add(loss)
        return RecordedBody(start, of: max(size, start.count))
    }

    /// The bytes of a string, or nil if it does not match its stated encoding.
    private static func bytes(of text: String, in object: HARObject) -> [UInt8]? {
        switch object["encoding"]?.string?.lowercased() ?? "" {
        case "", "utf-8", "utf8", "text", "identity": Array(text.utf8)
        case "base64": HARText.base64(text)
        default: nil
        }
    }

    /// Encodes decoded names and values as `application/x-www-form-urlencoded`.
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

    /// Encodes a form as `multipart/form-data` (RFC 7578); returns nil if a part's content or the boundary is missing.
    private static func parts(_ params: [JSONValue], _ type: String) -> [UInt8]? {
        guard let boundary = FormPart.boundary(of: type) else { return nil }
        var text = ""
        for param in params {
            let file = param["fileName"]?.string
            guard let name = param["name"]?.string, let value = param["value"]?.string, file == nil || !value.isEmpty
            else { return nil }
            text += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\""
            if let file { text += "; filename=\"\(file)\"" }
            if let type = param["contentType"]?.string { text += "\r\nContent-Type: \(type)" }
            text += "\r\n\r\n\(value)\r\n"
        }
        return Array("\(text)--\(boundary)--\r\n".utf8)
    }

    mutating func response(
        of entry: HARObject, _ request: SessionRequest, _ ours: HARObject
    ) throws(Refusal) -> SessionResponse? {
        guard let object = try entry.optionalObject("response") else { return nil }
        guard let status = object["status"]?.int, status <= 999 else {
            throw object.wrong("status", expected: Messages.status)
        }
        // Without a response, Playwright writes -1, and other programs write 0.
        guard status > 0 else { return nil }
        guard status >= 100 else { throw object.wrong("status", expected: Messages.status) }
        var fields = try Self.fields(of: object, cookies: "Set-Cookie")
        // Bodies in a HAR are decoded, unless our recording says otherwise.
        let isDecoded = ours["coded"]?.bool != true
        let coding = isDecoded ? fields.undoneCoding : nil
        if isDecoded { fields.removeAll(where: \.isContentEncoding) }
        var response = SessionResponse(
            status: status, fields: fields, body: try body(of: object, status, request, ours),
            isComplete: ours["incomplete"]?.bool != true)
        if response.body.byteCount > 0 { Self.describe(object["content"], in: &response.fields) }
        if (300...399).contains(status), fields.value(of: "location") == nil,
            let target = object["redirectURL"]?.string, !target.isEmpty
        {
            response.fields.append(SessionField("Location", target))
        }
        if let (name, _) = coding, let saved = object["content"]?["compression"]?.int {
            let (size, overflow) = response.body.byteCount.subtractingReportingOverflow(saved)
            if !overflow, size > 0 { response.coding = SessionCoding(name: name, byteCount: size) }
        }
        return response
    }

    private mutating func body(
        of response: HARObject, _ status: Int, _ request: SessionRequest, _ ours: HARObject
    ) throws(Refusal) -> RecordedBody {
        let content = try response.objectOrNone("content")
        let text = try content.optionalString("text")
        let cut = ours["cut"]?["response"]?.int ?? 0
        let mayHaveBody = request.method != "HEAD" && status >= 200 && status != 204 && status != 304
        let size = mayHaveBody ? content["size"]?.int ?? 0 : 0
        guard let bytes = Self.bytes(of: text ?? "", in: content) else { return missing(.unreadableBody, max(size, 1)) }
        if cut > bytes.count { return missing(.cutBody, cut, bytes) }
        if bytes.isEmpty, size > 0 { return missing(.body, size) }
        // The size may include a byte order mark, which is not part of the text.
        if bytes.count + 3 < size { losses.add(.shortBody) }
        return RecordedBody(bytes)
    }

    /// Adds a body's media type to fields that have none.
    ///
    /// `x-unknown` is Chrome's name for an unknown type.
    private static func describe(_ content: JSONValue?, in fields: inout [SessionField]) {
        guard fields.value(of: "content-type") == nil, let type = content?["mimeType"]?.string, !type.isEmpty,
            type != "x-unknown"
        else { return }
        fields.append(SessionField("Content-Type", type))
    }

    /// The fields without HTTP/2's pseudo-fields (RFC 9113 §8.3), whose names begin with a colon.
    ///
    /// Chromium joins fields with the same name with line feeds. Cookies that are listed but have no field are added as
    /// a field.
    private static func fields(of message: HARObject, cookies name: String) throws(Refusal) -> [SessionField] {
        var fields: [SessionField] = []
        for (index, value) in (try message.optionalArray("headers") ?? []).enumerated() {
            let field = try HARObject(value, at: message.path(to: "headers"), index: index)
            let name = try field.string("name")
            if name.hasPrefix(":") { continue }
            let value = try field.string("value").utf8
            let lines = value.split(separator: .lineFeed)
            for line in lines.isEmpty ? [value.prefix(0)] : lines {
                fields.append(SessionField(name, String(Substring(line))))
            }
        }
        guard fields.value(of: name.lowercased()) == nil, let cookies = message["cookies"]?.array else { return fields }
        let pairs = cookies.compactMap { cookie in
            cookie["name"]?.string.map { $0 + "=" + (cookie["value"]?.string ?? "") + attributes(of: cookie) }
        }
        if pairs.isEmpty { return fields }
        // A client sends one field for all cookies (RFC 6265 §5.4), while a server sends one for each.
        return fields + (name == "Cookie" ? [pairs.joined(separator: "; ")] : pairs).map { SessionField(name, $0) }
    }

    /// The attributes of a response's cookie (RFC 6265 §4.1.1).
    private static func attributes(of cookie: JSONValue) -> String {
        let names = [("path", "Path"), ("domain", "Domain"), ("expires", "Expires"), ("sameSite", "SameSite")]
        let texts = names.compactMap { member, name -> String? in
            guard let text = cookie[member]?.string, !text.isEmpty else { return nil }
            // HAR uses an ISO 8601 date here.
            let date = member == "expires" ? DateTime(text)?.httpDateText : nil
            return "; \(name)=\(date ?? text)"
        }
        let flags = [("httpOnly", "HttpOnly"), ("secure", "Secure")].compactMap { member, name in
            cookie[member]?.bool == true ? "; \(name)" : nil
        }
        return (texts + flags).joined()
    }
}

/// An exchange under construction; the file stores a WebSocket's messages and control frames separately.
struct HARDraft {
    /// The exchange, with the messages so far as frames.
    var exchange: SessionExchange
    private var controlFrames: [(after: Int, frame: SessionFrame)] = []

    init(_ exchange: SessionExchange) { self.exchange = exchange }

    /// Adds the content of an entry.
    mutating func append(_ values: [JSONValue], _ ours: HARObject, losses: inout HARLosses) throws(Refusal) {
        for (index, value) in values.enumerated() {
            let object = try HARObject(value, at: "_webSocketMessages", index: index)
            if let message = try message(object, &losses) { exchange.frames.append(message) }
        }
        for (index, value) in (try ours.optionalArray("controlFrames") ?? []).enumerated() {
            let object = try HARObject(value, at: ours.path(to: "controlFrames"), index: index)
            controlFrames.append(try controlFrame(object))
        }
        if let ending = try ours.optionalObject("ending") { exchange.ending = try Self.ending(ending) }
    }

    /// The exchange, with each control frame placed after its recorded number of messages.
    func finished() -> SessionExchange {
        guard let opened = exchange.opened else { return exchange }
        let messages = exchange.frames
        var frames: [SessionFrame] = []
        frames.reserveCapacity(messages.count + controlFrames.count)
        var next = 0
        for (after, frame) in controlFrames {
            while next < min(after, messages.count) {
                frames.append(messages[next])
                next += 1
            }
            frames.append(frame)
        }
        frames += messages[next...]
        // Some programs write a wrong opening time for a WebSocket.
        var socket = exchange
        socket.opened = min(opened, max(socket.started, frames.first?.time ?? opened))
        socket.frames = frames
        return socket
    }

    /// Reads a message; anything else, such as errors listed by Chrome, counts as a loss and yields nil.
    private func message(_ object: HARObject, _ losses: inout HARLosses) throws(Refusal) -> SessionFrame? {
        func lost(_ loss: HARLoss) -> SessionFrame? {
            losses.add(loss)
            return nil
        }
        if object["type"]?.string == "error" { return lost(.message) }
        let sender = try Self.sender(object)
        let code = object["opcode"]?.int ?? Int(Opcode.text.rawValue)
        guard let opcode = UInt8(exactly: code).flatMap(Opcode.init(rawValue:)), opcode == .text || opcode == .binary
        else { return lost(.message) }
        let data = try object.string("data")
        let ours = try object.objectOrNone("_fitiq")
        let isCoded = opcode == .binary || ours["encoding"]?.string == "base64"
        guard let bytes = isCoded ? HARText.base64(data) : Array(data.utf8) else { return lost(.unreadableMessage) }
        var frame = SessionFrame(
            sender: sender, time: try time(object), opcode: opcode,
            payload: RecordedBody(bytes, of: max(bytes.count, ours["cut"]?.int ?? 0)))
        if frame.payload.isCut { losses.add(.cutMessage) }
        frame.compressedSize = try ours.optionalCount("compressed")
        return frame
    }

    private func controlFrame(_ object: HARObject) throws(Refusal) -> (after: Int, frame: SessionFrame) {
        let sender = try Self.sender(object)
        guard let code = object["opcode"]?.int, let opcode = UInt8(exactly: code).flatMap(Opcode.init(rawValue:)),
            opcode.isControl
        else { throw object.wrong("opcode", expected: "8 (close), 9 (ping) or 10 (pong)") }
        let bytes = try object.base64("data")
        let after = try object.count("after")
        let frame = SessionFrame(
            sender: sender, time: try time(object), opcode: opcode,
            payload: RecordedBody(bytes, of: max(bytes.count, object["cut"]?.int ?? 0)))
        return (after, frame)
    }

    private static func sender(_ object: HARObject) throws(Refusal) -> Party {
        try object.required("type", Messages.messageType) { $0 == "send" ? .client : $0 == "receive" ? .server : nil }
    }

    /// The time of a message.
    ///
    /// If the time is missing or -1, as in some Playwright files, the previous message's time is used.
    private func time(_ object: HARObject) throws(Refusal) -> Timestamp {
        guard let value = object["time"], !value.isNull, value != -1 else {
            return exchange.frames.last?.time ?? exchange.opened ?? exchange.started
        }
        return try Self.time(object)
    }

    private static func time(_ object: HARObject) throws(Refusal) -> Timestamp {
        try object.required("time", Messages.seconds) { $0.number.flatMap(HARTime.message) }
    }

    private static func ending(_ object: HARObject) throws(Refusal) -> SessionEnding {
        let causes: [RecordedClosing.Cause] = [.closeFrame, .finish, .reset]
        return SessionEnding(
            time: try time(object),
            party: try object.required("by", Messages.party) { $0.string.flatMap(Party.init) },
            cause: try object.required("cause", "\"close_frame\", \"finish\" or \"reset\"") { value in
                causes.first { $0.rawValue == value.string }
            })
    }
}
