import Load
import Testing

@Suite("Messages of the server")
struct MessagesTests {
    @Test(
        "the scanner finds the type anywhere in a message",
        arguments: [
            (#"{"type":"stream_chunk","content":"a"}"#, .chunk),
            (#"{"content":"\"type\":\"error\"","type":"stream_chunk"}"#, .chunk),
            (#"{ "type" : "stream_complete" }"#, .complete),
            (#"{"type":"connected"}"#, .connected),
            (#"{"type":"message_received"}"#, .received),
            (#"{"type":"error","error":"no"}"#, .error),
            (#"{"content":"type","type":"pong"}"#, .other),
            (#"{"type":"stream_chunks"}"#, .other),
            (#"{"type":7}"#, .other),
            (#"{"type":"stream_chunk"#, .other),
            ("", .other),
        ] as [(String, MessageType)])
    func types(message: String, type: MessageType) {
        #expect(Array(message.utf8).withUnsafeBytes(messageType) == type)
    }

    @Test(
        "a member's text stays escaped",
        arguments: [
            (#"{"content":"two words"}"#, "two words"),
            (#"{"content":""}"#, ""),
            (#"{"content":"a \"quoted\" word\\"}"#, #"a \"quoted\" word\\"#),
            (#"{"title":"content","content":"é🙂"}"#, "é🙂"),
            (#"{"subcontent":"x"}"#, nil),
            (#"{"content":null}"#, nil),
            (#"{"content":"cut\"#, nil),
        ] as [(String, String?)])
    func members(message: String, text: String?) {
        let found = Array(message.utf8).withUnsafeBytes { bytes in
            stringValue(of: "content", in: bytes).map { String(decoding: bytes[$0], as: UTF8.self) }
        }
        #expect(found == text)
    }
}
