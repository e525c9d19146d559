import FitIQAPI
import Testing
import Text
import WebSocket

@testable import Traffic

@Suite("Reading a saved journal")
struct JournalReaderTests {
    /// The lines of some text, read in chunks of this size.
    static func read(_ bytes: [UInt8], chunk: Int = .max) throws -> [JournalReader.Line] {
        var reader = JournalReader()
        var lines: [JournalReader.Line] = []
        for start in stride(from: 0, to: bytes.count, by: chunk == .max ? max(bytes.count, 1) : chunk) {
            reader.receive(bytes[start..<min(bytes.count, chunk == .max ? bytes.count : start + chunk)])
            while let line = try reader.next() { lines.append(line) }
        }
        reader.finish()
        while let line = try reader.next() { lines.append(line) }
        return lines
    }

    /// The first error in a text, and whether it is an unfinished last line.
    static func error(_ text: String) -> (refusal: Refusal, isUnfinished: Bool)? {
        var reader = JournalReader()
        reader.receive(Array(text.utf8))
        reader.finish()
        do throws(Refusal) {
            while try reader.next() != nil {}
            return nil
        } catch { return (error, reader.isUnfinished) }
    }

    @Test("Each kind of entry survives writing and reading", arguments: JournalEncoderTests.rows.indices)
    func roundTrip(row: Int) throws {
        let expected = JournalEncoderTests.rows[row].json
        let lines = try Self.read(Array((expected + "\n").utf8))
        #expect(lines.map { String(decoding: JournalEncoder().encode($0.entry), as: UTF8.self) } == [expected])
        #expect(lines.first?.number == 1 && lines.first?.entry.connection == 7)
    }

    @Test("Random entries survive reading in pieces of any size", arguments: 0..<40 as Range<UInt64>)
    func random(seed: UInt64) throws {
        var events = RandomEvents(seed: seed)
        var journal = Journal()
        for _ in 0..<40 {
            journal.record(events.event(), at: events.time(), connection: UInt64(events.numbers.below(3)))
        }
        let encoder = JournalEncoder(world: events.numbers.once(in: 2) ? "a-world-with-a-name-\(seed)" : nil)
        var text: [UInt8] = []
        for entry in journal.entries() { encoder.appendLine(entry, to: &text) }
        let lines = try Self.read(text, chunk: 1 + events.numbers.below(900))
        #expect(lines.map(\.number) == Array(1...40))
        #expect(lines.allSatisfy { $0.world?.text == encoder.world })
        var again: [UInt8] = []
        for line in lines { encoder.appendLine(line.entry, to: &again) }
        #expect(String(decoding: again, as: UTF8.self) == String(decoding: text, as: UTF8.self))
        // An entry's weight is its content.
        let weights = zip(lines, journal.entries()).filter { $0.0.entry.event.kind == .frame && !isClose($0.0.entry) }
        #expect(weights.allSatisfy { $0.0.entry.byteCount == $0.1.byteCount })
    }

    private func isClose(_ entry: JournalEntry) -> Bool {
        guard case .frame(let frame) = entry.event else { return false }
        return frame.opcode == .close
    }

    @Test("The reader keeps the request values that judges need")
    func request() throws {
        let line = JournalEncoderTests.rows[0].json
        let exchange = try #require(try Self.read(Array(line.utf8)).first?.entry.event.exchange)
        #expect(exchange.head.method == .post && exchange.head.target.path == "/api/v1/goals")
        #expect(exchange.head.target.query == "a=b" && exchange.head.fields[.authorization] == "Bearer x")
        #expect(exchange.endpoint == .createGoal && exchange.user == "alice" && exchange.status == 201)
        #expect(exchange.requestedAt == JournalSample.time.advanced(byNanoseconds: -5))
        #expect(exchange.responseFields.nameValuePairs.map(\.name) == ["Content-Type", "Date"])
    }

    @Test("The reader accepts members in any order, with any spelling and white space")
    func spelling() throws {
        let text = """
            \t{ "payload" : "a\\u00e9\\ud83d\\ude00\\/" , "opcode":"text","direction":"client_to_server", "kind": "frame",
            """.replacing("\n", with: "")
            + #" "later": {"a": [1, {"b": [[], {}, null, true, -0.5e-3]}]}, "connection": 1.2e1, "t\u0069me":"2025-01-29T10:30:00.5Z","number":30E-1}"#
            + "\r\n \n"
        let line = try #require(try Self.read(Array(text.utf8)).first)
        #expect(line.entry.number == 3 && line.entry.connection == 12)
        #expect(line.entry.time == JournalSample.time.advanced(byNanoseconds: 500_000_000))
        let frame = try #require(line.entry.event.frame)
        #expect(frame.sender == .client && String(decoding: frame.payload.bytes, as: UTF8.self) == "aé😀/")
    }

    @Test("The reader skips unknown kinds and empty lines")
    func unknown() throws {
        let start = #"{"number":1,"time":"2025-01-29T10:30:00Z","kind":"#
        let text = "\n\(start)\"teleport\",\"where\":[1]}\n  \n\t\r\n\(start)\"note\",\"text\":\"x\"}"
        let lines = try Self.read(Array(text.utf8))
        #expect(lines.map(\.number) == [5])
    }

    static let start = #"{"number":1,"time":"2025-01-29T10:30:00Z","kind":"#
    private static func entry(_ rest: String) -> String { start + rest + "\n" }

    static let mistakes: KeyValuePairs<String, String> = [
        "[1]\n":
            "line 1: a journal line must be an object, as in the answer to GET /__admin/journal; this line is not an "
            + "object.",
        "{}\n": "line 1: the entry has no 'kind'; is this journal line complete?",
        "{\"kind\":1}\n": "line 1: 'kind' must be a string; got 1.",
        "{\"kind\":\"note\"}\n": "line 1: the entry has no 'number'; is this journal line complete?",
        "{\"kind\":\"note\",\"number\":0}\n": "line 1: 'number' must be a whole number from 1; got 0.",
        #"{"kind":"note","number":"\u009b31m\u202eabc"}"# + "\n":
            "line 1: 'number' must be a whole number from 1; got \"\u{FFFD}31m\u{FFFD}abc\".",
        "{\"kind\":\"note\",\"number\":1.5}\n": "line 1: 'number' must be a whole number from 1; got 1.5.",
        "\n{\"kind\":\"note\",\"number\":1,\"time\":\"2025-02-29T10:30:00Z\"}\n":
            "line 2: 'time' must be a time in UTC such as \"2025-01-29T10:30:00.250000000Z\"; "
            + "got \"2025-02-29T10:30:00Z\".",
        "{\"a\":1,}\n":
            "line 1, column 8: this is not valid JSON: expected a member name after ',' but found '}'; remove the "
            + "trailing comma.",
        "{\"a\":\"\\ud800\"}\n": "line 1, column 7: this is not valid JSON: ",
        entry(#""frame","opcode":"text","direction":"up"}"#):
            "line 1: 'direction' must be one of client_to_server, server_to_client; got \"up\".",
        entry(#""frame","opcode":"hop","direction":"client_to_server"}"#):
            "line 1: 'opcode' must be one of text, binary, continuation, close, ping, pong; got \"hop\".",
        entry(#""frame","opcode":"text","direction":"client_to_server","payload_base64":"a"}"#):
            "line 1: 'payload_base64' must be base64 with padding (RFC 4648 §4); got \"a\".",
        entry(#""frame","opcode":"text","direction":"client_to_server","payload":"abc","payload_bytes":2}"#):
            "line 1: 'payload_bytes' must be a whole number from 0; got 2.",
        entry(
            #""exchange","requested_at":"2025-01-29T10:30:00Z","request":{"method":"GET","target":"/","version":"1.1","fields":[{"name":"a:b","value":"c"}]}}"#
        ):
            "line 1: 'fields' must be an array of objects with \"name\" and \"value\", both without line breaks; got ",
        entry(#""held","breakpoint":"b","place":"door"}"#):
            "line 1: 'place' must be one of request, response, handshake, frame; got \"door\".",
        entry(#""held","breakpoint":"b","place":"frame","direction":"client_to_server","until":"soon","subject":""}"#):
            "line 1: 'until' must be a time in UTC such as \"2025-01-29T10:30:00.250000000Z\"; got \"soon\".",
        entry(#""released","held":0}"#): "line 1: 'held' must be a whole number from 1; got 0.",
        entry(#""released","held":1,"breakpoint":"b","action":"lost"}"#):
            "line 1: 'action' must be one of continued, changed, dropped, answered, expired, left, ended; got \"lost\".",
        entry(#""released","held":1,"breakpoint":"b","action":"left"}"#):
            "line 1: the entry has no 'due'; is this journal line complete?",
        entry(#""closed","by":"nobody","cause":"reset"}"#):
            "line 1: 'by' must be one of client, server; got \"nobody\".",
        entry(
            #""exchange","requested_at":"2025-01-29T10:30:00Z","request":{"method":"GET","target":"x y","version":"1.1","fields":[]}}"#
        ):
            "line 1: the recorded request is not valid: ",
        entry(
            #""exchange","requested_at":"2025-01-29T10:30:00Z","request":{"method":"GET","target":"/","version":"1.1","fields":[{"name":"a","value":"b\r\nc"}]}}"#
        ):
            "line 1: 'fields' must be an array of objects with \"name\" and \"value\", both without line breaks; got ",
    ]

    @Test("The reader reports each error with its location", arguments: mistakes)
    func mistake(text: String, message: String) throws {
        let error = try #require(Self.error(text))
        #expect(error.refusal.description.hasPrefix(message), "\(error)")
        #expect(!error.isUnfinished)
    }

    @Test("The reader distinguishes a last line truncated at any byte from an invalid line")
    func unfinished() throws {
        let line = Array(JournalEncoderTests.rows[0].json.utf8)
        let first = Self.start + "\"note\",\"text\":\"x\"}\n"
        for end in 1..<line.count {
            let cut = String(decoding: line[..<end], as: UTF8.self)
            let error = try #require(Self.error(first + cut))
            #expect(error.isUnfinished && error.refusal.place == ["line 2"], "cut at \(end)")
            // Nothing identifies this text as a journal.
            let alone = try #require(Self.error(cut))
            #expect(!alone.isUnfinished && alone.refusal.place.first == "line 1", "cut at \(end)")
        }
        #expect(try Self.read(line).count == 1)
    }

    @Test(
        "An unfinished last line is invalid unless it starts an entry",
        arguments: ["garbage", "[1,2", "\"abc", "\0\0\0", "}", "\u{1F}\u{8B}", "tru"])
    func garbage(text: String) throws {
        for first in ["", Self.start + "\"note\",\"text\":\"x\"}\n"] {
            let error = try #require(Self.error(first + text))
            #expect(!error.isUnfinished && error.refusal.place.first == "line \(first.isEmpty ? 1 : 2)", "\(error)")
            #expect(error.refusal.message.hasPrefix("this is not valid JSON: "), "\(error)")
        }
    }

    @Test("The reader accepts a declared payload length that matches the whole payload")
    func wholePayload() throws {
        let text =
            Self.start
            + #""frame","opcode":"text","direction":"client_to_server","payload":"abc","payload_bytes":3}"#
        let frame = try #require(try Self.read(Array(text.utf8)).first?.entry.event.frame)
        #expect(frame.payload.byteCount == 3 && !frame.payload.isCut)
    }

    @Test("The reader accepts newer journals' members up to a depth of 64", arguments: [64, 65])
    func depth(_ count: Int) {
        let nested = String(repeating: "[", count: count) + String(repeating: "]", count: count)
        let text = Self.start + #""note","text":"x","later":\#(nested)}"#
        #expect((Self.error(text) == nil) == (count == JournalReader.depthLimit))
    }

    @Test(
        "The reader determines which side closed a socket first",
        arguments: [
            ("server", "close_frame", true, true, .weStarted), ("client", "close_frame", true, true, .theyStarted),
            ("server", "close_frame", true, false, nil), ("server", "close_frame", false, true, nil),
            ("server", "finish", true, true, nil), ("client", "reset", false, false, nil),
        ] as [(String, String, Bool, Bool, WebSocket.Connection.Initiator?)])
    func initiator(
        party: String, cause: String, hasSent: Bool, hasReceived: Bool, expected: WebSocket.Connection.Initiator?
    ) throws {
        var text = Self.start + #""closed","by":"\#(party)","cause":"\#(cause)""#
        if hasSent { text += #","server_close":{"code":1000}"# }
        if hasReceived { text += #","client_close":{"code":1000}"# }
        let closing = try #require(try Self.read(Array((text + "}").utf8)).first?.entry.event.closing)
        #expect(closing.summary.initiator == expected)
    }

    @Test("The reader continues after a bad line")
    func goesOn() throws {
        var reader = JournalReader()
        reader.receive(Array("{}\n\(Self.start)\"note\",\"text\":\"x\"}\n".utf8))
        #expect(throws: Refusal.self) { try reader.next() }
        #expect(try reader.next()?.number == 2)
        #expect(try reader.next() == nil)
    }

    @Test("The reader accepts a line up to the limit and buffers at most that many bytes", arguments: [0, 1])
    func limit(over: Int) throws {
        let start = Array((Self.start + #""note","text":""#).utf8)
        let filler = JournalReader.lineLimit - start.count - 2 + over
        let line = start + [UInt8](repeating: UInt8(ascii: "x"), count: filler) + Array("\"}\n".utf8)
        var reader = JournalReader()
        var found: [Int] = []
        var errors: [String] = []
        for chunk in stride(from: 0, to: line.count, by: 1 << 20) {
            reader.receive(line[chunk..<min(line.count, chunk + 1 << 20)])
            do {
                while let line = try reader.next() { found.append(line.number) }
            } catch { errors.append(error.description) }
        }
        reader.receive(Array("\(Self.start)\"note\",\"text\":\"x\"}\n".utf8))
        while let line = try reader.next() { found.append(line.number) }
        #expect(found == (over == 0 ? [1, 2] : [2]))
        #expect(
            errors
                == (over == 0
                    ? []
                    : [
                        "line 1: the line has more than 4 MiB, which is the limit; no journal has lines that long."
                    ]))
    }

    @Test("The reader skips the rest of an overlong line and reads the next lines")
    func restOfLongLine() throws {
        var reader = JournalReader()
        reader.receive([UInt8](repeating: UInt8(ascii: "x"), count: JournalReader.lineLimit + 1))
        let error = #expect(throws: Refusal.self) { try reader.next() }
        #expect(error?.place == ["line 1"])
        let note = Array("\(Self.start)\"note\",\"text\":\"x\"}\n".utf8)
        reader.receive(Array("x".utf8))
        reader.receive(Array("x\n".utf8) + note)
        #expect(try reader.next()?.number == 2)
        #expect(try reader.next() == nil)
        reader.receive(note)
        #expect(try reader.next()?.number == 3)
    }

    @Test("A line with a changed byte is rejected or survives writing and reading", arguments: 0..<20 as Range<UInt64>)
    func mutations(seed: UInt64) throws {
        var events = RandomEvents(seed: seed &+ 1000)
        var read = 0
        for row in JournalEncoderTests.rows.indices {
            let line = Array(JournalEncoderTests.rows[row].json.utf8)
            let unchanged = try Self.read(line).map {
                String(decoding: JournalEncoder().encode($0.entry), as: UTF8.self)
            }
            #expect(unchanged == [JournalEncoderTests.rows[row].json])
            for _ in 0..<40 {
                var changed = line
                changed[events.numbers.below(line.count)] = UInt8(events.numbers.below(256))
                guard let lines = try? Self.read(changed + [0x0A]) else { continue }
                for line in lines {
                    read += 1
                    let encoder = JournalEncoder(world: line.world?.text)
                    var written: [UInt8] = []
                    encoder.appendLine(line.entry, to: &written)
                    let again = try Self.read(written)
                    #expect(again.count == 1, "\(String(decoding: changed, as: UTF8.self))")
                    #expect(again.first?.entry.number == line.entry.number)
                    if line.entry.event.kind == .frame, !isClose(line.entry) {
                        #expect(again.first?.entry.byteCount == line.entry.byteCount)
                    }
                    var twice: [UInt8] = []
                    for line in again { encoder.appendLine(line.entry, to: &twice) }
                    #expect(String(decoding: twice, as: UTF8.self) == String(decoding: written, as: UTF8.self))
                }
            }
        }
        // Most changes affect only texts.
        #expect(read > 20)
    }

    @Test(
        "The reader reads times to the nanosecond and rejects other strings",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.000000001Z", 1),
            ("1969-12-31T23:59:59.9Z", -100_000_000),
            ("2024-02-29T00:00:00Z", 1_709_164_800_000_000_000), ("2023-02-29T00:00:00Z", nil),
            ("1970-01-01T00:00:00.Z", nil), ("1970-01-01T00:00:00.0000000001Z", nil), ("1970-01-01 00:00:00Z", nil),
            ("1970-01-01T24:00:00Z", nil), ("1970-13-01T00:00:00Z", nil), ("1677-01-01T00:00:00Z", nil), ("", nil),
        ] as [(String, Int64?)])
    func times(text: String, nanoseconds: Int64?) {
        let bytes = Array(text.utf8)
        #expect(bytes.withUnsafeBufferPointer { Timestamp(reading: $0)?.nanosecondsSinceEpoch } == nanoseconds)
    }
}
