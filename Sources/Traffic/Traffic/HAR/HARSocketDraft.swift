import Digests
import FitIQAPI
import JSON
import WebSocket

/// A WebSocket while its entries are read: a file keeps messages and control frames apart.
struct HARSocketDraft {
    var started: Timestamp
    var opened: Timestamp
    var request: SessionRequest
    var response: SessionResponse
    private var messages: [SessionFrame] = []
    private var controlFrames: [(after: Int, frame: SessionFrame)] = []
    private var ending: SessionEnding?

    init(started: Timestamp, opened: Timestamp, request: SessionRequest, response: SessionResponse) {
        self.started = started
        self.opened = opened
        self.request = request
        self.response = response
    }

    /// Adds the content of an entry.
    mutating func append(_ values: [JSONValue], _ ours: JSONObject, skipped: inout Int) throws(HARError) {
        for (index, value) in values.enumerated() {
            do throws(HARError) {
                if let message = try message(value.asObject()) { messages.append(message) } else { skipped += 1 }
            } catch {
                throw error.inside("_webSocketMessages[\(index)]")
            }
        }
        do throws(HARError) {
            for (index, value) in (try ours.optionalArray("controlFrames") ?? []).enumerated() {
                do throws(HARError) {
                    controlFrames.append(try controlFrame(value.asObject()))
                } catch {
                    throw error.inside("controlFrames[\(index)]")
                }
            }
            if let object = try ours.optionalObject("ending") {
                do throws(HARError) {
                    ending = try Self.ending(object)
                } catch {
                    throw error.inside("ending")
                }
            }
        } catch {
            throw error.inside("_fitiq")
        }
    }

    /// The WebSocket, with each control frame after its stated number of messages.
    func finished() -> SessionSocket {
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
        let opened = min(opened, max(started, frames.first?.time ?? opened))
        return SessionSocket(
            started: started, opened: opened, request: request, response: response, frames: frames, ending: ending)
    }

    /// Nil for anything but a message: Chrome lists errors among them.
    private func message(_ object: JSONObject) throws(HARError) -> SessionFrame? {
        if object["type"]?.string == "error" { return nil }
        let sender = try Self.sender(object)
        let code = object["opcode"]?.int ?? Int(Opcode.text.rawValue)
        guard let opcode = UInt8(exactly: code).flatMap(Opcode.init(rawValue:)), opcode == .text || opcode == .binary
        else { return nil }
        let data = try object.string("data")
        let ours = try object.optionalObject("_fitiq") ?? [:]
        var bytes = Array(data.utf8)
        if opcode == .binary || ours["encoding"]?.string == "base64" {
            guard let decoded = Base64.decode(data) else { throw object.wrong("data", expected: Messages.base64) }
            bytes = decoded
        }
        return SessionFrame(
            sender: sender, time: try time(object, orAfter: messages.last?.time), opcode: opcode,
            payload: RecordedBody(bytes, of: max(bytes.count, ours["cut"]?.int ?? 0)))
    }

    private func controlFrame(_ object: JSONObject) throws(HARError) -> (after: Int, frame: SessionFrame) {
        let sender = try Self.sender(object)
        guard let code = object["opcode"]?.int, let opcode = UInt8(exactly: code).flatMap(Opcode.init(rawValue:)),
            opcode.isControl
        else { throw object.wrong("opcode", expected: Messages.controlOpcode) }
        guard let bytes = Base64.decode(try object.string("data")) else {
            throw object.wrong("data", expected: Messages.base64)
        }
        guard let after = object["after"]?.int, after >= 0 else {
            throw object.wrong("after", expected: Messages.count)
        }
        let frame = SessionFrame(
            sender: sender, time: try time(object, orAfter: messages.last?.time), opcode: opcode,
            payload: RecordedBody(bytes, of: max(bytes.count, object["cut"]?.int ?? 0)))
        return (after, frame)
    }

    private static func sender(_ object: JSONObject) throws(HARError) -> Party {
        switch object["type"]?.string {
        case "send": return .client
        case "receive": return .server
        default: throw object.wrong("type", expected: Messages.messageType)
        }
    }

    /// The time of a message; if it is omitted or -1, as Playwright does on request, that of the previous message.
    private func time(_ object: JSONObject, orAfter last: Timestamp?) throws(HARError) -> Timestamp {
        guard let value = object["time"], !value.isNull, value != -1 else { return last ?? opened }
        guard let time = value.number.flatMap(HARTime.message) else {
            throw object.wrong("time", expected: Messages.seconds)
        }
        return time
    }

    private static func ending(_ object: JSONObject) throws(HARError) -> SessionEnding {
        guard let time = object["time"]?.number.flatMap(HARTime.message) else {
            throw object.wrong("time", expected: Messages.seconds)
        }
        guard let party = object["by"]?.string.flatMap(Party.init(rawValue:)) else {
            throw object.wrong("by", expected: Messages.party)
        }
        guard let cause = object["cause"]?.string.flatMap(RecordedClosing.Cause.init(rawValue:)),
            [.closeFrame, .finish, .reset].contains(cause)
        else {
            throw object.wrong("cause", expected: Messages.cause)
        }
        return SessionEnding(time: time, party: party, cause: cause)
    }
}
