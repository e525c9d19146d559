import HTTPTypes
import Testing
import Text

@testable import WebSocket

@Suite("WebSocket protocol messages")
struct MessagesTests {
    static let violations: [(ProtocolViolation, CloseCode, String)] = [
        (
            .reservedBits(firstByte: 0xC1), .protocolError,
            "RSV1 is set, but no extension was negotiated. Send uncompressed frames with reserved bits 0."
        ),
        (
            .reservedBits(firstByte: 0xF1), .protocolError,
            "RSV1, RSV2, RSV3 are set, but no extension was negotiated. Send uncompressed frames with reserved bits 0."
        ),
        (
            .reservedOpcode(11), .protocolError,
            "Opcode 11 is reserved. Use 0 (continuation), 1 (text), 2 (binary), 8 (close), 9 (ping) or 10 (pong)."
        ),
        (
            .fragmentedControlFrame(.ping), .protocolError,
            "A ping frame arrived without FIN. Control frames must not be fragmented: set FIN."
        ),
        (
            .longControlFrame(.close), .protocolError,
            "A close frame announced more than 125 bytes. Control frames may have at most 125: shorten it."
        ),
        (
            .continuationWithoutStart, .protocolError,
            "A continuation frame arrived, but no message had begun. Begin one with a text or binary frame without FIN."
        ),
        (
            .interruptedMessage(.binary), .protocolError,
            "A binary frame arrived inside a fragmented message. End that message first, with FIN on its "
                + "last frame."
        ),
        (
            .unmaskedFrame, .protocolError,
            "A client frame arrived unmasked. Set the MASK bit and mask the payload (RFC 6455 §5.3)."
        ),
        (
            .maskedFrame, .protocolError,
            "A server frame arrived masked. Servers must not mask: clear the MASK bit (RFC 6455 §5.1)."
        ),
        (
            .lengthNotMinimal(65535, fieldBytes: 8), .protocolError,
            "Length 65535 was encoded in 8 bytes. Use the shortest form: 7 bits up to 125, 2 bytes up to 65535."
        ),
        (
            .lengthWithTopBit(UInt64.max), .protocolError,
            "A 64-bit length arrived with its top bit set (0xffffffffffffffff). That bit must be 0."
        ),
        (
            .messageTooBig(total: UInt64.max, limit: Int.max), .messageTooBig,
            """
            A message of at least 18446744073709551615 bytes arrived. The limit is 9223372036854775807: \
            send smaller messages.
            """
        ),
        (
            .invalidText(byte: 0x0F, index: Int.max), .invalidPayload,
            "Text is not UTF-8: byte 0x0F at index 9223372036854775807. Send UTF-8, or a binary message."
        ),
        (
            .truncatedText(count: Int.max), .invalidPayload,
            "Text is not UTF-8: it ends inside a character after 9223372036854775807 bytes. Send whole characters."
        ),
        (
            .closePayloadOfOneByte, .protocolError,
            "A close frame arrived with 1 byte. Send an empty one, or a 2-byte code with an optional reason."
        ),
        (
            .closeCodeNotAllowed(.abnormal), .protocolError,
            "Close code 1006 must not be sent. Use 1000, another registered code, or 3000 to 4999."
        ),
        (
            .closeReasonNotUTF8(byte: 0xFF, index: 122), .invalidPayload,
            "A close reason is not UTF-8: byte 0xFF at index 122. Send UTF-8."
        ),
        (
            .closeReasonTruncated, .invalidPayload,
            "A close reason is not UTF-8: it ends inside a character. Truncate it between characters."
        ),
    ]

    @Test("A violation has its code, and its longest message fits into a close frame", arguments: violations)
    func violation(violation: ProtocolViolation, code: CloseCode, message: String) {
        #expect(violation.code == code)
        #expect(violation.message == message)
        #expect(violation.message.utf8.count <= 123)
    }

    static let refusals: [(ServerHandshake.Outcome, String)] = [
        (
            .upgradeFieldMissing,
            "Sec-WebSocket fields arrived without \"Upgrade: websocket\". Send it with \"Connection: "
                + "Upgrade\"; a proxy in between may have dropped both."
        ),
        (.method("POST"), "A WebSocket handshake used the method POST. Use GET."),
        (.httpVersion, "A WebSocket handshake used an HTTP version other than 1.1. Use HTTP/1.1."),
        (
            .connectionField("keep-alive"),
            "Connection came as \"keep-alive\", without the option \"upgrade\". Send \"Connection: Upgrade\"; "
                + "a proxy in between may have replaced it."
        ),
        (
            .connectionField(nil),
            "Connection is missing, without the option \"upgrade\". Send \"Connection: Upgrade\"; "
                + "a proxy in between may have replaced it."
        ),
        (.version(nil), "Sec-WebSocket-Version is missing. Send \"Sec-WebSocket-Version: 13\" (RFC 6455), once."),
        (
            .version("8"), "Sec-WebSocket-Version came as \"8\". Send \"Sec-WebSocket-Version: 13\" (RFC 6455), once."
        ),
        (
            .key(nil),
            "Sec-WebSocket-Key is missing. "
                + "Send the base64 of 16 random bytes, once: 24 characters, the last \"==\"."
        ),
        (
            .key(String(repeating: "A", count: 80)),
            "Sec-WebSocket-Key came as \"\(String(repeating: "A", count: 80))\". "
                + "Send the base64 of 16 random bytes, once: 24 characters, the last \"==\"."
        ),
        (
            .key(String(repeating: "A", count: 10_000)),
            "Sec-WebSocket-Key came as \"\(String(repeating: "A", count: 64))…\". "
                + "Send the base64 of 16 random bytes, once: 24 characters, the last \"==\"."
        ),
    ]

    @Test("The error for a rejected handshake says what arrived and what to send", arguments: refusals)
    func refusal(refusal: ServerHandshake.Outcome, message: String) {
        guard case .refuse(_, _, message) = refusal else {
            Issue.record("\(refusal)")
            return
        }
    }

    static let failures: [(Refusal, String)] = [
        (
            .wrongStatus(200),
            "The server answered 200 instead of 101 Switching Protocols. The response body may say why."
        ),
        (
            .upgradeField(nil),
            "The server's 101 has no Upgrade instead of \"websocket\". Check that the server speaks WebSocket."
        ),
        (
            .connectionField("close"),
            "The server's 101 has Connection: \"close\", without \"upgrade\". Check the proxies in between."
        ),
        (
            .wrongAccept("x", expected: "y"),
            "The server's 101 has Sec-WebSocket-Accept: \"x\" instead of \"y\". It does not match this handshake's key."
        ),
        (
            .unofferedExtensions("permessage-deflate"),
            "The server's 101 has Sec-WebSocket-Extensions: \"permessage-deflate\", but none was offered. The "
                + "server must omit the field."
        ),
        (
            .unrequestedSubprotocol("chat"),
            "The server's 101 has Sec-WebSocket-Protocol: \"chat\", but the client requested none. The server must "
                + "omit the field."
        ),
    ]

    @Test("The error for a failed handshake contains the server's answer and says what to check", arguments: failures)
    func failure(failure: Refusal, message: String) {
        #expect(failure.description == message)
    }
}
