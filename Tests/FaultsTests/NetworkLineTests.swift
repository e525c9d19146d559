import FitIQAPI
import Testing

@testable import Faults

@Suite("Network line")
struct NetworkLineTests {
    static let start = Timestamp(secondsSinceEpoch: 1_738_146_600)
    static func ms(_ count: Int64) -> Timestamp { start.advanced(byNanoseconds: count * 1_000_000) }

    /// The arrival times in milliseconds, each with the number of bytes that had arrived by that time.
    static func arrivals(
        _ profile: NetworkProfile, _ writes: [(at: Int64, upTo: Int)], _ direction: NetworkLine.Direction = .down,
        seed: UInt64 = 1
    ) -> [String] {
        let network = Network(profile, seed: seed, from: start)
        var line = NetworkLine(network, direction, connection: 1, after: 0, from: start)
        var lines: [String] = []
        func pass(by time: Timestamp) {
            while let next = line.next, next <= time {
                let isBroken = line.arrive(by: next)
                let passed = next.nanosecondsSinceEpoch - start.nanosecondsSinceEpoch
                lines.append("\(Double(passed) / 1e6) ms \(isBroken ? "broken" : "\(line.arrived)")")
                if isBroken { return }
            }
        }
        for write in writes {
            pass(by: ms(write.at))
            line.enter(upTo: write.upTo, at: ms(write.at))
        }
        pass(by: ms(1_000_000))
        return lines
    }

    @Test("Bytes leave in slices at the configured rate and arrive half a round trip later")
    func rates() {
        let profile = NetworkProfile("a", roundTrip: 100_000_000, down: 100_000, up: 3_000)
        #expect(Self.arrivals(profile, [(0, 5000)]) == ["70.0 ms 2000", "90.0 ms 4000", "100.0 ms 5000"])
        // Bytes that arrive while the line is busy have to wait; later bytes do not.
        #expect(
            Self.arrivals(profile, [(0, 1000), (5, 2000), (500, 2100)]) == [
                "60.0 ms 1000", "70.0 ms 2000", "551.0 ms 2100",
            ])
        // A rate that does not divide a second is exact: 3,000 bytes take a second, regardless of how they are split.
        #expect(Self.arrivals(profile, (1...3000).map { (0, $0) }, .up).last == "1050.0 ms 3000")
        #expect(Self.arrivals(NetworkProfile("b"), [(3, 1_000_000_000)]) == ["3.0 ms 1000000000"])
    }

    @Test("Three bytes at 3 B/s take exactly one second")
    func remainders() throws {
        let network = Network(NetworkProfile("a", up: 3), seed: 1, from: Self.start)
        var line = NetworkLine(network, .up, connection: 1, after: 0, from: Self.start)
        var time = Self.start
        for count in 1...3 {
            line.enter(upTo: count, at: time)
            time = try #require(line.next)
            let isBroken = line.arrive(by: time)
            #expect(!isBroken && line.arrived == count)
        }
        #expect(time == Self.ms(1000), "Three bytes take a second.")
    }

    @Test("Without loss, a slice's delay does not depend on its number of packets")
    func jitterAlone() {
        let profile = NetworkProfile("a", jitter: 30_000_000)
        func times(_ size: Int) -> [Substring] {
            Self.arrivals(profile, (1...9).map { (Int64($0) * 1000, $0 * size) }).map { line in
                line.prefix { $0 != " " }
            }
        }
        // Expect nine slices of one packet each, and of four packets each.
        #expect(times(1) == times(5000) && times(1).count == 9)
    }

    @Test("Jitter and loss delay bytes, keep their order and depend on the seed")
    func chance() throws {
        let profile = NetworkProfile("a", roundTrip: 100_000_000, down: 1_000_000, jitter: 30_000_000, lossPerMille: 50)
        let lines = Self.arrivals(profile, [(0, 1_000_000)])
        #expect(lines == Self.arrivals(profile, [(0, 1_000_000)]))
        #expect(lines != Self.arrivals(profile, [(0, 1_000_000)], seed: 2))
        let times = lines.compactMap { Double($0.prefix { $0 != " " }) }
        #expect(times == times.sorted())
        let last = try #require(times.last)
        #expect(last >= 1050 && last <= 1280)
        // A lost packet arrives 200 ms later, together with all packets behind it.
        #expect(lines.count < 50)
    }

    @Test("Jitter is at least zero and at most the profile's value")
    func jitter() {
        let lines = Self.arrivals(NetworkProfile("a", jitter: 1), (1...30).map { (Int64($0), $0) })
        let latest = lines.filter { $0.contains(".000001 ms ") }
        #expect((1..<30).contains(latest.count))
        #expect(lines.count == 30 && lines.allSatisfy { latest.contains($0) || $0.contains(".0 ms ") }, "\(lines)")
    }

    /// The effect on the first packet of one byte; this seed draws 999 for it, from 0 to 999.
    static let losses: [(NetworkProfile, arrival: String)] = [
        (NetworkProfile("a", lossPerMille: 1000), "200.0 ms 1"), (NetworkProfile("a", lossPerMille: 999), "0.0 ms 1"),
        (NetworkProfile("a", roundTrip: 199_000_000, lossPerMille: 1000), "299.5 ms 1"),
        (NetworkProfile("a", roundTrip: 300_000_000, lossPerMille: 1000), "450.0 ms 1"),
        (NetworkProfile("a", roundTrip: 300_000_000, lossPerMille: 999), "150.0 ms 1"),
    ]

    @Test("A lost packet arrives after one more round trip and at least 200 ms later", arguments: losses)
    func lostPacket(profile: NetworkProfile, arrival: String) {
        #expect(Self.arrivals(profile, [(0, 1)], seed: 715) == [arrival])
    }

    @Test("An outage breaks a connection once, after the bytes that have already arrived")
    func broken() throws {
        let outages = NetworkProfile.Outages(period: 1_000_000_000, length: 400_000_000, resetPerMille: 1000)
        let lines = Self.arrivals(NetworkProfile("a", down: 1000, outages: outages), [(0, 5000)])
        let broken = lines.filter { $0.hasSuffix("broken") }
        #expect(lines.count > 1 && broken.count == 1 && lines.last == broken.first, "\(lines)")
    }

    @Test("Each period contains one outage of the configured length")
    func outages() throws {
        let outages = NetworkProfile.Outages(period: 10_000_000_000, length: 4_000_000_000, resetPerMille: 0)
        let network = Network(NetworkProfile("a", outages: outages), seed: 7, from: Self.start)
        for period in 0..<50 {
            let out = (0..<10_000).filter { network.outage(at: Self.ms(Int64(period * 10_000 + $0))) != nil }
            #expect((3999...4000).contains(out.count))
            let first = try #require(out.first)
            #expect(out.elementsEqual(first..<first + out.count))
        }
        #expect(network.outage(at: Self.ms(-1)) == nil)
        let always = NetworkProfile.Outages(period: 9, length: 9, resetPerMille: 0)
        for seed in UInt64(0)..<40 {
            let network = Network(NetworkProfile("a", outages: always), seed: seed, from: Self.start)
            #expect(network.outage(at: Self.start)?.number == 0)
        }
    }

    @Test("An outage breaks the configured share of connections")
    func breaks() {
        /// How many of 400 connections break in an outage that affects all of them.
        func broken(_ perMille: Int) -> Int {
            let outages = NetworkProfile.Outages(period: 10_000_000_000, length: 4_000_000_000, resetPerMille: perMille)
            // Among the connections, this seed draws both 0 and 999.
            let network = Network(NetworkProfile("a", outages: outages), seed: 14, from: Self.start)
            return (UInt64(1)...400).filter { connection in
                var line = NetworkLine(network, .up, connection: connection, after: 0, from: Self.start)
                for second in [2, 5, 8] { line.enter(upTo: second, at: Self.ms(Int64(second) * 1000)) }
                return line.breaks != nil
            }.count
        }
        #expect(broken(0) == 0 && broken(1000) == 400)
        #expect((60...140).contains(broken(250)) && (390..<400).contains(broken(999)))
    }

    @Test("A profile can fail the first connections or all connections")
    func lost() {
        func lost(_ profile: NetworkProfile) -> [Bool] {
            let network = Network(profile, seed: 1, from: Self.start)
            return (UInt64(1)...4).map(network.loses)
        }
        #expect(lost(NetworkProfile("a")) == [false, false, false, false])
        #expect(lost(NetworkProfile("a", failingConnections: 2)) == [true, true, false, false])
        #expect(lost(NetworkProfile("a", reach: .nobody)) == [true, true, true, true])
        #expect(lost(NetworkProfile("a", failingConnections: 1, reach: .portal)) == [true, false, false, false])
    }

    @Test("Named profiles have unique names and are within the limits")
    func table() {
        #expect(Set(NetworkProfile.all.map(\.name)).count == NetworkProfile.all.count)
        for profile in NetworkProfile.all {
            #expect(profile.roundTrip <= FaultLimits.networkDelay && profile.jitter <= FaultLimits.networkDelay)
            #expect([profile.down, profile.up].allSatisfy { $0.map { $0 <= FaultLimits.networkRate } ?? true })
            #expect(profile.outages.map { 2 * $0.length <= $0.period } ?? true)
            #expect(NetworkProfile.named(profile.name) == profile)
        }
    }
}
