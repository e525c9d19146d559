import Faults
import FitIQAPI
import JSON
import Text
import Traffic

/// A key of a fault rule that names an action, and its value at each place where the action is allowed.
///
/// The rows of ``all`` are the only list of actions. The reader accepts and refuses actions by these rows, and its
/// messages list them. Tests compare the schema and docs/faults.md with them. The table is here because the module
/// Faults reads no files. Two switches below write the values, so a fault that nothing writes does not compile.
struct FaultAction: Sendable {
    enum Value<Fault: Equatable & Sendable>: Sendable {
        /// `true`, because the action has no parameters.
        case isTrue(Fault)
        case read(@Sendable (Cursor) -> Fault?)
        /// The action consists of several members of the rule.
        case readRule(@Sendable (Fields) -> Fault?)

        func fault(_ key: String, of rule: Fields) -> Fault? {
            switch self {
            case .isTrue(let fault): rule[key]?.isTrue() == true ? fault : nil
            case .read(let read): rule.including(key).flatMap(read)
            case .readRule(let read): read(rule)
            }
        }

        func isTrue(for fault: Fault) -> Bool { if case .isTrue(fault) = self { true } else { false } }
    }

    let key: String
    let rest, handshake: Value<ResponseFault>?
    let `socket`: Value<SocketFault>?

    private init(
        _ key: String, rest: Value<ResponseFault>? = nil, handshake: Value<ResponseFault>? = nil,
        socket: Value<SocketFault>? = nil
    ) {
        (self.key, self.rest, self.handshake, self.socket) = (key, rest, handshake, socket)
    }

    /// An action that is the same in answers over REST and to handshakes.
    private init(_ key: String, answers: Value<ResponseFault>, socket: Value<SocketFault>? = nil) {
        self.init(key, rest: answers, handshake: answers, socket: socket)
    }

    var places: [FaultPlace] {
        [(FaultPlace.response, rest != nil), (.handshake, handshake != nil), (.socket, self.socket != nil)]
            .compactMap { $1 ? $0 : nil }
    }

    static func keys(at place: FaultPlace) -> [String] { all.filter { $0.places.contains(place) }.map(\.key) }

    /// All actions, in the order in which messages list them.
    static let all: [FaultAction] = [
        FaultAction(
            "status", answers: .readRule { Replacement.read($0, defaultStatus: nil).map(ResponseFault.replace) }),
        FaultAction("quota", rest: .readRule(quota)),
        FaultAction(
            "delay", answers: .read { $0.wait().map(ResponseFault.delay) },
            socket: .read { $0.wait().map(SocketFault.delay) }),
        FaultAction(
            "dribble", rest: .read { $0.dribble().map { .dribble(bytes: $0, every: $1) } },
            socket: .read { $0.dribble().map { .dribble(bytes: $0, every: $1) } }),
        FaultAction(
            "truncate", rest: .read { Fields($0, as: .truncate)?.after("the body").map(ResponseFault.truncate) }),
        FaultAction("content_length", rest: .read(contentLength)),
        FaultAction(
            "malformed",
            rest: .read {
                $0.name(among: ["json", "chunking"]).map { $0 == "json" ? .malformedJSON : .malformedChunking }
            }),
        FaultAction("empty_reply", answers: .isTrue(.emptyReply)),
        FaultAction("reset", rest: .read(reset), handshake: .isTrue(.reset(after: 0)), socket: .isTrue(.reset)),
        FaultAction("hang", answers: .isTrue(.hang)),
        FaultAction("content_type", rest: .read(contentType)),
        FaultAction(
            "nanosecond_timestamps", rest: .isTrue(.nanosecondTimestamps), socket: .isTrue(.nanosecondTimestamps)),
        FaultAction("wrong_accept", handshake: .isTrue(.wrongAccept)), FaultAction("close", socket: .read(close)),
        FaultAction("finish", socket: .isTrue(.finish)), FaultAction("silence", socket: .isTrue(.silence)),
        FaultAction("cut", socket: .read(cut)), FaultAction("end", socket: .read(end)),
        FaultAction("masked", socket: .isTrue(.masked)),
        FaultAction("reserved_bits", socket: .read { $0.integer(1...7).map { .reservedBits(UInt8($0)) } }),
        FaultAction("invalid_utf8", socket: .isTrue(.invalidUTF8)), FaultAction("fragments", socket: .read(fragments)),
        FaultAction("escape", socket: .isTrue(.escape)),
        FaultAction("coalesce", socket: .read { $0.integer(2...FaultLimits.coalesced).map(SocketFault.coalesce) }),
        FaultAction("binary", socket: .isTrue(.binary)), FaultAction("lose", socket: .isTrue(.lose)),
        FaultAction("double", socket: .isTrue(.double)), FaultAction("swap", socket: .isTrue(.swap)),
        FaultAction("replace", socket: .read { $0.words(bytes: FaultLimits.replacementBody).map(SocketFault.replace) }),
        FaultAction("insert", socket: .read { $0.words(bytes: FaultLimits.replacementBody).map(SocketFault.insert) }),
        FaultAction("withhold_pong", socket: .isTrue(.withholdPong)),
        FaultAction("stall_reading", socket: .isTrue(.stallReading)),
        FaultAction(
            "compression",
            rest: .read {
                $0.word(of: [.undeclared, .truncated, .corrupt, .wrongLength]).map(ResponseFault.compression)
            },
            handshake: .read { $0.word(of: [.declined]).map(ResponseFault.compression) },
            socket: .read {
                $0.word(of: [.undeclared, .fragmented, .marked, .forgotten, .trailing, .corrupt])
                    .map(SocketFault.compression)
            }),
        FaultAction(
            "hold", rest: .read { $0.hold(of: ["request", "response"]).map(ResponseFault.hold) },
            handshake: .read { $0.hold(of: ["request"]).map(ResponseFault.hold) },
            socket: .read { $0.hold(of: Party.allCases.map(\.direction) + ["both"]).map(SocketFault.hold) }),
    ]
}

/// The values that take more than a line to read.
extension FaultAction {
    private static func quota(_ rule: Fields) -> ResponseFault? {
        guard let window = rule["quota"].flatMap({ Fields($0, as: .quota) }) else { return nil }
        let requests = window.required("requests", "the number of requests to answer")?.integer(
            0...FaultLimits.quotaRequests)
        let span = window.required("per", Messages.duration)?.duration(1_000_000...FaultLimits.longestWindow)
        let replacement = Replacement.read(rule, defaultStatus: 429)
        guard let requests, let span, let replacement else { return nil }
        return .quota(requests: requests, window: span, replacement)
    }

    private static func contentLength(_ value: Cursor) -> ResponseFault? {
        let off = value.integer(-FaultLimits.contentLengthError...FaultLimits.contentLengthError)
        return off == 0 ? value.refuse(Messages.zeroLength) : off.map(ResponseFault.contentLength)
    }

    private static func reset(_ value: Cursor) -> ResponseFault? {
        guard case .mapping = value.node.content else { return value.isTrue() ? .reset(after: 0) : nil }
        return Fields(value, as: .reset)?.after("the response").map(ResponseFault.reset)
    }

    private static func contentType(_ value: Cursor) -> ResponseFault? {
        value.node.content == .null ? .contentType(nil) : value.fieldValue().map(ResponseFault.contentType)
    }

    private static func close(_ value: Cursor) -> SocketFault? {
        if value.written == "none" { return .close(code: nil, reason: "") }
        guard case .mapping = value.node.content else {
            return value.number?.int.flatMap(UInt16.init(exactly:)).map { .close(code: $0, reason: "") }
                ?? value.refuse(expected: "a close code such as 1011, none, or {code: 4000, reason: …}")
        }
        guard let fields = Fields(value, as: .close) else { return nil }
        let code = fields.required("code", Messages.integer(in: 0...65_535))?.integer(0...65_535)
        let reason = fields["reason"]?.string(expected: "a string") ?? ""
        if reason.utf8.count > FaultLimits.closeReason { fields.refuse("reason", Messages.closeReason) }
        return code.map { .close(code: UInt16($0), reason: reason) }
    }

    private static func cut(_ value: Cursor) -> SocketFault? {
        guard let fields = Fields(value, as: .cut) else { return nil }
        let after = fields.after("the frame")
        let reset = fields["reset"]?.flag() ?? false
        return after.map { .cut(after: $0, reset: reset) }
    }

    private static func end(_ value: Cursor) -> SocketFault? {
        guard let fields = Fields(value, as: .end) else { return nil }
        let endings = SocketFault.Ending.allCases.map(\.rawValue)
        let how = fields.required("how", Messages.oneOf(endings))?.choice(of: SocketFault.Ending.self)
        let wait = fields["after"].map { $0.wait() } ?? 0
        guard let how, let wait else { return nil }
        return .end(how, after: wait)
    }

    private static func fragments(_ value: Cursor) -> SocketFault? {
        guard let elements = value.elements(limit: FaultLimits.fragments, of: "byte positions") else { return nil }
        guard !elements.isEmpty else { return value.refuse(Messages.emptyList(of: "byte positions")) }
        let positions = elements.map { $0.integer(1...FaultLimits.contentLengthError) }
        let known = positions.compactMap { $0 }
        guard known.count == positions.count else { return nil }
        let areAscending = zip(known, known.dropFirst()).allSatisfy(<)
        return areAscending ? .fragments(at: known) : value.refuse(Messages.ascending)
    }
}

extension Replacement: Coded {
    fileprivate static func read(_ fields: Fields, defaultStatus: Int?) -> Replacement? {
        var replacement = Replacement(status: defaultStatus ?? 0)
        replacement.read(fields)
        return replacement.status == 0 ? nil : replacement
    }

    mutating func code(_ coder: inout MemberCoder) {
        coder.member("status", &status, .integer(FaultLimits.statuses))
        coder.member(
            "body", &body,
            .rule { $0.string(expected: "a string (JSON needs quotation marks)", bytes: FaultLimits.replacementBody) })
        coder.member("content_type", &contentType, .rule { $0.fieldValue() })
        coder.member("code", &code, .rule { $0.text(1...100) })
        coder.member("message", &message, .rule { $0.text(1...1000) })
        coder.member("retry_after", &retryAfter, MemberForm(read: { $0.seconds() }, write: { $0.value($1) }))
        coder.member("processed", &isProcessed, .flag(), unless: false)
    }
}

extension Fields {
    /// The required number of bytes before the fault.
    fileprivate func after(_ what: String) -> Int? {
        required("after", "the number of bytes of \(what) to send")?.integer(0...FaultLimits.contentLengthError)
    }
}

extension Cursor {
    fileprivate func wait() -> Int64? { duration(0...FaultLimits.longestWait) }

    fileprivate func dribble() -> (bytes: Int, every: Int64)? {
        guard let fields = Fields(self, as: .dribble) else { return nil }
        let bytes = fields.required("bytes", "the number of bytes at a time")?.integer(
            1...FaultLimits.contentLengthError)
        let every = fields.required("every", Messages.duration)?.wait()
        guard let bytes, let every else { return nil }
        return (bytes, every)
    }

    fileprivate func word(of choices: [CompressionFault]) -> CompressionFault? {
        name(among: choices.map(\.rawValue)).flatMap(CompressionFault.init)
    }

    /// A breakpoint: the held item, with or without conditions.
    fileprivate func hold(of choices: [String]) -> Hold? {
        var hold = Hold()
        var what: Cursor? = self
        if case .mapping = node.content {
            guard let fields = Fields(self, as: .hold) else { return nil }
            what = fields.required("what", Messages.oneOf(choices))
            if let text = fields["text"] { hold.text = text.words(bytes: FaultLimits.holdText) ?? "" }
            let times = FaultLimits.shortestHold...FaultLimits.longestWait
            if let time = fields["for"] { hold.time = time.duration(times) ?? hold.time }
        }
        let oldWords = Party.allCases.map { (old: $0.rawValue, now: $0.direction) }
        guard let name = what?.name(among: choices, oldWords: oldWords) else { return nil }
        hold.fromClient = ["request", Party.client.direction, "both"].contains(name)
        hold.fromServer = ["response", Party.server.direction, "both"].contains(name)
        return hold
    }

    fileprivate func fieldValue() -> String? {
        guard let text = text(1...200) else { return nil }
        guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }), text.first != " ", text.last != " " else {
            return refuse(expected: "printable ASCII, without spaces around it")
        }
        return text
    }

    /// Whole seconds, as a number or as a duration: `2`, `2s`.
    fileprivate func seconds() -> Int? {
        if let text = written, let duration = ScenarioLimits.duration(text), duration % 1_000_000_000 == 0 {
            return Int(duration / 1_000_000_000)
        }
        guard let value = number?.int, (0...FaultLimits.retryAfter).contains(value) else {
            return refuse(expected: Messages.seconds)
        }
        return value
    }
}

extension SocketPoint {
    /// - Parameter ofClient: Whether the point also counts the client's messages, which have other types; nil, which
    ///   allows both, if the rule has no valid action.
    static func read(_ cursor: Cursor, ofClient: Bool?) -> SocketPoint? {
        guard let fields = Fields(cursor, as: .point) else { return nil }
        fields.refuse(["chunk", "byte"], unless: ofClient != true, Messages.onlyFromServer)
        let types = ofClient == false ? Self.types : Self.types + clientTypes
        let kind = fields.one(of: ["frame", "type", "chunk", "byte"], isRequired: true)
        fields.refuse(["n"], unless: kind == "type", Messages.needs("'type'"))
        fields.refuse(["answer"], unless: kind == "chunk", Messages.needs("'chunk'"))
        switch kind {
        case "frame": return fields["frame"]?.selection().map { .frames($0) }
        case "type":
            let selection = fields["n"].map { $0.selection() } ?? .all
            guard let name = fields["type"]?.name(among: types), let selection else { return nil }
            return .type(name, selection)
        case "chunk":
            let answer = fields["answer"]?.integer(1...1_000_000)
            return fields["chunk"]?.selection().map { .chunks($0, ofAnswer: answer) }
        case "byte": return fields["byte"]?.integer(1...FaultLimits.contentLengthError).map { .byte($0) }
        default: return nil
        }
    }

    /// The message types that only clients send.
    static let clientTypes = ["message", "ping"]
    /// All text message types that the server sends.
    package static let types =
        [
            "connected", "message_received", "stream_chunk", "stream_complete", "user_message",
            "assistant_message_start", "assistant_message_chunk", "assistant_message_end", "template_created", "pong",
            "error",
        ] + MealLogEvent.allCases.map(\.rawValue)
}

// MARK: Writing, with the keys of the table

extension ResponseFault {
    fileprivate func write(into writer: inout JSONWriter) {
        switch self {
        case .replace(let replacement): replacement.write(into: &writer)
        case .quota(let requests, let window, let replacement):
            writer.object("quota") { writer in
                writer.member("requests", requests)
                writer.duration("per", window)
            }
            replacement.write(into: &writer)
        case .delay(let nanoseconds): writer.duration("delay", nanoseconds)
        case .dribble(let bytes, let every): writer.dribble(bytes, every)
        case .truncate(let after): writer.object("truncate") { $0.member("after", after) }
        case .contentLength(let off): writer.member("content_length", off)
        case .malformedJSON: writer.member("malformed", "json")
        case .malformedChunking: writer.member("malformed", "chunking")
        case .reset(let after) where after != 0: writer.object("reset") { $0.member("after", after) }
        case .contentType(let type): writer.member("content_type", orNull: type)
        case .compression(let fault): writer.member("compression", fault.rawValue)
        case .hold(let hold): hold.write(hold.fromClient ? "request" : "response", into: &writer)
        case .reset, .emptyReply, .hang, .nanosecondTimestamps, .wrongAccept:
            writer.writeTrue { $0.rest?.isTrue(for: self) == true || $0.handshake?.isTrue(for: self) == true }
        }
    }
}

extension SocketFault {
    fileprivate func write(into writer: inout JSONWriter) {
        switch self {
        case .close(nil, _): writer.member("close", "none")
        case .close(let code?, let reason):
            writer.object("close") { writer in
                writer.member("code", Int(code))
                if !reason.isEmpty { writer.text("reason", reason) }
            }
        case .cut(let after, let reset):
            writer.object("cut") { writer in
                writer.member("after", after)
                if reset { writer.member("reset", true) }
            }
        case .end(let how, let wait):
            writer.object("end") { writer in
                writer.member("how", how.rawValue)
                if wait != 0 { writer.duration("after", wait) }
            }
        case .reservedBits(let bits): writer.member("reserved_bits", Int(bits))
        case .fragments(let positions):
            writer.array("fragments") { writer in for position in positions { writer.value(position) } }
        case .coalesce(let count): writer.member("coalesce", count)
        case .delay(let nanoseconds): writer.duration("delay", nanoseconds)
        case .dribble(let bytes, let every): writer.dribble(bytes, every)
        case .replace(let text): writer.text("replace", text)
        case .insert(let text): writer.text("insert", text)
        case .compression(let fault): writer.member("compression", fault.rawValue)
        case .hold(let hold):
            let sender: Party = hold.fromClient ? .client : .server
            hold.write(hold.fromClient && hold.fromServer ? "both" : sender.direction, into: &writer)
        case .finish, .reset, .silence, .masked, .invalidUTF8, .escape, .binary, .lose, .double, .swap,
            .nanosecondTimestamps, .withholdPong, .stallReading:
            writer.writeTrue { $0.socket?.isTrue(for: self) == true }
        }
    }
}

extension Hold {
    fileprivate func write(_ what: String, into writer: inout JSONWriter) {
        guard !text.isEmpty || time != FaultLimits.holdTime else { return writer.member("hold", what) }
        writer.object("hold") { writer in
            writer.member("what", what)
            if !text.isEmpty { writer.text("text", text) }
            if time != FaultLimits.holdTime { writer.duration("for", time) }
        }
    }
}

extension JSONWriter {
    /// Writes an action that has no parameters.
    fileprivate mutating func writeTrue(_ isMeant: (FaultAction) -> Bool) {
        guard let action = FaultAction.all.first(where: isMeant) else {
            preconditionFailure("FaultAction.all has no row without parameters for the fault.")
        }
        key(escaping: action.key)
        value(true)
    }

    fileprivate mutating func dribble(_ bytes: Int, _ every: Int64) {
        object("dribble") { writer in
            writer.member("bytes", bytes)
            writer.duration("every", every)
        }
    }

    /// Writes a duration in the largest unit that yields a whole number.
    mutating func duration(_ name: StaticString, _ nanoseconds: Int64) {
        member(name, Durations.whole(nanoseconds, largest: .hours))
    }

    /// Writes a selection in the shortest notation of a scenario file.
    fileprivate mutating func selection(_ name: StaticString, _ selection: Selection) {
        guard selection.step == 1, selection.perMille == 1000 else {
            object(name) { writer in
                writer.member("from", selection.first)
                writer.member("to", ifPresent: selection.last)
                if selection.step != 1 { writer.member("every", selection.step) }
                if selection.perMille != 1000 { writer.member("per_mille", selection.perMille) }
            }
            return
        }
        guard selection.last != selection.first else { return member(name, selection.first) }
        member(name, "\(selection.first).." + (selection.last.map { "\($0)" } ?? ""))
    }
}

extension FaultRule {
    /// Writes a fault's scenario file members into the open object; reading them yields the same rule.
    public func write(into writer: inout JSONWriter) {
        writer.text("name", name.text)
        writer.member("enabled", isEnabled)
        switch fault {
        case .response(let fault, let endpoints):
            Self.write(endpoints, into: &writer)
            if selection != .all { writer.selection("requests", selection) }
            fault.write(into: &writer)
        case .handshake(let fault):
            writer.member("on", "handshake" + (self.socket.map { " " + $0.template } ?? ""))
            if selection != .all { writer.selection("connections", selection) }
            fault.write(into: &writer)
        case .socket(let fault, let point):
            writer.member("on", "socket" + (self.socket.map { " " + $0.template } ?? ""))
            if selection != .all { writer.selection("connections", selection) }
            // The default is omitted.
            if point != .frames(.all) { writer.object("at") { point.write(into: &$0) } }
            fault.write(into: &writer)
        }
    }

    private static func write(_ endpoints: Set<Endpoint>, into writer: inout JSONWriter) {
        let names = FaultTarget.endpoints.filter { endpoints.contains($0.endpoint) }.map(\.name)
        switch names.count {
        case 0: writer.member("on", "any")
        case 1: writer.member("on", names[0])
        default: writer.array("on") { writer in for name in names { writer.value(name) } }
        }
    }
}

extension SocketPoint {
    fileprivate func write(into writer: inout JSONWriter) {
        switch self {
        case .frames(let selection): writer.selection("frame", selection)
        case .type(let type, let selection):
            writer.member("type", type)
            if selection != .all { writer.selection("n", selection) }
        case .chunks(let selection, let answer):
            writer.selection("chunk", selection)
            writer.member("answer", ifPresent: answer)
        case .byte(let number): writer.member("byte", number)
        }
    }
}
