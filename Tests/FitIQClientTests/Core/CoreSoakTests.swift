import FitIQAPI
import JSON
import TestSupport
import Testing
import WebSocket

@testable import FitIQClient

@Suite("Client core: random inputs")
struct CoreSoakTests {
    @Test("Random inputs preserve the client's invariants", arguments: 1...40)
    func soak(seed: Int) {
        var soak = CoreSoak(seed: UInt64(seed))
        for _ in 0..<600 { soak.step() }
        soak.finish()
        #expect(soak.breaches.isEmpty, "seed \(seed): \(soak.breaches.first ?? "")")
    }
}

/// Random users and a random network around a core.
struct CoreSoak {
    private static let ids = [CoreBench.consultation, CoreBench.other]
    private var random: Draw
    private var core: ClientCore
    private var now = CoreBench.start
    private var requests: [Int] = []
    private var opening: [Int] = []
    private var open: [Int: Watched] = [:]
    private(set) var breaches: [String] = []

    /// An open socket as an observer sees it.
    private struct Watched {
        var isConnected = false
        var isStreaming = false
        var isClosing = false
        var lastPing: Timestamp
    }

    init(seed: UInt64) {
        random = Draw(seed: seed)
        var configuration = ClientConfiguration(
            credentials: Credentials(token: "old", apiKey: "key"), freshToken: seed % 2 == 0 ? "new" : nil)
        configuration.chat = seed % 3 == 0 ? .userMessage : .message
        configuration.checksAnswers = seed % 5 != 0
        if seed % 4 < 2 { configuration.credentials.refreshToken = "refresh" }
        core = ClientCore(configuration)
    }

    mutating func step() {
        switch random.below(10) {
        case 0: core.perform(command(), at: now)
        case 1, 2: respond()
        case 3, 4: socketInput()
        case 5, 6, 7: frame()
        default: pass(milliseconds: [10, 400, 2500, 12_000, 40_000][random.below(5)])
        }
        collect()
    }

    /// Lets the client become idle; without answers, it must stop being busy.
    mutating func finish() {
        core.perform(.disconnect, at: now)
        collect()
        for _ in 0..<2000 {
            guard let due = core.nextDeadline else { break }
            now = max(now, due)
            core.advance(to: now)
            collect()
        }
        if core.nextDeadline != nil { breaches.append("the client never rests") }
        if core.state.isBusy { breaches.append("the client is busy with nothing due") }
    }

    private mutating func command() -> ClientCommand {
        switch random.below(12) {
        case 0: return .startConsultation(persona: .nutritionist)
        case 1: return .openConsultation(id: Self.ids[random.below(2)])
        case 2: return .archive
        case 3: return .disconnect
        case 4: return .createGoal(title: "Run", description: "", targetDate: now)
        case 5: return .chatAboutGoal(id: CoreBench.goal)
        case 6: return .logMeal(text: "2 eggs", type: .snack)
        case 7: return .loadGoals
        case 8: return .useToken("token \(random.below(3))")
        default: return .send(text: "Message \(random.below(3))")
        }
    }

    private mutating func respond() {
        guard !requests.isEmpty else { return }
        let number = requests.remove(at: random.below(requests.count))
        let statuses = [200, 200, 200, 200, 201, 201, 400, 401, 404, 409, 429, 500, 503]
        if random.below(12) == 0 { return core.receive(.requestFailed(number: number, "gone"), at: now) }
        let id = JSONValue.string(Self.ids[random.below(2)])
        let message: JSONValue = [
            "id": .string("m\(random.below(50))"), "role": .string(random.below(2) == 0 ? "user" : "assistant"),
            "content": .string("Message \(random.below(3))"),
        ]
        let body: JSONValue = [
            "id": .string(CoreBench.goal), "title": "Run", "conversationId": id,
            "goals": [["id": .string(CoreBench.goal), "title": "Run"]],
            "data": random.below(2) == 0
                ? ["messages": [message, message], "id": id]
                : ["id": .string(CoreBench.meal), "status": "processing", "meal_logs": []],
            "error": ["code": "RATE_LIMITED", "details": ["existing_consultation_id": id]],
        ]
        let bytes = random.below(15) == 0 ? [] : body.encoded()
        core.receive(
            .response(ClientResponse(number: number, status: random.element(of: statuses), body: bytes)), at: now)
    }

    private mutating func socketInput() {
        if !opening.isEmpty {
            let number = opening.removeFirst()
            if random.below(4) == 0 {
                let status = [401, 404, 400, 500][random.below(4)]
                return core.receive(.socketRefused(ClientResponse(number: number, status: status)), at: now)
            }
            open[number] = Watched(lastPing: now)
            return core.receive(.socketOpened(number), at: now)
        }
        guard let number = open.keys.sorted().first else { return }
        if random.below(3) > 0, open[number]?.isClosing == false { return core.receive(.pong(socket: number), at: now) }
        let isOwn = open.removeValue(forKey: number)?.isClosing == true
        core.receive(
            .socketClosed(ClientSocketEnd(number: number, code: .goingAway, reason: "", isOwn: isOwn)), at: now)
    }

    private mutating func frame() {
        guard let number = open.keys.sorted().first, var watched = open[number] else { return }
        let frames: [JSONValue] = [
            ["type": "connected"], ["type": "message_received"], CoreBench.chunk("piece "),
            ["type": "stream_complete"], ["type": "assistant_message_start", "message_id": "a1"],
            ["type": "assistant_message_chunk", "message_id": "a1", "content": "piece "],
            ["type": "assistant_message_end", "message_id": "a1"], ["type": "error", "error": "No."],
            ["type": "user_message", "message_id": .string("q\(random.below(9))"), "content": "Message 1"],
            ["type": "typing"],
            ["type": "template_created", "metadata": ["template_created": ["type": "goal", "id": "t"]]],
            ["type": "meal_log.completed", "data": ["id": .string(CoreBench.meal), "total_calories": 1]],
        ]
        // Only connected sockets receive answers.
        let frame = watched.isConnected ? random.element(of: frames) : frames[0]
        switch frame["type"]?.string {
        case "connected": watched.isConnected = true
        case "stream_chunk", "assistant_message_start", "assistant_message_chunk": break
        case "stream_complete", "assistant_message_end", "error": watched.isStreaming = false
        default: break
        }
        open[number] = watched
        core.receive(.text(socket: number, random.below(20) == 0 ? [0x7B] : frame.encoded()), at: now)
        if watched.isConnected, core.conversation?.streamingIndex != nil, core.conversation?.turn?.isHeard == true {
            open[number]?.isStreaming = core.link.socket?.number == number && core.link.isConnected
        }
    }

    private mutating func pass(milliseconds: Int64) {
        let end = now.advanced(byNanoseconds: milliseconds * 1_000_000)
        var steps = 0
        while let due = core.nextDeadline, due <= end {
            now = max(now, due)
            core.advance(to: now)
            collect()
            steps += 1
            guard steps < 2000 else { return breaches.append("the deadline does not move") }
        }
        now = end
        // An answer that has stopped is no longer streaming.
        if core.conversation?.turn?.isLate == true { for number in open.keys { open[number]?.isStreaming = false } }
    }

    private mutating func collect() {
        for action in core.takeActions() {
            switch action {
            case .send(let request): requests.append(request.number)
            case .cancel(let number): requests.removeAll { $0 == number }
            case .openSocket(let request):
                if !opening.isEmpty || !open.isEmpty { breaches.append("a second socket") }
                opening.append(request.number)
            case .dropSocket(let number):
                open[number] = nil
                opening.removeAll { $0 == number }
            case .closeSocket(let number, _): open[number]?.isClosing = true
            case .ping(let number): open[number]?.lastPing = now
            case .sendText(let number, _):
                guard let watched = open[number] else { return breaches.append("a frame on no socket") }
                if !watched.isConnected { breaches.append("a message before connected") }
                if watched.isStreaming { breaches.append("a message while an answer streams") }
                if watched.isClosing { breaches.append("a message after close") }
            }
        }
        for watched in open.values where !watched.isClosing && now.duration(since: watched.lastPing) > .seconds(30) {
            breaches.append("no ping for 30 s")
        }
        let events = core.takeEvents()
        if requests.count > 200 || events.count > ClientCore.eventLimit { breaches.append("too much is pending") }
        if core.state.transcript.count > 1100 || core.state.problems.count > 100 { breaches.append("too much is kept") }
    }
}
