import Testing

@testable import Judging

@Suite("Judges for handshakes")
struct HandshakeJudgeTests {
    static let endpointCases: [SocketCase] = [
        SocketCase("the right place", .kept(2)) { $0.connect(1, at: 0).refuse(401, at: 1) },
        SocketCase("no WebSocket at all", .notExercised) { $0.fetch(at: 0) },
        SocketCase("a wrong path without an upgrade", .notExercised) {
            $0.request("GET /api/v1/nothing", 404, at: 0, upgrades: false)
        },
        SocketCase("/ws", .broken("The client requested a WebSocket at /ws, which does not exist.", [1])) {
            $0.request("GET /ws?token=x", 404, at: 0)
        },
        SocketCase("/ws of a world", .broken("The client requested a WebSocket at /ws, which does not exist.", [1])) {
            $0.request("GET /w/a/ws", 404, at: 0, upgrades: false)
        },
        SocketCase(
            "meal logs have none",
            .broken("The client requested a WebSocket at /api/v1/meal-logs/ws/x, which does not exist.", [1])
        ) { $0.request("GET /api/v1/meal-logs/ws/x", 404, at: 0) },
    ]

    @Test("The ws/endpoint judge reaches the expected verdict", arguments: endpointCases)
    func endpoint(_ row: SocketCase) { row.check(SocketEndpoint.self) }

    private static func second(_ relation: String) -> String {
        "The client opened a socket at 10:30:04 while another socket \(relation), opened at 10:30:00, was still open."
    }
    private static func sameUser(_ numbers: [Int]) -> SocketCase.Expected {
        .broken(second("for the same user"), numbers)
    }
    private static func sameConsultation(_ numbers: [Int]) -> SocketCase.Expected {
        .broken(second("on the consultation c1"), numbers, level: .must)
    }

    static let singleCases: [SocketCase] = [
        SocketCase("one after the other", .kept()) { $0.connect(1, at: 0).leave(1, at: 5).connect(2, at: 5, on: "c2") },
        SocketCase("one alone", .notExercised) { $0.connect(1, at: 0) },
        SocketCase("two users", .notExercised, until: 9) {
            $0.connect(1, at: 0).connect(2, at: 1, on: "c2", user: "bob")
        },
        SocketCase("two consultations", sameUser([1, 3]), until: 9) {
            $0.connect(1, at: 0).connect(2, at: 4, on: "c2")
        },
        SocketCase("two on one consultation", sameConsultation([1, 3]), until: 9) {
            $0.connect(1, at: 0).connect(2, at: 4)
        },
        SocketCase("pongs that do not come excuse nothing", sameConsultation([1, 4]), until: 9) {
            $0.connect(1, at: 0).fault(1, .withholdPong, at: 1).connect(2, at: 4)
        },
        SocketCase("the old one ends within 50 ms", .kept()) {
            $0.connect(1, at: 0).connect(2, at: 4).leave(1, at: 4.05)
        },
        SocketCase("the old one ends after 51 ms", sameConsultation([1, 3])) {
            $0.connect(1, at: 0).connect(2, at: 4).leave(1, at: 4.051)
        },
        SocketCase("the journal ends within 50 ms", .kept()) { $0.connect(1, at: 0).connect(2, at: 4) },
        SocketCase("a silenced one counts as closed", .kept(), until: 9) {
            $0.connect(1, at: 0).fault(1, .silence, at: 2).connect(2, at: 4)
        },
        SocketCase("one that is not read counts as closed", .kept(), until: 9) {
            $0.connect(1, at: 0).fault(1, .stallReading, at: 2).connect(2, at: 4)
        },
        SocketCase("the server was closing the old one, and the client did not answer", .kept(), until: 9) {
            $0.connect(1, at: 0).connect(2, at: 4).close(1, by: .server, .timeOut, server: 1012, at: 5)
        },
        SocketCase("the server closed the old one much later", sameConsultation([1, 3])) {
            $0.connect(1, at: 0).connect(2, at: 4).close(1, by: .server, .timeOut, server: 1012, at: 6.051)
        },
        SocketCase("the server closed the new one", sameConsultation([1, 3])) {
            $0.connect(1, at: 0).connect(2, at: 4).close(2, by: .server, .timeOut, server: 1012, at: 5)
        },
        SocketCase("the server closed the old one, and the journal tells just in time", .kept()) {
            $0.connect(1, at: 0).connect(2, at: 4).close(1, by: .server, .timeOut, server: 1012, at: 6.05)
        },
        SocketCase("the journal ends when the old one must have ended", .kept(), until: 4.05) {
            $0.connect(1, at: 0).connect(2, at: 4)
        },
        SocketCase("a fault ended the old one later", sameConsultation([1, 3])) {
            $0.connect(1, at: 0).connect(2, at: 4).fault(1, .silence, at: 5)
        },
        SocketCase("one that told of an error goes on", sameUser([1, 4]), until: 9) {
            $0.connect(1, at: 0).hear(1, text: #"{"type":"error","error":"No"}"#, at: 2).connect(2, at: 4, on: "c2")
        },
        SocketCase("one that the server is closing counts as closed", .kept(), until: 9) {
            $0.connect(1, at: 0).hear(1, text: #"{"type":"error","error":"x","code":"CONSULTATION_NOT_ACTIVE"}"#, at: 2)
            $0.connect(2, at: 4, on: "c2")
        },
        SocketCase("so does one whose last error was lost", .kept(), until: 9) {
            $0.connect(1, at: 0)
            $0.hear(
                1, text: #"{"type":"error","error":"x","code":"CONSULTATION_NOT_ACTIVE"}"#, at: 2, .none,
                faults: ["lose"])
            $0.connect(2, at: 4, on: "c2")
        },
    ]

    @Test("The ws/single-connection judge reaches the expected verdict", arguments: singleCases)
    func single(_ row: SocketCase) { row.check(SingleConnection.self) }

    @Test("In a flood, ws/single-connection reports at most the sockets it remembers")
    func flood() {
        func findings(lastAt seconds: Double) -> Int {
            let story = SocketStory().open(1, at: 0)
            for connection in 2...257 { story.open(UInt64(connection), at: 1) }
            story.open(258, at: seconds)
            return story.verdict(of: SingleConnection.self, at: 9).findingCount
        }
        // Until 50 ms have passed, the old sockets may still end.
        #expect(findings(lastAt: 1.05) == 256)
        #expect(findings(lastAt: 1.051) == 257)
    }

    @Test("ws/single-connection reports the worse of two simultaneous breaches")
    func worse() {
        let story = SocketStory().connect(1, at: 0).connect(2, at: 1, on: "c2").connect(3, at: 2)
        let verdict = story.verdict(of: SingleConnection.self, at: 9)
        #expect(verdict.findings.map(\.level) == [.should, .must])
        #expect(verdict.findings.map { $0.evidence.map(\.number) } == [[1, 3], [1, 5]])
        #expect(verdict.failsRun)
    }

    static let sameToken = "The client reconnected with the token that was refused with 401 at 10:30:00."
    private static let sameID = "The client requested the consultation c1 again after a 404 at 10:30:00."

    static let refusedCases: [SocketCase] = [
        SocketCase("never refused", .notExercised) { $0.connect(1, at: 0) },
        SocketCase("refused and left at that", .notExercised, until: 99) { $0.refuse(401, at: 0) },
        SocketCase("401, then another token", .kept()) { $0.refuse(401, at: 0).connect(1, at: 1, token: "t2") },
        SocketCase("401, then the same token", .broken(sameToken, [1, 2])) { $0.refuse(401, at: 0).refuse(401, at: 1) },
        SocketCase("401, then the same token at once", .broken(sameToken, [1, 2])) {
            for _ in 0..<2 { $0.refuse(401, at: 0) }
        },
        SocketCase("404, then the same id at once", .broken(sameID, [1, 2])) {
            for _ in 0..<2 { $0.refuse(404, at: 0) }
        },
        SocketCase("401 without any, which is another's", .notExercised) {
            for time in [0, 1, 3.0] { $0.refuse(401, at: time, token: nil) }
        },
        SocketCase("404 for an id in upper case, which is another's", .notExercised) {
            for time in [0, 1, 3.0] { $0.refuse(404, at: time, on: "C1") }
        },
        SocketCase("401, then the same token for another consultation", .broken(sameToken, [1, 2])) {
            $0.refuse(401, at: 0).connect(1, at: 1, on: "c2")
        },
        SocketCase("under way when the 401 was delivered", .notExercised) {
            $0.refuse(401, at: 1).refuse(401, at: 2, took: 1.5)
        },
        SocketCase("a 401 that was not delivered", .notExercised) { $0.refuse(nil, at: 0).refuse(401, at: 1) },
        SocketCase("only the next handshake must bring another", .kept(2)) {
            $0.refuse(401, at: 0).refuse(401, at: 1, token: "t2").connect(1, at: 2, token: "t1")
        },
        SocketCase("404, then another id", .kept()) { $0.refuse(404, at: 0).connect(1, at: 1, on: "c2") },
        SocketCase("404, then the same id", .broken(sameID, [1, 2])) { $0.refuse(404, at: 0).refuse(404, at: 1) },
        SocketCase("404, then the same id, which hangs", .broken(sameID, [1, 2])) {
            $0.refuse(404, at: 0).refuse(nil, at: 1)
        },
        SocketCase("404, then the consultation was brought back", .notExercised) {
            $0.refuse(404, at: 0).connect(1, at: 1)
        },
        SocketCase("404 for another client", .notExercised) { $0.refuse(404, at: 0).refuse(404, at: 1, token: "t2") },
    ]

    @Test("The ws/refused-handshake judge reaches the expected verdict", arguments: refusedCases)
    func refused(_ row: SocketCase) { row.check(RefusedHandshake.self) }

    static let waitsCases: [SocketCase] = [
        SocketCase("waited for a late one", .kept()) {
            $0.open(1, at: 0).hear(1, "connected", at: 2, faults: ["late"]).ask(1, at: 2.001)
        },
        SocketCase("had nothing to wait for", .notExercised) { $0.connect(1, at: 0).ask(1, at: 0.001) },
        SocketCase("came within 50 ms", .notExercised) {
            $0.open(1, at: 0).hear(1, "connected", at: 0.05).ask(1, at: 1)
        },
        SocketCase("never chatted", .notExercised) { $0.open(1, at: 0) },
        SocketCase("a ping is no chat", .notExercised) { $0.open(1, at: 0).say(1, #"{"type":"ping"}"#, at: 1) },
        SocketCase(
            "did not wait, and is told once",
            .broken(
                "The client sent a chat message before `connected` had arrived on the socket that opened at 10:30:00.",
                [1, 2])
        ) { $0.open(1, at: 0).ask(1, at: 1).ask(1, at: 2).hear(1, "connected", at: 3, faults: ["late"]) },
        SocketCase("a lost one excuses", .notExercised) {
            $0.open(1, at: 0).hear(1, "connected", at: 0, .none, faults: ["lose"]).ask(1, at: 5)
        },
        SocketCase("a broken one excuses", .notExercised) {
            $0.open(1, at: 0).hear(1, text: #"{"typ"#, at: 0, faults: ["break"]).ask(1, at: 5)
        },
    ]

    @Test("The ws/waits-for-connected judge reaches the expected verdict", arguments: waitsCases)
    func waits(_ row: SocketCase) { row.check(WaitsForConnected.self) }
}
