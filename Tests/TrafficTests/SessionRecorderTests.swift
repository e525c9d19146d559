import FitIQAPI
import JSON
import Testing
import WebSocket

@testable import Traffic

@Suite("Session recorder")
struct SessionRecorderTests {
    private static let answer = WireStep.server("HTTP/1.1 200 OK⏎Content-Type: application/json⏎Content-Length: 2⏎⏎{}")

    private static func get(_ path: String, _ fields: String = "") -> WireStep {
        .client("GET \(path) HTTP/1.1⏎Host: api.example⏎\(fields)⏎")
    }

    /// Opens a connection and plays the steps, a millisecond apart.
    private static func play(_ steps: WireStep..., into recorder: SessionRecorder, on connection: UInt64 = 1) {
        recorder.opened(connection, scheme: "http")
        for (index, step) in steps.enumerated() { recorder.play(step, on: connection, at: Wire.time(index)) }
    }

    @Test("The recorder records many concurrent connections into a file that always opens")
    func manyConnections() throws {
        let recorder = SessionRecorder { $0.keepsSecrets = true }
        var file = GrowingFile()
        let conversations = Conversation.all + SocketConversations.all
        for index in conversations.indices { recorder.opened(UInt64(index), scheme: "https") }
        // Play one step of each connection in turn.
        for step in 0..<10 {
            for (index, conversation) in conversations.enumerated() where step < conversation.steps.count {
                recorder.play(conversation.steps[step], on: UInt64(index), at: Wire.time(step * 100 + index))
            }
            file.apply(recorder.takeWrites())
        }
        let compaction = recorder.finish(at: Wire.time(5000))
        file.apply(recorder.takeWrites())
        let finished = try HARFile(reading: file.finished(compaction))
        #expect(finished.session.entries.count == recorder.exchangeCount + recorder.socketCount)
        #expect(recorder.socketCount == 9)
        #expect(recorder.takeNotes().count == 10)
        let starts = finished.session.entries.map(\.started)
        #expect(starts == starts.sorted())
        #expect(try Set(file.session.entries.map(\.request.url)) == Set(finished.session.entries.map(\.request.url)))
        #expect(finished.session.entries.contains { $0.request.url == "wss://api.example/api/v1/chat?x=1" })
    }

    @Test("Identical calls produce identical files")
    func deterministic() {
        func record() -> [FileWrite] {
            let recorder = SessionRecorder { _ in }
            for index in 0..<20 as Range<UInt64> {
                recorder.opened(index, scheme: "http")
                recorder.play(Self.get("/\(index)?token=t\(index)"), on: index, at: Wire.time(Int(index)))
            }
            _ = recorder.finish(at: Wire.time(100))
            return recorder.takeWrites()
        }
        #expect(record() == record())
    }

    @Test(
        "The recorder omits excluded paths and everything under them",
        arguments: [
            ("/__admin", false), ("/__admin/worlds?x", false), ("/__admin?x", false), ("/__administrator", true),
            ("/health", false), ("/healthy", true), ("/api/health", true), ("/", true),
        ])
    func excluded(_ path: String, _ isRecorded: Bool) {
        let recorder = SessionRecorder { $0.excludedPaths = ["/__admin", "/health"] }
        Self.play(Self.get(path), Self.answer, into: recorder)
        #expect(recorder.exchangeCount == (isRecorded ? 1 : 0))
    }

    @Test("The recorder omits an excluded WebSocket and its frames")
    func excludedSocket() {
        let recorder = SessionRecorder { $0.excludedPaths = ["/api/v1/chat"] }
        _ = recorder.takeWrites()
        recorder.opened(1, scheme: "http")
        for (index, step) in SocketConversations.all[0].steps.enumerated() {
            recorder.play(step, on: 1, at: Wire.time(index))
        }
        #expect(recorder.takeWrites().isEmpty)
    }

    @Test(
        "The recorder replaces secrets before writing unless it is configured to keep them", arguments: [false, true])
    func secrets(keeps: Bool) throws {
        let recorder = SessionRecorder { $0.keepsSecrets = keeps }
        var file = GrowingFile()
        recorder.opened(1, scheme: "https")
        recorder.play(
            Self.get("/a?token=aaaabbbbcccc", "Authorization: Bearer dddd3eeeffff⏎X-API-Key: my-very-own-key⏎"), on: 1,
            at: Wire.time(0))
        recorder.play(
            .server("HTTP/1.1 200 OK⏎Content-Length: 32⏎⏎{\"a\":\"dddd3eeeffff\",\"b\":\"x@y.de\"}"), on: 1,
            at: Wire.time(1))
        recorder.opened(2, scheme: "https")
        recorder.play(.client(Wire.handshake), on: 2, at: Wire.time(2))
        recorder.play(.server(Wire.accepted), on: 2, at: Wire.time(3))
        recorder.play(.client(Wire.text("x@y.de has dddd3eeeffff", masked: true)), on: 2, at: Wire.time(4))
        file.apply(recorder.takeWrites())
        let text = String(decoding: file.bytes, as: UTF8.self)
        for secret in ["aaaabbbbcccc", "dddd3eeeffff", "my-very-own-key", "x@y.de"] {
            #expect(text.contains(secret) == keeps, "\(secret)")
        }
        for placeholder in [
            "?token=redacted-token-1", "Bearer redacted-token-2", "redacted-api-key-1",
            "user-1@redacted.example has redacted-token-2",
        ] { #expect(text.contains(placeholder) == !keeps, "\(placeholder)") }
    }

    @Test("The recorder omits a body in an unknown coding unless it keeps secrets", arguments: [false, true])
    func codings(keepsSecrets: Bool) throws {
        let recorder = SessionRecorder { $0.keepsSecrets = keepsSecrets }
        var file = GrowingFile()
        Self.play(
            Self.get("/a?token=s3cret"), .server("HTTP/1.1 200 OK⏎Content-Encoding: br⏎Content-Length: 3⏎⏎abc"),
            into: recorder)
        file.apply(recorder.takeWrites())
        let url = "http://api.example/a?token=\(keepsSecrets ? "s3cret" : "redacted-token-1")"
        let note =
            "The body of the answer to GET \(url) has the content coding br, which the recorder cannot decode to find "
            + "secrets, so it records the body only if secrets are kept."
        #expect(recorder.takeNotes() == (keepsSecrets ? [] : [note]))
        let read = try HARFile(reading: file.finished(recorder.finish(at: Wire.time(3))))
        #expect((read.notes, read.isWhole) == ((keepsSecrets ? [] : [.lost(.cutBody, count: 1, entries: [1])]), true))
    }

    @Test("Recorded URLs have the configured authority")
    func authority() throws {
        let recorder = SessionRecorder { $0.authority = "real.example:8443" }
        var file = GrowingFile()
        recorder.opened(1, scheme: "https")
        recorder.play(Self.get("/x?y=z"), on: 1, at: Wire.time(0))
        recorder.play(Self.answer, on: 1, at: Wire.time(1))
        file.apply(recorder.takeWrites())
        #expect(try file.session.entries.map(\.request.url) == ["https://real.example:8443/x?y=z"])
    }

    @Test("The recorder reports a full file once and keeps its content")
    func full() throws {
        let recorder = SessionRecorder { $0.fileLimits.bytes = 3000 }
        var file = GrowingFile()
        recorder.opened(1, scheme: "https")
        for index in 0..<20 {
            recorder.play(Self.get("/\(index)"), on: 1, at: Wire.time(2 * index))
            recorder.play(Self.answer, on: 1, at: Wire.time(2 * index + 1))
            file.apply(recorder.takeWrites())
        }
        #expect(recorder.isFull)
        let notes = recorder.takeNotes()
        #expect(notes == [Messages.fileFull(HARLimits(bytes: 3000))])
        #expect(try file.session.entries.count == recorder.exchangeCount)
        #expect((1..<20).contains(recorder.exchangeCount))
        let finished = try HARFile(reading: file.finished(recorder.finish(at: Wire.time(100))))
        #expect(finished.notes == [.recorded(notes[0])])
    }

    @Test("The recorder follows a connection up to exactly its byte limit", arguments: [0, 1])
    func heldLimit(missing: Int) {
        let recorder = SessionRecorder { $0.heldBytes = 1000 - missing }
        let part = String(repeating: "x", count: 1000)
        Self.play(Self.get("/"), .server("HTTP/1.1 200 OK⏎Content-Length: 1001⏎⏎\(part)"), into: recorder)
        #expect(recorder.takeNotes().count == missing)
    }

    @Test("A file contains at most a hundred notes, and the log contains all of them")
    func manyNotes() throws {
        let recorder = SessionRecorder { _ in }
        for connection in 0..<101 as Range<UInt64> {
            Self.play(.client("GET / HTTP/1.1⏎⏎"), into: recorder, on: connection)
        }
        #expect(recorder.takeNotes().count == 101)
        var file = GrowingFile()
        let compaction = recorder.finish(at: Wire.time(1))
        file.apply(recorder.takeWrites())
        let finished = try HARFile(reading: file.finished(compaction))
        #expect(finished.notes.count == SessionRecorder.mostNotesInFile)
    }

    @Test("The recorder stops recording connections beyond the shared limit")
    func held() throws {
        let recorder = SessionRecorder { $0.heldBytes = 2500 }
        var file = GrowingFile()
        let half = String(repeating: "x", count: 1000)
        for connection in 1...3 as ClosedRange<UInt64> {
            Self.play(
                Self.get("/\(connection)"), .server("HTTP/1.1 200 OK⏎Content-Length: 1001⏎⏎\(half)"), into: recorder,
                on: connection)
        }
        for connection in 1...3 as ClosedRange<UInt64> { recorder.play(.server("y"), on: connection, at: Wire.time(2)) }
        #expect(recorder.takeNotes() == [Messages.tooMuchHeld(limit: 2500)])
        // All of the memory has been released, so the same amount fits again.
        for connection in 1...2 as ClosedRange<UInt64> {
            recorder.play(Self.get("/again"), on: connection, at: Wire.time(3))
            recorder.play(.server("HTTP/1.1 200 OK⏎Content-Length: 1000⏎⏎\(half)"), on: connection, at: Wire.time(4))
        }
        #expect(recorder.takeNotes().isEmpty)
        file.apply(recorder.takeWrites())
        let complete = try file.session.entries.map { !$0.isSocket && $0.response?.isComplete == true }
        #expect(complete == [false, true, true, true, true] || complete == [true, true, false, true, true])
    }

    @Test("The recorder ignores unknown connections and reports unfinished connections")
    func loose() throws {
        let recorder = SessionRecorder { _ in }
        var file = GrowingFile()
        recorder.play(Self.get("/unknown"), on: 9, at: Wire.time(0))
        recorder.opened(1, scheme: "http")
        recorder.play(Self.get("/half"), on: 1, at: Wire.time(0))
        let compaction = recorder.finish(at: Wire.time(3))
        recorder.play(Self.answer, on: 1, at: Wire.time(4))
        file.apply(recorder.takeWrites())
        let entries = try HARFile(reading: file.finished(compaction)).session.entries
        #expect(entries.count == 1)
        let exchange = try #require(entries.first)
        #expect(exchange.response == nil)
        #expect(exchange.lasted == 3_000_000)
    }

    @Test("A note that quotes input is short and has no control characters")
    func longNotes() throws {
        let recorder = SessionRecorder { _ in }
        recorder.opened(1, scheme: "http")
        let extensions = "\u{9B}31m" + String(repeating: "x", count: 60_000)
        let upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\n"
        recorder.play(.client(Array("GET / HTTP/1.1\r\nHost: h\r\n\(upgrade)\r\n".utf8)), on: 1, at: Samples.time())
        let answer = "HTTP/1.1 101 Switching Protocols\r\n\(upgrade)Sec-WebSocket-Extensions: \(extensions)\r\n\r\n"
        recorder.play(.server(Array(answer.utf8)), on: 1, at: Samples.time(1))
        let note = try #require(recorder.takeNotes().first)
        #expect(note.utf8.count < 1100 && note.hasSuffix("…"))
        #expect(note.contains(#"\x9B31mxxx"#) && !note.contains("\u{9B}"))
        var file = GrowingFile()
        file.apply(recorder.takeWrites())
        // The text is stored once as the field, and not again in the note.
        #expect(file.finished(recorder.finish(at: Samples.time(2))).count < 65_000)
    }
}
