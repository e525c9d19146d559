import JSON
import TestSupport
import Testing

@testable import FitIQAPI
@testable import MockServer

/// Bodies that break one rule of the table of collections, for each operation that takes such a body.
@Suite("Invalid documents over HTTP") struct WrongDocumentTests {
    /// A value in which one member breaks its rule, and the member's path.
    private typealias Wrong = (path: String, value: JSONValue?)

    private static func wrongs(in value: JSONValue, _ rule: JSONObject, at path: String) -> [Wrong] {
        guard rule["computed"] != true, rule["readOnly"] != true else { return [] }
        var wrongs = wrongValues(rule).map { Wrong(path, $0) }
        if rule["required"] == true { wrongs += [(path, nil), (path, .null)] }
        if let element = value.array?.first, let items = rule["items"]?.object {
            wrongs += Self.wrongs(in: element, items, at: path + "[0]").compactMap { wrong in
                wrong.value.map { (wrong.path, [$0]) }
            }
        }
        for (name, inner) in rule["members"]?.object ?? [:] {
            let object = value.object ?? [:]
            let innerPath = path.isEmpty ? name : "\(path).\(name)"
            for wrong in Self.wrongs(in: object[name] ?? .null, inner.object ?? [:], at: innerPath) {
                var changed = JSONObject(object.filter { $0.key != name })
                if let value = wrong.value { changed[name] = value }
                wrongs.append((wrong.path, .object(changed)))
            }
        }
        return wrongs
    }

    private static func wrongValues(_ rule: JSONObject) -> [JSONValue] {
        switch rule["type"]?.string {
        case "boolean": ["true", 1]
        case "date-time": [1_738_146_600, "yesterday", "2025-02-30T10:30:00Z"]
        case "string" where rule["enum"] != nil: [7, "no such value"]
        case "string": [7, ["a"]]
        case "integer": ["1", 1.5]
        case "number": ["1", true]
        case "array": ["x", [:]]
        case "object": rule["members"] == nil ? ["x"] : ["x", []]
        default: []
        }
    }

    private static func row(of endpoint: Endpoint) throws -> JSONObject {
        let name = endpoint == .shareWorkoutTemplate ? "workout_template_shares" : endpoint.documents?.rawValue
        return try #require(CollectionTable.builtIn[name ?? ""]?.object)
    }

    private static let operations = SentDocuments.operations.filter { $0.body == .required && $0 != .generateInsights }

    @Test("An invalid body returns 400, names the invalid member and changes nothing", arguments: operations)
    func refuses(endpoint: Endpoint) throws {
        let network = try SentDocuments.network()
        let before = try network.admin(.get, "state").text
        let row = try Self.row(of: endpoint)
        let wrongs = Self.wrongs(in: row["example"] ?? .null, ["members": row["members"] ?? [:]], at: "")
        #expect(wrongs.count > 5)
        let collection = try #require(endpoint.documents)
        for (path, body) in wrongs {
            let text = String(decoding: (body ?? .null).encoded(), as: UTF8.self)
            // Changing a template keeps members that the body lacks.
            if endpoint == .replaceWorkoutTemplate, body?["name"] == nil, path == "name" { continue }
            let target = SentDocuments.target(of: endpoint, SentDocuments.id(collection))
            let answer = try network.exchange(.authorized(endpoint.method, target, as: TestUser.anna).json(text))
            #expect(answer.status == 400 && answer.errorCode == "VALIDATION_FAILED", "\(path): \(text) \(answer.text)")
            #expect(answer.message.contains("'\(path)'"), "\(path): \(text) \(answer.message)")
        }
        #expect(try network.admin(.get, "state").text == before)
    }
}
