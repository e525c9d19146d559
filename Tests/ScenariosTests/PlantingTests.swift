import FitIQAPI
import FitIQBackend
import JSON
import Testing

@testable import Scenarios

/// Planting the data from files, and reading a world's export.
@Suite("Scenarios and worlds")
struct PlantingTests {
    static let start = Timestamp(secondsSinceEpoch: 1_738_146_600)

    static func export(_ data: WorldData) throws -> WorldData {
        var backend = Backend(Backend.Configuration(origin: "http://127.0.0.1:8080"))
        var turn = Turn(now: start, identifiers: ResourceIDSequence(seed: 1))
        try backend.plant(data, &turn)
        return backend.data(at: turn.now, issuedIDs: turn.identifiers.issuedCount)
    }

    @Test("Each built-in scenario's data survives planting and export", arguments: Scenario.builtInNames)
    func plants(_ name: String) throws {
        let scenario = try #require(Scenario.builtIn(named: name))
        let data = try Self.export(scenario.data)
        let clock = ClockMode.manual(start: Self.start.advanced(byNanoseconds: 7))
        // Free-form ids are readable if the document allows them.
        let rules = WorldRules(ids: scenario.rules.ids)
        let file = data.scenarioFile(name: "export", guide: .goalLinking, seed: .max, clock: clock, rules: rules)
        var expected = Scenario(name: "export", guide: .goalLinking, seed: .max, clock: clock, data: data)
        expected.rules = rules
        // Read the file as JSON and as YAML, because it is both.
        let value = try JSON.parse(file)
        for read in [try Scenario.read(file), try Scenario.read(json: value)] {
            #expect((read.data, read) == (data, expected))
        }
        let yaml = Array("# An export\n".utf8) + file
        #expect(try Scenario.read(yaml).data == data)
        #expect(try Self.export(data) == data)
    }

    @Test("The export preserves data that only the apps create")
    func apps() throws {
        let scenario = try Scenario.read(
            """
            name: apps
            users:
              - consultations: [{persona: nutritionist, context: goal, quick_action: Plan it}]
                meal_logs: [{text: a pie, meal_type: lunch, status: manual}]
                photos: [{text: 2 eggs, meal_type: lunch, meal_log_id: 0a1b2c3d-0000-4000-8000-000000000003}]
            """)
        let data = try Self.export(scenario.data)
        let user = try #require(data.users.first)
        #expect(user.consultations.map(\.contextType) == [.goal] && user.consultations[0].contextGoal == nil)
        #expect(user.consultations[0].quickAction == "Plan it")
        #expect(user.mealLogs.map(\.isManual) == [true] && user.photos.map(\.isManual) == [false])
        #expect(user.photos[0].mealLogID == ResourceID("0a1b2c3d-0000-4000-8000-000000000003"))
        let file = data.scenarioFile(name: "export", guide: .union, seed: 1, clock: .real)
        #expect(try Scenario.read(file).data == data)
        #expect(try Self.export(data) == data)
    }
}
