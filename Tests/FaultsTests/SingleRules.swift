import JSON

@testable import Faults

// Tests mostly change one rule; the server changes several in one pass.

extension FaultBook {
    mutating func add(_ rule: FaultRule) throws(FaultBookError) { try add([rule]) }

    /// Enables or disables a rule; returns false if no rule has that name.
    @discardableResult
    mutating func setEnabled(_ isEnabled: Bool, named name: ExactString) -> Bool {
        setEnabled(isEnabled, named: [name])
        return rules.contains { $0.rule.name == name }
    }

    /// Removes a rule; returns false if no rule has that name.
    @discardableResult
    mutating func remove(named name: ExactString) -> Bool {
        let count = rules.count
        remove(named: [name])
        return rules.count < count
    }
}

extension SocketFaults {
    var ruleNames: [String] { rules.map(\.name.text) }

    @discardableResult
    mutating func setEnabled(_ isEnabled: Bool, named name: ExactString) -> Bool { change([name: .enabled(isEnabled)]) }

    @discardableResult
    mutating func remove(named name: ExactString) -> Bool { change([name: .removed]) }
}
