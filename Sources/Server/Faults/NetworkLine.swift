import FitIQAPI

/// A world's network, starting at a given time.
///
/// This is a class so that the lines of all connections share it and notice when it is replaced.
public final class Network: Sendable {
    public let profile: NetworkProfile
    fileprivate let chance: Chance
    private let start: Timestamp

    /// - Parameter start: When the network starts, by the world's clock.
    public init(_ profile: NetworkProfile, seed: UInt64, from start: Timestamp) {
        (self.profile, self.start) = (profile, start)
        chance = Chance(seed: seed).mixing("network".utf8)
    }

    /// Whether the network resets a connection at its first request, without a response.
    public func loses(connection: UInt64) -> Bool {
        profile.reach == .nobody || connection <= UInt64(profile.failingConnections)
    }

    /// The number and end of the outage at the given time; nil if there is no outage.
    func outage(at time: Timestamp) -> (number: UInt64, end: Timestamp)? {
        guard let outages = profile.outages else { return nil }
        let passed = time.nanosecondsSinceEpoch - start.nanosecondsSinceEpoch
        guard passed >= 0 else { return nil }
        let (number, offset) = (UInt64(passed / outages.period), passed % outages.period)
        let begin = Int64(chance.mixing(number).next(below: UInt64(outages.period - outages.length + 1)))
        guard (begin..<begin + outages.length).contains(offset) else { return nil }
        return (number, time.advanced(byNanoseconds: begin + outages.length - offset))
    }

    /// Whether an outage breaks a connection.
    fileprivate func breaks(_ connection: Chance, in outage: UInt64) -> Bool {
        connection.mixing(outage).next(below: 1000) < UInt64(profile.outages?.resetPerMille ?? 0)
    }
}

/// One direction of a connection through a network, which determines when bytes arrive.
///
/// Bytes pass through the line in order, in slices of 20 ms, plus the network's delay, jitter and loss. Bytes never
/// arrive out of order. Byte positions count from the start of the connection.
public struct NetworkLine: Sendable {
    public enum Direction: Sendable { case up, down }

    public let network: Network
    private let rate: Int?
    /// The chance for outages, which is the same in both directions.
    private let chance: Chance
    private var numbers: SplitMix64
    /// A batch in transit: all bytes up to a position, and the arrival time of the last one.
    private var flights = Backlog<(end: Int, time: Timestamp)>()
    /// The time at which the last byte leaves, and the remainder of the division that yields its nanoseconds.
    private var free: Timestamp
    private var remainder = 0
    private var latest: Timestamp
    /// The number of bytes that have entered the line, and the number that have arrived.
    public private(set) var entered, arrived: Int
    /// The time at which an outage breaks the connection, if any.
    public private(set) var breaks: Timestamp?

    /// - Parameters:
    ///   - count: The number of earlier bytes.
    ///   - start: The time at which the line is free for the first byte.
    public init(
        _ network: Network, _ direction: Direction, connection: UInt64, after count: Int, from start: Timestamp
    ) {
        self.network = network
        rate = direction == .up ? network.profile.up : network.profile.down
        chance = network.chance.mixing(connection)
        numbers = SplitMix64(seed: chance.mixing(direction == .up ? 1 : 2).next(below: .max))
        (free, latest, entered, arrived) = (start, start, count, count)
    }

    /// The time at which the next bytes arrive or the connection breaks; nil if nothing is in transit.
    public var next: Timestamp? { flights.first?.time ?? breaks }

    /// Sends all bytes up to a position; after a break, the bytes never arrive.
    public mutating func enter(upTo end: Int, at time: Timestamp) {
        if free < time { (free, remainder) = (time, 0) }
        while entered < end, breaks == nil {
            while let outage = network.outage(at: free) {
                (free, remainder) = (outage.end, 0)
                guard !network.breaks(chance, in: outage.number) else {
                    breaks = max(free, latest)
                    return
                }
            }
            let count = min(end - entered, rate.map { max($0 / Self.slicesPerSecond, Self.packet) } ?? .max)
            if let rate {
                let (nanoseconds, rest) = (count * 1_000_000_000 + remainder).quotientAndRemainder(dividingBy: rate)
                free = free.advanced(byNanoseconds: Int64(nanoseconds))
                remainder = rest
            }
            latest = max(latest, free.advanced(byNanoseconds: drawDelay(of: count)))
            entered += count
            flights.append((entered, latest))
        }
    }

    /// The time from a slice's departure to its arrival.
    private mutating func drawDelay(of count: Int) -> Int64 {
        let profile = network.profile
        var delay = profile.roundTrip / 2
        if profile.jitter > 0 { delay += Int64(numbers.next(below: UInt64(profile.jitter) + 1)) }
        guard profile.lossPerMille > 0 else { return delay }
        var isLost = false
        for _ in 0..<min((count + Self.packet - 1) / Self.packet, Self.packetsAtOnce) {
            if numbers.next(below: 1000) < UInt64(profile.lossPerMille) { isLost = true }
        }
        return isLost ? delay + max(Self.shortestRepeat, profile.roundTrip) : delay
    }

    /// Updates the number of arrived bytes; returns whether the connection is broken.
    public mutating func arrive(by time: Timestamp) -> Bool {
        while let flight = flights.first, flight.time <= time {
            arrived = flight.end
            flights.removeFirst()
        }
        return flights.isEmpty && breaks.map { $0 <= time } ?? false
    }

    /// Counts all bytes up to a position as arrived.
    public mutating func skip(to end: Int) { (flights, entered, arrived, breaks) = (Backlog(), end, end, nil) }

    private static let slicesPerSecond = 50
    /// The payload of a packet on most networks, in bytes.
    private static let packet = 1460
    /// The maximum number of packets in a slice with random losses; a larger slice always loses one.
    private static let packetsAtOnce = 1000
    /// The minimum time before a lost packet is retransmitted, as on Linux: 200 ms.
    private static let shortestRepeat: Int64 = 200_000_000
}

/// The network between a client and a world: delays, outages, and who answers.
///
/// The rates apply to each connection separately. Durations are nanoseconds.
public struct NetworkProfile: Sendable, Equatable {
    public var name: String
    /// The round trip, half of which is the delay in each direction.
    public var roundTrip: Int64
    /// Bytes per second to and from the client; nil if unlimited.
    public var down, up: Int?
    /// The largest additional delay for a slice of bytes; slices keep their order.
    public var jitter: Int64
    /// The number of packets per thousand that are lost and sent again; all later packets wait for them.
    public var lossPerMille: Int
    public var outages: Outages?
    /// How many of a world's first connections are reset at their first request.
    public var failingConnections: Int
    public var reach: Reach

    public init(
        _ name: String, roundTrip: Int64 = 0, down: Int? = nil, up: Int? = nil, jitter: Int64 = 0,
        lossPerMille: Int = 0, outages: Outages? = nil, failingConnections: Int = 0, reach: Reach = .server
    ) {
        (self.name, self.roundTrip, self.down, self.up) = (name, roundTrip, down, up)
        (self.jitter, self.lossPerMille, self.outages) = (jitter, lossPerMille, outages)
        (self.failingConnections, self.reach) = (failingConnections, reach)
    }

    /// Recurring outages, during which no bytes pass.
    ///
    /// Each period has one outage. The seed determines the outage's time, which is the same for all connections of a
    /// world.
    public struct Outages: Sendable, Equatable {
        public var period, length: Int64
        /// The number of connections per thousand that an outage resets.
        public var resetPerMille: Int

        public init(period: Int64, length: Int64, resetPerMille: Int = 0) {
            (self.period, self.length, self.resetPerMille) = (period, length, resetPerMille)
        }
    }

    /// Who answers requests.
    public enum Reach: Sendable { case server, portal, nobody }

    /// The named profiles.
    ///
    /// `edge`, `3g`, `lte` and `wifi-bad` have the rates, delays and loss of Apple's Network Link Conditioner, which
    /// calls the last one "Very Bad Network". A geostationary satellite orbits at 35,786 km, so a round trip takes 477
    /// ms at the speed of light. The other numbers come from satellite operators. The numbers for tunnels and lifts are
    /// estimates, because none are published.
    public static let all = [
        NetworkProfile("edge", roundTrip: ms(840), down: 30_000, up: 25_000),
        NetworkProfile("3g", roundTrip: ms(200), down: 97_500, up: 41_250),
        NetworkProfile("lte", roundTrip: ms(115), down: 6_250_000, up: 1_250_000),
        NetworkProfile(
            "wifi-bad", roundTrip: ms(1000), down: 125_000, up: 125_000, jitter: ms(100), lossPerMille: 100,
            failingConnections: 1),
        NetworkProfile(
            "train", roundTrip: ms(150), down: 500_000, up: 125_000, jitter: ms(80), lossPerMille: 10,
            outages: Outages(period: ms(60_000), length: ms(10_000), resetPerMille: 300)),
        NetworkProfile(
            "lift", roundTrip: ms(115), down: 6_250_000, up: 1_250_000,
            outages: Outages(period: ms(45_000), length: ms(20_000), resetPerMille: 1000), failingConnections: 1),
        NetworkProfile(
            "satellite", roundTrip: ms(600), down: 3_000_000, up: 375_000, jitter: ms(40), lossPerMille: 5),
        NetworkProfile("captive-portal", roundTrip: ms(20), down: 625_000, up: 625_000, reach: .portal),
        NetworkProfile("offline", reach: .nobody),
    ]

    public static func named(_ name: String) -> NetworkProfile? { all.first { $0.name == name } }

    /// The name of a profile that has custom numbers.
    public static let customName = "custom"

    private static func ms(_ count: Int64) -> Int64 { count * 1_000_000 }
}
