import FitIQAPI
import JSON
import Judging
import Traffic

/// The admin API's verdicts: the obligations that a world's client keeps and breaks.
extension Engine {
    /// `GET /__admin/verdicts`; the first request starts judging, including what the journal still holds.
    ///
    /// Waiting entries are judged first, then the findings are written one by one.
    func verdictAnswer(of world: World, at now: Timestamp) -> Answer {
        // The loop may be late, and anything overdue is judged by the time.
        advance(world, to: world.clock.now(now), at: now)
        let time = world.clock.now(now)
        var parts: IndexingIterator<[Judgement.Part]>?
        return Answer(
            PartSource(json: { writer throws(APIError) in
                if parts == nil {
                    if let id = world.id, world.isGone { throw .unknownWorld(id) }
                    if let cost = world.judgeNextWaiting() { return cost }
                    parts = world.judgement(at: time).parts(world.journalEncoder).makeIterator()
                }
                guard let part = parts?.next() else { return nil }
                part(&writer)
                return 0
            }))
    }
}

extension Judgement {
    fileprivate typealias Part = (inout JSONWriter) -> Void

    /// The writers of its members, each part quick to write: a finding may show entries of half a megabyte.
    fileprivate func parts(_ encoder: JournalEncoder) -> [Part] {
        var parts: [Part] = [
            { writer in
                writer.beginObject()
                writer.key("verdicts")
                writer.beginArray()
            }
        ]
        for verdict in verdicts {
            parts.append(verdict.begin)
            for finding in verdict.findings { parts.append { finding.write(to: &$0, encoder) } }
            parts.append(verdict.end)
        }
        parts.append { writer in
            writer.endArray()
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
            writer.endObject()
        }
        return parts
    }
}

extension Verdict {
    fileprivate func begin(_ writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", obligation.id)
        writer.member("level", obligation.level.rawValue)
        writer.member("origin", obligation.originText)
        writer.member("clause", obligation.clause)
        writer.member("tolerance", orNull: obligation.tolerance)
        writer.member("verdict", outcome.rawValue)
        writer.member("exercised", exercisedCount)
        writer.key("findings")
        writer.beginArray()
    }

    fileprivate func end(_ writer: inout JSONWriter) {
        writer.endArray()
        writer.member("finding_count", findingCount)
        writer.member("advice", obligation.advice)
        writer.endObject()
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
    /// The guide and the section of the obligation: `consultation-websocket, best practice 1`.
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
