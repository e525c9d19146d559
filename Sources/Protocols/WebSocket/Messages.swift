import HTTPTypes
import Text

// The module's messages for peers and journals: what arrived, what was expected and how to fix it.

/// A violation of RFC 6455 by a peer; each becomes one `Event.failed`.
struct ProtocolViolation: Error, Equatable, Sendable {
    /// What arrived, what was expected and how to fix it: the reason in our close frame, so at most 123 bytes.
    let message: String
    /// The code of our close frame.
    let code: CloseCode

    private init(_ message: String, _ code: CloseCode = .protocolError) { (self.message, self.code) = (message, code) }
}

extension ProtocolViolation {
    // MARK: Flags and opcodes

    static func reservedBits(firstByte: UInt8) -> Self {
        Self(
            "\(names(firstByte)) set, but no extension was negotiated. Send uncompressed frames with reserved bits 0.")
    }
    static func bitsBesideCompression(firstByte: UInt8, _ opcode: Opcode) -> Self {
        Self(
            "\(names(firstByte)) set in a \(opcode) frame. Compression sets only RSV1, in a message's first frame.")
    }
    private static func names(_ byte: UInt8) -> String {
        let names = [(0x40, "RSV1"), (0x20, "RSV2"), (0x10, "RSV3")].filter { byte & UInt8($0.0) != 0 }.map(\.1)
        return names.joined(separator: ", ") + (names.count == 1 ? " is" : " are")
    }
    static func reservedOpcode(_ opcode: UInt8) -> Self {
        Self(
            "Opcode \(opcode) is reserved. Use 0 (continuation), 1 (text), 2 (binary), 8 (close), 9 (ping) or 10 (pong)."
        )
    }
    static func fragmentedControlFrame(_ opcode: Opcode) -> Self {
        Self("A \(opcode) frame arrived without FIN. Control frames must not be fragmented: set FIN.")
    }
    static let continuationWithoutStart = Self(
        "A continuation frame arrived, but no message had begun. Begin one with a text or binary frame without FIN.")
    static func interruptedMessage(_ opcode: Opcode) -> Self {
        Self(
            "A \(opcode) frame arrived inside a fragmented message. End that message first, with FIN on its last frame."
        )
    }
    static let unmaskedFrame = Self(
        "A client frame arrived unmasked. Set the MASK bit and mask the payload (RFC 6455 §5.3).")
    static let maskedFrame = Self(
        "A server frame arrived masked. Servers must not mask: clear the MASK bit (RFC 6455 §5.1).")

    // MARK: Lengths

    static func longControlFrame(_ opcode: Opcode) -> Self {
        Self("A \(opcode) frame announced more than 125 bytes. Control frames may have at most 125: shorten it.")
    }
    static func lengthNotMinimal(_ length: UInt64, fieldBytes: Int) -> Self {
        Self(
            "Length \(length) was encoded in \(fieldBytes) bytes. Use the shortest form: 7 bits up to 125, 2 bytes up "
                + "to 65535.")
    }
    static func lengthWithTopBit(_ length: UInt64) -> Self {
        Self("A 64-bit length arrived with its top bit set (0x\(String(length, radix: 16))). That bit must be 0.")
    }
    /// - Parameter total: The bytes of all fragments announced so far.
    static func messageTooBig(total: UInt64, limit: Int) -> Self {
        Self(
            "A message of at least \(total) bytes arrived. The limit is \(limit): send smaller messages.",
            .messageTooBig)
    }

    // MARK: Compression and text

    static let corruptBlocks = Self(
        "A compressed message cannot be inflated. Deflate it with the negotiated window and context.")
    static let unfinishedBlocks = Self(
        "A compressed message is incomplete. Flush it to an empty stored block, and omit only 00 00 FF FF.")
    static func tooManyBlocks(limit: Int) -> Self {
        Self(
            "A compressed message has more than \(limit) final blocks. Flush it with blocks that are not final.",
            .messageTooBig)
    }
    static func invalidText(byte: UInt8, index: Int) -> Self {
        Self(
            "Text is not UTF-8: byte 0x\(byte.uppercaseHex) at index \(index). Send UTF-8, or a binary message.",
            .invalidPayload)
    }
    static func truncatedText(count: Int) -> Self {
        Self(
            "Text is not UTF-8: it ends inside a character after \(count) bytes. Send whole characters.",
            .invalidPayload)
    }

    // MARK: Close frames

    static let closePayloadOfOneByte = Self(
        "A close frame arrived with 1 byte. Send an empty one, or a 2-byte code with an optional reason.")
    static func closeCodeNotAllowed(_ code: CloseCode) -> Self {
        Self("Close code \(code) must not be sent. Use 1000, another registered code, or 3000 to 4999.")
    }
    static func closeReasonNotUTF8(byte: UInt8, index: Int) -> Self {
        Self("A close reason is not UTF-8: byte 0x\(byte.uppercaseHex) at index \(index). Send UTF-8.", .invalidPayload)
    }
    static let closeReasonTruncated = Self(
        "A close reason is not UTF-8: it ends inside a character. Truncate it between characters.", .invalidPayload)
}

/// Refused handshakes; a value is nil if its field is missing.
extension ServerHandshake.Outcome {
    private static func bad(_ message: String) -> Self { .refuse(status: .badRequest, fields: [:], message: message) }

    // RFC 9110 §15.5.22: with 426 "the server MUST send an Upgrade header field", and §7.8: "A sender of Upgrade MUST
    // also send an "Upgrade" connection option". RFC 6455 §4.2.2: "... and a |Sec-WebSocket-Version| header field
    // indicating the version(s) the server is capable of understanding."
    private static func upgrade(_ message: String, _ status: HTTPResponse.Status = .upgradeRequired) -> Self {
        let fields: HTTPFields = [.upgrade: "websocket", .connection: "Upgrade", .secWebSocketVersion: "13"]
        return .refuse(status: status, fields: fields, message: message)
    }

    static let upgradeFieldMissing = upgrade(
        "Sec-WebSocket fields arrived without \"Upgrade: websocket\". Send it with \"Connection: Upgrade\"; a proxy in "
            + "between may have dropped both.")
    static func method(_ method: String) -> Self { bad("A WebSocket handshake used the method \(method). Use GET.") }
    static let httpVersion = upgrade(
        "A WebSocket handshake used an HTTP version other than 1.1. Use HTTP/1.1.")
    static func connectionField(_ value: String?) -> Self {
        bad(
            "\(field("Connection", value)), without the option \"upgrade\". Send \"Connection: Upgrade\"; a proxy in "
                + "between may have replaced it.")
    }
    // RFC 6455 §11.3.5: the version field "MUST NOT appear more than once in an HTTP request".
    static func version(_ value: String?, isRepeated: Bool = false) -> Self {
        upgrade(
            "\(field("Sec-WebSocket-Version", value)). Send \"Sec-WebSocket-Version: 13\" (RFC 6455), once.",
            isRepeated ? .badRequest : .upgradeRequired)
    }
    static func key(_ value: String?) -> Self {
        bad(
            "\(field("Sec-WebSocket-Key", value)). Send the base64 of 16 random bytes, once: 24 characters, the last "
                + "\"==\".")
    }

    private static func field(_ name: String, _ value: String?) -> String {
        value.map { "\(name) came as \"\(excerpt($0))\"" } ?? "\(name) is missing"
    }
}

/// Why a server's response does not open a connection; a value is nil if its field is missing.
extension Refusal {
    static func wrongStatus(_ code: Int) -> Refusal {
        Refusal(
            "The server answered \(code) instead of 101 Switching Protocols. The response body may say why.")
    }
    static func upgradeField(_ value: String?) -> Refusal {
        Refusal(
            "The server's 101 has \(shown("Upgrade", value)) instead of \"websocket\". Check that the server speaks "
                + "WebSocket.")
    }
    static func connectionField(_ value: String?) -> Refusal {
        Refusal(
            "The server's 101 has \(shown("Connection", value)), without \"upgrade\". Check the proxies in between.")
    }
    static func wrongAccept(_ value: String?, expected: String) -> Refusal {
        Refusal(
            "The server's 101 has \(shown("Sec-WebSocket-Accept", value)) instead of \"\(expected)\". It does not match "
                + "this handshake's key.")
    }
    static func compression(_ value: String) -> Refusal {
        Refusal(
            "The server's 101 has \(shown("Sec-WebSocket-Extensions", value)), which does not match the "
                + "permessage-deflate offer (RFC 7692 §7.1). It must use only what was offered.")
    }
    static func unofferedExtensions(_ value: String) -> Refusal {
        Refusal(
            "The server's 101 has \(shown("Sec-WebSocket-Extensions", value)), but none was offered. The server must "
                + "omit the field.")
    }
    static func unrequestedSubprotocol(_ value: String) -> Refusal {
        Refusal(
            "The server's 101 has \(shown("Sec-WebSocket-Protocol", value)), but the client requested none. The server "
                + "must omit the field.")
    }

    private static func shown(_ name: String, _ value: String?) -> String {
        value.map { "\(name): \"\(excerpt($0))\"" } ?? "no \(name)"
    }
}

/// A peer's text, truncated to bound the length of messages.
private func excerpt(_ text: String) -> String { text.utf8.count <= 80 ? text : text.prefix(64) + "…" }

/// Programming errors by this module's callers, for `precondition`.
enum Misuse { static let controlFrame = "A control frame must be final and have at most 125 bytes." }
