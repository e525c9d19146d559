import FitIQAPI
import WebSocket

extension SocketFaults {
    /// Returns the wire output for a new server text message; empty once ``isOver``.
    public mutating func send(_ text: [UInt8], at time: Timestamp) -> Outgoing {
        var outgoing = Outgoing()
        guard !isOver else { return outgoing }
        let message = ServerText(text)
        count(message, bytes: text.count)

        var plan = Plan(draft: MessageDraft(text, windowBits: windowBits))
        for index in rules.indices where rules[index].isEnabled {
            guard let offset = offset(of: rules[index], message) else { continue }
            if case .hold(let hold) = rules[index].fault {
                guard hold.fromServer, plan.breakpoint == nil, hold.concerns(plan.draft.text) else { continue }
                plan.breakpoint = Breakpoint(name: rules[index].name, hold: hold)
                continue
            }
            if case .insert(let text) = rules[index].fault {
                plan.inserted.append(.init(text: Array(text.utf8), ruleNames: [rules[index].name.text]))
                continue
            }
            outgoing.ruleNames.append(rules[index].name.text)
            apply(index, at: offset, to: &plan, in: &outgoing)
        }
        if withholdsPongs, message.type == "pong" { plan.isLost = true }

        // A breakpoint does not hold a lost message.
        if plan.isLost { plan.breakpoint = nil }
        if let stepping, !plan.isLost {
            plan.breakpoint = plan.breakpoint ?? stepping
            self.stepping = nil
        }
        let planned = HeldMessage(plan: plan, message: message, text: text, ruleNames: outgoing.ruleNames, time: time)
        if waits(plan) { wait(planned, into: &outgoing) } else { emit(planned, into: &outgoing) }
        return outgoing
    }

    /// Sends a message as planned, or ends the connection.
    mutating func emit(_ planned: HeldMessage, into outgoing: inout Outgoing) {
        for message in planned.plan.inserted {
            let draft = MessageDraft(message.text, windowBits: windowBits)
            pass(Waiting(draft: draft, message: message, releases: true), into: &outgoing)
        }
        let told = Outgoing.Message(text: planned.text, ruleNames: planned.ruleNames)
        if let ending = planned.plan.ending {
            outgoing.endingRule = rules[ending.rule].name.text
            var draft = planned.plan.draft
            if planned.plan.isLost, case .end = ending.fault { draft.copies = 0 }
            end(ending, draft, told, in: &outgoing)
        } else {
            pass(planned.plan, planned.message, told, into: &outgoing)
        }
    }

    struct Plan {
        var draft: MessageDraft
        /// The messages to send before this one.
        var inserted: [Outgoing.Message] = []
        /// The breakpoint that holds the message, if the limit allows.
        var breakpoint: Breakpoint?
        var isLost = false
        var isSwapped = false
        var coalescing: (rule: Int, count: Int)?
        var ending: (rule: Int, fault: SocketFault, offset: Int)?
    }

    private mutating func count(_ message: ServerText, bytes: Int) {
        counts.count(message, frameBytes: FrameEncoder.headerLength(payload: bytes) + bytes)
        for index in rules.indices {
            if case .type(let type, _) = rules[index].point, type == message.type { rules[index].typeCount += 1 }
        }
    }

    /// The offset in the message's frame at which a rule takes effect; nil if the rule does not affect the message.
    private func offset(of rule: Rule, _ message: ServerText) -> Int? {
        // Each message has its own chance, so chunks of different answers are independent.
        func isMeant(_ selection: Selection, _ number: Int) -> Bool {
            selection.contains(number, rule.chance.mixing(UInt64(counts.frame)))
        }
        switch rule.point {
        case .frames(let selection): return isMeant(selection, counts.frame) ? 0 : nil
        case .type(let type, let selection): return type == message.type && isMeant(selection, rule.typeCount) ? 0 : nil
        case .chunks(let selection, let answer):
            guard message.isChunk, answer == nil || answer == counts.answer else { return nil }
            return isMeant(selection, counts.chunk) ? 0 : nil
        case .byte(let number):
            guard number >= 1, counts.bytes.contains(number - 1) else { return nil }
            return number - 1 - counts.bytes.lowerBound
        }
    }

    private mutating func apply(_ index: Int, at offset: Int, to plan: inout Plan, in outgoing: inout Outgoing) {
        switch rules[index].fault {
        case .close, .finish, .reset, .silence, .cut, .end:
            if plan.ending == nil { plan.ending = (index, rules[index].fault, offset) }
        case .masked: plan.draft.maskKey = maskKey(of: rules[index])
        case .reservedBits(let bits): plan.draft.reservedBits |= bits & 7
        case .invalidUTF8:
            _ = plan.draft.text.popLast()
            plan.draft.text.append(0xFF)
        case .fragments(let starts): plan.draft.fragments += starts
        case .coalesce(let count):
            guard count > 1, plan.coalescing == nil else { return }
            plan.coalescing = (index, min(count, FaultLimits.coalesced))
        case .escape: plan.draft.text = JSONEscapes.escape(plan.draft.text)
        case .binary: plan.draft.opcode = .binary
        case .lose: plan.isLost = true
        case .double: plan.draft.copies = 2
        case .swap: plan.isSwapped = true
        case .delay(let time): plan.draft.waits.append((offset, time))
        case .dribble(let bytes, let time): plan.draft.dribbles.append((offset, bytes, time))
        case .replace(let text): plan.draft.text = Array(text.utf8)
        case .nanosecondTimestamps: plan.draft.text = NanosecondTimestamps.rewrite(plan.draft.text, seed: seed)
        case .hold, .insert: break
        case .compression(let fault): plan.draft.compression = fault
        case .withholdPong, .stallReading:
            guard !rules[index].hasSetIn else { return }
            rules[index].hasSetIn = true
            updateFlags()
            outgoing.setIn.append(.init(fault: rules[index].fault, ruleName: rules[index].name.text))
        }
    }

    /// A random key other than zero, because zero would leave the text readable.
    private func maskKey(of rule: Rule) -> UInt32 {
        UInt32(rule.chance.mixing(UInt64(counts.frame)).next(below: UInt64(UInt32.max))) + 1
    }

    private mutating func pass(
        _ plan: Plan, _ message: ServerText, _ told: Outgoing.Message, into outgoing: inout Outgoing
    ) {
        if plan.isLost, !message.endsAnswer { outgoing.messages.append(told.lost()) }
        if !plan.isLost {
            var waiting = Waiting(
                draft: plan.draft, message: told, coalescing: plan.coalescing, releases: message.endsAnswer)
            if let rule = plan.coalescing?.rule { waiting.releases = releases(message, rules[rule].point) }
            if plan.isSwapped, swapped == nil {
                swapped = waiting
                return
            }
            pass(waiting, into: &outgoing)
        }
        if let held = swapped {
            swapped = nil
            pass(held, into: &outgoing)
        }
        if plan.isLost, message.endsAnswer {
            releaseBatch(into: &outgoing)
            outgoing.messages.append(told.lost())
        }
    }

    /// Whether a coalesced message releases the waiting messages.
    ///
    /// The end of an answer releases the waiting messages. A rule with a type keeps waiting for messages of that type.
    /// Under other rules, a message after which the server sends nothing on its own also releases the waiting messages;
    /// otherwise, a client would wait for `connected` forever.
    private func releases(_ message: ServerText, _ point: SocketPoint) -> Bool {
        if case .type = point { return message.endsAnswer }
        return !message.announcesMore
    }

    /// Ends the connection at an offset in the message's frame.
    private mutating func end(
        _ ending: (rule: Int, fault: SocketFault, offset: Int), _ draft: MessageDraft, _ told: Outgoing.Message,
        in outgoing: inout Outgoing
    ) {
        releaseBatch(into: &outgoing)
        loseSwapped(into: &outgoing)
        isOver = true
        var draft = draft
        switch ending.fault {
        case .cut(let after, let reset):
            let (end, overflows) = ending.offset.addingReportingOverflow(max(after, 0))
            draft.ending = (overflows ? .max : end, reset ? .reset : .finish)
        case .reset: draft.ending = (ending.offset, .reset)
        case .silence:
            draft.ending = (ending.offset, .silence)
            isSilent = true
        case .end(let how, let wait):
            draft.waits.append((.max, wait))
            draft.ending = (.max, how.action)
            isSilent = how == .silence
        default: draft.ending = (ending.offset, .finish)
        }
        var last = draft.encoded()
        draft.ending = nil
        let isWhole = last.bytes.count == draft.encoded().bytes.count
        let extent: Outgoing.Extent = last.bytes.isEmpty ? .nothing : isWhole ? .whole : .beginning
        outgoing.messages.append(Outgoing.Message(text: told.text, extent: extent, ruleNames: told.ruleNames))
        if case .close(let code, let reason) = ending.fault {
            // Send a close frame instead of ending the transport.
            last.marks.removeLast()
            outgoing.close = Outgoing.Close(code: code, reason: code == nil ? "" : reason)
        }
        outgoing.transmission.append(last)
    }
}

extension SocketFaults {
    /// A message, and how to coalesce it with others.
    struct Waiting: Sendable {
        var draft: MessageDraft
        var message: Outgoing.Message
        /// The rule that makes the message wait for other messages, and the number of messages per frame.
        var coalescing: (rule: Int, count: Int)?
        var releases: Bool
    }

    /// Messages that wait for a shared frame.
    struct Batch: Sendable {
        let rule: Int
        var draft: MessageDraft
        var messages: [Outgoing.Message]
    }

    /// Sends a message after all messages that it must not overtake, or makes it wait with others.
    mutating func pass(_ waiting: Waiting, into outgoing: inout Outgoing) {
        guard let coalescing = waiting.coalescing else {
            releaseBatch(into: &outgoing)
            var waiting = waiting
            waiting.message.compressedSize = waiting.draft.compress()
            outgoing.transmission.append(waiting.draft.encoded())
            outgoing.messages.append(waiting.message)
            return
        }
        if batch?.rule == coalescing.rule {
            batch?.draft.join(waiting.draft)
            batch?.messages.append(waiting.message)
        } else {
            releaseBatch(into: &outgoing)
            batch = Batch(rule: coalescing.rule, draft: waiting.draft, messages: [waiting.message])
        }
        if let batch,
            waiting.releases || batch.messages.count >= coalescing.count
                || batch.draft.text.count >= FaultLimits.waitingBytes
        {
            releaseBatch(into: &outgoing)
        }
    }

    mutating func releaseBatch(into outgoing: inout Outgoing) {
        guard var waiting = batch else { return }
        batch = nil
        waiting.draft.compress()
        outgoing.transmission.append(waiting.draft.encoded())
        outgoing.messages += waiting.messages
    }

    mutating func loseSwapped(into outgoing: inout Outgoing) {
        if let waiting = swapped { outgoing.messages.append(waiting.message.lost()) }
        swapped = nil
    }

    /// Removes and returns the messages that are still waiting when the connection ends and that the client never
    /// receives.
    public mutating func abandon() -> [Outgoing.Message] {
        let held = takeHeld().map { Outgoing.Message(text: $0.text, ruleNames: $0.ruleNames) }
        let messages = (batch?.messages ?? []) + (swapped.map { [$0.message] } ?? []) + held
        (batch, swapped) = (nil, nil)
        return messages.map { $0.lost() }
    }
}
