import HTTP1
import JSON
import WebSocket

/// Why a line of a saved journal is not an entry.
enum EntryProblem: Error {
    case notJSON(JSONError)
    /// It is valid JSON with this problem.
    case sentence(String)
}

extension JournalEntry {
    private static let limits = JSON.Limits(
        depth: JournalReader.depthLimit + 1, bytes: JournalReader.lineLimit, values: JournalReader.lineLimit)

    /// Reads the line of an entry and its world, in the format of ``JournalEncoder``; nil if its kind is unknown.
    static func read(
        _ line: UnsafeBufferPointer<UInt8>
    ) throws(EntryProblem) -> (entry: JournalEntry, world: ExactString?)? {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSON.parse(line, limits: limits)
        } catch {
            throw .notJSON(error)
        }
        guard let object = value.object else { throw .sentence(JournalMessages.noObject) }
        var members = EntryMembers(object)
        guard let kind = JournalEvent.Kind(rawValue: try members.string("kind")) else { return nil }
        let number: Int = try members.integer("number")
        guard number > 0 else { throw members.wrong("number") }
        let time = try members.time("time")
        let world = try members.stringIfPresent("world").map(ExactString.init(_:))
        let entry = JournalEntry(
            number: number, time: time, connection: try members.integerIfPresent("connection") ?? 0,
            event: try JournalEvent(kind, &members))
        return (entry, world)
    }
}

extension JournalEvent {
    fileprivate init(_ kind: Kind, _ members: inout EntryMembers) throws(EntryProblem) {
        switch kind {
        case .exchange: self = .exchange(try RecordedExchange(&members))
        case .opened: self = .opened(try RecordedOpening(opening: &members))
        case .frame: self = .frame(try RecordedFrame(&members))
        case .closed: self = .closed(try RecordedClosing(&members))
        case .fault:
            let name = try members.stringIfPresent("fault") ?? ""
            self = .fault(RecordedFault(name: name, effect: try members.choice("effect")))
        case .clock:
            let span: Int64 = try members.integer("advanced_by_ns")
            self = .clock(advancedBy: span, isOfSystem: try members.boolIfPresent("of_system") ?? false)
        case .note: self = .note(try members.string("text"))
        case .held: self = .held(try RecordedHold(&members))
        case .released: self = .released(try RecordedRelease(&members))
        }
    }
}

extension RecordedExchange {
    fileprivate init(_ members: inout EntryMembers) throws(EntryProblem) {
        var request = try members.object("request")
        self.init(
            head: try request.head(), body: try request.body("body", "body_base64", "body_bytes"),
            requestedAt: try members.time("requested_at"),
            endpoint: try members.endpoint(), user: try members.stringIfPresent("user").map(ExactString.init(_:)),
            unmatched: try members.choiceIfPresent("unmatched"), status: nil, responseFields: .none,
            responseBody: RecordedBody(), delivery: try members.choiceIfPresent("delivery") ?? .complete,
            faults: try members.faults())
        created = try members.stringIfPresent("created").map(ExactString.init(_:))
        answeredBy = try members.choiceIfPresent("answered_by")
        guard var response = try members.objectIfPresent("response") else { return }
        let code: Int = try response.integer("status")
        guard (100...999).contains(code) else { throw response.wrong("status") }
        status = code
        responseFields = try response.responseFields()
        responseBody = try response.body("body", "body_base64", "body_bytes")
    }
}

extension RecordedOpening {
    fileprivate init(opening members: inout EntryMembers) throws(EntryProblem) {
        var (request, response) = (try members.object("request"), try members.objectIfPresent("response"))
        self.init(
            head: try request.head(), requestedAt: try members.time("requested_at"),
            endpoint: try members.endpoint(), user: try members.stringIfPresent("user").map(ExactString.init(_:)),
            responseFields: try response?.responseFields() ?? .none, faults: try members.faults())
        answeredBy = try members.choiceIfPresent("answered_by")
    }
}

extension RecordedFrame {
    fileprivate init(_ members: inout EntryMembers) throws(EntryProblem) {
        let sender = try members.choice("direction", among: Party.allCases, \.direction)
        let opcodes: [Opcode] = [.text, .binary, .continuation, .close, .ping, .pong]
        let opcode = try members.choice("opcode", among: opcodes, \.name)
        self.init(
            sender: sender, opcode: opcode, payload: [],
            delivery: try members.choiceIfPresent("delivery") ?? .complete, faults: try members.faults())
        payload =
            opcode == .close
            ? RecordedBody(try Self.closePayload(&members))
            : try members.body("payload", "payload_base64", "payload_bytes")
        compressedSize = try members.integerIfPresent("compressed_bytes")
    }

    /// The payload of a close frame: empty, or a code and a reason.
    private static func closePayload(_ members: inout EntryMembers) throws(EntryProblem) -> [UInt8] {
        guard let code: UInt16 = try members.integerIfPresent("code") else { return [] }
        return [UInt8(code >> 8), UInt8(code & 0xFF)] + Array((try members.stringIfPresent("reason") ?? "").utf8)
    }
}

extension RecordedClosing {
    fileprivate init(_ members: inout EntryMembers) throws(EntryProblem) {
        let party: Party = try members.choice("by")
        let cause: Cause = try members.choice("cause")
        let sent = try members.closeFrame("server_close")
        let received = try members.closeFrame("client_close")
        let isBothSided = cause == .closeFrame && sent != nil && received != nil
        let initiator: WebSocket.Connection.Initiator? =
            isBothSided ? (party == .server ? .weStarted : .theyStarted) : nil
        self.init(
            by: party, cause: cause, summary: CloseSummary(sent: sent, received: received, initiator: initiator),
            message: try members.stringIfPresent("message"), faults: try members.faults())
    }
}

extension RecordedHold {
    fileprivate init(_ members: inout EntryMembers) throws(EntryProblem) {
        self.init(
            breakpoint: try members.string("breakpoint"), place: try members.choice("place"),
            sender: try members.choice("direction", among: Party.allCases, \.direction),
            until: try members.time("until"), subject: try members.string("subject"))
    }
}

extension RecordedRelease {
    fileprivate init(_ members: inout EntryMembers) throws(EntryProblem) {
        let held: Int = try members.integer("held")
        guard held > 0 else { throw members.wrong("held") }
        self.init(
            held: held, breakpoint: try members.string("breakpoint"), action: try members.choice("action"),
            due: try members.time("due"), payload: try members.payloadIfPresent())
    }
}
