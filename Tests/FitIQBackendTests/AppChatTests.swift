import FitIQAPI
import JSON
import Testing

@testable import FitIQBackend

/// The apps' additional operations on consultations.
@Suite("The apps' chats") struct AppChatTests {
    /// A world with one user and a consultation that begins with a question.
    private struct Stage {
        var world: World
        let user: UserID
        var id = ""

        init(_ question: String? = nil, script: Script = Script(), perTopic: ConsultationsPerTopic = .one) throws {
            world = World(script: script, perTopic: perTopic)
            user = try world.backend.user("user-1")
            id = try create(question: question)
        }

        mutating func create(
            _ persona: Persona = .nutritionist, question: String? = nil, quickAction: String? = nil
        ) throws(APIError) -> String {
            var request = CreateConsultationRequest(persona: persona)
            (request.question, request.quickAction) = (question, quickAction)
            let body = try create(request)
            return (try? JSON.parse(body))?["consultation_id"]?.string ?? ""
        }

        mutating func create(_ request: CreateConsultationRequest) throws(APIError) -> [UInt8] {
            try world.backend.createConsultation(request, by: user, &world.turn)
        }

        mutating func send(_ content: String) throws -> JSONValue {
            let request = try SendMessageRequest(body: #"{"content":"\#(content)"}"#.bytes)
            let body = try world.backend.sendMessage(request, in: id, by: user, &world.turn)
            return try #require(try JSON.parse(body)["data"])
        }

        mutating func update(_ body: String, _ id: String? = nil) throws(APIError) {
            let request = try UpdateConsultationRequest(body: body.bytes)
            _ = try world.backend.updateConsultation(id ?? self.id, request, by: user, &world.turn)
        }

        /// Reads the history; returns the messages' roles and contents.
        mutating func history() throws -> [String] {
            let body = try world.backend.messages(id, query: [], for: user, world.turn).make()
            return (try JSON.parse(body)["data"]?["messages"]?.array ?? []).map { $0["role"]?.string ?? "" }
        }

        func shown() throws -> JSONValue { try world.show(id, for: user) }
        func check() { #expect(Invariants.deepViolations(of: world) == []) }
    }

    private static let breakfast = "What should I eat for breakfast?"

    @Test("The answer to a first question streams over the first socket in the apps' form")
    func initialOverSocket() throws {
        var stage = try Stage(Self.breakfast)
        #expect(try stage.shown()["message_count"] == 1)
        stage.world.wait(milliseconds: 60_000)
        stage.check()
        #expect(try stage.world.record(stage.id).awaitsAnswer)
        try stage.world.open(1, on: stage.id, by: stage.user)
        try stage.world.open(2, on: stage.id, by: stage.user)
        let effects = stage.world.takeAnswers()
        #expect(effects.story(of: 1) == ["connected", "stream_chunk", "stream_complete"])
        #expect(effects.story(of: 2) == ["connected"] && effects.frames(of: 1)[0]["user_id"] == "user-1")
        #expect(effects.streamed(to: 1).hasPrefix("For breakfast, I recommend"))
        #expect(try stage.history() == ["user", "assistant"])
        stage.check()
    }

    @Test("Reading the history without a socket answers the first question once")
    func initialInHistory() throws {
        var stage = try Stage(Self.breakfast)
        stage.world.pass(milliseconds: 7000)
        for _ in 0..<2 { #expect(try stage.history() == ["user", "assistant"]) }
        let answer = try #require(stage.world.record(stage.id).history.messages.last)
        #expect(answer.createdAt == stage.world.turn.now)
        #expect(answer.metadata?.persona == .nutritionist && answer.metadata?.processingTime == 0)
        stage.world.waitForAllAnswers()
        try stage.world.open(1, on: stage.id, by: stage.user)
        #expect(stage.world.takeEffects().story(of: 1) == ["connected"])
        stage.check()
    }

    @Test("Only prompts from the catalogue and initial messages become first questions")
    func quickActions() throws {
        var stage = try Stage()
        let prompt = QuickAction.matching(contextType: nil, persona: nil)[0].prompt
        stage.id = try stage.create(.fitnessCoach, quickAction: prompt)
        #expect(try stage.world.record(stage.id).history.messages.map(\.content) == [prompt])
        stage.id = try stage.create(.wellnessSpecialist, quickAction: "set_goal")
        #expect(try stage.history().isEmpty)
        stage.id = try stage.create(.generalWellness, question: "Hi", quickAction: prompt)
        #expect(try stage.world.record(stage.id).history.messages.map(\.content) == ["Hi"])
    }

    @Test("A consultation has context for goal suggestions once a question is answered or if it has a goal")
    func goalContext() throws {
        var stage = try Stage(Self.breakfast)
        func hasContext(_ id: String? = nil) throws -> Bool? {
            let shown = try stage.world.show(id ?? stage.id, for: stage.user)
            return shown["has_context_for_goal_suggestions"]?.bool
        }
        #expect(try hasContext() == false)
        _ = try stage.history()
        #expect(try hasContext() == true)
        let list = try JSON.parse(stage.world.backend.consultations(ConsultationListQuery(query: []), for: stage.user))
        #expect(list["data"]?["consultations"]?[0]?["has_context_for_goal_suggestions"] == true)
        try stage.update(#"{"title":"Eat"}"#)
        #expect(try hasContext() == true)

        // In a goal context without an id, a goal that is linked later counts as the context.
        let body = #"{"persona":"fitness_coach","context_type":"goal","quick_action":"set_goal"}"#
        let request = try CreateConsultationRequest(body: body.bytes, in: .union, isForApps: true)
        let shown = try #require(try JSON.parse(stage.create(request))["data"])
        #expect(shown["context_id"] == .null && shown["quick_action"] == "set_goal" && shown["goal_id"] == nil)
        let id = try #require(shown["id"]?.string)
        #expect(try hasContext(id) == false)
        #expect(refusal(try stage.create(request))?.status == .conflict)
        let data = stage.world.data
        let copy = try World(planting: data)
        #expect(copy.data.users == data.users)
        #expect(try copy.show(id, for: stage.user) == stage.world.show(id, for: stage.user))
        #expect(try copy.show(stage.id, for: stage.user) == stage.shown())
        let error = #expect(throws: PlantError.self) { try World(planting: data, mode: .enhancedConsultations) }
        #expect(error == PlantError("users[0].consultations[1]", .missingContextGoal))
        let goal = try stage.world.createGoal(by: stage.user)
        try stage.world.link(goal, with: id, by: stage.user)
        #expect(try hasContext(id) == true)
        stage.check()
    }

    @Test("A rejected create request does not store a question")
    func refusedCreation() throws {
        var stage = try Stage("First")
        #expect(refusal(try stage.create(question: "Second"))?.status == .conflict)
        #expect(stage.world.backend.consultationCount == 1)
        #expect(try stage.shown()["message_count"] == 1)
        stage.check()
    }

    @Test("After an import, a first question is still waiting, and its answer keeps its id")
    func export() throws {
        var stage = try Stage(Self.breakfast)
        let data = stage.world.data
        #expect(data.users[0].consultations[0].awaitsAnswer)
        var copy = try stage.world.replanted(seed: 9)
        #expect(copy.data.users == data.users)
        _ = try stage.history()
        let user = try copy.backend.user("user-1")
        #expect(try copy.messages(stage.id, for: user) == stage.world.messages(stage.id, for: stage.user))
        try copy.open(1, on: stage.id, by: user)
        #expect(copy.takeAnswers().streamed(to: 1).hasPrefix("For breakfast"))
    }

    @Test("Only an open question can be planted as waiting")
    func planting() throws {
        func plant(_ consultation: ConsultationData, _ mode: GuideMode = .union) throws -> ConsultationData {
            var world = World(mode: mode)
            let data = WorldData(users: [UserData(id: "u", consultations: [consultation])])
            try world.backend.plant(data, &world.turn)
            return world.data.users[0].consultations[0]
        }
        let question = MessageData(role: .user, content: "Hi")
        let asked = ConsultationData(persona: .nutritionist, messages: [question], awaitsAnswer: true)
        #expect(try plant(asked).awaitsAnswer && !plant(asked, .consultationWebSocket).awaitsAnswer)
        var bad = asked
        bad.messages.append(MessageData(role: .assistant, content: "Hello"))
        #expect(throws: PlantError("users[0].consultations[0].awaits_answer", .nothingToAnswer)) { try plant(bad) }
        bad = asked
        bad.status = .archived
        #expect(throws: PlantError("users[0].consultations[0].awaits_answer", .nothingToAnswer)) { try plant(bad) }

        let completed = ConsultationData(
            persona: .nutritionist, status: .completed, messages: [MessageData(role: .assistant, content: "Hi")],
            updatedAt: .before(5_000_000_000))
        #expect(try plant(completed).completedAt == .at(World.start.advanced(byNanoseconds: -5_000_000_000)))
        #expect(try plant(completed).messages[0].metadata?.persona == .nutritionist)
        #expect(try plant(completed, .enhancedConsultations).completedAt == nil)
        #expect(try plant(completed, .enhancedConsultations).messages[0].metadata?.persona == nil)
        bad = ConsultationData(persona: .nutritionist, completedAt: .before(0))
        #expect(throws: PlantError("users[0].consultations[0].completed_at", .notEnded)) { try plant(bad) }
    }

    @Test("A question sent over REST gets its complete answer after earlier questions are answered")
    func restAnswer() throws {
        var stage = try Stage("Hello")
        let data = try stage.send("  \(Self.breakfast) ")
        #expect(data["user_message"]?["content"]?.string == Self.breakfast && data["user_message"]?["role"] == "user")
        let answer = try #require(data["assistant_message"])
        #expect(answer["content"]?.string?.hasPrefix("For breakfast") == true)
        let metadata = try #require(answer["metadata"])
        #expect(metadata["persona"] == "nutritionist" && metadata["is_streaming"] == false)
        #expect(metadata["tokens"] == metadata["tokens_used"] && metadata["processing_time_ms"] == 0)
        #expect(try stage.history() == ["user", "assistant", "user", "assistant"])

        // A socket that disconnects in the middle of an answer, with another question in the queue.
        try stage.world.open(1, on: stage.id, by: stage.user)
        stage.world.message("One", from: 1)
        stage.world.message("Two", from: 1)
        stage.world.wait(milliseconds: 1500)
        stage.world.close(1)
        _ = try stage.send("Three")
        #expect(try stage.history().suffix(6) == ["user", "user", "assistant", "assistant", "user", "assistant"])
        stage.world.waitForAllAnswers()
        #expect(try stage.history().count == 10)
        stage.check()
    }

    @Test("The answer to a REST question also streams on the world's clock to an open socket")
    func restWithSocket() throws {
        var stage = try Stage()
        try stage.world.open(1, on: stage.id, by: stage.user)
        try stage.world.open(2, on: stage.id, by: stage.user)
        stage.world.userMessage("Hello", from: 2)
        stage.world.takeAnswers()
        let begin = stage.world.turn.now
        let data = try stage.send(Self.breakfast)
        #expect(data["assistant_message"] == JSONValue.null)
        let effects = stage.world.takeAnswers()
        #expect(effects.story(of: 1) == ["message_received", "stream_chunk", "stream_complete"])
        #expect(
            effects.story(of: 2) == [
                "user_message", "assistant_message_start", "assistant_message_chunk", "assistant_message_end",
            ])
        let metadata = try #require(effects.frames(of: 1).last?["metadata"])
        let time = (stage.world.turn.now.nanosecondsSinceEpoch - begin.nanosecondsSinceEpoch) / 1_000_000
        #expect(time > 0 && metadata["processing_time_ms"]?.int == Int(time))
        #expect(metadata["tokens_used"]?.int == (effects.streamed(to: 1).utf8.count + 3) / 4)
        #expect(try stage.world.record(stage.id).history.messages.last?.metadata?.processingTime == Int(time))
        stage.check()
    }

    @Test("A silent coach answers a REST question with null")
    func restRefusals() throws {
        var stage = try Stage(script: Script(answers: [AnswerRule(script: AnswerScript(steps: [.silence]))]))
        #expect(try stage.send("Hi")["assistant_message"] == JSONValue.null)
        try stage.world.open(1, on: stage.id, by: stage.user)
        for _ in 0..<17 { stage.world.message("Hi", from: 1) }
        #expect { try stage.send("Hi") } throws: { error in
            (error as? APIError).map { ($0.status.code, $0.code) == (429, .tooManyWaitingMessages) } ?? false
        }
        _ = try stage.world.backend.complete(stage.id, by: stage.user, &stage.world.turn)
        #expect { try stage.send("Hi") } throws: { ($0 as? APIError)?.code == .consultationNotActive }

        var (world, user, id) = try World(limits: .with { $0.messages = 3 }).withConsultation("u")
        let request = try SendMessageRequest(body: #"{"content":"Hi"}"#.bytes)
        _ = try world.backend.sendMessage(request, in: id, by: user, &world.turn)
        let full = refusal(try world.backend.sendMessage(request, in: id, by: user, &world.turn))
        #expect(full?.status == .insufficientStorage && full?.code == .historyFull)
        #expect(try world.record(id).history.count == 2)
    }

    @Test("A consultation can be completed once, but not after it has been archived")
    func complete() throws {
        var stage = try Stage(Self.breakfast)
        try stage.world.open(1, on: stage.id, by: stage.user)
        _ = stage.world.takeEffects(after: 1500)
        let body = try stage.world.backend.complete(stage.id, by: stage.user, &stage.world.turn)
        let shown = try stage.shown()
        #expect(shown["status"] == "completed" && shown["completed_at"] == shown["updated_at"])
        #expect(shown["is_active"] == false && shown["is_archived"] == false && shown["message_count"] == 2)
        #expect(stage.world.takeEffects().story(of: 1) == ["error", "close 1000 Consultation is not active"])
        stage.check()
        stage.world.pass(milliseconds: 5000)
        #expect(try stage.world.backend.complete(stage.id, by: stage.user, &stage.world.turn) == body)
        _ = try stage.create()

        _ = try stage.world.archive(stage.id, by: stage.user)
        #expect(try stage.shown()["status"] == "archived" && stage.shown()["completed_at"] == shown["completed_at"])
        let again = refusal(try stage.world.backend.complete(stage.id, by: stage.user, &stage.world.turn))
        #expect(again?.code == .consultationNotActive)
        // When the consultation is unarchived, it is completed again and does not take the other consultation's slot.
        try stage.update(#"{"is_archived":false}"#)
        #expect(try stage.shown()["status"] == "completed")
        stage.check()
    }

    @Test("A persona change moves a consultation to a new topic unless the topic is taken")
    func persona() throws {
        var stage = try Stage()
        let other = try stage.create(.fitnessCoach)
        let taken = refusal(try stage.update(#"{"persona":"fitness_coach","title":"X"}"#))
        #expect(taken?.status == .conflict && taken?.details?["existing_consultation_id"]?.string == other)
        #expect(try stage.shown()["title"] == nil && stage.shown()["persona"] == "nutritionist")
        let before = try stage.world.backend.consultation(stage.id, for: stage.user)
        stage.world.pass(milliseconds: 5000)
        try stage.update(#"{"persona":"nutritionist"}"#)
        #expect(try stage.world.backend.consultation(stage.id, for: stage.user) == before)
        try stage.update(#"{"persona":"wellness_specialist","title":"X"}"#)
        #expect(try stage.shown()["persona"] == "wellness_specialist" && stage.shown()["title"] == "X")
        _ = try stage.create()
        #expect(refusal(try stage.create(.wellnessSpecialist))?.status == .conflict)
        stage.check()
    }

    @Test("A question is answered by the persona that was set when the question arrived")
    func personaOfAnswers() throws {
        var stage = try Stage(Self.breakfast)
        try stage.world.open(1, on: stage.id, by: stage.user)
        try stage.update(#"{"persona":"fitness_coach"}"#)
        stage.world.waitForAllAnswers()
        #expect(try stage.world.record(stage.id).history.messages.last?.metadata?.persona == .nutritionist)
        _ = try stage.send("Hi")
        stage.world.waitForAllAnswers()
        #expect(try stage.world.record(stage.id).history.messages.last?.metadata?.persona == .fitnessCoach)
    }

    @Test("A reopened consultation counts towards the limits again and is linked to its goal again")
    func reopening() throws {
        var stage = try Stage()
        let goal = try stage.world.createGoal(by: stage.user)
        let about = try stage.world.create(.fitnessCoach, ConsultationContext(.goal, id: goal), by: stage.user)
        try stage.update(#"{"is_archived":true}"#, about)
        #expect(try stage.world.record(about).consultation.isArchived)
        try stage.update(#"{"is_archived":false}"#, about)
        #expect(stage.world.backend.goals[0].goal.conversationID?.description == about)
        stage.check()

        try stage.update(#"{"is_archived":true}"#)
        let second = try stage.create()
        #expect(refusal(try stage.update(#"{"is_archived":false}"#))?.status == .conflict)
        // With a different persona, both consultations may be active.
        try stage.update(#"{"is_archived":false,"persona":"general_wellness"}"#)
        try stage.update(#"{"is_archived":true}"#, second)
        for number in 0..<8 {
            _ = try stage.world.create(.nutritionist, ConsultationContext(.journal, id: "\(number)"), by: stage.user)
        }
        let full = refusal(try stage.update(#"{"is_archived":false}"#, second))
        #expect(full?.status == .tooManyRequests)
        #expect(try stage.world.record(second).consultation.isArchived)
        stage.check()
    }

    @Test("With several consultations per topic, only the limit of ten applies")
    func many() throws {
        var stage = try Stage(perTopic: .many)
        for _ in 0..<9 { _ = try stage.create() }
        #expect(refusal(try stage.create())?.status == .tooManyRequests)
        try stage.update(#"{"persona":"fitness_coach"}"#)
        stage.check()
        #expect(try stage.world.replanted().data.users == stage.world.data.users)
        var strict = World()
        #expect(throws: PlantError.self) { try strict.backend.plant(stage.world.data, &strict.turn) }
        _ = try stage.world.archive(stage.id, by: stage.user)
        _ = try stage.create()
        stage.check()
    }

    @Test("Suggestions match the persona and are deterministic")
    func suggestions() throws {
        var stage = try Stage()
        let body = try stage.world.backend.suggestGoals(in: stage.id, limit: 4, for: stage.user)
        #expect(try stage.world.backend.suggestGoals(in: stage.id, limit: 4, for: stage.user) == body)
        let data = try #require(try JSON.parse(body)["data"])
        #expect(data.object?.keys == ["suggestions", "count", "persona", "consultation_id"])
        #expect(data["count"] == 4 && data["persona"] == "nutritionist")
        #expect(data["consultation_id"]?.string == stage.id)
        let own = Set((CoachBook.builtIn.suggestions[.nutritionist] ?? []).map(\.title))
        let titles = Set(data["suggestions"]?.all("title") ?? [])
        #expect(titles.count == 4 && titles.isSubset(of: own))
        for suggestion in data["suggestions"]?.array ?? [] {
            for member in ["title", "description", "goal_type", "rationale"] {
                #expect(suggestion[member]?.string?.isEmpty == false)
            }
            #expect((1...5).contains(suggestion["difficulty"]?.int ?? 0))
        }
        _ = try stage.world.archive(stage.id, by: stage.user)
        #expect(try stage.world.backend.suggestGoals(in: stage.id, limit: 4, for: stage.user) == body)
    }

    @Test("A user cannot change, complete or ask questions in another user's consultation")
    func others() throws {
        var stage = try Stage()
        let other = try stage.world.backend.user("user-2")
        let (id, title) = (stage.id, try UpdateConsultationRequest(body: #"{"title":"X"}"#.bytes))
        let message = try SendMessageRequest(body: #"{"content":"Hi"}"#.bytes)
        let before = stage.world.backend.storedBytes
        for (id, user) in [(id, other), (id.uppercased(), stage.user), ("x", stage.user), ("", other)] {
            let refusals = [
                refusal(try stage.world.backend.updateConsultation(id, title, by: user, &stage.world.turn)),
                refusal(try stage.world.backend.complete(id, by: user, &stage.world.turn)),
                refusal(try stage.world.backend.sendMessage(message, in: id, by: user, &stage.world.turn)),
                refusal(try stage.world.backend.suggestGoals(in: id, limit: 1, for: user)),
            ]
            #expect(refusals.allSatisfy { $0 == .unknownConsultation(id) }, "\(id)")
        }
        #expect(stage.world.backend.storedBytes == before)
    }
}
