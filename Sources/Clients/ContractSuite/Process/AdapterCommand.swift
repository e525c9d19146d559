import FitIQAPI
import JSON

/// The commands to an adapter, one line each (`Fixtures/adapters/README.md`).
enum AdapterCommand: Sendable, Hashable {
    /// Creates a new client.
    case begin(Surroundings, address: String)
    case perform(ClientInstruction)
    /// Asks what its user sees.
    case report
    /// Sets its clock.
    case settle(Timestamp)
    /// Ends the client.
    case end

    /// The version of the protocol.
    static let version = 1

    /// Its name on the wire.
    var name: String {
        switch self {
        case .begin: "begin"
        case .perform(let instruction): instruction.name
        case .report: "report"
        case .settle: "settle"
        case .end: "end"
        }
    }

    /// The line to send, including its end.
    var line: [UInt8] {
        var writer = JSONWriter(reserving: 128)
        writer.beginObject()
        writer.member("command", name)
        switch self {
        case .begin(let surroundings, let address):
            writer.member("protocol", Self.version)
            writer.member("case", address)
            writer.member("url", surroundings.url)
            writer.member("ws_url", surroundings.webSocketURL)
            writer.member("token", surroundings.token)
            writer.member("fresh_token", surroundings.freshToken)
            writer.member("api_key", surroundings.apiKey)
            writer.member("guide", surroundings.guide.rawValue)
            writer.member("now", surroundings.now.nanosecondText)
        case .perform(let instruction): instruction.writeAdapterMembers(&writer)
        case .settle(let time): writer.member("now", time.nanosecondText)
        case .report, .end: break
        }
        writer.endObject()
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    /// The expected answer, for messages.
    var expectation: String {
        switch self {
        case .begin: #"{"ok":true,"clock":"suite"} or {"ok":true,"clock":"system"}"#
        case .perform: #"{"ok":true}, {"ok":false,"error":"…"} or {"unsupported":true}"#
        case .report: #"{"ok":true,"report":{…}}"#
        case .settle: #"{"ok":true,"next":"2025-01-29T10:30:01.500000000Z"} or {"ok":true,"next":null}"#
        case .end: #"{"ok":true}"#
        }
    }
}

extension ClientInstruction {
    fileprivate func writeAdapterMembers(_ writer: inout JSONWriter) {
        switch self {
        case .startConsultation(let persona): writer.member("persona", persona.rawValue)
        case .openConsultation(let id), .chatAboutGoal(let id): writer.member("id", id)
        case .send(let text): writer.member("text", text)
        case .createGoal(let title, let description):
            writer.member("title", title)
            writer.member("description", description)
        case .logMeal(let text, let type):
            writer.member("text", text)
            writer.member("type", type.rawValue)
        case .archive, .disconnect, .loadGoals: break
        }
    }
}
