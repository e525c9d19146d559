import Deflate
import FitIQAPI
import WebSocket

/// The traffic between a client and a server: requests with their responses, and WebSockets with their frames.
public struct Session: Sendable, Equatable {
    /// All entries, in the order in which they started.
    public internal(set) var entries: [SessionExchange]

    /// Sorts the entries by start.
    ///
    /// Simultaneous entries keep their order.
    public init(entries: [SessionExchange] = []) { self.entries = entries.sorted { $0.started < $1.started } }
}

/// A request and its response.
///
/// An accepted handshake also has the frames and the end of its WebSocket.
public struct SessionExchange: Sendable, Equatable {
    /// The arrival time of the request's first byte.
    public var started: Timestamp
    /// The arrival time of the 101 that opened a WebSocket.
    ///
    /// The time is nil for other exchanges, including refused handshakes.
    public var opened: Timestamp?
    /// Nanoseconds from the end of the request to the first byte of the response; 0 if unknown.
    public var waited: Int64 = 0
    /// Nanoseconds from the first byte of the request to the last byte of the response.
    public var lasted: Int64 = 0
    public var request: SessionRequest
    /// The response, or nil if the connection ended without one.
    public var response: SessionResponse?
    /// The messages and control frames from both sides, including close frames, in order of arrival.
    public var frames: [SessionFrame] = []
    /// How the WebSocket ended, or nil if it was still open when the recording ended.
    public var ending: SessionEnding?

    public var isSocket: Bool { opened != nil }
}

/// A header field as sent.
///
/// Names keep their case and may repeat.
public struct SessionField: Sendable, Hashable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
}

public struct SessionRequest: Sendable, Equatable {
    public var method: String
    /// The absolute URL, such as `https://host/api/v1/consultations?limit=2`.
    ///
    /// A WebSocket has the scheme `ws` or `wss`.
    public var url: String
    public var fields: [SessionField] = []
    /// The body without framing, or nil for a message without a body.
    public var body: RecordedBody?
    /// The same as ``SessionResponse/coding``.
    public var coding: SessionCoding?

    /// Whether all or part of a sent body is missing from the recording.
    package var hasUnknownBody: Bool {
        if let body { return body.isCut }
        return fields.contains { $0.name.lowercased() == "content-length" && Int($0.value) ?? 0 > 0 }
    }
}

public struct SessionResponse: Sendable, Equatable {
    public var status: Int
    public var fields: [SessionField] = []
    /// The body without framing, which may be empty.
    ///
    /// If the fields contain a content coding, the body is encoded.
    public var body = RecordedBody()
    /// Whether the last byte arrived before the connection ended.
    public var isComplete = true

    /// The coding that the recorder has decoded.
    ///
    /// The fields then do not contain `Content-Encoding`.
    public var coding: SessionCoding?

    /// Whether the body has a content coding, such as gzip (RFC 9110 §8.4).
    public var isCoded: Bool { fields.contains(where: \.isContentEncoding) }
}

/// A content coding (RFC 9110 §8.4) that the recorder decoded: gzip or deflate.
public struct SessionCoding: Sendable, Hashable {
    /// The name, as it appears in `Content-Encoding`.
    public var name: String
    /// The bytes of the encoded body.
    public var byteCount: Int
}

extension [SessionField] {
    /// The only content coding in the fields, if we can decode it.
    var undoneCoding: (name: String, format: ZlibFormat)? {
        let codings = filter(\.isContentEncoding)
        guard codings.count == 1 else { return nil }
        return codings[0].codingFormat.map { (codings[0].value, $0) }
    }
}

extension RecordedBody {
    /// Decodes the body in place and returns its coding; damaged and long bodies stay encoded.
    mutating func inflate(_ fields: inout [SessionField], limit: Int) -> SessionCoding? {
        guard let (name, format) = fields.undoneCoding, !bytes.isEmpty, !isCut,
            let text = try? Gzip.inflate(bytes, as: format, limit: limit)
        else { return nil }
        fields.removeAll(where: \.isContentEncoding)
        defer { self = RecordedBody(text) }
        return SessionCoding(name: name, byteCount: byteCount)
    }
}

/// An event with its time.
@dynamicMemberLookup
public struct Timed<Value: Sendable & Equatable>: Sendable, Equatable {
    public var time: Timestamp
    public var value: Value

    public subscript<Member>(dynamicMember path: WritableKeyPath<Value, Member>) -> Member {
        get { value[keyPath: path] }
        set { value[keyPath: path] = newValue }
    }
}

/// A message, with its fragments joined, or a control frame, with the time at which it was complete.
public typealias SessionFrame = Timed<RecordedFrame>

extension SessionFrame {
    public init(sender: Party, time: Timestamp, opcode: Opcode, payload: RecordedBody) {
        self.init(time: time, value: RecordedFrame(sender: sender, opcode: opcode, payload: []))
        value.payload = payload
    }
}

/// How and when a WebSocket's connection ended: with close frames (which `frames` contains), FIN or RST.
public typealias SessionEnding = Timed<RecordedClosing>

extension SessionEnding {
    public typealias Cause = RecordedClosing.Cause

    public init(time: Timestamp, party: Party, cause: RecordedClosing.Cause) {
        self.init(time: time, value: RecordedClosing(by: party, cause: cause))
    }
}
