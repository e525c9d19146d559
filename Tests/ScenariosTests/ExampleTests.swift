import Faults
import FitIQAPI
import Patterns
import Testing

@testable import FitIQBackend
@testable import Scenarios

/// A scenario with every kind of key, and the result of reading it.
@Suite("Reading: every kind of key")
struct ExampleTests {
    @Test("The reader reads a scenario's top-level keys")
    func header() throws {
        let scenario = try Scenario.read(
            """
            name: drop
            summary: It drops.
            guide: goal-linking
            seed: 18446744073709551615
            clock: {manual: 2025-02-03T04:05:06.000000007Z}
            token_lifetime: 90s
            issued_ids: 12
            """)
        let start = Timestamp(nanosecondsSinceEpoch: 1_738_555_506_000_000_007)
        #expect(
            scenario
                == Scenario(
                    name: "drop", summary: "It drops.", guide: .goalLinking, seed: .max, clock: .manual(start: start),
                    tokenLifetime: 90_000_000_000, data: WorldData(issuedIDs: 12)))
        #expect(try Scenario.read("{name: a, clock: manual}").clock == .manual)
        #expect(try Scenario.read("{name: a, clock: real}") == Scenario(name: "a", clock: .real))
        #expect(try Scenario.read("{name: a, ids: any-case}").rules.ids == .anyCase)
        #expect(try Scenario.read("{name: a, ids: lower-case}").rules.ids == .lowerCase)
        #expect(try Scenario.read("{name: a, compression: required}").rules.compression == .required)
        #expect(try Scenario.read("{name: a, compression: on}").rules.compression == .on)
    }

    @Test("The key determines how the reader interprets a YAML 1.1 word")
    func words() throws {
        let scenario = try Scenario.read(
            """
            name: no
            summary: 1:30
            users: [{id: on, goals: [{title: 007, name: yes, description: off}]}]
            faults: [{on: any, status: 503, message: null, body: "null"}]
            """)
        #expect((scenario.name, scenario.summary) == ("no", "1:30"))
        #expect(
            scenario.data.users == [
                UserData(id: "on", goals: [GoalData(name: "yes", title: "007", description: "off")])
            ])
        #expect(scenario.faults.map(\.fault) == [.response(.replace(Replacement(status: 503, body: "null")), on: [])])
    }

    @Test("The reader reads users, goals and consultations")
    func data() throws {
        let scenario = try Scenario.read(
            """
            name: data
            users:
              - id: default
                goals:
                  - name: run
                    id: 5d1f7a90-3c4e-4b5d-8f6a-1b2c3d4e5f60
                    title: Run 5 km
                    description: Soon
                    category: fitness
                    target_date: 2025-06-01T00:00:00Z
                    status: in_progress
                    progress: 0.25
                    created_at: 3d ago
                    updated_at: 2025-01-29T10:00:00.25Z
                consultations:
                  - persona: nutritionist
                    context: goal
                    goal: run
                    linked_goal: 5d1f7a90-3c4e-4b5d-8f6a-1b2c3d4e5f60
                    is_goals_conversation: false
                    title: Food
                    made_up_messages: 50
                    messages:
                      - user: "  How much?\\n"
                      - assistant: " Some. "
                        tokens_used: 12
                        function_called: f
                        template_created: {type: goal, id: "1", name: Run}
                        created_at: 1h ago
                      - {system: Note, id: 6d1f7a90-3c4e-4b5d-8f6a-1b2c3d4e5f60}
                    created_at: 2d ago
                  - {persona: wellness_specialist, context: mood, context_id: m, status: archived}
                  - {persona: general_wellness, context: goal, goal: run, unlinked: true}
                fill_active_consultations: 10
              - id: other
            """)
        let goalID = try #require(ResourceID("5d1f7a90-3c4e-4b5d-8f6a-1b2c3d4e5f60"))
        let hour: Int64 = 3_600_000_000_000
        let goal = GoalData(
            id: goalID, name: "run", title: "Run 5 km", description: "Soon", category: "fitness",
            targetDate: DateTime("2025-06-01T00:00:00Z"), status: .inProgress, progress: 0.25,
            createdAt: .before(72 * hour), updatedAt: .at(Timestamp(nanosecondsSinceEpoch: 1_738_144_800_250_000_000)))
        let metadata = MessageMetadata(
            tokensUsed: 12, templateCreated: CreatedTemplate(type: "goal", id: "1", name: "Run"), functionCalled: "f")
        var talk = ConsultationData(
            persona: .nutritionist, contextType: .goal, contextGoal: .named("run"), linkedGoal: .id(goalID),
            isGoalsConversation: false, title: "Food",
            messages: [
                MessageData(role: .user, content: "How much?"),
                MessageData(role: .assistant, content: " Some. ", metadata: metadata, createdAt: .before(hour)),
                MessageData(id: ResourceID("6d1f7a90-3c4e-4b5d-8f6a-1b2c3d4e5f60"), role: .system, content: "Note"),
            ], madeUpMessages: 50, createdAt: .before(48 * hour))
        #expect((scenario.data.users.first?.goals, scenario.data.users.first?.consultations.first) == ([goal], talk))
        talk = ConsultationData(persona: .generalWellness, contextType: .goal, contextGoal: .named("run"))
        talk.isUnlinked = true
        #expect(
            scenario.data.users
                == [
                    UserData(
                        id: "7d3f2b60-5a52-4c1e-9a54-0f6f1c1d2e3a", goals: [goal],
                        consultations: [
                            scenario.data.users[0].consultations[0],
                            ConsultationData(
                                persona: .wellnessSpecialist, contextType: .mood, contextID: "m", status: .archived),
                            talk,
                        ], fillActiveConsultations: 10),
                    UserData(id: "other"),
                ])
    }

    @Test("A profile is provisional only if its scenario says so")
    func profiles() throws {
        for (text, isProvisional) in [("{name: b}", false), ("{name: b, provisional: true}", true)] {
            let scenario = try Scenario.read("{name: a, users: [{id: u, profile: \(text)}]}")
            #expect(scenario.data.users.first?.profile?.content.isProvisional == isProvisional)
        }
    }

    @Test("The reader reads meal logs")
    func mealLogs() throws {
        let scenario = try Scenario.read(
            """
            name: meals
            users:
              - id: u
                meal_logs:
                  - {text: 2 eggs, meal_type: breakfast}
                  - {text: 2 eggs, meal_type: lunch, status: processing, created_at: 1s ago}
                  - {text: 2 eggs, meal_type: dinner, error: No, details: Because, finished_at: 1s ago}
                  - text: 2 eggs
                    meal_type: snack
                    status: failed
                    logged_at: 2025-01-29T08:00:00+01:00
                  - text: 2 eggs
                    meal_type: snack
                    items: [{name: Egg, quantity: 2, unit: pieces, calories: 155, protein: 12.6}]
                  - text: 2 eggs
                    meal_type: snack
                    items:
                      - id: 5d1f7a90-3c4e-4b5d-8f6a-1b2c3d4e5f60
                        food_id: 6d1f7a90-3c4e-4b5d-8f6a-1b2c3d4e5f60
                        amount: two
                        name: Egg
                        quantity: 2.5
                        unit: pieces
                        confidence: 0.5
                        notes: Boiled
            """)
        let logs = try #require(scenario.data.users.first?.mealLogs)
        var failure = MealLogFailure.noFood
        failure.suggestions = []
        let noFood = failure
        (failure.message, failure.details) = ("No", "Because")
        let egg = MealItem(
            name: "Egg", quantity: 2, unit: "pieces", nutrients: MealNutrients(calories: 155, proteinTenths: 126))
        let item = MealItem(
            id: ResourceID("5d1f7a90-3c4e-4b5d-8f6a-1b2c3d4e5f60"),
            foodID: try #require(ResourceID("6d1f7a90-3c4e-4b5d-8f6a-1b2c3d4e5f60")), name: "Egg", quantity: 2.5,
            unit: "pieces", amountText: "two", nutrients: MealNutrients(), confidence: 0.5, notes: "Boiled",
            foodType: .food)
        let second: Int64 = 1_000_000_000
        #expect(
            logs == [
                MealLogData(rawInput: "2 eggs", mealType: .breakfast),
                MealLogData(rawInput: "2 eggs", mealType: .lunch, createdAt: .before(second), progress: .processing),
                MealLogData(
                    rawInput: "2 eggs", mealType: .dinner, progress: .failed(failure), finishedAt: .before(second)),
                MealLogData(
                    rawInput: "2 eggs", mealType: .snack, loggedAt: DateTime("2025-01-29T07:00:00Z"),
                    progress: .failed(noFood)),
                MealLogData(rawInput: "2 eggs", mealType: .snack, progress: .foods([egg])),
                MealLogData(rawInput: "2 eggs", mealType: .snack, progress: .completed([item])),
            ])
    }

    @Test("The reader reads rules for meals")
    func meals() throws {
        let scenario = try Scenario.read(
            """
            name: meals
            meals:
              - when: {text: pizza, meal_type: [lunch, dinner]}
                after: 3s
                items: [{name: Margherita, quantity: 2, unit: slice, calories: 540, sugar: 6, confidence: 0.9}]
              - {when: {text: /gravel|sand/, meal_type: snack}, fail: Failed, details: Sand}
              - never: true
              - after: 0
            """)
        let pizza = MealItem(
            name: "Margherita", quantity: 2, unit: "slice", nutrients: MealNutrients(calories: 540, sugarTenths: 60),
            confidence: 0.9)
        #expect(
            scenario.script.meals == [
                MealRule(
                    text: .contains("pizza"), mealTypes: [.lunch, .dinner], duration: 3_000_000_000,
                    outcome: .completed([pizza])),
                MealRule(
                    text: .matches(try Pattern("gravel|sand")), mealTypes: [.snack],
                    outcome: .failed(MealLogFailure(message: "Failed", details: "Sand"))),
                MealRule(outcome: .never),
                MealRule(duration: 0, outcome: .parsed),
            ])
    }
}
