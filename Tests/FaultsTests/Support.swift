import FitIQAPI
import HTTP1
import HTTPTypes
import JSON
import Testing
import WebSocket

@testable import Faults

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

let millisecond: Int64 = 1_000_000
let second: Int64 = 1_000_000_000

extension Transmission.Mark: CustomStringConvertible {
    /// An offset and the action at that offset.
    public var description: String { "\(offset): \(action)" }
}

extension Timestamp {
    /// A time this many milliseconds after a day in January.
    static func after(_ milliseconds: Int64) -> Timestamp {
        Timestamp(secondsSinceEpoch: 1_738_146_600).advanced(byNanoseconds: milliseconds * millisecond)
    }
}

extension FaultRule {
    static func response(
        _ name: String, _ fault: ResponseFault, on endpoints: Set<Endpoint> = [], _ selection: Selection = .all
    ) -> FaultRule { FaultRule(name: ExactString(name), fault: .response(fault, on: endpoints), selection: selection) }

    static func handshake(_ name: String, _ fault: ResponseFault, _ selection: Selection = .all) -> FaultRule {
        FaultRule(name: ExactString(name), fault: .handshake(fault), selection: selection)
    }

    static func socket(
        _ name: String, _ fault: SocketFault, at point: SocketPoint = .frames(.all), _ selection: Selection = .all
    ) -> FaultRule { FaultRule(name: ExactString(name), fault: .socket(fault, at: point), selection: selection) }
}

extension Replacement {
    /// The answer that a rule with this name substitutes.
    func answer(rule name: String, in form: GuideMode) -> ReplacementAnswer {
        var book = FaultBook(rules: [.response(name, .replace(self))])
        guard let answer = book.respond(to: nil, at: .after(0))?.answer(in: form) else {
            preconditionFailure("the rule does not act")
        }
        return answer
    }
}

/// A server's encoding of an answer.
func encode(
    _ status: HTTPResponse.Status = .ok, body: String, method: HTTPRequest.Method = .get,
    fields: HTTPFields = [.contentType: "application/json; charset=utf-8"]
) throws -> EncodedResponse {
    var server = HTTP1.Connection(role: .server)
    server.receive(bytes("\(method.rawValue) / HTTP/1.1\r\nHost: a\r\n\r\n")[...])
    reading: while true { if case .end = try server.nextEvent() { break reading } }
    var out: [UInt8] = []
    server.respond(status: status, fields: fields, body: bytes(body), into: &out)
    return EncodedResponse(out, isAnswerToHead: method == .head)
}

/// What an HTTP/1.1 client reads from the bytes and the end of the stream: the body, or the error.
func readResponse(_ bytes: [UInt8], method: HTTPRequest.Method = .get) -> String {
    var client = HTTP1.Connection(role: .client)
    var out: [UInt8] = []
    var fields = HTTPFields()
    if let host = HTTPField.Name("Host") { fields[host] = "a" }
    client.sendRequest(method: method, target: "/", fields: fields, body: nil, into: &out)
    client.receive(bytes[...])
    client.receiveEndOfStream()
    var log = ""
    do {
        while true {
            switch try client.nextEvent() {
            case .response(let head): log += "\(head.status.code) "
            case .body(let piece): log += text(Array(piece))
            case .end: return log
            default: return log + "nothing"
            }
        }
    } catch {
        return log + " error: \(error.message)"
    }
}

/// The events that a client WebSocket reads from the bytes.
func readFrames(_ bytes: [UInt8]) -> [WebSocket.Event] {
    var client = WebSocket.Connection(role: .client)
    var (events, out): ([WebSocket.Event], [UInt8]) = ([], [])
    client.receive(bytes, events: &events, output: &out)
    return events
}

/// Returns the value, or ends the test if it is nil.
///
/// `#require` cannot contain a mutating call.
func unwrap<Value>(_ value: Value?, sourceLocation: SourceLocation = #_sourceLocation) throws -> Value {
    try #require(value, sourceLocation: sourceLocation)
}

extension SocketFaults {
    /// Sends a message at an arbitrary point in time.
    mutating func send(_ text: [UInt8]) -> Outgoing { send(text, at: .after(0)) }
}
