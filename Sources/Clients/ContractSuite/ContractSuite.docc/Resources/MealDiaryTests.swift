import ContractSuite
import MockServer
import Testing

private let server = Result { try LocalServer() }

/// The cases for which this client has screens.
private let cases = ContractCase.all.filter { contractCase in
    ["meal/polling/completes", "meal/polling/failure-surfaces"].contains { contractCase.isSelected(by: $0) }
}

@Test("The meal diary keeps the contract", arguments: cases)
func mealDiary(_ contractCase: ContractCase) async throws {
    var runner = CaseRunner(on: try server.get())
    let result = try await runner.run(contractCase) { surroundings in MealDiaryUnderTest(surroundings) }
    #expect(result.isPassed)
}
