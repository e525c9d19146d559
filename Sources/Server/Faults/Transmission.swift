/// Bytes for the wire, and the actions between them.
public struct Transmission: Sendable, Equatable {
    public var bytes: [UInt8]
    /// The actions, sorted by offset; several may have the same offset.
    public var marks: [Mark]

    public init(_ bytes: [UInt8] = [], marks: [Mark] = []) {
        self.bytes = bytes
        self.marks = marks
    }

    /// An action before the byte at an offset and after the previous byte.
    public struct Mark: Sendable, Equatable {
        /// From 0 to the number of bytes.
        public var offset: Int
        public var action: WireAction

        public init(_ offset: Int, _ action: WireAction) {
            self.offset = offset
            self.action = action
        }
    }
}

/// An action between two bytes.
public enum WireAction: Sendable, Equatable {
    /// Later bytes wait for this many nanoseconds.
    case wait(Int64)
    /// The connection ends normally (FIN); later bytes are not sent.
    case finish
    /// The connection is reset (RST); later bytes are not sent.
    case reset
    /// Later bytes are never sent, and the connection stays open.
    case silence
}

extension SocketFault.Ending {
    var action: WireAction {
        switch self {
        case .finish: .finish
        case .reset: .reset
        case .silence: .silence
        }
    }
}

/// Collects the actions between the bytes of one transmission and creates the marks.
struct WireFaults {
    let count: Int
    /// The number of pieces that are still allowed.
    private var piecesLeft = FaultLimits.pieces
    private var waits: [Transmission.Mark] = []
    private var ending: Transmission.Mark?

    init(count: Int) { self.count = count }

    /// Delays the bytes from an offset on.
    mutating func wait(_ nanoseconds: Int64, at offset: Int) {
        waits.append(Transmission.Mark(offset, .wait(FaultLimits.wait(nanoseconds))))
    }

    /// Splits a range into pieces of this many bytes with waits between them.
    mutating func dribble(bytes: Int, every nanoseconds: Int64, in range: Range<Int>) {
        let size = max(bytes, 1)
        var offset = range.lowerBound
        // Compare differences, so that no size overflows.
        while piecesLeft > 1, range.upperBound - offset > size {
            offset += size
            wait(nanoseconds, at: offset)
            piecesLeft -= 1
        }
    }

    /// Ends the transmission at an offset, or at its end if that is earlier; the earliest end wins, and for equal
    /// offsets the first one wins.
    mutating func end(_ action: WireAction, at offset: Int) {
        let offset = min(max(offset, 0), count)
        if let ending, ending.offset <= offset { return }
        ending = Transmission.Mark(offset, action)
    }

    /// The bytes up to the end, and the marks in order; waits precede an end at the same offset.
    func transmission(of bytes: [UInt8]) -> Transmission {
        let end = ending?.offset ?? count
        // Sorting is stable: marks at the same offset keep the order in which they were added.
        var marks = waits.filter { $0.offset <= end }.sorted { $0.offset < $1.offset }
        if let ending { marks.append(ending) }
        return Transmission(end == bytes.count ? bytes : Array(bytes[..<end]), marks: marks)
    }
}

extension WireFaults {
    /// Adds a fault's effect on the wire; ignores a fault that has no such effect.
    mutating func add(_ fault: ResponseFault, headCount: Int) {
        switch fault {
        case .delay(let time): wait(time, at: 0)
        case .dribble(let bytes, let time): dribble(bytes: bytes, every: time, in: 0..<count)
        case .truncate(let after):
            // A response that has no body cannot be truncated.
            if count > headCount { end(.finish, at: headCount + min(max(after, 0), count)) }
        case .emptyReply: end(.finish, at: 0)
        case .reset(let after): end(.reset, at: after)
        case .hang: end(.silence, at: 0)
        case .replace, .quota, .contentLength, .malformedJSON, .malformedChunking, .contentType, .nanosecondTimestamps,
            .wrongAccept, .compression, .hold:
            break
        }
    }
}

extension Transmission {
    /// Appends later bytes on the same wire.
    ///
    /// - Precondition: Nothing has ended the connection.
    public mutating func append(_ next: Transmission) {
        precondition(!endsConnection, "Bytes must not follow the end of the connection.")
        let start = bytes.count
        if start == 0, marks.isEmpty {
            self = next
            return
        }
        bytes += next.bytes
        for mark in next.marks { marks.append(Mark(start + mark.offset, mark.action)) }
    }

    /// Whether the connection ends or becomes silent, so that nothing can follow.
    public var endsConnection: Bool {
        guard let last = marks.last else { return false }
        if case .wait = last.action { return false }
        return true
    }
}

/// A queue that removes elements in batches, because otherwise an answer that is sent byte by byte would take quadratic
/// time.
public struct Backlog<Element> {
    @usableFromInline var elements: [Element] = []
    /// The number of removed elements.
    @usableFromInline var removed = 0

    @inlinable public init() {}

    @inlinable public var isEmpty: Bool { removed == elements.count }
    @inlinable public var first: Element? { isEmpty ? nil : elements[removed] }
    @inlinable public var last: Element? { isEmpty ? nil : elements[elements.count - 1] }

    @inlinable public mutating func append(_ element: Element) { elements.append(element) }

    @inlinable public mutating func removeFirst() {
        removed += 1
        if isEmpty {
            _ = takeAll()
        } else if removed > 1024, removed > elements.count / 2 {
            elements.removeFirst(removed)
            removed = 0
        }
    }

    @inlinable public mutating func takeAll() -> ArraySlice<Element> {
        defer { (elements, removed) = ([], 0) }
        return elements[removed...]
    }

    @inlinable public mutating func update(_ change: (inout Element) -> Void) {
        for index in elements.indices { change(&elements[index]) }
    }
}

extension Backlog: Sendable where Element: Sendable {}
