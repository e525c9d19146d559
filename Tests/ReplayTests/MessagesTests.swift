import FitIQAPI
import Testing
import Text

@testable import Replay
@testable import Traffic

@Suite("Replay messages")
struct MessagesTests {
    static func miss(
        _ reason: ReplayMiss.Reason, nearest: Bool = true, _ differences: [ReplayDifference] = []
    ) -> String {
        ReplayMiss(
            time: Timestamp(secondsSinceEpoch: 0), method: "GET", target: "/a", reason: reason,
            nearest: nearest ? .init(entry: 3, method: "POST", target: "/b") : nil, differences: differences
        ).message
    }

    static func frame(_ reason: ReplayFrameMiss.Reason, _ differences: [ReplayDifference] = []) -> String {
        ReplayFrameMiss(
            time: Timestamp(secondsSinceEpoch: 0), socket: ReplaySocket(number: 1), target: "/ws", excerpt: "\"x\"",
            reason: reason, differences: differences
        ).message
    }

    static let one = [ReplayDifference(place: "path", expected: "\"/b\"", actual: "\"/a\"")]
    static let place = Messages.place(5, SessionRequest(method: "GET", url: "https://api.fitiq.example/a?b=1"))

    static let rows: KeyValuePairs<String, String> = [
        Refusal.empty.description:
            "The session has no requests, so there is nothing to replay; record one with 'fitiq-mock record'.",
        Refusal.nothingToPlay(2).description:
            "The server answers all of the session's requests itself (2, such as /health), so there is nothing "
            + "to replay; record an app's requests.",
        Messages.ownRequests(2, ["/favicon.ico", "/health"]):
            "The replay skips 2 requests of the session (/favicon.ico, /health), because the server answers such requests itself.",
        Messages.ownRequests(1, ["CONNECT"]):
            "The replay skips 1 request of the session (CONNECT), because the server answers such requests itself.",
        Refusal.tooManyEntries(100_001).description:
            "The session has 100001 requests, but at most 100000 can be replayed; split it.",
        Refusal.tooManyFrames(1_000_001).description:
            "The session's WebSockets have 1000001 frames, but at most 1000000 can be replayed; split it.",
        Refusal.tooManyBytes(536_870_913).description:
            "The session's fields, bodies and frames take up 536870913 bytes, but at most 536870912 can be "
            + "replayed; split it.",
        place: "Entry 5 (GET /a?b=1)",
        Messages.cutBody("Entry 5", kept: 1, of: 2):
            "Entry 5: the recording has only 1 of the answer's 2 bytes; the replayed answer ends at that point.",
        Messages.cutFrame("Entry 5"):
            "Entry 5: the recording has only the beginnings of some frames; these are replayed as separate messages.",
        Messages.noFinalStatus("Entry 5", 100):
            "Entry 5: 100 is not the status of a final answer; the replayed connection ends without an answer.",
        Messages.unknownBody("Entry 5"):
            "Entry 5: the recording does not have the request's complete body; any body matches.",
        Messages.severalHosts(2): "The session has requests to 2 hosts; the replay treats them as one host.",
        Messages.tooManyValues: "The session has over 1000000 ids and tokens; any others are not mapped.",
        miss(.runOut(1)):
            "GET /a was recorded once, and has already been answered that many times. Reset the world to start the "
            + "session over.",
        miss(.runOut(2)):
            "GET /a was recorded 2 times, and has already been answered that many times. Reset the world to start the "
            + "session over.",
        miss(.over):
            "GET /a arrived after the session's last request had been answered. Reset the world to start over.",
        miss(.notItsTurn, one):
            #"GET /a is not the next request in the session; the next request is POST /b (entry 3); differences: path: expected "/b", got "/a"."#,
        miss(.notItsTurn): "GET /a is not the next request in the session; the next request is POST /b (entry 3).",
        miss(.notItsTurn, nearest: false): "GET /a is not the next request in the session.",
        miss(.unknown, one):
            #"GET /a is not in the session. The nearest is POST /b (entry 3); differences: path: expected "/b", got "/a"."#,
        miss(.unknown): "GET /a is not in the session at this point. The nearest is POST /b (entry 3).",
        miss(.unknown, nearest: false): "GET /a is not in the session, and the session has no similar request.",
        frame(.different, [ReplayDifference(place: "text.n", expected: "1", actual: nil)]):
            #"The frame "x" on /ws differs from the recorded frame: text.n: expected 1, got nothing."#,
        frame(.different): #"The frame "x" on /ws does not resemble any frame that the client sent in the session."#,
        frame(.noneLeft): #"The frame "x" on /ws is extra: in the session, the client sent no more frames."#,
        frame(.tooMany): #"The frame "x" on /ws arrived while 64 other answers were in progress; it gets no answer."#,
        ReplayDifference(place: "a", expected: nil, actual: "1").description: "a: expected nothing, got 1",
        ReplayDifference(place: "a", expected: nil, actual: nil).description: "a",
        Messages.method("HANDSHAKE"): "a WebSocket's handshake",
    ]

    @Test("Each message has the expected text", arguments: rows)
    func sentence(got: String, expected: String) { #expect(got == expected) }

    @Test("A report is complete unless a request is missing or unexpected")
    func complete() {
        #expect(ReplayReport().isComplete)
        let counts: [WritableKeyPath<ReplayReport, Int>] = [
            \.neverAskedCount, \.unexpectedCount, \.framesNeverSent, \.frameMissCount,
        ]
        for count in counts {
            var report = ReplayReport()
            report[keyPath: count] = 1
            #expect(!report.isComplete, "\(report.summary)")
        }
    }

    @Test("A replay's summary counts the results")
    func summary() throws {
        var report = try SessionBuilder().exchange("GET", "/a").player().report
        #expect(report.summary == "Served 0 of 1 recorded requests.")
        report.served = 1
        report.unexpectedCount = 2
        report.repeats = 3
        report.frameMissCount = 1
        report.framesNeverSent = 4
        #expect(
            report.summary
                == "Served 1 of 1 recorded requests, 2 unexpected, 3 answered again, 1 frame not as recorded, 4 frames never sent."
        )
    }
}
