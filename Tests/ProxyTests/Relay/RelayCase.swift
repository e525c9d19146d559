import Testing

@testable import Proxy

/// The input from both sides, and the exact result, however the bytes are split.
struct RelayCase: Sendable, CustomTestStringConvertible {
    enum Step: Sendable {
        case client(String)
        case upstream(String)
        case clientFinishes
        case clientBreaks
        case upstreamFinishes
        case upstreamBreaks
    }

    var name: String
    var upstream = "http://api.example.com"
    var isClientSecure = false
    var steps: [Step]
    /// The bytes on each connection to the upstream.
    var toUpstream: [String]
    var toClient: String
    var ending = RelayEnding.none
    /// The number of the upstream connection that the relay wants at the end.
    var wanted: Int? = 1
    var finishesUpstream = false
    var resetsUpstream = false

    var testDescription: String { name }

    var longestText: Int {
        steps.map { step in
            switch step {
            case .client(let text), .upstream(let text): text.utf8.count
            default: 0
            }
        }.max() ?? 0
    }

    func play(_ cut: Cut) -> RelayHarness {
        var harness = RelayHarness(RelayHarness.parsed(upstream), isClientSecure: isClientSecure)
        harness.cut = cut
        for step in steps {
            switch step {
            case .client(let text): harness.client(text)
            case .upstream(let text): harness.upstream(text)
            case .clientFinishes: harness.tell { $0.clientFinished() }
            case .clientBreaks: harness.tell { $0.clientBroke() }
            case .upstreamFinishes: harness.tell { $0.upstreamFinished() }
            case .upstreamBreaks: harness.tell { $0.upstreamBroke() }
            }
        }
        return harness
    }
}
