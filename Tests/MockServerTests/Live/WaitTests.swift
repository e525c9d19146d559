import JSON
import TestSupport
import Testing

@testable import MockServer

@Suite("Live control: waiting")
struct WaitTests {
    private let network = VirtualNetwork()

    struct Wait {
        let client: HTTPClient<VirtualClient>
        private let request: Request

        init(_ network: VirtualNetwork, _ body: String, path: String = "wait") throws {
            client = try network.client()
            request = Request(method: .post, target: "/__admin/" + path).json(body)
            client.wire.send(request.bytes)
        }

        var isAnswered: Bool { !client.wire.received.isEmpty }

        func response() throws -> Response { try client.response(to: request) }
    }

    private func miss(_ path: String) throws { #expect(try network.get(path).status == 404) }

    private func ask(_ body: String) throws -> Response { try network.admin(.post, "wait", body) }

    /// Whether a wait has been answered a millisecond before this much time has passed, and when it has passed.
    private func answers(to wait: Wait, after duration: Duration) -> [Bool] {
        [duration - .milliseconds(1), .milliseconds(1)].map { step in
            network.advance(by: step)
            return wait.isAnswered
        }
    }

    @Test("A wait returns a past event immediately or, failing that, the next event when it happens")
    func happens() throws {
        try miss("/nowhere")
        let past = try ask(#"{"for":{"status":404}}"#)
        #expect(past.status == 200 && past.json?["entry"]?["number"] == 1 && past.json?["last_number"] == 1)
        let wait = try Wait(network, #"{"for":{"status":404},"since":1,"within":"10s"}"#)
        network.advance(by: .milliseconds(9_999))
        #expect(!wait.isAnswered)
        _ = try network.exchange(Request(target: "/health"))
        #expect(!wait.isAnswered)
        try miss("/elsewhere")
        let answer = try wait.response()
        #expect(answer.status == 200 && answer.json?["entry"]?["number"] == 2)
        #expect(try network.admin(.get, "requests").json?["entries"]?[0] == answer.json?["entry"])
    }

    @Test("A wait that times out returns an error with the nearest entries")
    func refused() throws {
        try miss("/nowhere")
        _ = try network.exchange(Request(method: .post, target: "/nowhere"))
        let wait = try Wait(network, #"{"for":{"kind":"exchange","method":"POST","status":201},"within":"2s"}"#)
        #expect(answers(to: wait, after: .seconds(2)) == [false, true])
        let answer = try wait.response()
        let details = try #require(answer.json?["error"]?["details"])
        #expect(answer.status == 408 && details["last_number"] == 2)
        let misses = try #require(details["near_misses"]?.array)
        #expect(misses.map { $0["entry"]?["number"] } == [2, 1])
        #expect(
            misses.map { $0["differences"] } == [
                ["status is 404, not 201"], ["method is GET, not POST", "status is 404, not 201"],
            ])
        // The connection remains usable.
        #expect(try wait.client.exchange(.goals).status == 200)
    }

    @Test("A wait can start now or after an entry and reports its start")
    func fromNow() throws {
        try miss("/nowhere")
        let wait = try Wait(network, #"{"for":{"status":404},"since":"now"}"#)
        #expect(!wait.isAnswered)
        try miss("/elsewhere")
        let answer = try wait.response().json
        #expect(answer?["since"] == 1 && answer?["entry"]?["number"] == 2 && answer?["last_number"] == 2)
        let late = try ask(#"{"for":{"status":404},"since":2,"within":"0"}"#)
        #expect(late.status == 408 && late.json?["error"]?["details"]?["since"] == 2)
        #expect(try ask(#"{"for":{"status":404},"since":"later"}"#).status == 400)
    }

    @Test("An optional wait that times out succeeds without an entry")
    func nothing() throws {
        let body = #"{"for":{"status":404},"since":"now","within":"5s","optional":true}"#
        let wait = try Wait(network, body)
        _ = try network.exchange(.goals)
        #expect(answers(to: wait, after: .seconds(5)) == [false, true])
        let answer = try wait.response()
        #expect(answer.status == 200 && answer.json?["entry"] == .null)
        #expect(answer.json?["since"] == 0 && answer.json?["last_number"] == 1)
        #expect(answer.json?["near_misses"]?[0]?["differences"] == ["status is 200, not 404"])
        let other = try Wait(network, body)
        try miss("/nowhere")
        #expect(try other.response().json?["entry"]?["number"] == 2)
    }

    @Test("A wait can match JSON members by their paths")
    func members() throws {
        _ = try network.consultation()
        func wait(_ condition: String) throws -> Response { try ask("{\"for\":\(condition),\"within\":\"0\"}") }
        for condition in [
            #"{"json":{"data.status":"active"}}"#, #"{"json":{"data.message_count":0.0}}"#,
            #"{"request_json":{"persona":"nutritionist"},"json":{"success":true}}"#,
        ] {
            let found = try wait(condition)
            #expect(found.status == 200, "\(condition) \(found.text)")
        }
        let missed = try wait(#"{"kind":"exchange","json":{"data.status":"completed"}}"#)
        let misses = missed.json?["error"]?["details"]?["near_misses"]
        #expect(missed.status == 408 && misses?[0]?["differences"] == ["data.status is active, not completed"])
        let other = try wait(#"{"request_json":{"persona":"x"}}"#)
        #expect(other.text.contains("persona in the request is nutritionist, not x"), "\(other.text)")
        for condition in [
            #"{"json":{}}"#, #"{"json":"a"}"#, #"{"json":{"a":{}}}"#, #"{"json":{"a..b":1}}"#, #"{"json":{"":1}}"#,
            #"{"json":{"a[x]":1}}"#, #"{"json":{"a[-1]":1}}"#, #"{"json":{".a":1}}"#,
        ] { #expect(try wait(condition).status == 400, "\(condition)") }
        let frames = try network.plainWorld()
        let socket = try frames.socket(on: try frames.consultation(#"{"persona":"fitness_coach"}"#))
        socket.send(#"{"type":"ping","list":[[1,{"a":"b"}]]}"#)
        #expect(try wait(#"{"json":{"list[0][1].a":"b"}}"#).json?["entry"]?["kind"] == "frame")
        #expect(try wait(#"{"json":{"list[0][2].a":"b"}}"#).status == 408)
    }

    @Test("An optional clock search without a match succeeds without an entry")
    func clock() throws {
        let network = VirtualNetwork.manual()
        let body = #"{"advance_until":{"kind":"opened"},"within":"2m","optional":true}"#
        let answer = try network.admin(.post, "clock", body)
        #expect(answer.status == 200 && answer.json?["entry"] == .null && answer.json?["near_misses"] == [])
        #expect(answer.json?["now"] == "2025-01-29T10:32:00.000000000Z")
    }

    @Test("A wait can match frames by type and by their socket's path")
    func frames() throws {
        let id = try network.consultation()
        let wait = try Wait(network, #"{"for":{"type":"pong","path":"\#(id)"}}"#)
        let socket = try network.socket(on: id)
        #expect(!wait.isAnswered)
        socket.send(#"{"type":"ping"}"#)
        #expect(try wait.response().json?["entry"]?["kind"] == "frame")
        #expect(try ask(#"{"for":{"text":"\"pong\""},"within":"0"}"#).status == 200)
        #expect(try ask(#"{"for":{"text":"pongs"},"within":"0"}"#).status == 408)
    }

    @Test(
        "The server rejects a wait that has no conditions or a limit that is too long",
        arguments: [
            "{}", #"{"for":{}}"#, #"{"for":[]}"#, #"{"for":{"limit":1}}"#, #"{"for":{"since":1}}"#,
            #"{"for":{"stats":404}}"#, #"{"for":{"status":[404]}}"#, #"{"for":{"kind":"frames"}}"#,
            #"{"for":{"status":404},"within":"600.001s"}"#, #"{"for":{"status":404},"since":-1}"#,
            #"{"for":{"status":404},"until":1}"#,
        ])
    func malformed(_ body: String) throws { #expect(try ask(body).status == 400) }

    @Test("A wait lasts at most ten minutes")
    func longest() throws {
        let wait = try Wait(network, #"{"for":{"status":404},"within":"10m"}"#)
        #expect(answers(to: wait, after: .seconds(600)) == [false, true])
        #expect(try wait.response().status == 408)
    }

    @Test("A world rejects a wait beyond its limit")
    func limit() throws {
        let waits = try (0..<AdminLimits.waits).map { _ in try Wait(network, #"{"for":{"status":404}}"#) }
        #expect(try ask(#"{"for":{"status":404}}"#).status == 507)
        let short = #"{"for":{"status":404},"within":"0"}"#
        #expect(try network.world().ask(.post, "wait", short).status == 408)
        waits[0].client.wire.vanish()
        #expect(try ask(short).status == 408)
        try miss("/nowhere")
        #expect(try waits.dropFirst().allSatisfy { try $0.response().status == 200 })
        try miss("/nowhere")
        #expect(network.engine.followers.isEmpty)
    }

    @Test("A half-closed client frees its wait slot")
    func leaves() throws {
        let waits = try (0..<AdminLimits.waits).map { _ in try Wait(network, #"{"for":{"status":404}}"#) }
        let another = #"{"for":{"status":404},"within":"0"}"#
        waits[1].client.wire.send(Request.goals.bytes)
        #expect(try ask(another).status == 507)
        waits[0].client.wire.finishWriting()
        #expect(waits[0].client.wire.ending == .closed && !waits[0].isAnswered)
        #expect(try ask(another).status == 408)
        try miss("/nowhere")
        #expect(try waits[1].response().status == 200)
        #expect(try waits[1].client.response(to: .goals).status == 200)
    }

    @Test("A wait ends when its world or the server ends", arguments: ["reset", "delete", "shutdown"])
    func ends(_ cause: String) throws {
        let world = try network.world()
        let wait = try Wait(network, #"{"for":{"status":404}}"#, path: world.admin + "wait")
        switch cause {
        case "reset": _ = try world.ask(.post, "reset")
        case "delete": _ = try network.admin(.delete, "worlds/\(world.id)")
        default: network.beginShutdown()
        }
        network.catchUp()
        #expect(try wait.response().status == ["reset": 409, "delete": 404, "shutdown": 408][cause])  // By cause.
    }

    @Test("A cleared journal does not end a wait")
    func cleared() throws {
        _ = try network.exchange(.goals)
        let wait = try Wait(network, #"{"for":{"status":404}}"#)
        _ = try network.admin(.delete, "journal")
        #expect(!wait.isAnswered)
        try miss("/nowhere")
        #expect(try wait.response().json?["entry"]?["number"] == 2)
    }

    @Test("A wait finds an entry in a long journal", arguments: [true, false])
    func long(_ asksForPath: Bool) throws {
        for _ in 0..<2000 { try miss("/nowhere") }
        let path = asksForPath ? #","path":"/last""# : ""
        let wait = try Wait(network, #"{"for":{"method":"POST"\#(path)}}"#)
        _ = try network.exchange(Request(method: .post, target: "/last"))
        #expect(try wait.response().json?["entry"]?["number"] == 2001)
    }

    @Test(
        "Many waits that expire on a long journal spread their searches over several turns",
        arguments: ["", #","text":"nobody""#])
    func late(_ text: String) throws {
        for _ in 0..<1000 { try miss("/nowhere") }
        network.motion = .slicesByTurn
        let waits = try (0..<60).map { try Wait(network, #"{"for":{"path":"/elsewhere\#($0)"\#(text)},"within":"0"}"#) }
        let entries = network.engine.journalEntries(ofWorld: World.defaultID)
        let work = entries.reduce(0) { $0 + 128 + (text.isEmpty ? 0 : 2 * $1.byteCount) }
        let slices = waits.count * work / network.engine.streams.sliceSize
        var turns = 0
        while turns <= slices + 1, !waits.allSatisfy(\.isAnswered) {
            network.turn()
            turns += 1
        }
        // A turn ends with the slice that fills it, and may begin with a short slice.
        #expect((slices / 2...slices + 1).contains(turns), "\(turns) turns for \(slices) slices")
        #expect(try waits.allSatisfy { try $0.response().status == 408 })
    }

    @Test("advance_until moves the clock step by step and stops at the first match")
    func until() throws {
        func streaming() throws -> (VirtualNetwork, VirtualSocket) {
            let network = VirtualNetwork.manual()
            let socket = try network.greetedSocket(on: try network.consultation())
            socket.send(#"{"type":"message","content":"Hello"}"#)
            return (network, socket)
        }
        let (network, socket) = try streaming()
        let answer = try network.admin(.post, "clock", #"{"advance_until":{"type":"stream_complete"}}"#)
        #expect(answer.status == 200, "\(answer.text)")
        let entry = try #require(answer.json?["entry"])
        #expect(entry["time"] == answer.json?["now"] && entry["kind"] == "frame")
        #expect(socket.takeTypes().last == "stream_complete")
        #expect(answer.json?["last_number"] == entry["number"])
        // A second run with manual clock moves has the same journal.
        let (other, _) = try streaming()
        while let step = try other.admin(.get, "clock").json?["next_step"]?.string {
            try #require(try other.admin(.post, "clock", "{\"advance_to\":\"\(step)\"}").status == 200)
        }
        #expect(try network.plainWorld().journal() == other.plainWorld().journal())
    }

    @Test("advance_until without a match moves to its limit and returns the nearest entries")
    func never() throws {
        let network = VirtualNetwork.manual()
        let socket = try network.socket(on: try network.consultation())
        socket.send(#"{"type":"message","content":"Hello"}"#)
        let body = #"{"advance_until":{"kind":"frame","type":"stream_end"},"within":"1m"}"#
        let answer = try network.admin(.post, "clock", body)
        let miss = answer.json?["error"]?["details"]?["near_misses"]?[0]
        #expect(answer.status == 408 && miss?["differences"] == ["type is stream_complete, not stream_end"])
        #expect(try network.admin(.get, "clock").json?["now"] == "2025-01-29T10:31:00.000000000Z")
    }

    @Test("advance_until counts connection time-outs as steps")
    func timeOut() throws {
        let network = VirtualNetwork.manual()
        let world = try network.plainWorld()
        let request = try network.client()
        _ = try request.exchange(.goals)
        let answer = try network.admin(.post, "clock", #"{"advance_until":{"kind":"closed"},"within":"2m"}"#)
        #expect(answer.status == 408 && request.wire.ending != .open)
        #expect(try world.journal().filter { $0["kind"] == "clock" }.count == 2)
    }

    @Test(
        "The server rejects a clock move that mixes conditions with a plain move",
        arguments: [
            #"{"advance_until":{}}"#, #"{"advance_until":{"kind":"frame"},"advance":"1s"}"#,
            #"{"advance_until":{"kind":"frame"},"advance_to":"2025-01-29T10:31:00Z"}"#, #"{"within":"1s"}"#,
            #"{"advance":"1s","within":"1s"}"#, #"{"advance_until":{"kind":"frame"},"within":"367d"}"#,
        ])
    func malformedMoves(_ body: String) throws {
        let network = VirtualNetwork.manual()
        #expect(try network.admin(.post, "clock", body).status == 400)
        #expect(network.engine.defaultWorld.clock.manualTime == VirtualNetwork.start)
    }

    @Test("Errors in clock moves name the request's keys")
    func words() throws {
        let network = VirtualNetwork.manual()
        func refusal(_ body: String) throws -> String { try network.admin(.post, "clock", body).message }
        #expect(try refusal(#"{"advance_until":{}}"#).hasPrefix(#"Set what to wait for: {"advance_until": {"kind""#))
        #expect(try refusal(#"{"advance_until":{"status":[1]}}"#).contains("advance_until.status"))
        #expect(try refusal(#"{"within":"1s"}"#).hasPrefix("'within' limits 'advance_until'"))
        let request = try network.client()
        _ = try request.exchange(.goals)
        let answer = try network.admin(.post, "clock", #"{"advance_until":{"status":404},"within":"2m"}"#)
        #expect(answer.refusal == "408 REQUEST_TIMEOUT")
        #expect(try network.plainWorld().journal().contains { $0["kind"] == "clock" })
        let misses = try #require(answer.json?["error"]?["details"]?["near_misses"]?.array)
        #expect(misses.allSatisfy { $0["entry"]?["kind"] != "clock" }, "\(misses)")
    }

    @Test("The clock lists at most fifty due events in order")
    func due() throws {
        let network = VirtualNetwork.manual()
        let (id, socket) = try network.chat()
        socket.send(#"{"type":"message","content":"Hello"}"#)
        for _ in 0..<60 { _ = try network.exchange(.logMeal()) }
        let clock = try #require(try network.admin(.get, "clock").json)
        let due = try #require(clock["due"]?.array)
        #expect(due.count == AdminLimits.due && clock["due_count"] == 61 && due.first?["time"] == clock["next_step"])
        #expect(due.first { $0["what"] == "answer" }?["consultation"]?.string == id)
        let times = due.compactMap { $0["time"]?.string }
        #expect(times == times.sorted() && due.contains { $0["what"] == "meal_log" })
    }
}
