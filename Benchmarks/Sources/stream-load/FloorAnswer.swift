import FitIQAPI
import FitIQBackend
import Glibc
import Load

/// The answer that `floor` streams to every question, like fitiq-mock's, with one pace for all.
struct FloorAnswer {
    private static let id = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
    private static let content = """
        A good breakfast has protein, fiber and something fresh. Try two eggs with whole grain toast and a handful of \
        berries: that gives you about 25 g of protein, and keeps you full until lunch. If you are in a hurry, Greek \
        yogurt with oats works just as well.
        """
    /// The times of the chunks, in microseconds after the question.
    let offsets: [Int64]

    init() throws { offsets = try expectedOffsets(messageID: Self.id, content: Self.content) }

    /// Writes the records: the handshake with a greeting, and the frames of the answer.
    func write(to path: String) throws {
        guard let file = fopen(path, "w") else { throw LoadError.lastCall("fopen \(path)") }
        defer { fclose(file) }
        func write(_ bytes: [UInt8], after microseconds: Int64) {
            var (offset, count) = (microseconds * 1_000, UInt32(bytes.count))
            fwrite(&offset, 8, 1, file)
            fwrite(&count, 4, 1, file)
            fwrite(bytes, 1, bytes.count, file)
        }
        let head =
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: \(webSocketAccept)\r\n\r\n"
        write(Array(head.utf8) + frame(.connected(user: nil)), after: 0)
        write(frame(.messageReceived), after: 0)
        for (chunk, offset) in zip(Coach.chunks(of: Self.content), offsets) {
            write(frame(.streamChunk(content: chunk)), after: offset)
        }
        write(frame(.streamComplete(nil)), after: (offsets.last ?? 0) + 50_000)
    }

    private func frame(_ frame: FitIQAPI.ServerFrame) -> [UInt8] {
        let text = frame.encoded(
            consultationID: ResourceID(Self.id), at: Timestamp(nanosecondsSinceEpoch: 1_800_000_000_000_000_000),
            in: .union)
        let length = text.count < 126 ? [UInt8(text.count)] : [126, UInt8(text.count >> 8), UInt8(text.count & 255)]
        return [0x81] + length + text
    }
}
