import CLinux
import Glibc

/// The server's messages that the generators distinguish.
public enum MessageType: Equatable, Sendable {
    case connected
    case received
    case chunk
    case complete
    case error
    case other
}

/// Reads the `type` of a JSON object.
///
/// It searches for the bytes of the key. This is exact, because JSON always escapes a quotation mark inside a string,
/// so the search cannot match within a value. At 40,000 messages a second it saves parsing.
public func messageType(_ message: UnsafeRawBufferPointer) -> MessageType {
    guard let value = stringValue(of: "type", in: message) else { return .other }
    let text = UnsafeRawBufferPointer(rebasing: message[value])
    if equal(text, "stream_chunk") { return .chunk }
    if equal(text, "stream_complete") { return .complete }
    if equal(text, "message_received") { return .received }
    if equal(text, "connected") { return .connected }
    if equal(text, "error") { return .error }
    return .other
}

/// The range of the text of the first string member `name`, still escaped; nil without such a member.
public func stringValue(of name: StaticString, in message: UnsafeRawBufferPointer) -> Range<Int>? {
    guard let start = message.baseAddress else { return nil }
    var from = 0
    while let found = bench_find(start + from, message.count - from, name.utf8Start, name.utf8CodeUnitCount) {
        let key = found - start
        var index = key + name.utf8CodeUnitCount
        from = index
        guard key > 0, message[key - 1] == UInt8(ascii: "\""), skip(UInt8(ascii: "\""), message, &index) else {
            continue
        }
        skipSpaces(message, &index)
        guard skip(UInt8(ascii: ":"), message, &index) else { continue }
        skipSpaces(message, &index)
        guard skip(UInt8(ascii: "\""), message, &index) else { continue }
        let value = index
        while index < message.count, message[index] != UInt8(ascii: "\"") {
            index += message[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return index < message.count ? value..<index : nil
    }
    return nil
}

private func skip(_ byte: UInt8, _ bytes: UnsafeRawBufferPointer, _ index: inout Int) -> Bool {
    guard index < bytes.count, bytes[index] == byte else { return false }
    index += 1
    return true
}

private func skipSpaces(_ bytes: UnsafeRawBufferPointer, _ index: inout Int) {
    while index < bytes.count, bytes[index] == UInt8(ascii: " ") { index += 1 }
}

private func equal(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
    guard bytes.count == text.utf8CodeUnitCount, let start = bytes.baseAddress else { return false }
    return memcmp(start, text.utf8Start, bytes.count) == 0
}
