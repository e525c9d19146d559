import Foundation
import Synchronization
import Testing

@testable import MockServer

@Suite("The job thread")
struct JobThreadTests {
    @Test("Jobs run one after another on one thread, including jobs added while others run")
    func oneByOne() {
        let (goOn, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let threads = Mutex<Set<ObjectIdentifier>>([])
        let thread = JobThread { _ in done.signal() }
        for number in 1...2 {
            thread.add(
                Job(number: number) {
                    _ = threads.withLock { $0.insert(ObjectIdentifier(Thread.current)) }
                    _ = goOn.wait(timeout: .now() + 30)
                    return number
                })
        }
        for _ in 1...2 { goOn.signal() }
        for _ in 1...2 { #expect(done.wait(timeout: .now() + 30) == .success) }
        #expect(threads.withLock { $0.count } == 1)
    }
}
