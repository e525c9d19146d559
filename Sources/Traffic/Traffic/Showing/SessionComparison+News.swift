import JSON
import Text

extension SessionComparison {
    /// What a program does that two runs of its older version did not do, as sentences.
    ///
    /// What varies between the two runs does not count: any two runs may differ in it. Neither do values at the same
    /// path of another message or element.
    ///
    /// - Parameter session: A run of the newer version.
    public static func news(in session: Session, since first: Session, _ second: Session) -> [String] {
        let noise = Set(SessionComparison(first, second).aspects.map(\.key))
        let again = Set(SessionComparison(second, session).aspects.map(\.key))
        return SessionComparison(first, session).aspects.filter { !noise.contains($0.key) && again.contains($0.key) }
            .map(\.sentence)
    }

    /// The differences one by one, each with what identifies it in other comparisons.
    private var aspects: [(key: ExactString, sentence: String)] {
        differences.flatMap { difference -> [(key: ExactString, sentence: String)] in
            switch difference {
            case .onlyInFirst(let name, let place):
                [(Self.key(name, "presence"), Messages.noLonger(Self.shown(name), place))]
            case .onlyInSecond(let name, let place):
                [(Self.key(name, "presence"), Messages.isNew(Self.shown(name), place))]
            case .moved(let name, let place, let other):
                [(Self.key(name, "place"), Messages.isElsewhere(Self.shown(name), from: place, to: other))]
            case .changed(let name, _, let place, let changes):
                changes.map { change in
                    // Message 5 may be what message 4 was.
                    let path = String(change.path.map { $0.isNumber ? "#" : $0 })
                    return (Self.key(name, path), Messages.isChanged(Self.shown(name), place, change))
                }
            }
        }
    }

    private static func key(_ name: String, _ aspect: String) -> ExactString { ExactString(name + "\n" + aspect) }
}
