import FitIQAPI
import Foundation
import TestSupport
import WebSocket

@testable import Traffic

/// Sessions for the tests.
enum Samples {
    /// 2025-01-29T10:30:00Z plus this many microseconds.
    static func time(_ microseconds: Int64 = 0) -> Timestamp {
        Timestamp(nanosecondsSinceEpoch: 1_738_146_600_000_000_000 + microseconds * 1000)
    }

    static let origin = "https://api.example.com"

    static func exchange(
        _ method: String = "GET", _ target: String = "/api/v1/goals", at microseconds: Int64 = 0, status: Int? = 200,
        body: String? = nil, answer: String = #"{"success":true,"data":[]}"#
    ) -> SessionExchange {
        SessionExchange(
            started: time(microseconds), waited: 1_500_000, lasted: 2_250_000,
            request: SessionRequest(
                method: method, url: origin + target, fields: [SessionField("Host", "api.example.com")],
                body: body.map { RecordedBody(Array($0.utf8)) }),
            response: status.map {
                SessionResponse(
                    status: $0, fields: [SessionField("Content-Type", "application/json")],
                    body: RecordedBody(Array(answer.utf8)))
            })
    }

    static func frame(
        _ sender: Party, _ opcode: Opcode = .text, _ text: String = "{}", at microseconds: Int64 = 0
    ) -> SessionFrame { frame(sender, opcode, bytes: Array(text.utf8), at: microseconds) }

    static func frame(_ sender: Party, _ opcode: Opcode, bytes: [UInt8], at microseconds: Int64 = 0) -> SessionFrame {
        SessionFrame(sender: sender, time: time(microseconds), opcode: opcode, payload: RecordedBody(bytes))
    }

    static func socket(
        _ target: String = "/api/v1/consultations/c1/ws?token=t", at microseconds: Int64 = 0,
        frames: [SessionFrame] = [], ending: SessionEnding? = nil
    ) -> SessionExchange {
        SessionExchange(
            started: time(microseconds), opened: time(microseconds + 3000),
            request: SessionRequest(
                method: "GET", url: "wss://api.example.com" + target,
                fields: [SessionField("Upgrade", "websocket"), SessionField("Connection", "Upgrade")]),
            response: SessionResponse(status: 101, fields: [SessionField("Upgrade", "websocket")]),
            frames: frames, ending: ending)
    }

    /// A close frame's payload.
    static func close(_ code: UInt16, _ reason: String = "") -> [UInt8] {
        [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8)
    }

    /// All possible contents of a session.
    static var all: Session {
        let cutBody = RecordedBody(Array("half an ".utf8) + [0xE2, 0x82], of: 5000)
        var incomplete = exchange("GET", "/api/v1/meal-logs", at: 40)
        incomplete.response?.isComplete = false
        incomplete.response?.body = RecordedBody(Array("{\"data\":".utf8), of: 100)
        var binary = exchange("POST", "/upload?a=1&b=%C3%A9+%zz&c", at: 50)
        binary.request.body = RecordedBody([0xFF, 0x00, 0x80])
        binary.response?.body = RecordedBody([0x1F, 0x8B, 0x08])
        binary.response?.fields.append(SessionField("Content-Encoding", "gzip"))
        var coded = exchange("POST", "/coded", at: 55, body: "{}")
        coded.request.coding = SessionCoding(name: "deflate", byteCount: 22)
        coded.response?.coding = SessionCoding(name: "gzip", byteCount: 40)
        var empty = exchange("POST", "/empty", at: 56, body: "")
        empty.request.coding = SessionCoding(name: "x-gzip", byteCount: 20)
        var compressed = frame(.client, .text, "yes, yes, yes", at: 4400)
        compressed.compressedSize = 9
        var large = exchange("POST", "/large", at: 60, body: "")
        large.request.body = cutBody
        large.response?.body = cutBody
        let frames = [
            frame(.server, .text, "{\"type\":\"connected\"}", at: 4000), compressed,
            frame(.client, .ping, "", at: 4500), frame(.server, .pong, "", at: 4600),
            frame(.client, .text, "Olá \u{1F4AA} \"\\\n\u{0}", at: 5000),
            frame(.server, .binary, bytes: [0, 0xFF, 0x10], at: 6000), frame(.server, .text, bytes: [0xC3], at: 7000),
            SessionFrame(
                sender: .server, time: time(8000), opcode: .text, payload: RecordedBody(Array("ab".utf8), of: 9)),
            SessionFrame(sender: .server, time: time(9000), opcode: .binary, payload: RecordedBody([1], of: 3)),
            frame(.client, .close, bytes: close(1000, "bye"), at: 10_000),
            frame(.server, .close, bytes: close(1000), at: 10_001),
        ]
        return Session(entries: [
            exchange("POST", "/api/v1/consultations", at: 0, status: 201, body: "{\"persona\":\"coach\"}"),
            exchange("GET", "/api/v1/goals", at: 10, status: nil),
            exchange("DELETE", "/api/v1/goals/1", at: 20, status: 204, body: "", answer: ""), socket(at: 30),
            incomplete, binary, coded, empty, large,
            socket(
                at: 70, frames: frames, ending: SessionEnding(time: time(10_002), party: .client, cause: .closeFrame)),
            exchange("GET", "/api/v1/consultations/c1/ws", at: 80, status: 401),
            socket(
                "/second", at: 90, frames: [frame(.server, .ping, "p", at: 4000)],
                ending: SessionEnding(time: time(10_003), party: .server, cause: .reset)),
        ])
    }
}

extension HARFile {
    private struct Unexpected: Error {}

    static func fixture(_ name: String) throws -> HARFile {
        try HARFile(reading: Array(Data(contentsOf: URL.fixtures.appending(path: "har/\(name).har"))))
    }

    /// An entry, which must not be a socket.
    func exchange(_ index: Int = 0) throws -> SessionExchange {
        guard !session.entries[index].isSocket else { throw Unexpected() }
        return session.entries[index]
    }

    /// An entry, which must be a socket.
    func socket(_ index: Int) throws -> SessionExchange {
        guard session.entries[index].isSocket else { throw Unexpected() }
        return session.entries[index]
    }
}
