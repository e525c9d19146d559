import ContractSuite
import FitIQAPI
import FitIQClient
import MockServer

/// A client with one mistake, and the obligation that reveals it, as data.
package struct Mutant: Sendable, CustomStringConvertible {
    /// The mistake, as its author would describe it.
    package let name: String
    /// The obligation or internal check that the client breaks.
    package let breaks: String
    /// A text that the finding must contain.
    package let words: String
    /// The case that shows the mistake.
    package let contractCase: ContractCase
    package let configure: @Sendable (inout ClientConfiguration) -> Void
    /// Creates a new tampering for each run, because tamperings keep state.
    package let tampering: @Sendable () -> Tampering

    /// Describes a mutant whose mistake is a mutation.
    init(
        _ name: String, breaks: String, saying words: String, in contractCase: ContractCase,
        configured configure: @escaping @Sendable (inout ClientConfiguration) -> Void = { _ in },
        by tampering: @escaping @Sendable () -> Tampering
    ) {
        (self.name, self.breaks, self.words) = (name, breaks, words)
        (self.contractCase, self.configure, self.tampering) = (contractCase, configure, tampering)
    }

    /// Describes a mutant whose mistake is only in its configuration.
    init(
        _ name: String, breaks: String, saying words: String, in contractCase: ContractCase,
        configured configure: @escaping @Sendable (inout ClientConfiguration) -> Void
    ) {
        self.init(name, breaks: breaks, saying: words, in: contractCase, configured: configure) { Tampering() }
    }

    package var description: String { "\(breaks): \(name)" }

    /// Whether an exploration's symptom shows the mistake: the mutant's own, or an effect that only such a mistake has.
    ///
    /// A mistake in what the client shows its user can have only one other effect: the user may learn nothing.
    package func isFound(by symptom: String) -> Bool {
        symptom == breaks
            || (breaks.hasPrefix("inside/") ? symptom == "explore/unwell" : symptom.hasPrefix("explore/"))
    }

    /// Plays the mutant's case and returns the result.
    package func play() async throws -> CaseResult {
        try await Playing.result(of: contractCase, mutation: tampering(), configure)
    }
}

extension Mutant {
    package static let all: [Mutant] = Array(topics.joined())

    private static let topics: [[Mutant]] = [
        auth, requests, consultations, sockets, reconnects, retries, goals, meals, inside,
    ]
}

/// Plays cases in memory, on the suite's clock.
package enum Playing {
    package static let start = Timestamp(secondsSinceEpoch: 1_738_146_600)

    package static func network() throws -> VirtualNetwork {
        VirtualNetwork(try Engine(Engine.Configuration(), now: start), now: start)
    }

    /// Plays a case with the reference client, with or without a mutation.
    package static func result(
        of contractCase: ContractCase, mutation: (any Mutation)? = nil,
        _ configure: @escaping @Sendable (inout ClientConfiguration) -> Void = { _ in }
    ) async throws -> CaseResult {
        let network = try network()
        var runner = CaseRunner(on: network)
        return try await runner.run(contractCase) { surroundings in
            try ReferenceClient(surroundings, network: network, mutation: mutation, configure: configure)
        }
    }
}

extension ContractCase {
    /// The suite's case at an address.
    package static func suite(_ address: String) -> ContractCase {
        guard let found = all.first(where: { $0.address == address }) else {
            preconditionFailure("The suite has no case \(address).")
        }
        return found
    }

    /// A mutant's own story.
    package static func story(_ setting: Setting, _ steps: [Step]) -> ContractCase {
        ContractCase(
            "mutant/own/story", "What the mutant's user does", .ours("Each obligation has a mutant."),
            setting: setting, steps: steps)
    }

    /// A mutant's own story, in the default world.
    package static func story(_ steps: [Step]) -> ContractCase { story(.builtIn("default"), steps) }

    /// A question and its answer.
    package static let chat = story([
        .start(.nutritionist), .untilReady, .pass(.seconds(2)), .send("How much protein do I need?"),
        .untilAnswered(1), .disconnect, .until(.all([.offline, .idle]), within: .seconds(10)), .pass(.seconds(10)),
    ])
}
