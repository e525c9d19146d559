import Glibc
import Load

/// One connection's place in its dialogue, without I/O.
///
/// It takes bytes and returns the next action: connect → handshake → `connected` → message → `message_received`,
/// chunks, `stream_complete` → message → …
struct Chatter {
    enum State: Equatable {
        case notStarted
        case handshaking
        case waitingForConnected
        case streaming
        /// The last answer is complete, and the generator wants no other.
        case finished
        case failed
    }

    /// The loop's next action after a frame.
    enum Step: Equatable {
        case nothing
        case chunk
        case sendMessage
        case sendPong(Range<Int>)
        case fail(String)
    }

    private(set) var state = State.notStarted
    /// The time at which the current answer's message was sent.
    private(set) var sentAt: UInt64 = 0
    /// The number of messages sent.
    private(set) var turns = 0
    /// The number of chunks of the current answer.
    private(set) var chunks = 0
    /// The text of every answer, chunk after chunk, as escaped in JSON.
    private(set) var answers: [[UInt8]] = []
    /// The number of answers that ended with `stream_complete`.
    private(set) var completed = 0
    /// Bytes of an incomplete frame or head.
    var pending: [UInt8] = []

    mutating func started() { state = .handshaking }

    mutating func messageSent(at now: UInt64) {
        state = .streaming
        sentAt = now
        turns += 1
        chunks = 0
        answers.append([])
    }

    mutating func finish() { state = .finished }

    mutating func fail() { state = .failed }

    /// Takes the head of the handshake's answer.
    mutating func headArrived(_ head: String) -> Step {
        guard head.hasPrefix("HTTP/1.1 101 "), head.contains(webSocketAccept) else {
            return .fail("handshake answered with \(head.prefix(200))")
        }
        state = .waitingForConnected
        return .nothing
    }

    /// Takes one frame, which is in `bytes`.
    mutating func frameArrived(_ frame: ServerFrame, in bytes: UnsafeRawBufferPointer) -> Step {
        switch frame.opcode {
        case 1: break
        case 9: return .sendPong(frame.payload)
        case 10: return .nothing
        default: return .fail("a frame with opcode \(frame.opcode) arrived")
        }
        let message = UnsafeRawBufferPointer(rebasing: bytes[frame.payload])
        switch (messageType(message), state) {
        case (.chunk, .streaming):
            guard let content = stringValue(of: "content", in: message) else {
                return .fail("a chunk without content: \(text(message))")
            }
            answers[answers.count - 1].append(contentsOf: message[content])
            chunks += 1
            return .chunk
        case (.complete, .streaming):
            completed += 1
            return .sendMessage
        case (.connected, .waitingForConnected): return .sendMessage
        case (.received, .streaming): return .nothing
        default: return .fail("out of turn in state \(state): \(text(message))")
        }
    }

    private func text(_ message: UnsafeRawBufferPointer) -> String {
        String(decoding: message.prefix(200), as: UTF8.self)
    }
}
