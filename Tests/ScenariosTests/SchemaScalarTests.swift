import Foundation
import JSON
import Testing

@testable import Scenarios

/// Compares the schema with the reader, for each key and each kind of single value.
///
/// A value that an editor accepts must not fail in the server, and vice versa. YAML and JSON agree, because a JSON
/// document is also a YAML document.
@Suite("The JSON Schema: single values")
struct SchemaScalarTests {
    /// The notation in both languages.
    static let values = ["true", "false", "0", "5", "0.5", "1e-9", "-1", #""x""#, #""5""#, #""true""#, #""""#]

    /// For each kind of object, an otherwise valid document with `@` in the object's place.
    static let places: [ObjectKind: String] = [
        .scenario: "@", .clock: "{name: a, clock: @}", .user: "{name: a, users: [@]}",
        .accounts: "{name: a, accounts: @}", .consultations: "{name: a, consultations: @}",
        .profile: "{name: a, users: [{id: u, profile: @}]}",
        .preferences: "{name: a, users: [{id: u, preferences: @}]}",
        .refreshToken: "{name: a, users: [{id: u, email: \"a\\u0040b.c\", password: abcdefgh, refresh_tokens: [@]}]}",
        .goal: "{name: a, users: [{id: u, goals: [@]}]}",
        .consultation: "{name: a, users: [{id: u, consultations: [@]}]}",
        .message: "{name: a, users: [{id: u, consultations: [{persona: nutritionist, messages: [@]}]}]}",
        .mealLog: "{name: a, users: [{id: u, meal_logs: [@]}]}",
        .item: "{name: a, users: [{id: u, meal_logs: [{text: a, meal_type: lunch, items: [@]}]}]}",
        .documents: "{name: a, users: [{id: u, documents: @}]}",
        .share: "{name: a, users: [{id: u, documents: {workout_templates: [{name: a, shared_with: [@]}]}}]}",
        .food: "{name: a, meals: [{items: [@]}]}", .template: "{name: a, answers: [{text: a, template_created: @}]}",
        .answer: "{name: a, answers: [@]}", .answerCondition: "{name: a, answers: [{text: a, when: @}]}",
        .timing: "{name: a, answers: [{text: a, timing: @}]}",
        .jitter: "{name: a, answers: [{text: a, timing: {jitter: @}}]}", .chunk: "{name: a, answers: [{chunks: [@]}]}",
        .step: "{name: a, answers: [{steps: [@]}]}", .meal: "{name: a, meals: [@]}",
        .mealCondition: "{name: a, meals: [{fail: a, when: @}]}", .replay: "{name: a, replay: @}",
        .fault: "{name: a, faults: [@]}", .selection: "{name: a, faults: [{on: any, hang: true, requests: @}]}",
        .quota: "{name: a, faults: [{on: any, quota: @}]}", .dribble: "{name: a, faults: [{on: any, dribble: @}]}",
        .truncate: "{name: a, faults: [{on: any, truncate: @}]}", .reset: "{name: a, faults: [{on: any, reset: @}]}",
        .close: "{name: a, faults: [{on: socket, close: @}]}", .cut: "{name: a, faults: [{on: socket, cut: @}]}",
        .end: "{name: a, faults: [{on: socket, end: @}]}",
        .point: "{name: a, faults: [{on: socket, finish: true, at: @}]}",
        .hold: "{name: a, faults: [{on: any, hold: @}]}", .network: "{name: a, network: @}",
        .outages: "{name: a, network: {outages: @}}", .stub: "{name: a, stubs: [@]}",
        .token: "{name: a, tokens: [@]}", .change: "{name: a, overlay: [@]}",
        .upstream: "{name: a, upstream: @}", .exception: "{name: a, upstream: {except: [@]}}",
    ]

    /// The members that an object must have before the reader examines it further.
    static let companions: [ObjectKind: [String]] = [
        .message: ["user: hi"], .token: ["token: t"], .share: ["user_id: b"],
        .fault: ["on: any", "on: socket", "on: any, status: 500"],
        .user: ["id: u", "email: \"a\\u0040b.c\""],
        .stub: ["path: \"/a\""],
        .change: [
            "on: \"GET /api/v1/goals\"", "on: \"socket /ws/meal-logs\"",
        ],
    ]

    /// The rules that the schema does not express: combinations of values, and durations.
    static let beyond = [
        "requires '", "cannot be used with", "cannot be combined with", "does not name a goal",
        "or the name of a pause", "must last from", "is for REST", "is for sockets", "for a REST endpoint",
        "an id: a lower-case UUID", "set both for all foods or for none",
    ]

    @Test("The schema and the reader agree on each value", arguments: ObjectKind.allCases.filter { $0 != .overlay })
    func scalars(_ kind: ObjectKind) throws {
        let place = try #require(Self.places[kind])
        let properties = try #require(try SchemaTests.definition(kind)["properties"])
        for key in kind.keys {
            let schema = try #require(properties[key])
            var companions = Self.companions[kind, default: []].filter { !", \($0)".contains(", \(key):") }
            companions = companions.isEmpty ? [""] : companions.map { "\($0), " }
            for text in Self.values + Self.bounds(of: schema) {
                let passes = try Self.passes(try JSON.parse(Array(text.utf8)), schema)
                for companion in companions {
                    let document = place.replacing("@", with: "{\(companion)\(key): \(text)}")
                    let refusals = Self.refusals(key) { try Scenario.read(document) }
                    if !refusals.contains(where: { refusal in Self.beyond.contains { refusal.contains($0) } }) {
                        #expect(passes == refusals.isEmpty, "\(kind.rawValue).\(key): \(text) \(refusals)")
                    }
                    let value = try Self.json(place.replacing("@", with: "{\(companion)\(key): @}"), text)
                    #expect(Self.refusals(key) { try Scenario.read(json: value) } == refusals, "\(document)")
                }
            }
        }
    }

    /// The whole numbers, and the lengths of a string, at a schema's bounds and just beyond them.
    private static func bounds(of schema: JSONValue) -> [String] {
        ([schema] + (schema["anyOf"]?.array ?? [])).flatMap { (option) -> [String] in
            func near(_ keys: [String]) -> [Int] {
                keys.compactMap { option[$0]?.int }.filter { $0 < Int.max }.flatMap { [$0 - 1, $0, $0 + 1] }
            }
            return near(["minimum", "maximum"]).map(String.init)
                + near(["minLength", "maxLength"]).map { "\"\(String(repeating: "x", count: max($0, 0)))\"" }
        }
    }

    /// The messages about a key's value in a document.
    private static func refusals(_ key: String, _ read: () throws -> Scenario) -> [String] {
        do {
            _ = try read()
            return []
        } catch let errors as ScenarioErrors {
            return errors.mistakes.filter { $0.path == key || $0.path.hasSuffix(".\(key)") }.map(\.message).sorted()
        } catch {
            return ["\(error)"]
        }
    }

    /// Converts a document in YAML's flow style to JSON by quoting its words, except for numbers and truth values.
    ///
    /// - Parameter value: Replaces `@`, and is JSON already.
    private static func json(_ document: String, _ value: String) throws -> JSONValue {
        let text = document.replacing(#/[a-z][a-z0-9_]*(?=[:,}\]])/#) { match in
            ["true", "false"].contains(String(match.output)) ? String(match.output) : "\"\(match.output)\""
        }
        return try JSON.parse(Array(text.replacing("@", with: value).utf8))
    }

    /// Whether a single value is valid, according to the part of JSON Schema that this schema uses for such values.
    private static func passes(_ value: JSONValue, _ schema: JSONValue) throws -> Bool {
        if let name = schema["$ref"]?.string?.split(separator: "/").last {
            guard try passes(value, #require(try SchemaTests.schema()["$defs"]?[String(name)])) else { return false }
        }
        if let options = schema["anyOf"]?.array, try !options.contains(where: { try passes(value, $0) }) {
            return false
        }
        if let options = schema["oneOf"]?.array, try options.filter({ try passes(value, $0) }).count != 1 {
            return false
        }
        if let refused = schema["not"], try passes(value, refused) { return false }
        if let allowed = schema["enum"]?.array, !allowed.contains(value) { return false }
        if let constant = schema["const"], constant != value { return false }
        let types = schema["type"].map { $0.array?.compactMap(\.string) ?? [$0.string ?? ""] }
        if let types, !types.contains(where: { isOf($0, value) }) { return false }
        if let number = value.double {
            if let minimum = schema["minimum"]?.double, number < minimum { return false }
            if let bound = schema["exclusiveMinimum"]?.double, number <= bound { return false }
            if let maximum = schema["maximum"]?.double, number > maximum { return false }
        }
        guard let text = value.string else { return true }
        if let least = schema["minLength"]?.int, text.unicodeScalars.count < least { return false }
        if let most = schema["maxLength"]?.int, text.unicodeScalars.count > most { return false }
        guard let pattern = schema["pattern"]?.string else { return true }
        return text.range(of: pattern, options: .regularExpression) != nil
    }

    private static func isOf(_ type: String, _ value: JSONValue) -> Bool {
        switch type {
        case "boolean": value == true || value == false
        case "string": value.string != nil
        case "number": value.double != nil
        case "integer": value.int != nil
        default: false
        }
    }
}
