import Faults
import FitIQAPI

extension SocketFault {
    static func read(_ action: FaultAction, _ fields: Fields) -> SocketFault? {
        guard let value = fields[action.rawValue] else { return nil }
        switch action {
        case .close: return close(value)
        case .cut: return cut(value)
        case .reservedBits: return value.integer(1...7).map { .reservedBits(UInt8($0)) }
        case .fragments: return fragments(value)
        case .coalesce: return value.integer(2...FaultLimits.coalesced).map { .coalesce(count: $0) }
        case .delay: return value.duration(0...FaultLimits.longestWait).map { .delay($0) }
        case .dribble: return value.dribble().map { .dribble(bytes: $0, every: $1) }
        case .replace: return value.words(bytes: FaultLimits.replacementBody).map { .replace(text: $0) }
        default:
            guard let fault = switches[action] else { preconditionFailure("\(action) is no fault of sockets") }
            return value.isTrue() ? fault : nil
        }
    }

    /// Actions without parameters.
    private static let switches: [FaultAction: SocketFault] = [
        .finish: .finish, .reset: .reset, .silence: .silence, .masked: .masked, .invalidUTF8: .invalidUTF8,
        .binary: .binary, .lose: .lose, .double: .double, .swap: .swap, .nanosecondTimestamps: .nanosecondTimestamps,
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

extension SocketPoint {
    static func read(_ cursor: Cursor) -> SocketPoint? {
        guard let fields = Fields(cursor, as: .point) else { return nil }
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

    /// Every `type` of the server's text messages.
    static let types =
        [
            "connected", "message_received", "stream_chunk", "stream_complete", "user_message",
            "assistant_message_start", "assistant_message_chunk", "assistant_message_end", "template_created", "pong",
            "error",
        ] + MealLogEvent.allCases.map(\.rawValue)
}
