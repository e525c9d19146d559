import FitIQAPI
import Scenarios

/// Something that a client is made to live through, and what is asked of it: a piece of data.
///
/// Its verdict has two ends: what the client reported is compared with what the steps expect, and what the server saw is
/// judged by the obligations.
public struct ContractCase: Sendable {
    /// What it is called, topic first: `consultation/create/409-continues-existing`.
    public let address: String
    /// What happens, in one line.
    public let title: String
    /// What it quotes.
    public let clause: Clause
    /// The world in which it plays.
    public let setting: Setting
    /// Whose answers are given; nil leaves it to the setting.
    public let guide: GuideMode?
    /// The obligations that the client is meant to face, by their ids.
    public let faces: [String]
    /// What happens, in order.
    public let steps: [Step]

    /// Describes a case.
    public init(
        _ address: String, _ title: String, clause: Clause, setting: Setting = .builtIn(Scenario.defaultName),
        guide: GuideMode? = nil, faces: [String] = [], steps: [Step]
    ) {
        self.address = address
        self.title = title
        self.clause = clause
        self.setting = setting
        self.guide = guide
        self.faces = faces
        self.steps = steps
    }

    /// The first part of the address: what the case is about.
    public var topic: String { String(address.prefix { $0 != "/" }) }

    /// What it looks at from within the client, by what its steps expect.
    public var checks: Set<InsideCheck> {
        steps.reduce(into: []) { checks, step in
            switch step {
            case .until(let expectation, _), .expect(let expectation), .watch(let expectation):
                checks.formUnion(expectation.checks)
            case .perform, .chatAboutGoal, .pass: break
            }
        }
    }

    /// Whether the address is the prefix, or lies below it: `consultation/create` selects `consultation/create/…` only.
    public func isSelected(by prefix: String) -> Bool {
        address == prefix || prefix.isEmpty || address.hasPrefix(prefix.hasSuffix("/") ? prefix : prefix + "/")
    }

    /// How long the steps take at least, by the contract's time.
    public var leastDuration: Duration {
        steps.reduce(.zero) { sum, step in if case .pass(let duration) = step { sum + duration } else { sum } }
    }

    /// How long the steps take at most, by the contract's time.
    public var greatestDuration: Duration {
        steps.reduce(leastDuration) { sum, step in
            if case .until(_, let limit) = step { sum + limit } else { sum }
        }
    }
}

extension ContractCase: CustomStringConvertible {
    /// The address, as tests and reports show it.
    public var description: String { address }
}

/// What a case quotes.
public struct Clause: Sendable, Hashable, CustomStringConvertible {
    /// The guide's short name, or `ours`.
    public let guide: String
    /// Where it stands there: a heading; empty where the guide's name says enough.
    public let place: String
    /// What it says, as one sentence.
    public let sentence: String

    /// Quotes a guide.
    public init(_ guide: GuideMode, _ place: String = "", _ sentence: String) {
        self.init(guide: guide.rawValue, place: place, sentence: sentence)
    }

    /// Quotes what no guide says.
    public static func ours(_ sentence: String) -> Clause { Clause(guide: "ours", place: "", sentence: sentence) }

    private init(guide: String, place: String, sentence: String) {
        self.guide = guide
        self.place = place
        self.sentence = sentence
    }

    /// Guide, place and sentence in one line.
    public var description: String { "\(guide)\(place.isEmpty ? "" : ", " + place): \(sentence)" }
}

/// The world in which a case plays.
public enum Setting: Sendable, Hashable {
    /// A scenario that the binary holds.
    case builtIn(String)
    /// A scenario file in YAML.
    case written(String)

    /// The scenario.
    ///
    /// - Throws: where a scenario that was written has mistakes, all of them.
    public func scenario() throws(ScenarioErrors) -> Scenario {
        switch self {
        case .builtIn(let name):
            guard let scenario = Scenario.builtIn(named: name) else {
                preconditionFailure("There is no built-in scenario \(name).")
            }
            return scenario
        case .written(let text): return try Scenario.read(text)
        }
    }
}

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
