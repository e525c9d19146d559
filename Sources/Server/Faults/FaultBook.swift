import FitIQAPI
import JSON
import Text

/// A world's fault rules and their counts, which determine the faults that apply to each request and connection.
///
/// The time is an argument, and the seed and the order of requests determine everything else. Each enabled rule counts
/// its own matches, so its effect does not depend on other rules. Replacements are the exception, because the server
/// sends only the first one.
public struct FaultBook: Sendable {
    /// A rule and its counts.
    public struct Entry: Sendable, Equatable {
        /// The rule, as currently enabled or disabled.
        public internal(set) var rule: FaultRule
        /// The number of requests or handshakes that matched while the rule was enabled.
        public internal(set) var matches = 0
        /// The number of times that the rule took effect.
        ///
        /// A rule for open sockets counts connections, and a breakpoint counts the messages that it held.
        public internal(set) var acted = 0
        /// The rule as written.
        var written: FaultRule
        var window = QuotaWindow()

        init(_ rule: FaultRule) {
            self.rule = rule
            written = rule
        }
    }

    /// The seed for `perMille` and for the fractional digits of times.
    public let seed: UInt64
    /// The rules in the order in which they take effect.
    public internal(set) var rules: [Entry] = []
    /// The number of handshakes.
    public internal(set) var connections = 0
    /// The indexes of the enabled rules, by kind.
    var responseRules: [Int] = []
    var connectionRules: [Int] = []

    /// Creates a book in which nothing has been counted yet.
    ///
    /// - Precondition: There are at most ``FaultLimits/rules`` rules, and their names are unique and not too long.
    public init(rules: [FaultRule] = [], seed: UInt64 = 0) {
        self.seed = seed
        do throws(FaultBookError) { try replaceRules(rules) } catch { preconditionFailure(error.message) }
    }

    /// Whether no rule is enabled.
    public var isEmpty: Bool { responseRules.isEmpty && connectionRules.isEmpty }

    /// Enables or disables rules, which keep their counts; names that belong to no rule are ignored.
    ///
    /// To change open connections, call ``SocketFaults/change(_:)``.
    public mutating func setEnabled(_ isEnabled: Bool, named names: Set<ExactString>) {
        for index in rules.indices where names.contains(rules[index].rule.name) {
            rules[index].rule.isEnabled = isEnabled
        }
        sortRules()
    }

    /// Appends all rules or none.
    public mutating func add(_ new: [FaultRule]) throws(FaultBookError) {
        try Self.check(new, behind: rules.map(\.rule.name))
        rules += new.map(Entry.init)
        sortRules()
    }

    /// Removes several rules in one pass; names that belong to no rule are ignored.
    public mutating func remove(named names: Set<ExactString>) {
        rules.removeAll { names.contains($0.rule.name) }
        sortRules()
    }

    /// Replaces all rules or none, for example after a scenario file has changed.
    ///
    /// An unchanged rule keeps its counts and its state. All other rules start over. Rules that are not in the new list
    /// are removed.
    ///
    /// - Parameter respelled: The names of rules that must start over even if they compare equal; see
    ///   ``respelled(in:since:)``.
    public mutating func replaceRules(
        _ new: [FaultRule], respelled: Set<ExactString> = []
    ) throws(FaultBookError) {
        try Self.check(new, behind: [])
        let old = Dictionary(uniqueKeysWithValues: rules.map { ($0.rule.name, $0) })
        rules = new.map { rule in
            if let entry = old[rule.name], entry.written == rule, !respelled.contains(rule.name) { return entry }
            return Entry(rule)
        }
        sortRules()
    }

    /// The names of rules that equal their predecessors except for the Unicode normal form of their strings.
    ///
    /// The comparison takes about 70 µs per rule, so it does not run on the loop's thread.
    public static func respelled(in new: [FaultRule], since old: [FaultRule]) -> Set<ExactString> {
        let old = Dictionary(old.map { ($0.name, $0) }) { first, _ in first }
        return Set(new.filter { rule in old[rule.name].map { $0 == rule && !$0.isExactly(rule) } ?? false }.map(\.name))
    }

    private static func check(_ new: [FaultRule], behind names: [ExactString]) throws(FaultBookError) {
        var names = Set(names)
        for rule in new {
            guard names.count < FaultLimits.rules else { throw .tooManyRules(limit: FaultLimits.rules) }
            guard !rule.name.isEmpty else { throw .emptyName }
            guard rule.name.utf8.count <= FaultLimits.ruleName else { throw .longName(rule.name.text) }
            guard names.insert(rule.name).inserted else { throw .duplicateName(rule.name.text) }
        }
    }

    private mutating func sortRules() {
        (responseRules, connectionRules) = ([], [])
        for (index, entry) in rules.enumerated() where entry.rule.isEnabled {
            if case .response = entry.rule.fault { responseRules.append(index) } else { connectionRules.append(index) }
        }
    }

    /// Counts a rule's match, and returns whether the match is selected.
    mutating func match(_ index: Int) -> Bool {
        rules[index].matches += 1
        let (rule, number) = (rules[index].rule, rules[index].matches)
        return rule.selection.contains(number, chance(of: rule, UInt64(number)))
    }

    /// The chance of a rule's n-th match.
    func chance(of rule: FaultRule, _ number: UInt64) -> Chance {
        Chance(seed: seed).mixing(rule.name.utf8).mixing(number)
    }
}

public enum FaultBookError: Error, Equatable, Sendable {
    case duplicateName(String)
    case tooManyRules(limit: Int)
    case longName(String)
    case emptyName
    /// A request selects an unknown fault.
    case unknownName(String, known: [String])
    /// A request selects an invalid status.
    case unknownStatus(String)

    /// The problem and how to fix it, for the rule's author.
    public var message: String {
        switch self {
        case .duplicateName(let name):
            "There is already a fault named '\(Messages.excerpt(name))'; choose another name, or remove that "
                + "fault first."
        case .tooManyRules(let limit): "A world can have at most \(limit) faults; remove some first."
        case .longName(let name):
            "The fault's name '\(Messages.excerpt(name))' has \(name.utf8.count) bytes; at most \(FaultLimits.ruleName) "
                + "are allowed."
        case .unknownName(let name, let known):
            Messages.unknownFault(name, known: known)
        case .unknownStatus(let code):
            "'Prefer' asks for the code '\(Messages.excerpt(code))'; the code must be from "
                + "\(FaultLimits.statuses.lowerBound) to \(FaultLimits.statuses.upperBound), as in 'Prefer: code=429'."
        case .emptyName: "The fault has no name; set a name of 1 to \(FaultLimits.ruleName) bytes."
        }
    }
}

/// All of this module's messages for clients and rule authors.
enum Messages {
    static func replaced(status: Int, rule: String) -> String {
        "A scenario answers this request with \(status) (fault '\(excerpt(rule))')."
    }

    static func preferred(status: Int) -> String { "The request's 'Prefer' asks for this answer, \(status)." }

    static func unknownFault(_ name: String, known: [String]) -> String {
        let wanted = "'X-Fake-Fault' asks for the fault '\(excerpt(name))', but this world has no "
        guard !known.isEmpty else {
            return wanted + "faults for REST requests: add one to the scenario, or through the admin API."
        }
        let more = known.count > 20 ? " and \(known.count - 20) more" : ""
        return wanted + "such fault for REST requests; the faults are "
            + "\(known.prefix(20).map(excerpt).joined(separator: ", "))\(more)."
            + NearestWord.hint(name, among: known)
    }

    static func quotaExceeded(requests: Int, window: Int64, secondsLeft: Int, rule: String) -> String {
        "A scenario allows \(Words.counted(requests, "request")) in \(Durations.exact(window)) here "
            + "(fault '\(excerpt(rule))'); try again in \(secondsLeft) s."
    }

    static func refused(status: Int, rule: String) -> String {
        "A scenario answers this WebSocket handshake with \(status) (fault '\(excerpt(rule))')."
    }

    /// Truncates a name, so that no message grows with user input.
    static func excerpt(_ name: String) -> String {
        name.utf8.count <= FaultLimits.ruleName ? name : String(name.unicodeScalars.prefix(24)) + "…"
    }
}

/// The faults injected into a WebSocket handshake and its connection.
public struct HandshakeFaults: Sendable {
    /// The connection's number in its world, counted from 1; refused connections count too.
    public let connection: Int
    /// The faults in the handshake response; a replacement is sent instead of the 101.
    public var response: ResponseFaults
    /// The faults that apply to the open socket; nil if there are none.
    public var socket: SocketFaults?

    /// Whether the rules allow a socket to open; otherwise there is no 101.
    public var opensSocket: Bool {
        response.replacement == nil
            && response.faults.allSatisfy {
                switch $0 {
                case .delay, .wrongAccept, .compression: true
                default: false
                }
            }
    }
}

extension FaultBook {
    /// Numbers a new handshake and returns the faults for it and its connection; nil if there are none.
    ///
    /// Must be called once per handshake, before checking credentials, because each call counts. The endpoint is nil if
    /// a recording opens a socket on a path that has no endpoint.
    public mutating func openSocket(_ endpoint: Endpoint? = .webSocket, at now: Timestamp) -> HandshakeFaults? {
        connections += 1
        guard !connectionRules.isEmpty else { return nil }
        var acting = HandshakeFaults(connection: connections, response: ResponseFaults(seed: seed))
        var socketRules: [SocketFaults.Rule] = []
        for index in connectionRules {
            let rule = rules[index].rule
            // A rule added for an open socket affects only that socket.
            guard rule.connection == nil, rule.socket == nil || rule.socket == endpoint, match(index) else { continue }
            switch rule.fault {
            case .response: preconditionFailure("A connection must not have response faults.")
            case .handshake(let fault):
                guard act(fault, index, at: now, in: &acting.response, Messages.refused) else { continue }
                acting.response.ruleNames.append(rule.name.text)
            case .socket(let fault, let point):
                let chance = chance(of: rule, UInt64(rules[index].matches))
                let shared = SocketFaults.Rule.Shared(name: rule.name, fault: fault, point: point)
                socketRules.append(SocketFaults.Rule(shared, chance: chance))
                if case .hold = fault { continue }
            }
            rules[index].acted += 1
        }
        if !socketRules.isEmpty, acting.opensSocket { acting.socket = SocketFaults(rules: socketRules, seed: seed) }
        let response = acting.response
        return response.ruleNames.isEmpty && response.holds.isEmpty && acting.socket == nil ? nil : acting
    }
}

/// A fault that a request selects in place of the rules' faults.
public enum RequestedFault: Sendable, Equatable {
    /// `Prefer: code=429`: a response with this status, like a replacement.
    case status(Int)
    /// `X-Fake-Fault: NAME`: the fault of this rule, enabled or not.
    case rule(ExactString)

    /// The fault that the fields `X-Fake-Fault` and `Prefer` select, if any.
    ///
    /// All other preferences are ignored, as RFC 7240 requires.
    public init?(name: String?, preferences: String?) throws(FaultBookError) {
        if let name {
            self = .rule(ExactString(name))
            return
        }
        guard let preferences else { return nil }
        for preference in preferences.split(separator: ",") {
            let word = preference.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" && $0 != "\"" }
            guard word.lowercased().hasPrefix("code=") else { continue }
            let code = word.dropFirst(5)
            guard let status = Int(code), code.utf8.count == 3, FaultLimits.statuses.contains(status) else {
                throw .unknownStatus(String(code))
            }
            self = .status(status)
            return
        }
        return nil
    }
}

extension FaultBook {
    /// Returns the faults for a REST request that selects one; rules do not count the request.
    ///
    /// - Throws: An error if no rule for REST requests has that name.
    public mutating func respond(
        with requested: RequestedFault, at now: Timestamp
    ) throws(FaultBookError) -> ResponseFaults {
        var acting = ResponseFaults(seed: seed)
        switch requested {
        case .status(let status):
            acting.replacement = Replacement(status: status, message: Messages.preferred(status: status))
            acting.ruleNames = ["Prefer: code=\(status)"]
        case .rule(let name):
            let index = rules.firstIndex { $0.rule.name == name }
            guard let index, case .response(var fault, _) = rules[index].rule.fault else {
                let known = rules.filter { if case .response = $0.rule.fault { true } else { false } }
                throw .unknownName(name.text, known: known.map(\.rule.name.text))
            }
            // Respond as if the quota were used up.
            if case .quota(_, let window, var replacement) = fault {
                replacement.retryAfter = replacement.retryAfter ?? Int((window + 999_999_999) / 1_000_000_000)
                fault = .replace(replacement)
            }
            if act(fault, index, at: now, in: &acting, Messages.replaced) { acting.ruleNames = [name.text] }
        }
        return acting
    }
}
