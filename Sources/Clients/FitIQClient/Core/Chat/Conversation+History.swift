import FitIQAPI
import JSON

/// What the history tells of the talk: what is stored there is the truth.
extension Conversation {
    /// What the history says of the current turn.
    enum Finding: Equatable {
        /// There is none, or its answer streams.
        case nothing
        /// The answer is there; the turn is over.
        case answered
        /// The question is there, its answer is not.
        case unanswered
        /// The question is not there.
        case unheard
    }

    /// Takes the history in place of what was known.
    ///
    /// - Returns: what it says of the turn, and the templates that are new in it.
    mutating func take(_ messages: [JSONValue]) -> (finding: Finding, templates: [Template]) {
        let lines = messages.compactMap(Self.line)
        let isFirst = !hasHistory
        let start = lastKnownID.flatMap { id in lines.lastIndex { $0.id == id } }.map { $0 + 1 } ?? 0
        let fresh = lines[start...]
        let finding = finding(in: lines, from: start)
        tail = remains(of: tail, in: fresh, finding)
        history = lines
        lastKnownID = lines.last?.id
        (hasHistory, needsHistory, isTroubled) = (true, false, false)
        if finding == .answered { endTurn() }
        trim()
        guard !isFirst else { return (finding, []) }
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

    /// Where the current question stands in the history.
    private func place(of turn: Turn, in lines: [ClientState.Line], from start: Int) -> Int? {
        guard let question = turn.question else { return lines.lastIndex { $0.role == .user } ?? lines.startIndex }
        func isQuestion(_ line: ClientState.Line) -> Bool { line.role == .user && line.text == question }
        if turn.isStored { return lines.lastIndex(where: isQuestion) }
        // Words that were said before are found as often as they were said.
        let isThere = lines[start...].count(where: isQuestion) >= tail.count(where: isQuestion)
        return isThere ? lines[start...].lastIndex(where: isQuestion) : nil
    }

    /// What of the tail the history does not have: words that did not arrive, and the answer that streams.
    private func remains(
        of tail: [ClientState.Line], in fresh: ArraySlice<ClientState.Line>, _ finding: Finding
    ) -> [ClientState.Line] {
        var stored: [String: Int] = [:]  // Words, which a backend may normalise.
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
