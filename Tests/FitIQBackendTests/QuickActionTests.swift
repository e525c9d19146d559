import FitIQAPI
import Testing

@testable import FitIQBackend

@Suite("Quick actions") struct QuickActionTests {
    @Test("Every persona has quick actions for every context", arguments: Persona.allCases, ContextType.allCases)
    func combinations(persona: Persona, context: ContextType) {
        let actions = QuickAction.matching(contextType: context, persona: persona)
        #expect(actions.count >= 2)
        #expect(actions.count { $0.persona == persona } >= 1)
        #expect(actions.allSatisfy { $0.contextType == context && ($0.persona == nil || $0.persona == persona) })
        // No matching action is missing.
        let missing = QuickAction.catalogue.filter { !actions.contains($0) }
        #expect(missing.allSatisfy { $0.contextType != context || ($0.persona != nil && $0.persona != persona) })
    }

    @Test("Without filters, the list has all quick actions")
    func all() {
        #expect(QuickAction.matching(contextType: nil, persona: nil) == QuickAction.catalogue)
    }

    @Test("Quick actions can be filtered by persona alone", arguments: Persona.allCases)
    func byPersona(_ persona: Persona) {
        let actions = QuickAction.matching(contextType: nil, persona: persona)
        #expect(actions == QuickAction.catalogue.filter { $0.persona == nil || $0.persona == persona })
        #expect(Set(actions.map(\.contextType)) == Set(ContextType.allCases))
    }

    @Test("Quick actions can be filtered by context alone", arguments: ContextType.allCases)
    func byContext(_ context: ContextType) {
        let actions = QuickAction.matching(contextType: context, persona: nil)
        #expect(actions == QuickAction.catalogue.filter { $0.contextType == context })
        #expect(Set(actions.map(\.persona)) == Set(Persona.allCases.map(Optional.some) + [nil]))
    }

    @Test("Prompts are unique, and some quick actions lack optional members")
    func catalogue() {
        let catalogue = QuickAction.catalogue
        #expect(Set(catalogue.map(\.prompt)).count == catalogue.count)
        #expect(catalogue.contains { $0.persona == nil })
        #expect(catalogue.contains { $0.description == nil && $0.category != nil })
        #expect(catalogue.contains { $0.description == nil && $0.category == nil })
        #expect(catalogue.contains { $0.description != nil && $0.category != nil })
    }

    @Test("Texts are short and trimmed, and categories are in snake case", arguments: QuickAction.catalogue)
    func shape(_ action: QuickAction) {
        for text in [action.prompt, action.description].compactMap({ $0 }) {
            #expect((1...60).contains(text.count))
            #expect(text.first?.isWhitespace == false && text.last?.isWhitespace == false)
        }
        if let category = action.category {
            #expect(!category.isEmpty && category.allSatisfy { $0 == "_" || ("a"..."z").contains($0) })
        }
    }

    @Test("A persona's quick action gets one of the persona's own answers")
    func answered() {
        for action in QuickAction.catalogue {
            guard let persona = action.persona else { continue }
            let answer = AnswerIndex.of(persona).best(for: Words.fold(action.prompt))
            #expect(answer?.persona == persona, "\(persona.rawValue): \(action.prompt)")
        }
    }
}
