import JSON
import MCP

enum MCPTarget {
    /// Each message gets one line in the protocol's form, or no answer; so does each answer of the admin API.
    static func run(_ bytes: [UInt8]) {
        let server = MCPServer(version: "1", command: "true")
        switch server.receive(bytes) {
        case .nothing, .cancel: break
        case .answer(let answer): check(answer)
        case .call(let call):
            for status in [200, 404] { check(call.answer(status: status, body: bytes)) }
            check(call.answer(status: 200, body: nil))
        }
        // The same with the fields of an HTTP request.
        if case .answer(let answer) = server.receive(bytes, field: { _ in "2025-11-25" }) { check(answer) }
    }

    private static func check(_ answer: MCPAnswer) {
        guard let message = try? JSON.parse(answer.bytes), message["jsonrpc"] == "2.0" else {
            fail("no message of the protocol: \(String(decoding: answer.bytes, as: UTF8.self))")
        }
        require((message["result"] == nil) != (message["error"] == nil), "a result or an error: \(message)")
        require(!answer.bytes.contains(0x0A), "more than one line")
    }
}
