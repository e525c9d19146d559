import HTTPTypes
import JSON
import MockServer
import TestSupport
import WebSocket

/// A client that keeps every obligation; it has its own world, with an operator who uses every action.
///
/// The world's judges must not report a breach by this client, regardless of the operator's actions.
final class PoliteClient {
    private let simulator: Simulator
    private var draw: Draw
    private let world: String
    private let prefix: String
    private let fields: [String]
    private var consultation = ""
    private var socket: SocketClient<VirtualClient>?
    private var isConnected = false
    /// Whether an answer is streaming, and the number of seconds since anything arrived.
    private var isStreaming = false
    private var quietSeconds = 0
    private var secondsSincePing = 0
    /// The seconds since the client disconnected, the wait before the last attempt, and the number of attempts in a
    /// row.
    private var lonelySeconds = 0
    private var patience = 2
    private var tries = 0
    /// The texts that have arrived since the last check.
    private var heard: [JSONValue] = []

    private static let seconds = 25

    static func play(in simulator: Simulator) {
        // Omit the run's faults, because judges cannot know when the client notices them.
        let seed = simulator.seed % 1000
        let json = #"{"scenario":"default","guide":"union","clock":"manual","judged":true,"seed":"# + "\(seed)}"
        guard let answer = simulator.askAsOperator(.post, "worlds", json, mayBe: [507])?.json,
            let client = PoliteClient(simulator, answer)
        else { return }
        client.play()
        simulator.askAsOperator(.delete, "worlds/\(client.world)")
    }

    private init?(_ simulator: Simulator, _ answer: JSONValue) {
        guard let id = answer["id"]?.string, let token = answer["token"]?.string, let key = answer["api_key"]?.string
        else { return nil }
        self.simulator = simulator
        // Use a separate source of randomness, so that the run's other clients behave the same with and without this
        // client.
        draw = Draw(seed: simulator.seed ^ 0x504F_4C49_5445)
        (world, prefix) = (id, "/w/\(id)")
        fields = [Request.bearer(token), "X-API-Key: \(key)"]
    }

    private func play() {
        guard let made = ask(.post, "consultations", #"{"persona":"nutritionist"}"#),
            let id = made.json?["data"]?["id"]?.string
        else { return fail("no consultation was made") }
        consultation = id
        ask(.get, "consultations/\(id)/messages")
        connect()
        for _ in 0..<Self.actions where simulator.failure == nil {
            if socket == nil { connectAgain() }
            guard tries < Self.mostTries else { break }
            if draw.once(in: 2) { act() } else { actByHand() }
            pass(1 + draw.below(4))
        }
        socket?.close()
        simulator.network.catchUp()
        pass(Self.seconds)
        checkVerdicts(of: world)
    }

    private static let actions = 14
    private static let mostTries = 4

    private func fail(_ message: String) { simulator.fail("the polite client of \(world): \(message)", in: nil) }

    // MARK: The client

    private func act() {
        switch draw.below(5) {
        case 0: leave()
        case 1: ask(.get, "goals")
        case 2: ask(.post, "meal-logs/natural", #"{"raw_input":"2 eggs","meal_type":"lunch"}"#)
        case 3: ping()
        default: chat()
        }
    }

    /// Closes its socket, and reconnects later; it does not wait forever for the server's close frame.
    private func leave() {
        guard isConnected, let socket else { return }
        socket.close()
        hear()
        pass(2)
        socket.wire.vanish()
        hear()
        pass(3)
        // Connections that ended while the client was away have no effect on the next attempt.
        (tries, patience) = (0, 2)
        connect()
    }

    private func chat() {
        guard isConnected, let socket else { return }
        // An answer whose end was lost will not be completed.
        if isStreaming { pass(Self.seconds) }
        guard !isStreaming || quietSeconds >= Self.seconds, isConnected else { return }
        (isStreaming, quietSeconds) = (true, 0)
        socket.send(#"{"type":"message","content":"What should I eat for breakfast?"}"#)
        hear()
    }

    private func ping() {
        guard let socket else { return }
        secondsSincePing = 0
        socket.send(#"{"type":"ping"}"#)
        hear()
    }

    /// Sends a request on its own connection; nil if no response comes for a minute, or the connection is lost.
    @discardableResult
    private func ask(_ method: HTTPRequest.Method, _ path: String, _ json: String? = nil) -> Response? {
        var request = Request(method: method, target: "\(prefix)/api/v1/\(path)", fields: fields)
        if let json { request = request.json(json) }
        guard let wire = simulator.network.connect() else { return nil }
        let client = HTTPClient(wire)
        wire.send(request.bytes)
        for _ in 0..<60 where simulator.failure == nil {
            simulator.network.catchUp()
            do {
                let response = try client.response(to: request)
                wire.vanish()
                return response
            } catch {
                guard (error as? ResponseReader.Missing)?.isIncomplete == true, wire.isOpen else { break }
            }
            if !letGo() { pass(1) }
        }
        wire.vanish()
        simulator.network.catchUp()
        return nil
    }

    private func connect() {
        guard simulator.failure == nil, let wire = simulator.network.connect() else { return }
        var request = Request.handshake("\(prefix)/api/v1/consultations/\(consultation)/ws")
        request.fields += fields
        let client = HTTPClient(wire)
        wire.send(request.bytes)
        for _ in 0..<60 where socket == nil && simulator.failure == nil {
            simulator.network.catchUp()
            do {
                socket = try client.acceptUpgrade(request)
            } catch {
                guard (error as? ResponseReader.Missing)?.isIncomplete == true, wire.isOpen else { break }
                if !letGo() { pass(1) }
            }
        }
        guard socket != nil else {
            wire.vanish()
            simulator.network.catchUp()
            lonelySeconds = 0
            return
        }
        secondsSincePing = 0
        for _ in 0..<60 where !isConnected && socket != nil && simulator.failure == nil {
            hear()
            if !isConnected, !letGo() { pass(1) }
        }
        guard isConnected else { return }
        (tries, patience) = (0, 2)
        ask(.get, "consultations/\(consultation)/messages")
    }

    private func connectAgain() {
        tries += 1
        pass(max(0, patience - lonelySeconds))
        patience = lonelySeconds + 1
        connect()
    }

    /// Reads the frames that have arrived on the socket, and answers them.
    private func hear() {
        simulator.network.catchUp()
        guard let socket else { return }
        for event in socket.takeEvents() {
            guard case .text(let text) = event, let frame = try? JSON.parse(text) else { continue }
            heard.append(frame)
            quietSeconds = 0
            switch frame["type"]?.string {
            case "connected": isConnected = true
            case "stream_chunk", "assistant_message_start", "assistant_message_chunk": isStreaming = true
            case "stream_complete", "assistant_message_end", "error": isStreaming = false
            default: break
            }
        }
        simulator.network.catchUp()
        guard !socket.wire.isOpen else { return }
        (self.socket, isConnected, isStreaming, lonelySeconds) = (nil, false, false, 0)
    }

    /// Lets this many seconds pass in its world.
    private func pass(_ seconds: Int) {
        for _ in 0..<seconds where simulator.failure == nil {
            simulator.askAsOperator(.post, "worlds/\(world)/clock", #"{"advance":"1s"}"#)
            quietSeconds += 1
            lonelySeconds += 1
            secondsSincePing += 1
            hear()
            if secondsSincePing >= Self.seconds { ping() }
        }
    }

    // MARK: The operator

    private func operate(_ method: HTTPRequest.Method, _ path: String, _ json: String? = nil) -> JSONValue? {
        if method != .get { simulator.note(.byHand(world, path, json ?? ""), by: 0) }
        return simulator.askAsOperator(method, "worlds/\(world)/\(path)", json, mayBe: [409])?.json
    }

    private func actByHand() {
        switch draw.below(8) {
        case 0, 1: hold()
        case 2: sendByHand()
        case 3: closeByHand()
        case 4: cut()
        case 5: silence()
        case 6: goBack()
        default: fork()
        }
    }

    /// The socket's number in the journal; nil if the socket is not open.
    private var number: Int? { operate(.get, "sockets")?["sockets"]?[0]?["connection"]?.int }

    private func sendByHand() {
        guard let number, isConnected else { return }
        heard.removeAll()
        if draw.once(in: 2) {
            let templates = operate(.get, "sockets/\(number)")?["templates"]?.array ?? []
            guard !templates.isEmpty, let type = draw.element(of: templates)["type"]?.string
            else { return fail("no templates are offered") }
            _ = operate(.post, "sockets/\(number)/send", "{\"template\":\"\(type)\"}")
            hear()
            if heard.compactMap({ $0["type"]?.string }) != [type] { fail("\(type) was sent by hand, \(heard) came") }
        } else {
            _ = operate(.post, "sockets/\(number)/send", #"{"json":{"type":"note","by_hand":1}}"#)
            hear()
            if heard != [["type": "note", "by_hand": 1]] { fail("a note was sent by hand, \(heard) came") }
        }
    }

    private func closeByHand() {
        guard let number, let socket else { return }
        let code = draw.element(of: [1000, 1001, 1011, 4001])
        _ = operate(.post, "sockets/\(number)/close", "{\"code\":\(code)}")
        hear()
        if socket.closeCode?.rawValue != UInt16(code) { fail("it was closed with \(code), and did not hear that") }
    }

    private func cut() {
        guard let number, let socket else { return }
        let how = draw.element(of: ["finish", "reset"])
        _ = operate(.post, "sockets/\(number)/\(how)", "{}")
        hear()
        if self.socket != nil || socket.closeCode != nil { fail("\(how) did not end its socket at once") }
        if how == "reset", socket.wire.ending != .reset { fail("its socket was not reset") }
    }

    private func silence() {
        guard let number, isConnected, let socket else { return }
        if draw.once(in: 2), !isStreaming { chat() }
        _ = operate(.post, "sockets/\(number)/silence", "{}")
        hear()
        heard.removeAll()
        pass(1 + draw.below(8))
        if !heard.isEmpty || self.socket == nil { return fail("its socket is silent, and \(heard) came") }
        if draw.once(in: 2) {
            _ = operate(.post, "sockets/\(number)/resume", "{}")
            return pass(6)
        }
        simulator.askAsOperator(.post, "worlds/\(world)/clock", #"{"advance":"600s"}"#)
        hear()
        if socket.wire.ending != .reset { fail("its socket was silent for more than ten minutes, and is there") }
    }

    /// Sets a mark, performs some actions, and returns to the mark.
    private func goBack() {
        guard let before = simulator.state(of: world), let name = operate(.post, "marks", "{}")?["name"]?.string
        else { return }
        act()
        pass(draw.below(5))
        let how = draw.element(of: ["close", "finish", "reset"])
        let (socket, isOpen) = (self.socket, isConnected)
        _ = operate(.post, "rewind", "{\"to\":\"\(name)\",\"sockets\":\"\(how)\"}")
        if simulator.state(of: world) != before { fail("it went back to \(name), and exports another state") }
        hear()
        guard isOpen, let socket else { return }
        if self.socket != nil { fail("its socket is open after the world went back") }
        if how == "close", socket.closeCode != .goingAway { fail("its world went back, and its socket was not told") }
        if how == "reset", socket.wire.ending != .reset { fail("its world went back, and its socket was not reset") }
    }

    private func fork() {
        guard let state = simulator.state(of: world), let id = operate(.post, "fork", "{}")?["id"]?.string
        else { return }
        if simulator.state(of: id) != state { fail("its fork \(id) exports another state") }
        checkVerdicts(of: id)
        simulator.askAsOperator(.delete, "worlds/\(id)")
    }

    /// Sets a breakpoint, triggers it, acts on the held item, and removes it.
    private func hold() {
        let place = draw.element(of: ["request", "response", "handshake", "frame", "frame"])
        let timeout = 5 + draw.below(50)
        let body = "{\"on\":\"\(place)\",\"timeout\":\"\(timeout)s\"}"
        guard let name = operate(.post, "breakpoints", body)?["name"]?.string
        else { return fail("there is no breakpoint \(body)") }
        isOperating = true
        switch place {
        case "handshake":
            if let number { _ = operate(.post, "sockets/\(number)/finish", "{}") }
            hear()
            connectAgain()
        case "frame":
            if draw.once(in: 2) { ping() } else { chat() }
            if draw.once(in: 4) { leave() }
            for _ in 0..<6 where !letGo() { pass(1 + draw.below(3)) }
        default: if draw.once(in: 2) { ask(.get, "goals") } else { ask(.get, "consultations/\(consultation)") }
        }
        isOperating = false
        simulator.askAsOperator(.delete, "worlds/\(world)/breakpoints/\(name)")
        hear()
        if let count = simulator.engine.inspectWorld(world)?.heldCount, count > 0 {
            fail("\(name) is removed, and holds \(count) things")
        }
    }

    /// Whether the operator is handling held items.
    private var isOperating = false

    /// Acts on one held item or leaves it alone; returns whether it acted.
    private func letGo() -> Bool {
        guard isOperating, draw.below(3) > 0, let held = operate(.get, "held")?["held"]?.array, !held.isEmpty
        else { return false }
        let thing = draw.element(of: held)
        guard let number = thing["held"]?.int, let place = thing["place"]?.string else { return false }
        _ = operate(.post, "held/\(number)", Simulator.action(for: place, below: prefix, &draw))
        hear()
        return true
    }

    // MARK: The verdicts

    private func checkVerdicts(of world: String) {
        let path = "worlds/\(world)/verdicts?evidence=numbers"
        let rows = simulator.askAsOperator(.get, path)?.json?["verdicts"]?.array ?? []
        for row in rows where row["verdict"] == "broken" {
            let findings = row["findings"]?.array?.compactMap { $0["message"]?.string } ?? []
            fail("it is accused of \(row["id"]?.string ?? ""): \(findings)")
        }
    }
}

extension VirtualClient {
    fileprivate var isOpen: Bool { ending == .open && !sawEndOfStream }
}
