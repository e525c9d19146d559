import FitIQAPI
import JSON

/// What the socket tells of the talk.
extension Conversation {
    /// What a frame came to.
    enum Effect: Equatable {
        case nothing
        case changed
        /// A piece of the answer was appended.
        case grown(String)
        /// The answer ended.
        case ended
    }

    /// The backend has the question.
    mutating func received(id: ExactString?, content: String?) -> Effect {
        if let id, history.last?.id == id || tail.contains(where: { $0.id == id }) { return .nothing }
        if let index = questionIndex, turn?.isAcknowledged == false, content == nil || content == tail[index].text {
            turn?.isAcknowledged = true
            tail[index].isDelivered = true
            tail[index].id = id
            return .changed
        }
        // The same user writes from another device.
        guard let content, turn == nil || turn?.question != content else { return .nothing }
        tail.append(ClientState.Line(id: id, role: .user, text: content))
        trim()
        return .changed
    }

    /// An answer begins.
    mutating func begins(id: ExactString, until deadline: Timestamp) -> Effect {
        if tail.contains(where: { $0.id == id && $0.role == .assistant }) { return .nothing }
        return piece(id: id, "", until: deadline)
    }

    /// A piece of an answer came.
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
                tail.removeAll { $0.role == .assistant && !$0.isComplete }
            }
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

    /// An answer ended.
    ///
    /// An end that belongs to no answer is one that came twice: it must not end the next.
    ///
    /// - Parameter hasReceipts: whether the backend acknowledges questions.
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

    /// A coach who answers has heard the question, whatever became of the receipt.
    private mutating func acknowledgeBySpeaking() {
        guard let index = questionIndex, turn?.isAcknowledged == false else { return }
        turn?.isAcknowledged = true
        tail[index].isDelivered = true
    }
}
