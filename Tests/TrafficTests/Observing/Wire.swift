import FitIQAPI
import WebSocket

@testable import Traffic

/// Bytes of one side of a connection, or its end, in the order in which they were seen.
enum WireStep: Sendable {
    case client([UInt8])
    case server([UInt8])
    case finished(Party)
    case ended(Party, isReset: Bool)

    static func client(_ text: String) -> WireStep { .client(Wire.bytes(text)) }
    static func server(_ text: String) -> WireStep { .server(Wire.bytes(text)) }
}

/// What the tests put on wires.
enum Wire {
    /// Text in which `⏎` stands for CRLF.
    static func bytes(_ text: String) -> [UInt8] {
        Array(text.split(separator: "⏎", omittingEmptySubsequences: false).joined(separator: "\r\n").utf8)
    }

    static let handshake =
        "GET /api/v1/chat?x=1 HTTP/1.1⏎Host: api.example⏎Upgrade: websocket⏎Connection: Upgrade⏎"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==⏎Sec-WebSocket-Version: 13⏎⏎"
    static let accepted =
        "HTTP/1.1 101 Switching Protocols⏎Upgrade: websocket⏎Connection: Upgrade⏎"
        + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=⏎⏎"

    static func frame(_ opcode: Opcode, _ payload: [UInt8], isFinal: Bool = true, masked: Bool) -> [UInt8] {
        var bytes: [UInt8] = []
        FrameEncoder.append(opcode, payload, isFinal: isFinal, maskKey: masked ? 0x1234_5678 : nil, into: &bytes)
        return bytes
    }

    static func text(_ text: String, masked: Bool) -> [UInt8] { frame(.text, Array(text.utf8), masked: masked) }

    static func close(_ code: UInt16, _ reason: String = "", masked: Bool) -> [UInt8] {
        frame(.close, [UInt8(code >> 8), UInt8(code & 255)] + Array(reason.utf8), masked: masked)
    }

    /// Plays the steps a millisecond apart, each cut into pieces of so many bytes.
    static func observe(
        _ steps: [WireStep], pieces: Int = .max, limits: ConnectionObserver.Limits = .init()
    ) -> [Observation] {
        var observer = ConnectionObserver(scheme: "http", limits: limits)
        for (index, step) in steps.enumerated() { play(step, on: &observer, pieces: pieces, at: time(index)) }
        return observer.takeObservations()
    }

    static func time(_ index: Int) -> Timestamp {
        Timestamp(secondsSinceEpoch: 1_700_000_000).advanced(byNanoseconds: Int64(index) * 1_000_000)
    }

    static func play(_ step: WireStep, on observer: inout ConnectionObserver, pieces: Int, at time: Timestamp) {
        switch step {
        case .client(let bytes):
            for piece in cut(bytes, into: pieces) {
                piece.withUnsafeBytes { observer.receive($0, from: .client, at: time) }
            }
        case .server(let bytes):
            for piece in cut(bytes, into: pieces) {
                piece.withUnsafeBytes { observer.receive($0, from: .server, at: time) }
            }
        case .finished(let party): observer.finished(by: party, at: time)
        case .ended(let party, let isReset): observer.ended(by: party, isReset: isReset, at: time)
        }
    }

    static func cut(_ bytes: [UInt8], into count: Int) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            pieces.append(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        return pieces
    }

    /// An observation on one line.
    static func line(_ observation: Observation) -> String {
        switch observation {
        case .exchange(let socket) where socket.isSocket:
            return "open \(socket.request.url) \(socket.response?.status ?? 0)"
        case .exchange(let exchange):
            var line = "\(exchange.request.method) \(exchange.request.url)"
            if let body = exchange.request.body { line += " [\(text(body))]" + coded(exchange.request.coding) }
            guard let response = exchange.response else { return line + " -> nothing" }
            line += " -> \(response.status) [\(text(response.body))]" + coded(response.coding)
            return response.isComplete ? line : line + " cut"
        case .frame(let frame):
            return "\(frame.sender) \(frame.opcode) [\(text(frame.payload))]" + from(frame.compressedSize)
        case .socketEnded(let ending): return "end \(ending.cause) by \(ending.party)"
        case .note(let note): return "note \(note.prefix(40))"
        }
    }

    private static func coded(_ coding: SessionCoding?) -> String {
        coding.map { from($0.byteCount) + " of \($0.name)" } ?? ""
    }

    private static func from(_ size: Int?) -> String { size.map { " from \($0)" } ?? "" }

    private static func text(_ body: RecordedBody) -> String {
        let text = String(decoding: body.bytes, as: UTF8.self)
        return body.isCut ? text + "… of \(body.byteCount)" : text
    }
}
