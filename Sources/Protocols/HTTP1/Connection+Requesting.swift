import HTTPTypes
import Text

/// The client's half. Calling any of it as a server, or before the last response is complete, stops the program.
extension Connection {
    /// Sends a whole request in one append.
    ///
    /// `fields` must have a Host (RFC 9112 §3.2). Content-Length is written here; one among `fields` is left out, and
    /// so is Transfer-Encoding. A method that anticipates a body gets `Content-Length: 0` without one (RFC 9110 §8.6).
    /// An Upgrade field must come with `Connection: upgrade` in `fields`. CONNECT is not supported.
    public mutating func sendRequest(
        method: HTTPRequest.Method, target: String, fields: HTTPFields, body: [UInt8]?, into out: inout [UInt8]
    ) {
        beginRequest(method, target, fields, into: &out)
        if let body {
            out.appendContentLength(body.count)
        } else if method == .post || method == .put || method == .patch {
            out.appendContentLength(0)
        }
        out.appendLineEnd()
        if let body { out.append(contentsOf: body) }
        process(.end, by: .client)
    }

    /// Sends the head of a request whose body follows in pieces: chunked, or exactly `contentLength` bytes.
    public mutating func startRequest(
        method: HTTPRequest.Method, target: String, fields: HTTPFields, contentLength: Int? = nil,
        into out: inout [UInt8]
    ) {
        precondition(contentLength ?? 0 >= 0, "a negative content length")
        beginRequest(method, target, fields, into: &out)
        if let contentLength {
            out.appendContentLength(contentLength)
            sending = .length(contentLength)
        } else {
            out.append(literal: "Transfer-Encoding: chunked\r\n")
            sending = .chunked
        }
        out.appendLineEnd()
    }

    private mutating func beginRequest(
        _ method: HTTPRequest.Method, _ target: String, _ fields: HTTPFields, into out: inout [UInt8]
    ) {
        precondition(role == .client, "a server cannot send requests")
        precondition(ourState == .idle, "a client in state \(ourState) cannot send a request")
        precondition(method != .connect, "tunnels are not supported")
        precondition(!target.isEmpty && target.utf8.allSatisfy(\.isVisible), "a target is visible ASCII")
        let facts = FieldFacts(fields)
        precondition(facts.hasHost, "a request must have a Host field")
        request.isHead = method == .head
        if facts.hasUpgrade && facts.namesUpgrade { states.proposeSwitch() }
        if facts.closes { states.disableKeepAlive() }
        process(.request, by: .client)
        out.append(contentsOf: method.rawValue.utf8)
        out.append(.space)
        out.append(contentsOf: target.utf8)
        out.append(literal: " HTTP/1.1\r\n")
        out.append(fields, facts, includingConnection: true)
    }
}
