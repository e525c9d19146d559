import Text

/// Reads the body of a message according to its framing (RFC 9112 §6, §7.1).
struct BodyReader: Sendable {
    enum Position: Sendable, Equatable {
        /// The given number of bytes remain.
        case length(Int)
        /// At a chunk-size line.
        case chunkSize
        /// In a chunk with the given number of bytes left.
        case chunkData(Int)
        /// At the CRLF after the data of a chunk.
        case chunkEnd
        /// In the trailer section after the last chunk.
        case trailers
        /// In a body that ends when the connection closes.
        case untilClose
    }

    enum Step {
        case needsData
        /// This many bytes at the start of the buffer belong to the body.
        case data(Int)
        case end
    }

    private(set) var position: Position
    /// The body's bytes so far, including the announced size of the current chunk.
    private var total = 0
    /// The part of the current line already scanned for its end.
    private var scanned = 0
    private var section: FieldSection
    init(_ position: Position, _ section: FieldSection) { (self.position, self.section) = (position, section) }
    static let none = BodyReader(.length(0), FieldSection())
    var isComplete: Bool { position == .length(0) }
    var endsWithStream: Bool { position == .untilClose }

    /// The next piece; the caller takes reported data from the buffer before the next call.
    ///
    /// - Parameter bodyLimit: The maximum number of bytes in this body, possibly raised.
    mutating func advance(_ buffer: inout ReceiveBuffer, _ limits: Limits, bodyLimit: Int) throws(RemoteError) -> Step {
        while true {
            switch position {
            case .length(let remaining):
                if remaining == 0 { return .end }
                if buffer.isEmpty { return .needsData }
                let piece = min(remaining, buffer.count)
                position = .length(remaining - piece)
                return .data(piece)
            case .untilClose:
                if buffer.isEmpty { return .needsData }
                let piece = min(bodyLimit - total, buffer.count)
                guard piece > 0 else { throw .bodyTooLarge(bodyLimit) }
                total += piece
                return .data(piece)
            case .chunkSize:
                guard let size = try chunkSize(&buffer, limits, bodyLimit) else { return .needsData }
                position = size == 0 ? .trailers : .chunkData(size)
            case .chunkData(let remaining):
                if buffer.isEmpty { return .needsData }
                let piece = min(remaining, buffer.count)
                position = piece == remaining ? .chunkEnd : .chunkData(remaining - piece)
                return .data(piece)
            case .chunkEnd:
                guard try chunkEnd(&buffer) else { return .needsData }
                position = .chunkSize
            case .trailers: guard try trailer(&buffer, limits) else { return .needsData }
            }
        }
    }

    /// chunk = chunk-size [ chunk-ext ] CRLF chunk-data CRLF; nil until the line has ended.
    private mutating func chunkSize(
        _ buffer: inout ReceiveBuffer, _ limits: Limits, _ bodyLimit: Int
    ) throws(RemoteError) -> Int? {
        let line = try buffer.withUnread { (bytes) throws(RemoteError) -> (length: Int, size: Int)? in
            guard let lineFeed = bytes.firstLineFeed(from: scanned) else {
                scanned = bytes.count
                guard bytes.count + 1 <= limits.chunkLine else { throw .chunkLineTooLong(limits.chunkLine) }
                return nil
            }
            guard lineFeed + 1 <= limits.chunkLine else { throw .chunkLineTooLong(limits.chunkLine) }
            guard lineFeed > 0, bytes[lineFeed - 1] == .carriageReturn else {
                throw .bareLineFeed(Excerpt(bytes, ByteRange(0, lineFeed + 1)))
            }
            return (lineFeed + 1, try ChunkSize.parse(bytes, ByteRange(0, lineFeed - 1)))
        }
        guard let line else { return nil }
        scanned = 0
        buffer.consume(line.length)
        guard line.size <= bodyLimit - total else { throw .bodyTooLarge(bodyLimit) }
        total += line.size
        return line.size
    }

    /// The CRLF after chunk-data; false until it has arrived.
    private func chunkEnd(_ buffer: inout ReceiveBuffer) throws(RemoteError) -> Bool {
        let complete = try buffer.withUnread { (bytes) throws(RemoteError) -> Bool in
            if bytes.count > 0, bytes[0] != .carriageReturn { throw .chunkWithoutLineEnd(bytes[0]) }
            if bytes.count > 1, bytes[1] != .lineFeed { throw .chunkWithoutLineEnd(bytes[1]) }
            return bytes.count > 1
        }
        if complete { buffer.consume(2) }
        return complete
    }

    /// trailer-section = *( field-line CRLF ) up to an empty line; validates, counts and drops the lines (RFC 9112
    /// §7.1.2).
    ///
    /// Returns true for a consumed line, false for an incomplete one.
    private mutating func trailer(_ buffer: inout ReceiveBuffer, _ limits: Limits) throws(RemoteError) -> Bool {
        let line = try buffer.withUnread { (bytes) throws(RemoteError) -> (length: Int, isLast: Bool)? in
            guard let lineFeed = bytes.firstLineFeed(from: scanned) else {
                scanned = bytes.count
                try section.checkPending(bytes, from: 0, limits)
                return nil
            }
            let line = try section.line(bytes, from: 0, lineFeed: lineFeed, limits)
            if !line.isEmpty { _ = try FieldLine.parse(bytes, line) }
            return (lineFeed + 1, line.isEmpty)
        }
        guard let line else { return false }
        scanned = 0
        buffer.consume(line.length)
        if line.isLast { position = .length(0) }
        return true
    }
}

/// chunk-size = 1*HEXDIG, with chunk-ext = *( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] ) after it
/// (RFC 9112 §7.1, §7.1.1).
enum ChunkSize {
    /// The size on a line without its CRLF; `Int.max` if it does not fit, which exceeds every limit.
    ///
    /// Extensions are ignored: "A recipient MUST ignore unrecognized chunk extensions".
    static func parse(_ bytes: Bytes, _ line: ByteRange) throws(RemoteError) -> Int {
        var index = line.lower
        var size: UInt64 = 0
        while index < line.upper, let digit = bytes[index].hexValue {
            // "Recipients MUST anticipate potentially large hexadecimal numerals and prevent parsing errors".
            guard index - line.lower < 16 else { throw .chunkSizeTooLong(Excerpt(bytes, line)) }
            size = size << 4 | UInt64(digit)
            index += 1
        }
        guard index > line.lower else { throw .badChunkSize(Excerpt(bytes, line)) }
        guard index < line.upper else { return Int(exactly: size) ?? .max }
        while index < line.upper, bytes[index].isWhitespace { index += 1 }
        guard index < line.upper, bytes[index] == .semicolon else { throw .badChunkSize(Excerpt(bytes, line)) }
        for position in index..<line.upper where !bytes[position].isFieldValueCharacter {
            throw .badChunkExtension(bytes[position], Excerpt(bytes, line))
        }
        return Int(exactly: size) ?? .max
    }
}
