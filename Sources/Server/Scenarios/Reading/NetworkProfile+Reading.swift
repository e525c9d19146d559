import Faults
import JSON

extension NetworkProfile {
    /// A name, or a mapping with numbers of its own.
    static func read(_ cursor: Cursor) -> NetworkProfile? {
        guard case .mapping = cursor.node.content else {
            return cursor.name(among: all.map(\.name)).flatMap(named)
        }
        guard let fields = Fields(cursor, as: .network) else { return nil }
        var profile = NetworkProfile(customName)
        let rates = 1...FaultLimits.networkRate
        profile.roundTrip = fields["rtt"]?.duration(0...FaultLimits.networkDelay) ?? 0
        (profile.down, profile.up) = (fields["down"]?.integer(rates), fields["up"]?.integer(rates))
        profile.jitter = fields["jitter"]?.duration(0...FaultLimits.networkDelay) ?? 0
        profile.lossPerMille = fields["loss_per_mille"]?.integer(0...1000) ?? 0
        profile.outages = fields["outages"].flatMap(Outages.read)
        profile.failingConnections = fields["failing_connections"]?.integer(0...FaultLimits.failingConnections) ?? 0
        return profile
    }

    /// Writes the member `network` of a scenario file into the open object.
    package func write(into writer: inout JSONWriter) {
        guard self != Self.named(name) else { return writer.member("network", name) }
        writer.object("network") { writer in
            writer.duration("rtt", roundTrip)
            writer.member("down", ifPresent: down)
            writer.member("up", ifPresent: up)
            writer.duration("jitter", jitter)
            writer.member("loss_per_mille", lossPerMille)
            if let outages {
                writer.object("outages") { writer in
                    writer.duration("every", outages.period)
                    writer.duration("for", outages.length)
                    writer.member("reset_per_mille", outages.resetPerMille)
                }
            }
            writer.member("failing_connections", failingConnections)
        }
    }
}

extension NetworkProfile.Outages {
    fileprivate static func read(_ cursor: Cursor) -> NetworkProfile.Outages? {
        guard let fields = Fields(cursor, as: .outages) else { return nil }
        let shortest = FaultLimits.shortestHold
        let longest = FaultLimits.longestWait
        let every = fields.required("every", Messages.duration)?.duration(2 * shortest...longest)
        let length = fields.required("for", Messages.duration)?.duration(shortest...(every ?? longest) / 2)
        let reset = fields["reset_per_mille"]?.integer(0...1000) ?? 0
        guard let every, let length else { return nil }
        return NetworkProfile.Outages(period: every, length: length, resetPerMille: reset)
    }
}
