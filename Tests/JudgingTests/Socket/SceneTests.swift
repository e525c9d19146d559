import FitIQAPI
import Testing
import Traffic

@testable import Judging

@Suite("Scene")
struct SceneTests {
    private func scene(limit: Int = 100, _ tell: (inout SocketStory) -> Void) -> Scene {
        var story = SocketStory()
        tell(&story)
        var scene = Scene(socketLimit: limit)
        for entry in story.journal.entries() { scene.observe(Fact(entry)) }
        return scene
    }

    @Test("Open sockets are known by user and by consultation, oldest first, silenced ones apart")
    func open() {
        let scene = scene {
            $0.open(9, at: 0)
            $0.open(3, at: 1, on: "c2")
            $0.open(4, at: 2, on: "c2", user: "bob")
            $0.open(5, at: 3, on: "c3")
            $0.fault(5, .silence, at: 4)
            $0.open(6, at: 5)
            $0.leave(6, at: 6)
        }
        #expect(scene.openSockets(of: "ann").map(\.connection) == [9, 3])
        #expect(scene.openSockets(of: "bob").map(\.connection) == [4])
        #expect(scene.openSockets(of: "eve").isEmpty)
        #expect(scene.openSockets(onConsultation: "c2").map(\.connection) == [3, 4])
        #expect(scene.openSockets(onConsultation: "c3").isEmpty)
        #expect(scene.sockets.count == 4)
        #expect(scene.endedSocket?.connection == 6)
    }

    @Test("The socket that ended is told of once, as it was")
    func ended() {
        let ended = scene {
            $0.streaming()
            $0.drop(1, at: 4)
        }
        #expect(ended.endedSocket?.isStreaming == true)
        #expect(ended.endedSocket?.connectedAt == SocketStory.time(0))
        let later = scene {
            $0.streaming()
            $0.drop(1, at: 4)
            $0.fetch(at: 5)
        }
        #expect(later.endedSocket == nil)
    }

    @Test(
        "An answer streams from a piece that is delivered to its end",
        arguments: [
            ("stream_chunk", "stream_complete"), ("assistant_message_start", "assistant_message_end"),
            ("assistant_message_chunk", "error"),
        ])
    func streams(begin: String, end: String) {
        func isStreaming(_ tell: (inout SocketStory) -> Void) -> Bool? {
            scene {
                $0.connect(1, at: 0)
                $0.ask(1, at: 1)
                tell(&$0)
            }.sockets[1]?.isStreaming
        }
        #expect(isStreaming { $0.hear(1, "message_received", at: 1) } == false)
        #expect(isStreaming { $0.hear(1, begin, at: 1) } == true)
        #expect(isStreaming { $0.hear(1, begin, at: 1, .partial, faults: ["cut"]) } == false)
        #expect(
            isStreaming {
                $0.hear(1, begin, at: 1)
                $0.hear(1, end, at: 2)
            } == false)
        #expect(
            isStreaming {
                $0.hear(1, begin, at: 1)
                $0.hear(1, end, at: 2, .none, faults: ["lose"])
            } == true, "its client still waits for the end")
        let unasked = scene {
            $0.connect(1, at: 0)
            $0.hear(1, begin, at: 1, faults: ["late"])
        }
        #expect(unasked.sockets[1]?.isStreaming == true, "nothing has ended that it could belong to")
    }

    @Test("No more sockets are remembered than the limit, and the oldest go")
    func limit() {
        let scene = scene(limit: 3) {
            for connection in 1...50 { $0.open(UInt64(connection), at: 0, user: "user \(connection)") }
            $0.leave(49, at: 1)
            $0.open(51, at: 2)
        }
        #expect(scene.sockets.keys.sorted() == [48, 50, 51])
        #expect(scene.openSockets(of: "user 47").isEmpty)
        #expect(scene.openSockets(of: "user 48").count == 1)
        #expect(scene.openSockets(onConsultation: "c1").map(\.connection) == [48, 50, 51])
    }

    @Test("Of many open sockets of a user the newest are looked at, however many there are")
    func lookBack() {
        let scene = scene(limit: 200) {
            for connection in 1...150 { $0.open(UInt64(connection), at: 0) }
            $0.leave(150, at: 1)
        }
        #expect(scene.sockets.count == 149)
        #expect(scene.openSockets(of: "ann").map(\.connection) == Array(86...149))
        #expect(scene.openSockets(onConsultation: "c1").map(\.connection) == Array(86...149))
    }

    @Test("A connection that is opened twice is one socket")
    func twice() {
        let scene = scene {
            $0.open(1, at: 0)
            $0.open(1, at: 1, on: "c2", user: "bob")
        }
        #expect(scene.openSockets(of: "ann").isEmpty)
        #expect(scene.openSockets(of: "bob").map(\.consultation) == ["c2"])
    }

    @Test("Frames, faults and ends of sockets that nobody saw open are of no account")
    func unknown() {
        let scene = scene {
            $0.hear(1, "stream_chunk", at: 0)
            $0.fault(2, .silence, at: 1)
            $0.leave(3, at: 2)
        }
        #expect(scene.sockets.isEmpty)
        #expect(scene.endedSocket == nil)
    }
}
