import FitIQAPI
import HTTP1
import JSON
import Recording

/// An entry of the journal, read the way judges ask.
struct Fact: Sendable {
    /// The entry itself: evidence.
    ///
    /// Judges keep thousands, so of long bodies it has the beginning only.
    let entry: JournalEntry
    let kind: Kind

    /// What it tells.
    enum Kind: Sendable {
        /// A request that was answered or given up; a handshake too, where it was refused.
        case request(RequestFact)
        /// A WebSocket was opened.
        case opened(OpeningFact)
        /// A message or control frame.
        case frame(FrameFact)
        /// A WebSocket ended.
        case closed(RecordedClosing)
        /// A fault set in on a WebSocket that lasts.
        case fault(RecordedFault)
        /// What no client did.
        case other
    }

    init(_ entry: JournalEntry) {
        self.entry = entry.excerpt(bodies: Self.evidenceBytes)
        kind =
            switch entry.event {
            case .exchange(let exchange): .request(RequestFact(exchange, entry))
            case .opened(let opening): .opened(OpeningFact(opening, entry))
            case .frame(let frame): .frame(FrameFact(frame))
            case .closed(let closing): .closed(closing)
            case .fault(let fault): .fault(fault)
            case .clock, .note: .other
            }
    }

    /// How much of a body is kept as evidence: 4 KiB.
    static let evidenceBytes = 4096

    /// When it happened: when an answer or frame was let go, a request's answer included.
    var time: Timestamp { entry.time }
    var connection: UInt64 { entry.connection }
}
