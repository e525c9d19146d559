/// What a fault can do, by its key in the file, and where it can.
enum FaultAction: String, CaseIterable {
    case status, quota, delay, dribble, truncate
    case contentLength = "content_length"
    case malformed
    case emptyReply = "empty_reply"
    case reset, hang
    case contentType = "content_type"
    case nanosecondTimestamps = "nanosecond_timestamps"
    case wrongAccept = "wrong_accept"
    case close, finish, silence, cut, masked
    case reservedBits = "reserved_bits"
    case invalidUTF8 = "invalid_utf8"
    case fragments, coalesce, binary, lose, double, swap, replace
    case withholdPong = "withhold_pong"
    case stallReading = "stall_reading"

    /// Where it can happen.
    var places: Set<FaultPlace> {
        switch self {
        case .quota, .truncate, .contentLength, .malformed, .contentType: [.response]
        case .status, .emptyReply, .hang: [.response, .handshake]
        case .delay, .reset: [.response, .handshake, .socket]
        case .dribble, .nanosecondTimestamps: [.response, .socket]
        case .wrongAccept: [.handshake]
        case .close, .finish, .silence, .cut, .masked, .reservedBits, .invalidUTF8, .fragments, .coalesce, .binary,
            .lose, .double, .swap, .replace, .withholdPong, .stallReading:
            [.socket]
        }
    }

    /// The actions that fit a place.
    static func all(at place: FaultPlace) -> [String] {
        allCases.filter { $0.places.contains(place) }.map(\.rawValue)
    }
}

/// What a fault is about.
enum FaultPlace: CaseIterable {
    case response, handshake, socket

    /// As messages name it.
    var description: String {
        switch self {
        case .response: "REST requests"
        case .handshake: "on: handshake"
        case .socket: "on: socket"
        }
    }
}
