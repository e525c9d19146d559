import FitIQBackend
import JSON
import Scenarios
import Testing

@Suite("Byte-wise comparison of names in scenarios")
struct IdentityTests {
    @Test(
        "Users, goals, pauses and faults with canonically equivalent names are different",
        arguments: [("jos\u{E9}", "jose\u{301}"), ("K", "\u{212A}")])
    func names(_ first: String, _ second: String) throws {
        // Use JSON, because YAML's reader rejects two such keys in a mapping, which it cannot distinguish.
        let text = """
            {"name": "twins",
             "users": [
               {"id": "\(first)",
                "goals": [{"name": "\(first)", "title": "one"}, {"name": "\(second)", "title": "other"}],
                "consultations": [
                  {"persona": "nutritionist", "context": "goal", "goal": "\(second)"},
                  {"persona": "nutritionist", "context": "goal", "goal": "\(first)"},
                  {"persona": "nutritionist", "context": "mood", "context_id": "\(first)"},
                  {"persona": "nutritionist", "context": "mood", "context_id": "\(second)"}]},
               {"id": "\(second)"}],
             "pauses": {"\(first)": "1s", "\(second)": "2s"},
             "answers": [{"steps": [{"text": "a"}, {"pause": "\(first)"}, {"pause": "\(second)"}]}],
             "faults": [
               {"name": "\(first)", "on": "any", "status": 500}, {"name": "\(second)", "on": "any", "status": 501}]}
            """
        let scenario = try Scenario.read(text)
        #expect(scenario.data.users.map(\.id) == [ExactString(first), ExactString(second)])
        #expect(
            scenario.data.users[0].consultations.map(\.contextGoal).prefix(2) == [
                .named(ExactString(second)), .named(ExactString(first)),
            ])
        #expect(scenario.faults.map(\.name) == [ExactString(first), ExactString(second)])
        #expect(throws: ScenarioErrors.self) { try Scenario.read("{name: a, pauses: {\(first): 1s, \(second): 2s}}") }
        let twice = text.replacing(second, with: first)
        #expect(throws: ScenarioErrors.self) { try Scenario.read(twice) }
    }
}
