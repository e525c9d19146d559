import FitIQAPI
import TestSupport
import Testing
import WebSocket

@testable import Traffic

@Suite("Hostile traffic")
struct HostileWireTests {
    @Test("Random bytes in any order do not stop the observer or damage its file", arguments: 0..<24 as Range<UInt64>)
    func random(seed: UInt64) throws {
        var numbers = Draw(seed: seed)
        let conversations = Conversation.all + SocketConversations.all
        let recorder = SessionRecorder { $0.limits.pipelined = 2000 }
        for connection in 0..<300 as Range<UInt64> {
            recorder.opened(connection, scheme: "http")
            var steps: [WireStep] = []
            for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                steps += conversations.randomElement(using: &numbers)?.steps ?? []
            }
            switch Int.random(in: 0..<4, using: &numbers) {
            case 0: steps.shuffle(using: &numbers)
            case 1: steps.remove(at: Int.random(in: 0..<steps.count, using: &numbers))
            case 2: steps.insert(.finished(Bool.random(using: &numbers) ? .client : .server), at: steps.count / 2)
            default: break
            }
            for (index, step) in steps.enumerated() {
                let changed = Self.change(step, &numbers)
                recorder.play(changed, on: connection, at: Wire.time(index))
            }
            if Bool.random(using: &numbers) {
                recorder.ended(connection, by: .client, isReset: Bool.random(using: &numbers), at: Wire.time(50))
            }
        }
        let compaction = recorder.finish(at: Wire.time(60))
        var file = GrowingFile()
        // Only the last write is checked, because there are hundreds of them.
        for write in recorder.takeWrites() { write.apply(to: &file.bytes) }
        let grown = try file.session
        let finished = try HARFile(reading: file.finished(compaction)).session
        #expect(grown.entries.count == finished.entries.count, "seed \(seed)")
        #expect(finished.entries.count == recorder.exchangeCount + recorder.socketCount, "seed \(seed)")
        #expect(recorder.exchangeCount > 100 && recorder.socketCount > 20, "seed \(seed)")
    }

    /// Sometimes changes, drops or doubles a byte, or switches sides.
    private static func change(_ step: WireStep, _ numbers: inout Draw) -> WireStep {
        guard Int.random(in: 0..<4, using: &numbers) == 0 else { return step }
        var (bytes, isClient): ([UInt8], Bool)
        switch step {
        case .client(let sent): (bytes, isClient) = (sent, true)
        case .server(let sent): (bytes, isClient) = (sent, false)
        case .finished, .ended: return step
        }
        guard !bytes.isEmpty else { return step }
        let index = Int.random(in: 0..<bytes.count, using: &numbers)
        switch Int.random(in: 0..<5, using: &numbers) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &numbers)
        case 1: bytes.remove(at: index)
        case 2: bytes.insert(bytes[index], at: index)
        case 3: bytes.removeSubrange(index...)
        default: isClient.toggle()
        }
        return isClient ? .client(bytes) : .server(bytes)
    }
}

/// Bytes from one side of a connection, or that side's end, in the order observed.
enum WireStep: Sendable {
    case client([UInt8])
    case server([UInt8])
    case finished(Party)
    case ended(Party, isReset: Bool)

    static func client(_ text: String) -> WireStep { .client(Wire.bytes(text)) }
    static func server(_ text: String) -> WireStep { .server(Wire.bytes(text)) }
}

/// Conversations for the tests.
enum Wire {
    /// Text with `⏎` for CRLF.
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

    /// Plays the steps a millisecond apart, each cut into pieces of this many bytes.
    static func observe(
        _ steps: [WireStep], pieces: Int = .max, limits: ConnectionObserver.Limits = .init()
    ) -> [WireEvent] {
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
    static func line(_ observation: WireEvent) -> String {
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

extension WireEvent {
    var exchange: SessionExchange? { if case .exchange(let exchange) = self { exchange } else { nil } }
    var frame: SessionFrame? { if case .frame(let frame) = self { frame } else { nil } }
}
