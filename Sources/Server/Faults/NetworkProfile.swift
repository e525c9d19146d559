/// What lies between a client and a world: how long bytes take, when none pass, and how far requests come.
///
/// Each connection has both rates for itself. Durations are nanoseconds.
public struct NetworkProfile: Sendable, Equatable {
    public var name: String
    /// Half of it passes in each direction.
    public var roundTrip: Int64
    /// Bytes per second to the client and from it; nil if they take no time.
    public var down, up: Int?
    /// The most that a slice of bytes comes late, in addition to all else; it overtakes nothing.
    public var jitter: Int64
    /// How many of a thousand packets are sent again, which everything behind them waits for.
    public var lossPerMille: Int
    public var outages: Outages?
    /// How many connections of a world are reset at their first request, counted from the first.
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

    /// Times in which nothing passes: one in each period, at a place that the seed decides, the same for all
    /// connections of a world.
    public struct Outages: Sendable, Equatable {
        public var period, length: Int64
        /// How many of a thousand connections that meet an outage are reset after it.
        public var resetPerMille: Int

        public init(period: Int64, length: Int64, resetPerMille: Int = 0) {
            (self.period, self.length, self.resetPerMille) = (period, length, resetPerMille)
        }
    }

    /// Who answers requests.
    public enum Reach: Sendable { case server, portal, nobody }

    /// The profiles that have a name.
    ///
    /// `edge`, `3g`, `lte` and `wifi-bad` (there "Very Bad Network") have the rates, delays and loss of Apple's Network
    /// Link Conditioner. A geostationary satellite is 35,786 km high, so a round trip takes 477 ms at the speed of
    /// light; the rest is what operators of such links publish. What nobody publishes, as tunnels and lifts, is ours.
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

    /// What a profile with numbers of its own is called.
    public static let customName = "custom"

    private static func ms(_ count: Int64) -> Int64 { count * 1_000_000 }
}
