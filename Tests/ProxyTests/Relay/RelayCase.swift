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

    let name: String
    let upstream: String
    let steps: [Step]
    /// The bytes on each connection to the upstream.
    let toUpstream: [String]
    let toClient: String
    let ending: RelayEnding
    /// The number of the upstream connection that the relay wants at the end.
    let wanted: Int?
    let finishesUpstream: Bool
    let resetsUpstream: Bool

    var testDescription: String { name }

    /// Unless the case says otherwise, the relay wants its first connection until the client's ends.
    init(
        _ name: String, upstream: String = "http://api.example.com", _ steps: [Step], toUpstream: [String],
        toClient: String, ending: RelayEnding = .none, wanted: Int? = nil, finishesUpstream: Bool = false,
        resetsUpstream: Bool = false
    ) {
        (self.name, self.upstream, self.steps) = (name, upstream, steps)
        (self.toUpstream, self.toClient, self.ending) = (toUpstream, toClient, ending)
        self.wanted = wanted ?? ([.close, .reset].contains(ending) ? nil : 1)
        (self.finishesUpstream, self.resetsUpstream) = (finishesUpstream, resetsUpstream)
    }

    var longestText: Int {
        steps.map { step in
            switch step {
            case .client(let text), .upstream(let text): text.utf8.count
            default: 0
            }
        }.max() ?? 0
    }

    func play(_ cut: Cut) -> RelayHarness {
        var harness = RelayHarness(RelayHarness.parsed(upstream))
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
