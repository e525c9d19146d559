import FitIQAPI
import JSON

/// Messages that wait for an operator: behind a breakpoint, or behind a gate that stops the whole socket.
extension SocketFaults {
    /// A server message that waits, with what the rules made of it when it came.
    struct HeldMessage: Sendable {
        var plan: Plan
        let message: ServerText
        var text: [UInt8]
        var ruleNames: [String]
        /// When it came, by the world's clock.
        let time: Timestamp
    }

    /// The message that a breakpoint holds; nil if none does.
    public var heldMessage: (payload: [UInt8], isText: Bool)? {
        guard isHolding, let first = held.first else { return nil }
        return (first.plan.draft.text, first.plan.draft.opcode == .text)
    }

    /// How many messages wait behind the one that a breakpoint holds.
    public var behindCount: Int { max(0, held.count - 1) }

    /// Stops all messages, and reading from the client, until ``ungate()``.
    ///
    /// - Parameter name: Stands among the rules of each message that waits.
    public mutating func gate(named name: String = "by hand") {
        gateName = name
        updateFlags()
    }

    /// Opens the gate, and returns what waited behind it.
    public mutating func ungate() -> Outgoing {
        var outgoing = Outgoing()
        gateName = nil
        updateFlags()
        drain(into: &outgoing)
        return outgoing
    }

    /// Releases the message that a breakpoint holds, and those that wait behind it up to the next breakpoint.
    ///
    /// - Parameters:
    ///   - text: The text that replaces its own.
    ///   - isLost: Whether the client never receives it.
    ///   - steps: Whether the next message is held.
    ///   - isDeclined: Whether it passes as if there were no breakpoint: there is no room, or the rule is disabled.
    public mutating func release(
        text: [UInt8]? = nil, isLost: Bool = false, steps: Bool = false, isDeclined: Bool = false
    ) -> Outgoing {
        var outgoing = Outgoing()
        guard isHolding, let breakpoint = held.first?.plan.breakpoint else { return outgoing }
        isHolding = false
        held[0].plan.breakpoint = nil
        if !isDeclined { held[0].note(breakpoint.name.text) }
        if steps { stepping = breakpoint }
        if let text {
            heldByteCount += text.count - held[0].plan.draft.text.count
            (held[0].plan.draft.text, held[0].text) = (text, text)
        }
        if isLost { (held[0].plan.ending, held[0].plan.isLost) = (nil, true) }
        drain(into: &outgoing, first: true)
        return outgoing
    }

    /// Whether a message has to wait: for an operator, or for one that came before it.
    func waits(_ plan: Plan) -> Bool { plan.breakpoint != nil || isGated || !held.isEmpty }

    mutating func wait(_ message: HeldMessage, into outgoing: inout Outgoing) {
        var message = message
        if let name = isHolding ? held.first?.plan.breakpoint?.name.text : gateName { message.note(name) }
        held.append(message)
        heldByteCount += message.plan.draft.text.count
        if held.count == 1 { drain(into: &outgoing) }
    }

    /// Sends what waits up to the next breakpoint.
    ///
    /// - Parameter first: Whether the first message was released just now, so that no step holds it again.
    private mutating func drain(into outgoing: inout Outgoing, first: Bool = false) {
        var count = 0
        while !isHolding, !isGated, !isOver, count < held.count {
            if let stepping, !(first && count == 0), !held[count].plan.isLost {
                held[count].plan.breakpoint = held[count].plan.breakpoint ?? stepping
                self.stepping = nil
            }
            if let breakpoint = held[count].plan.breakpoint {
                isHolding = true
                outgoing.held = .init(breakpoint: breakpoint, text: held[count].plan.draft.text, time: held[count].time)
            } else {
                heldByteCount -= held[count].plan.draft.text.count
                emit(held[count], into: &outgoing)
                count += 1
            }
        }
        held.removeFirst(count)
        // Nothing follows the end.
        if isOver { (held, heldByteCount) = ([], 0) }
    }

    /// Sends what waits, because the connection closes; a message that would have ended it is lost.
    mutating func flush(into outgoing: inout Outgoing) {
        for var message in takeHeld() {
            if message.plan.ending != nil { message.plan.isLost = true }
            (message.plan.ending, message.plan.breakpoint) = (nil, nil)
            emit(message, into: &outgoing)
        }
    }

    /// Removes and returns what waits.
    mutating func takeHeld() -> [HeldMessage] {
        if isHolding, let name = held.first?.plan.breakpoint?.name.text { held[0].note(name) }
        defer { (held, heldByteCount, isHolding, stepping) = ([], 0, false, nil) }
        return held
    }

    /// The type of a message in either direction; nil if it has none of at most 64 bytes.
    public static func type(ofMessage text: [UInt8]) -> String? { ServerText(text).type }

    // MARK: What the client sends

    /// Counts a message of the client, and returns the breakpoint that holds it; nil if none does.
    ///
    /// Rules count the client's messages apart from the server's.
    ///
    /// - Parameter isText: Whether it is a text, which may have a type.
    public mutating func receive(_ payload: [UInt8], isText: Bool) -> Breakpoint? {
        clientCount += 1
        var breakpoint = clientStepping
        clientStepping = nil
        var message: ServerText?
        for index in rules.indices where rules[index].isEnabled {
            guard case .hold(let hold) = rules[index].fault, hold.fromClient else { continue }
            let chance = rules[index].chance.mixing(UInt64(clientCount))
            switch rules[index].point {
            case .frames(let selection):
                guard selection.contains(clientCount, chance) else { continue }
            case .type(let type, let selection):
                if isText, message == nil { message = ServerText(payload) }
                guard message?.type == type else { continue }
                rules[index].clientTypeCount += 1
                guard selection.contains(rules[index].clientTypeCount, chance) else { continue }
            case .chunks, .byte: continue
            }
            if breakpoint == nil, hold.concerns(payload) { breakpoint = .init(name: rules[index].name, hold: hold) }
        }
        return breakpoint
    }

    /// Has the next message of the client held.
    public mutating func holdNextFromClient(_ breakpoint: Breakpoint) { clientStepping = breakpoint }

    /// Has the next message of the server held.
    public mutating func holdNextFromServer(_ breakpoint: Breakpoint) { stepping = breakpoint }
}

extension SocketFaults.HeldMessage {
    /// Adds a rule that acted on the message, once.
    mutating func note(_ name: String) {
        if !ruleNames.contains(where: { $0.utf8.elementsEqual(name.utf8) }) { ruleNames.append(name) }
    }
}
