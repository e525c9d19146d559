import FitIQAPI
import JSON
import Testing
import Text
import WebSocket

@testable import Traffic

@Suite("A file that grows")
struct SessionWriterTests {
    @Test(
        "Every write leaves a file that opens; the finished one has the same session, sorted", arguments: [false, true])
    func everyWrite(batched: Bool) throws {
        var writer = SessionWriter(creatorVersion: "1.0")
        var file = GrowingFile()
        var expected: [SessionExchange] = []
        var exchanges: [SessionExchange] = []
        func flush() { if !batched { file.apply(writer.takeWrites()) } }
        flush()
        #expect(batched || file.bytes == HAREncoder.file(Session(), creatorVersion: "1.0"))
        // Two WebSockets by turns, with control frames between messages and exchanges between frames.
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

        let session = Session(
            entries: exchanges.sorted { $0.started < $1.started } + expected)
        #expect(try Set(file.session.entries.map(\.started)) == Set(session.entries.map(\.started)))
        #expect(try file.session.entries.sorted { $0.started < $1.started } == session.entries)
        let finished = file.finished(writer.compaction(notes: []))
        let read = try HARFile(reading: finished)
        #expect(read.session == session)
        #expect(try JSON.parse(finished)["log"]?["entries"]?.array?.count == session.entries.count)
        #expect(try HARFile(reading: HAREncoder.file(read.session, creatorVersion: "1")).session == session)
        #expect(!finished.contains { $0 == 0x20 } || finished.count < file.bytes.count)
    }

    @Test("Of what began at the same time, requests come first, and each kind as it was written")
    func order() throws {
        var writer = SessionWriter(creatorVersion: "1.0")
        var file = GrowingFile()
        // More than any algorithm sorts by insertion, which would be stable.
        for number in 0..<40 {
            _ = writer.open(Samples.socket("/ws/\(number)", at: 0))
            writer.write(Samples.exchange("GET", "/\(number)", at: 0))
        }
        file.apply(writer.takeWrites())
        let finished = try HARFile(reading: file.finished(writer.compaction(notes: [])))
        let paths = finished.session.entries.map { URLParts($0.request.url).target }
        #expect(paths == (0..<40).map { "/\($0)" } + (0..<40).map { "/ws/\($0)" })
    }

    @Test("A frame that exactly fits its room, and one byte more", arguments: [-1, 0, 1])
    func exactRoom(difference: Int) throws {
        var writer = SessionWriter(creatorVersion: "1.0")
        var file = GrowingFile()
        _ = writer.open(Samples.socket())
        let overhead = HAREncoder.message(Samples.frame(.client, .text, "")).count
        let frames = [
            Samples.frame(.client, .text, "a", at: 9000),
            // With its comma.
            Samples.frame(
                .client, .text,
                String(repeating: "b", count: SessionWriter.firstRoom.messages - 2 * overhead - 2 + difference),
                at: 9000),
            Samples.frame(.client, .text, "c", at: 9000),
        ]
        for frame in frames {
            writer.write(frame, to: 1)
            file.apply(writer.takeWrites())
            // One that fits needs no entry to continue in; the last one always does.
            let count = try JSON.parse(file.bytes)["log"]?["entries"]?.array?.count
            #expect(count == (frame == frames[0] || frame == frames[1] && difference <= 0 ? 1 : 2))
        }
        #expect(try file.session.entries == [Samples.socket(frames: frames)])
        let finished = file.finished(writer.compaction(notes: []))
        #expect(try HARFile(reading: finished).session == file.session)
    }

    @Test("At the limit the file stays whole, and nothing more is written")
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

    @Test("Nothing is written that could not be read again for its number of entries or values")
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

    @Test("As many values as the file may have are written, and not one more", arguments: [0, 1])
    func values(_ missing: Int) {
        // The file's own, those of an entry, and three for each field and each item of a query.
        var writer = SessionWriter(creatorVersion: "1.0", limits: HARLimits(values: 16 + 64 + 3 * 3 - missing))
        writer.write(Samples.exchange())
        #expect(writer.isFull == (missing > 0) && writer.exchangeCount == 1 - missing)
        #expect(writer.open(Samples.socket()) == nil && writer.socketCount == 0)
    }

    @Test("A file has as many entries as it may, those that continue a WebSocket included", arguments: [1, 2, 3])
    func entries(_ limit: Int) throws {
        var writer = SessionWriter(creatorVersion: "1.0", limits: HARLimits(entries: limit))
        _ = writer.open(Samples.socket())
        for _ in 0..<200 { writer.write(Samples.frame(.server, .text, String(repeating: "x", count: 500)), to: 1) }
        var file = GrowingFile()
        file.apply(writer.takeWrites())
        #expect(writer.isFull)
        #expect(try JSON.parse(file.bytes)["log"]?["entries"]?.array?.count == limit)
    }

    @Test("A WebSocket is counted and numbered, and each control frame says after how many messages it came")
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

    @Test(
        "A frame larger than the room has a room of its own", arguments: [4000, 4100, 300_000])
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

    @Test("What is waiting is written together")
    func coalesced() {
        var writer = SessionWriter(creatorVersion: "1.0")
        for _ in 0..<5 { writer.write(Samples.exchange()) }
        _ = writer.open(Samples.socket())
        for _ in 0..<5 { writer.write(Samples.frame(.client), to: 1) }
        // The empty file, the entries, the frames.
        #expect(writer.takeWrites().count == 3)
        writer.write(Samples.frame(.client), to: 1)
        #expect(writer.takeWrites().count == 1)
        #expect(writer.takeWrites().isEmpty)
    }
}
