/// Bytes on their way to the wire, and what is to happen between them.
public struct Transmission: Sendable, Equatable {
    /// What is sent.
    public var bytes: [UInt8]
    /// What happens, in the order of the offsets; several may stand at one.
    public var marks: [Mark]

    /// Makes a transmission.
    public init(_ bytes: [UInt8] = [], marks: [Mark] = []) {
        self.bytes = bytes
        self.marks = marks
    }

    /// Something that happens before the byte at an offset, and after the one before it.
    public struct Mark: Sendable, Equatable {
        /// From 0 to the count of bytes.
        public var offset: Int
        /// What happens.
        public var action: WireAction

        /// Makes a mark.
        public init(_ offset: Int, _ action: WireAction) {
            self.offset = offset
            self.action = action
        }
    }
}

/// Something that happens between two bytes.
public enum WireAction: Sendable, Equatable {
    /// What follows is held back so many nanoseconds.
    case wait(Int64)
    /// The connection ends in order (FIN); what follows is not sent.
    case finish
    /// The connection is reset (RST); what follows is not sent.
    case reset
    /// What follows is never sent, and the connection stays open.
    case silence
}

/// What happens between the bytes of one transmission: collects it, and makes the marks.
struct WireFaults {
    /// How many bytes there are.
    let count: Int
    /// How many pieces may still be made.
    private var piecesLeft = FaultLimits.pieces
    private var waits: [Transmission.Mark] = []
    private var ending: Transmission.Mark?

    init(count: Int) {
        self.count = count
    }

    /// Holds back what begins at an offset.
    mutating func wait(_ nanoseconds: Int64, at offset: Int) {
        waits.append(Transmission.Mark(offset, .wait(FaultLimits.wait(nanoseconds))))
    }

    /// Cuts what lies in a range into pieces of so many bytes, with a wait between two.
    mutating func dribble(bytes: Int, every nanoseconds: Int64, in range: Range<Int>) {
        let size = max(bytes, 1)
        var offset = range.lowerBound
        // Compared so that no size overflows.
        while piecesLeft > 1, range.upperBound - offset > size {
            offset += size
            wait(nanoseconds, at: offset)
            piecesLeft -= 1
        }
    }

    /// Ends the transmission at an offset, or at its end if it is shorter; the earliest end counts, the first at a place.
    mutating func end(_ action: WireAction, at offset: Int) {
        let offset = min(max(offset, 0), count)
        if let ending, ending.offset <= offset { return }
        ending = Transmission.Mark(offset, action)
    }

    /// The bytes up to where they end, and the marks in order: waits come before the end that stands at the same place.
    func transmission(of bytes: [UInt8]) -> Transmission {
        let end = ending?.offset ?? count
        // Sorting is stable: what was added first at a place stays first.
        var marks = waits.filter { $0.offset <= end }.sorted { $0.offset < $1.offset }
        if let ending { marks.append(ending) }
        return Transmission(end == bytes.count ? bytes : Array(bytes[..<end]), marks: marks)
    }
}

extension WireFaults {
    /// Takes what a fault does to the wire; others do nothing here.
    mutating func add(_ fault: ResponseFault, headCount: Int) {
        switch fault {
        case .delay(let time): wait(time, at: 0)
        case .dribble(let bytes, let time): dribble(bytes: bytes, every: time, in: 0..<count)
        case .truncate(let after):
            // Without a body nothing can be missing.
            if count > headCount { end(.finish, at: headCount + min(max(after, 0), count)) }
        case .emptyReply: end(.finish, at: 0)
        case .reset(let after): end(.reset, at: after)
        case .hang: end(.silence, at: 0)
        case .replace, .quota, .contentLength, .malformedJSON, .malformedChunking, .contentType, .nanosecondTimestamps:
            break
        }
    }

    /// Takes what a fault does to the wire of a handshake; others do nothing here.
    mutating func add(_ fault: HandshakeFault) {
        switch fault {
        case .delay(let time): wait(time, at: 0)
        case .emptyReply: end(.finish, at: 0)
        case .reset: end(.reset, at: 0)
        case .hang: end(.silence, at: 0)
        case .refuse, .wrongAccept: break
        }
    }
}

extension Transmission {
    /// Appends what follows on the same wire.
    ///
    /// - Precondition: nothing has ended the connection before.
    public mutating func append(_ next: Transmission) {
        precondition(!endsConnection, Misuse.afterEnd)
        let start = bytes.count
        if start == 0, marks.isEmpty {
            self = next
            return
        }
        bytes += next.bytes
        for mark in next.marks { marks.append(Mark(start + mark.offset, mark.action)) }
    }

    /// Whether nothing can follow on this wire: the connection ends here, or falls silent.
    public var endsConnection: Bool {
        guard let last = marks.last else { return false }
        if case .wait = last.action { return false }
        return true
    }
}
