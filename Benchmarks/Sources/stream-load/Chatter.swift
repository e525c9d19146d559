import Glibc
import Load

/// One connection's place in its dialogue, without I/O.
///
/// Bytes go in, what to do next comes out:
/// connect → handshake → `connected` → message → `message_received`, chunks, `stream_complete` → message → …
struct Chatter {
    enum State: Equatable {
        case notStarted
        case handshaking
        case waitingForConnected
        case streaming
        /// The last answer is complete and no other is wanted.
        case finished
        case failed
    }

    /// What a frame asks of the loop.
    enum Step: Equatable {
        case nothing
        case chunk
        case sendMessage
        case sendPong(Range<Int>)
        case fail(String)
    }

    private(set) var state = State.notStarted
    /// When the message was sent that is being answered.
    private(set) var sentAt: UInt64 = 0
    /// How many messages were sent.
    private(set) var turns = 0
    /// How many chunks of the present answer have arrived.
    private(set) var chunks = 0
    /// The text of every answer, chunk after chunk, as escaped in JSON.
    private(set) var answers: [[UInt8]] = []
    /// How many of them ended with `stream_complete`.
    private(set) var completed = 0
    /// Bytes of a frame or head that has not arrived whole.
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
