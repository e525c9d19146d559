import Faults
import FitIQAPI
import HTTP1
import WebSocket

/// Where faults come between the codecs and the wire.
extension Engine {
    /// Has the faults of an exchange change the response that was written from a position on.
    func shape(
        _ exchange: Exchange, from start: Int, in world: World, on connection: Connection, at now: Timestamp
    ) {
        guard exchange.responseFaults != nil || exchange.handshakeFaults != nil else { return }
        let response = EncodedResponse(
            Array(connection.output.bytes[start...]), isAnswerToHead: exchange.head.method == .head)
        guard let shaped = exchange.responseFaults?.apply(to: response) ?? exchange.handshakeFaults?.apply(to: response)
        else { return }
        connection.output.replace(from: start, with: shaped)
        if !shaped.marks.isEmpty { release(connection, in: world, at: now) }
    }

    /// Sends a text message of the backend's through what goes wrong on its connection.
    func sendThroughFaults(_ text: [UInt8], on connection: Connection, in world: World, at now: Timestamp) {
        guard connection.webSocket?.canSend ?? false, let outgoing = connection.socketFaults?.send(text) else { return }
        record(sent: text, on: connection, in: world, outgoing)
        connection.output.append(outgoing.transmission)
        if let close = outgoing.close {
            forgetSocket(of: connection)
            _ = connection.webSocket?.closeAnyway(
                code: close.code.map(CloseCode.init(rawValue:)), reason: close.reason,
                into: &connection.output.bytes)
        }
        obeySocketFaults(of: connection)
        if !outgoing.transmission.marks.isEmpty { release(connection, in: world, at: now) }
    }

    /// Writes the messages that a fault had wait for others, before a close frame of another origin.
    func sendWhatWaits(on connection: Connection, at now: Timestamp) {
        guard let waiting = connection.socketFaults?.close(), let world = connection.world else { return }
        connection.output.append(waiting)
        if !waiting.marks.isEmpty { release(connection, in: world, at: now) }
    }

    /// Has a connection's state machine do what the faults on it say that last.
    func obeySocketFaults(of connection: Connection) {
        guard let faults = connection.socketFaults else { return }
        connection.webSocket?.answersPings = !faults.withholdsPongs
    }
}

extension Answer {
    init(_ replacement: ReplacementAnswer) {
        self.init(
            status: replacement.status, body: replacement.body,
            fields: replacement.fields.isEmpty ? nil : replacement.fields, contentType: replacement.contentType)
    }
}
