import Testing

@testable import FitIQAPI

@Suite("Frames from the client") struct ClientFrameTests {
    private func reading(_ text: some Collection<UInt8>, in form: GuideMode = .union) -> Result<ClientFrame, FrameError>
    {
        Result { () throws(FrameError) in try ClientFrame(text: Array(text), in: form) }
    }

    private func failure(of result: Result<ClientFrame, FrameError>) -> FrameError? {
        if case .failure(let error) = result { error } else { nil }
    }

    private func chat(_ content: String, type: String = "message") -> Result<ClientFrame, FrameError> {
        reading(#"{"type":"\#(type)","content":"\#(content)"}"#.utf8)
    }

    static let accepted: KeyValuePairs<String, ClientFrame> = [
        #"{"type":"ping"}"#: .ping, #"{"type":"ping","content":5,"timestamp":"x"}"#: .ping,
        #"{"type":"message","content":"Hello"}"#: .chat(.stream, content: "Hello"),
        #"{"content":"Hello","type":"user_message"}"#: .chat(.assistantMessage, content: "Hello"),
        " {\n\"type\"\t: \"message\" , \"content\" : \"a\" }\r\n": .chat(.stream, content: "a"),
        // The server ignores the client's metadata, whose types may be anything.
        #"{"type":"user_message","content":"a","metadata":{"source":"ios","n":1,"deep":[[]]}}"#: .chat(
            .assistantMessage, content: "a"),
        #"{"type":"message","content":"a","metadata":null}"#: .chat(.stream, content: "a"),
        // Only the last of several members with the same name is used.
        #"{"type":"ping","type":"message","content":1,"content":"a"}"#: .chat(.stream, content: "a"),
        #"{"type":"message","content":"a","type":"ping"}"#: .ping,
        // Escapes.
        #"{"\u0074ype":"m\u0065ssage","content":"\ud83d\ude00\"\\\/\b"}"#: .chat(.stream, content: "😀\"\\/\u{8}"),
        #"{"type":"message","content":"\u0000"}"#: .chat(.stream, content: "\0"),
        #"{"type":"message","content":"{\"type\":\"ping\"}"}"#: .chat(.stream, content: #"{"type":"ping"}"#),
    ]

    @Test("A client frame is a ping or a chat message of either protocol", arguments: accepted)
    func acceptedFrames(text: String, frame: ClientFrame) { #expect(reading(text.utf8) == .success(frame)) }

    static let known = #"send "message", "user_message" or "ping"."#

    static let refused: KeyValuePairs<ErrorCode, KeyValuePairs<String, String>> = [
        .invalidJSON: [
            "": "The frame is not valid JSON: line 1, column 1: expected a value but found the end of the text.",
            "Hello":
                "The frame is not valid JSON: line 1, column 1: expected a value but found 'Hello'; strings need double quotes.",
            #"{"type":"ping"}{"type":"ping"}"#:
                "The frame is not valid JSON: line 1, column 16: expected the end of the text after the value but found '{'.",
            "[]": "A frame must be one JSON object; this is an array: [].",
            #"[{"type":"ping"}]"#: #"A frame must be one JSON object; this is an array: [{"type":"ping"}]."#,
            #""ping""#: #"A frame must be one JSON object; this is a string: "ping"."#,
            "null": "A frame must be one JSON object; this is null: null.",
            "42": "A frame must be one JSON object; this is a number: 42.",
        ],
        .invalidMessageType: [
            "{}": "The frame has no 'type'; \(known)",
            #"{"content":"a"}"#: "The frame has no 'type'; \(known)",
            #"{"type":null,"content":"a"}"#: "The frame has no 'type'; \(known)",
            #"{"Type":"ping"}"#: "The frame has no 'type'; \(known)",
            #"{"type":5}"#: "The frame's 'type' is 5; \(known)",
            #"{"type":["ping"]}"#: #"The frame's 'type' is ["ping"]; \#(known)"#,
            #"{"type":""}"#: #"The frame's 'type' is ""; \#(known)"#,
            #"{"type":"subscribe"}"#: #"The frame's 'type' is "subscribe"; \#(known)"#,
            #"{"type":"messages","content":"a"}"#:
                #"The frame's 'type' is "messages"; \#(known) Did you mean "message"?"#,
            #"{"type":"userMessage","content":"a"}"#:
                #"The frame's 'type' is "userMessage"; \#(known) Did you mean "user_message"?"#,
            #"{"type":"PING"}"#: #"The frame's 'type' is "PING"; \#(known) Did you mean "ping"?"#,
        ],
        .invalidContent: [
            #"{"type":"message"}"#: "The frame has no 'content'; send a text of 1 to 2000 characters.",
            #"{"type":"user_message","content":null}"#:
                "The frame has no 'content'; send a text of 1 to 2000 characters.",
            #"{"type":"message","text":"a"}"#: "The frame has no 'content'; send a text of 1 to 2000 characters.",
            #"{"type":"message","content":5}"#: "The frame's 'content' must be a string; got a number: 5.",
            #"{"type":"message","content":{"text":"a"}}"#:
                #"The frame's 'content' must be a string; got an object: {"text":"a"}."#,
            #"{"type":"message","content":""}"#: "The frame's 'content' is blank; send a text of 1 to 2000 characters.",
            #"{"type":"user_message","content":" \n\t "}"#:
                "The frame's 'content' is blank; send a text of 1 to 2000 characters.",
        ],
    ]

    static let refusals = refused.flatMap { code, rows in rows.map { ($0.key, FrameError(code, $0.value)) } }

    @Test("The error for any other frame says what to send", arguments: refusals)
    func refusedFrames(text: String, error: FrameError) { #expect(reading(text.utf8) == .failure(error)) }

    static let trimming: KeyValuePairs<String, String> = [
        " a": "a", "a ": "a", #"\n\n a b \t\r\n"#: "a b", #"\r\na\r\n"#: "a", "\u{A0}a\u{A0}": "a",
        "\u{2003}\u{3000}a\u{2028}\u{2029}": "a", #"\u000b\u000ca\u0085"#: "a", #"a\n\nb"#: "a\n\nb",
        // A zero-width space and a control character are not white space in Unicode.
        "\u{200B}a": "\u{200B}a", #"\u0000"#: "\0",
        // Trimming works on scalars, as `trimmingCharacters` does in the guides' clients, so an accent on a space
        // stays.
        " \u{301}a ": "\u{301}a",
    ]

    @Test("Any white space is trimmed at both ends of the content", arguments: trimming)
    func trims(content: String, trimmed: String) {
        #expect(chat(content) == .success(.chat(.stream, content: trimmed)))
        #expect(chat(content, type: "user_message") == .success(.chat(.assistantMessage, content: trimmed)))
    }

    @Test(
        "Content may have up to 2,000 characters, as Swift counts them",
        arguments: ["a", "é", "e\u{301}", "😀", "👩‍👩‍👧‍👦", "🇩🇪", "👍🏽", "각", "\u{1112}\u{1161}\u{11AB}", "क्षि"])
    func lengths(character: String) {
        #expect(character.count == 1)
        for padding in ["", " ", #"\n\n"#] {
            let longest = String(repeating: character, count: 2000)
            #expect(chat(padding + longest + padding) == .success(.chat(.stream, content: longest)))
            #expect(
                chat(padding + longest + character + padding)
                    == .failure(
                        FrameError(
                            .invalidContent,
                            "The frame's 'content' has 2001 characters after trimming; at most 2000 are allowed.")))
        }
    }

    @Test("CR LF counts as one character inside the content")
    func lineBreaks() {
        let lines = "a" + String(repeating: #"\r\n"#, count: 1998) + "b"
        #expect(chat(lines) == .success(.chat(.stream, content: "a" + String(repeating: "\r\n", count: 1998) + "b")))
    }

    @Test("Content with few characters but too many bytes is rejected")
    func tooManyBytes() {
        for (marks, isAllowed) in [(65_535, true), (65_536, false), (400_000, false)] {
            let content = "ae" + String(repeating: "\u{301}", count: marks)
            let text = #"{"type":"message","content":"  \#(content)\n"}"#.replacing("\n", with: "\\n")
            let error = FrameError.contentTooLarge(2 + 2 * marks)
            #expect(reading(text.utf8) == (isAllowed ? .success(.chat(.stream, content: content)) : .failure(error)))
        }
        #expect(
            FrameError.contentTooLarge(200_000).message
                == "The frame's 'content' has 200000 bytes of UTF-8; at most 131072 are allowed.")
    }

    @Test("A frame may have any amount of surrounding white space")
    func padding() {
        let padding = String(repeating: " ", count: 1_000_000)
        #expect(chat(padding + "a" + padding) == .success(.chat(.stream, content: "a")))
        #expect(chat(padding) == .failure(.blankContent))
    }

    @Test("A frame with deeply nested arrays or objects is rejected", arguments: ["[", #"{"a":"#])
    func nesting(opening: String) throws {
        let deep = #"{"type":"ping","x":"# + String(repeating: opening, count: 100_000)
        let error = try #require(failure(of: reading(deep.utf8)))
        #expect(error.code == .invalidJSON)
        #expect(error.message.hasSuffix("more than 128 arrays and objects are nested; nest fewer."))
    }

    @Test("A truncated frame is rejected")
    func cut() {
        let frame = #"{"type":"message","content":"é😀\u0041","n":[1,2.5e3,true,null]}"#.bytes
        for length in frame.indices {
            #expect(failure(of: reading(frame[..<length]))?.code == .invalidJSON, "cut after \(length) bytes")
        }
    }

    @Test("A lone surrogate is rejected", arguments: [#"\ud83d"#, #"\ude00"#, #"\ude00\ud83d"#])
    func surrogates(escape: String) throws {
        let error = try #require(failure(of: chat(escape)))
        #expect(error.code == .invalidJSON && error.message.contains("surrogate pair"))
    }

    @Test("An error message shortens a long type")
    func longType() throws {
        let frame = #"{"type":"\#(String(repeating: "m", count: 100_000))"}"#
        let error = try #require(failure(of: reading(frame.utf8)))
        #expect(error.code == .invalidMessageType && error.message.count < 200)
    }

    static let types: [(GuideMode, [String])] = [
        (.union, ["message", "user_message", "ping"]), (.goalLinking, ["message", "user_message", "ping"]),
        (.consultationWebSocket, ["message", "ping"]), (.webSocketArchitecture, ["message", "ping"]),
        (.enhancedConsultations, ["user_message", "ping"]), (.mealLogWebSocket, ["ping"]),
    ]

    @Test("Each guide's mode accepts only that guide's frames", arguments: types)
    func typesOfGuides(mode: GuideMode, known: [String]) {
        for type in ["message", "user_message", "ping"] {
            switch reading(#"{"type":"\#(type)","content":"a"}"#.utf8, in: mode) {
            case .success: #expect(known.contains(type))
            case .failure(let error):
                #expect(!known.contains(type))
                #expect(error.code == .invalidMessageType)
                let guide = type == "message" ? "consultation-websocket" : "enhanced-consultations"
                #expect(
                    error.message.hasPrefix(
                        "The frame's 'type' is \"\(type)\", which belongs to the guide \(guide), but this server "
                            + "follows \(mode.rawValue); send "), "\(error.message)")
            }
        }
        #expect(reading(#"{"type":"pong"}"#.utf8, in: mode) == .failure(.unknownType("pong", in: mode)))
    }
}
