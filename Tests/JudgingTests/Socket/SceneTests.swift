import FitIQAPI
import JSON
import TestSupport
import Testing
import Traffic
import WebSocket

@testable import Judging

@Suite("Scene")
struct SceneTests {
    private func scene(limit: Int = 100, _ tell: (SocketStory) -> Void) -> Scene {
        let story = SocketStory()
        tell(story)
        var scene = Scene(socketLimit: limit)
        for entry in story.journal.entries() { scene.observe(Fact(entry)) }
        return scene
    }

    @Test("A scene finds open sockets by user and by consultation, oldest first")
    func open() {
        let scene = scene {
            $0.open(9, at: 0).open(3, at: 1, on: "c2").open(4, at: 2, on: "c2", user: "bob").open(5, at: 3, on: "c3")
            $0.fault(5, .silence, at: 4).open(6, at: 5).leave(6, at: 6)
        }
        #expect(scene.openSockets(of: "ann").map(\.connection) == [9, 3])
        #expect(scene.openSockets(of: "bob").map(\.connection) == [4])
        #expect(scene.openSockets(of: "eve").isEmpty)
        #expect(scene.openSockets(onConsultation: "c2").map(\.connection) == [3, 4])
        #expect(scene.openSockets(onConsultation: "c3").isEmpty)
        #expect((scene.sockets.count, scene.endedSocket?.connection) == (4, 6))
    }

    @Test("A scene reports an ended socket once, with its last state")
    func ended() {
        let ended = scene { $0.streaming().drop(1, at: 4) }
        #expect((ended.endedSocket?.isStreaming, ended.endedSocket?.connectedAt) == (true, SocketStory.time(0)))
        let later = scene { $0.streaming().drop(1, at: 4).fetch(at: 5) }
        #expect(later.endedSocket == nil)
    }

    @Test(
        "An answer counts as streaming from its first delivered chunk to its end",
        arguments: [
            ("stream_chunk", "stream_complete"), ("assistant_message_start", "assistant_message_end"),
            ("assistant_message_chunk", "error"),
        ])
    func streams(begin: String, end: String) {
        func isStreaming(_ tell: (SocketStory) -> Void) -> Bool? {
            scene {
                $0.connect(1, at: 0).ask(1, at: 1)
                tell($0)
            }.sockets[1]?.isStreaming
        }
        #expect(isStreaming { $0.hear(1, "message_received", at: 1) } == false)
        #expect(isStreaming { $0.hear(1, begin, at: 1) } == true)
        #expect(isStreaming { $0.hear(1, begin, at: 1, .partial, faults: ["cut"]) } == false)
        #expect(
            isStreaming {
                $0.hear(1, begin, at: 1).hear(1, end, at: 2)
            } == false)
        #expect(
            isStreaming {
                $0.hear(1, begin, at: 1).hear(1, end, at: 2, .none, faults: ["lose"])
            } == true, "its client still waits for the end")
        let unasked = scene { $0.connect(1, at: 0).hear(1, begin, at: 1, faults: ["late"]) }
        #expect(unasked.sockets[1]?.isStreaming == true, "nothing has ended that it could belong to")
    }

    @Test("A scene keeps sockets up to its limit and drops the oldest")
    func limit() {
        let scene = scene(limit: 3) {
            for connection in 1...50 { $0.open(UInt64(connection), at: 0, user: "user \(connection)") }
            $0.leave(49, at: 1).open(51, at: 2)
        }
        #expect(scene.sockets.keys.sorted() == [48, 50, 51])
        #expect(scene.openSockets(of: "user 47").isEmpty)
        #expect(scene.openSockets(of: "user 48").count == 1)
        #expect(scene.openSockets(onConsultation: "c1").map(\.connection) == [48, 50, 51])
    }

    @Test("A scene checks only a user's newest open sockets")
    func lookBack() {
        let scene = scene(limit: 200) {
            for connection in 1...150 { $0.open(UInt64(connection), at: 0) }
            $0.leave(150, at: 1)
        }
        #expect(scene.sockets.count == 149)
        #expect(scene.openSockets(of: "ann").map(\.connection) == Array(86...149))
        #expect(scene.openSockets(onConsultation: "c1").map(\.connection) == Array(86...149))
    }

    @Test("Opening a connection twice yields one socket")
    func twice() {
        let scene = scene { $0.open(1, at: 0).open(1, at: 1, on: "c2", user: "bob") }
        #expect(scene.openSockets(of: "ann").isEmpty)
        #expect(scene.openSockets(of: "bob").map(\.consultation) == ["c2"])
    }

    @Test("A scene ignores frames, faults and ends of unknown sockets")
    func unknown() {
        let scene = scene { $0.hear(1, "stream_chunk", at: 0).fault(2, .silence, at: 1).leave(3, at: 2) }
        #expect(scene.sockets.isEmpty)
        #expect(scene.endedSocket == nil)
    }
}

/// Journals of clients with random behaviour, even journals that no server could write.
@Suite("Socket judges on random journals")
struct SocketSoakTests {
    private static func journal(seed: UInt64, count: Int) -> SocketStory {
        var numbers = Draw(seed: seed)
        let story = SocketStory()
        var now = 0.0
        func pick<T>(_ values: [T]) -> T { values[numbers.below(values.count)] }
        for _ in 0..<count {
            now += pick([0, 0, 0.001, 0.05, 0.5, 1, 3, 12, 40])
            let connection = UInt64(numbers.below(6))
            let consultation = pick(["c1", "c1", "C1", "c2", ""])
            let user: ExactString = pick(["ann", "ann", "bob", ""])
            let token = pick(["t1", "t1", "t2"])
            let faults = pick([[], [], ["rule"]])
            switch numbers.below(13) {
            case 0:
                story.open(
                    connection, at: now, took: pick([0, 0, 5]), on: pick(["c1", "c1", "c2"]), user: user, token: token,
                    faults: faults)
            case 1:
                story.refuse(
                    pick([401, 404, 400, 503, nil]), at: now, took: pick([0, 0, 30]), on: consultation,
                    token: pick([token, nil]), user: pick([nil, user]))
            case 2: story.request(pick(["GET /ws", "POST /api/v1/goals"]), pick([404, nil]), at: now)
            case 3: story.fetch(consultation, at: now, took: pick([0, 4]))
            case 4...6:
                story.hear(
                    connection,
                    pick(["connected", "stream_chunk", "stream_complete", "assistant_message_start", "error", "pong"]),
                    at: now, pick([.complete, .complete, .partial, .none]), faults: faults)
            case 7: story.ask(connection, at: now)
            case 8:
                story.say(
                    connection, pick(["", "{", "null", #"{"type":"ping"}"#]), at: now, opcode: pick([.text, .ping]))
            case 9: story.fault(connection, pick(RecordedFault.Effect.allCases), at: now)
            case 10: story.archive(connection, at: now)
            case 11: story.connectMeals(connection, at: now, user: user)
            default:
                story.close(
                    connection, by: pick(Party.allCases), pick(RecordedClosing.Cause.allCases),
                    server: pick([nil, 0, 1000, 1012]), client: pick([nil, 0, 1000, 1002]), at: now, faults: faults)
            }
        }
        // At the end, all sockets close, and a socket that is examined is not reopened.
        for connection in 0..<6 { story.leave(UInt64(connection), at: now) }
        story.connect(6, at: now)
        story.drop(6, at: now)
        for pause in [0, 40.0] { story.fetch(at: now + pause) }
        return story
    }

    @Test("On random journals, every breach is exercised and its evidence is short and sorted", arguments: 1...40)
    func soak(_ seed: UInt64) {
        let story = Self.journal(seed: seed, count: 2000)
        for type in SocketStory.judges {
            let verdict = story.verdict(of: type, at: 1_000_000)
            #expect(verdict.findings.count <= Findings.keptCount)
            #expect(verdict.findingCount == 0 || verdict.exercisedCount > 0, "\(type.obligation.id)")
            for finding in verdict.findings {
                let numbers = finding.evidence.map(\.number)
                #expect((1...4).contains(numbers.count), "\(type.obligation.id): \(numbers)")
                #expect(numbers == Array(Set(numbers)).sorted(), "\(type.obligation.id): \(numbers)")
            }
        }
    }

    @Test("Each socket judge finds breaches in some of the random journals")
    func reach() {
        let stories = (UInt64(1)...20).map { Self.journal(seed: $0, count: 2000) }
        for type in SocketStory.judges {
            #expect(stories.contains { $0.verdict(of: type).findingCount > 0 }, "\(type.obligation.id)")
        }
    }

    @Test("Reading interim verdicts does not change the final verdicts")
    func asking() {
        let entries = Array(Self.journal(seed: 7, count: 600).journal.entries())
        for type in SocketStory.judges {
            var scene = Scene()
            var judge = type.init()
            var (asked, unasked) = (Findings(of: type.obligation), Findings(of: type.obligation))
            var other = type.init()
            for entry in entries {
                let fact = Fact(entry)
                scene.observe(fact)
                judge.observe(fact, in: scene, &asked)
                other.observe(fact, in: scene, &unasked)
                var copy = asked
                judge.conclude(at: entry.time, in: scene, &copy)
            }
            #expect(asked.count == unasked.count && asked.exercisedCount == unasked.exercisedCount)
        }
    }
}
