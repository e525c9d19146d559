import Faults
import FitIQAPI
import JSON
import Text
import Traffic

// The keys are those of FaultAction, which the reader expects.

extension ResponseFault {
    func write(into writer: inout JSONWriter) {
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
        case .emptyReply: writer.member("empty_reply", true)
        case .reset(after: 0): writer.member("reset", true)
        case .reset(let after): writer.object("reset") { $0.member("after", after) }
        case .hang: writer.member("hang", true)
        case .contentType(let type): writer.member("content_type", orNull: type)
        case .nanosecondTimestamps: writer.member("nanosecond_timestamps", true)
        case .wrongAccept: writer.member("wrong_accept", true)
        case .compression(let fault): writer.member("compression", fault.rawValue)
        case .hold(let hold): hold.write(hold.fromClient ? "request" : "response", into: &writer)
        }
    }
}

extension SocketFault {
    func write(into writer: inout JSONWriter) {
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
            guard let action = Self.switches.first(where: { $0.value == self })?.key else {
                preconditionFailure("\(self) has a key.")
            }
            writer.key(escaping: action.rawValue)
            writer.value(true)
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

extension Replacement {
    fileprivate func write(into writer: inout JSONWriter) {
        writer.member("status", status)
        writer.text("body", body)
        writer.text("content_type", contentType)
        writer.text("code", code)
        writer.text("message", message)
        writer.member("retry_after", ifPresent: retryAfter)
        if isProcessed { writer.member("processed", true) }
    }
}

extension JSONWriter {
    fileprivate mutating func dribble(_ bytes: Int, _ every: Int64) {
        object("dribble") { writer in
            writer.member("bytes", bytes)
            writer.duration("every", every)
        }
    }

    /// Writes a duration in the largest unit that gives a whole number.
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
    /// Writes a fault's members in a scenario file into the open object; reading them gives the same rule.
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
