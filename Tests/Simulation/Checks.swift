import Faults

/// Checks that a fault may invalidate; they are skipped in a world with such a fault rule.
struct Checks: OptionSet {
    let rawValue: Int

    /// Responses are well-formed HTTP with JSON inside.
    static let responses = Checks(rawValue: 1)
    /// A response has the status and the body that the rules require.
    static let statuses = Checks(rawValue: 2)
    /// Requests are answered immediately, and a connection ends when asked to.
    static let promptness = Checks(rawValue: 4)
    /// A socket receives each frame once, whole and in order.
    static let frames = Checks(rawValue: 8)
    /// Frames are well-formed, and nothing follows a close frame.
    static let framing = Checks(rawValue: 16)
    /// The response to an accepted handshake matches the sent key.
    static let handshakes = Checks(rawValue: 32)
    static let pongs = Checks(rawValue: 64)

    static let all: Checks = [.responses, .statuses, .promptness, .frames, .framing, .handshakes, .pongs]

    /// The checks that remain valid under a set of rules.
    init(leftBy rules: [FaultRule]) {
        self = .all
        for rule in rules { subtract(rule.fault.invalidated) }
    }

    init(rawValue: Int) { self.rawValue = rawValue }
}

extension Fault {
    var invalidated: Checks {
        switch self {
        case .response(let fault, _): fault.invalidated
        case .handshake(.delay), .handshake(.hang): [.promptness, .frames]
        case .handshake(let fault): fault.invalidated
        case .socket(let fault, _): fault.invalidated
        }
    }
}

extension ResponseFault {
    fileprivate var invalidated: Checks {
        switch self {
        case .replace, .quota: .statuses
        case .delay, .dribble, .hang: [.promptness]
        case .truncate, .contentLength, .malformedJSON, .malformedChunking, .emptyReply, .reset:
            [.responses, .statuses, .promptness]
        case .contentType, .nanosecondTimestamps: []
        case .wrongAccept: .handshakes
        case .compression: []
        // When a held item continues, the state may have changed, and an operator may drop or change the item.
        case .hold: [.responses, .promptness, .frames, .statuses]
        }
    }
}

extension SocketFault {
    fileprivate var invalidated: Checks {
        switch self {
        case .close, .finish, .reset, .silence, .cut, .end: [.frames, .framing, .promptness, .pongs]
        case .masked, .reservedBits, .invalidUTF8, .compression: [.frames, .framing, .promptness, .pongs]
        case .fragments, .nanosecondTimestamps, .escape: []
        case .coalesce, .binary, .replace, .insert: [.frames, .framing, .promptness, .pongs]
        case .lose, .double, .swap: [.frames, .promptness, .pongs]
        case .delay, .dribble: [.frames, .promptness]
        case .withholdPong: .pongs
        case .stallReading: [.frames, .promptness, .pongs]
        case .hold: [.frames, .promptness, .pongs, .statuses]
        }
    }
}
