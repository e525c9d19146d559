/// The positions of a journal line's known members; each object within the line has its own.
struct EntryMembers {
    /// All names that the encoder writes, of the line and of the objects in it.
    enum Name: Int, CaseIterable {
        case number, time, world, connection, kind
        case endpoint, user, requestedAt, request, response, delivery, faults, unmatched
        case direction, opcode, code, reason, payload, payloadBase64, payloadBytes
        case by, cause, serverClose, clientClose, message
        case fault, effect, advancedBy, text
        case method, target, version, fields, body, bodyBase64, bodyBytes, status

        var spelling: StaticString {
            switch self {
            case .number: "number"
            case .time: "time"
            case .world: "world"
            case .connection: "connection"
            case .kind: "kind"
            case .endpoint: "endpoint"
            case .user: "user"
            case .requestedAt: "requested_at"
            case .request: "request"
            case .response: "response"
            case .delivery: "delivery"
            case .faults: "faults"
            case .unmatched: "unmatched"
            case .direction: "direction"
            case .opcode: "opcode"
            case .code: "code"
            case .reason: "reason"
            case .payload: "payload"
            case .payloadBase64: "payload_base64"
            case .payloadBytes: "payload_bytes"
            case .by: "by"
            case .cause: "cause"
            case .serverClose: "server_close"
            case .clientClose: "client_close"
            case .message: "message"
            case .fault: "fault"
            case .effect: "effect"
            case .advancedBy: "advanced_by_ns"
            case .text: "text"
            case .method: "method"
            case .target: "target"
            case .version: "version"
            case .fields: "fields"
            case .body: "body"
            case .bodyBase64: "body_base64"
            case .bodyBytes: "body_bytes"
            case .status: "status"
            }
        }
    }

    private var values = Array(repeating: LineCursor.Value.absent, count: Name.allCases.count)

    subscript(name: Name) -> LineCursor.Value { values[name.rawValue] }

    /// Scans the next object; the last of repeated members counts.
    mutating func read(_ cursor: inout LineCursor) throws(LineCursor.NotJSON) {
        for index in values.indices { values[index] = .absent }
        try cursor.take(UInt8(ascii: "{"))
        var isFirst = true
        while let name = try cursor.nextName(isFirst: &isFirst) {
            let value = try cursor.value()
            if let place = Self.name(name, cursor) { values[place.rawValue] = value }
        }
    }

    /// The names of a length, those of frames first.
    @inline(__always)
    private static func name(_ value: LineCursor.Value, _ cursor: LineCursor) -> Name? {
        // No encoder writes names with escapes, but they are valid.
        if value.hasEscapes {
            let text = cursor.text(value)
            return Name.allCases.first { $0.spelling.description == text }
        }
        switch value.count {
        case 2: return cursor.first(of: .by, value)
        case 4: return cursor.first(of: .time, .kind, value) ?? cursor.first(of: .user, .body, .text, .code, value)
        case 5: return cursor.first(of: .world, .cause, .fault, value)
        case 6:
            return cursor.first(of: .number, .opcode, .faults, value)
                ?? cursor.first(of: .method, .target, .fields, value)
                ?? cursor.first(of: .status, .reason, .effect, value)
        case 7: return cursor.first(of: .payload, .request, .version, .message, value)
        case 8: return cursor.first(of: .response, .endpoint, .delivery, value)
        case 9: return cursor.first(of: .direction, .unmatched, value)
        case 10: return cursor.first(of: .connection, .bodyBytes, value)
        case 11: return cursor.first(of: .bodyBase64, value)
        case 12: return cursor.first(of: .requestedAt, .serverClose, .clientClose, value)
        case 13: return cursor.first(of: .payloadBytes, value)
        case 14: return cursor.first(of: .payloadBase64, .advancedBy, value)
        default: return nil
        }
    }
}

extension LineCursor {
    /// Finds which of a few names a string is.
    @inline(__always)
    fileprivate func first(of one: EntryMembers.Name, _ value: Value) -> EntryMembers.Name? {
        string(value, is: one.spelling) ? one : nil
    }

    @inline(__always)
    fileprivate func first(
        of one: EntryMembers.Name, _ two: EntryMembers.Name, _ value: Value
    ) -> EntryMembers.Name? {
        first(of: one, value) ?? first(of: two, value)
    }

    @inline(__always)
    fileprivate func first(
        of one: EntryMembers.Name, _ two: EntryMembers.Name, _ three: EntryMembers.Name, _ value: Value
    ) -> EntryMembers.Name? {
        first(of: one, value) ?? first(of: two, three, value)
    }

    @inline(__always)
    fileprivate func first(
        of one: EntryMembers.Name, _ two: EntryMembers.Name, _ three: EntryMembers.Name, _ four: EntryMembers.Name,
        _ value: Value
    ) -> EntryMembers.Name? {
        first(of: one, two, value) ?? first(of: three, four, value)
    }
}
