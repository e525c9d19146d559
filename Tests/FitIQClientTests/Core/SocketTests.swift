import FitIQAPI
import HTTPTypes
import JSON
import Testing
import WebSocket

@testable import FitIQClient

@Suite("Client core: the chat socket")
struct SocketTests {
    private static let ws = "WS /api/v1/consultations/\(CoreBench.consultation)/ws"
    private static let history = "GET /api/v1/consultations/\(CoreBench.consultation)/messages"

    @Test("The client pings every 25 s and accepts any frame as a sign of life")
    func pings() {
        var bench = CoreBench.connected()
        bench.wait(26)
        if let socket = bench.socket { bench.receive(.pong(socket: socket)) }
        bench.wait(25)
        bench.frame(["type": "typing"])
        bench.wait(23)
        #expect(bench.take() == ["25 ping", "50 ping"] && bench.state.connection == .connected)
    }

    @Test("The client reopens a socket that is silent for 10 s after a ping")
    func halfOpen() {
        var bench = CoreBench.connected()
        bench.wait(36)
        #expect(bench.take() == ["25 ping", "35 drop", "36 \(Self.ws)"])
        #expect(bench.state.connection == .connecting && bench.state.isBusy)
    }

    @Test(
        "The client tries to reconnect five times and then reports a failure",
        arguments: [
            (ReconnectSchedule(), [1, 3, 6, 10, 15]),
            (ReconnectSchedule(.doubling(first: .seconds(1), longest: .seconds(30))), [1, 3, 7, 15, 31]),
            (ReconnectSchedule(.constant(.seconds(5))), [5, 10, 15, 20, 25]),
        ])
    func reconnects(schedule: ReconnectSchedule, times: [Int]) {
        var bench = CoreBench.connected { $0.reconnects = schedule }
        bench.end()
        for time in times {
            bench.wait(Double(time) - bench.seconds)
            #expect(bench.take() == ["\(time) \(Self.ws)"])
            let number = bench.handshakes.removeFirst().number
            bench.receive(.socketFailed(number: number, "no route"))
        }
        #expect(bench.state.connection == .failed && !bench.state.isBusy)
        #expect(bench.state.problems.map(\.kind) == [.unavailable] && bench.core.nextDeadline == nil)
        bench.wait(1000)
        bench.perform(.openConsultation(id: CoreBench.consultation))
        #expect(bench.take().first?.hasSuffix(Self.history) == true)
    }

    @Test("A Retry-After can only lengthen the wait before a reconnect")
    func pauses() {
        var bench = CoreBench.connected()
        bench.end(.goingAway)
        bench.wait(1)
        bench.shake(503, [.retryAfter: "7"])
        bench.wait(7)
        bench.shake(503, [.retryAfter: "1"])
        bench.wait(7)
        bench.greet()
        #expect(bench.take() == ["1 \(Self.ws)", "8 \(Self.ws)", "15 \(Self.ws)", "15 \(Self.history)"])
        bench.recall()
        bench.end()
        bench.wait(1)
        #expect(bench.take() == ["16 \(Self.ws)"])
    }

    @Test("The client waits for a Retry-After of up to five minutes", arguments: [(300, true), (301, false)])
    func longestPause(seconds: Int, isWaitedFor: Bool) {
        var bench = CoreBench.connected()
        bench.end()
        bench.wait(1)
        bench.shake(503, [.retryAfter: "\(seconds)"])
        #expect((bench.state.connection == .failed) != isWaitedFor)
        bench.wait(300)
        #expect(bench.take() == ["1 \(Self.ws)"] + (isWaitedFor ? ["301 \(Self.ws)"] : []))
    }

    @Test("The client closes a socket that receives no `connected` frame within 10 s")
    func greeting() {
        var bench = CoreBench.connected()
        bench.end()
        bench.wait(1)
        bench.shake()
        bench.wait(10)
        #expect(bench.take() == ["1 \(Self.ws)", "11 close 1001"])
        bench.end(.goingAway, isOwn: true)
        bench.wait(10)
        #expect(bench.take() == ["14 \(Self.ws)"])
    }

    @Test("After five attempts, the client gives up on a server that never sends `connected`")
    func noGreeting() {
        var bench = CoreBench.connected()
        bench.end()
        bench.wait(1)
        for _ in 0..<5 {
            #expect(bench.state.connection == .connecting)
            bench.shake()
            bench.wait(10)
            bench.end(.goingAway, isOwn: true)
            bench.wait(5)
        }
        #expect(bench.state.connection == .failed && bench.handshakes.isEmpty && bench.core.nextDeadline == nil)
        #expect(bench.state.problems == [.init(kind: .unavailable, message: ClientMessages.noConnection)])
    }

    @Test("The client gives up on an unanswered handshake after 30 s")
    func handshake() {
        var bench = CoreBench.opened()
        bench.wait(31)
        #expect(bench.take().suffix(3) == ["0 \(Self.ws)", "30 drop", "31 \(Self.ws)"])
    }

    @Test("The client does not repeat a handshake that the server rejected with 400")
    func inactive() {
        var bench = CoreBench.connected()
        bench.end()
        bench.wait(1)
        bench.shake(400, body: CoreBench.refusal("CONSULTATION_NOT_ACTIVE", "Not active."))
        #expect(bench.state.problems == [.init(kind: .refused, message: "Not active.")])
        #expect(bench.state.connection == .failed && bench.core.nextDeadline == nil)
    }

    @Test("The client never reuses a token that a handshake rejected")
    func tokens() {
        var bench = CoreBench.asked(.openConsultation(id: CoreBench.consultation), fresh: "new")
        bench.answer(401)
        #expect(bench.bearers == ["Bearer new"])
        bench.recall()
        bench.shake(401)
        #expect(bench.handshakes.isEmpty && bench.events.contains(.credentialsRefused) && bench.state.isBusy)
        bench.wait(20)
        bench.perform(.useToken("newest"))
        #expect(bench.handshakes.map { $0.fields[.authorization] } == ["Bearer newest"])
        bench.greet()
        #expect(bench.state.problems.isEmpty)
    }

    @Test("The client replaces the first token after a login if a handshake rejects it")
    func signedIn() {
        func tokens(_ number: Int) -> JSONValue {
            ["data": ["access_token": .string("a\(number)"), "refresh_token": .string("r\(number)")]]
        }
        var bench = CoreBench { $0.credentials.token = "" }
        bench.ask(.signIn(email: "ada@example.com", password: "correct horse"), 200, tokens(1))
        bench.open()
        bench.shake(401)
        bench.answer(200, tokens(2))
        #expect(bench.handshakes.map { $0.fields[.authorization] } == ["Bearer a2"])
    }

    @Test("A late 401 for an older token also makes the client request a new token")
    func lateRefusal() {
        var bench = CoreBench.asked(.loadGoals, .logMeal(text: "2 eggs", type: .breakfast))
        let late = bench.requests.removeLast()
        bench.answer(401)
        bench.perform(.useToken("new"))
        bench.answer(401)
        bench.perform(.giveUpToken)
        #expect(bench.state.problems.map(\.kind) == [.unauthorized])
        bench.receive(.response(ClientResponse(number: late.number, status: 401)))
        #expect(bench.events.filter { $0 == .credentialsRefused }.count == 3)
        bench.perform(.giveUpToken)
        #expect(!bench.state.isBusy && bench.core.nextDeadline == nil)
    }

    @Test("The client asks the user for another token only once", arguments: [false, true])
    func noToken(isSame: Bool) {
        var bench = CoreBench.asked(.loadGoals, .openConsultation(id: CoreBench.consultation))
        bench.answer(401)
        bench.answer(401)
        #expect(bench.events.filter { $0 == .credentialsRefused }.count == 1)
        if isSame { bench.perform(.useToken("old")) } else { bench.wait(60) }
        #expect(bench.state.problems.map(\.kind) == [.unauthorized])
        #expect(bench.state.connection == .failed && !bench.state.isBusy && bench.core.nextDeadline == nil)
        _ = bench.take()
        bench.perform(.loadGoals)
        #expect(bench.take().isEmpty && bench.events.filter { $0 == .credentialsRefused }.count == 2)
        bench.perform(.useToken("new"))
        #expect(bench.take().count == 1)
    }

    @Test("The client reads the history before it sends a message if the first socket takes two attempts")
    func secondTry() {
        var bench = CoreBench.opened()
        bench.perform(.send(text: "One"))
        bench.shake(503)
        bench.wait(1)
        bench.greet()
        #expect(bench.take() == ["0 \(Self.history)", "0 \(Self.ws)", "1 \(Self.ws)", "1 \(Self.history)"])
        bench.recall()
        #expect(bench.take() == [#"1 > {"type":"message","content":"One"}"#])
    }

    @Test("A reopened chat reads its history once", arguments: [0, 1])
    func comesBack(cuts: Int) {
        var bench = CoreBench.connected()
        for _ in 0..<cuts {
            bench.reconnect()
            bench.recall()
        }
        _ = bench.take()
        bench.perform(.disconnect)
        bench.open()
        bench.end(.normalClosure, isOwn: true)
        bench.wait(3)
        bench.greet()
        #expect(bench.take() == ["\(cuts) close 1000", "\(cuts) \(Self.history)", "\(cuts + 3) \(Self.ws)"])
    }

    @Test("The client reads the history of a chat that the user left while its socket was down")
    func leavesWhileAway() {
        var bench = CoreBench.connected()
        bench.end()
        bench.perform(.disconnect)
        bench.open()
        bench.greet()
        #expect(bench.take() == ["0 \(Self.history)", "0 \(Self.ws)", "0 \(Self.history)"])
    }

    @Test("The client polls the history until it contains the truncated answer")
    func cut() {
        var bench = CoreBench.connected(.send(text: "One"))
        bench.frame(["type": "message_received"], CoreBench.chunk("Half"))
        bench.perform(.send(text: "Two"))
        bench.end()
        #expect(bench.state.transcript.map(\.isComplete) == [true, false, true])
        bench.wait(1)
        bench.greet()
        _ = bench.take()
        bench.recall("user: One")
        #expect(bench.state.transcript.map(\.isComplete) == [true, false, true] && bench.state.isBusy)
        bench.wait(2)
        #expect(bench.take() == ["3 \(Self.history)"])
        bench.recall("user: One", "assistant: Half and whole")
        #expect(bench.state.transcript.map(\.text) == ["One", "Half and whole", "Two"])
        #expect(bench.take() == [#"3 > {"type":"message","content":"Two"}"#])
    }

    @Test("The client repeats only questions that the server did not receive")
    func unheard() {
        var bench = CoreBench.connected(.send(text: "One"))
        _ = bench.take()
        for round in 1...2 {
            bench.reconnect()
            bench.recall()
            #expect(bench.take().count { $0.contains(">") } == (round == 1 ? 1 : 0))
        }
        #expect(bench.state.problems.map(\.kind) == [.unavailable] && !bench.state.isBusy)
        #expect(bench.state.transcript.map(\.isDelivered) == [false])
    }

    @Test("The client waits before it reopens a socket after a protocol error")
    func violation() {
        var bench = CoreBench.connected()
        bench.end(.protocolError, isOwn: true)
        bench.wait(10)
        #expect(bench.take() == ["3 \(Self.ws)"])
    }

    @Test("Another chat can open while the request to archive the first chat is in progress")
    func archivesBeside() {
        var bench = CoreBench.connected(.archive, .openConsultation(id: CoreBench.other))
        bench.requests.removeFirst()
        bench.recall()
        bench.end(.normalClosure, isOwn: true)
        #expect(bench.take().last == "0 WS /api/v1/consultations/\(CoreBench.other)/ws")
    }

    @Test("The server's close after archiving does not cause a reconnect")
    func archived() {
        var bench = CoreBench.connected(.archive)
        bench.frame(["type": "error", "error": "Consultation is not active"])
        bench.end(.normalClosure)
        bench.wait(5)
        bench.answer(200, ["data": ["id": .string(CoreBench.consultation)]])
        bench.wait(60)
        #expect(bench.take() == ["0 POST /api/v1/consultations/\(CoreBench.consultation)/archive"])
        #expect(bench.state.connection == .disconnected && bench.state.problems.isEmpty && !bench.state.isBusy)
    }
}
