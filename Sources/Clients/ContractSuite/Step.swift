import FitIQAPI

/// Something that happens in a case.
///
/// An instruction only begins something; ``until(_:within:)`` has the time go on until its result shows.
public enum Step: Sendable, Hashable {
    /// The client's user does something.
    case perform(ClientInstruction)
    /// The client's user opens the chat about the goal that the report shows under this title.
    case chatAboutGoal(titled: String)
    /// So much of the contract's time passes.
    case pass(Duration)
    /// Time passes until the client shows what is expected; a failure where it does not within the time.
    ///
    /// After a failure the steps behind it have no ground to stand on and are left out.
    case until(ClientExpectation, within: Duration)
    /// The client shows it now.
    case expect(ClientExpectation)
    /// The client shows it whenever it is looked at, from now on until the case ends.
    case watch(ClientExpectation)

    /// Whether and how clients can do it; nil for what the harness does.
    var instruction: String? {
        switch self {
        case .perform(let instruction): instruction.name
        case .chatAboutGoal: "chat_about_goal"
        case .pass, .until, .expect, .watch: nil
        }
    }
}

extension ClientInstruction {
    /// What adapters and messages call it: `start_consultation`.
    public var name: String {
        switch self {
        case .startConsultation: "start_consultation"
        case .openConsultation: "open_consultation"
        case .send: "send"
        case .archive: "archive"
        case .disconnect: "disconnect"
        case .createGoal: "create_goal"
        case .chatAboutGoal: "chat_about_goal"
        case .logMeal: "log_meal"
        case .loadGoals: "load_goals"
        }
    }
}

/// A client has no such thing: thrown by ``ClientUnderTest/perform(_:)``, it has the case skipped rather than failed.
public struct UnsupportedInstruction: Error, Sendable, Hashable {
    /// What the client cannot do.
    public let instruction: String

    /// Says that a client cannot do it.
    public init(_ instruction: ClientInstruction) {
        self.instruction = instruction.name
    }
}
