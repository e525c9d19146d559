import Testing

@testable import FitIQAPI

@Suite("The vocabulary of the API") struct VocabularyTests {
    @Test("The API has exactly the guides' personas, contexts, statuses, roles and goal statuses")
    func rawValues() {
        #expect(
            Persona.allCases.map(\.rawValue)
                == ["nutritionist", "fitness_coach", "wellness_specialist", "general_wellness"])
        #expect(ContextType.allCases.map(\.rawValue) == ["general", "goal", "insight", "mood", "journal"])
        #expect(ConsultationStatus.allCases.map(\.rawValue) == ["active", "completed", "archived"])
        #expect(MessageRole.allCases.map(\.rawValue) == ["user", "assistant", "system"])
        #expect(GoalWord.guide.map(\.rawValue) == ["not_started", "in_progress", "completed", "archived"])
    }

    @Test("Personas have the names that goal-linking uses")
    func displayNames() {
        #expect(
            Persona.allCases.map(\.displayName)
                == ["Nutritionist", "Fitness Coach", "Wellness Specialist", "Wellness Coach"])
    }

    @Test("Each persona has a picture with a URL that the server routes", arguments: Persona.allCases)
    func avatars(persona: Persona) {
        let origin = "http://127.0.0.1:8080"
        let url = persona.avatarURL(origin: origin)
        #expect(url == "\(origin)/avatars/\(persona.rawValue).svg")
        let segments = url.dropFirst(origin.count + 1).split(separator: "/").map(String.init)
        #expect(Route(segments: segments) == .avatar(persona))
        #expect(persona.avatarImage.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\""))
        #expect(persona.avatarImage.hasSuffix("</text></svg>\n"))
        #expect(persona.avatarImage.contains("aria-label=\"\(persona.displayName)\""))
    }

    @Test("Each persona has its own colour")
    func colours() {
        let fills = Persona.allCases.map { persona in
            persona.avatarImage.split(separator: "\"").first { $0.hasPrefix("#") && $0.count == 7 }
        }
        #expect(Set(fills).count == Persona.allCases.count)
    }

    @Test("Error codes are unique and in upper snake case")
    func errorCodes() {
        let names = ErrorCode.allCases.map(\.rawValue)
        #expect(Set(names).count == names.count)
        for name in names { #expect(name.allSatisfy { $0 == "_" || ("A"..."Z").contains($0) }, "\(name)") }
        // The guides' clients switch on these names.
        for name in ["CONSULTATION_EXISTS", "TOO_MANY_ACTIVE_CONSULTATIONS"] { #expect(names.contains(name)) }
    }
}
