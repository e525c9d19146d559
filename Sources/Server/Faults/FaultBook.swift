import FitIQAPI
import JSON
import Text

/// The rules of one world, with what was counted of each: decides what goes wrong with each request and each connection.
///
/// A value that knows no clock: the time is an argument, and the seed with the order of requests decides everything.
/// Every rule counts what matches it while it is in force, whatever other rules do; so what a rule does depends on no
/// other rule, save that of several replacements the first in the list is sent.
public struct FaultBook: Sendable {
    /// A rule, and what has come of it.
    public struct Entry: Sendable, Equatable {
        /// The rule, switched as it is now.
        public internal(set) var rule: FaultRule
        /// How many requests or handshakes matched it while it was in force.
        public internal(set) var matches = 0
        /// On how many of these it acted; for an open socket's rule, the connections that it was laid on.
        public internal(set) var acted = 0
        /// The rule as it was written.
        var written: FaultRule
        /// Of a quota: since when requests are counted, and how many came.
        var window = QuotaWindow()

        init(_ rule: FaultRule) {
            self.rule = rule
            written = rule
        }
    }

    /// Decides `perMille` and the digits of times.
    public let seed: UInt64
    /// The rules in the order in which they act.
    public internal(set) var rules: [Entry] = []
    /// How many handshakes there were.
    public internal(set) var connections = 0

    /// Where the rules in force stand, by what they are about.
    var responseRules: [Int] = []
    var connectionRules: [Int] = []

    /// Begins with rules of which nothing has been counted.
    ///
    /// - Precondition: there are no more than ``FaultLimits/rules``, and their names are different and not too long.
    public init(rules: [FaultRule] = [], seed: UInt64 = 0) {
        self.seed = seed
        do throws(FaultBookError) {
            try replaceRules(rules)
        } catch {
            preconditionFailure(error.message)
        }
    }

    /// Whether no rule is in force, so that nothing need be asked.
    public var isEmpty: Bool { responseRules.isEmpty && connectionRules.isEmpty }

    /// Puts a rule in force, or out of it; false where none has the name.
    ///
    /// What was counted stays, and goes on from there. Connections that are open keep what was laid on them: switch it with
    /// ``SocketFaults/setEnabled(_:named:)``.
    @discardableResult
    public mutating func setEnabled(_ isEnabled: Bool, named name: ExactString) -> Bool {
        guard let index = index(named: name) else { return false }
        rules[index].rule.isEnabled = isEnabled
        sortOut()
        return true
    }

    /// Adds a rule behind the others.
    public mutating func add(_ rule: FaultRule) throws(FaultBookError) {
        try Self.check(rule, among: rules.count)
        guard index(named: rule.name) == nil else { throw .duplicateName(rule.name.text) }
        rules.append(Entry(rule))
        sortOut()
    }

    /// Takes a rule out; false where none has the name.
    @discardableResult
    public mutating func remove(named name: ExactString) -> Bool {
        guard let index = index(named: name) else { return false }
        rules.remove(at: index)
        sortOut()
        return true
    }

    /// Takes other rules, as when a scenario's file has changed; refused as a whole.
    ///
    /// A rule that is written as before stays as it is, with its counts and its switch; all others begin anew. Rules that
    /// are not among the new ones are gone.
    public mutating func replaceRules(_ new: [FaultRule]) throws(FaultBookError) {
        var names: Set<ExactString> = []
        for (index, rule) in new.enumerated() {
            try Self.check(rule, among: index)
            guard names.insert(rule.name).inserted else { throw .duplicateName(rule.name.text) }
        }
        let old = Dictionary(uniqueKeysWithValues: rules.map { ($0.rule.name, $0) })
        rules = new.map { rule in
            if let entry = old[rule.name], entry.written.isExactly(rule) { return entry }
            return Entry(rule)
        }
        sortOut()
    }

    /// Begins anew: nothing counted, no connection yet, each rule switched as it was written.
    public mutating func reset() {
        rules = rules.map { Entry($0.written) }
        connections = 0
        sortOut()
    }

    private func index(named name: ExactString) -> Int? { rules.firstIndex { $0.rule.name == name } }

    private static func check(_ rule: FaultRule, among count: Int) throws(FaultBookError) {
        guard count < FaultLimits.rules else { throw .tooManyRules(limit: FaultLimits.rules) }
        guard !rule.name.isEmpty else { throw .emptyName }
        guard rule.name.utf8.count <= FaultLimits.ruleName else { throw .longName(rule.name.text) }
    }

    private mutating func sortOut() {
        (responseRules, connectionRules) = ([], [])
        for (index, entry) in rules.enumerated() where entry.rule.isEnabled {
            if case .response = entry.rule.fault { responseRules.append(index) } else { connectionRules.append(index) }
        }
    }

    /// Counts a match of a rule, and tells whether it is one of those that are meant.
    mutating func match(_ index: Int) -> Bool {
        rules[index].matches += 1
        let (rule, number) = (rules[index].rule, rules[index].matches)
        return rule.selection.contains(number, chance(of: rule, UInt64(number)))
    }

    /// What decides about the n-th match of a rule.
    func chance(of rule: FaultRule, _ number: UInt64) -> Chance {
        Chance(seed: seed).mixing(rule.name.utf8).mixing(number)
    }
}

/// Why rules are not taken.
public enum FaultBookError: Error, Equatable, Sendable {
    /// A rule has this name already.
    case duplicateName(String)
    /// There are as many rules as there may be.
    case tooManyRules(limit: Int)
    /// The name is longer than ``FaultLimits/ruleName``.
    case longName(String)
    /// The name is empty.
    case emptyName

    /// What is wrong and what to do, for whoever wrote the rule.
    public var message: String {
        switch self {
        case .duplicateName(let name): Messages.duplicateName(name)
        case .tooManyRules(let limit): Messages.tooManyRules(limit: limit)
        case .longName(let name): Messages.longName(name, limit: FaultLimits.ruleName)
        case .emptyName: Messages.emptyName
        }
    }
}

/// Every text of this module that goes to a client or to whoever handles the rules.
enum Messages {
    /// The message of an answer in place of the right one.
    static func replaced(status: Int, rule: String) -> String {
        "A scenario has this request answered with \(status) (fault '\(excerpt(rule))')."
    }

    /// The message of an answer beyond a quota.
    static func quotaExceeded(requests: Int, window: Int64, secondsLeft: Int, rule: String) -> String {
        "A scenario allows \(requests) request\(requests == 1 ? "" : "s") in \(Durations.exact(window)) here "
            + "(fault '\(excerpt(rule))'); try again in \(secondsLeft) s."
    }

    /// The message of a refused handshake.
    static func refused(status: Int, rule: String) -> String {
        "A scenario has this WebSocket handshake answered with \(status) (fault '\(excerpt(rule))')."
    }

    static func duplicateName(_ name: String) -> String {
        "There is a fault named '\(excerpt(name))' already; choose another name, or remove that one first."
    }

    static func tooManyRules(limit: Int) -> String {
        "A world has at most \(limit) faults; remove some first."
    }

    static func longName(_ name: String, limit: Int) -> String {
        "The fault's name '\(excerpt(name))' has \(name.utf8.count) bytes; at most \(limit) are allowed."
    }

    static let emptyName = "The fault has no name; give it one of 1 to \(FaultLimits.ruleName) bytes."

    /// The beginning of a name, so that no message grows with what somebody wrote.
    static func excerpt(_ name: String) -> String {
        name.utf8.count <= FaultLimits.ruleName ? name : String(name.unicodeScalars.prefix(24)) + "…"
    }
}

/// What a caller of this module did wrong; each text stands on a `precondition`.
enum Misuse {
    static let afterEnd = "Nothing follows on a wire whose end is marked."
    static let noHead = "The response has no blank line after its head."
}
