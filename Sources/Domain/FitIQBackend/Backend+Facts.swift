import FitIQAPI
import HeapModule
import JSON

/// A socket's state, for the server's operator.
package struct SocketFacts: Equatable, Sendable {
    /// Nil for a meal socket.
    package var consultation: ResourceID?
    /// The protocol of the last chat message; nil before any chat message.
    package var chatProtocol: ChatProtocol?
    package var streaming: StreamingAnswer?
    /// When the next frame or the idle timeout is due.
    package var nextTime: Timestamp?

    /// The answer that is streaming to a socket.
    package struct StreamingAnswer: Equatable, Sendable {
        package let messageID: ResourceID
        /// The number of sent chunks, and of all chunks.
        package let piece, count: Int
    }
}

/// A scheduled event of a world.
package struct DueStep: Equatable, Sendable {
    package let time: Timestamp
    package let what: What
    package var consultation: ResourceID?
    package var socket: SocketID?

    package enum What: String, Sendable {
        case answer
        case mealLog = "meal_log"
        case mealSocketIdle = "meal_socket_idle"
    }
}

/// A world's activity, for the server's operator; read-only.
extension Backend {
    /// The facts about an open socket; nil if there is none.
    package func facts(of socket: SocketID) -> SocketFacts? {
        guard let open = sockets[socket] else { return nil }
        switch open.place {
        case .meals(let user):
            let heard = mealSockets[user]?.heardAt
            return SocketFacts(nextTime: heard?.advanced(byNanoseconds: configuration.limits.mealSocketIdle))
        case .consultation(let position):
            let record = consultations[position]
            var facts = SocketFacts(consultation: record.id, chatProtocol: open.chatProtocol)
            if let answer = record.answer, answer.audience.contains(where: { $0.socket == socket }) {
                facts.streaming = answer.progress
                facts.nextTime = answer.nextTime
            }
            return facts
        }
    }

    /// The next steps in chronological order, and the number of all steps.
    ///
    /// - Parameter limit: The maximum number of steps to return. Above ``mostSortedSteps`` scheduled steps, this method
    ///   returns only the first, because the steps are not sorted, and the count includes obsolete steps.
    package func due(limit: Int) -> (steps: [DueStep], count: Int) {
        guard schedule.count <= Self.mostSortedSteps else {
            return (schedule.min.map { [dueStep($0)] } ?? [], schedule.count)
        }
        let current = schedule.unordered.filter(isCurrent)
        return (current.sorted().prefix(limit).map(dueStep), current.count)
    }

    /// The number of scheduled steps above which ``due(limit:)`` does not sort them.
    package static var mostSortedSteps: Int { 10_000 }

    private func dueStep(_ step: ScheduledStep) -> DueStep {
        switch step.work {
        case .answer:
            let id = consultations.contains(step.position) ? consultations[step.position].id : nil
            return DueStep(time: step.time, what: .answer, consultation: id)
        case .mealLog: return DueStep(time: step.time, what: .mealLog)
        case .mealSocket(let socket): return DueStep(time: step.time, what: .mealSocketIdle, socket: socket)
        }
    }

    /// A copy that has no open sockets, uses a different origin in its URLs, and shares no lists with this backend.
    ///
    /// Copying takes time proportional to the size; later changes have no extra cost. Streaming answers continue in the
    /// copy.
    package func copied(to origin: String) -> Backend {
        var copy = self
        for socket in sockets.keys { copy.closeSocket(socket) }
        copy.users.isolate()
        copy.consultations.isolate()
        copy.goals.isolate()
        copy.mealLogs.isolate()
        copy.schedule = Heap(schedule.unordered)
        guard !origin.isExactly(configuration.origin) else { return copy }
        copy.configuration.origin = origin
        for position in copy.consultations.positions {
            copy.storedBytes -= copy.consultations[position].byteCount
            copy.consultations[position].encode(in: configuration.mode, origin: origin)
            copy.storedBytes += copy.consultations[position].byteCount
        }
        return copy
    }
}

extension AnswerInProgress {
    fileprivate var progress: SocketFacts.StreamingAnswer {
        func isEnd(_ moment: Timeline.Moment) -> Bool { moment.event == .completion || moment.event == .abandonment }
        let moments = timeline.moments
        let start = moments[..<step].lastIndex(where: isEnd).map { $0 + 1 } ?? 0
        let end = moments[step...].firstIndex(where: isEnd) ?? moments.endIndex
        func chunks(_ range: Range<Int>) -> Int {
            moments[range].count { if case .chunk = $0.event { true } else { false } }
        }
        return .init(messageID: current.id, piece: chunks(start..<step), count: chunks(start..<end))
    }
}
