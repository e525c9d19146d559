import FitIQAPI
import JSON
import Traffic

struct WaitsForConnected: ObligationJudge {
    static let obligation = Obligation(
        id: "ws/waits-for-connected", level: .should, origin: .guides([.mealLogWebSocket, .webSocketArchitecture]),
        place: "step 2 (meal-log-websocket); testing plan, option 2 (websocket-architecture)",
        clause: "The client does not send chat messages on a socket before `connected` has arrived.",
        tolerance:
            "The client need not wait if a fault lost or corrupted the `connected` frame. A message after `connected` "
            + "does not exercise the obligation if `connected` arrived within 50 ms of the handshake.",
        advice: "A resumed task is not connected yet: set isConnected after decoding the `connected` frame, "
            + "and queue the user's messages until then. consultation-websocket's listing sets isConnected right "
            + "after resume().")

    /// The sockets whose first chat message was judged.
    private var judged = Recent<UInt64, Bool>()

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        guard case .frame(let frame) = fact.kind, frame.isChatMessage, let socket = scene.sockets[fact.connection],
            judged[fact.connection] == nil
        else { return }
        judged[fact.connection] = true
        guard let connectedAt = socket.connectedAt else {
            guard !socket.lostConnected, !socket.isSilenced else { return }
            findings.exercised()
            let message =
                "The client sent a chat message before `connected` had arrived on the socket that opened at "
                + "\(Messages.clock(findings.date(of: socket.openedAt)))."
            return findings.found(message, [socket.opening, fact.entry])
        }
        if connectedAt.nanoseconds(since: socket.openedAt) > Tolerance.interval { findings.exercised() }
    }
}

struct MessageShape: ObligationJudge {
    static let obligation = Obligation(
        id: "ws/message-shape", level: .must, origin: .guides([.consultationWebSocket, .enhancedConsultations]),
        place: "message types (consultation-websocket); best practice 4 (enhanced-consultations)",
        clause:
            "Each message is a text frame with a JSON object of type `message`, `user_message` or `ping`. The "
            + "content of a chat message has 1 to 2000 characters after trimming.",
        tolerance:
            "The message types of both chat protocols are allowed in every mode. On the apps' meal socket, only "
            + "`ping` is allowed. The judge ignores frames of more than 64 KiB, which the journal truncates.",
        advice: "Send text frames, never binary frames. Trim white space at both ends, and do not send the text if it "
            + "is then empty or has more than 2000 characters.",
        swiftAdvice: "Use task.send(.string(text)), and trimmingCharacters(in: .whitespacesAndNewlines).")

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        guard case .frame(let frame) = fact.kind, frame.isFromClient, !frame.frame.payload.isCut else { return }
        switch frame.frame.opcode {
        case .text:
            findings.exercised()
            do throws(FrameError) {
                let sent = try ClientFrame(text: frame.frame.payload.bytes, in: .union)
                if sent != .ping, scene.sockets[fact.connection]?.isOfMeals == true {
                    findings.found(Messages.unusableFrame(MealSocketError.onlyPings.message), [fact.entry])
                }
            } catch { findings.found(Messages.unusableFrame(error.message), [fact.entry]) }
        case .binary: findings.breached(Messages.unusableFrame(FrameError.binaryFrame.message), [fact.entry])
        case .continuation, .close, .ping, .pong: break
        }
    }
}

struct NoSendWhileStreaming: ObligationJudge {
    static let obligation = Obligation(
        id: "ws/no-send-while-streaming", level: .should,
        origin: .guides([.consultationWebSocket, .enhancedConsultations]),
        place: "best practice 4 (consultation-websocket); chat view, input bar (enhanced-consultations)",
        clause: "After a question, the client does not send another chat message until the answer has ended.",
        tolerance:
            "A question counts as closed when the backend refuses it, and an answer counts as ended when an error "
            + "frame arrives. Each socket is judged separately. The judge ignores answers that may be incomplete "
            + "because of a fault, and answers that have delivered no frame for 10 s. A message sent within 50 ms of "
            + "the first frame of an unrequested answer is allowed. With enhanced-consultations as the only guide, the "
            + "client may send again once the answer has begun.",
        advice: "Disable the input before you send, and enable it again when `stream_complete`, "
            + "`assistant_message_end` or `error` arrives; queue the user's messages meanwhile. "
            + "consultation-websocket's listing sets isAITyping only after sending.",
        scenarios: ["slow-coach"])

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        guard case .frame(let frame) = fact.kind, frame.isChatMessage, let socket = scene.sockets[fact.connection]
        else { return }
        let question = socket.question.flatMap { $0.entry.number == fact.entry.number ? nil : $0 }
        guard socket.stream != nil || question != nil else {
            // A client can interrupt a reply only after it has started to receive the reply.
            if socket.hasStreamed { findings.exercised() }
            return
        }
        guard !socket.isSilenced, !socket.isStalled, !socket.answerIsOverdue(at: fact.time) else { return }
        if socket.isStreaming, scene.mode == .enhancedConsultations { return }
        if let stream = socket.stream, fact.time.nanoseconds(since: stream.first.time) > Tolerance.interval {
            guard !stream.hasLostEnd else { return }
            findings.breached(
                Messages.sentWhileStreaming(since: findings.date(of: stream.first.time)),
                [stream.first, fact.entry])
        } else if let question, !question.isInDoubt {
            findings.breached(
                Messages.sentBeforeAnswer(to: findings.date(of: question.entry.time)), [question.entry, fact.entry])
        }
    }
}

struct RecoversHistory: ObligationJudge {
    static let obligation = Obligation(
        id: "ws/recovers-history", level: .should, origin: .ours,
        clause:
            "If a socket ends or falls silent while an answer streams, the client fetches the consultation's "
            + "messages within 10 s of the next `connected`, and before it sends the next chat message.",
        tolerance:
            "A fetch between the interruption and `connected` also satisfies the obligation. A failed fetch is enough. "
            + "The client need not fetch the messages if it closes the socket itself, if the server stops reading "
            + "the socket before the client ends it, or if the client closes the next socket within those 10 s.",
        advice: "The backend completes and stores the answer while the client is disconnected. After a reconnect, GET "
            + "/api/v1/consultations/{id}/messages and replace the truncated answer; do not wait for the missing "
            + "chunks.",
        scenarios: ["drop-mid-stream"])
    static let needs: Evidence = .socketEnds

    /// A truncated reply.
    private struct Debt: Sendable {
        let cut: JournalEntry
        var isFetched = false
        var connected: JournalEntry?
        /// The first chat message after the truncation.
        var chat: JournalEntry?
        var dueAt: Timestamp? { connected?.time.advanced(byNanoseconds: SocketTimes.recovery) }

        /// Whether the client continued the chat without fetching the history, or failed to fetch it in time.
        func isOverdue(at time: Timestamp) -> Bool { chat != nil || dueAt.map { $0 < time } ?? false }

        /// The same obligation, which falls due after the next `connected`.
        var renewed: Debt { Debt(cut: cut) }
    }

    private var debts = Recent<ExactString, Debt>(capacity: RecentLimits.fewest)

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        switch fact.kind {
        case .closed(let closing): observe(closing, fact, in: scene, &findings)
        case .fault(let fault):
            guard fault.effect == .silence, let socket = scene.sockets[fact.connection] else { return }
            end(socket, fact, isOwn: false, &findings)
        case .frame(let frame): observe(frame, fact, in: scene, &findings)
        case .request(let request): observe(request, &findings)
        case .opened, .other: break
        }
    }

    func conclude(at end: Timestamp, in scene: Scene, _ findings: inout Findings) {
        for debt in debts.values.sorted(by: { $0.cut.number < $1.cut.number }) {
            guard let dueAt = debt.dueAt else { continue }
            // The journal records a fetch only when the server answers, so one may have been in flight.
            let isForgotten = debt.chat.map { end.nanoseconds(since: $0.time) >= Tolerance.second } ?? false
            if dueAt < end || isForgotten { Self.found(debt, &findings) }
        }
    }

    private mutating func observe(_ closing: RecordedClosing, _ fact: Fact, in scene: Scene, _ findings: inout Findings)
    {
        guard let socket = scene.endedSocket, !socket.isSilenced else { return }
        let ending = SocketEnding(closing, of: socket, at: fact.time)
        // A client that closes normally may not want the rest of the reply, even after a fault on the socket. If the
        // server has stopped reading, the journal may not show the client's close.
        let isLeaving = ending == .givenUp && (socket.isStalled || closing.summary.received?.isLeaving ?? false)
        end(socket, fact, isOwn: ending.isOwn || ending == .archived || isLeaving, &findings)
    }

    private mutating func end(_ socket: Scene.Socket, _ fact: Fact, isOwn: Bool, _ findings: inout Findings) {
        let id = socket.consultation
        if let debt = debts[id], debt.connected?.connection == fact.connection {
            let isOverdue = debt.isOverdue(at: fact.time)
            if isOverdue { Self.found(debt, &findings) }
            debts[id] = isOwn || isOverdue ? nil : debt.renewed
        }
        if socket.isStreaming, !isOwn { debts[id] = Debt(cut: fact.entry) }
    }

    private mutating func observe(_ frame: FrameFact, _ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        guard let id = scene.sockets[fact.connection]?.consultation, var debt = debts[id] else { return }
        if frame.isConnected, debt.connected == nil {
            findings.exercised()
            debt.connected = fact.entry
            debts[id] = debt.isFetched ? nil : debt
        } else if frame.isChatMessage, debt.connected != nil, debt.chat == nil {
            debt.chat = fact.entry
            debts[id] = debt
        }
    }

    private mutating func observe(_ request: RequestFact, _ findings: inout Findings) {
        guard request.endpoint == .listMessages, let id = request.pathID?.asciiLowercased(), var debt = debts[id],
            request.requestedAt >= debt.cut.time
        else { return }
        guard let dueAt = debt.dueAt else {
            debt.isFetched = true
            debts[id] = debt
            return
        }
        debts[id] = nil
        let isInTime = request.requestedAt <= dueAt && request.requestedAt <= debt.chat?.time ?? dueAt
        if !isInTime { Self.found(debt, &findings) }
    }

    private static func found(_ debt: Debt, _ findings: inout Findings) {
        guard let connected = debt.connected else { return }
        let cutAt = findings.date(of: debt.cut.time)
        if let chat = debt.chat {
            let message =
                "An answer was interrupted at \(Messages.clock(cutAt)), and the client continued the chat at "
                + "\(Messages.clock(findings.date(of: chat.time))) without fetching the messages."
            findings.found(message, [debt.cut, connected, chat])
        } else {
            let message = Messages.noHistory(cutAt: cutAt, connectedAt: findings.date(of: connected.time))
            findings.found(message, [debt.cut, connected])
        }
    }
}
