import FitIQAPI
import Testing
import Traffic

@testable import ContractSuite

@Suite("Advice for a failed case")
struct AdviceTests {
    private static func exchange(
        _ request: String, _ status: Int?, endpoint: String = "createGoal", body: String = "{}"
    ) -> String {
        let parts = request.split(separator: " ")
        let response =
            status.map { #","response":{"status":\#($0),"fields":[],"body":"\#(body.replacing("\"", with: "\\\""))"}"# }
            ?? ""
        return #"""
            "kind":"exchange","endpoint":"\#(endpoint)","requested_at":"2025-01-29T10:30:00Z","request":{"method":"\#(parts[0])","target":"/w/w1\#(parts[1])","version":"1.1","fields":[]}\#(response)
            """#
    }

    private static func opened(_ endpoint: String) -> String {
        #""kind":"opened","endpoint":"\#(endpoint)","requested_at":"2025-01-29T10:30:00Z","request":{"method":"GET","target":"/w/w1/x","version":"1.1","fields":[]},"response":{"status":101,"fields":[]}"#
    }

    private static let chat = opened("openSocket"), meals = opened("openMealSocket")
    private static let archived =
        #""kind":"closed","by":"server","cause":"close_frame","server_close":{"code":1000,"reason":""}"#
    private static let lost = #""kind":"closed","by":"server","cause":"fault","faults":["drop"]"#
    private static let left = #""kind":"closed","by":"client","cause":"close_frame""#
    private static let chunk = #""kind":"frame","direction":"server_to_client","opcode":"text","payload":"{}""#
    private static let ping = #""kind":"frame","direction":"client_to_server","opcode":"ping","payload":"""#
    private static let history = exchange("GET /api/v1/consultations/c/messages", 200, endpoint: "listMessages")

    private static func entries(_ lines: [String]) throws -> [JournalEntry] {
        var reader = JournalReader()
        for (index, line) in lines.enumerated() {
            let time = #""time":"2025-01-29T10:30:00Z","connection":1"#
            reader.receive(Array(#"{"number":\#(index + 1),\#(time),\#(line)}"#.utf8 + [0x0A]))
        }
        var entries: [JournalEntry] = []
        while let line = try reader.next() { entries.append(line.entry) }
        try #require(entries.count == lines.count)
        return entries
    }

    static let refusal = #"{"success":false,"error":{"code":"NOT_FOUND","message":"There is no goal."}}"#

    static let rows: [([String], String)] = [
        ([], Messages.sentNothing),
        ([ping], Messages.sentNothing),
        ([exchange("POST /api/v1/goals", 503)], Messages.notRepeated("POST /api/v1/goals", status: 503, tries: 1)),
        (
            [exchange("POST /api/v1/goals", 503), exchange("POST /api/v1/goals", 500), chunk],
            Messages.notRepeated("POST /api/v1/goals", status: 500, tries: 2)
        ),
        (
            [503, 503, 503].map { exchange("POST /api/v1/goals", $0) },
            "POST /api/v1/goals was answered with 503 and not tried again (3 tries): the client must tell its user that "
                + "the request failed."
        ),
        ([exchange("GET /api/v1/goals", nil)], Messages.notRepeated("GET /api/v1/goals", status: nil, tries: 1)),
        (
            [exchange("POST /api/v1/goals", 503), exchange("POST /api/v1/goals", 201)],
            Messages.stopped(after: "POST /api/v1/goals", status: 201, nil, isSwift: false)
        ),
        (
            [exchange("POST /api/v1/goals", 503), exchange("GET /api/v1/goals", 200)],
            "The last exchange succeeded: GET /api/v1/goals was answered with 200, and then the client sent "
                + "nothing. The client must show the answer or act on it: check how the answer is decoded, and that it is "
                + "shown. Before that, POST /api/v1/goals was answered with 503 and not tried again (1 try): the "
                + "client must repeat the request with increasing delays, and tell its user that the request failed."
        ),
        (
            [exchange("POST /api/v1/goals", 503), exchange("GET /api/v1/goals/x", 404, body: refusal)],
            Messages.refused("GET /api/v1/goals/x", status: 404, message: "There is no goal.")
        ),
        (
            [exchange("POST /api/v1/goals", 503), chat, chunk],
            Messages.notRepeated("POST /api/v1/goals", status: 503, tries: 1)
        ),
        (
            [exchange("GET /api/v1/goals/x", 404, body: refusal)],
            Messages.refused("GET /api/v1/goals/x", status: 404, message: "There is no goal.")
        ),
        ([exchange("GET /api/v1/goals/x", 400)], Messages.refused("GET /api/v1/goals/x", status: 400, message: nil)),
        ([exchange("GET /api/v1/goals/x", 404), chunk], Messages.lostWithin(isSwift: false)),
        ([history, chat, chunk, lost], Messages.historyUnread),
        // The answer to a different request does not count as history.
        ([chat, chunk, lost, exchange("GET /api/v1/goals", 200)], Messages.historyUnread),
        ([meals, chunk, lost], Messages.lostWithin(isSwift: false)),
        ([chat, chunk, archived], Messages.lostWithin(isSwift: false)),
        (
            [chat, chunk, lost, history],
            Messages.stopped(after: "GET /api/v1/consultations/c/messages", status: 200, nil, isSwift: false)
        ),
        ([chat, chunk, left], Messages.lostWithin(isSwift: false)),
    ]

    @Test("The advice describes behaviour seen in the client's traffic", arguments: rows.indices)
    func sentence(row: Int) throws {
        let (lines, sentence) = Self.rows[row]
        #expect(Advice(try Self.entries(lines), isAboutSwift: false).sentence == sentence)
    }

    @Test("The advice mentions Swift pitfalls only to clients written in Swift", arguments: [true, false])
    func language(isSwift: Bool) throws {
        let advice = Advice(try Self.entries([Self.chunk]), isAboutSwift: isSwift).sentence
        #expect(advice == Messages.lostWithin(isSwift: isSwift) && advice.contains("CodingKeys") == isSwift)
    }

    @Test("Faults, clock steps and notes do not count as wire traffic")
    func offTheWire() {
        let events: [JournalEvent] = [
            .fault(RecordedFault(name: "f", effect: .silence)), .clock(advancedBy: 1), .note("It stands still."),
        ]
        for event in events { #expect(!event.isOnTheWire, "\(event)") }
    }

    @Test("Pings and pongs count as signs of life in both the WebSocket and the API protocol")
    func signsOfLife() throws {
        func isSignOfLife(_ opcode: String, _ payload: String) throws -> Bool? {
            try Self.entries([
                #""kind":"frame","direction":"client_to_server","opcode":"\#(opcode)","payload":"\#(payload)""#
            ]).first?.event.isPing
        }
        #expect(try isSignOfLife("ping", "") == true && isSignOfLife("pong", "x") == true)
        #expect(try isSignOfLife("text", #"{\"type\":\"ping\"}"#) == true)
        #expect(try isSignOfLife("text", #"{\"type\":\"pong\",\"timestamp\":\"2025-01-29T10:30:00Z\"}"#) == true)
        #expect(try isSignOfLife("text", #"{\"type\":\"message\",\"content\":\"ping\"}"#) == false)
        #expect(try isSignOfLife("text", "ping") == false && isSignOfLife("close", "") == false)
    }
}
