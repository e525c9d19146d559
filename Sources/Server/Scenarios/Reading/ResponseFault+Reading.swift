import Faults
import FitIQAPI

extension ResponseFault {
    static func read(_ action: FaultAction, _ fields: Fields) -> ResponseFault? {
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
        case .reset: return reset(value)
        case .hang: return value.isTrue() ? .hang : nil
        case .contentType:
            if value.node.content == .null { return .contentType(nil) }
            return value.fieldValue().map { .contentType($0) }
        case .nanosecondTimestamps: return value.isTrue() ? .nanosecondTimestamps : nil
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

    private static func reset(_ value: Cursor) -> ResponseFault? {
        guard case .mapping = value.node.content else { return value.isTrue() ? .reset(after: 0) : nil }
        return Fields(value, as: .reset)?.after("the response").map { .reset(after: $0) }
    }
}

extension HandshakeFault {
    static func read(_ action: FaultAction, _ fields: Fields) -> HandshakeFault? {
        guard let value = fields[action.rawValue] else { return nil }
        switch action {
        case .status: return Replacement.read(fields, defaultStatus: nil).map { .refuse($0) }
        case .delay: return value.duration(0...FaultLimits.longestWait).map { .delay($0) }
        case .wrongAccept: return value.isTrue() ? .wrongAccept : nil
        case .emptyReply: return value.isTrue() ? .emptyReply : nil
        case .reset: return value.isTrue() ? .reset : nil
        case .hang: return value.isTrue() ? .hang : nil
        default: preconditionFailure("\(action) is no fault of handshakes")
        }
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

/// The byte counts of faults.
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
    /// The size of pieces and the time between them.
    func dribble() -> (bytes: Int, every: Int64)? {
        guard let fields = Fields(self, as: .dribble) else { return nil }
        let bytes = fields.required("bytes", "how many at a time")?.integer(1...ByteCounts.largest)
        let every = fields.required("every", Messages.duration)?.duration(0...FaultLimits.longestWait)
        guard let bytes, let every else { return nil }
        return (bytes, every)
    }

    /// The value of an HTTP field: visible ASCII with spaces between.
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
