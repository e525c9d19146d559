import JSON
import Testing

@testable import FitIQAPI

/// A member in the table of collections, and its place in the collection's example.
struct TableMember: Sendable, CustomTestStringConvertible {
    enum Step: Sendable { case member(String), element(Int) }

    let collection: DocumentCollection
    let steps: [Step]
    /// The member's rule in the table.
    let rule: JSONObject

    /// The path in error messages, such as `stages[0].start_time`.
    var path: String {
        steps.reduce("") { path, step in
            switch step {
            case .member(let name): path.isEmpty ? name : "\(path).\(name)"
            case .element(let index): "\(path)[\(index)]"
            }
        }
    }

    var testDescription: String { "\(collection.rawValue): \(path)" }
    var type: String? { rule["type"]?.string }
    var isRequired: Bool { rule["required"] == true }
    /// Whether requests set it.
    var isSent: Bool { rule["computed"] != true && rule["readOnly"] != true }

    /// All members of all collections, including members of nested objects and elements of lists.
    static let all = DocumentCollection.allCases.flatMap { collection in
        members(of: collection, CollectionTable.builtIn[collection.rawValue]?["members"], at: [])
    }

    private static func members(of collection: DocumentCollection, _ rules: JSONValue?, at steps: [Step]) -> [Self] {
        (rules?.object ?? [:]).flatMap { name, rule in
            all(of: collection, rule.object ?? [:], at: steps + [.member(name)])
        }
    }

    private static func all(of collection: DocumentCollection, _ rule: JSONObject, at steps: [Step]) -> [Self] {
        let inner = members(of: collection, rule["members"], at: steps)
        let elements = rule["items"]?.object.map { all(of: collection, $0, at: steps + [.element(0)]) } ?? []
        return [TableMember(collection: collection, steps: steps, rule: rule)] + inner + elements
    }

    /// The table's example for the collection; each member's value can be changed independently.
    static func example(of collection: DocumentCollection) -> JSONValue {
        let example = CollectionTable.builtIn[collection.rawValue]?["example"] ?? .null
        guard collection == .workoutTemplates else { return example }
        return example.setting("mine", at: [.member("exercises"), .element(0), .member("user_exercise_id")][...])
    }

    /// The example with a different value for the member, or without the member if the value is nil.
    func example(with value: JSONValue?) -> JSONValue { Self.example(of: collection).setting(value, at: steps[...]) }

    /// Reads the example with a different value as a request.
    func read(with value: JSONValue?) throws(APIError) -> JSONValue {
        .object(try DocumentRequest.object(example(with: value).encoded(), for: collection, at: .example))
    }
}

extension JSONValue {
    subscript(steps: ArraySlice<TableMember.Step>) -> JSONValue? {
        switch steps.first {
        case nil: self
        case .member(let name): self[name]?[steps.dropFirst()]
        case .element(let index): self[index]?[steps.dropFirst()]
        }
    }

    func setting(_ value: JSONValue?, at steps: ArraySlice<TableMember.Step>) -> JSONValue {
        switch steps.first {
        case nil: return value ?? .null
        case .member(let name):
            var object = self.object ?? [:]
            if steps.count == 1, value == nil {
                object = JSONObject(object.filter { $0.key != name })
            } else {
                object[name] = (object[name] ?? [:]).setting(value, at: steps.dropFirst())
            }
            return .object(object)
        case .element(let index):
            var array = self.array ?? []
            if array.isEmpty { array.append(.null) }
            array[index] = array[index].setting(value, at: steps.dropFirst())
            return .array(array)
        }
    }
}
