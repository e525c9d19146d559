import Text

/// The module's messages for peers and journals: what arrived, what was expected and how to fix it.
///
/// Messages about protocol violations are also the reason in our close frame and are limited to its 123 bytes.
enum Messages {
    /// A peer's text, truncated to bound the length of messages.
    static func excerpt(_ text: String) -> String { text.utf8.count <= 80 ? text : text.prefix(64) + "…" }
}

extension ProtocolViolation {
    /// What arrived, what was expected and how to fix it; at most 123 bytes.
    var message: String {
        switch self {
        case .reservedBits(let byte):
            "\(reservedBitNames(byte)) set, but no extension was negotiated. Send uncompressed frames with "
                + "reserved bits 0."
        case .bitsBesideCompression(let byte, let opcode):
            "\(reservedBitNames(byte)) set in a \(opcode) frame. Compression sets only RSV1, in a message's "
                + "first frame."
        case .corruptBlocks:
            "A compressed message cannot be inflated. Deflate it with the negotiated window and context."
        case .unfinishedBlocks:
            "A compressed message is incomplete. Flush it to an empty stored block, and omit only 00 00 FF FF."
        case .reservedOpcode(let opcode):
            "Opcode \(opcode) is reserved. Use 0 (continuation), 1 (text), 2 (binary), 8 (close), 9 (ping) or "
                + "10 (pong)."
        case .fragmentedControlFrame(let opcode):
            "A \(opcode) frame arrived without FIN. Control frames must not be fragmented: set FIN."
        case .longControlFrame(let opcode):
            "A \(opcode) frame announced more than 125 bytes. Control frames may have at most 125: shorten it."
        case .continuationWithoutStart:
            "A continuation frame arrived, but no message had begun. Begin one with a text or binary frame without FIN."
        case .interruptedMessage(let opcode):
            "A \(opcode) frame arrived inside a fragmented message. End that message first, with FIN on its "
                + "last frame."
        case .unmaskedFrame:
            "A client frame arrived unmasked. Set the MASK bit and mask the payload (RFC 6455 §5.3)."
        case .maskedFrame:
            "A server frame arrived masked. Servers must not mask: clear the MASK bit (RFC 6455 §5.1)."
        case .lengthNotMinimal(let length, let bytes):
            "Length \(length) was encoded in \(bytes) bytes. Use the shortest form: 7 bits up to 125, 2 bytes "
                + "up to 65535."
        case .lengthWithTopBit(let length):
            "A 64-bit length arrived with its top bit set (0x\(String(length, radix: 16))). That bit must be 0."
        case .tooManyBlocks(let limit):
            "A compressed message has more than \(limit) final blocks. Flush it with blocks that are not final."
        case .messageTooBig(let total, let limit):
            "A message of at least \(total) bytes arrived. The limit is \(limit): send smaller messages."
        case .invalidText(let byte, let index):
            "Text is not UTF-8: byte 0x\(byte.uppercaseHex) at index \(index). Send UTF-8, or a binary message."
        case .truncatedText(let count):
            "Text is not UTF-8: it ends inside a character after \(count) bytes. Send whole characters."
        case .closePayloadOfOneByte:
            "A close frame arrived with 1 byte. Send an empty one, or a 2-byte code with an optional reason."
        case .closeCodeNotAllowed(let code):
            "Close code \(code) must not be sent. Use 1000, another registered code, or 3000 to 4999."
        case .closeReasonNotUTF8(let byte, let index):
            "A close reason is not UTF-8: byte 0x\(byte.uppercaseHex) at index \(index). Send UTF-8."
        case .closeReasonTruncated:
            "A close reason is not UTF-8: it ends inside a character. Truncate it between characters."
        }
    }

    private func reservedBitNames(_ byte: UInt8) -> String {
        let names = [(0x40, "RSV1"), (0x20, "RSV2"), (0x10, "RSV3")].filter { byte & UInt8($0.0) != 0 }.map(\.1)
        return names.joined(separator: ", ") + (names.count == 1 ? " is" : " are")
    }
}

extension ServerHandshake.Refusal {
    public var message: String {
        switch self {
        case .upgradeFieldMissing:
            """
            Sec-WebSocket fields arrived without "Upgrade: websocket". Send it with "Connection: Upgrade"; a proxy \
            in between may have dropped both.
            """
        case .method(let method): "A WebSocket handshake used the method \(method). Use GET."
        case .httpVersion: "A WebSocket handshake used an HTTP version other than 1.1. Use HTTP/1.1."
        case .connectionField(let value):
            """
            \(field("Connection", value)), without the option "upgrade". Send "Connection: Upgrade"; \
            a proxy in between may have replaced it.
            """
        case .version(let value):
            "\(field("Sec-WebSocket-Version", value)). Send \"Sec-WebSocket-Version: 13\" (RFC 6455), once."
        case .key(let value):
            "\(field("Sec-WebSocket-Key", value)). Send the base64 of 16 random bytes, once: 24 characters, the last \"==\"."
        }
    }

    private func field(_ name: String, _ value: String?) -> String {
        value.map { "\(name) came as \"\(Messages.excerpt($0))\"" } ?? "\(name) is missing"
    }
}

extension ClientHandshake.Failure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .status(let code):
            "The server answered \(code) instead of 101 Switching Protocols. The response body may say why."
        case .upgradeField(let value):
            "The server's 101 has \(shown("Upgrade", value)) instead of \"websocket\". Check that the server "
                + "speaks WebSocket."
        case .connectionField(let value):
            "The server's 101 has \(shown("Connection", value)), without \"upgrade\". Check the proxies in between."
        case .accept(let value, let expected):
            """
            The server's 101 has \(shown("Sec-WebSocket-Accept", value)) instead of "\(expected)". \
            It does not match this handshake's key.
            """
        case .compression(let value):
            """
            The server's 101 has \(shown("Sec-WebSocket-Extensions", value)), which does not match the \
            permessage-deflate offer (RFC 7692 §7.1). It must use only what was offered.
            """
        case .extensions(let value):
            "The server's 101 has \(shown("Sec-WebSocket-Extensions", value)), but none was offered. The server "
                + "must omit the field."
        case .subprotocol(let value):
            "The server's 101 has \(shown("Sec-WebSocket-Protocol", value)), but the client requested none. The "
                + "server must omit the field."
        }
    }

    private func shown(_ name: String, _ value: String?) -> String {
        value.map { "\(name): \"\(Messages.excerpt($0))\"" } ?? "no \(name)"
    }
}

/// Programming errors by this module's callers, for `precondition`.
enum Misuse { static let controlFrame = "A control frame must be final and have at most 125 bytes." }
