import FitIQAPI
import Scenarios
import TestSupport
import Testing

@testable import MockServer

/// The questions that the guides leave open, as DEVIATIONS answers them for this server.
@Suite("The guides' open questions") struct OpenQuestionTests {
    /// The modes whose guide creates consultations but does not mention 409 and 429.
    static let modes = [GuideMode.enhancedConsultations, .webSocketArchitecture, .mealLogWebSocket]

    /// One guide uses a different name for the persona.
    private static func body(_ mode: GuideMode) -> String {
        #"{"\#(mode == .webSocketArchitecture ? "coach_type" : "persona")":"nutritionist"}"#
    }

    private static func network(_ mode: GuideMode, _ rules: String = "") throws -> VirtualNetwork {
        try .serving("{name: open\(rules)}") { $0.mode = mode }
    }

    @Test("A second consultation gets 409 even if the guide has no 409, unless a scenario allows it", arguments: modes)
    func conflict(mode: GuideMode) throws {
        for (rules, status) in [("", 409), (", consultations: {per_topic: many}", 201)] {
            let network = try Self.network(mode, rules)
            #expect(try network.exchange(.create(Self.body(mode))).status == 201)
            #expect(try network.exchange(.create(Self.body(mode))).status == status)
        }
    }

    @Test("The eleventh active consultation returns 429", arguments: modes)
    func limit(mode: GuideMode) throws {
        let network = try Self.network(mode, ", consultations: {per_topic: many}")
        let statuses = try (0..<11).map { _ in try network.exchange(.create(Self.body(mode))).status }
        #expect(statuses == [Int](repeating: 201, count: 10) + [429])
    }
}
