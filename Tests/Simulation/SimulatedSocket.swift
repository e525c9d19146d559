import FitIQAPI
import FitIQBackend
import JSON
import TestSupport
import WebSocket

/// A client's WebSocket, which checks whether its input matches its output.
final class SimulatedSocket {
    enum Place: Equatable {
        case echo, meals
        case consultation(ResourceID)
    }

    let place: Place
    /// The consultation, if the socket belongs to one.
    let consultation: ResourceID?
    private let idText: String
    private unowned let client: SimulatedClient
    private weak var wire: VirtualClient?
    private var socket: WebSocket.Connection
    private var events: [WebSocket.Event] = []

    /// For each kind of frame, the number of frames that are due.
    private(set) var pongsDue = 0
    private(set) var controlPongsDue = 0
    private(set) var refusalsDue = 0
    private(set) var echoesDue = 0
    private(set) var frameCount = 0
    private(set) var isConnected = false
    /// The received close code, or 0 for an empty close frame.
    private(set) var closeCode: UInt16?
    private(set) var hasEnded = false
    /// The chunks of the streaming answer, in either protocol.
    private var streamed: [String]?
    private var assistantText: [String]?
    private var assistantID = ""
    /// The position in the history where the search for the next answer starts.
    private var nextMessage = 0
    /// The number of the world's resets when the socket was opened.
    private let resetCount: Int

    init(of client: SimulatedClient, on place: Place, wire: VirtualClient?) {
        self.client = client
        self.place = place
        consultation = if case .consultation(let id) = place { id } else { nil }
        self.wire = wire
        idText = consultation?.description ?? ""
        resetCount = client.world.resetCount
        var limits = WebSocket.Limits()
        limits.message = 1 << 24
        socket = WebSocket.Connection(role: .client, limits: limits, maskSeed: UInt64(client.number))
    }

    var canSend: Bool { socket.canSend }
    /// Whether an answer has begun to arrive and has not ended.
    var isHearing: Bool { streamed != nil || assistantText != nil }

    // MARK: Sending

    func send(_ text: String) { write { $0.send(text: text, into: &$1) } }

    func sendJSONPing() {
        pongsDue += 1
        send(#"{"type":"ping"}"#)
    }

    func sendControlPing(_ payload: [UInt8]) {
        controlPongsDue += 1
        write { $0.ping(payload, into: &$1) }
    }

    func sendRefused(_ text: String) {
        refusalsDue += 1
        send(text)
    }

    func sendBinary(_ bytes: [UInt8]) {
        if place == .echo { echoesDue += 1 } else { refusalsDue += 1 }
        write { $0.send(binary: bytes, into: &$1) }
    }

    func close(_ code: CloseCode) { write { $0.close(code: code, reason: "", into: &$1) } }

    private func write(_ body: (inout WebSocket.Connection, inout [UInt8]) -> Bool) {
        var out: [UInt8] = []
        _ = body(&socket, &out)
        if !out.isEmpty { client.send(out) }
    }

    // MARK: Receiving

    func receive(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        var output: [UInt8] = []
        while !rest.isEmpty {
            guard closeCode == nil else {
                if client.checks.contains(.framing) { client.fail("\(rest.count) bytes arrived behind a close frame") }
                return
            }
            let count = socket.receiveUntilEvent(rest, events: &events, output: &output)
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            for event in events { handle(event) }
            events.removeAll(keepingCapacity: true)
        }
        if !output.isEmpty { client.send(output) }
    }

    func receiveEndOfStream() { hasEnded = true }

    private func handle(_ event: WebSocket.Event) {
        switch event {
        case .text(let text): take(text)
        case .binary:
            if place == .echo {
                echoesDue -= 1
            } else if client.checks.contains(.framing) {
                client.fail("a binary frame arrived")
            }
        case .ping: if !client.simulator.operates { client.fail("the server pinged") }
        case .pong:
            controlPongsDue -= 1
            if controlPongsDue < 0, client.checks.contains(.pongs) {
                client.fail("a pong arrived that answers nothing")
            }
        case .closing(let code, _): closeCode = code?.rawValue ?? 0
        case .failed(_, let message):
            closeCode = 0
            if client.checks.contains(.framing) { client.fail("the server broke the WebSocket protocol: \(message)") }
        }
    }

    private func take(_ text: [UInt8]) {
        frameCount += 1
        client.simulator.heardFrame()
        guard place != .echo else {
            echoesDue -= 1
            return
        }
        guard client.checks.contains(.framing) else { return }
        guard let frame = try? JSON.parse(text), let type = frame["type"]?.string
        else { return client.fail("a frame is no JSON object with a type: \(String(decoding: text, as: UTF8.self))") }
        if let number = frame["by_hand"]?.int { client.simulator.heardByHand(number) }
        guard client.checks.contains(.frames) else { return }
        if let id = frame["consultation_id"]?.string, id != idText {
            return client.fail("a frame names the consultation \(id) on the socket of \(idText)")
        }
        // A connection that is rejected because of the limit does not get `connected`.
        if !isConnected, type != "connected", place != .meals || type != "error" {
            return client.fail("\(type) arrived before connected")
        }
        if resetCount == client.world.resetCount {
            client.simulator.noteIDs(in: frame, toldTo: client.user.subject, of: client)
        }
        take(type, frame)
    }

    private func take(_ type: String, _ frame: JSONValue) {
        switch type {
        case "connected":
            if isConnected { client.fail("connected arrived twice") }
            isConnected = true
            if let user = frame["user_id"]?.string, user != client.user.subject {
                client.fail("the socket is another user's: \(user)")
            }
        case "pong":
            pongsDue -= 1
            if pongsDue < 0 { client.fail("a JSON pong arrived that answers nothing") }
        case "error":
            // A chat message may also be rejected because too many are waiting; these errors are not counted as due.
            if refusalsDue > 0 { refusalsDue -= 1 }
        case "message_received", "user_message": break
        case "stream_chunk":
            guard let content = frame["content"]?.string else { return client.fail("a chunk has no content") }
            if streamed == nil { streamed = [] }
            streamed?.append(content)
        case "stream_complete":
            guard let chunks = streamed else { return client.fail("an answer is complete that never began") }
            streamed = nil
            compare(chunks.joined(), id: nil)
        case "assistant_message_start":
            if assistantText != nil { client.fail("an answer begins while another one streams") }
            assistantText = []
            assistantID = frame["message_id"]?.string ?? ""
        case "assistant_message_chunk":
            guard let content = frame["content"]?.string, frame["message_id"]?.string == assistantID
            else { return client.fail("a chunk belongs to no answer, or has no content") }
            if assistantText == nil { client.fail("a chunk arrived before its answer began") }
            assistantText?.append(content)
        case "assistant_message_end":
            guard let chunks = assistantText, frame["message_id"]?.string == assistantID
            else { return client.fail("an answer ends that never began") }
            assistantText = nil
            compare(chunks.joined(), id: assistantID)
        case "template_created": break
        case "meal_log.completed", "meal_log.failed":
            if let owner = frame["data"]?["user_id"]?.string, owner != client.user.subject {
                client.fail("a meal log of \(owner) was told to another user")
            }
        default: client.fail("a frame of unknown type arrived: \(type)")
        }
    }

    // MARK: Received answers are the stored ones

    private func compare(_ text: String, id: String?) {
        guard let consultation, resetCount == client.world.resetCount else { return }
        client.simulator.heardAnswer()
        // The consultation may have been deleted in the meantime.
        guard client.simulator.hasConsultation(consultation, in: client.world) else { return }
        let messages = client.simulator.messages(of: consultation, in: client.world)
        if let id {
            guard let stored = messages.last(where: { $0.id.description == id })
            else { return client.fail("the answer \(id) was heard to its end and is not stored") }
            if stored.content != text {
                client.fail("stored is \"\(stored.content)\", the chunks of \(id) make \"\(text)\"")
            }
            return
        }
        // Frames in this protocol do not name a message, but answers keep their order: take the next answer with this
        // text.
        var index = nextMessage
        while index < messages.count {
            if messages[index].role == .assistant, messages[index].content == text {
                nextMessage = index + 1
                return
            }
            index += 1
        }
        client.fail("an answer was heard that is not stored: \"\(text)\"")
    }

    /// The violation, if any, once all sent messages have been delivered and answered.
    func violation(isAnswering: Bool) -> String? {
        guard client.checks.isSuperset(of: [.frames, .framing, .promptness, .pongs]), closeCode == nil
        else { return nil }
        if place != .echo, !isConnected { return "a socket is open and never heard connected" }
        if pongsDue > 0 { return "\(pongsDue) JSON pings were not answered" }
        if controlPongsDue > 0 { return "\(controlPongsDue) pings were not answered" }
        if refusalsDue > 0 { return "\(refusalsDue) bad messages were not refused" }
        if echoesDue != 0 { return "\(echoesDue) messages were not echoed" }
        if !isAnswering, isHearing { return "an answer is over and was not heard to its end" }
        return nil
    }
}
