import Traffic
import WebSocket

/// A recorded WebSocket, compiled: the actions of the server and the client, in order.
struct SocketScript: Sendable {
    private(set) var steps: [Step] = []
    /// The client's messages, in order.
    private(set) var messages: [Message] = []
    /// The indices of the messages of each shape.
    private(set) var messagesOfShape: [ShapeKey: [Int]] = [:]
    /// The client's pings and their pongs, in order.
    private(set) var keepAlives: [KeepAlive] = []
    /// The first ping without a pong.
    private var unanswered = 0

    struct Step: Sendable {
        /// Nanoseconds after the opening.
        var time: Int64
        var kind: Kind
        /// Whether it is separate from the other steps, except when only the recorded times count.
        var isKeepAlive = false
    }

    /// A ping of the API and the pong that followed.
    struct KeepAlive: Sendable {
        var time: Int64
        /// The pong, or nil if none followed.
        var pong: (action: ReplayEffect.Action, after: Int64)?
    }

    enum Kind: Sendable {
        case server(ReplayEffect.Action)
        /// The client sends the message with this index.
        case client(Int)
        /// The client sends a ping of the API.
        case ping
        /// The client closes or ends the connection; the codec handles what the server does after it.
        case clientEnds
    }

    /// A message of the client.
    struct Message: Sendable {
        /// The index of its step.
        var step: Int
        var isText: Bool
        var payload: [UInt8]
        var shape: Shape
        var values: [Int]
    }

    init(_ socket: SessionSocket, vocabulary: inout Vocabulary, notes: inout [String], at place: String) {
        let opened = socket.opened.nanosecondsSinceEpoch
        // Recorded clocks are not ours: the times of frames never go backwards.
        var latest: Int64 = 0
        func time(_ nanoseconds: Int64) -> Int64 {
            let (difference, overflow) = nanoseconds.subtractingReportingOverflow(opened)
            latest = max(latest, overflow ? latest : difference)
            return latest
        }
        var hasClose = false
        for frame in socket.frames {
            let moment = time(frame.time.nanosecondsSinceEpoch)
            if frame.payload.isCut { notes.append(Sentences.cutFrame(place)) }
            if hasClose { break }
            switch (frame.sender, frame.opcode) {
            case (.client, .text), (.client, .binary):
                let isText = frame.opcode == .text
                if isText, KeepAliveFrame(frame.payload.bytes) == .ping {
                    steps.append(Step(time: moment, kind: .ping, isKeepAlive: true))
                    keepAlives.append(KeepAlive(time: moment))
                } else {
                    add(message: frame.payload.bytes, isText: isText, at: moment, vocabulary: &vocabulary)
                }
            case (.client, .close):
                steps.append(Step(time: moment, kind: .clientEnds))
                hasClose = true
            case (.client, _), (.server, .pong), (.server, .continuation): break
            case (.server, .text):
                // Invalid UTF-8, which a truncated text may be, is sent as binary: the codec would refuse it as text.
                let bytes = frame.payload.bytes
                let isValid = String(validating: bytes, as: UTF8.self) != nil
                let action = isValid ? ReplayEffect.Action.text(bytes) : .binary(bytes)
                let isPong = takePong(bytes, action, at: moment)
                steps.append(Step(time: moment, kind: .server(action), isKeepAlive: isPong))
            case (.server, .binary):
                steps.append(Step(time: moment, kind: .server(.binary(frame.payload.bytes))))
            case (.server, .ping):
                steps.append(Step(time: moment, kind: .server(.ping(Array(frame.payload.bytes.prefix(125))))))
            case (.server, .close):
                steps.append(Step(time: moment, kind: .server(Self.close(frame.payload.bytes))))
                hasClose = true
            }
        }
        guard let ending = socket.ending, !hasClose else { return }
        let moment = time(ending.time.nanosecondsSinceEpoch)
        switch (ending.party, ending.cause) {
        case (.client, _): steps.append(Step(time: moment, kind: .clientEnds))
        case (.server, .reset): steps.append(Step(time: moment, kind: .server(.reset)))
        case (.server, _): steps.append(Step(time: moment, kind: .server(.finish)))
        }
    }

    /// Whether a frame is the pong to an unanswered ping; if so, it is stored with the ping.
    private mutating func takePong(_ bytes: [UInt8], _ action: ReplayEffect.Action, at time: Int64) -> Bool {
        guard unanswered < keepAlives.count, KeepAliveFrame(bytes) == .pong else { return false }
        keepAlives[unanswered].pong = (action, time - keepAlives[unanswered].time)
        unanswered += 1
        return true
    }

    private mutating func add(message bytes: [UInt8], isText: Bool, at time: Int64, vocabulary: inout Vocabulary) {
        let shape = Self.shape(of: bytes, isText: isText)
        let values = shape.values.map { vocabulary.intern($0.text) }
        steps.append(Step(time: time, kind: .client(messages.count)))
        messagesOfShape[shape.key, default: []].append(messages.count)
        messages.append(Message(step: steps.count - 1, isText: isText, payload: bytes, shape: shape, values: values))
    }

    /// The shape of a message; text and binary never have the same shape.
    static func shape(of bytes: [UInt8], isText: Bool, known: Bindings? = nil) -> Shape {
        var shape = Shape(known: known)
        shape.add(literally: isText ? "text" : "binary")
        shape.add(body: bytes)
        shape.finish()
        return shape
    }

    /// A close frame that is valid for sending (RFC 6455 §5.5.1, §7.4.1).
    private static func close(_ payload: [UInt8]) -> ReplayEffect.Action {
        guard payload.count >= 2 else { return .close(code: nil, reason: "") }
        let code = CloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
        guard code.isAllowedOnWire else { return .close(code: nil, reason: "") }
        let reason = String(validating: payload[2...].prefix(123), as: UTF8.self) ?? ""
        return .close(code: code.rawValue, reason: reason)
    }
}

/// The role of a frame among the API's keep-alives.
enum KeepAliveFrame {
    case ping
    case pong

    /// Nil if a frame is neither `{"type":"ping"}` nor `{"type":"pong"}`, each with at most one more member.
    init?(_ text: [UInt8]) {
        guard text.count <= 200, let object = Shape.json(text)?.object, object.count <= 2 else { return nil }
        switch object["type"]?.string {
        case "ping": self = .ping
        case "pong": self = .pong
        default: return nil
        }
    }
}
