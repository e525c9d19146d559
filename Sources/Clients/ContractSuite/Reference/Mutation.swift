import FitIQAPI
import FitIQClient

/// What makes a reference client err: it stands between the client's decisions and its network, and may change both.
///
/// To drop an action leave it out, to delay it keep it and give ``nextDeadline``, to repeat it return it twice; actions of its own
/// have numbers of a million and up. What it does not implement stays as it is.
public protocol Mutation {
    /// The actions to do in place of these; called with none when ``nextDeadline`` has come.
    mutating func actions(_ actions: [ClientAction], at now: Timestamp) -> [ClientAction]

    /// What the client is told in place of this; called with nothing when ``nextDeadline`` has come.
    mutating func inputs(_ inputs: [ClientInput], at now: Timestamp) -> [ClientInput]

    /// What the user sees in place of this.
    func report(_ report: ClientReport) -> ClientReport

    /// When it wants to be called though nothing happens; later than the time of the last call, or nil.
    var nextDeadline: Timestamp? { get }
}

extension Mutation {
    /// The same.
    public mutating func actions(_ actions: [ClientAction], at now: Timestamp) -> [ClientAction] { actions }
    /// The same.
    public mutating func inputs(_ inputs: [ClientInput], at now: Timestamp) -> [ClientInput] { inputs }
    /// The same.
    public func report(_ report: ClientReport) -> ClientReport { report }
    /// Never.
    public var nextDeadline: Timestamp? { nil }
}
