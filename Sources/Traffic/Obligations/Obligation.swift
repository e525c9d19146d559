import FitIQAPI

/// Something that a client of the API owes its backend, as a row of the contract.
public struct Obligation: Sendable, Hashable {
    /// Its name, `ws/keepalive`: what it is about, and what it asks.
    public let id: String
    /// What breaking it does to a run.
    public let level: Level
    /// Who asks it.
    public let origin: Origin
    /// Where the guides say so, `best practice 1`; empty where the guide's name says enough.
    public let place: String
    /// What the client owes, as one sentence.
    public let clause: String
    /// What is let pass, as a sentence; nil where nothing is.
    public let tolerance: String?
    /// How a client that broke it is mended, as one or two sentences.
    public let advice: String

    /// What breaking an obligation does to a run.
    public enum Level: String, Sendable, Hashable, CaseIterable {
        /// The run fails.
        case must
        /// The run warns.
        case should
    }

    /// Who asks an obligation.
    public enum Origin: Sendable, Hashable {
        /// These guides.
        case guides([GuideMode])
        /// Every guide.
        case all
        /// This project: no guide says so.
        case ours
    }

    /// Describes an obligation.
    public init(
        id: String, level: Level, origin: Origin, place: String = "", clause: String, tolerance: String? = nil,
        advice: String
    ) {
        self.id = id
        self.level = level
        self.origin = origin
        self.place = place
        self.clause = clause
        self.tolerance = tolerance
        self.advice = advice
    }

    /// Whether clients of a server that answers as the mode says are judged by it (CONTRACT section 9).
    public func applies(in mode: GuideMode) -> Bool {
        switch origin {
        case .all: true
        case .guides(let guides): mode == .union || guides.contains(mode)
        case .ours: mode == .union
        }
    }
}
