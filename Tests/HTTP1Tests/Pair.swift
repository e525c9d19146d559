import HTTPTypes
import TestSupport
import Testing

@testable import HTTP1

/// A client and a server that exchange bytes in pieces of a given size.
struct Pair {
    var client = Connection(role: .client)
    var server = Connection(role: .server)
    /// The number of bytes transferred at a time; nil for all.
    var step: Int?
    /// Everything sent in each direction.
    var sentByClient = ""
    var sentByServer = ""

    init(step: Int? = nil) { self.step = step }

    /// Sends the bytes that `send` writes from the client, and returns the events that the server reads.
    mutating func clientSends(_ send: (inout Connection, inout [UInt8]) -> Void) throws -> [String] {
        var out: [UInt8] = []
        send(&client, &out)
        sentByClient += String(decoding: out, as: UTF8.self)
        return try Self.feed(out, to: &server, step)
    }

    /// Sends the bytes that `send` writes from the server, and returns the events that the client reads.
    mutating func serverSends(_ send: (inout Connection, inout [UInt8]) -> Void) throws -> [String] {
        var out: [UInt8] = []
        send(&server, &out)
        sentByServer += String(decoding: out, as: UTF8.self)
        return try Self.feed(out, to: &client, step)
    }

    /// Both states as `ours/theirs`; the two ends must agree.
    var states: String {
        #expect(client.ourState == server.theirState)
        #expect(client.theirState == server.ourState)
        return "\(client.ourState)/\(server.ourState)"
    }

    static func feed(_ bytes: [UInt8], to connection: inout Connection, _ step: Int?) throws -> [String] {
        var events: [String] = []
        for piece in bytes.pieces(of: step ?? .max) {
            connection.receive(piece)
            events += try drain(&connection)
        }
        if bytes.isEmpty { events += try drain(&connection) }
        return merged(events)
    }

    static func drain(_ connection: inout Connection) throws -> [String] {
        var events: [String] = []
        while true {
            switch try connection.nextEvent() {
            case .needsData, .paused: return events
            case .request(let head): events.append("\(head.method.rawValue) \(head.target)")
            case .response(let head): events.append("\(head.status.code)")
            case .informational(let head): events.append("interim \(head.status.code)")
            case .body(let piece): events.append("body " + String(decoding: piece, as: UTF8.self))
            case .end: events.append("end")
            case .connectionClosed: return events + ["closed"]
            }
        }
    }

    /// Joins neighbouring pieces of a body.
    private static func merged(_ events: [String]) -> [String] {
        events.reduce(into: []) { merged, event in
            if event.hasPrefix("body "), merged.last?.hasPrefix("body ") == true {
                merged[merged.count - 1] += event.dropFirst(5)
            } else {
                merged.append(event)
            }
        }
    }
}
