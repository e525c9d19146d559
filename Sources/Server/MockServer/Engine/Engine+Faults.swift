import Faults
import FitIQAPI
import HTTP1
import WebSocket

/// Faults between the codecs and the wire.
extension Engine {
    /// Applies the faults of an exchange, and its recording, to the response written from a position on.
    ///
    /// - Returns: Whether something must be held back or must happen: ``release(_:in:at:skippingWaits:)`` starts it.
    func shape(_ exchange: inout Exchange, from start: Int) -> Bool {
        guard exchange.responseFaults != nil || exchange.handshakeFaults != nil || exchange.playback != nil else {
            return false
        }
        let connection = exchange.connection
        let response = EncodedResponse(
            Array(connection.output.bytes[start...]), isAnswerToHead: exchange.head.method == .head)
        var transmission = exchange.responseFaults?.apply(to: response) ?? exchange.handshakeFaults?.apply(to: response)
        if let playback = exchange.playback { transmission = playback.apply(to: response, with: transmission) }
        guard let shaped = transmission else { return false }
        exchange.shaped = Exchange.ShapedResponse(shaped, of: response)
        // All recorded bytes are sent, and yet the response is incomplete.
        if exchange.playback?.missing ?? 0 > 0, exchange.shaped?.delivery == .complete {
            exchange.shaped?.delivery = .partial
        }
        connection.output.replace(from: start, with: shaped)
        return !shaped.marks.isEmpty
    }

    /// Records in the journal from where on a lasting fault affects the judgement of a client.
    private func noteLastingFaults(_ outgoing: Outgoing, on connection: Connection, in world: World) {
        guard !outgoing.ruleNames.isEmpty, let faults = connection.socketFaults else { return }
        if faults.withholdsPongs, connection.webSocket?.answersPings ?? false {
            recorder.setIn(.withholdPong, of: outgoing.ruleNames, on: connection, in: world)
        }
        if faults.stallsReading, !connection.isReadingStalled {
            recorder.setIn(.stallReading, of: outgoing.ruleNames, on: connection, in: world)
        }
    }

    /// Sends a text message of the backend through the faults of its connection.
    func sendThroughFaults(_ text: [UInt8], on connection: Connection, in world: World, at now: Timestamp) {
        guard connection.webSocket?.canSend ?? false, let outgoing = connection.socketFaults?.send(text) else { return }
        write(outgoing, on: connection, in: world)
        if let rule = outgoing.endingRule { connection.record.endingRule = rule }
        if let close = outgoing.close {
            forgetSocket(of: connection)
            _ = connection.webSocket?.closeAnyway(
                code: close.code.map(CloseCode.init(rawValue:)), reason: close.reason, into: &connection.output.bytes)
        }
        noteLastingFaults(outgoing, on: connection, in: world)
        obeySocketFaults(of: connection)
        if !outgoing.transmission.marks.isEmpty { release(connection, in: world, at: now) }
    }

    /// Writes the messages that a fault made wait for others.
    ///
    /// - Parameter start: Where the close frame that answered the client begins in the output, which comes after them;
    ///   nil if a close frame of another origin follows.
    func sendWhatWaits(on connection: Connection, before start: Int? = nil, at now: Timestamp) {
        guard let waiting = connection.socketFaults?.close(), let world = connection.world else { return }
        world.setTime(now)
        let closeFrame = start.map { Array(connection.output.bytes[$0...]) }
        if let start { connection.output.replace(from: start, with: Transmission()) }
        write(waiting, on: connection, in: world)
        if let closeFrame { connection.output.append(Transmission(closeFrame)) }
        if !waiting.transmission.marks.isEmpty { release(connection, in: world, at: now) }
    }

    private func write(_ outgoing: Outgoing, on connection: Connection, in world: World) {
        let start = connection.output.writtenOffset
        connection.output.append(outgoing.transmission)
        recorder.sent(outgoing.messages, from: start, on: connection, in: world)
    }

    /// Makes a connection's state machine obey the lasting faults on it.
    func obeySocketFaults(of connection: Connection) {
        guard let faults = connection.socketFaults else { return }
        connection.webSocket?.answersPings = !faults.withholdsPongs
        connection.isReadingStalled = faults.stallsReading
    }
}

extension WebSocket.Event {
    /// Whether no message follows our close frame, which has answered it.
    var endsMessages: Bool {
        switch self {
        case .closing, .failed: true
        case .text, .binary, .ping, .pong: false
        }
    }
}
