import FitIQAPI
import Testing

@testable import ContractSuite

@Suite("Idle clients")
struct IdlenessTests {
    private static let start = Timestamp(secondsSinceEpoch: 1_738_146_600)

    private static func time(_ seconds: Double) -> Timestamp {
        start.advanced(byNanoseconds: Int64(seconds * 1_000_000_000))
    }

    /// Checks both sides once a second for ten minutes; returns the second at which they count as idle.
    private func second(
        grace: Duration = .seconds(5), _ side: (Int, inout ClientReport, inout Idleness.Backend) -> Void
    ) -> Int? {
        var idleness = Idleness(grace: grace)
        return (0...600).first { second in
            var report = ClientReport()
            var backend = Idleness.Backend(lastTraffic: 7)
            side(second, &report, &backend)
            return idleness.time(report, backend, at: Self.time(Double(second)), until: Self.time(900)) != nil
        }
    }

    @Test("A client is idle when neither side has changed for the grace period")
    func idle() {
        #expect(second { _, _, _ in } == 5)
        #expect(second { second, report, _ in report.isBusy = second < 20 } == 25)
        #expect(second { second, _, backend in backend.lastTraffic = min(second, 12) } == 17)
        #expect(second { second, report, _ in report.consultation = second < 3 ? nil : "c" } == 8)
        #expect(second { _, report, _ in report.isBusy = true } == nil)
    }

    @Test("The idle check waits for events that are due within the wait but not for later events")
    func due() {
        #expect(second { _, _, backend in backend.nextStep = Self.time(900) } == nil)
        #expect(second { _, _, backend in backend.nextStep = Self.time(900.5) } == 5)
        #expect(second { second, _, backend in backend.nextStep = second < 100 ? Self.time(100) : nil } == 104)
    }

    @Test("The idle check also waits for a pong while the client is connected")
    func connected() {
        #expect(second { _, report, _ in report.connection = .connected } == 45)
        #expect(second { _, report, _ in report.connection = .connecting } == 45)
        #expect(second { _, report, _ in report.connection = .failed } == 5)
    }
}
