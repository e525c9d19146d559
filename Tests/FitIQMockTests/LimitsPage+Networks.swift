import Faults

extension LimitsPage {
    static let networks: [String: [Limit]] = [
        "network round-trip time, and its jitter": [.time("FaultLimits.networkDelay", FaultLimits.networkDelay)],
        "network rate": [.bytes("FaultLimits.networkRate", FaultLimits.networkRate)],
        "initial connections that fail on a network": [
            .count("FaultLimits.failingConnections", FaultLimits.failingConnections)
        ],
    ]
}
