import FitIQAPI
import JSON

/// A body that is made while it is sent, a slice at a time: no answer holds the loop or the memory for all of itself.
///
/// The engine asks for the next slice while the reader has room for it, at most once in a turn of the loop.
protocol BodySource: AnyObject {
    /// How long the body is, where that is known before; else it is chunked.
    var length: Int? { get }
    /// The bytes that the source keeps and nothing else counts.
    var heldByteCount: Int { get }
    /// Whether ``heldByteCount`` grows while nothing is asked of the source, as the journal drops what it keeps.
    var keepsJournal: Bool { get }

    /// Appends what comes next, until the slice is full; a slice may also be all work, and have no bytes.
    ///
    /// - Returns: whether the body has an end here.
    /// - Throws: a refusal. Before the first byte it is the answer; later it breaks the connection off.
    func fill(_ slice: inout BodySlice) throws(APIError) -> BodyProgress
}

extension BodySource {
    var length: Int? { nil }
    var heldByteCount: Int { 0 }
    var keepsJournal: Bool { false }
}

/// How far a body is.
enum BodyProgress {
    /// More follows at once.
    case more
    /// More follows after ``Engine/wakeStreams(of:)``: what the source works on is in other hands.
    case waiting
    case end
}

/// A part of a body, and what it may cost to make it.
struct BodySlice {
    /// What was written.
    var bytes: [UInt8] = []
    /// The system's time.
    let now: Timestamp
    /// What is left of the cost: a byte costs one, as other work does that takes about a hundredth of a microsecond.
    private var room: Int

    init(size: Int, at now: Timestamp, reusing bytes: [UInt8] = []) {
        room = size
        self.now = now
        self.bytes = bytes
    }

    /// Whether the source has to stop.
    var isFull: Bool { bytes.count >= room }
    /// How many bytes more there is room for.
    var bytesLeft: Int { max(0, room - bytes.count) }

    /// Counts work that left no bytes.
    mutating func spend(_ cost: Int) { room -= cost }
}

/// Bytes that are there already; they are let go of piece by piece.
final class BytesSource: BodySource {
    let length: Int?
    private(set) var heldByteCount: Int
    private var pieces: [[UInt8]]
    private var piece = 0
    private var offset = 0

    /// A body of these pieces, one after another.
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

    /// Takes the pieces that were not sent, which may take long to free.
    func takeRest() -> [[UInt8]] {
        defer { (pieces, heldByteCount) = ([], 0) }
        return pieces
    }
}

/// JSON that is written a part at a time: an element of a list, say.
final class JSONSource: BodySource {
    /// What a part was.
    enum Part {
        /// More follows; the part took as long as writing so many bytes more than it wrote.
        case more(cost: Int)
        case end
    }

    var heldByteCount: Int { kept?.byteCount ?? 0 }
    var keepsJournal: Bool { kept != nil }
    private var writer = JSONWriter()
    private let kept: KeptJournal?
    private let writePart: (inout JSONWriter) throws(APIError) -> Part

    /// - Parameter kept: the entries of a journal that the parts are made of.
    init(keeping kept: KeptJournal? = nil, _ writePart: @escaping (inout JSONWriter) throws(APIError) -> Part) {
        self.kept = kept
        self.writePart = writePart
    }

    func fill(_ slice: inout BodySlice) throws(APIError) -> BodyProgress {
        while !slice.isFull {
            let part = try writePart(&writer)
            writer.drain(into: &slice.bytes)
            guard case .more(let cost) = part else { return .end }
            slice.spend(cost)
        }
        return .more
    }
}

extension JSONSource {
    /// An object in which a list is one of the members.
    ///
    /// - Parameters:
    ///   - begin: opens the object and the list.
    ///   - element: writes an element and says what it cost besides.
    ///   - end: closes the list and the object.
    convenience init<Elements: Sequence>(
        of elements: Elements, begin: @escaping (inout JSONWriter) -> Void,
        element: @escaping (Elements.Element, inout JSONWriter) -> Int, end: @escaping (inout JSONWriter) -> Void
    ) {
        var iterator: Elements.Iterator?
        self.init { writer in
            if iterator == nil {
                begin(&writer)
                iterator = elements.makeIterator()
            }
            if let next = iterator?.next() { return .more(cost: element(next, &writer)) }
            end(&writer)
            return .end
        }
    }
}
