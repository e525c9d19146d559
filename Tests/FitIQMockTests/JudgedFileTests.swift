import Foundation
import Judging
import TestSupport
import Testing
import Traffic

@testable import fitiq_mock

@Suite("Judging a recorded session")
struct JudgedFileTests {
    private static func recorded(_ name: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: URL.fixtures.appending(path: "\(name).har")))
    }

    private static func judge(
        _ bytes: [UInt8], cutInto size: Int = 4096, world: String? = nil, prefix: String? = nil
    ) throws -> (notes: [String], report: Report) {
        var file = JudgedFile(name: "x.har", mode: .union, world: world, prefix: prefix.flatMap(PathPrefix.init(_:)))
        for piece in bytes.pieces(of: size) { try file.receive(piece) }
        let notes = try file.finish { _ in nil }
        return (notes, try file.report())
    }

    /// The verdict marks for a file, by obligation, with worlds in order.
    private static func marks(_ bytes: [UInt8], cutInto size: Int = 4096) throws -> [[String: String]] {
        try judge(bytes, cutInto: size).report.runs.map { run in
            Dictionary(uniqueKeysWithValues: run.verdicts.map { ($0.obligation.id, $0.outcome.rawValue) })
        }
    }

    private static func ids(_ marks: [String: String]?, _ outcome: String) -> Set<String> {
        Set((marks ?? [:]).filter { $0.value == outcome }.keys)
    }

    @Test(
        "Each recorded session's client keeps every obligation that it exercised",
        arguments: [
            ("chat", 11, "ws/close-handshake"), ("conflict", 9, "consultation/conflict-continues-existing"),
            ("dropped", 12, "ws/recovers-history"), ("goals", 9, "ids/backend-goal-id"),
            ("meals", 9, "meal/no-poll-while-connected"),
            ("archive", 9, "ws/close-handshake"), ("limit", 3, "consultation/limit-stops-creating"),
            ("template", 9, "ws/message-shape"), ("guide", 8, "meal/no-fetch-after-completed"),
        ])
    func fixtures(name: String, count: Int, one: String) throws {
        let marks = try #require(Self.marks(Self.recorded("sessions/\(name)")).first)
        #expect(Self.ids(marks, "broken") == [])
        #expect(Self.ids(marks, "kept").count == count && marks[one] == "kept", "\(Self.ids(marks, "kept").sorted())")
    }

    @Test("In Chrome's export, only the binary message that the page sent is a breach")
    func chrome() throws {
        let marks = try #require(Self.marks(Self.recorded("sessions/foreign/chrome")).first)
        #expect(Self.ids(marks, "broken") == ["ws/message-shape"])
        let ids = ["consultation/conflict-continues-existing", "ws/single-connection"]
        #expect(ids.map { marks[$0] } == ["kept", "not_exercised"])
    }

    // MARK: Other files

    @Test("A file without API calls gets a note that names its prefix")
    func prefix() throws {
        let bytes = try Self.recorded("har/gateway-prefix")
        let strange = try Self.judge(bytes, cutInto: 100)
        #expect(strange.notes == [Messages.noCall(among: 1, .init(request: "GET /prod/api/v1/goals", prefix: "/prod"))])
        #expect(strange.report.runs.map(\.hasConnected) == [false])
        let known = try Self.judge(bytes, cutInto: 100, prefix: "/prod")
        #expect(known.notes == [] && known.report.runs.map(\.hasConnected) == [true])
        let journal = Array(#"{"number":1,"time":"2025-01-29T10:30:00Z","kind":"note","text":"x"}"#.utf8)
        let failure = #expect(throws: Failure.self) { try Self.judge(journal, prefix: "/prod") }
        #expect(failure?.message == "x.har: \(Messages.prefixOfJournal)" && failure?.exitCode == 2)
    }

    @Test(
        "The error for a UTF-16 file names the encoding",
        arguments: [[0xFF, 0xFE, 0x7B, 0], [0xFE, 0xFF, 0, 0x7B], [0x7B, 0]] as [[UInt8]])
    func utf16(start: [UInt8]) throws {
        let failure = #expect(throws: Failure.self) { try Self.judge(start + [0, 0]) }
        #expect(failure?.message.hasPrefix("x.har: this is UTF-16, but JSON must be UTF-8") == true)
    }

    // MARK: Made by hand

    private static let id = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
    private static let meal = "0a1b2c3d-7425-40de-944b-e07fc1f90ae7"

    /// A session in which a client seems to be silent for a long time, poll despite events, and open a second socket.
    ///
    /// The breaches are not proved if the recording lacks the end of the first socket.
    private static func session(isOurs: Bool, authorization: String? = "Bearer t", world: String = "") -> [UInt8] {
        func entry(
            _ second: Double, _ method: String, _ path: String, _ status: Int, body: String = "", answer: String = "{}",
            more: [String: Any] = [:]
        ) -> [String: Any] {
            var headers = [["name": "X-API-Key", "value": "k"]]
            if let authorization { headers.append(["name": "Authorization", "value": authorization]) }
            if !body.isEmpty { headers.append(["name": "Content-Type", "value": "application/json"]) }
            var request: [String: Any] = [
                "method": method, "url": "http://a:1\(world)/api/v1\(path)", "headers": headers,
            ]
            if !body.isEmpty { request["postData"] = ["mimeType": "application/json", "text": body] }
            let clock = String(
                format: "2025-01-29T10:%02d:%06.3fZ", 30 + Int(second) / 60, second - 60 * Double(Int(second) / 60))
            return [
                "startedDateTime": clock, "time": 2, "request": request,
                "response": ["status": status, "headers": [[String: String]](), "content": ["text": answer]],
                "timings": ["wait": 1],
            ].merging(more) { $1 }
        }
        func message(_ type: String, _ second: Double, _ text: String) -> [String: Any] {
            ["type": type, "time": 1_738_146_600 + second, "opcode": 1, "data": text]
        }
        func socket(_ second: Double, _ number: Int, _ messages: [[String: Any]]) -> [String: Any] {
            var more: [String: Any] = ["_resourceType": "websocket", "_webSocketMessages": messages]
            if isOurs { more["_fitiq"] = ["socket": number, "controlFrames": [String]()] }
            return entry(second, "GET", "/consultations/\(id)/ws", 101, more: more)
        }
        let log = #"{"id":"\#(meal)","status":"processing"}"#
        let entries = [
            entry(0, "GET", "/consultations/\(id)/messages", 200),
            socket(
                1, 1,
                [
                    message("receive", 1.01, #"{"type":"connected"}"#),
                    message("send", 2, #"{"type":"message","content":"Hi"}"#),
                    message("receive", 48, #"{"type":"meal_log.completed","data":{"id":"\#(meal)"}}"#),
                ]),
            entry(
                40, "POST", "/meal-logs/natural", 201, body: #"{"raw_input":"egg","meal_type":"snack"}"#, answer: log),
            entry(46, "GET", "/meal-logs/\(meal)", 200, answer: log),
            entry(47, "GET", "/meal-logs/\(meal)", 200, answer: log),
            entry(50, "GET", "/meal-logs/\(meal)", 200, answer: log),
            socket(60, 2, [message("receive", 60.01, #"{"type":"connected"}"#)]),
            entry(90, "GET", "/goals", 200),
        ]
        let log2: [String: Any] = [
            "version": "1.2", "creator": ["name": isOurs ? "fitiq-mock" : "Else", "version": "1"], "entries": entries,
        ]
        // This JSON can always be encoded.
        return [UInt8]((try? JSONSerialization.data(withJSONObject: ["log": log2])) ?? Data())
    }

    @Test("Gaps are breaches in a fitiq-mock recording but not in another program's file")
    func blame() throws {
        let ours = try Self.marks(Self.session(isOurs: true))
        #expect(
            Self.ids(ours.first, "broken") == [
                "ws/keepalive", "ws/single-connection", "meal/no-poll-while-connected", "meal/no-fetch-after-completed",
                "meal/polling-cadence",
            ])
        let foreign = try Self.marks(Self.session(isOurs: false))
        // Even without an open socket, two polls within a second are too many.
        #expect(Self.ids(foreign.first, "broken") == ["meal/polling-cadence"])
        for id in Self.ids(ours.first, "broken").subtracting(["meal/polling-cadence"]) {
            #expect(foreign.first?[id] == "not_exercised", "\(id)")
        }
        #expect(foreign.first?["consultation/history-before-connect"] == "kept")
    }

    @Test("Missing credentials are a breach in a fitiq-mock recording but not in a browser's file")
    func credentials() throws {
        let id = "auth/credentials-on-every-request"
        #expect(try Self.marks(Self.session(isOurs: true, authorization: nil)).first?[id] == "broken")
        let foreign = try Self.marks(Self.session(isOurs: false, authorization: nil)).first
        #expect(foreign?[id] == "not_exercised" && foreign?["consultation/history-before-connect"] == "kept")
        #expect(try Self.marks(Self.session(isOurs: false, authorization: "Basic x")).first?[id] == "broken")
    }

    @Test("A session that was recorded in a separate world is judged")
    func worlds() throws {
        let session = Self.session(isOurs: true, world: "/w/w1")
        let (notes, report) = try Self.judge(session, world: "w1")
        #expect(notes == [] && report.runs.map(\.scenario) == ["w1"])
        #expect { try Self.judge(session, world: "w2") } throws: { "\($0)".contains("no entry belongs to the world") }
    }

    @Test("judge rejects a file without a session")
    func damaged() throws {
        let whole = try Self.recorded("sessions/chat")
        let (notes, report) = try Self.judge(Array(whole[..<(whole.count / 2)]))
        #expect(notes.count == 1 && report.runs.map(\.hasConnected) == [true])
        #expect { try Self.judge(Array(#"{"log":[]}"#.utf8)) } throws: { "\($0)".contains("x.har: ") }
    }

    // MARK: Neither a session nor a journal

    private static let noJSON = "this is not valid JSON"
    private static let entry = #"{"number":1,"time":"2025-01-29T10:30:00Z","kind":"note","text":"x"}"#

    @Test(
        "The error for an invalid file states the location",
        arguments: [
            ("", nil), ("\n \r\n", nil), (entry, nil), (entry + "\n", nil), (entry + "\r\n", nil),
            (entry + "\n{\"numb", "line 2: the last line is incomplete"),
            (
                #"{"log":{"version":"1.2","creator":{"name":"x","version":"1"},"entries":[]}}"#,
                "It has 0 requests, but none to the API."
            ),
            ("garbage", "! line 1, column 1: \(noJSON)"), ("garbage\n", "! line 1, column 1: \(noJSON)"),
            (entry + "\ngarbage", "! line 2, column 1: \(noJSON)"), (entry + "\n[1,2", "! line 2, column 5: \(noJSON)"),
            (entry + "\n" + entry, "! line 2: entry 1 of x comes after entry 1"),
            (entry + "\n\0\0\0", "! line 2, column 1: \(noJSON)"), ("{\"numb", "! line 1, column 7: \(noJSON)"),
            ("{", "! line 1, column 2: \(noJSON)"), ("\u{FEFF}", "! line 1, column 1: \(noJSON)"),
            ("\u{FEFF}" + entry, "! line 1, column 1: \(noJSON)"), ("\0\0\0", "! \(noJSON): line 1, column 1"),
            ("\u{1F}\u{8B}\u{08}", "! line 1, column 1: \(noJSON)"), ("\u{7F}ELF\n{", "! line 1, column 1: \(noJSON)"),
            ("[]", "! line 1: a journal line must be an object"),
            ("7", "! line 1: a journal line must be an object"),
            ("{}", "! line 1: the entry has no 'kind'"), ("{]", "! line 1, column 2: \(noJSON)"),
        ] as [(String, String?)])
    func neither(text: String, told: String?) {
        var file = JudgedFile(name: "x", mode: .union)
        do throws(Failure) {
            try file.receive(Array(text.utf8)[...])
            let notes = try file.finish { _ in nil }
            #expect(notes.count == (told == nil ? 0 : 1) && notes.allSatisfy { $0.hasPrefix(told ?? "") }, "\(notes)")
            let report = try file.report()
            #expect(report.runs.allSatisfy { !$0.hasConnected })
        } catch {
            #expect(error.exitCode == 2 && error.message.hasPrefix("x: \(told?.dropFirst(2) ?? "?")"), "\(error)")
        }
    }

    // MARK: Telling a session from a journal

    @Test(
        "A session and a journal are distinguished by their content, no matter how the bytes are split",
        arguments: [
            (#"{"log":"#, SessionSniffer.Kind.session),
            ("\u{FEFF} {\n \"a\" : {\"log\":[1,\"}\"]}, \"log\" :", .session),
            (#"{"a":"log","log""#, .session), (#"{"a":"\"","log""#, .session),
            (#"{"kind":"note","text":"log","x":{"log":1}}"#, .journal), ("\n\n{\"logs\":1}", .journal),
            (#"{"":1,"log":1}"#, .session), (#"{"a":[]"log"}"#, .journal),
            ("[{\"log\":1}]", .journal), ("}", .journal), ("log", .journal), ("{}", .journal), ("\"log\"", .journal),
        ])
    func sniffed(text: String, kind: SessionSniffer.Kind) {
        let bytes = Array(text.utf8)
        for cut in bytes.indices {
            var sniffer = SessionSniffer()
            sniffer.look(at: bytes[..<cut])
            sniffer.look(at: bytes[cut...])
            #expect(sniffer.kind == kind, "cut at \(cut)")
        }
    }

    @Test("The first line of a journal may be as long as any other line")
    func longLine() throws {
        var file = JudgedFile(name: "j", mode: .union)
        let start = Array(#"{"number":1,"time":"2025-01-29T10:30:00Z","kind":"note","text":""#.utf8)
        try file.receive(start[...])
        let filler = [UInt8](repeating: 0x78, count: 1 << 20)
        for _ in 0..<3 { try file.receive(filler[...]) }
        try file.receive(Array("\"}\n".utf8)[...])
        #expect(try file.finish { _ in nil } == [])
        var endless = JudgedFile(name: "j", mode: .union)
        try endless.receive(start[...])
        #expect { for _ in 0..<5 { try endless.receive(filler[...]) } } throws: { "\($0)".contains("line 1") }
    }

    @Test("White space before a session may be as long as the line limit")
    func blanks() throws {
        let blanks = [UInt8](repeating: .space, count: JournalReader.lineLimit - 1)
        let rest = #""log":{"version":"1.2","creator":{"name":"x","version":"1"},"entries":[]}}"#
        let bytes = [UInt8(ascii: "{")] + blanks + Array(rest.utf8)
        let notes = try Self.judge(bytes, cutInto: JournalReader.lineLimit).notes
        #expect(notes.map { $0.hasPrefix("It has 0 requests") } == [true])
    }

    @Test("A session gives the same result when read in pieces of any size", arguments: [1, 7, 1 << 20])
    func pieces(size: Int) throws {
        let bytes = Self.session(isOurs: true)
        #expect(try Self.marks(bytes, cutInto: size) == Self.marks(bytes))
    }
}
