import FitIQAPI

/// Answer streaming; generation outlives the sockets, so an answer is completed and stored even without listeners.
extension Backend {
    /// Performs all steps due by the turn's time, each at its scheduled time.
    ///
    /// - Parameter limit: The maximum number of steps; the rest stay due.
    /// - Returns: The number of steps performed; a long meal counts as several.
    @discardableResult
    public mutating func advance(_ turn: inout Turn, mostSteps limit: Int = .max) -> Int {
        let now = turn.now
        var count = 0
        while count < limit, let step = schedule.min, step.time <= now {
            schedule.removeMin()
            count += 1
            guard isCurrent(step) else { continue }
            // Timestamps follow the schedule, so a late loop does not change the content.
            turn.now = step.time
            switch step.work {
            case .answer: continueAnswer(in: step.position, &turn)
            case .mealLog:
                finishMealLog(step.position, &turn)
                // A typical meal is smaller than three kilobytes and counts as one step.
                count += max(0, mealLogs[step.position].byteCount / 1024 - 2)
            case .mealSocket(let socket): closeIfIdle(socket, &turn)
            }
        }
        turn.now = now
        return count
    }

    mutating func beginAnswer(to question: Question, in position: Int, _ turn: Turn) {
        let consultation = consultations[position].consultation
        let owner = consultations[position].owner
        let context = consultation.context.type == .goal ? consultation.context.id : nil
        let goal = (consultation.goalID ?? context.flatMap { resource($0.text) })
            .flatMap { goals.position(of: $0) }.map { goals[$0].goal.title }
        let template = TextTemplate(
            content: question.content, now: turn.date, userName: person(of: owner, at: turn.date).profile.content.name,
            goalTitle: goal, numbers: SplitMix64(seed: question.answerID.seed ^ 0x510E_527F_ADE6_82D1))
        let script = question.script?.filled(by: template) ?? AnswerScript(steps: [.builtInAnswer])
        let timeline = Timeline(script, id: question.answerID, pace: configuration.pace) {
            Coach.speech(
                persona: consultation.persona, context: consultation.context.type, goal: goal,
                question: question.content, turn: question.number)
        }
        let answer = AnswerInProgress(
            id: question.answerID, timeline: timeline, persona: consultation.persona, startedAt: turn.now,
            audience: listeners(of: position))
        consultations[position].answer = answer
        if let step = answer.nextStep(in: position) { schedule.insert(step) }
    }

    private mutating func continueAnswer(in position: Int, _ turn: inout Turn) {
        // Moved out and back, to avoid copying the text of all chunks.
        var answer: AnswerInProgress?
        swap(&answer, &consultations[unnoticed: position].answer)
        guard answer != nil else { return }
        guard let next = perform(&answer!, in: position, &turn) else {  // It is not nil.
            consultations.noteChange(position)
            return answerNext(in: position, turn)
        }
        schedule.insert(next)
        swap(&answer, &consultations[unnoticed: position].answer)
    }

    /// Performs the next event of an answer and returns the following step; nil after the last one.
    private mutating func perform(
        _ answer: inout AnswerInProgress, in position: Int, _ turn: inout Turn
    ) -> ScheduledStep? {
        let event = answer.next.event
        answer.step += 1
        switch event {
        case .chunk(let content):
            announce(&answer, in: position, &turn)
            let id = answer.currentID
            broadcast(to: answer.audience, in: position, &turn) {
                $0 == .stream ? .streamChunk(content: content) : .assistantMessageChunk(id: id, content: content)
            }
        case .template(let template):
            announce(&answer, in: position, &turn)
            broadcast(to: answer.audience, in: position, &turn) { $0 == .stream ? nil : .templateCreated(template) }
        case .error(let message, let code):
            // Do not announce an answer that fails before it starts.
            broadcast(to: answer.audience, in: position, &turn) { _ in .scriptedError(message: message, code: code) }
        case .completion:
            announce(&answer, in: position, &turn)
            let id = answer.currentID
            let metadata = store(answer.current, of: answer, in: position, turn)
            let streamed = configuration.mode.servesApps ? metadata : nil
            broadcast(to: answer.audience, in: position, &turn) {
                $0 == .stream ? .streamComplete(streamed) : .assistantMessageEnd(id: id, metadata: metadata)
            }
            answer.number += 1
            answer.hasBegun = false
            answer.audience = listeners(of: position)
        case .abandonment: break
        }
        return answer.nextStep(in: position)
    }

    /// Announces an answer's start once, before its other frames.
    private mutating func announce(_ answer: inout AnswerInProgress, in position: Int, _ turn: inout Turn) {
        guard !answer.hasBegun else { return }
        answer.hasBegun = true
        let id = answer.currentID
        broadcast(to: answer.audience, in: position, &turn) { $0 == .stream ? nil : .assistantMessageStart(id: id) }
    }

    /// Starts the answer to the oldest waiting question, if any.
    mutating func answerNext(in position: Int, _ turn: Turn) {
        guard consultations[position].awaitsAnswer else { return }
        beginAnswer(to: consultations[position].waiting.removeFirst(), in: position, turn)
    }

    /// Completes and stores the answers to all questions so far, without frames.
    mutating func answerAtOnce(in position: Int, _ turn: Turn) {
        storeAnswer(in: position, turn)
        while consultations[position].awaitsAnswer {
            answerNext(in: position, turn)
            storeAnswer(in: position, turn)
        }
    }

    /// Completes and stores the streaming answer and its successors without frames; waiting questions get no answer.
    ///
    /// An answer that its script does not complete is not stored.
    mutating func finishAnswerSilently(_ position: Int, _ turn: Turn) {
        consultations[position].waiting = []
        storeAnswer(in: position, turn)
    }

    private mutating func storeAnswer(in position: Int, _ turn: Turn) {
        guard let answer = consultations[position].answer else { return }
        consultations[position].answer = nil
        for part in answer.unstored { store(part, of: answer, in: position, turn) }
    }

    @discardableResult
    private mutating func store(
        _ part: Timeline.Answer, of answer: AnswerInProgress, in position: Int, _ turn: Turn
    ) -> MessageMetadata {
        var metadata = part.metadata
        if configuration.mode.servesApps {
            let start = answer.startedAt.nanosecondsSinceEpoch
            let time = turn.now.nanosecondsSinceEpoch.subtractingReportingOverflow(start)
            metadata.persona = answer.persona
            metadata.processingTime = time.overflow ? 0 : Int(max(0, time.partialValue) / 1_000_000)
        }
        let message = Message(
            id: part.id, consultationID: consultations[position].consultation.id, role: .assistant,
            content: part.text, metadata: metadata, createdAt: turn.date)
        let mode = configuration.mode
        update(position, at: turn.date) { $0.store(message, in: mode) }
        return metadata
    }

    /// Sends a frame to an answer's audience, encoded once per protocol; `frame` returns nil to send none.
    // Mutating, because otherwise Swift copies the backend.
    private mutating func broadcast(
        to audience: [Listener], in position: Int, _ turn: inout Turn, _ frame: (ChatProtocol) -> ServerFrame?
    ) {
        let id = consultations[position].consultation.id
        for chatProtocol in ChatProtocol.allCases {
            guard audience.contains(where: { $0.chatProtocol == chatProtocol }), let frame = frame(chatProtocol) else {
                continue
            }
            let bytes = frame.encoded(consultationID: id, at: turn.date, in: socketForm)
            for listener in audience where listener.chatProtocol == chatProtocol {
                turn.effects.append(.send(listener.socket, bytes))
            }
        }
    }
}

package struct Question: Sendable {
    let content: String
    /// The number of earlier messages from the user.
    let number: Int
    /// The id of the answer, which also seeds its pace.
    let answerID: ResourceID
    /// The script of the answer; nil means the built-in coach.
    let script: AnswerScript?

    /// The number of messages that the answer adds to the history.
    var messageCount: Int { script?.messageCount ?? 1 }
}

/// A socket that receives an answer, in the protocol it used when the answer started.
struct Listener: Sendable, Equatable {
    let socket: SocketID
    let chatProtocol: ChatProtocol
}

/// An answer that is streaming to the sockets chunk by chunk, with any additional answers to the same question.
package struct AnswerInProgress: Sendable {
    /// The id of the first answer; scheduled steps refer to it.
    let id: ResourceID
    let timeline: Timeline
    /// The coach that was asked.
    let persona: Persona
    let startedAt: Timestamp
    /// The sockets that receive the streaming answer; sockets that join later load it from the history.
    var audience: [Listener]
    /// The index of the timeline's next moment.
    var step = 0
    /// The index of the streaming answer in the timeline.
    var number = 0
    /// Whether the answer's `assistant_message_start` was sent.
    var hasBegun = false

    var current: Timeline.Answer { timeline.answers[number] }
    /// The id of ``current``, without reading the first answer's text.
    var currentID: ResourceID { number == 0 ? id : current.id }
    var next: Timeline.Moment { timeline.moments[step] }
    var nextTime: Timestamp { startedAt.advanced(byNanoseconds: next.offset) }

    /// The next step in a consultation; nil after the last one.
    func nextStep(in position: Int) -> ScheduledStep? {
        guard step < timeline.moments.count else { return nil }
        return ScheduledStep(time: nextTime, position: position, work: .answer(id))
    }

    var unstored: [Timeline.Answer] { timeline.answers[number...].filter(\.isStored) }
}

public enum Pace: Sendable, Equatable {
    /// A human pace: the first chunk after 0.3 to 0.9 s, then about 20 per second, and the end within 4 s.
    ///
    /// A guide's test waits 5 s for an answer (consultation-websocket, integration tests).
    case human
    /// Without any delay.
    case instant

    /// The offsets of the chunks and of the completion from the question, in nanoseconds.
    ///
    /// A pure function of the chunks and the seed.
    public func offsets(of chunks: [String], seed: UInt64) -> [Int64] {
        if self == .instant { return [Int64](repeating: 0, count: chunks.count + 1) }
        let gaps = Self.humanGaps(of: chunks, seed: seed)
        return gaps.after.reduce(into: [gaps.first]) { $0.append($0[$0.count - 1] + $1) }
    }

    /// The time before the first chunk, and the time after each chunk, at a human pace.
    static func humanGaps(of chunks: [String], seed: UInt64) -> (first: Int64, after: [Int64]) {
        let millisecond: Int64 = 1_000_000
        let longest = 3900 * millisecond
        var numbers = SplitMix64(seed: seed)
        func between(_ low: Int64, _ high: Int64) -> Int64 {
            (low * millisecond) + Int64(numbers.next(below: UInt64((high - low) * millisecond)))
        }

        let first = between(300, 900)
        // After each chunk: a word's time, plus a pause at a comma or the end of a sentence.
        let gaps = chunks.map { chunk in
            let word = between(30, 70)
            return switch Mark(endOf: chunk) {
            case .sentence: word + between(60, 120)
            case .clause: word + between(20, 60)
            case .none: word
            }
        }
        let total = gaps.reduce(0, +)
        guard first + total > longest else { return (first, gaps) }
        // Dividing by thousandths avoids overflow of the product.
        let thousandths = (longest - first) / (total / 1000)
        return (first, gaps.map { $0 / 1000 * thousandths })
    }

    /// The punctuation at the end of a chunk, which determines the following pause.
    enum Mark {
        case sentence, clause, none

        init(_ character: Character?) {
            switch character {
            case ".", "!", "?", ":": self = .sentence
            case ",", ";", "—": self = .clause
            default: self = .none
            }
        }

        /// Finds the last non-space character; between ASCII bytes, no character has to be decoded.
        init(endOf chunk: String) {
            var bytes = chunk
            let mark: UInt8 = bytes.withUTF8 { bytes in
                var last = bytes.count - 1
                while last >= 0, bytes[last] == 0x20 || (0x09...0x0D).contains(bytes[last]) { last -= 1 }
                // The byte before it may belong to the same character.
                return last < 0 ? 0 : bytes[last] | (last > 0 ? bytes[last - 1] & 0x80 : 0)
            }
            switch mark {
            case UInt8(ascii: "."), UInt8(ascii: "!"), UInt8(ascii: "?"), UInt8(ascii: ":"): self = .sentence
            case UInt8(ascii: ","), UInt8(ascii: ";"): self = .clause
            case 0x80...: self.init(chunk.last { !$0.isWhitespace })
            default: self = .none
            }
        }
    }
}
