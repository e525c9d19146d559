import FitIQAPI
import JSON

/// One consultation's chat: the history, later messages, and messages to send.
struct Conversation: Sendable {
    /// A question whose answer has not ended, or an unprompted answer.
    struct Turn: Sendable {
        /// The question, or nil for an unprompted answer.
        var question: String?
        var isAcknowledged = false
        var isStored = false
        /// Whether the answer arrives over the socket; after a lost connection, only the history has the answer.
        var isHeard = true
        /// Whether the turn has timed out, in which case only the history can show the answer.
        var isLate = false
        var deadline: Timestamp
        /// Whether a line of the transcript is the answer; an earlier partial answer stays on a separate line.
        var hasAnswer = false
        /// The answer's ID, if the protocol has answer IDs, and the answer's size in bytes.
        var answerID: ExactString?
        var byteCount = 0
    }

    let id: String
    let limits: ClientLimits
    var history: [ClientState.Line] = []
    /// The messages since the client read the history.
    var tail: [ClientState.Line] = []
    var waiting: [String] = []
    var turn: Turn?
    var lastKnownID: ExactString?
    var hasHistory = false
    /// Whether the client must read the history before sending, because the socket had ended.
    var needsHistory = false
    /// Whether the socket was lost and the history was not read on the next socket.
    var wasCut = false
    /// Whether a turn ended while the client was reading the history, which must then be read again.
    var isStale = false
    /// Whether unreadable frames have arrived since the last history.
    var isTroubled = false
    /// When to read the history again for an answer that the socket missed, and the number of reads so far.
    var nextLook: Timestamp?
    var lookCount = 0
    /// Whether the client sent the current question again because the backend had not received it.
    var isRepeated = false

    var transcript: [ClientState.Line] {
        history + tail + waiting.map { ClientState.Line(role: .user, text: $0, isDelivered: false) }
    }

    var streamingIndex: Int? {
        guard turn?.hasAnswer == true else { return nil }
        return tail.lastIndex { !$0.isComplete }
    }

    var questionIndex: Int? {
        guard let question = turn?.question else { return nil }
        return tail.lastIndex { $0.role == .user && $0.text == question }
    }

    /// Removes the next waiting message and starts its turn.
    mutating func beginTurn(until deadline: Timestamp) -> String? {
        guard turn == nil, !waiting.isEmpty else { return nil }
        let text = waiting.removeFirst()
        tail.append(ClientState.Line(role: .user, text: text, isDelivered: false))
        turn = Turn(question: text, deadline: deadline)
        trim()
        return text
    }

    /// Ends the turn; keeps a partial answer unless the backend withdrew it.
    mutating func endTurn(takesBack: Bool = false) {
        if takesBack { tail.removeAll { !$0.isComplete } }
        (turn, nextLook, lookCount, isRepeated) = (nil, nil, 0, false)
    }

    /// Records the loss of the socket; an answer in progress can now arrive only through the history.
    mutating func cut() {
        turn?.isHeard = false
        wasCut = true
    }

    /// Records that the history is unavailable, which means that only the received messages count.
    mutating func goOnWithoutHistory() { (needsHistory, wasCut) = (false, false) }

    mutating func trim() {
        let excess = history.count + tail.count - limits.transcriptLines
        guard excess > 0 else { return }
        let old = min(excess, history.count)
        history.removeFirst(old)
        tail.removeFirst(excess - old)
    }

    // MARK: Frames from the socket

    enum Effect: Equatable {
        case nothing, changed
        case grown(String)
        case ended
    }

    mutating func received(id: ExactString?, content: String?) -> Effect {
        if let id, history.last?.id == id || tail.contains(where: { $0.id == id }) { return .nothing }
        if let index = questionIndex, turn?.isAcknowledged == false, content == nil || content == tail[index].text {
            turn?.isAcknowledged = true
            tail[index].isDelivered = true
            tail[index].id = id
            return .changed
        }
        // The echo arrived after its turn had ended.
        if let content, let index = tail.lastIndex(where: { $0.role == .user && $0.id == nil && $0.text == content }) {
            (tail[index].id, tail[index].isDelivered) = (id, true)
            return .changed
        }
        // The user is writing on another device.
        guard let content, turn?.question != content else { return .nothing }
        tail.append(ClientState.Line(id: id, role: .user, text: content))
        trim()
        return .changed
    }

    mutating func begins(id: ExactString, until deadline: Timestamp) -> Effect {
        if tail.contains(where: { $0.id == id && $0.role == .assistant }) { return .nothing }
        return piece(id: id, "", until: deadline)
    }

    mutating func piece(id: ExactString?, _ content: String, until deadline: Timestamp) -> Effect {
        if let turn, !turn.isHeard { return .nothing }
        if let id, tail.contains(where: { $0.id == id && $0.isComplete }) {
            isTroubled = true
            return .nothing
        }
        if turn == nil { turn = Turn(deadline: deadline) }
        turn?.deadline = deadline
        turn?.isLate = false
        acknowledgeBySpeaking()
        guard let index = streamingIndex, turn?.answerID == id || turn?.answerID == nil else {
            if turn?.answerID != id, turn?.answerID != nil {
                isTroubled = true
                tail.removeAll { !$0.isComplete }
            }
            turn?.hasAnswer = true
            turn?.answerID = id
            turn?.byteCount = content.utf8.count
            tail.append(ClientState.Line(id: id, role: .assistant, text: content, isComplete: false))
            trim()
            return .changed
        }
        let size = (turn?.byteCount ?? 0) + content.utf8.count
        guard size <= limits.answerBytes else {
            isTroubled = true
            return .nothing
        }
        turn?.byteCount = size
        tail[index].text += content
        return .grown(content)
    }

    /// Ends an answer.
    ///
    /// An end without an answer is a duplicate, and must not end the next answer.
    ///
    /// - Parameter hasReceipts: Whether the backend acknowledges questions.
    mutating func ends(id: ExactString?, hasReceipts: Bool) -> Effect {
        guard let turn else { return .nothing }
        if let id {
            if tail.contains(where: { $0.id == id && $0.isComplete }) { return .nothing }
            if let answerID = turn.answerID, answerID != id { isTroubled = true }
        }
        guard turn.isHeard else { return .ended }
        if let index = streamingIndex {
            tail[index].isComplete = true
        } else {
            guard !hasReceipts || turn.isAcknowledged else { return .nothing }
            isTroubled = true
        }
        isStale = true
        endTurn()
        return .ended
    }

    /// Acknowledges the question without a receipt, because the coach has answered the question.
    private mutating func acknowledgeBySpeaking() {
        guard let index = questionIndex, turn?.isAcknowledged == false else { return }
        turn?.isAcknowledged = true
        tail[index].isDelivered = true
    }

    // MARK: The history, whose stored messages are authoritative

    enum Finding: Equatable {
        /// No turn is open, or its answer is streaming.
        case nothing
        /// The history has the answer, so the turn is over.
        case answered
        /// The history has the question but not the answer.
        case unanswered
        case unheard
    }

    /// Replaces the messages with the history; returns the finding about the turn, and new templates.
    mutating func take(_ messages: [JSONValue]) -> (finding: Finding, templates: [Template]) {
        let lines = messages.compactMap(Self.line)
        let start = lastKnownID.flatMap { id in lines.lastIndex { $0.id == id } }.map { $0 + 1 } ?? 0
        let fresh = lines[start...]
        let finding = finding(in: lines, from: start)
        tail = remains(of: tail, in: fresh, finding)
        history = lines
        lastKnownID = lines.last?.id
        (hasHistory, needsHistory, isTroubled) = (true, false, false)
        if finding == .answered { endTurn() }
        trim()
        let ids = Set(fresh.compactMap(\.id))
        let templates = messages.filter { ids.contains($0["id"]?.exactString ?? "") }
            .compactMap { Template($0["metadata"]) }
        return (finding, templates)
    }

    private mutating func finding(in lines: [ClientState.Line], from start: Int) -> Finding {
        guard let turn else { return .nothing }
        guard let place = place(of: turn, in: lines, from: start) else {
            return turn.isHeard && !turn.isLate ? .nothing : .unheard
        }
        self.turn?.isStored = true
        self.turn?.isAcknowledged = true
        guard !turn.isHeard || turn.isLate else { return .nothing }
        return lines[place...].contains { $0.role == .assistant } ? .answered : .unanswered
    }

    private func place(of turn: Turn, in lines: [ClientState.Line], from start: Int) -> Int? {
        guard let question = turn.question else { return lines.lastIndex { $0.role == .user } ?? lines.startIndex }
        func isQuestion(_ line: ClientState.Line) -> Bool { line.role == .user && line.text == question }
        if turn.isStored { return lines.lastIndex(where: isQuestion) }
        // Each question must occur as often as the user sent it.
        let isThere = lines[start...].count(where: isQuestion) >= tail.count(where: isQuestion)
        return isThere ? lines[start...].lastIndex(where: isQuestion) : nil
    }

    /// The messages that are missing from the history: undelivered messages and the streaming answer.
    private func remains(
        of tail: [ClientState.Line], in fresh: ArraySlice<ClientState.Line>, _ finding: Finding
    ) -> [ClientState.Line] {
        var stored: [String: Int] = [:]  // Text, which a backend may normalise.
        for line in fresh where line.role == .user { stored[line.text, default: 0] += 1 }
        return tail.filter { line in
            switch line.role {
            case .user:
                guard let count = stored[line.text], count > 0 else { return true }
                stored[line.text] = count - 1
                return false
            default: return !line.isComplete && turn != nil && finding != .answered
            }
        }
    }

    private static func line(_ message: JSONValue) -> ClientState.Line? {
        guard let role = message["role"]?.string.flatMap(MessageRole.init), let text = message["content"]?.string
        else { return nil }
        return ClientState.Line(id: message["id"]?.exactString, role: role, text: text)
    }
}
