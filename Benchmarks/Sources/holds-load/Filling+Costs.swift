import MockServer
import Scenarios

/// Inputs with the highest costs that the limits allow.
extension Filling {
    /// The maximum number of steps that rules may take for each scalar of the longest message.
    static let patterns = Filling(
        name: "a pattern of 500 steps",
        configure: {
            let text = #"{"name":"costly","answers":[{"when":{"content":"/x{498}y/"},"text":"a"}]}"#
            $0.adopt(try Scenario.read(Array(text.utf8), file: "costly.json"))
        },
        rows: [
            .call(
                Call("POST", "/api/v1/consultations", label: "5,000 letters") {
                    #"{"persona":"nutritionist","initial_message":"\#(String(repeating: "x", count: 5000))"}"#
                })
        ])

    /// A message with the maximum number of final deflate blocks.
    static let finalBlocks = Filling(
        name: "a compressed socket",
        configure: {
            $0.adopt(try Scenario.read(Array(#"{"name":"small","compression":"on"}"#.utf8), file: "small.json"))
        },
        rows: [
            .act("a message of 100,000 final blocks") { turns in
                let id = turns.open()
                let handshake = Call.handshake(
                    Row.admin + "echo", fields: ["Sec-WebSocket-Extensions: permessage-deflate"])
                let opened = turns.exchange(handshake.bytes(), on: id)
                guard opened.text.contains("permessage-deflate") else { throw Unexpected(opened.text) }
                let blocks: [[UInt8]] = Array(repeating: [0x03, 0x00], count: 100_000) + [[0x00]]
                let payload = blocks.flatMap(\.self)
                let length = (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
                // A compressed text in one frame, with a mask of zeros.
                let frame: [UInt8] = [0xC1, 0x80 | 127] + length + [0, 0, 0, 0] + payload
                return {
                    let answer = turns.exchange(frame, on: id)
                    guard answer.head.first == 0xC1 || answer.head.first == 0x81 else { throw Unexpected(answer.text) }
                }
            }
        ])

    /// The longest text, searched for the maximum number of words.
    static let longText = Filling(
        name: "10,000 letters in a journal",
        fill: { turns in
            let text = String(repeating: "ab", count: 5000)
            let entry = #"{"content":"\#(text)","logged_at":"2000-01-01T00:00:00Z"}"#
            try turns.fill(1, Call("POST", "/api/v1/journal", entry))
        },
        rows: [
            .call(Call("GET", "/api/v1/journal/search?q=" + String(repeating: "a", count: 7000))),
            .call(Call("GET", "/api/v1/journal/search?q=" + String(repeating: "x+", count: 20))),
        ])
}
