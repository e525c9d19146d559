import Faults
import Testing

@Suite("A queue that removes in batches")
struct BacklogTests {
    @Test("The backlog keeps its messages in order after any number of removals")
    func order() {
        var backlog = Backlog<Int>()
        #expect(backlog.isEmpty && backlog.first == nil && backlog.last == nil)
        for number in 0..<3000 { backlog.append(number) }
        var (firsts, lasts): ([Int], Set<Int>) = ([], [])
        while let first = backlog.first, let last = backlog.last {
            firsts.append(first)
            lasts.insert(last)
            backlog.removeFirst()
        }
        #expect(firsts == Array(0..<3000) && lasts == [2999])
        #expect(backlog.isEmpty && backlog.last == nil)
    }

    @Test("The caller can change and remove the remaining messages")
    func rest() {
        var backlog = Backlog<Int>()
        for number in 1...3 { backlog.append(number) }
        backlog.removeFirst()
        backlog.update { $0 *= 10 }
        #expect(backlog.first == 20 && backlog.last == 30)
        #expect(Array(backlog.takeAll()) == [20, 30])
        #expect(backlog.isEmpty)
    }
}
