import Text

/// The differences as text for a terminal.
extension SessionComparison {
    public var isEqual: Bool { differences.isEmpty }

    /// Returns the text, one line per difference, with recorded content escaped.
    public func text(names first: String, _ second: String) -> String {
        var lines = [
            Messages.summary(self.first, name: "- " + TerminalText.escaped(first)),
            Messages.summary(self.second, name: "+ " + TerminalText.escaped(second)), "",
        ]
        for difference in differences {
            switch difference {
            case .onlyInFirst(let name, let place): lines.append("- \(Self.shown(name)) (\(Messages.place(place)))")
            case .onlyInSecond(let name, let place): lines.append("+ \(Self.shown(name)) (\(Messages.place(place)))")
            case .moved(let name, let first, let second):
                lines.append("~ \(Self.shown(name)): \(Messages.moved(from: first, to: second))")
            case .changed(let name, let place, _, let changes):
                lines.append("! \(Self.shown(name)) (\(Messages.place(place)))")
                lines += changes.map { "    " + Messages.describe($0) }
            }
        }
        if !isEqual { lines.append("") }
        lines.append(Messages.verdict(differences.count))
        return lines.joined(separator: "\n") + "\n"
    }

    private static func shown(_ name: String) -> String { TerminalText.excerpt(name.utf8, width: 100) }
}
