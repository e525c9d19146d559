import TestSupport
import Testing
import Text

@testable import Proxy

/// How bytes are split before a relay gets them.
enum Cut: Sendable, CustomStringConvertible {
    case whole
    case bytewise
    case at(Int)

    func pieces(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        switch self {
        case .whole: [bytes[...]]
        case .bytewise: bytes.pieces(of: 1)
        case .at(let place) where place < bytes.count: bytes.cut(at: place).filter { !$0.isEmpty }
        case .at: [bytes[...]]
        }
    }

    var description: String {
        switch self {
        case .whole: "whole"
        case .bytewise: "byte by byte"
        case .at(let place): "cut at \(place)"
        }
    }

    /// All distinct splits of texts of at most this many bytes.
    static func all(upTo length: Int) -> [Cut] { [.whole, .bytewise] + (1..<max(length, 2)).map { .at($0) } }
}

/// A relay in memory, with its output to both sides.
struct RelayHarness {
    var relay: Relay
    var cut = Cut.whole
    var sentToClient: [UInt8] = []
    /// The bytes sent over each connection to the upstream.
    var sentToUpstream: [[UInt8]] = []
    var events: [RelayEvent] = []

    static let plain = parsed("http://api.example.com")

    init(_ upstream: UpstreamURL = plain, isClientSecure: Bool = false, limits: RelayLimits = RelayLimits()) {
        relay = Relay(upstream: upstream, isClientSecure: isClientSecure, limits: limits)
    }

    static func parsed(_ text: String) -> UpstreamURL {
        do { return try UpstreamURL(text) } catch { preconditionFailure("\(error)") }
    }

    /// A relay whose client has sent these bytes.
    static func asked(_ text: String = RelayCase.get, limits: RelayLimits = RelayLimits()) -> RelayHarness {
        var harness = RelayHarness(limits: limits)
        harness.client(text)
        return harness
    }

    /// Whether the relay has broken its connection to the upstream off, and wants none.
    var hasDroppedUpstream: Bool { relay.upstreamNumber == nil && relay.resetsUpstream }

    mutating func client(_ text: String) { client(Array(text.utf8)) }

    mutating func client(_ bytes: [UInt8]) {
        for piece in cut.pieces(bytes) {
            piece.withUnsafeBytes { relay.receiveFromClient($0) }
            drain()
        }
    }

    mutating func upstream(_ text: String) { upstream(Array(text.utf8)) }

    mutating func upstream(_ bytes: [UInt8]) {
        for piece in cut.pieces(bytes) {
            piece.withUnsafeBytes { relay.receiveFromUpstream($0) }
            drain()
        }
    }

    mutating func tell(_ news: (inout Relay) -> Void) {
        news(&relay)
        drain()
    }

    /// Sends all waiting bytes, like a transport without limits.
    mutating func drain() {
        events += relay.takeEvents()
        if let number = relay.upstreamNumber {
            while sentToUpstream.count < number { sentToUpstream.append([]) }
            relay.toUpstream.withBytes { sentToUpstream[number - 1] += $0 }
            relay.sentToUpstream(relay.toUpstream.count)
        }
        relay.toClient.withBytes { sentToClient += $0 }
        relay.sentToClient(relay.toClient.count)
    }

    var clientText: String { String(decoding: sentToClient, as: UTF8.self) }
    var upstreamTexts: [String] { sentToUpstream.map { String(decoding: $0, as: UTF8.self) } }
}
