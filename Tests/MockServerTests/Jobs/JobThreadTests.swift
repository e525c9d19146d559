import Foundation
import Testing

@testable import MockServer

@Suite("The thread of jobs")
struct JobThreadTests {
    @Test("Jobs run one after another, also those that are added while one runs")
    func oneByOne() {
        let (began, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let done = DispatchSemaphore(value: 0)
        let thread = JobThread { _ in done.signal() }
        for number in 1...2 {
            thread.add(
                Job(number: number) {
                    began.signal()
                    _ = goOn.wait(timeout: .now() + 30)
                    return number
                })
        }
        #expect(began.wait(timeout: .now() + 30) == .success)
        // A second thread would have begun the other one.
        #expect(began.wait(timeout: .now() + 0.05) == .timedOut)
        for _ in 1...2 { goOn.signal() }
        for _ in 1...2 { #expect(done.wait(timeout: .now() + 30) == .success) }
    }
}
