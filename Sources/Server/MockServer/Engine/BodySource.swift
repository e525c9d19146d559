import FitIQAPI
import JSON

/// A body that is made while it is sent, a slice at a time, so that no answer holds the loop or much memory.
///
/// The engine asks for the next slice while the reader has room for it, at most once in a turn of the loop.
protocol BodySource: AnyObject {
    /// The length of the body if it is known in advance; otherwise the body is chunked.
    var length: Int? { get }
    /// The bytes that the source keeps and nothing else counts.
    var heldByteCount: Int { get }
    /// Whether ``heldByteCount`` grows between calls, as the journal drops what the source keeps.
    var keepsJournal: Bool { get }

    /// Appends the next part until the slice is full; a slice may also be all work, and have no bytes.
    ///
    /// - Returns: Whether the body ends here.
    /// - Throws: A refusal. Before the first byte it is the answer; later it breaks off the connection.
    func fill(_ slice: inout BodySlice) throws(APIError) -> BodyProgress
}

extension BodySource {
    var length: Int? { nil }
    var heldByteCount: Int { 0 }
    var keepsJournal: Bool { false }
}

enum BodyProgress {
    /// More follows at once.
    case more
    /// More follows after ``Engine/wakeStreams(of:)``: the source waits for others to finish with its input.
    case waiting
    case end
}

/// A part of a body, and what making it may cost.
struct BodySlice {
    var bytes: [UInt8] = []
    /// The system's time.
    let now: Timestamp
    /// The remaining cost: a byte costs one, as does other work of about a hundredth of a microsecond.
    private var room: Int

    init(size: Int, at now: Timestamp, reusing bytes: [UInt8] = []) {
        room = size
        self.now = now
        self.bytes = bytes
    }

    var isFull: Bool { bytes.count >= room }
    var bytesLeft: Int { max(0, room - bytes.count) }

    /// Counts work that left no bytes.
    mutating func spend(_ cost: Int) { room -= cost }
}

/// Bytes that exist already; they are released piece by piece.
final class BytesSource: BodySource {
    let length: Int?
    private(set) var heldByteCount: Int
    private var pieces: [[UInt8]]
    private var piece = 0
    private var offset = 0

    init(_ pieces: [[UInt8]]) {
        self.pieces = pieces
        heldByteCount = pieces.reduce(0) { $0 + $1.count }
        length = heldByteCount
    }

    func fill(_ slice: inout BodySlice) -> BodyProgress {
        while piece < pieces.count {
            guard !slice.isFull else { return .more }
            let end = min(pieces[piece].count, offset + slice.bytesLeft)
            slice.bytes += pieces[piece][offset..<end]
            offset = end
            guard end == pieces[piece].count else { continue }
            heldByteCount -= end
            pieces[piece] = []
            piece += 1
            offset = 0
        }
        return .end
    }

    /// Takes the unsent pieces, which may take long to free.
    func takeRest() -> [[UInt8]] {
        defer { (pieces, heldByteCount) = ([], 0) }
        return pieces
    }
}

/// A body that is made a part at a time, such as an element of a list.
final class PartSource: BodySource {
    var heldByteCount: Int { kept?.byteCount ?? 0 }
    var keepsJournal: Bool { kept != nil }
    private let kept: KeptJournal?
    private let writePart: (inout BodySlice) throws(APIError) -> BodyProgress

    /// - Parameter kept: The entries of a journal that the parts are made of.
    init(
        keeping kept: KeptJournal? = nil, _ writePart: @escaping (inout BodySlice) throws(APIError) -> BodyProgress
    ) {
        self.kept = kept
        self.writePart = writePart
    }

    /// JSON.
    ///
    /// - Parameter writePart: Writes a part and returns its cost in addition to its bytes; nil after the last one.
    convenience init(
        keeping kept: KeptJournal? = nil, json writePart: @escaping (inout JSONWriter) throws(APIError) -> Int?
    ) {
        var writer = JSONWriter()
        self.init(keeping: kept) { slice throws(APIError) in
            let cost = try writePart(&writer)
            writer.drain(into: &slice.bytes)
            guard let cost else { return .end }
            slice.spend(cost)
            return .more
        }
    }

    /// A JSON object whose last member is a list.
    ///
    /// - Parameters:
    ///   - members: Writes the members before the list.
    ///   - write: Writes an element and returns its extra cost.
    convenience init<Elements: Sequence>(
        _ name: StaticString, of elements: Elements, after members: @escaping (inout JSONWriter) -> Void = { _ in },
        _ write: @escaping (Elements.Element, inout JSONWriter) -> Int
    ) {
        var iterator: Elements.Iterator?
        self.init(json: { writer in
            if iterator == nil {
                writer.beginObject()
                members(&writer)
                writer.key(name)
                writer.beginArray()
                iterator = elements.makeIterator()
            }
            if let next = iterator?.next() { return write(next, &writer) }
            writer.endArray()
            writer.endObject()
            return nil
        })
    }

    func fill(_ slice: inout BodySlice) throws(APIError) -> BodyProgress {
        while !slice.isFull {
            let progress = try writePart(&slice)
            guard progress == .more else { return progress }
        }
        return .more
    }
}
