/// What is wrong with compression: at a handshake, of a message on a WebSocket (RFC 7692), of an answer with gzip.
public enum CompressionFault: String, Sendable, CaseIterable {
    /// The handshake agrees on no compression, whatever is offered and required.
    case declined
    /// It is compressed although nothing says so.
    case undeclared
    /// The message comes in two frames, cut inside a deflated block, which is allowed.
    case fragmented
    /// The same, and the second frame has RSV1, too (§6.1).
    case marked
    /// The message refers to earlier bytes that were never sent, as where one end has reset its context.
    case forgotten
    /// Bytes that belong to no block follow the message's last one.
    case trailing
    /// A block has a type that does not exist.
    case corrupt
    /// The file of gzip ends in its middle, where the body ends, too.
    case truncated
    /// The length at the end of the file is another one (RFC 1952 §2.3.1).
    case wrongLength = "wrong-length"
}
