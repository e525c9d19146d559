import FitIQAPI
import FitIQBackend
import TestSupport

/// The clients' actions, drawn from the run's seed.
extension SimulatedClient {
    func act() {
        guard let wire else { return connect() }
        if sawEnd || wire.ending != .open { return comeAgain() }
        if isLeaving || isUncertain || !pending.isEmpty { return wait() }
        guard remaining > 0 else { return leave() }
        remaining -= 1
        if wire.window != .max { return read() }
        if let socket { return act(on: socket) }
        switch draw.place(in: [58, 6, 26, 1, 1, 2, 2, 4]) {
        case 0: request(drawTarget())
        case 1: for _ in 0...draw.below(4) { request(drawReading()) }
        case 2: openSocket()
        case 3: sendGarbage()
        case 4: sendPartOfRequest()
        case 5: stopReading()
        case 6: finishWriting()
        default: vanish()
        }
    }

    // MARK: Connecting and leaving

    func connect() {
        let wire = simulator.network.connect(reader: self)
        note(.connect(accepted: wire != nil))
        guard let wire else {
            // Too many connections are already being rejected, so try later.
            remaining -= 1
            isDone = remaining <= 0
            return
        }
        if number > 0, draw.once(in: 6) { wire.pieceSize = 1 + draw.below(200) }
        if number > 0, draw.once(in: 12) { wire.closesInReply = false }
        connected(wire)
        guard simulator.engine.connection(wire.id)?.hasOutput == true else { return }
        // This connection exceeds the limit, so the server says so and closes it.
        isUncertain = true
        pendingRefusal()
    }

    private func pendingRefusal() {
        send([], Expectation(traceNumber: -1, status: 503, body: .refusal, mayBeMissing: true))
    }

    private func comeAgain() {
        wire?.vanish()
        disconnected()
        if isLeaving || remaining <= 0 || draw.once(in: 3) { isDone = true } else { connect() }
    }

    private func leave() {
        isLeaving = true
        if let socket, socket.canSend, draw.below(4) > 0 {
            note(.closeSocket)
            socket.close(draw.once(in: 2) ? .normalClosure : .goingAway)
        } else if socket == nil, draw.once(in: 2) {
            note(.finishWriting)
            wire?.finishWriting()
        } else {
            vanish()
        }
    }

    /// Waits for an answer or for the connection to end, and gives up eventually.
    private func wait() {
        patience -= 1
        if wire?.window != .max { return read() }
        guard patience <= 0 else { return }
        patience = 3
        vanish()
    }

    private func vanish() {
        guard let wire else { return }
        note(.vanish)
        wire.vanish()
    }

    private func finishWriting() {
        note(.finishWriting)
        isUncertain = true
        wire?.finishWriting()
    }

    private func stopReading() {
        note(.stopReading)
        wire?.stopReading()
        hasStalled = true
        for _ in 0..<draw.below(3) {
            if let socket { sendChat(on: socket) } else { requestUnjudged(drawReading()) }
        }
    }

    private func read() {
        guard let wire else { return }
        let count = draw.once(in: 2) ? Int.max : 1 + draw.below(3000)
        note(.read(count))
        wire.read(count)
    }

    // MARK: Bytes that are not requests

    private func sendGarbage() {
        isUncertain = true
        let count = 1 + draw.below(60)
        let number = simulator.noteRequest(.garbage(count), by: number)
        send(draw.bytes(count), Expectation(traceNumber: number, mayBeMissing: true))
    }

    private func sendPartOfRequest() {
        isUncertain = true
        let bytes = RequestWriter.bytes(of: .createGoal, in: world, fields: user.fields(.good, foreigner: nil))
        let count = 1 + draw.below(bytes.count - 1)
        let number = simulator.noteRequest(.partialRequest(count), by: number)
        send(Array(bytes[..<count]), Expectation(traceNumber: number, mayBeMissing: true))
    }

    // MARK: The socket

    private func openSocket() {
        if draw.once(in: 20) { return openEcho() }
        let id = draw.once(in: 4) ? nil : drawConsultation(activeOnly: draw.below(5) > 0)
        let credentials = drawCredentials()
        let foreigner = simulator.foreigner(to: world)
        let withQuery = credentials == .good && draw.once(in: 3)
        let path =
            (id.map { "/api/v1/consultations/\($0)/ws" } ?? "/ws/meal-logs")
            + (withQuery ? "?token=\(user.token)" : "")
        let traced = simulator.noteRequest(
            id.map { .handshake($0, credentials) } ?? .mealHandshake(credentials), by: number)
        var expectation = simulator.expectationOfSocket(
            on: id, by: user, credentials: foreigner == nil && credentials == .foreignWorld ? .none : credentials,
            traced: traced)
        expectation.isUpgrade = true
        let fields = withQuery ? [] : user.fields(credentials, foreigner: foreigner)
        let place = id.map { ResourceID($0).map(SimulatedSocket.Place.consultation) ?? .echo } ?? .meals
        open(place, RequestWriter.handshake(path, in: world, fields: fields), expectation)
    }

    private func openEcho() {
        let traced = simulator.noteRequest(.handshake("the echo", .none), by: number)
        let bytes = RequestWriter.handshake("/__admin/echo", in: simulator.defaultWorld, fields: [])
        open(.echo, bytes, Expectation(traceNumber: traced, isUpgrade: true, status: 101))
    }

    private func act(on socket: SimulatedSocket) {
        guard socket.canSend else { return wait() }
        guard socket.place != .echo else { return actOnEcho(socket) }
        switch draw.place(in: [26, 22, 10, 8, 4, 10, 12, 6]) {
        case 0: sendChat(on: socket)
        case 1:
            note(.jsonPing)
            socket.sendJSONPing()
        case 2:
            note(.controlPing)
            socket.sendControlPing([7])
        case 3: sendBad(BadFrame.allCases[draw.below(4)], on: socket)
        case 4: stopReading()
        case 5: vanish()
        case 6:
            note(.closeSocket)
            socket.close(.normalClosure)
        default: sendBad(draw.element(of: BadFrame.allCases), on: socket)
        }
    }

    private func actOnEcho(_ socket: SimulatedSocket) {
        if draw.once(in: 3) { return vanish() }
        let count = draw.below(3000)
        note(.echo(count))
        socket.sendBinary([UInt8](repeating: 7, count: count))
    }

    private func sendChat(on socket: SimulatedSocket) {
        guard socket.place != .meals else { return sendBad(.blank, on: socket) }
        let content = draw.element(of: Texts.messages)
        let chatProtocol: ChatProtocol = draw.once(in: 2) ? .stream : .assistantMessage
        note(.chat(chatProtocol, content))
        let type = chatProtocol == .stream ? "message" : "user_message"
        socket.send(#"{"type":""# + type + #"","content":""# + content + #""}"#)
    }

    private func sendBad(_ frame: BadFrame, on socket: SimulatedSocket) {
        note(.badFrame(frame))
        if frame.isFatal { isUncertain = true }
        switch frame {
        case .notJSON: socket.sendRefused("nonsense")
        case .noType: socket.sendRefused("{}")
        case .blank: socket.sendRefused(#"{"type":"message","content":" "}"#)
        case .binary: socket.sendBinary([1, 2, 3])
        case .unmasked: send([0x81, 0x02, 0x7B, 0x7D])
        case .reservedBits: send([0xC1, 0x82, 0, 0, 0, 0, 0x7B, 0x7D])
        case .invalidUTF8: send([0x81, 0x82, 0, 0, 0, 0, 0xC3, 0x28])
        }
    }

    // MARK: After each step

    /// Checks that every request and message that requires an answer got one.
    func checkAnswers() {
        guard let wire, wire.ending == .open, readsEverything, !simulator.isStopping, !isUncertain else { return }
        guard checks.contains(.promptness) else { return }
        if !pending.isEmpty { return fail("\(pending.count) requests were not answered at once") }
        if let socket, !hasStalled,
            let what = socket.violation(isAnswering: simulator.isAnswering(in: socket, of: world))
        {
            fail(what)
        }
    }

    /// Whether the client reads everything on a socket and has no other work in progress.
    var isListening: Bool {
        guard let wire, let socket, wire.ending == .open, !wire.sawEndOfStream, socket.canSend else { return false }
        return readsEverything && !hasStalled && !isUncertain && checks == .all
    }

    /// Checks that the socket was notified that the server is stopping.
    func checkGoingAway() {
        guard let wire, let socket else { return }
        guard sawEnd || wire.ending != .open, let code = socket.closeCode
        else { return fail("the server stops, and its socket was not closed") }
        if code != 1001 { fail("the server stops, and its socket was closed with \(code)") }
    }
}
