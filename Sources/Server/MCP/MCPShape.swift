import JSON
import Text

/// Turns an answer from the admin API into a tool's answer of at most ``limit`` bytes.
///
/// A list is split into pages. In any other long answer, strings and lists are shortened, and `next_cursor` leads to
/// the whole answer as text.
struct MCPShape: Sendable {
    let limit: Int
    private let tool: MCPTool
    private let cursor: String?
    /// The number of elements requested from the admin API.
    private let asked: Int

    init(_ tool: MCPTool, _ arguments: MCPArguments) throws(Refusal) {
        self.tool = tool
        cursor = arguments["cursor"]?.string
        asked = arguments["limit"]?.int ?? MCPTool.entriesAtOnce
        limit = arguments["max_bytes"]?.int ?? MCPLimits.answer
        let limits = MCPLimits.answers
        guard limits.contains(limit) else {
            throw Refusal("'max_bytes' is \(limit); it must be from \(limits.lowerBound) to \(limits.upperBound).")
        }
        guard cursor.map({ Self.position(in: $0) != nil }) ?? true else {
            throw Refusal("'cursor' must be the 'next_cursor' from an earlier answer to the same call.")
        }
    }

    private static let textMark = "text:"

    private static func position(in cursor: String) -> Int? {
        let digits = cursor.hasPrefix(textMark) ? cursor.dropFirst(textMark.count) : cursor[...]
        return Int(digits).flatMap { $0 >= 0 ? $0 : nil }
    }

    /// The answer, of at most ``limit`` bytes of JSON.
    func fit(_ value: JSONValue) -> JSONValue {
        var object = value.object ?? ["value": value]
        if tool.name == "explain" { object = MCPReasons(object).object }
        if let cursor, cursor.hasPrefix(Self.textMark) {
            return textPage(of: .object(object), from: Self.position(in: cursor) ?? 0)
        }
        if let list = tool.list, let elements = object[list]?.array { return page(object, list, elements) }
        if Self.size(.object(object)) <= limit { return .object(object) }
        object = shortened(object, in: limit - 64)
        object["cut"] = true
        object["next_cursor"] = .string(Self.textMark + "0")
        return .object(object)
    }

    private static func size(_ value: JSONValue) -> Int { value.encoded().count }

    // MARK: Lists

    private func page(_ object: JSONObject, _ list: String, _ elements: [JSONValue]) -> JSONValue {
        var page = object
        page[list] = []
        if Self.size(.object(page)) > limit / 2 {
            page = shortened(page, in: limit / 2)
            page["cut"] = true
        }
        let start = tool.pagesByNumber ? 0 : min(cursor.flatMap(Self.position) ?? 0, elements.count)
        var room = limit - Self.size(.object(page)) - 64
        var shown: [JSONValue] = []
        for element in elements[start...] {
            var brief = tool.pagesByNumber ? Self.brief(element) : element
            var size = Self.size(brief) + 1
            // Shortens an element that is too long for a page; otherwise the client would never get the element.
            if size > room, shown.isEmpty {
                brief = .object(shortened(brief.object ?? ["value": brief], in: room - 1))
                size = Self.size(brief) + 1
            }
            guard size <= room else { break }
            shown.append(brief)
            room -= size
        }
        page[list] = .array(shown)
        if tool.pagesByNumber {
            let isEnd = shown.count == elements.count && elements.count < asked
            if !isEnd, let last = shown.last?["number"] { page["next_cursor"] = .string(last.description) }
        } else if start + shown.count < elements.count {
            page["next_cursor"] = .string("\(start + shown.count)")
        }
        return .object(page)
    }

    /// A journal entry with its header fields removed and its contents shortened.
    private static func brief(_ entry: JSONValue) -> JSONValue {
        shortened(entry, Measures(text: 160, list: 3), without: ["fields", "version", "requested_at", "score"])
    }

    // MARK: Shortening

    private struct Measures {
        /// The maximum length of a string in bytes, and the maximum number of elements in a list.
        let text, list: Int
        static let all = [(4000, 100), (1000, 30), (250, 10), (60, 3), (20, 1), (8, 0)].map(Measures.init)
    }

    private func shortened(_ object: JSONObject, in room: Int) -> JSONObject {
        for measures in Measures.all {
            let value = Self.shortened(.object(object), measures)
            if Self.size(value) <= room { return value.object ?? [:] }
        }
        // Even the member names alone are too long.
        return ["excerpt": .string(JSONValue.object(object).excerpt(limit: room / 6))]
    }

    private static func shortened(
        _ value: JSONValue, _ measures: Measures, without names: Set<String> = []  // Names from this file.
    ) -> JSONValue {
        switch value {
        case .string(let text) where text.utf8.count > measures.text:
            return .string(beginning(of: text, bytes: measures.text) + "… (\(text.utf8.count) bytes)")
        case .array(let elements):
            let kept = elements.prefix(measures.list).map { shortened($0, measures, without: names) }
            let rest = elements.count - kept.count
            return .array(rest == 0 ? kept : kept + [.string("… (\(rest) more)")])
        case .object(let members):
            return .object(
                JSONObject(
                    members.compactMap { key, value in
                        names.contains(key) ? nil : (key, shortened(value, measures, without: names))
                    }))
        default: return value
        }
    }

    static func beginning(of text: String, bytes: Int) -> String {
        let utf8 = Array(text.utf8.prefix(bytes + 4))
        return String(decoding: utf8.prefix(UTF8Sequence.boundary(in: utf8, at: min(bytes, utf8.count))), as: UTF8.self)
    }

    // MARK: The whole answer as text

    private func textPage(of value: JSONValue, from offset: Int) -> JSONValue {
        let bytes = value.encoded()
        let rest = bytes.dropFirst(offset)
        // JSON can need six bytes for one byte of the string, but most bytes need only one.
        var count = limit - 64
        while count > 0 {
            let end = UTF8Sequence.boundary(in: Array(rest.prefix(count + 4)), at: min(count, rest.count))
            var page: JSONObject = ["text": .string(String(decoding: rest.prefix(end), as: UTF8.self))]
            if end < rest.count { page["next_cursor"] = .string("\(Self.textMark)\(offset + end)") }
            let size = Self.size(.object(page))
            if size <= limit { return .object(page) }
            count = count * (limit - 64) / size - 1
        }
        return ["text": ""]
    }
}

/// Explains an entry in sentences.
private struct MCPReasons {
    let object: JSONObject

    /// - Parameter answer: The admin API's answer, which has the members `entry`, `faults` and `broken`.
    init(_ answer: JSONObject) {
        let entry = answer["entry"] ?? .null
        var reasons: [String] = []
        let body = entry["response"]?["body"]?.string.flatMap { try? JSON.parse($0) }
        let error = body?["error"]
        if let status = entry["response"]?["status"]?.int, status >= 400 {
            let message = error?["message"]?.string ?? error?.string ?? body?["message"]?.string
            reasons.append(
                "The answer is \(status)" + (error?["code"]?.string.map { " (\($0))" } ?? "")
                    + (message.map { ": \($0)" } ?? "."))
        }
        for name in entry["faults"]?.array ?? [] {
            reasons.append("The fault rule '\(name.string ?? "")' affected this entry.")
        }
        if let unmatched = entry["unmatched"]?.string {
            reasons.append("The request matches no API operation: \(unmatched).")
        }
        for miss in entry["near_misses"]?.array?.prefix(2) ?? [] {
            let differences = miss["differences"]?.array?.compactMap(\.string) ?? []
            reasons.append(
                "The nearest is \(miss["method"]?.string ?? "") \(miss["path"]?.string ?? ""). "
                    + differences.joined(separator: " "))
        }
        if let names = entry["unknown_parameters"]?.array?.compactMap(\.string) {
            reasons.append("The endpoint does not read \(Words.list(names)).")
        }
        if let hint = entry["hint"]?.string { reasons.append(hint) }
        for broken in answer["broken"]?.array ?? [] {
            reasons.append(
                "This entry shows a breach of \(broken["id"]?.string ?? ""): \(broken["message"]?.string ?? "")")
        }
        if reasons.isEmpty {
            reasons = [
                "Nothing about this entry is unusual: no fault took effect, nothing was refused, and no obligation is "
                    + "broken."
            ]
        }
        var object: JSONObject = ["because": .array(reasons.map(JSONValue.string))]
        for (key, value) in answer { object[key] = value }
        self.object = object
    }
}
