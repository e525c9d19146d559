import FitIQAPI
import JSON

/// What is made of stored documents: no rules that an app documents, but counts that anybody can check.
extension Backend {
    /// The number of insights whose `is_read` is not true (`GET /api/v1/insights/unread/count`).
    public func unreadInsights(of user: UserID) -> [UInt8] {
        let count = users[user].documents[.insights, default: []].count { !$0.isRead }
        return JSONWriter.success { data in
            data.member("count", count)
            data.member("unread_count", count)
        }
    }

    /// Counts the mood entries of a time, and each member that is a number (`GET …/mood-entries/analytics`).
    public func moodAnalytics(_ query: DocumentListQuery, for user: UserID) -> Deferred<[UInt8]> {
        let entries = users[user].documents[.moodEntries, default: []]
        return Deferred(cost: query.cost(of: [entries], isParsed: true)) {
            Self.moodAnalytics(of: entries.filter(query.matches))
        }
    }

    private static func moodAnalytics(of entries: [Document]) -> [UInt8] {
        var members: [ExactString: Figures] = [:]
        for entry in entries {
            for (name, value) in entry.object {
                guard let number = value.double, abs(number) <= Figures.largest else { continue }
                members[ExactString(name), default: Figures(number)].add(number)
            }
            // What comes after the first ones by name now is not among them in the end.
            guard members.count > 10_000 else { continue }
            members = Dictionary(uniqueKeysWithValues: members.firstByName.map { ($0.key, $0.value) })
        }
        let named = members.firstByName
        return JSONWriter.success { data in
            data.member("total_entries", entries.count)
            data.member("first_entry_at", orNull: entries.first?.createdAt)
            data.member("last_entry_at", orNull: entries.last?.createdAt)
            data.object("members") { data in
                for (name, figures) in named {
                    data.key(escaping: name.text)
                    data.object(figures.write)
                }
            }
        }
    }

    /// Adds an insight that counts the user's documents (`POST /api/v1/insights/generate/wellness`).
    ///
    /// - Throws: 507 at the limit of documents, or if the world is full.
    public mutating func generateInsight(by user: UserID, _ turn: inout Turn) throws(APIError) -> [UInt8] {
        let counts = DocumentCollection.allCases.filter { $0 != .insights }
            .map { "\($0.rawValue): \(users[user].documents[$0, default: []].count)" }
        let insight = try addDocument(
            [
                "insight_type": "wellness", "title": "Your wellness summary",
                "content": .string("What you have recorded so far: " + counts.joined(separator: ", ") + "."),
                "is_read": false, "is_favorite": false, "is_archived": false,
            ], in: .insights, by: user, &turn)
        return JSONWriter.success { data in
            data.array("insights") { $0.raw(insight.encoded) }
            data.member("count", 1)
        }
    }
}

extension [ExactString: Figures] {
    /// Those that an answer names, in order.
    fileprivate var firstByName: some Collection<Element> {
        sorted { $0.key < $1.key }.prefix(DocumentAnswers.mostFigures)
    }
}

private struct Figures {
    private var (count, sum) = (0, 0.0)
    private var (minimum, maximum): (Double, Double)

    /// Beyond this a number counts for nothing, so that no sum overflows.
    static let largest = 1e15

    init(_ first: Double) { (minimum, maximum) = (first, first) }

    mutating func add(_ number: Double) {
        count += 1
        sum += number
        (minimum, maximum) = (min(minimum, number), max(maximum, number))
    }

    func write(into writer: inout JSONWriter) {
        writer.member("count", count)
        writer.member("minimum", minimum)
        writer.member("maximum", maximum)
        writer.member("average", sum / Double(count))
    }
}
