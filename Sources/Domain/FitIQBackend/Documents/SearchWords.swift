import FitIQAPI
import JSON
import Patterns

/// The words of a search in the journal: each must occur, in any case.
struct SearchWords {
    private let words: [SoughtWords]

    init(_ words: [String]) { self.words = words.map { SoughtWords($0) } }

    /// The answer with a page of the entries in which all words occur, the most relevant first, then the newest.
    func page(of entries: [Document], _ query: DocumentListQuery) -> [UInt8] {
        var found: [(relevance: Double, time: DateTime, place: Int, entry: Document)] = []
        for (place, entry) in entries.enumerated() {
            guard let relevance = relevance(of: entry.object) else { continue }
            found.append((relevance, entry.time, place, entry))
        }
        found.sort { ($0.relevance, $0.time, $0.place) > ($1.relevance, $1.time, $1.place) }
        let items = found[query.page.range(of: found.count)].map { item in
            item.entry.encoded.dropLast() + Array(",\"relevance_score\":\(JSONNumber(item.relevance).text)}".utf8)
        }
        return DocumentAnswers.list(items, query, total: found.count)
    }

    /// From 0 to 1, the mean of the words: 1 in the title, 0.75 in a tag, 0.5 in the text; nil if one occurs nowhere.
    private func relevance(of entry: JSONObject) -> Double? {
        let title = entry["title"]?.string ?? ""
        let tags = entry["tags"]?.array?.compactMap(\.string) ?? []
        var sum = 0.0
        for word in words {
            if word.isFound(in: title) {
                sum += 1
            } else if tags.contains(where: word.isFound(in:)) {
                sum += 0.75
            } else if word.isFound(in: entry["content"]?.string ?? "") {
                sum += 0.5
            } else {
                return nil
            }
        }
        return sum / Double(words.count)
    }
}
