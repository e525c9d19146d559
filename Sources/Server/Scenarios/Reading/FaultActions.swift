import Faults
import FitIQAPI
import Traffic

extension ResponseFault {
    static func read(_ action: FaultAction, _ fields: Fields, at place: FaultPlace) -> ResponseFault? {
        guard let value = fields.including(action.rawValue) else { return nil }
        switch action {
        case .status: return Replacement.read(fields, defaultStatus: nil).map { .replace($0) }
        case .quota: return quota(value, fields)
        case .delay: return value.duration(0...FaultLimits.longestWait).map { .delay($0) }
        case .dribble: return value.dribble().map { .dribble(bytes: $0, every: $1) }
        case .truncate: return Fields(value, as: .truncate)?.after("the body").map { .truncate(after: $0) }
        case .contentLength:
            guard let off = value.integer(-ByteCounts.largest...ByteCounts.largest) else { return nil }
            return off == 0 ? value.refuse(Messages.zeroLength) : .contentLength(off: off)
        case .malformed:
            switch value.name(among: ["json", "chunking"]) {
            case "json": return .malformedJSON
            case "chunking": return .malformedChunking
            default: return nil
            }
        case .emptyReply: return value.isTrue() ? .emptyReply : nil
        case .reset: return reset(value, at: place)
        case .hang: return value.isTrue() ? .hang : nil
        case .contentType:
            if value.node.content == .null { return .contentType(nil) }
            return value.fieldValue().map { .contentType($0) }
        case .nanosecondTimestamps: return value.isTrue() ? .nanosecondTimestamps : nil
        case .wrongAccept: return value.isTrue() ? .wrongAccept : nil
        case .hold: return Hold.read(value, at: place).map { .hold($0) }
        case .compression: return CompressionFault.read(value, at: place).map { .compression($0) }
        default: preconditionFailure("\(action) is no fault of responses")
        }
    }

    private static func quota(_ value: Cursor, _ fields: Fields) -> ResponseFault? {
        guard let window = Fields(value, as: .quota) else { return nil }
        let requests = window.required("requests", "how many requests are answered")?.integer(0...1_000_000)
        let span = window.required("per", Messages.duration)?.duration(1_000_000...86_400_000_000_000)
        let replacement = Replacement.read(fields, defaultStatus: 429)
        guard let requests, let span, let replacement else { return nil }
        return .quota(requests: requests, window: span, replacement)
    }

    private static func reset(_ value: Cursor, at place: FaultPlace) -> ResponseFault? {
        guard place == .response, case .mapping = value.node.content else {
            return value.isTrue() ? .reset(after: 0) : nil
        }
        return Fields(value, as: .reset)?.after("the response").map { .reset(after: $0) }
    }
}

extension Replacement {
    fileprivate static func read(_ fields: Fields, defaultStatus: Int?) -> Replacement? {
        let status = fields["status"].map { $0.integer(200...599) } ?? defaultStatus
        let replacement = Replacement(
            status: status ?? 500,
            body: fields["body"]?.string(
                expected: "a text (JSON goes in quotation marks)", bytes: FaultLimits.replacementBody),
            contentType: fields["content_type"]?.fieldValue(),
            code: fields["code"]?.text(1...100), message: fields["message"]?.text(1...1000),
            retryAfter: fields["retry_after"]?.seconds(), isProcessed: fields["processed"]?.flag() ?? false)
        return status == nil ? nil : replacement
    }
}

enum ByteCounts {
    /// More than any response has, 1 GiB.
    static let largest = 1024 * 1024 * 1024
}

extension Fields {
    /// The required number of bytes that are sent before the fault.
    func after(_ what: String) -> Int? {
        required("after", "how many bytes of \(what) are sent")?.integer(0...ByteCounts.largest)
    }
}

extension Cursor {
    func dribble() -> (bytes: Int, every: Int64)? {
        guard let fields = Fields(self, as: .dribble) else { return nil }
        let bytes = fields.required("bytes", "how many at a time")?.integer(1...ByteCounts.largest)
        let every = fields.required("every", Messages.duration)?.duration(0...FaultLimits.longestWait)
        guard let bytes, let every else { return nil }
        return (bytes, every)
    }

    fileprivate func fieldValue() -> String? {
        guard let text = text(1...200) else { return nil }
        guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }), text.first != " ", text.last != " " else {
            return refuse(expected: "printable ASCII, without spaces around it")
        }
        return text
    }

    /// Whole seconds, as a number or as a duration: `2`, `2s`.
    fileprivate func seconds() -> Int? {
        if let text = written, let duration = ScenarioLimits.duration(text), duration % 1_000_000_000 == 0 {
            return Int(duration / 1_000_000_000)
        }
        guard let value = number?.int, (0...366 * 86_400).contains(value) else {
            return refuse(expected: Messages.seconds)
        }
        return value
    }
}

extension SocketFault {
    static func read(_ action: FaultAction, _ fields: Fields) -> SocketFault? {
        guard let value = fields[action.rawValue] else { return nil }
        switch action {
        case .close: return close(value)
        case .cut: return cut(value)
        case .end: return end(value)
        case .reservedBits: return value.integer(1...7).map { .reservedBits(UInt8($0)) }
        case .fragments: return fragments(value)
        case .coalesce: return value.integer(2...FaultLimits.coalesced).map { .coalesce(count: $0) }
        case .delay: return value.duration(0...FaultLimits.longestWait).map { .delay($0) }
        case .dribble: return value.dribble().map { .dribble(bytes: $0, every: $1) }
        case .replace: return value.words(bytes: FaultLimits.replacementBody).map { .replace(text: $0) }
        case .insert: return value.words(bytes: FaultLimits.replacementBody).map { .insert(text: $0) }
        case .hold: return Hold.read(value, at: .socket).map { .hold($0) }
        case .compression: return CompressionFault.read(value, at: .socket).map { .compression($0) }
        default:
            guard let fault = switches[action] else { preconditionFailure("\(action) is no fault of sockets") }
            return value.isTrue() ? fault : nil
        }
    }

    static let switches: [FaultAction: SocketFault] = [
        .finish: .finish, .reset: .reset, .silence: .silence, .masked: .masked, .invalidUTF8: .invalidUTF8,
        .escape: .escape, .binary: .binary, .lose: .lose, .double: .double, .swap: .swap,
        .nanosecondTimestamps: .nanosecondTimestamps,
        .withholdPong: .withholdPong, .stallReading: .stallReading,
    ]

    private static func close(_ value: Cursor) -> SocketFault? {
        if value.written == "none" { return .close(code: nil, reason: "") }
        guard case .mapping = value.node.content else {
            return value.written.flatMap { UInt16($0) }.map { .close(code: $0, reason: "") }
                ?? value.refuse(expected: "a close code such as 1011, none, or {code: 4000, reason: …}")
        }
        guard let fields = Fields(value, as: .close) else { return nil }
        let code = fields.required("code", Messages.integer(in: 0...65_535))?.integer(0...65_535)
        let reason = fields["reason"]?.string(expected: "a text") ?? ""
        if reason.utf8.count > 123 { fields.refuse("reason", Messages.closeReason) }
        return code.map { .close(code: UInt16($0), reason: reason) }
    }

    private static func cut(_ value: Cursor) -> SocketFault? {
        guard let fields = Fields(value, as: .cut) else { return nil }
        let after = fields.after("the frame")
        let reset = fields["reset"]?.flag() ?? false
        return after.map { .cut(after: $0, reset: reset) }
    }

    private static func end(_ value: Cursor) -> SocketFault? {
        guard let fields = Fields(value, as: .end) else { return nil }
        let endings = Ending.allCases.map(\.rawValue)
        let how = fields.required("how", Messages.oneOf(endings))?.name(among: endings).flatMap(Ending.init)
        let wait = fields["after"].map { $0.duration(0...FaultLimits.longestWait) } ?? 0
        guard let how, let wait else { return nil }
        return .end(how, after: wait)
    }

    private static func fragments(_ value: Cursor) -> SocketFault? {
        guard let elements = value.elements(limit: FaultLimits.fragments, of: "byte positions") else { return nil }
        guard !elements.isEmpty else { return value.refuse(Messages.emptyList(of: "byte positions")) }
        let positions = elements.map { $0.integer(1...ByteCounts.largest) }
        let known = positions.compactMap { $0 }
        guard known.count == positions.count else { return nil }
        let areAscending = zip(known, known.dropFirst()).allSatisfy(<)
        return areAscending ? .fragments(at: known) : value.refuse(Messages.ascending)
    }
}

extension CompressionFault {
    static func choices(at place: FaultPlace) -> [CompressionFault] {
        switch place {
        case .response: [.undeclared, .truncated, .corrupt, .wrongLength]
        case .handshake: [.declined]
        case .socket: [.undeclared, .fragmented, .marked, .forgotten, .trailing, .corrupt]
        }
    }

    fileprivate static func read(_ value: Cursor, at place: FaultPlace) -> CompressionFault? {
        value.name(among: choices(at: place).map(\.rawValue)).flatMap(CompressionFault.init)
    }
}

extension Hold {
    /// What it can hold at a place, in the order in which messages list it.
    static func choices(at place: FaultPlace) -> [String] {
        switch place {
        case .response: ["request", "response"]
        case .handshake: ["request"]
        case .socket: Party.allCases.map(\.direction) + ["both"]
        }
    }

    private static let oldWords = Party.allCases.map { (old: $0.rawValue, now: $0.direction) }

    /// Reads what is held, alone or with conditions.
    fileprivate static func read(_ value: Cursor, at place: FaultPlace) -> Hold? {
        var hold = Hold()
        var what: Cursor? = value
        if case .mapping = value.node.content {
            guard let fields = Fields(value, as: .hold) else { return nil }
            what = fields.required("what", Messages.oneOf(choices(at: place)))
            if let text = fields["text"] { hold.text = text.words(bytes: FaultLimits.holdText) ?? "" }
            let times = FaultLimits.shortestHold...FaultLimits.longestWait
            if let time = fields["for"] { hold.time = time.duration(times) ?? hold.time }
        }
        guard let name = what?.name(among: choices(at: place), oldWords: oldWords) else { return nil }
        hold.fromClient = ["request", Party.client.direction, "both"].contains(name)
        hold.fromServer = ["response", Party.server.direction, "both"].contains(name)
        return hold
    }
}

extension SocketPoint {
    /// - Parameter ofClient: Whether it is also a point of what the client sends, which has types of its own.
    static func read(_ cursor: Cursor, ofClient: Bool) -> SocketPoint? {
        guard let fields = Fields(cursor, as: .point) else { return nil }
        fields.refuse(["chunk", "byte"], unless: !ofClient, Messages.onlyFromServer)
        let types = ofClient ? Self.types + clientTypes : Self.types
        let kind = fields.one(of: ["frame", "type", "chunk", "byte"], isRequired: true)
        fields.refuse(["n"], unless: kind == "type", Messages.needs("'type'"))
        fields.refuse(["answer"], unless: kind == "chunk", Messages.needs("'chunk'"))
        switch kind {
        case "frame": return fields["frame"]?.selection().map { .frames($0) }
        case "type":
            let selection = fields["n"].map { $0.selection() } ?? .all
            guard let name = fields["type"]?.name(among: types), let selection else { return nil }
            return .type(name, selection)
        case "chunk":
            let answer = fields["answer"]?.integer(1...1_000_000)
            return fields["chunk"]?.selection().map { .chunks($0, ofAnswer: answer) }
        case "byte": return fields["byte"]?.integer(1...ByteCounts.largest).map { .byte($0) }
        default: return nil
        }
    }

    /// Every `type` of the client's messages that no message of the server has.
    static let clientTypes = ["message", "ping"]
    /// Every `type` of the server's text messages.
    package static let types =
        [
            "connected", "message_received", "stream_chunk", "stream_complete", "user_message",
            "assistant_message_start", "assistant_message_chunk", "assistant_message_end", "template_created", "pong",
            "error",
        ] + MealLogEvent.allCases.map(\.rawValue)
}
