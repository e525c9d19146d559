import TestSupport
import Testing
import WebSocket

/// The visible state of a connection after it has accepted some bytes.
struct Outcome: Equatable {
    var events: [Event] = []
    var output: [UInt8] = []
    var state = Connection.State.open
    var summary = CloseSummary()
    var shouldCloseTransport = false
}

extension Connection {
    /// Feeds pieces one after the other, and returns the visible state.
    mutating func outcome(of pieces: [ArraySlice<UInt8>]) -> Outcome {
        var outcome = Outcome()
        for piece in pieces {
            piece.withUnsafeBytes { receive($0, events: &outcome.events, output: &outcome.output) }
        }
        outcome.state = state
        outcome.summary = closeSummary
        outcome.shouldCloseTransport = shouldCloseTransport
        return outcome
    }
}

/// The ways to split an input: in two at every place (sampled beyond 2,000), and into single bytes.
func splits(of input: [UInt8]) -> [[ArraySlice<UInt8>]] {
    let places =
        input.count <= 2000
        ? Array(0...input.count)
        : Array(0...40) + Array(stride(from: 41, to: input.count - 40, by: input.count / 16))
            + Array((input.count - 40)...input.count)
    return places.map { input.cut(at: $0) } + [input.pieces(of: 1)]
}

/// Feeds `input` whole, then split in every way, each time to a copy of `connection`; all must give the same outcome.
func receiveHoweverSplit(
    _ input: [UInt8], by connection: Connection, sourceLocation: SourceLocation = #_sourceLocation
) -> Outcome {
    var whole = connection
    let expected = whole.outcome(of: [input[...]])
    for pieces in splits(of: input) {
        var copy = connection
        let outcome = copy.outcome(of: pieces)
        if outcome != expected {
            Issue.record(
                "cut after \(pieces[0].count) of \(input.count) bytes: \(outcome), whole: \(expected)",
                sourceLocation: sourceLocation)
            break
        }
    }
    return expected
}
