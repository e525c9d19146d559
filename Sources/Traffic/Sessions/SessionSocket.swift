import FitIQAPI
import Recording
import WebSocket

/// A WebSocket: its handshake, what went over it, and how it ended.
public struct SessionSocket: Sendable, Equatable {
    /// When the first byte of the handshake was seen.
    public var started: Timestamp
    /// When the 101 was seen.
    public var opened: Timestamp
    /// The handshake's request.
    public var request: SessionRequest
    /// The handshake's answer, with status 101.
    public var response: SessionResponse
    /// Messages and control frames of both sides, close frames included, in the order in which they were seen.
    public var frames: [SessionFrame]
    /// How it ended; nil where it was open when the recording ended.
    public var ending: SessionEnding?

    /// Describes a WebSocket.
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

/// A message, fragments joined, or a control frame.
public struct SessionFrame: Sendable, Equatable {
    /// Who sent it.
    public var sender: Party
    /// When it was complete.
    public var time: Timestamp
    /// What it is; of a fragmented message what the first fragment was.
    public var opcode: Opcode
    /// The payload without mask; of a close frame the code, big-endian, and the reason.
    public var payload: SessionBody

    /// Describes a frame.
    public init(sender: Party, time: Timestamp, opcode: Opcode, payload: SessionBody) {
        self.sender = sender
        self.time = time
        self.opcode = opcode
        self.payload = payload
    }
}

/// How a WebSocket's connection ended.
public struct SessionEnding: Sendable, Equatable {
    /// When.
    public var time: Timestamp
    /// Who ended it first: by a close frame, or without any, by ending the transport.
    public var party: Party
    /// How.
    public var cause: Cause

    /// What ends a connection.
    public enum Cause: String, Sendable, CaseIterable {
        /// Close frames; they are among the frames.
        case closeFrame = "close_frame"
        /// FIN without a close frame.
        case finish
        /// RST, or a TLS connection that was cut off.
        case reset
    }

    /// Describes an ending.
    public init(time: Timestamp, party: Party, cause: Cause) {
        self.time = time
        self.party = party
        self.cause = cause
    }
}
