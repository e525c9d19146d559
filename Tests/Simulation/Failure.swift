import FitIQAPI

/// What a run found wrong, and how to see it again.
public struct Failure: Error, Sendable, CustomStringConvertible {
    /// Decides the whole run.
    public let seed: UInt64
    /// The world in which it was seen; `default`, an id, or `all` if it is about the server.
    public let world: String
    /// How many steps the run had made.
    public let step: Int
    /// What does not hold.
    public let message: String
    /// What was done last, the newest at the end.
    public let operations: [String]
    /// What the command that replays it has beside the seed; empty or, for example, `--faults`.
    public let flag: String

    package init(
        seed: UInt64, world: String, step: Int, message: String, operations: [String], flag: String = ""
    ) {
        self.seed = seed
        self.world = world
        self.step = step
        self.message = message
        self.operations = operations
        self.flag = flag
    }

    /// All of it, with the command that replays it.
    public var description: String {
        """
        seed \(seed), world \(world), step \(step): \(message)
        last operations:
        \(operations.map { "  " + $0 }.joined(separator: "\n"))
        replay: scripts/simulate --seed \(seed)\(flag.isEmpty ? "" : " " + flag)
        """
    }
}

/// How much a run did.
public struct Report: Sendable, Equatable {
    /// Clients that came and went.
    public var sessions = 0
    /// Things done, by clients or by the clock.
    public var steps = 0
    /// Complete responses that clients read.
    public var responses = 0
    /// Text frames that clients read.
    public var frames = 0
    /// Answers whose chunks were compared with what is stored.
    public var answers = 0
    /// The operations that succeeded.
    public var succeeded: Set<Endpoint> = []
    /// What an operator has done by hand: the last part of the admin API's path.
    public var byHand: Set<String> = []
    /// Over all bytes that clients read: the same seed gives the same digest.
    public var digest: UInt64 = 0xCBF2_9CE4_8422_2325

    /// Nothing yet.
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
