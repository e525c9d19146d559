import FitIQAPI
import WebSocket

extension EntryReader {
    mutating func frame(_ cursor: LineCursor) throws(Trouble) -> RecordedFrame {
        let direction = try required(.direction, .string, in: members, cursor)
        let sender: Party
        if cursor.string(direction, is: "server_to_client") {
            sender = .server
        } else if cursor.string(direction, is: "client_to_server") {
            sender = .client
        } else {
            throw .sentence(
                Sentences.unknownWord(
                    cursor.text(direction), of: "direction", allowed: Party.allCases.map(\.direction)))
        }
        let opcode = try self.opcode(cursor)
        var frame = RecordedFrame(
            sender: sender, opcode: opcode, payload: [], delivery: try delivery(cursor), faults: try faults(cursor))
        frame.payload =
            opcode == .close
            ? RecordedBody(try closePayload(cursor))
            : try content(members, .payload, .payloadBase64, .payloadBytes, cursor)
        return frame
    }

    private func opcode(_ cursor: LineCursor) throws(Trouble) -> Opcode {
        let value = try required(.opcode, .string, in: members, cursor)
        if cursor.string(value, is: "text") { return .text }
        let all: [Opcode] = [.text, .binary, .continuation, .close, .ping, .pong]
        let name = cursor.text(value)
        guard let opcode = all.first(where: { $0.name == name }) else {
            throw .sentence(Sentences.unknownWord(name, of: "opcode", allowed: all.map(\.name)))
        }
        return opcode
    }

    /// The payload of a close frame: empty, or a code and a reason.
    private func closePayload(_ cursor: LineCursor) throws(Trouble) -> [UInt8] {
        if members[.code].isNone { return [] }
        let code: UInt16 = try integer(.code, in: members, cursor)
        var payload = [UInt8(code >> 8), UInt8(code & 0xFF)]
        if !members[.reason].isNone { cursor.append(try required(.reason, .string, in: members, cursor), to: &payload) }
        return payload
    }

    mutating func closing(_ cursor: LineCursor) throws(Trouble) -> RecordedClosing {
        let party: Party = try choice(.by, in: members, cursor)
        let cause: RecordedClosing.Cause = try choice(.cause, in: members, cursor)
        let sent = try closeFrame(.serverClose, cursor)
        let received = try closeFrame(.clientClose, cursor)
        var initiator: WebSocket.Connection.Initiator?
        if cause == .closeFrame, sent != nil, received != nil {
            initiator = party == .server ? .weStarted : .theyStarted
        }
        return RecordedClosing(
            by: party, cause: cause, summary: CloseSummary(sent: sent, received: received, initiator: initiator),
            message: try name(.message, cursor), faults: try faults(cursor))
    }

    private mutating func closeFrame(
        _ name: EntryMembers.Name, _ cursor: LineCursor
    ) throws(Trouble) -> CloseSummary.Frame? {
        if members[name].isNone { return nil }
        try enter(name, cursor)
        var code: CloseCode?
        if !inner[.code].isNone { code = CloseCode(rawValue: try integer(.code, in: inner, cursor)) }
        let reason = inner[.reason].isNone ? "" : cursor.text(try required(.reason, .string, in: inner, cursor))
        return CloseSummary.Frame(code: code, reason: reason)
    }
}
