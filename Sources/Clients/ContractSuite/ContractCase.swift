import FitIQAPI
import Scenarios

/// A situation for a client and its expected behaviour, as data.
///
/// The verdict has two parts: the steps check the client's reports, and the obligations judge the traffic.
public struct ContractCase: Sendable, CustomStringConvertible {
    /// The unique name, topic first, such as `consultation/create/409-continues-existing`.
    public let address: String
    public let title: String
    public let clause: Clause
    public let setting: Setting
    /// The guide that the backend follows, or nil for the setting's guide.
    public let guide: GuideMode?
    /// The IDs of the obligations that the case exercises.
    public let faces: [String]
    public let steps: [Step]

    public init(
        _ address: String, _ title: String, _ clause: Clause, setting: Setting = .builtIn(Scenario.defaultName),
        guide: GuideMode? = nil, faces: [String] = [], steps: [Step]
    ) {
        (self.address, self.title, self.clause, self.setting) = (address, title, clause, setting)
        (self.guide, self.faces, self.steps) = (guide, faces, steps)
    }

    package init(
        _ address: String, _ title: String, _ clause: Clause, setting: Setting = .builtIn(Scenario.defaultName),
        guide: GuideMode? = nil, faces: [String] = [], steps: Step...
    ) { self.init(address, title, clause, setting: setting, guide: guide, faces: faces, steps: steps) }

    /// The address, for tests and reports.
    public var description: String { address }
    public var topic: String { String(address.prefix { $0 != "/" }) }

    public var checks: Set<InsideCheck> { steps.reduce(into: []) { $0.formUnion($1.expectation?.checks ?? []) } }

    /// Whether the address equals the prefix or is below it: `consultation/create` selects only
    /// `consultation/create/…`.
    public func isSelected(by prefix: String) -> Bool {
        address == prefix || prefix.isEmpty || address.hasPrefix(prefix.hasSuffix("/") ? prefix : prefix + "/")
    }

    /// The minimum duration of the steps, in contract time.
    public var leastDuration: Duration {
        steps.reduce(.zero) { sum, step in
            switch step {
            case .pass(let duration), .quiet(let duration): sum + duration
            default: sum
            }
        }
    }
}

/// A sentence in a guide, or a rule of this project, that a case tests.
public struct Clause: Sendable, Hashable, CustomStringConvertible {
    /// The guide's short name, or `ours`.
    public let guide: String
    /// The heading in the guide, or empty if the guide's name is enough.
    public let place: String
    public let sentence: String

    /// Cites a rule of this project.
    public static func ours(_ sentence: String) -> Clause { Clause(guide: "ours", place: "", sentence: sentence) }
    public var description: String { "\(guide)\(place.isEmpty ? "" : ", " + place): \(sentence)" }
}

extension Clause {
    public init(_ guide: GuideMode, _ place: String = "", _ sentence: String) {
        self.init(guide: guide.rawValue, place: place, sentence: sentence)
    }
}

public enum Setting: Sendable, Hashable {
    case builtIn(String)
    /// A scenario file in YAML.
    case written(String)

    /// The scenario.
    ///
    /// - Throws: All mistakes in a written scenario.
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

/// A step of a case.
///
/// An instruction only starts an action; ``until(_:within:)`` lets time pass until its result appears.
public enum Step: Sendable, Hashable {
    case perform(ClientInstruction)
    /// The user opens the chat about the goal with this title in the report.
    case chatAboutGoal(titled: String)
    /// The user deletes the consultation with this ID on another device.
    case deleteConsultation(String)
    case pass(Duration)
    /// Time passes while the user does nothing; an explorer watches for traffic.
    case quiet(Duration)
    /// Time passes until the expectation is met, or the step fails at the limit.
    ///
    /// After a failure, the following steps are skipped, because they depend on this one.
    case until(ClientExpectation, within: Duration)
    case expect(ClientExpectation)
    /// The expectation must hold in all later checks.
    case watch(ClientExpectation)

    /// The expectation, if any.
    var expectation: ClientExpectation? {
        switch self {
        case .until(let expectation, _), .expect(let expectation), .watch(let expectation): expectation
        case .perform, .chatAboutGoal, .deleteConsultation, .pass, .quiet: nil
        }
    }
}

extension ClientInstruction {
    /// The name in adapters and messages, such as `start_consultation`.
    public var name: String {
        switch self {
        case .signIn: "sign_in"
        case .startConsultation: "start_consultation"
        case .openConsultation: "open_consultation"
        case .send: "send"
        case .archive: "archive"
        case .disconnect: "disconnect"
        case .createGoal: "create_goal"
        case .chatAboutGoal: "chat_about_goal"
        case .logMeal: "log_meal"
        case .loadGoals: "load_goals"
        case .loadQuickActions: "load_quick_actions"
        case .listenToMeals: "listen_to_meals"
        }
    }
}

/// The error that ``ClientUnderTest/perform(_:)`` must throw if the client does not support a feature.
///
/// The case is then skipped instead of failing.
public struct UnsupportedInstruction: Error, Sendable, Hashable {
    public let instruction: String

    public init(_ instruction: ClientInstruction) { self.instruction = instruction.name }
}
