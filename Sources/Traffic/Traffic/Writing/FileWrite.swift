/// Bytes to write at an offset of a file.
public struct FileWrite: Sendable, Equatable {
    public var offset: Int
    public var bytes: [UInt8]

    /// Applies the write to a file in memory; a gap between its end and the offset is filled with zeros.
    public func apply(to file: inout [UInt8]) {
        let end = offset + bytes.count
        if file.count < end { file.append(contentsOf: repeatElement(0, count: end - file.count)) }
        file.replaceSubrange(offset..<end, with: bytes)
    }
}

/// The finished form of a recording, as pieces of the file that grew.
public struct SessionCompaction: Sendable, Equatable {
    /// A part of the finished file.
    public enum Piece: Sendable, Equatable {
        /// Bytes to write.
        case bytes([UInt8])
        /// Bytes to copy from the file that grew.
        case range(Range<Int>)
    }

    /// The pieces in order.
    public private(set) var pieces: [Piece] = []
    /// The length of the finished file in bytes.
    public private(set) var byteCount = 0

    mutating func append(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        byteCount += bytes.count
        pieces.append(.bytes(bytes))
    }

    mutating func append(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        byteCount += range.count
        if case .range(let before)? = pieces.last, before.upperBound == range.lowerBound {
            pieces[pieces.count - 1] = .range(before.lowerBound..<range.upperBound)
        } else {
            pieces.append(.range(range))
        }
    }
}
