import FitIQAPI
import JSON
import Testing
import WebSocket

@testable import Traffic

@Suite("HAR that is damaged in the middle")
struct DamagedTests {
    static let connection: UInt64 = 1

    /// A file as it grew: an exchange, two sockets, an exchange; `large` was written to the first socket last of all.
    struct Growing {
        var bytes: [UInt8]
        /// The file before the frame came.
        var before: Session
        /// Where the frame stands, its comma included.
        var place: Range<Int>
        var whole: FileWrite

        init(_ large: SessionFrame, after frames: [SessionFrame] = Growing.frames) throws {
            var writer = SessionWriter(creatorVersion: "1.0")
            writer.write(Samples.exchange("POST", "/first", at: 0, body: "{\"text\":\"\\\"}]\"}"))
            let opened = [writer.open(Samples.socket("/ws/1", at: 10)), writer.open(Samples.socket("/ws/2", at: 20))]
            let (first, second) = (try #require(opened[0]), try #require(opened[1]))
            for frame in frames { writer.write(frame, to: first) }
            writer.write(Samples.frame(.server, .text, "\"},],\"_fitiq\":{", at: 5000), to: second)
            writer.end(second, SessionEnding(time: Samples.time(6000), party: .server, cause: .reset))
            writer.write(Samples.exchange("GET", "/last", at: 30))
            bytes = []
            for write in writer.takeWrites() { write.apply(to: &bytes) }
            before = try HARFile(reading: bytes).session
            writer.write(large, to: first)
            let writes = writer.takeWrites()
            let last = try #require(writes.last)
            for write in writes.dropLast() { write.apply(to: &bytes) }
            // An entry that continues the socket came with it, and is there by now.
            place = last.offset..<(last.offset + last.bytes.count)
            whole = last
        }

        static let frames = [
            Samples.frame(.server, .text, "{\"type\":\"connected\"}", at: 4000),
            Samples.frame(.client, .ping, "p", at: 4500), Samples.frame(.client, .binary, bytes: [0, 255], at: 4600),
        ]

        /// The file where only so many bytes of the last write came.
        func cut(after count: Int) -> [UInt8] {
            var file = bytes
            FileWrite(offset: whole.offset, bytes: Array(whole.bytes[..<count])).apply(to: &file)
            return file
        }
    }

    /// What earlier recorders wrote was cut at multiples of this.
    private static let page = 4096

    static let large: [SessionFrame] = [
        Samples.frame(.server, .text, String(repeating: #"é "}],{"type":"send" \ "#, count: 300), at: 7000),
        Samples.frame(.client, .text, String(repeating: " ", count: 9000), at: 7000),
        Samples.frame(.client, .binary, bytes: (0..<9000).map { UInt8(truncatingIfNeeded: $0 * 7) }, at: 7000),
    ]

    @Test("A large frame that is cut at any byte costs itself and nothing else", arguments: large)
    func cuts(frame: SessionFrame) throws {
        let file = try Growing(frame, after: Growing.frames + [frame])
        #expect(file.place.count > 2 * Self.page)
        var after = file.before
        let index = try #require(after.entries.firstIndex { $0.request.url.hasSuffix("/ws/1") })
        guard case .socket(var socket) = after.entries[index] else { return }
        socket.frames.append(frame)
        after.entries[index] = .socket(socket)
        #expect(try HARFile(reading: file.cut(after: file.place.count)).session == after)
        let pages = (1...).lazy.map { $0 * Self.page - file.place.lowerBound % Self.page }
        let counts =
            Array(pages.prefix { $0 < file.place.count }) + Array(stride(from: 1, to: 110, by: 2))
            + Array(stride(from: 110, to: file.place.count, by: 1971))
            + Array((file.place.count - 8)..<file.place.count)
        for count in counts {
            let read = try HARFile(reading: file.cut(after: count))
            #expect(read.session == file.before, "\(count) bytes of the frame")
            guard case .damagedEntry(_, let leftOut)? = read.notes.first, read.notes.count == 1 else {
                Issue.record("\(count) bytes: \(read.notes)")
                continue
            }
            #expect((1...count).contains(leftOut))
            // What was saved is a file like any other.
            let again = try HARFile(reading: read.encoded())
            #expect(again.session == read.session && again.notes == [])
        }
    }

    @Test("Pages of a frame that are missing at its beginning cost itself and nothing else")
    func missingBeginning() throws {
        let frame = Self.large[0]
        let file = try Growing(frame, after: Growing.frames + [frame])
        for count in [Self.page, 2 * Self.page] {
            var bytes = file.cut(after: file.place.count)
            for index in file.place.prefix(count) { bytes[index] = UInt8(ascii: " ") }
            let read = try HARFile(reading: bytes)
            #expect(read.session == file.before)
            #expect(read.notes.count == 1)
        }
    }

    @Test("A frame between others, or a control frame, is left out alone")
    func between() throws {
        let frames = [
            Samples.frame(.server, .text, "one", at: 4000), Samples.frame(.client, .ping, "ping", at: 4100),
            Samples.frame(.server, .text, "two", at: 4200), Samples.frame(.server, .pong, "pong", at: 4300),
            Samples.frame(.client, .text, "three", at: 4400),
        ]
        let ending = SessionEnding(time: Samples.time(9000), party: .client, cause: .closeFrame)
        let socket = Samples.socket(frames: frames, ending: ending)
        let session = Session(entries: [
            .socket(socket), .exchange(Samples.exchange("GET", "/after", at: 50)),
        ])
        let bytes = HAREncoder.file(session, creatorVersion: "1")
        for index in [0, 2, 4] {
            var rest = socket
            // The frame itself, and control frames count messages: the others keep their places.
            let text = HAREncoder.message(frames[index])
            var damaged = bytes
            let place = try #require(bytes.firstRange(of: text))
            for place in place.dropFirst(30) { damaged[place] = UInt8(ascii: " ") }
            let file = try HARFile(reading: damaged)
            rest.frames = frames.filter { !$0.opcode.isControl && $0 != frames[index] }
            guard case .socket(let read)? = file.session.entries.first else { continue }
            #expect(read.frames.filter { !$0.opcode.isControl } == rest.frames)
            #expect(read.frames.filter(\.opcode.isControl) == frames.filter(\.opcode.isControl))
            #expect(read.ending == ending)
            #expect(file.session.entries.last == session.entries.last)
            #expect(file.notes == [.damagedEntry(1, leftOut: 30)])
        }
        for index in [1, 3] {
            var damaged = bytes
            let text = HAREncoder.controlFrame(frames[index], after: index == 1 ? 1 : 2)
            let place = try #require(bytes.firstRange(of: text))
            for place in place.dropFirst(30) { damaged[place] = UInt8(ascii: " ") }
            var rest = socket
            rest.frames.remove(at: index)
            #expect(try HARFile(reading: damaged).session == Session(entries: [.socket(rest), session.entries[1]]))
        }
    }

    @Test("A page of zeros anywhere costs what it lies in, and the file opens")
    func zeros() throws {
        let frame = Self.large[0]
        let file = try Growing(frame, after: Growing.frames + [frame])
        let bytes = file.cut(after: file.place.count)
        let header = HAREncoder.header(creatorVersion: "1.0").count
        let all = try HARFile(reading: bytes).session
        for start in stride(from: header, to: bytes.count, by: 397) {
            var damaged = bytes
            for index in start..<min(start + 97, bytes.count) { damaged[index] = 0 }
            let read = try HARFile(reading: damaged)
            #expect(!read.notes.isEmpty)
            // Nothing is made up: what is read was there, in the entry that it is read from.
            for entry in read.session.entries {
                switch entry {
                case .exchange: #expect(all.entries.contains(entry))
                case .socket(let socket):
                    let whole = all.entries.contains {
                        guard case .socket(let other) = $0, other.request.url == socket.request.url else {
                            return false
                        }
                        return socket.frames.allSatisfy(other.frames.contains)
                    }
                    #expect(whole, "zeros at \(start)")
                }
            }
        }
    }

    @Test("Entries that are lost are told of one by one, and many as one")
    func lost() throws {
        let good = HAREncoder.entry(Samples.exchange())
        func file(_ lines: [[UInt8]]) -> [UInt8] {
            HAREncoder.header(creatorVersion: "1") + Array(lines.joined(separator: HAREncoder.separator))
                + HAREncoder.footer(notes: ["Kept."])
        }
        let broken = Array(good.dropLast(9)) + [0, 0]
        let one = try HARFile(reading: file([good, broken, good]))
        #expect(one.session.entries == [.exchange(Samples.exchange()), .exchange(Samples.exchange())])
        #expect(one.notes == [.lostEntry(2, bytes: broken.count + 1), .recorded("Kept.")])
        let many = try HARFile(reading: file(Array(repeating: broken, count: 30) + [good]))
        #expect(many.session.entries.count == 1)
        #expect(many.notes.count == 22)
        #expect(many.notes[20] == .moreDamaged(entries: 10, leftOut: 10 * (broken.count + 1)))
        let last = try HARFile(reading: file([good, broken]))
        #expect(last.notes == [.lostEntry(2, bytes: broken.count), .recorded("Kept.")])
    }

    @Test("Damage is found in linear time, whatever it looks like")
    func hostile() throws {
        let header = HAREncoder.header(creatorVersion: "1")
        let start = Array(#"{"type":"send","time":"#.utf8)
        let socket = HAREncoder.socket(Samples.socket(), room: HARSocketRoom(messages: 8))
        let opening = Array(socket.bytes[..<socket.messages.lowerBound])
        for piece in [start, Array("{".utf8), Array("]\n".utf8), Array("\n".utf8), Array(#"{"type":""#.utf8)] {
            let noise = Array(repeatElement(piece, count: 100_000 / piece.count).joined())
            for bytes in [header + noise, header + opening + noise + Array("\n,".utf8)] {
                let file = try? HARFile(reading: bytes)
                #expect(file?.session.entries.count ?? 0 <= 1)
            }
        }
    }
}
