/// Why a session cannot be replayed.
public enum ReplayError: Error, Equatable, Sendable, CustomStringConvertible {
    /// There is no request in it.
    case empty
    /// All its requests, so many, are such as the server answers itself.
    case nothingToPlay(Int)
    /// More entries than ``ReplayLimits/entries``.
    case tooManyEntries(Int)
    /// More frames than ``ReplayLimits/frames``.
    case tooManyFrames(Int)
    /// More bytes than ``ReplayLimits/bytes``.
    case tooManyBytes(Int)

    /// What is wrong and what to do about it.
    public var description: String { Sentences.refusal(self) }
}
