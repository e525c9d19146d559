import FitIQAPI
import JSON

/// The messages of a consultation, oldest first, encoded once each.
struct History: Sendable {
    private(set) var messages: [Message] = []
    /// The messages as JSON, separated by commas.
    private var encoded: [UInt8] = []
    /// Where each message ends in `encoded`.
    private var ends: [Int] = []

    var count: Int { messages.count }
    var byteCount: Int { encoded.count }

    mutating func append(_ message: Message, in form: GuideMode) {
        if !messages.isEmpty { encoded.append(UInt8(ascii: ",")) }
        var writer = JSONWriter(reserving: message.content.utf8.count + 256)
        message.write(into: &writer, in: form)
        encoded += writer.bytes
        ends.append(encoded.count)
        messages.append(message)
    }

    /// A run of messages as JSON, separated by commas.
    func encoded(_ range: Range<Int>) -> ArraySlice<UInt8> {
        guard !range.isEmpty else { return [] }
        // After the comma that ends the message before.
        let start = range.lowerBound == 0 ? 0 : ends[range.lowerBound - 1] + 1
        return encoded[start..<ends[range.upperBound - 1]]
    }
}
