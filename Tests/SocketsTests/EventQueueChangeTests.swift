import CLibrary
import TestSupport
import Testing

@testable import Sockets

@Suite("Event queue: changes while it reports")
struct EventQueueChangeTests {
    /// Connections whose servers are readable, in a queue under the tokens 0, 1, 2, ...
    private func ready(_ count: Int, in queue: EventQueue) throws -> [Loopback] {
        let listener = try Listener(address: SocketAddress(host: "127.0.0.1", port: 0))
        defer { listener.close() }
        let pairs = try (0..<count).map { _ in try Loopback(through: listener) }
        for (token, pair) in pairs.enumerated() {
            pair.client.send("x")
            try pair.server.waitUntil(.read)
            try queue.add(pair.server.descriptor, token: UInt64(token), interest: .read)
        }
        return pairs
    }

    @Test("The queue reports each descriptor once even if its handler removes it", arguments: QueueUnderTest.allCases)
    func removeSelf(_ kind: QueueUnderTest) throws {
        let queue = try kind.open()
        let pairs = try ready(10, in: queue)
        defer { pairs.forEach { $0.close() } }
        let tokens = try queue.tokens { queue.remove(pairs[$0].server.descriptor) }
        #expect(tokens.sorted() == Array(0..<10) && queue.count == 0)
        #expect(try queue.reports().isEmpty)
    }

    @Test("The queue does not report a descriptor that another handler removed", arguments: QueueUnderTest.allCases)
    func removeOthers(_ kind: QueueUnderTest) throws {
        let queue = try kind.open()
        let pairs = try ready(10, in: queue)
        defer { pairs.forEach { $0.close() } }
        let reported = try queue.tokens { own in
            for index in pairs.indices where index != own { queue.remove(pairs[index].server.descriptor) }
        }
        #expect(reported.count == 1)
        #expect(try queue.reports().map(\.token) == reported)
    }

    @Test(
        "A descriptor added again, or a new owner of its number, is not reported before the next wait",
        arguments: QueueUnderTest.allCases, [false, true])
    func reusedNumber(_ kind: QueueUnderTest, hasNewOwner: Bool) throws {
        let queue = try kind.open()
        let pairs = try ready(2, in: queue)
        let replacement = try Loopback()
        defer { (pairs + [replacement]).forEach { $0.close() } }
        replacement.client.send("y")
        try replacement.server.waitUntil(.read)
        var isFirst = true
        let reported = try queue.tokens { own in
            guard isFirst else { return }
            isFirst = false
            // Remove the other descriptor, and add its number again; either way it is ready.
            let other = pairs[1 - own].server.descriptor
            queue.remove(other)
            if hasNewOwner { #expect(dup2(replacement.server.descriptor, other) == other) }
            #expect(throws: Never.self) { try queue.add(other, token: 99, interest: .read) }
        }
        #expect(reported.count == 1)
        #expect(try queue.reports().map(\.token) == reported + [99])
    }

    @Test("The queue does not report events that another handler stopped watching", arguments: QueueUnderTest.allCases)
    func modifiedOthers(_ kind: QueueUnderTest) throws {
        let queue = try kind.open()
        let pairs = try ready(3, in: queue)
        defer { pairs.forEach { $0.close() } }
        func watchAll(_ interest: Interest) {
            for (token, pair) in pairs.enumerated() {
                queue.modify(pair.server.descriptor, token: UInt64(token), interest: interest)
            }
        }
        #expect(try queue.tokens { _ in watchAll([]) }.count == 1)
        #expect(try queue.reports().isEmpty)
        watchAll(.read)
        #expect(try queue.reports().map(\.token) == [0, 1, 2])
    }

    @Test("The next wait reports a descriptor added by a handler", arguments: QueueUnderTest.allCases)
    func addedWhileReporting(_ kind: QueueUnderTest) throws {
        let queue = try kind.open()
        let pairs = try ready(1, in: queue)
        let more = try (0..<100).map { _ in try Loopback() }
        defer { (pairs + more).forEach { $0.close() } }
        let reported = try queue.tokens { _ in
            #expect(throws: Never.self) {
                for (index, pair) in more.enumerated() {
                    try queue.add(pair.server.descriptor, token: 100 + UInt64(index), interest: .write)
                }
            }
        }
        #expect(reported == [0])
        #expect(try queue.reports().map(\.token) == [0] + Array(100..<200))
    }

    @Test(
        "The queue agrees with a model for random changes", arguments: QueueUnderTest.allCases,
        [1, 2, 3, 4, 5] as [UInt64])
    func randomChanges(_ kind: QueueUnderTest, _ seed: UInt64) throws {
        let queue = try kind.open()
        let pairs = try ready(24, in: queue)
        defer { pairs.forEach { $0.close() } }
        var random = Draw(seed: seed)
        // Each pair's interest, if the pair is in the queue; all pairs are always readable and writable.
        var model = [Interest?](repeating: .read, count: pairs.count)
        let interests: [Interest] = [[], .read, .write, [.read, .write]]
        for _ in 0..<200 {
            // Descriptors that were in the queue when the wait began and that no handler has touched since.
            var stayed = model.map { $0 != nil }
            var untouched = stayed
            var seen = [Bool](repeating: false, count: pairs.count)
            try queue.wait(until: .past) { readiness in
                let index = Int(readiness.token)
                #expect(stayed[index] && !seen[index], "seed \(seed): reported twice, early or after its removal")
                seen[index] = true
                let interest = model[index] ?? []
                #expect(readiness.readable || readiness.writable, "seed \(seed)")
                #expect(!readiness.readable || interest.contains(.read), "seed \(seed): not interested in reading")
                #expect(!readiness.writable || interest.contains(.write), "seed \(seed): not interested in writing")
                if untouched[index] {
                    #expect(readiness.readable == interest.contains(.read), "seed \(seed)")
                    #expect(readiness.writable == interest.contains(.write), "seed \(seed)")
                }
                for _ in 0..<Int.random(in: 0...3, using: &random) {
                    let other = Int.random(in: 0..<pairs.count, using: &random)
                    let interest = interests[Int.random(in: 0..<4, using: &random)]
                    let descriptor = pairs[other].server.descriptor
                    untouched[other] = false
                    if model[other] == nil {
                        #expect(throws: Never.self) {
                            try queue.add(descriptor, token: UInt64(other), interest: interest)
                        }
                        model[other] = interest
                    } else if Bool.random(using: &random) {
                        queue.modify(descriptor, token: UInt64(other), interest: interest)
                        model[other] = interest
                    } else {
                        queue.remove(descriptor)
                        model[other] = nil
                        stayed[other] = false
                    }
                }
            }
            for index in pairs.indices where untouched[index] {
                #expect(seen[index] == (model[index] != []), "seed \(seed): \(index) was not reported as it should")
            }
            #expect(queue.count == model.count { $0 != nil })
            // Keep enough descriptors in the queue to get events.
            for index in pairs.indices where model[index] == nil && Bool.random(using: &random) {
                try queue.add(pairs[index].server.descriptor, token: UInt64(index), interest: .read)
                model[index] = .read
            }
        }
    }
}
