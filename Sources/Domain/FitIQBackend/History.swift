import FitIQAPI
import JSON

/// The messages of a consultation, oldest first, encoded once each.
struct History: Sendable {
    private(set) var messages: [Message] = []
    /// The messages as JSON, separated by commas.
    private var encoded: [UInt8] = []
    /// Where each message ends in `encoded`.
    private var ends: [Int] = []

    /// Bytes of what exports have and the form of the answers leaves out.
    private var unencodedByteCount = 0

    var count: Int { messages.count }
    var byteCount: Int { encoded.count + unencodedByteCount }

    mutating func append(_ message: Message, in form: GuideMode) {
        if !messages.isEmpty { encoded.append(UInt8(ascii: ",")) }
        var writer = JSONWriter(reserving: message.content.utf8.count + 256)
        message.write(into: &writer, in: form)
        encoded += writer.bytes
        // Else a world could hold, and export, any amount of it.
        if let metadata = message.metadata, form == .consultationWebSocket {
            var writer = JSONWriter(reserving: 256)
            metadata.write(into: &writer)
            unencodedByteCount += writer.bytes.count
        }
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
