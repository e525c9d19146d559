import Testing

@testable import MockServer

@Suite("Values stored apart from their owner")
struct ApartTests {
    private final class Counter { var alive = 0 }

    private final class Counted {
        var number: Int
        private let counter: Counter

        init(_ number: Int, _ counter: Counter) {
            (self.number, self.counter) = (number, counter)
            counter.alive += 1
        }

        deinit { counter.alive -= 1 }
    }

    private struct Refusal: Error {}

    @Test("An Apart value is freed exactly once, even if a change throws")
    func lifetime() {
        let counter = Counter()
        func refuse(_ value: inout Counted?) throws(Refusal) {
            value = Counted(3, counter)
            throw Refusal()
        }
        func live() {
            var apart = Apart<Counted>()
            var isEmpty = apart.isEmpty
            #expect(isEmpty)
            apart.value = Counted(1, counter)
            apart.value?.number += 1
            apart.present.number += 1
            let changed = apart.present.number
            #expect(changed == 3 && counter.alive == 1)
            apart.value = nil
            isEmpty = apart.isEmpty
            #expect(isEmpty && counter.alive == 0)
            do { try refuse(&apart.value) } catch {}
            let kept = apart.value?.number
            #expect(kept == 3 && counter.alive == 1)
            apart = Apart(Counted(4, counter))
            let replaced = apart.value?.number
            #expect(replaced == 4 && counter.alive == 1)
        }
        live()
        #expect(counter.alive == 0)
    }
}
