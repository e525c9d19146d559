import Obligations

/// What is found of a world's client: which obligations it kept and broke, and what it was made to face.
public struct Judgement: Sendable {
    /// The obligations of the world's guide, in the order of the contract.
    public let verdicts: [Verdict]
    /// What went wrong without being the client's doing.
    public let exposures: [Exposure]
    /// Whether a client asked for anything at all.
    public let hasConnected: Bool
    /// Entries that the journal had lost before anybody asked for a judgement.
    public let missedCount: Int
    /// Requests that belong to no operation.
    public let unmatchedCount: Int
}
