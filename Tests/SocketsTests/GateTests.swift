import Sockets
import Synchronization
import Testing

@Suite("Threads and gates")
struct GateTests {
    @Test("A closed gate blocks until the deadline, and an open gate lets every thread pass")
    func opens() throws {
        let gate = try Gate()
        #expect(!gate.wait(until: .now()))
        gate.open()
        gate.open()
        for _ in 0..<3 { #expect(gate.wait(until: .now())) }
    }

    @Test("Writes that a thread makes before a gate are visible to its creator after the gate")
    func thread() throws {
        let (asked, answered) = (try Gate(), try Gate())
        let shared = Shared()
        try SystemThread.start {
            asked.wait()
            shared.value.withLock { $0 = 42 }
            answered.open()
        }
        #expect(!answered.wait(until: .now()))
        asked.open()
        #expect(answered.wait(until: .now().advanced(by: .seconds(30))))
        #expect(shared.value.withLock { $0 } == 42)
    }

    private final class Shared: Sendable { let value = Mutex(0) }
}
