import FitIQAPI
import JSON

/// A fault that a request asks for itself, in place of those of the rules.
public enum RequestedFault: Sendable, Equatable {
    /// `Prefer: code=429`: an answer with this status, as a replacement has it.
    case status(Int)
    /// `X-Fake-Fault: NAME`: the fault of this rule, enabled or not.
    case rule(ExactString)

    /// What the values of the fields `X-Fake-Fault` and `Prefer` ask for; nil if they ask for nothing.
    ///
    /// Other preferences are ignored, as RFC 7240 demands.
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
    /// Returns the faults of a REST request that asks for one; no rule counts the request.
    ///
    /// - Throws: If no rule of REST requests has the name.
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
            // It answers as if the quota were used up.
            if case .quota(_, let window, var replacement) = fault {
                replacement.retryAfter = replacement.retryAfter ?? Int((window + 999_999_999) / 1_000_000_000)
                fault = .replace(replacement)
            }
            if act(fault, index, at: now, in: &acting, Messages.replaced) { acting.ruleNames = [name.text] }
        }
        return acting
    }
}
