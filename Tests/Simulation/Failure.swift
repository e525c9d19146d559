import FitIQAPI

/// A failed run, and how to repeat it.
public struct Failure: Error, Sendable, CustomStringConvertible {
    /// The seed, which determines the whole run.
    public let seed: UInt64
    /// The world in which the run failed: `default`, an id, or `all` if the failure concerns the whole server.
    public let world: String
    public let step: Int
    public let message: String
    /// The last operations, oldest first.
    public let operations: [String]
    /// The replay command's option in addition to the seed: empty or, for example, `--faults`.
    public let flag: String

    package init(seed: UInt64, world: String, step: Int, message: String, operations: [String], flag: String = "") {
        (self.seed, self.world, self.step) = (seed, world, step)
        (self.message, self.operations, self.flag) = (message, operations, flag)
    }

    /// The failure in full, with the command that replays it.
    public var description: String {
        """
        seed \(seed), world \(world), step \(step): \(message)
        last operations:
        \(operations.map { "  " + $0 }.joined(separator: "\n"))
        replay: scripts/simulate --seed \(seed)\(flag.isEmpty ? "" : " " + flag)
        """
    }
}

/// The amount of work that a run did.
public struct Report: Sendable, Equatable {
    /// The number of clients that have connected and left.
    public var sessions = 0
    /// The number of actions by clients or the clock.
    public var steps = 0
    /// The number of complete responses that clients read.
    public var responses = 0
    /// The number of text frames that clients read.
    public var frames = 0
    /// The number of answers whose chunks were compared with the stored text.
    public var answers = 0
    public var succeeded: Set<Endpoint> = []
    /// The operator's actions: the last part of the admin API's path.
    public var byHand: Set<String> = []
    /// A digest of all bytes that clients read; the same seed gives the same digest.
    public var digest: UInt64 = 0xCBF2_9CE4_8422_2325

    public init() {}

    /// Adds another run's figures; the digests are combined in order.
    public static func += (left: inout Report, right: Report) {
        left.sessions += right.sessions
        left.steps += right.steps
        left.responses += right.responses
        left.frames += right.frames
        left.answers += right.answers
        left.succeeded.formUnion(right.succeeded)
        left.byHand.formUnion(right.byHand)
        left.digest = (left.digest ^ right.digest) &* 0x100_0000_01B3
    }
}
