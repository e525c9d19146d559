import Obligations
import Recording

extension Finding {
    /// The entries that show it, each on a line as in a journal, cut where it is long.
    public var evidenceLines: [String] {
        let encoder = JournalEncoder()
        return evidence.map { entry in
            let line = String(decoding: encoder.encode(entry), as: UTF8.self)
            return line.count > 400 ? line.prefix(400) + "…" : line
        }
    }
}
