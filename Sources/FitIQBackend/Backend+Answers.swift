import FitIQAPI

/// How answers stream. Generation outlives its sockets: with nobody to hear it, an answer is completed and stored all the same.
extension Backend {
    /// Does everything that is due by the turn's time, each at the time at which it was due.
    public mutating func advance(_ turn: inout Turn) {
        let now = turn.now
        while let step = schedule.min, step.time <= now {
            schedule.removeMin()
            // A late loop does not change what is said: time stamps are those of the schedule.
            turn.now = step.time
            switch step.work {
            case .answer(let id): continueAnswer(id, in: step.position, &turn)
            case .mealLog: finishMealLog(step.position, &turn)
            }
        }
        turn.now = now
    }

    private mutating func continueAnswer(_ id: ResourceID, in position: Int, _ turn: inout Turn) {
        guard let answer = consultations[position].answer, answer.id == id else { return }
        if answer.isComplete {
            completeAnswer(answer, in: position, &turn)
        } else {
            sendChunk(of: answer, in: position, &turn)
        }
    }

    mutating func beginAnswer(to question: Question, in position: Int, at now: Timestamp) {
        let consultation = consultations[position].consultation
        let text = Coach.answer(
            persona: consultation.persona, context: consultation.context.type, question: question.content,
            turn: question.number)
        let chunks = Coach.chunks(of: text)
        let answer = AnswerInProgress(
            id: question.answerID, text: text, chunks: chunks, startedAt: now,
            offsets: configuration.pace.offsets(of: chunks, seed: question.answerID.seed),
            audience: listeners(of: position))
        consultations[position].answer = answer
        schedule.insert(ScheduledStep(time: answer.nextTime, position: position, work: .answer(answer.id)))
    }

    private mutating func sendChunk(of answer: AnswerInProgress, in position: Int, _ turn: inout Turn) {
        let chunk = answer.chunks[answer.step]
        if answer.step == 0 {
            broadcast(answer, in: position, &turn, stream: nil, assistantMessage: .assistantMessageStart(id: answer.id))
        }
        broadcast(
            answer, in: position, &turn, stream: .streamChunk(content: chunk),
            assistantMessage: .assistantMessageChunk(id: answer.id, content: chunk))
        let next = answer.startedAt.advanced(byNanoseconds: answer.offsets[answer.step + 1])
        consultations[position].answer?.step += 1
        schedule.insert(ScheduledStep(time: next, position: position, work: .answer(answer.id)))
    }

    private mutating func completeAnswer(_ answer: AnswerInProgress, in position: Int, _ turn: inout Turn) {
        let message = store(answer, in: position, at: turn.now)
        broadcast(
            answer, in: position, &turn, stream: .streamComplete,
            assistantMessage: .assistantMessageEnd(id: answer.id, metadata: message.metadata))
        if !consultations[position].waiting.isEmpty {
            let question = consultations[position].waiting.removeFirst()
            beginAnswer(to: question, in: position, at: turn.now)
        }
    }

    /// Completes and stores the answer that streams, without frames; what waits for an answer gets none.
    mutating func finishAnswerSilently(_ position: Int, at now: Timestamp) {
        consultations[position].waiting = []
        guard let answer = consultations[position].answer else { return }
        _ = store(answer, in: position, at: now)
    }

    private mutating func store(_ answer: AnswerInProgress, in position: Int, at now: Timestamp) -> Message {
        let message = Message(
            id: answer.id, consultationID: consultations[position].consultation.id, role: .assistant,
            content: answer.text, metadata: MessageMetadata(tokensUsed: (answer.text.utf8.count + 3) / 4),
            createdAt: now)
        let mode = configuration.mode
        update(position, at: now) { record in
            record.answer = nil
            record.store(message, in: mode)
        }
        return message
    }

    /// Sends a frame to all who hear an answer, encoded once for each protocol.
    private func broadcast(
        _ answer: AnswerInProgress, in position: Int, _ turn: inout Turn, stream: ServerFrame?,
        assistantMessage: ServerFrame
    ) {
        let id = consultations[position].consultation.id
        for (chatProtocol, frame) in [(ChatProtocol.stream, stream), (.assistantMessage, assistantMessage)] {
            guard let frame, answer.audience.contains(where: { $0.chatProtocol == chatProtocol }) else { continue }
            let bytes = frame.encoded(consultationID: id, at: turn.now, in: socketForm)
            for listener in answer.audience where listener.chatProtocol == chatProtocol {
                turn.effects.append(.send(listener.socket, bytes))
            }
        }
    }
}
