import FitIQAPI
import JSON
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
    /// Whether the recording has only the beginnings of some frames.
    private(set) var hasCutFrames = false
    /// The first ping without a pong.
    private var unanswered = 0

    struct Step: Sendable {
        /// Nanoseconds after the opening.
        var time: Int64
        var kind: Kind
        /// Whether it is separate from the other steps, except when only the recorded times count.
        var isKeepAlive = false
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

    /// A ping of the API and the pong that followed.
    struct KeepAlive: Sendable {
        var time: Int64
        /// The pong, or nil if none followed.
        var pong: (action: ReplayEffect.Action, after: Int64)?
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

    init(_ socket: SessionExchange, opened: Timestamp, vocabulary: inout Vocabulary) {
        let opened = opened.nanosecondsSinceEpoch
        // Recorded clocks are not ours: the times of frames never go backwards.
        var time: Int64 = 0
        func advance(to nanoseconds: Int64) {
            let (difference, overflow) = nanoseconds.subtractingReportingOverflow(opened)
            if !overflow { time = max(time, difference) }
        }
        for frame in socket.frames {
            advance(to: frame.time.nanosecondsSinceEpoch)
            if frame.payload.isCut { hasCutFrames = true }
            let bytes = frame.payload.bytes
            switch (frame.sender, frame.opcode) {
            case (.client, .text) where KeepAliveFrame(bytes) == .ping:
                steps.append(Step(time: time, kind: .ping, isKeepAlive: true))
                keepAlives.append(KeepAlive(time: time))
            case (.client, .text), (.client, .binary):
                add(message: bytes, isText: frame.opcode == .text, at: time, vocabulary: &vocabulary)
            case (.client, .close):
                steps.append(Step(time: time, kind: .clientEnds))
                return
            case (.client, _), (.server, .pong), (.server, .continuation): break
            case (.server, .text):
                // Invalid UTF-8, which a truncated text may be, is sent as binary: the codec would refuse it as text.
                let isValid = String(validating: bytes, as: UTF8.self) != nil
                let action = isValid ? ReplayEffect.Action.text(bytes) : .binary(bytes)
                let isPong = takePong(bytes, action, at: time)
                steps.append(Step(time: time, kind: .server(action), isKeepAlive: isPong))
            case (.server, .binary): steps.append(Step(time: time, kind: .server(.binary(bytes))))
            case (.server, .ping): steps.append(Step(time: time, kind: .server(.ping(Array(bytes.prefix(125))))))
            case (.server, .close):
                steps.append(Step(time: time, kind: .server(Self.close(bytes))))
                return
            }
        }
        guard let ending = socket.ending else { return }
        advance(to: ending.time.nanosecondsSinceEpoch)
        let isReset = ending.cause == .reset
        steps.append(
            Step(time: time, kind: ending.party == .client ? .clientEnds : .server(isReset ? .reset : .finish)))
    }

    /// Whether a frame is the pong to an unanswered ping; if so, it is stored with the ping.
    private mutating func takePong(_ bytes: [UInt8], _ action: ReplayEffect.Action, at time: Int64) -> Bool {
        guard unanswered < keepAlives.count, KeepAliveFrame(bytes) == .pong else { return false }
        keepAlives[unanswered].pong = (action, time - keepAlives[unanswered].time)
        unanswered += 1
        return true
    }

    private mutating func add(message bytes: [UInt8], isText: Bool, at time: Int64, vocabulary: inout Vocabulary) {
        let shape = Self.shape(of: bytes, isText: isText, Shape(origins: vocabulary.origins))
        let values = shape.values.map { vocabulary.intern($0.text) }
        steps.append(Step(time: time, kind: .client(messages.count)))
        messagesOfShape[shape.key, default: []].append(messages.count)
        messages.append(Message(step: steps.count - 1, isText: isText, payload: bytes, shape: shape, values: values))
    }

    /// The shape of a message; text and binary never have the same shape.
    static func shape(of bytes: [UInt8], isText: Bool, _ empty: Shape) -> Shape {
        var shape = empty
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
enum KeepAliveFrame: String {
    case ping
    case pong

    /// Nil if a frame is neither `{"type":"ping"}` nor `{"type":"pong"}`, each with at most one more member.
    init?(_ text: [UInt8]) {
        guard text.count <= 200, let object = JSONValue.container(text)?.object, object.count <= 2 else { return nil }
        self.init(rawValue: object["type"]?.string ?? "")
    }
}
