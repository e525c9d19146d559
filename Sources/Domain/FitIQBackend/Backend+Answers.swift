import FitIQAPI

/// How answers stream. Generation outlives its sockets: with nobody to hear it, an answer is completed and stored all the same.
extension Backend {
    /// Does everything that is due by the turn's time, each at the time at which it was due.
    ///
    /// - Parameter limit: the most steps to do; those that are left stay due.
    /// - Returns: how many steps were done.
    @discardableResult
    public mutating func advance(_ turn: inout Turn, mostSteps limit: Int = .max) -> Int {
        let now = turn.now
        var count = 0
        while count < limit, let step = schedule.min, step.time <= now {
            schedule.removeMin()
            count += 1
            // A late loop does not change what is said: time stamps are those of the schedule.
            turn.now = step.time
            switch step.work {
            case .answer(let id): continueAnswer(id, in: step.position, &turn)
            case .mealLog: finishMealLog(step.position, &turn)
            }
        }
        turn.now = now
        return count
    }

    mutating func beginAnswer(to question: Question, in position: Int, at now: Timestamp) {
        let consultation = consultations[position].consultation
        let script = question.script ?? AnswerScript(steps: [.builtInAnswer])
        let timeline = Timeline(script, id: question.answerID, pace: configuration.pace) {
            Coach.answer(
                persona: consultation.persona, context: consultation.context.type, question: question.content,
                turn: question.number)
        }
        let answer = AnswerInProgress(
            id: question.answerID, timeline: timeline, startedAt: now, audience: listeners(of: position))
        consultations[position].answer = answer
        scheduleNextMoment(of: answer, in: position)
    }

    private mutating func scheduleNextMoment(of answer: AnswerInProgress, in position: Int) {
        schedule.insert(ScheduledStep(time: answer.nextTime, position: position, work: .answer(answer.id)))
    }

    private mutating func continueAnswer(_ id: ResourceID, in position: Int, _ turn: inout Turn) {
        guard var answer = consultations[position].answer, answer.id == id else { return }
        let event = answer.next.event
        answer.step += 1
        switch event {
        case .chunk(let content):
            announce(&answer, in: position, &turn)
            broadcast(
                answer, in: position, &turn, stream: .streamChunk(content: content),
                assistantMessage: .assistantMessageChunk(id: answer.current.id, content: content))
        case .template(let template):
            announce(&answer, in: position, &turn)
            broadcast(answer, in: position, &turn, stream: nil, assistantMessage: .templateCreated(template))
        case .error(let message, let code):
            // An answer that an error keeps from beginning is not announced.
            let frame = ServerFrame.scriptedError(message: message, code: code)
            broadcast(answer, in: position, &turn, stream: frame, assistantMessage: frame)
        case .completion:
            announce(&answer, in: position, &turn)
            store(answer.current, in: position, at: turn.now)
            broadcast(
                answer, in: position, &turn, stream: .streamComplete,
                assistantMessage: .assistantMessageEnd(id: answer.current.id, metadata: answer.current.metadata))
            answer.number += 1
            answer.hasBegun = false
            answer.audience = listeners(of: position)
        case .abandonment: break
        }
        guard answer.step < answer.timeline.moments.count else { return endAnswer(in: position, at: turn.now) }
        consultations[position].answer = answer
        scheduleNextMoment(of: answer, in: position)
    }

    /// Tells once, before anything else of an answer, that it begins.
    private func announce(_ answer: inout AnswerInProgress, in position: Int, _ turn: inout Turn) {
        guard !answer.hasBegun else { return }
        answer.hasBegun = true
        broadcast(
            answer, in: position, &turn, stream: nil, assistantMessage: .assistantMessageStart(id: answer.current.id))
    }

    private mutating func endAnswer(in position: Int, at now: Timestamp) {
        consultations[position].answer = nil
        guard !consultations[position].waiting.isEmpty else { return }
        beginAnswer(to: consultations[position].waiting.removeFirst(), in: position, at: now)
    }

    /// Completes and stores the answer that streams, and those behind it, without frames; what waits for one gets none.
    ///
    /// An answer that its script would not have completed is not stored.
    mutating func finishAnswerSilently(_ position: Int, at now: Timestamp) {
        consultations[position].waiting = []
        guard let answer = consultations[position].answer else { return }
        consultations[position].answer = nil
        for answer in answer.unstored { store(answer, in: position, at: now) }
    }

    private mutating func store(_ answer: Timeline.Answer, in position: Int, at now: Timestamp) {
        let message = Message(
            id: answer.id, consultationID: consultations[position].consultation.id, role: .assistant,
            content: answer.text, metadata: answer.metadata, createdAt: now)
        let mode = configuration.mode
        update(position, at: now) { $0.store(message, in: mode) }
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
