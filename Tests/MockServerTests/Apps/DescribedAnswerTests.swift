import FitIQAPI
import Foundation
import JSON
import TestSupport
import Testing

@testable import MockServer
@testable import Scenarios

/// Compares answers about documents with the schemas in the description that `GET /openapi.yaml` serves.
@Suite("Documents and the OpenAPI description") struct DescribedAnswerTests {
    private static let description = Result {
        try TreeBuilder.tree(ofYAML: APIDescription.openAPI.bytes(for: .union)).json
    }

    /// The parts of an answer and of its request body that the description does not allow.
    private static func mistakes(
        in answer: Response, saying text: String? = nil, to endpoint: Endpoint, _ body: String?
    ) throws -> [String] {
        let description = try description.get()
        let method = endpoint.method.rawValue.lowercased()
        let operation = try #require(
            description["paths"]?.object?.first { path in
                path.key.replacing(#/{\w+}/#, with: "{}") == endpoint.template.replacing(#/{\w+}/#, with: "{}")
            }?.value[method], "\(endpoint)")
        func schema(_ content: JSONValue?) -> JSONValue? { content?["content"]?["application/json"]?["schema"] }
        var mistakes: [String] = []
        if answer.status < 300, let body, let sent = schema(operation["requestBody"]) {
            mistakes += SchemaCheck(description).mistakes(in: try JSON.parse(Array(body.utf8)), sent, at: "request")
        }
        guard let described = operation["responses"]?[String(answer.status)] else { return ["\(answer.status)"] }
        let response = SchemaCheck(description).resolved(described)
        guard let schema = schema(response) else { return answer.body.isEmpty ? mistakes : ["a body"] }
        let json = try JSON.parse(Array((text ?? answer.text).utf8))
        return mistakes + SchemaCheck(description).mistakes(in: json, schema, at: "answer")
    }

    @Test(
        "Each operation accepts and returns documents that match the description", arguments: SentDocuments.operations)
    func answers(endpoint: Endpoint) throws {
        let network = try SentDocuments.network(sharedWith: ["bert"])
        let id = SentDocuments.id(try #require(endpoint.documents))
        for (id, user) in [(id, TestUser.anna), (id, "bert"), (SentDocuments.unknown, TestUser.anna), (id, nil)] {
            let answer = try network.exchange(SentDocuments.request(endpoint, id, as: user))
            let mistakes = try Self.mistakes(in: answer, to: endpoint, SentDocuments.body(of: endpoint))
            #expect(mistakes == [], "\(answer.text)")
        }
    }

    @Test("The description covers the errors for bad bodies and queries", arguments: SentDocuments.operations)
    func refusals(endpoint: Endpoint) throws {
        let network = try SentDocuments.network()
        let id = SentDocuments.id(try #require(endpoint.documents))
        var request = Request.authorized(
            endpoint.method,
            SentDocuments.target(of: endpoint, id).prefix { $0 != "?" } + "?limit=0&from=x&start_date=x",
            as: TestUser.anna)
        if endpoint.body == .required { request = request.json(#"{"name":5}"#) }
        let answer = try network.exchange(request)
        #expect(try Self.mistakes(in: answer, to: endpoint, nil) == [], "\(answer.text)")
        let isRead = endpoint.body == .required || endpoint.parameters.contains("limit")
        #expect(!isRead || answer.status == 400, "\(endpoint): \(answer.text)")
    }

    @Test("The schema check finds planted differences")
    func mutants() throws {
        let network = try SentDocuments.network()
        let good = try network.exchange(SentDocuments.request(.listSleep, as: TestUser.anna))
        for (old, new) in [
            (#""total":1"#, #""total":-1"#), (#""total":1,"#, ""), ("null", "5"), (#""success":true"#, #""success":1"#),
            ("2025-01-28T22:00:00Z", "2025-01-28T22:00:00.000Z"), (#""rem_minutes":240"#, #""rem_minutes":240.5"#),
            (#""stage":"rem""#, #""stage":"nap""#), (#""data":{"#, #""data":{"more":1,"#),
        ] {
            let bad = good.text.replacing(old, with: new)
            #expect(bad != good.text, "\(old) is not in \(good.text)")
            #expect(try Self.mistakes(in: good, saying: bad, to: .listSleep, nil).count == 1, "\(old)")
        }
    }
}

/// The part of JSON Schema that the description uses for documents.
private struct SchemaCheck {
    let description: JSONValue

    init(_ description: JSONValue) { self.description = description }

    func resolved(_ schema: JSONValue) -> JSONValue {
        guard let path = schema["$ref"]?.string else { return schema }
        let target = path.split(separator: "/").dropFirst().reduce(description) { $0[String($1)] ?? .null }
        return resolved(target)
    }

    func mistakes(in value: JSONValue, _ schema: JSONValue, at path: String) -> [String] {
        let schema = resolved(schema)
        func expected(_ words: String) -> [String] { ["\(path): \(words) expected"] }
        let types = schema["type"].map { $0.array?.compactMap(\.string) ?? [$0.string ?? ""] }
        if let types, !types.contains(where: { Self.isOf($0, value) }) { return expected("\(types)") }
        if let constant = schema["const"], constant != value { return expected("\(constant)") }
        if let choices = schema["enum"]?.array, !choices.contains(value) { return expected("\(choices)") }
        for (keyword, isOne) in [("anyOf", false), ("oneOf", true)] {
            guard let choices = schema[keyword]?.array else { continue }
            let count = choices.count { mistakes(in: value, $0, at: path).isEmpty }
            if count == 0 || (isOne && count > 1) { return expected("\(keyword) \(choices)") }
        }
        let parts = (schema["allOf"]?.array ?? []).flatMap { mistakes(in: value, $0, at: path) }
        if let object = value.object { return parts + mistakes(in: object, of: schema, at: path) }
        if let array = value.array {
            guard Self.isWithin(schema, "minItems", Double(array.count), "maxItems") else {
                return expected("a length")
            }
            guard let items = schema["items"] else { return parts }
            return parts + array.enumerated().flatMap { mistakes(in: $0.element, items, at: "\(path)[\($0.offset)]") }
        }
        if let number = value.double, !Self.isWithin(schema, "minimum", number, "maximum") {
            return expected("a range")
        }
        guard let text = value.string else { return parts }
        let isLong = Self.isWithin(schema, "minLength", Double(text.unicodeScalars.count), "maxLength")
        let isMatch = schema["pattern"]?.string.map { text.range(of: $0, options: .regularExpression) != nil } ?? true
        return parts + (isLong && isMatch ? [] : expected("a text like \(schema)"))
    }

    private func mistakes(in object: JSONObject, of schema: JSONValue, at path: String) -> [String] {
        let properties = schema["properties"]?.object ?? [:]
        let missing = (schema["required"]?.array ?? []).compactMap(\.string).filter { object[$0] == nil }
        return missing.map { "\(path).\($0) is missing" }
            + object.flatMap { name, value in
                if let property = properties[name] { return mistakes(in: value, property, at: "\(path).\(name)") }
                return schema["additionalProperties"] == false ? ["\(path).\(name) is not described"] : []
            }
    }

    private static func isWithin(_ schema: JSONValue, _ low: String, _ value: Double, _ high: String) -> Bool {
        value >= schema[low]?.double ?? -.infinity && value <= schema[high]?.double ?? .infinity
    }

    private static func isOf(_ type: String, _ value: JSONValue) -> Bool {
        switch type {
        case "null": value == .null
        case "boolean": value.bool != nil
        case "string": value.string != nil
        case "number": value.double != nil
        case "integer": value.double.map { $0 == $0.rounded() } ?? false
        case "array": value.array != nil
        default: value.object != nil
        }
    }
}
