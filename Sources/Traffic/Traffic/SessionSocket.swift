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

/// A message with joined fragments, or a control frame.
public struct SessionFrame: Sendable, Equatable {
    public var sender: Party
    /// When it was complete.
    public var time: Timestamp
    /// The opcode; for a fragmented message, that of the first fragment.
    public var opcode: Opcode
    /// The unmasked payload; for a close frame, the big-endian code and the reason.
    public var payload: SessionBody

    public init(sender: Party, time: Timestamp, opcode: Opcode, payload: SessionBody) {
        self.sender = sender
        self.time = time
        self.opcode = opcode
        self.payload = payload
    }
}

/// How a WebSocket's connection ended.
public struct SessionEnding: Sendable, Equatable {
    public var time: Timestamp
    /// The side that ended it: by the first close frame or, without one, by ending the transport.
    public var party: Party
    public var cause: Cause

    public enum Cause: String, Sendable, CaseIterable {
        /// Close frames, which are among the frames.
        case closeFrame = "close_frame"
        /// FIN without a close frame.
        case finish
        /// RST, or a truncated TLS connection.
        case reset
    }

    public init(time: Timestamp, party: Party, cause: Cause) {
        self.time = time
        self.party = party
        self.cause = cause
    }
}
