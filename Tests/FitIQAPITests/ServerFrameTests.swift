import JSON
import Testing

@testable import FitIQAPI

@Suite("Frames from the server") struct ServerFrameTests {
    static let consultation = ResourceID.numbered(1)
    static let message = ResourceID.numbered(2)
    static let ids = (
        #""consultation_id":"00000000-0000-4000-8000-000000000001""#,
        #""message_id":"00000000-0000-4000-8000-000000000002""#
    )
    static let timestamp = #""timestamp":"2025-01-29T10:30:00Z""#

    static let template = CreatedTemplate(type: "workout", id: "push-ups", name: "Push-ups \"daily\"")
    static let templateJSON = #"{"type":"workout","id":"push-ups","name":"Push-ups \"daily\""}"#

    static let golden: KeyValuePairs<ServerFrame, String> = [
        .connected(user: nil): #"{"type":"connected",\#(ids.0),\#(timestamp)}"#,
        .connected(user: "u-1"): #"{"type":"connected",\#(ids.0),"user_id":"u-1",\#(timestamp)}"#,
        .messageReceived: #"{"type":"message_received",\#(ids.0),\#(timestamp)}"#,
        .streamChunk(content: "For "): #"{"type":"stream_chunk",\#(ids.0),"content":"For ",\#(timestamp)}"#,
        .streamChunk(content: "\"é\\\n\t\u{1}/😀\u{2028}"):
            #"{"type":"stream_chunk",\#(ids.0),"content":"\"é\\\n\t\u0001/😀\#u{2028}",\#(timestamp)}"#,
        .streamComplete(nil): #"{"type":"stream_complete",\#(ids.0),\#(timestamp)}"#,
        .streamComplete(MessageMetadata(tokensUsed: 15, persona: .nutritionist, processingTime: 3020)):
            #"{"type":"stream_complete",\#(ids.0),"metadata":{"tokens_used":15,"processing_time_ms":3020},"#
            + #"\#(timestamp)}"#,
        .streamComplete(MessageMetadata(tokensUsed: 1, functionCalled: "create_goal", processingTime: 0)):
            #"{"type":"stream_complete",\#(ids.0),"metadata":{"tokens_used":1,"processing_time_ms":0,"#
            + #""function_calls":["create_goal"]},\#(timestamp)}"#,
        .assistantMessageEnd(
            id: message, metadata: MessageMetadata(tokensUsed: 2, persona: .fitnessCoach, processingTime: 7)):
            #"{"type":"assistant_message_end",\#(ids.0),\#(ids.1),"metadata":{"tokens_used":2,"#
            + #""persona":"fitness_coach","tokens":2,"processing_time_ms":7,"is_streaming":false},\#(timestamp)}"#,
        .userMessage(id: message, content: "Hello"):
            #"{"type":"user_message",\#(ids.0),\#(ids.1),"content":"Hello",\#(timestamp)}"#,
        .assistantMessageStart(id: message): #"{"type":"assistant_message_start",\#(ids.0),\#(ids.1),\#(timestamp)}"#,
        .assistantMessageChunk(id: message, content: "For "):
            #"{"type":"assistant_message_chunk",\#(ids.0),\#(ids.1),"content":"For ",\#(timestamp)}"#,
        .assistantMessageEnd(id: message, metadata: nil):
            #"{"type":"assistant_message_end",\#(ids.0),\#(ids.1),\#(timestamp)}"#,
        .assistantMessageEnd(id: message, metadata: MessageMetadata(tokensUsed: 57)):
            #"{"type":"assistant_message_end",\#(ids.0),\#(ids.1),"metadata":{"tokens_used":57},\#(timestamp)}"#,
        .assistantMessageEnd(
            id: message,
            metadata: MessageMetadata(tokensUsed: 0, templateCreated: template, functionCalled: "create_goal")):
            #"{"type":"assistant_message_end",\#(ids.0),\#(ids.1),"metadata":{"template_created":\#(templateJSON),"#
            + #""function_called":"create_goal","tokens_used":0},\#(timestamp)}"#,
        .templateCreated(template):
            #"{"type":"template_created",\#(ids.0),"metadata":{"template_created":\#(templateJSON)},\#(timestamp)}"#,
        // No guide's pong names its consultation.
        .pong: #"{"type":"pong",\#(timestamp)}"#,
        .error(.consultationNotActive):
            #"{"type":"error",\#(ids.0),"error":"Consultation is not active","code":"CONSULTATION_NOT_ACTIVE",\#(timestamp)}"#,
        .error(FrameError(.invalidContent, "Not \"so\".")):
            #"{"type":"error",\#(ids.0),"error":"Not \"so\".","code":"INVALID_CONTENT",\#(timestamp)}"#,
        .scriptedError(message: "Overloaded.", code: "a code of one's own"):
            #"{"type":"error",\#(ids.0),"error":"Overloaded.","code":"a code of one's own",\#(timestamp)}"#,
    ]

    @Test("Each server frame is encoded as the expected bytes", arguments: golden)
    func encoded(frame: ServerFrame, json: String) {
        #expect(text(frame.encoded(consultationID: Self.consultation, at: .example, in: .union)) == json)
        #expect(json.hasPrefix(#"{"type":"\#(frame.type)""#))
    }

    @Test("A frame's time is truncated to whole seconds", arguments: [Int64(1), 999_999_999])
    func wholeSeconds(nanoseconds: Int64) {
        let late = Timestamp.example.advanced(byNanoseconds: nanoseconds)
        for (frame, json) in Self.golden {
            #expect(text(frame.encoded(consultationID: Self.consultation, at: late, in: .union)) == json)
        }
    }

    @Test("Each guide's client supports all frames except the receipt in websocket-architecture")
    func known() {
        for form in GuideMode.allCases {
            let unknown: [ServerFrame] = form == .webSocketArchitecture ? [.messageReceived] : []
            #expect(Self.golden.map(\.key).filter { !$0.isKnown(in: form) } == unknown, "\(form)")
        }
    }

    @Test("The meal socket reports unreadable frames and accepts only pings")
    func unusable() {
        for error in [FrameError.binaryFrame, FrameError(.invalidJSON, "No JSON.")] {
            #expect(MealSocketError.unusable(error) == MealSocketError(code: .serverError, message: error.message))
        }
        #expect(MealSocketError.unusable(FrameError(.invalidContent, "Blank.")) == .onlyPings)
    }

    /// The members of each frame in one guide's form, in addition to the frame's own content.
    private func keys(_ frame: ServerFrame, _ form: GuideMode) throws -> [String] {
        let bytes = frame.encoded(consultationID: Self.consultation, at: .example, in: form)
        return try #require(JSON.parse(bytes).object).keys
    }

    @Test("A frame has the members documented by the mode's guide")
    func formsOfGuides() throws {
        let error = ServerFrame.error(.consultationNotActive)
        for (frame, _) in Self.golden where frame != error && frame.type != "error" {
            #expect(try keys(frame, .consultationWebSocket) == keys(frame, .union))
            #expect(try keys(frame, .webSocketArchitecture) == keys(frame, .union))
            #expect(
                try keys(frame, .enhancedConsultations)
                    == keys(frame, .union).filter { frame == .pong || !["consultation_id", "timestamp"].contains($0) })
        }
        #expect(try keys(error, .consultationWebSocket) == ["type", "consultation_id", "error", "timestamp"])
        #expect(try keys(error, .webSocketArchitecture) == ["type", "consultation_id", "error", "timestamp"])
        let scripted = ServerFrame.scriptedError(message: "m", code: "C")
        for form in GuideMode.allCases { #expect(try keys(scripted, form) == keys(error, form)) }
        #expect(try keys(error, .enhancedConsultations) == ["type", "error"])
        #expect(try keys(error, .mealLogWebSocket) == ["type", "error", "timestamp"])
        #expect(try keys(.connected(user: nil), .mealLogWebSocket) == ["type", "timestamp"])
        #expect(try keys(.pong, .mealLogWebSocket) == ["type", "timestamp"])
    }
}
