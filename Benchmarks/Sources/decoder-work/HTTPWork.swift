import HTTP1
import HTTPTypes
import WebSocket

private let request = "POST / HTTP/1.1\r\nHost: a\r\n"

/// Heads and bodies, whole and in single bytes.
let httpWork: [Work] = [
    http("short fields") { repeated("a: b\r\n", $0, from: request, to: "\r\n") },
    http("a long field") { repeated("b", $0, from: request + "a: ", to: "\r\n\r\n") },
    http("fields of framing") { repeated("Connection: a\r\n", $0, from: request, to: "\r\n") },
    http("a long target") { repeated("a", $0, from: "GET /", to: " HTTP/1.1\r\nHost: a\r\n\r\n") },
    http("chunks of a byte") { repeated("1\r\na\r\n", $0, from: request + chunked, to: "0\r\n\r\n") },
    http("a chunk") { bytes in
        repeated("a", bytes, from: request + chunked + String(bytes, radix: 16) + "\r\n", to: "\r\n0\r\n\r\n")
    },
    http("extensions of chunks") { bytes in
        let line = "1;" + String(repeating: "a", count: 240)
        return repeated(line + "\r\na\r\n", bytes, from: request + chunked, to: "0\r\n\r\n")
    },
    http("trailers") { repeated("a: b\r\n", $0, from: request + chunked + "0\r\n", to: "\r\n") },
    http("requests in a row") { repeated("GET / HTTP/1.1\r\nHost: a\r\n\r\n", $0) },
].flatMap { $0 }

private let chunked = "Transfer-Encoding: chunked\r\n\r\n"

private func http(_ name: String, _ input: @escaping @Sendable (Int) -> [UInt8]) -> [Work] {
    [("whole", Int.max), ("in single bytes", 1)].map { pieces, size in
        Work(name: "HTTP/1.1, \(name), \(pieces)") { bytes in
            let input = input(bytes)
            return { readRequests(input, in: min(size, input.count)) }
        }
    }
}

private func readRequests(_ bytes: [UInt8], in size: Int) -> Bool {
    var limits = HTTP1.Limits()
    (limits.requestLine, limits.headerBlock, limits.fieldCount) = (1 << 20, 1 << 20, 1 << 20)
    var connection = HTTP1.Connection(role: .server, limits: limits)
    var out: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
        connection.receive(bytes[start..<min(start + size, bytes.count)])
        events: while true {
            switch try? connection.nextEvent() {
            case .needsData?: break events
            case .end?: connection.respond(status: .ok, fields: [:], body: [], into: &out)
            case .request?, .body?: break
            default: return false
            }
        }
    }
    return connection.isIdle && !out.isEmpty
}

/// Frames of a client, whole and in single bytes.
let webSocketWork: [Work] = [
    frames("a text") { frame(true, 1, repeated("aaa\u{E9}", $0)) },
    frames("fragments of a byte") { bytes in
        frame(false, 1, []) + repeatedFrame(frame(false, 0, [0x61]), bytes) + frame(true, 0, [])
    },
    frames("fragments of no byte") { bytes in
        frame(false, 1, []) + repeatedFrame(frame(false, 0, []), bytes) + frame(true, 0, [0x61])
    },
    frames("halves of characters") { bytes in
        let two = frame(false, 0, [0xC3]) + frame(false, 0, [0xA9])
        return frame(false, 1, []) + repeatedFrame(two, bytes) + frame(true, 0, [])
    },
    frames("pings in a message") { bytes in
        frame(false, 1, []) + repeatedFrame(frame(true, 9, [0x61]), bytes) + frame(true, 0, [])
    },
    frames("short messages") { repeatedFrame(frame(true, 1, [0x61]), $0) },
].flatMap { $0 }

private func frames(_ name: String, _ input: @escaping @Sendable (Int) -> [UInt8]) -> [Work] {
    [("whole", Int.max), ("in single bytes", 1)].map { pieces, size in
        Work(name: "WebSocket, \(name), \(pieces)") { bytes in
            let input = input(bytes)
            return { readFrames(input, in: min(size, input.count)) }
        }
    }
}

private func readFrames(_ bytes: [UInt8], in size: Int) -> Bool {
    var connection = WebSocket.Connection(role: .server)
    var (events, out) = ([WebSocket.Event](), [UInt8]())
    for start in stride(from: 0, to: bytes.count, by: size) {
        connection.receive(Array(bytes[start..<min(start + size, bytes.count)]), events: &events, output: &out)
    }
    guard case .text? = events.last else { return false }
    return connection.state == .open
}

/// A frame of a client, with a mask of zeros.
private func frame(_ isFinal: Bool, _ opcode: UInt8, _ payload: [UInt8]) -> [UInt8] {
    let head = (isFinal ? 0x80 : 0) | opcode
    guard payload.count > 125 else { return [head, 0x80 | UInt8(payload.count), 0, 0, 0, 0] + payload }
    let length = (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (8 * (7 - $0))) }
    return (payload.count < 1 << 16 ? [head, 0xFE] + length[6...] : [head, 0xFF] + length) + [0, 0, 0, 0] + payload
}

private func repeatedFrame(_ frame: [UInt8], _ bytes: Int) -> [UInt8] {
    Array(repeatElement(frame, count: bytes / frame.count).joined())
}
