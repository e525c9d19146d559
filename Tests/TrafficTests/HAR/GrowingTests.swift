import FitIQAPI
import JSON
import Testing

@testable import Traffic

@Suite("HAR that grows")
struct GrowingTests {
    @Test("A socket's entry takes frames in its rooms, and is whole after each")
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

    @Test("Entries that continue a socket are read as one, wherever they stand")
    func continuations() throws {
        var socket = Samples.socket(frames: [Samples.frame(.server, .text, "a", at: 4000)])
        let first = HAREncoder.socket(socket, number: 3, room: HARSocketRoom(messages: 0, controlFrames: 0, ending: 0))
        let more = [
            Samples.frame(.client, .ping, "", at: 5000), Samples.frame(.client, .text, "b", at: 6000),
            Samples.frame(.server, .pong, "", at: 7000), Samples.frame(.server, .text, "c", at: 8000),
        ]
        let room = HARSocketRoom(messages: 400, controlFrames: 400, ending: HAREncoder.endingRoom)
        var next = HAREncoder.continuation(
            of: 3, url: socket.request.url, started: Samples.time(5000), room: room)
        let messages = HAREncoder.message(more[1]) + [UInt8(ascii: ",")] + HAREncoder.message(more[3])
        let controls =
            HAREncoder.controlFrame(more[0], after: 1) + [UInt8(ascii: ",")]
            + HAREncoder.controlFrame(more[2], after: 2)
        let ending = SessionEnding(time: Samples.time(9000), party: .client, cause: .finish)
        for (bytes, range) in [
            (messages, next.messages), (controls, next.controlFrames), (HAREncoder.ending(ending), next.ending),
        ] {
            next.bytes.replaceSubrange(range.lowerBound..<(range.lowerBound + bytes.count), with: bytes)
        }
        let between = Samples.exchange(at: 4500)
        var file = HAREncoder.header(creatorVersion: "1") + first.bytes + HAREncoder.separator
        file += HAREncoder.entry(between) + HAREncoder.separator + next.bytes + HAREncoder.footer
        socket.frames += more
        socket.ending = ending
        let read = try HARFile(reading: file).session
        #expect(read == Session(entries: [socket, between]))
    }

    @Test("The room of an ending is enough for each")
    func endings() {
        for cause in SessionEnding.Cause.allCases {
            let latest = Timestamp(nanosecondsSinceEpoch: .max)
            let ending = HAREncoder.ending(SessionEnding(time: latest, party: .server, cause: cause))
            #expect(ending.count <= HAREncoder.endingRoom)
        }
    }

    @Test("A file cut at any byte opens with the entries that are whole, and says so")
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
            #expect(throws: HARError.self) { try HARFile(reading: bytes + wrong) }
        }
    }

    @Test("A torn file that was written by others, with members after its entries, opens too")
    func tornForeign() throws {
        let text =
            #"{"log":{"entries":[{"startedDateTime":"2025-01-29T10:30:00Z","request":{"method":"GET","#
            + #""url":"http://h/"},"response":{"status":200}}],"pages":[{"id":"p"#
        let file = try HARFile(reading: Array(text.utf8))
        #expect(file.session.entries.count == 1 && file.notes == [.torn(entries: 1)])
    }

    @Test(
        "A file that ends in its first entry is torn, whatever token is cut, and whether or not zeros follow",
        arguments: [
            #"{"log":{"entries":["#, #"{"log":{"entries":[{"#, #"{"log":{"entries":[{"a"#,
            #"{"log":{"entries":[{"a":tru"#,
            #"{"log":{"entries":[{"a":-"#, #"{"log":{"entries":[{"a":"\u00"#, #"{"log":{"entries":[],"pages":[nul"#,
        ])
    func tornInTheFirst(_ text: String) throws {
        for text in [text, text.replacing("entries\":[", with: "entries\":[\n")] {
            for end in [[], [0, 0, 0], [0xC3], [0xF0, 0x9F, 0xA5]] as [[UInt8]] {
                // A scalar is cut in a string only.
                if end.first ?? 0 > 0, !text.hasSuffix(#""a"#) { continue }
                let file = try HARFile(reading: Array(text.utf8) + end)
                #expect(file.session.entries.isEmpty && file.notes == [.torn(entries: 0)], "\(text) \(end)")
            }
        }
    }

    @Test(
        "A file that is wrong, not torn, is refused",
        arguments: [
            #"{"log":{"entries":[{"startedDateTime":"2025-01-29T10:30:00Z" "x":1},{}"#,
            #"{"log":[[[["#, #"{"log":"#, #"{"log":{]]"#, #"{"log":{"version" 1.2,"pages":[],"entries""#,
            #"{"log":{},"x":{"#, "{",
            #"{"log":{"entries":[}]}}"#, #"{"logs":{"entries":["#, "[", "{]", "<html>", "{\"log\":{\"entries\":[]}}}",
            #"{"log":{"entries":[[[["#, #"{"log":{"entries":[garbage garbage"#, #"{"log":{"entries":[]@@@@"#,
            #"{"log":{"entries":[]nul"#, #"{"log":{"entries":[{"a":@"#, #"{"log":{"entries":[{"a":tr@"#,
            "{\"log\":{\"entries\":[\n[[[[", "{\"log\":{\"entries\":[\ngarbage",
            "{\"log\":{\"entries\":[\n{garbage garbage",
            "{\"log\":{\"entries\":[\n]@@@@", "{\"log\":{\"entries\":[]}}\0\0@", "{\"log\":{}}\0\0",
        ])
    func notTorn(_ text: String) throws {
        #expect {
            _ = try HARFile(reading: Array(text.utf8))
        } throws: { error in
            guard case .json = (error as? HARError)?.problem else { return false }
            return true
        }
    }
}
