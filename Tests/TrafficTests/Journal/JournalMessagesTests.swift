import FitIQAPI
import HTTPTypes
import Testing

@testable import Traffic

@Suite("Sentences")
struct JournalMessagesTests {
    static let differences: [(EndpointNearMiss.Difference, String)] = [
        (.missingPrefix, "The path lacks the prefix /api/v1."),
        (
            .repeatedPrefix,
            "The path has the prefix /api/v1 twice: leave it out of the base URL, or out of the path."
        ),
        (.emptySegment, "The path has two slashes in a row: a value between them is probably empty."),
        (.trailingSlash, "The path ends with a slash; leave it out."),
        (.segment(got: "gaols", expected: "goals"), "\"gaols\" should be \"goals\"."),
        (.segmentCase(got: "Goals", expected: "goals"), "\"Goals\" is written \"goals\"; paths are case-sensitive."),
        (.idCase(got: "AB"), "Ids are compared as text: lower-case \"AB\" (Swift's uuidString is upper case)."),
        (.malformedID(got: "1\n"), "\"1\\n\" is in the place of an id, but is not a lower-case UUID."),
        (.missingSegment(expected: "{id}"), "\"{id}\" is missing."),
        (.extraSegment(got: "x"), "\"x\" is one segment too many."),
        (.method(got: "PUT", expected: "PATCH"), "The method is PUT, and the endpoint answers PATCH."),
    ]

    @Test("say what differs", arguments: differences.indices)
    func difference(row: Int) {
        #expect(Self.differences[row].0.sentence == Self.differences[row].1)
    }

    @Test("quote what is long in part")
    func long() {
        let sentence = EndpointNearMiss.Difference.extraSegment(got: String(repeating: "x", count: 500)).sentence
        #expect(sentence.count < 120)
    }

    @Test("say that a subprotocol was ignored, unless the answer has one")
    func subprotocol() {
        func hint(_ fields: [String], _ answer: HTTPFields) -> String? {
            RecordedOpening(
                head: JournalSample.head("GET /ws", fields), requestedAt: JournalSample.time, status: 101,
                responseFields: .fields(answer)
            ).hint
        }
        #expect(
            hint(["Sec-WebSocket-Protocol: chat, v2"], [.upgrade: "websocket"])
                == "The client offered the subprotocol \"chat, v2\", and the server has none: the answer has no "
                + "Sec-WebSocket-Protocol. Browsers fail such a connection; offer no subprotocol.")
        #expect(hint(["Sec-WebSocket-Protocol: chat"], [.secWebSocketProtocol: "chat"]) == nil)
        #expect(hint([], [.upgrade: "websocket"]) == nil)
        let event = JournalEvent.opened(
            RecordedOpening(
                head: JournalSample.head("GET /ws", ["Sec-WebSocket-Protocol: chat"]), requestedAt: JournalSample.time,
                status: 101))
        let line = JournalSample.line(event, encoder: JournalEncoder())
        #expect(line.contains(#""hint":"The client offered the subprotocol"#))
    }

    @Test("say what was cut, and what a status is")
    func others() {
        #expect(JournalMessages.cut(kept: 4, of: 6) == "The journal keeps the first 4 of 6 bytes.")
        #expect(
            JournalMessages.badStatus("x")
                == "The parameter 'status' must be a status from 100 to 599, such as 404, or a class of them, such as 4xx; got \"x\"."
        )
        #expect(
            JournalMessages.badTrace("x")
                == "The parameter 'trace' must be the id of a trace, 32 hexadecimal digits in lower case that are not all 0, as in the second part of the field 'traceparent'; got \"x\"."
        )
    }
}
