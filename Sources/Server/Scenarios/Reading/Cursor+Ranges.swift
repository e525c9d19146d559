import Faults
import FitIQBackend
import Patterns
import Text

extension Cursor {
    /// `n`, `n..m` or `n..`, counted from 1.
    private func bounds() -> (first: Int, last: Int?)? {
        guard let text = written else { return nil }
        func number(_ text: Substring) -> Int? {
            guard (1...10).contains(text.utf8.count), text.utf8.allSatisfy(\.isDigit), let value = Int(text),
                (1...1_000_000_000).contains(value)
            else { return nil }
            return value
        }
        if let only = number(text[...]) { return (only, only) }
        guard let dots = text.firstIndex(of: "."), text[dots...].hasPrefix(".."), let first = number(text[..<dots])
        else { return nil }
        let rest = text[text.index(dots, offsetBy: 2)...]
        if rest.isEmpty { return (first, nil) }
        guard let last = number(rest), last >= first else { return nil }
        return (first, last)
    }

    func turns() -> ClosedRange<Int>? {
        guard let (first, last) = bounds() else { return refuse(expected: Messages.range) }
        return first...(last ?? Int.max)
    }

    /// A selection of numbered things: a range, or a mapping with more details.
    func selection() -> Selection? {
        if case .mapping = node.content {
            guard let fields = Fields(self, as: .selection) else { return nil }
            let largest = 1_000_000_000
            let first = fields["from"].map { $0.integer(1...largest) } ?? 1
            let last = fields["to"]?.integer(1...largest)
            let step = fields["every"].map { $0.integer(1...largest) } ?? 1
            let perMille = fields["per_mille"].map { $0.integer(0...1000) } ?? 1000
            guard let first, let step, let perMille, last != nil || fields["to"] == nil else { return nil }
            guard last ?? first >= first else {
                fields.refuse("to", Messages.endsBeforeStart(first))
                return nil
            }
            return Selection(first: first, last: last, step: step, perMille: perMille)
        }
        guard let (first, last) = bounds() else { return refuse(expected: Messages.selection) }
        return Selection(first: first, last: last)
    }

    /// The text after the last slash of a text such as `/protein/i`, if it can only be flags.
    private static func flags(of text: String) -> Substring? {
        guard text.hasPrefix("/"), let slash = text.dropFirst().lastIndex(of: "/") else { return nil }
        let flags = text[slash...].dropFirst()
        return flags.allSatisfy { "gimsux".contains($0) } ? flags : nil
    }

    /// Words that must be contained, or `/an expression/`.
    func textMatch() -> TextMatch? {
        guard let text = text(1...2000) else { return nil }
        guard text.utf8.count >= 2, text.hasPrefix("/"), text.hasSuffix("/") else {
            guard let flags = Self.flags(of: text) else { return .contains(text) }
            return refuse(Messages.badPattern(Messages.patternFlags, at: text.unicodeScalars.count - flags.count - 1))
        }
        do {
            return .matches(try Pattern(String(text.dropFirst().dropLast())))
        } catch {
            return refuse(Messages.badPattern(error.message, at: error.position))
        }
    }
}
