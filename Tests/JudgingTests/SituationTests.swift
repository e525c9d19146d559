import FitIQAPI
import Testing
import Traffic
import WebSocket

@testable import Judging

extension Story {
    @discardableResult fileprivate func asks() -> Story {
        connected(SituationTests.id, at: 0).sent(["type": "message", "content": "Hi"], at: 1)
            .received(["type": "stream_chunk", "content": "a"], at: 2)
    }
}

@Suite("Situations")
struct SituationTests {
    /// A story, and the client's situation at its end.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let situation: Situation
        let journal: Journal

        init(
            _ name: String, _ socket: Situation.Socket = .none, _ token: Situation.Token = .good,
            _ meal: Situation.Meal = .none, trouble: Situation.Trouble = .none, tell: (Story) -> Void
        ) {
            testDescription = name
            var situation = Situation()
            (situation.socket, situation.token, situation.meal, situation.trouble) = (socket, token, meal, trouble)
            self.situation = situation
            journal = Story(tell).journal
        }
    }

    static let id = uuid(1)

    static let sockets: [Case] = [
        Case("nothing happened") { _ in },
        Case("a handshake", .connecting) { $0.opened(id, at: 0) },
        Case("connected", .idle) { $0.connected(id, at: 0) },
        Case("a question", .awaiting) { $0.connected(id, at: 0).sent(["type": "message", "content": "Hi"], at: 1) },
        Case("a question in the other protocol", .awaiting) {
            $0.connected(id, at: 0).sent(["type": "user_message", "content": "Hi"], at: 1)
        },
        Case("a piece of its answer", .streaming) { $0.asks() },
        Case("its end", .idle) { $0.asks().received(["type": "stream_complete"], at: 3) },
        Case("an error in place of its end", .idle, trouble: .told) {
            $0.asks().received(["type": "error", "error": "No"], at: 3)
        },
        Case("an end that never arrived", .streaming, trouble: .broken) {
            $0.asks().received(["type": "stream_complete"], at: 3, delivery: .none, faults: ["lost"])
        },
        Case("a close frame of the client", .closing) { $0.asks().frame(.client, .close, at: 3) },
        Case("a close frame of the server", .closing) { $0.connected(id, at: 0).frame(.server, .close, at: 3) },
        Case("the client left") { $0.connected(id, at: 0).closed(at: 1) },
        Case("silence", .silent, trouble: .silence) { $0.connected(id, at: 0).fault(.silence, at: 1) },
        Case("a cut", trouble: .cut) { $0.asks().closed(by: .server, .fault, at: 3, faults: ["reset"]) },
        Case("a second socket counts, the first does not", .idle) { $0.asks().connected(uuid(2), on: 101, at: 3) },
        Case("the end of an old socket does not end the newest", .idle) {
            $0.connected(id, at: 0).connected(uuid(2), on: 101, at: 1).closed(at: 2)
        },
        Case("a refused handshake leaves none", trouble: .failed) { $0.request(.webSocket, id, status: 503, at: 0) },
        Case("another user is another client") { $0.connected(id, at: 0).becomes("anna").request(.listGoals, at: 1) },
    ]

    static let others: [Case] = [
        Case("401 to a token that has not expired", .none, .revoked, trouble: .refused) {
            $0.request(.listGoals, status: 401, at: 0)
        },
        Case("401 to one that has", .none, .expired, trouble: .refused) {
            $0.token = expiring(5)
            $0.request(.listGoals, status: 401, at: 5)
        },
        Case("the token expires while an answer streams", .streaming, .expired) {
            $0.token = expiring(5)
            $0.asks().received(["type": "stream_chunk", "content": "b"], at: 5)
        },
        Case("a new token", trouble: .refused) {
            $0.request(.listGoals, status: 401, at: 0)
            $0.token = Story.token(of: "sarah", 2)
            $0.request(.listGoals, at: 1)
        },
        Case("the same token is good after all", trouble: .refused) {
            $0.request(.listGoals, status: 401, at: 0).request(.listGoals, at: 1)
        },
        Case("or opens a socket", .connecting, trouble: .refused) {
            $0.request(.listGoals, status: 401, at: 0).opened(id, at: 1)
        },
        Case("a refusal of something else does not make it good", .none, .revoked, trouble: .refused) {
            $0.request(.listGoals, status: 401, at: 0).request(.listGoals, status: 400, at: 1)
        },
        Case("no token") { $0.request(.logIn, at: 0, fields: ["X-API-Key: key-1"]) },
        Case("401 to a token that does not say when it expires", .none, .revoked, trouble: .refused) {
            $0.token = "plain"
            $0.request(.listGoals, status: 401, at: 0)
        },
        Case("of very many meals the first 64 count", .none, .good, .done) {
            for number in 1...65 { $0.logsMeal(uuid(number), at: 0) }
            for number in 1...64 { $0.loads("completed", uuid(number), at: 1) }
        },
        Case("a meal", .none, .good, .pending) { $0.logsMeal(at: 0) },
        Case("its result", .idle, .good, .done) { $0.connected(id, at: 0).logsMeal(at: 0).settles(at: 3) },
        Case("its failure, read", .none, .good, .done, trouble: .told) { $0.logsMeal(at: 0).loads("failed", at: 4) },
        Case("no answer", trouble: .late) { $0.request(.listGoals, status: nil, at: 0) },
        Case("the last trouble counts", trouble: .refused) {
            $0.request(.listGoals, status: 503, at: 0).request(.listGoals, status: 429, at: 1)
            $0.request(.listGoals, at: 2)
        },
    ]

    private static func expiring(_ seconds: Int64) -> String {
        AccessToken(subject: "sarah", expiresAt: 1_738_146_600 + seconds).signed(with: Array("secret".utf8))
    }

    @Test(
        "The judge derives the client's situation from the journal and counts it as covered",
        arguments: sockets + others)
    func stands(_ example: Case) {
        let judge = example.journal.judge()
        #expect(judge.situation == example.situation)
        #expect(judge.coverage.contains(example.situation) || example.situation == Situation())
    }

    @Test("A rejected handshake covers the connecting situation")
    func passesThrough() {
        let covered = Story { $0.request(.webSocket, Self.id, status: 503, at: 0) }.journal.judge().coverage
        #expect(covered.situations.map(\.socket) == [.none, .connecting])
    }

    @Test("A socket that ends with a close frame covers the closing situation")
    func closes() {
        let story = Story().connected(Self.id, at: 0).closed(at: 1)
        #expect(story.journal.judge().coverage.situations.map(\.socket).contains(.closing))
    }

    @Test("Each situation has a unique index in sort order")
    func places() {
        let all = (0..<Situation.count).map(Situation.init(index:))
        #expect(all.map(\.index) == Array(0..<Situation.count))
        #expect(Set(all).count == 504)
        #expect(all == all.sorted())
        #expect(!all.contains { $0 < $0 })
    }

    @Test("A union of two coverages contains the situations of both")
    func sets() {
        let (first, last) = (Situation(index: 0), Situation(index: Situation.count - 1))
        var one = Coverage()
        one.insert(last)
        #expect(one.situations == [last])
        var other = Coverage()
        other.insert(first)
        other.formUnion(one)
        #expect((other.situations, other.count) == ([first, last], 2))
    }
}
