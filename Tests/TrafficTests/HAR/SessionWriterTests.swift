import FitIQAPI
import JSON
import TestSupport
import Testing
import Text
import WebSocket

@testable import Traffic

@Suite("A growing file")
struct SessionWriterTests {
    @Test(
        "A session file opens after every write, and the finished file has a sorted session", arguments: [false, true])
    func everyWrite(batched: Bool) throws {
        var writer = SessionWriter(creatorVersion: "1.0")
        var file = GrowingFile()
        var expected: [SessionExchange] = []
        var exchanges: [SessionExchange] = []
        func flush() { if !batched { file.apply(writer.takeWrites()) } }
        flush()
        #expect(batched || file.bytes == HAREncoder.file(Session(), creatorVersion: "1.0"))
        // Two alternating WebSockets, with control frames between messages and exchanges between frames.
        for number in 0..<2 {
            let socket = Samples.socket("/ws/\(number)", at: Int64(number) * 10 + 5000)
            expected.append(socket)
            #expect(writer.open(socket) == number + 1)
            flush()
        }
        for index in 0..<120 {
            let number = index % 2
            let opcode: Opcode = index % 10 == 3 ? .ping : index % 10 == 8 ? .binary : .text
            let text = opcode == .ping ? "p\(index)" : String(repeating: "ü\"\n", count: index * 2) + "\(index)"
            let frame = Samples.frame(index % 3 == 0 ? .client : .server, opcode, text, at: Int64(index) * 1000 + 9000)
            expected[number].frames.append(frame)
            writer.write(frame, to: number + 1)
            flush()
            if index % 30 == 0 {
                exchanges.append(Samples.exchange("GET", "/\(index)", at: Int64(120 - index)))
                writer.write(exchanges[exchanges.count - 1])
                flush()
            }
        }
        let ending = SessionEnding(time: Samples.time(200_000), party: .server, cause: .reset)
        expected[1].ending = ending
        writer.end(2, ending)
        file.apply(writer.takeWrites())
        #expect(batched ? file.writeCount < 60 : file.writeCount > 120)

        let session = Session(entries: exchanges.sorted { $0.started < $1.started } + expected)
        #expect(try Set(file.session.entries.map(\.started)) == Set(session.entries.map(\.started)))
        #expect(try file.session.entries.sorted { $0.started < $1.started } == session.entries)
        let finished = file.finished(writer.compaction(notes: []))
        let read = try HARFile(reading: finished)
        #expect(read.session == session)
        #expect(try JSON.parse(finished)["log"]?["entries"]?.array?.count == session.entries.count)
        #expect(try HARFile(reading: HAREncoder.file(read.session, creatorVersion: "1")).session == session)
        #expect(!finished.contains { $0 == 0x20 } || finished.count < file.bytes.count)
    }

    @Test("Among entries with the same start, requests come first, in the order they were written")
    func order() throws {
        var writer = SessionWriter(creatorVersion: "1.0")
        var file = GrowingFile()
        // Use more entries than any algorithm sorts by insertion, because that would be stable.
        for number in 0..<40 {
            _ = writer.open(Samples.socket("/ws/\(number)", at: 0))
            writer.write(Samples.exchange("GET", "/\(number)", at: 0))
        }
        file.apply(writer.takeWrites())
        let finished = try HARFile(reading: file.finished(writer.compaction(notes: [])))
        let paths = finished.session.entries.map { URLParts($0.request.url).target }
        #expect(paths == (0..<40).map { "/\($0)" } + (0..<40).map { "/ws/\($0)" })
    }

    @Test("A frame may fill its reserved space exactly", arguments: [-1, 0, 1])
    func exactRoom(difference: Int) throws {
        var writer = SessionWriter(creatorVersion: "1.0")
        var file = GrowingFile()
        _ = writer.open(Samples.socket())
        let overhead = HAREncoder.message(Samples.frame(.client, .text, "")).count
        let frames = [
            Samples.frame(.client, .text, "a", at: 9000),
            // Count the frame with its comma.
            Samples.frame(
                .client, .text,
                String(repeating: "b", count: SessionWriter.firstRoom.messages - 2 * overhead - 2 + difference),
                at: 9000),
            Samples.frame(.client, .text, "c", at: 9000),
        ]
        for frame in frames {
            writer.write(frame, to: 1)
            file.apply(writer.takeWrites())
            // A frame that fits needs no continuation entry; the last frame always does.
            let count = try JSON.parse(file.bytes)["log"]?["entries"]?.array?.count
            #expect(count == (frame == frames[0] || frame == frames[1] && difference <= 0 ? 1 : 2))
        }
        #expect(try file.session.entries == [Samples.socket(frames: frames)])
        let finished = file.finished(writer.compaction(notes: []))
        #expect(try HARFile(reading: finished).session == file.session)
    }

    @Test("The writer stops at the limit and leaves the file complete")
    func limit() throws {
        let entry = HAREncoder.entry(Samples.exchange())
        let empty = HAREncoder.file(Session(), creatorVersion: "1.0").count
        for (limit, count) in [
            (empty + entry.count - 1, 0), (empty + entry.count, 1), (empty + 2 * entry.count + 2, 2),
        ] {
            var writer = SessionWriter(creatorVersion: "1.0", limits: HARLimits(bytes: limit))
            var file = GrowingFile()
            for _ in 0..<3 {
                writer.write(Samples.exchange())
                file.apply(writer.takeWrites())
            }
            #expect(writer.isFull)
            #expect(writer.open(Samples.socket()) == nil)
            #expect(writer.exchangeCount == count)
            #expect(file.bytes.count <= limit)
            #expect(try file.session.entries.count == count)
        }
    }

    @Test("The writer stays within the reader's limits on entries and values")
    func readableLimits() throws {
        for limits in [HARLimits(entries: 5), HARLimits(values: 500)] {
            var writer = SessionWriter(creatorVersion: "1.0", limits: limits)
            var file = GrowingFile()
            _ = writer.open(Samples.socket())
            for _ in 0..<200 {
                writer.write(Samples.exchange())
                writer.write(Samples.frame(.server, .text, String(repeating: "x", count: 500)), to: 1)
            }
            file.apply(writer.takeWrites())
            #expect(writer.isFull)
            #expect(throws: Never.self) { try HARFile(reading: file.bytes, limits: limits) }
            #expect(throws: Never.self) {
                try HARFile(reading: file.finished(writer.compaction(notes: [])), limits: limits)
            }
            #expect(writer.exchangeCount > 1)
        }
    }

    @Test("The writer writes values up to exactly the limit", arguments: [0, 1])
    func values(_ missing: Int) {
        // Count the file's own values, an entry's values, and three for each field and query item.
        var writer = SessionWriter(creatorVersion: "1.0", limits: HARLimits(values: 16 + 64 + 3 * 3 - missing))
        writer.write(Samples.exchange())
        #expect(writer.isFull == (missing > 0) && writer.exchangeCount == 1 - missing)
        #expect(writer.open(Samples.socket()) == nil && writer.socketCount == 0)
    }

    @Test("The writer writes entries up to exactly the limit, including continuations", arguments: [1, 2, 3])
    func entries(_ limit: Int) throws {
        var writer = SessionWriter(creatorVersion: "1.0", limits: HARLimits(entries: limit))
        _ = writer.open(Samples.socket())
        for _ in 0..<200 { writer.write(Samples.frame(.server, .text, String(repeating: "x", count: 500)), to: 1) }
        var file = GrowingFile()
        file.apply(writer.takeWrites())
        #expect(writer.isFull)
        #expect(try JSON.parse(file.bytes)["log"]?["entries"]?.array?.count == limit)
    }

    @Test("The writer numbers WebSockets and counts the messages before each control frame")
    func numbers() throws {
        var writer = SessionWriter(creatorVersion: "1.0")
        for number in 1...2 {
            #expect(writer.open(Samples.socket("/\(number)")) == number && writer.socketCount == number)
        }
        for (opcode, text) in [(Opcode.ping, "0"), (.text, "a"), (.ping, "1"), (.text, "b"), (.ping, "2")] {
            writer.write(Samples.frame(.client, opcode, text), to: 2)
        }
        var file = GrowingFile()
        file.apply(writer.takeWrites())
        let entries = try #require(try JSON.parse(file.bytes)["log"]?["entries"]?.array)
        #expect(entries.map { $0["_fitiq"]?["socket"] } == [1, 2])
        let frames = try #require(entries[1]["_fitiq"]?["controlFrames"]?.array)
        #expect(frames.map { $0["after"] } == [0, 1, 2])
    }

    @Test("A frame larger than the reserved space gets its own space", arguments: [4000, 4100, 300_000])
    func largeFrames(count: Int) throws {
        var writer = SessionWriter(creatorVersion: "1.0")
        var file = GrowingFile()
        _ = writer.open(Samples.socket())
        let frames = [10, count, 10, count, count].map {
            Samples.frame(.server, .text, String(repeating: "x", count: $0), at: 9000)
        }
        for frame in frames {
            writer.write(frame, to: 1)
            file.apply(writer.takeWrites())
        }
        #expect(try file.session.entries == [Samples.socket(frames: frames)])
        #expect(try HARFile(reading: file.finished(writer.compaction(notes: []))).session == file.session)
    }

    @Test("The writer combines waiting data into few writes")
    func coalesced() {
        var writer = SessionWriter(creatorVersion: "1.0")
        for _ in 0..<5 { writer.write(Samples.exchange()) }
        _ = writer.open(Samples.socket())
        for _ in 0..<5 { writer.write(Samples.frame(.client), to: 1) }
        // The writes are the empty file, the entries and the frames.
        #expect(writer.takeWrites().count == 3)
        writer.write(Samples.frame(.client), to: 1)
        #expect(writer.takeWrites().count == 1)
        #expect(writer.takeWrites().isEmpty)
    }
}

@Suite("A growing HAR")
struct GrowingTests {
    @Test("A socket's entry is complete after each frame written to its reserved space")
    func rooms() throws {
        let frames = [
            Samples.frame(.server, .text, "a", at: 4000), Samples.frame(.client, .ping, "p", at: 5000),
            Samples.frame(.client, .binary, bytes: [1], at: 6000),
            Samples.frame(.server, .close, bytes: Samples.close(1000), at: 7000),
        ]
        var socket = Samples.socket()
        let text = HAREncoder.socket(
            socket, number: 7, room: HARSocketRoom(messages: 400, controlFrames: 400, ending: HAREncoder.endingRoom))
        var bytes = HAREncoder.header(creatorVersion: "1") + text.bytes + HAREncoder.footer
        let start = HAREncoder.header(creatorVersion: "1").count
        func read() throws -> SessionExchange? {
            _ = try JSON.parse(bytes)
            let file = try HARFile(reading: bytes)
            #expect(HAREncoder.file(file.session, creatorVersion: "1").count < bytes.count, "the rooms are gone")
            return file.session.entries.first
        }
        func write(_ element: [UInt8], at offset: Int) {
            bytes.replaceSubrange((start + offset)..<(start + offset + element.count), with: element)
        }
        #expect(try read() == socket)
        var (messages, controls) = (0, 0)
        var (nextMessage, nextControl) = (text.messages.lowerBound, text.controlFrames.lowerBound)
        for frame in frames {
            let comma: [UInt8] = (frame.opcode.isControl ? controls : messages) > 0 ? [UInt8(ascii: ",")] : []
            if frame.opcode.isControl {
                let element = comma + HAREncoder.controlFrame(frame, after: messages)
                write(element, at: nextControl)
                nextControl += element.count
                controls += 1
            } else {
                let element = comma + HAREncoder.message(frame)
                write(element, at: nextMessage)
                nextMessage += element.count
                messages += 1
            }
            socket.frames.append(frame)
            #expect(try read() == socket)
        }
        #expect(nextMessage <= text.messages.upperBound && nextControl <= text.controlFrames.upperBound)
        let ending = SessionEnding(time: Samples.time(8000), party: .server, cause: .closeFrame)
        write(HAREncoder.ending(ending), at: text.ending.lowerBound)
        socket.ending = ending
        #expect(try read() == socket)
    }

    @Test("The reader joins entries that continue a socket")
    func continuations() throws {
        var socket = Samples.socket(frames: [Samples.frame(.server, .text, "a", at: 4000)])
        let first = HAREncoder.socket(socket, number: 3, room: HARSocketRoom(messages: 0, controlFrames: 0, ending: 0))
        let more = [
            Samples.frame(.client, .ping, "", at: 5000), Samples.frame(.client, .text, "b", at: 6000),
            Samples.frame(.server, .pong, "", at: 7000), Samples.frame(.server, .text, "c", at: 8000),
        ]
        let room = HARSocketRoom(messages: 400, controlFrames: 400, ending: HAREncoder.endingRoom)
        var next = HAREncoder.continuation(of: 3, url: socket.request.url, started: Samples.time(5000), room: room)
        let messages = HAREncoder.message(more[1]) + [UInt8(ascii: ",")] + HAREncoder.message(more[3])
        let controls =
            HAREncoder.controlFrame(more[0], after: 1) + [UInt8(ascii: ",")]
            + HAREncoder.controlFrame(more[2], after: 2)
        let ending = SessionEnding(time: Samples.time(9000), party: .client, cause: .finish)
        for (bytes, range) in [
            (messages, next.messages), (controls, next.controlFrames), (HAREncoder.ending(ending), next.ending),
        ] { next.bytes.replaceSubrange(range.lowerBound..<(range.lowerBound + bytes.count), with: bytes) }
        let between = Samples.exchange(at: 4500)
        var file = HAREncoder.header(creatorVersion: "1") + first.bytes + HAREncoder.separator
        file += HAREncoder.entry(between) + HAREncoder.separator + next.bytes + HAREncoder.footer
        socket.frames += more
        socket.ending = ending
        let read = try HARFile(reading: file).session
        #expect(read == Session(entries: [socket, between]))
    }

    @Test("Every ending fits in the reserved space")
    func endings() {
        for cause in SessionEnding.Cause.allCases {
            let latest = Timestamp(nanosecondsSinceEpoch: .max)
            let ending = HAREncoder.ending(SessionEnding(time: latest, party: .server, cause: cause))
            #expect(ending.count <= HAREncoder.endingRoom)
        }
    }

    @Test("A file cut at any byte opens with its complete entries and a note")
    func torn() throws {
        let session = Session(entries: [
            Samples.exchange("POST", "/a", at: 0, body: "{\"text\":\"\\\"}]\"}", answer: "é\u{1F4AA}"),
            Samples.socket(at: 10, frames: [Samples.frame(.client, .text, "]}}", at: 4000)]),
            Samples.exchange("GET", "/b", at: 20),
        ])
        let header = HAREncoder.header(creatorVersion: "1")
        var ends: [Int] = []
        var bytes = header
        for entry in session.entries {
            if !ends.isEmpty { bytes += HAREncoder.separator }
            bytes += entry.isSocket ? HAREncoder.socket(entry).bytes : HAREncoder.entry(entry)
            ends.append(bytes.count)
        }
        bytes += HAREncoder.footer(notes: ["Ended."])
        #expect(try HARFile(reading: bytes).session == session)
        for length in #"{"log":{"#.utf8.count..<(bytes.count - 1) {
            let file = try HARFile(reading: Array(bytes[..<length]))
            let whole = ends.count { $0 <= length }
            #expect(file.session.entries == Array(session.entries[..<whole]), "cut after \(length) bytes")
            #expect(file.notes == [.torn(entries: whole)], "cut after \(length) bytes")
        }
        let file = try HARFile(reading: bytes + [0, 0, 0])
        #expect(file.session.entries == session.entries && file.notes == [.torn(entries: 3), .recorded("Ended.")])
        for wrong in [[0xC3], [0xC3, 0], [0xF0, 0x9F]] as [[UInt8]] {
            #expect(throws: Refusal.self) { try HARFile(reading: bytes + wrong) }
        }
    }

    @Test("Another program's torn file with members after its entries also opens")
    func tornForeign() throws {
        let text =
            #"{"log":{"entries":[{"startedDateTime":"2025-01-29T10:30:00Z","request":{"method":"GET","#
            + #""url":"http://h/"},"response":{"status":200}}],"pages":[{"id":"p"#
        let file = try HARFile(reading: Array(text.utf8))
        #expect(file.session.entries.count == 1 && file.notes == [.torn(entries: 1)])
    }

    @Test(
        "A file that ends within its first entry counts as torn",
        arguments: [
            #"{"log":{"entries":["#, #"{"log":{"entries":[{"#, #"{"log":{"entries":[{"a"#,
            #"{"log":{"entries":[{"a":tru"#,
            #"{"log":{"entries":[{"a":-"#, #"{"log":{"entries":[{"a":"\u00"#, #"{"log":{"entries":[],"pages":[nul"#,
        ])
    func tornInTheFirst(_ text: String) throws {
        for text in [text, text.replacing("entries\":[", with: "entries\":[\n")] {
            for end in [[], [0, 0, 0], [0xC3], [0xF0, 0x9F, 0xA5]] as [[UInt8]] {
                // A scalar can be cut only in a string.
                if end.first ?? 0 > 0, !text.hasSuffix(#""a"#) { continue }
                let file = try HARFile(reading: Array(text.utf8) + end)
                #expect(file.session.entries.isEmpty && file.notes == [.torn(entries: 0)], "\(text) \(end)")
            }
        }
    }

    @Test(
        "The reader rejects an invalid file that is not torn",
        arguments: [
            #"{"log":{"entries":[{"startedDateTime":"2025-01-29T10:30:00Z" "x":1},{}"#, #"{"log":[[[["#, #"{"log":"#,
            #"{"log":{]]"#, #"{"log":{"version" 1.2,"pages":[],"entries""#, #"{"log":{},"x":{"#, "{",
            #"{"log":{"entries":[}]}}"#, #"{"logs":{"entries":["#, "[", "{]", "<html>", "{\"log\":{\"entries\":[]}}}",
            #"{"log":{"entries":[[[["#, #"{"log":{"entries":[garbage garbage"#, #"{"log":{"entries":[]@@@@"#,
            #"{"log":{"entries":[]nul"#, #"{"log":{"entries":[{"a":@"#, #"{"log":{"entries":[{"a":tr@"#,
            "{\"log\":{\"entries\":[\n[[[[", "{\"log\":{\"entries\":[\ngarbage",
            "{\"log\":{\"entries\":[\n{garbage garbage", "{\"log\":{\"entries\":[\n]@@@@",
            "{\"log\":{\"entries\":[]}}\0\0@", "{\"log\":{}}\0\0",
        ])
    func notTorn(_ text: String) throws {
        #expect {
            _ = try HARFile(reading: Array(text.utf8))
        } throws: { error in
            (error as? Refusal)?.message.hasPrefix("this is not valid JSON: ") == true
        }
    }
}

/// A file in memory that is checked after every write.
struct GrowingFile {
    var bytes: [UInt8] = []
    private(set) var writeCount = 0

    /// Applies the writes; each one must leave valid JSON and, on request, a readable session.
    mutating func apply(_ writes: [FileWrite], reading: Bool = true) {
        for write in writes {
            write.apply(to: &bytes)
            writeCount += 1
            do {
                _ = try JSON.parse(bytes)
                if reading { _ = try session }
            } catch { Issue.record("write \(writeCount) at \(write.offset): \(error)") }
        }
    }

    var session: Session { get throws { try HARFile(reading: bytes).session } }

    /// The file in its finished form.
    func finished(_ compaction: SessionCompaction) -> [UInt8] {
        var result: [UInt8] = []
        for piece in compaction.pieces {
            switch piece {
            case .bytes(let new): result += new
            case .range(let range): result += bytes[range]
            }
        }
        #expect(result.count == compaction.byteCount)
        return result
    }
}

extension SessionRecorder {
    /// Plays a step on a connection.
    func play(_ step: WireStep, on connection: UInt64, at time: Timestamp) {
        switch step {
        case .client(let bytes): bytes.withUnsafeBytes { clientSent($0, on: connection, at: time) }
        case .server(let bytes): bytes.withUnsafeBytes { serverSent($0, on: connection, at: time) }
        case .finished(let party): finished(connection, by: party, at: time)
        case .ended(let party, let isReset): ended(connection, by: party, isReset: isReset, at: time)
        }
    }

    convenience init(change: (inout Settings) -> Void) {
        var settings = Settings(creatorVersion: "1.0")
        change(&settings)
        self.init(settings: settings)
    }
}
