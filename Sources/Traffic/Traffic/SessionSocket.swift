import FitIQAPI
import WebSocket

/// A WebSocket: its handshake, its frames, and its end.
public struct SessionSocket: Sendable, Equatable {
    /// When the first byte of the handshake was seen.
    public var started: Timestamp
    /// When the 101 was seen.
    public var opened: Timestamp
    public var request: SessionRequest
    /// The handshake's response, with status 101.
    public var response: SessionResponse
    /// Messages and control frames of both sides, including close frames, in the order in which they were seen.
    public var frames: [SessionFrame]
    /// How it ended, or nil if it was open when the recording ended.
    public var ending: SessionEnding?

    public init(
        started: Timestamp, opened: Timestamp, request: SessionRequest, response: SessionResponse,
        frames: [SessionFrame] = [], ending: SessionEnding? = nil
    ) {
        self.started = started
        self.opened = opened
        self.request = request
        self.response = response
        self.frames = frames
        self.ending = ending
    }
}

/// What happened, and when.
@dynamicMemberLookup
public struct Timed<Value: Sendable & Equatable>: Sendable, Equatable {
    public var time: Timestamp
    public var value: Value

    public subscript<Member>(dynamicMember path: WritableKeyPath<Value, Member>) -> Member {
        get { value[keyPath: path] }
        set { value[keyPath: path] = newValue }
    }
}

/// A message with joined fragments or a control frame, and when it was complete.
public typealias SessionFrame = Timed<RecordedFrame>

extension SessionFrame {
    public init(sender: Party, time: Timestamp, opcode: Opcode, payload: RecordedBody) {
        self.init(time: time, value: RecordedFrame(sender: sender, opcode: opcode, payload: []))
        value.payload = payload
    }
}

/// How a WebSocket's connection ended, and when: by close frames, which are among the frames, by FIN, or by RST.
public typealias SessionEnding = Timed<RecordedClosing>

extension SessionEnding {
    public typealias Cause = RecordedClosing.Cause

    public init(time: Timestamp, party: Party, cause: RecordedClosing.Cause) {
        self.init(time: time, value: RecordedClosing(by: party, cause: cause))
    }
}
