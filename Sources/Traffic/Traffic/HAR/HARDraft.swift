import FitIQAPI
import JSON
import WebSocket

/// An exchange while its entries are read: a file keeps the messages and the control frames of a WebSocket apart.
struct HARDraft {
    /// Its frames are the messages so far.
    var exchange: SessionExchange
    private var controlFrames: [(after: Int, frame: SessionFrame)] = []

    init(_ exchange: SessionExchange) { self.exchange = exchange }

    /// Adds the content of an entry.
    mutating func append(_ values: [JSONValue], _ ours: JSONObject, losses: inout HARLosses) throws(HARError) {
        for (index, value) in values.enumerated() {
            try HARError.at("_webSocketMessages[\(index)]") { () throws(HARError) in
                if let message = try message(value.asObject(), &losses) { exchange.frames.append(message) }
            }
        }
        try HARError.at("_fitiq") { () throws(HARError) in
            for (index, value) in (try ours.optionalArray("controlFrames") ?? []).enumerated() {
                try HARError.at("controlFrames[\(index)]") { () throws(HARError) in
                    controlFrames.append(try controlFrame(value.asObject()))
                }
            }
            guard let object = try ours.optionalObject("ending") else { return }
            exchange.ending = try HARError.at("ending") { () throws(HARError) in try Self.ending(object) }
        }
    }

    /// The exchange, with each control frame after its stated number of messages.
    func finished() -> SessionExchange {
        guard let opened = exchange.opened else { return exchange }
        let messages = exchange.frames
        var frames: [SessionFrame] = []
        frames.reserveCapacity(messages.count + controlFrames.count)
        var next = 0
        for (after, frame) in controlFrames {
            while next < min(after, messages.count) {
                frames.append(messages[next])
                next += 1
            }
            frames.append(frame)
        }
        frames += messages[next...]
        // Writers that do not know when a WebSocket was opened use another time.
        var socket = exchange
        socket.opened = min(opened, max(socket.started, frames.first?.time ?? opened))
        socket.frames = frames
        return socket
    }

    /// Nil for anything but a message, which is a loss: Chrome lists errors among them.
    private func message(_ object: JSONObject, _ losses: inout HARLosses) throws(HARError) -> SessionFrame? {
        func lost(_ loss: HARLoss) -> SessionFrame? {
            losses.add(loss)
            return nil
        }
        if object["type"]?.string == "error" { return lost(.message) }
        let sender = try Self.sender(object)
        let code = object["opcode"]?.int ?? Int(Opcode.text.rawValue)
        guard let opcode = UInt8(exactly: code).flatMap(Opcode.init(rawValue:)), opcode == .text || opcode == .binary
        else { return lost(.message) }
        let data = try object.string("data")
        let ours = try object.optionalObject("_fitiq") ?? [:]
        let isCoded = opcode == .binary || ours["encoding"]?.string == "base64"
        guard let bytes = isCoded ? HARText.base64(data) : Array(data.utf8) else { return lost(.unreadableMessage) }
        var frame = SessionFrame(
            sender: sender, time: try time(object), opcode: opcode,
            payload: RecordedBody(bytes, of: max(bytes.count, ours["cut"]?.int ?? 0)))
        if frame.payload.isCut { losses.add(.cutMessage) }
        frame.compressedSize = try ours.optionalCount("compressed")
        return frame
    }

    private func controlFrame(_ object: JSONObject) throws(HARError) -> (after: Int, frame: SessionFrame) {
        let sender = try Self.sender(object)
        guard let code = object["opcode"]?.int, let opcode = UInt8(exactly: code).flatMap(Opcode.init(rawValue:)),
            opcode.isControl
        else { throw object.wrong("opcode", expected: Messages.controlOpcode) }
        let bytes = try object.base64("data")
        let after = try object.count("after")
        let frame = SessionFrame(
            sender: sender, time: try time(object), opcode: opcode,
            payload: RecordedBody(bytes, of: max(bytes.count, object["cut"]?.int ?? 0)))
        return (after, frame)
    }

    private static func sender(_ object: JSONObject) throws(HARError) -> Party {
        try object.required("type", Messages.messageType) { $0 == "send" ? .client : $0 == "receive" ? .server : nil }
    }

    /// The time of a message; if it is omitted or -1, as Playwright does on request, that of the previous message.
    private func time(_ object: JSONObject) throws(HARError) -> Timestamp {
        guard let value = object["time"], !value.isNull, value != -1 else {
            return exchange.frames.last?.time ?? exchange.opened ?? exchange.started
        }
        return try Self.time(object)
    }

    private static func time(_ object: JSONObject) throws(HARError) -> Timestamp {
        try object.required("time", Messages.seconds) { $0.number.flatMap(HARTime.message) }
    }

    private static func ending(_ object: JSONObject) throws(HARError) -> SessionEnding {
        let causes: [RecordedClosing.Cause] = [.closeFrame, .finish, .reset]
        return SessionEnding(
            time: try time(object),
            party: try object.required("by", Messages.party) { $0.string.flatMap(Party.init) },
            cause: try object.required("cause", Messages.cause) { value in
                causes.first { $0.rawValue == value.string }
            })
    }
}
