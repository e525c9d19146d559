import Faults

extension LimitsPage {
    static let networks: [String: [Limit]] = [
        "network round-trip time, and its jitter": [.time("FaultLimits.networkDelay", FaultLimits.networkDelay)],
        "rate of a network": [.bytes("FaultLimits.networkRate", FaultLimits.networkRate)],
        "initial connections that fail in a network": [
            .count("FaultLimits.failingConnections", FaultLimits.failingConnections)
        ],
    ]
}
