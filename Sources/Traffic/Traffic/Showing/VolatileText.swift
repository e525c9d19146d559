import Text

/// Text without the values of ``ValueScanner`` and the server's origin, which differ between equal runs.
enum VolatileText {
    /// The text with `{id}`, `{time}`, `{date}`, `{email}` and `{origin}` in place of such values, in linear time.
    static func normalised(_ text: String, origin: Substring = "") -> String {
        var text = text
        return text.withUTF8 { bytes in
            var output: [UInt8] = []
            output.reserveCapacity(bytes.count)
            var start = 0
            for range in origins(in: bytes, Array(origin.utf8)) {
                append(UnsafeBufferPointer(rebasing: bytes[start..<range.lowerBound]), to: &output)
                output += "{origin}".utf8
                start = range.upperBound
            }
            append(UnsafeBufferPointer(rebasing: bytes[start...]), to: &output)
            return String(decoding: output, as: UTF8.self)
        }
    }

    private static func append(_ bytes: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
        var scanner = ValueScanner(bytes)
        var start = 0
        while let found = scanner.next() {
            output += bytes[start..<found.range.lowerBound]
            output += "{\(found.kind)}".utf8
            start = found.range.upperBound
        }
        output += bytes[start...]
    }

    /// The positions of `https://host` and the like, with that host and port.
    private static func origins(in bytes: UnsafeBufferPointer<UInt8>, _ authority: [UInt8]) -> [Range<Int>] {
        guard !authority.isEmpty else { return [] }
        let origins = ["https://", "http://", "wss://", "ws://"].map { Array($0.utf8) + authority }
        var ranges: [Range<Int>] = []
        var index = 0
        while index < bytes.count {
            // A match in the middle of a word is part of that word.
            let isStart = index == 0 || !bytes[index - 1].isWordCharacter
            if isStart, let origin = origins.first(where: { bytes[index...].starts(with: $0) }) {
                // `http://host:80` is not the beginning of `http://host:8080`.
                let end = index + origin.count
                if end == bytes.count || !(bytes[end].isWordCharacter || bytes[end] == .colon) {
                    ranges.append(index..<end)
                }
            }
            index = max(index + 1, ranges.last?.upperBound ?? 0)
        }
        return ranges
    }
}
