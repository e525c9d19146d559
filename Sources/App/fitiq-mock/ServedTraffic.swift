import CLibrary
import FitIQAPI
import JSON
import Judging
import MockServer
import Sockets
import Traffic

/// `serve --watch-traffic`: writes the entries of all worlds to standard output immediately, and breaches soon after.
///
/// If the reader stops reading, lines are dropped, but the server does not block.
final class ServedTraffic {
    private let engine: Engine
    private let lines: TrafficLines
    private var folds: [ExactString: ChunkFolds] = [:]
    private let output = LineOutput(STDOUT_FILENO)
    /// The worlds with new entries since the last check for breaches.
    private var news: Set<ExactString> = []
    private var breaches: [ExactString: BreachCounts] = [:]

    init(of engine: Engine) {
        self.engine = engine
        lines = TrafficLines(width: min(Terminal.columns ?? 120, 900), usesColor: System.usesColor)
        engine.observeEntries { [unowned self] entry, world in
            let name = ExactString(world ?? Self.defaultWorld)
            news.insert(name)
            var open = folds[name] ?? ChunkFolds()
            for line in open.lines(of: entry, by: lines, in: world) { show(line) }
            folds[name] = open.isEmpty ? nil : open
        }
    }

    private static let defaultWorld = "default"

    /// Shows the obligations that clients have broken since the last call.
    ///
    /// - Parameter now: the system's time, or nil after the server has stopped.
    func showBreaches(at now: Timestamp? = nil) {
        for world in news {
            guard let judgement = engine.judgement(ofWorld: world.text, at: now) else {
                (breaches[world], folds[world]) = (nil, nil)
                continue
            }
            for verdict in judgement.verdicts {
                let counted = breaches[world, default: BreachCounts()].rise(
                    of: verdict.obligation.id, to: verdict.findingCount)
                // Later breaches have no details.
                for finding in verdict.findings.dropFirst(counted) {
                    let breach = TrafficLines.Breach(
                        obligation: verdict.obligation.id, level: finding.level.rawValue, message: finding.message,
                        entries: finding.evidence.map(\.number))
                    show(lines.line(of: breach, in: world.text == Self.defaultWorld ? nil : world.text))
                }
            }
        }
        news.removeAll(keepingCapacity: true)
        guard now == nil else { return }
        for (world, var rest) in folds.sorted(by: { $0.key.text < $1.key.text }) {
            for line in rest.finish(by: lines, in: world.text == Self.defaultWorld ? nil : world.text) { show(line) }
        }
    }

    private func show(_ line: String) {
        output.add { dropped in dropped == 0 ? line : Messages.droppedLines(dropped) + line }
    }
}

extension System {
    /// Whether to use colours: standard output is a terminal, and `NO_COLOR` is not set (no-color.org).
    static var usesColor: Bool { isTerminal(.output) && variable("NO_COLOR") == nil }
}
