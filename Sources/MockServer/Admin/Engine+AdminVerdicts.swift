import FitIQAPI
import JSON
import Obligations
import Recording

/// The admin API's verdicts: what a world's client is found to keep and to break.
extension Engine {
    /// `GET /__admin/verdicts`; who asks for the first time begins to judge, from what the journal still holds.
    func verdictAnswer(of world: World, at now: Timestamp) -> Answer {
        // The loop may be late, and what is overdue is judged by the time.
        advance(world, to: world.clock.now(now), at: now)
        let judgement = world.judgement(at: world.clock.now(now))
        let encoder = world.journalEncoder
        return .ok(JSONWriter.object { writer in judgement.write(to: &writer, encoder) })
    }
}

extension Judgement {
    fileprivate func write(to writer: inout JSONWriter, _ encoder: JournalEncoder) {
        writer.array("verdicts") { writer in
            for verdict in verdicts { verdict.write(to: &writer, encoder) }
        }
        writer.array("exposures") { writer in
            for exposure in exposures {
                writer.object { writer in
                    writer.member("path", exposure.path.rawValue)
                    writer.member("count", exposure.count)
                }
            }
        }
        writer.member("missed", missedCount)
        writer.member("has_connected", hasConnected)
        writer.member("unmatched", unmatchedCount)
    }
}

extension Verdict {
    fileprivate func write(to writer: inout JSONWriter, _ encoder: JournalEncoder) {
        writer.object { writer in
            writer.member("id", obligation.id)
            writer.member("level", obligation.level.rawValue)
            writer.member("origin", obligation.originText)
            writer.member("clause", obligation.clause)
            writer.member("tolerance", orNull: obligation.tolerance)
            writer.member("verdict", outcome.rawValue)
            writer.member("exercised", exercisedCount)
            writer.array("findings") { writer in
                for finding in findings { finding.write(to: &writer, encoder) }
            }
            writer.member("finding_count", findingCount)
            writer.member("advice", obligation.advice)
        }
    }
}

extension Finding {
    fileprivate func write(to writer: inout JSONWriter, _ encoder: JournalEncoder) {
        writer.object { writer in
            writer.member("level", level.rawValue)
            writer.member("message", message)
            writer.array("evidence") { writer in
                for entry in evidence { encoder.write(entry, to: &writer) }
            }
        }
    }
}

extension Obligation {
    /// Who asks it, and where: `consultation-websocket, best practice 1`.
    fileprivate var originText: String {
        let names =
            switch origin {
            case .all: "all guides"
            case .ours: "fitiq-mock"
            case .guides(let guides): guides.map(\.rawValue).joined(separator: ", ")
            }
        return place.isEmpty ? names : "\(names), \(place)"
    }
}
