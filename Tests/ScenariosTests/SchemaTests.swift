import Faults
import FitIQAPI
import Foundation
import JSON
import Replay
import Testing

@testable import Scenarios

/// Compares scenario.schema.json with the reader: an editor must neither reject valid files nor suggest invalid ones.
@Suite("The JSON Schema")
struct SchemaTests {
    static func schema() throws -> JSONValue {
        let bytes = try Data(contentsOf: Fixture.scenarios.appendingPathComponent("scenario.schema.json"))
        return try JSON.parse([UInt8](bytes))
    }

    static func definition(_ kind: ObjectKind) throws -> JSONValue {
        let schema = try schema()
        return kind == .scenario ? schema : try #require(schema["$defs"]?[kind.rawValue], "\(kind.rawValue)")
    }

    @Test("The schema allows only the listed keys of each object", arguments: ObjectKind.allCases)
    func keys(_ kind: ObjectKind) throws {
        let definition = try Self.definition(kind)
        #expect(!kind.keys.isEmpty && definition["additionalProperties"] == false)
    }

    @Test("The schema and the reader have the same objects, kinds of fault and collections")
    func objects() throws {
        let objects = try #require(Self.schema()["$defs"]?.object).filter { $0.value["properties"] != nil }
        #expect(Set(objects.map(\.key) + ["scenario"]) == Set(ObjectKind.allCases.map(\.rawValue)))
        #expect(Set(FaultAction.all.map(\.key)).isSubset(of: ObjectKind.fault.keys))
        #expect(Set(ObjectKind.documents.keys) == Set(DocumentCollection.allCases.map(\.rawValue)))
    }

    @Test("Each object and each key in the schema has a description", arguments: ObjectKind.allCases)
    func descriptions(_ kind: ObjectKind) throws {
        let definition = try Self.definition(kind)
        #expect(definition["description"]?.string?.hasSuffix(".") == true)
        for (key, property) in try #require(definition["properties"]?.object) {
            let text = property["description"]?.string ?? ""
            #expect(text.count >= 8 && text.hasSuffix("."), "\(kind.rawValue).\(key)")
        }
    }

    @Test(
        "The schema's choices match the reader's",
        arguments: [
            ("endpoint", FaultTarget.endpoints.map(\.name)),
            ("persona", ["nutritionist", "fitness_coach", "wellness_specialist", "general_wellness"]),
        ])
    func choices(_ name: String, _ expected: [String]) throws {
        let values = try Self.schema()["$defs"]?[name]?["enum"]?.array?.compactMap(\.string)
        #expect(values.map(Set.init) == Set(expected))
    }

    @Test("The schema's frame types match the reader's")
    func types() throws {
        let values = try Self.definition(.point)["properties"]?["type"]?["enum"]?.array?.compactMap(\.string)
        #expect(values.map(Set.init) == Set(SocketPoint.types + SocketPoint.clientTypes))
    }

    @Test("The schema's compression errors and ends of a connection match the reader's")
    func faultWords() throws {
        let errors = try Self.definition(.fault)["properties"]?["compression"]?["enum"]?.array?.compactMap(\.string)
        #expect(errors == CompressionFault.allCases.map(\.rawValue))
        let ends = try Self.definition(.end)["properties"]?["how"]?["enum"]?.array?.compactMap(\.string)
        #expect(ends == SocketFault.Ending.allCases.map(\.rawValue))
    }

    @Test("The schema's replay settings match the reader's")
    func replay() throws {
        let properties = try #require(try Self.definition(.replay)["properties"])
        let matches = properties["match"]?["enum"]?.array?.compactMap(\.string)
        #expect(matches == ReplaySettings.Match.allCases.map(\.rawValue))
        let orders = properties["frames"]?["enum"]?.array?.compactMap(\.string)
        #expect(orders == ReplaySettings.FrameOrder.allCases.map(\.rawValue))
        let speed = properties["speed"]?["anyOf"]?.array?.last
        #expect(speed?["minimum"]?.double == ScenarioLimits.replaySpeed.lowerBound)
        #expect(speed?["maximum"]?.double == ScenarioLimits.replaySpeed.upperBound)
    }

    @Test("The reader requires the schema's required keys", arguments: ObjectKind.allCases)
    func required(_ kind: ObjectKind) throws {
        let required = try Self.definition(kind)["required"]?.array?.compactMap(\.string) ?? []
        // An overlay is no part of a scenario.
        guard let place = SchemaScalarTests.places[kind] else { return #expect(required.isEmpty) }
        // An otherwise complete document has an empty mapping in place of the object.
        let document = place.replacing("@", with: "{}")
        let missing = (TreeTests.errors(document)?.mistakes ?? []).filter { $0.message.contains(" is missing: ") }
            .compactMap { $0.path.split(separator: ".").last.map(String.init) }
        #expect(Set(missing) == Set(required), "\(document)")
    }
}
