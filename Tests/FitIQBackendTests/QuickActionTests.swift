import FitIQAPI
import Testing

@testable import FitIQBackend

@Suite("Quick actions") struct QuickActionTests {
    @Test(
        "Quick actions can be filtered by persona, by context, by both and by neither",
        arguments: [nil] + Persona.allCases.map(Optional.some), [nil] + ContextType.allCases.map(Optional.some))
    func filters(persona: Persona?, context: ContextType?) {
        let actions = QuickAction.matching(contextType: context, persona: persona)
        let expected = QuickAction.catalogue.filter { action in
            (context == nil || action.contextType == context)
                && (persona == nil || action.persona == nil || action.persona == persona)
        }
        #expect(actions == expected)
    }

    @Test("Every persona has quick actions for every context", arguments: Persona.allCases, ContextType.allCases)
    func combinations(persona: Persona, context: ContextType) {
        let actions = QuickAction.matching(contextType: context, persona: persona)
        #expect(actions.count >= 2 && actions.contains { $0.persona == persona })
        #expect(QuickAction.catalogue.contains { $0.contextType == context && $0.persona == nil })
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
