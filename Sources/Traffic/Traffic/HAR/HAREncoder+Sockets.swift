import Digests
import FitIQAPI
import JSON

/// The entry of a WebSocket as text, with the positions where more can be written.
///
/// Offsets count from the entry's first byte. Each room is white space, so that the text is valid as it is and after
/// each complete element written there.
struct HARSocketText: Sendable, Equatable {
    /// The entry, on one line.
    public var bytes: [UInt8]
    /// The room at the end of `_webSocketMessages`; every element but the first begins with a comma.
    public var messages: Range<Int>
    /// The room at the end of `_fitiq.controlFrames`; every element but the first begins with a comma.
    public var controlFrames: Range<Int>
    /// The room for the result of ``HAREncoder/ending(_:)``.
    public var ending: Range<Int>
}

/// The room in a socket's entry for later additions, in bytes.
struct HARSocketRoom: Sendable, Equatable {
    public var messages = 0
    public var controlFrames = 0
    /// For the ending, which needs at most ``HAREncoder/endingRoom``.
    public var ending = 0
}

/// WebSockets, as Chrome's exporter writes them.
extension HAREncoder {
    /// The maximum bytes of the result of ``ending(_:)``.
    public static let endingRoom = 128

    /// Returns the entry of a WebSocket.
    ///
    /// A number links an entry to its continuations; it identifies the socket in the whole file. Without room, the
    /// entry is complete.
    static func `socket`(
        _ socket: SessionExchange, number: Int? = nil, room: HARSocketRoom = HARSocketRoom()
    ) -> HARSocketText {
        // The name is in backticks because the style rules take the bare word before a parenthesis for the system call.
        var writer = JSONWriter(reserving: 4096 + 160 * socket.frames.count + room.messages + room.controlFrames)
        let opened = microseconds(socket.opened ?? socket.started)
        let waited = max(opened - microseconds(socket.started), 0) * 1000
        begin(socket, lasted: waited, waited: waited, received: nil, to: &writer)
        let messages = socket.frames.filter { !$0.opcode.isControl }
        return finish(&writer, number: number, extras: extras(socket.request, socket.response), room: room) { writer in
            for message in messages { writer.raw(Self.message(message)) }
        } controlFrames: { writer in
            var count = 0
            for frame in socket.frames {
                if frame.opcode.isControl {
                    writer.raw(controlFrame(frame, after: count))
                } else {
                    count += 1
                }
            }
        } ending: {
            socket.ending.map(ending) ?? []
        }
    }

    /// Returns the entry that continues a full one; it has the URL, for tools that do not know continuations.
    static func continuation(
        of number: Int, url: String, started: Timestamp, room: HARSocketRoom
    ) -> HARSocketText {
        Self.socket(
            SessionExchange(
                started: started, opened: started, request: SessionRequest(method: "GET", url: url),
                response: SessionResponse(status: 101)),
            number: number, room: room)
    }

    /// Returns an element of `_webSocketMessages`: a text or binary message.
    ///
    /// Text that is not UTF-8 or was truncated inside a character is written in base64, and marked so.
    public static func message(_ frame: SessionFrame) -> [UInt8] {
        precondition(!frame.opcode.isControl, "a control frame is no message")
        var writer = JSONWriter(reserving: 96 + frame.payload.bytes.count * 3 / 2)
        writer.beginObject()
        writeStart(of: frame, to: &writer)
        let text = frame.opcode == .text ? String(validating: frame.payload.bytes, as: UTF8.self) : nil
        writer.member("data", text ?? Base64.encode(frame.payload.bytes))
        let isOddText = frame.opcode == .text && text == nil
        if isOddText || frame.payload.isCut || frame.compressedSize != nil {
            writer.object("_fitiq") { writer in
                if isOddText { writer.member("encoding", "base64") }
                if frame.payload.isCut { writer.member("cut", frame.payload.byteCount) }
                writer.member("compressed", ifPresent: frame.compressedSize)
            }
        }
        writer.endObject()
        return writer.takeBytes()
    }

    /// Returns an element of `_fitiq.controlFrames`, with the number of messages before it, including those of earlier
    /// entries.
    public static func controlFrame(_ frame: SessionFrame, after messages: Int) -> [UInt8] {
        precondition(frame.opcode.isControl, "a message is no control frame")
        var writer = JSONWriter(reserving: 128 + frame.payload.bytes.count * 4 / 3)
        writer.beginObject()
        writeStart(of: frame, to: &writer)
        writer.member("data", Base64.encode(frame.payload.bytes))
        if frame.payload.isCut { writer.member("cut", frame.payload.byteCount) }
        writer.member("after", messages)
        writer.endObject()
        return writer.takeBytes()
    }

    /// Returns the member `ending` of a socket's `_fitiq`, with the comma before it.
    public static func ending(_ ending: SessionEnding) -> [UInt8] {
        let value = JSONWriter.object { writer in
            writeTime(ending.time, to: &writer)
            writer.member("by", ending.party.rawValue)
            writer.member("cause", ending.cause.rawValue)
        }
        let bytes = Array(",\"ending\":".utf8) + value
        precondition(bytes.count <= endingRoom, "an ending has a room of fixed size")
        return bytes
    }

    private static func finish(
        _ writer: inout JSONWriter, number: Int?, extras: [JSONObject.Element], room: HARSocketRoom,
        messages: (inout JSONWriter) -> Void, controlFrames: (inout JSONWriter) -> Void, ending: () -> [UInt8]
    ) -> HARSocketText {
        writer.member("_resourceType", "websocket")
        writer.array("_webSocketMessages", messages)
        // The writer emits no white space: the array was just closed, so its room precedes the last byte.
        var bytes = writer.takeBytes()
        let messageRoom = addRoom(room.messages, before: 1, to: &bytes)
        var ours = JSONWriter()
        ours.beginObject()
        if let number { ours.member("socket", number) }
        write(extras, to: &ours)
        ours.array("controlFrames", controlFrames)
        bytes += Array(",\"_fitiq\":".utf8) + ours.bytes
        let controlRoom = addRoom(room.controlFrames, before: 1, to: &bytes)
        bytes += ending()
        let endingRoom = addRoom(room.ending, before: 0, to: &bytes)
        bytes += Array("}}".utf8)
        return HARSocketText(bytes: bytes, messages: messageRoom, controlFrames: controlRoom, ending: endingRoom)
    }

    /// Inserts white space before the last bytes, and returns its position.
    private static func addRoom(_ count: Int, before last: Int, to bytes: inout [UInt8]) -> Range<Int> {
        let start = bytes.count - last
        bytes.insert(contentsOf: repeatElement(UInt8(ascii: " "), count: count), at: start)
        return start..<(start + count)
    }

    private static func writeStart(of frame: SessionFrame, to writer: inout JSONWriter) {
        writer.member("type", frame.sender == .client ? "send" : "receive")
        writeTime(frame.time, to: &writer)
        writer.member("opcode", Int(frame.opcode.rawValue))
    }

    /// Seconds since 1970 with six decimal places.
    private static func writeTime(_ time: Timestamp, to writer: inout JSONWriter) {
        writer.key("time")
        writer.value(Int(microseconds(time)), fractionDigits: 6)
    }

    /// Whole microseconds since 1970, rounded towards the past.
    static func microseconds(_ time: Timestamp) -> Int64 {
        let (quotient, remainder) = time.nanosecondsSinceEpoch.quotientAndRemainder(dividingBy: 1000)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
