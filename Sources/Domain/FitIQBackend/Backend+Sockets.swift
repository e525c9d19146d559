import FitIQAPI

struct OpenSocket: Sendable {
    enum Place: Sendable {
        /// In the consultation at this index.
        case consultation(Int)
        case meals(UserID)
    }

    let place: Place
    /// The protocol of the last chat message; until there is one, it is nil and the socket gets no chat frames.
    var chatProtocol: ChatProtocol?

    /// The consultation's index; nil for a meal socket.
    var position: Int? { if case .consultation(let position) = place { position } else { nil } }
}

extension Backend {
    /// Checks, before the handshake is accepted, whether a consultation accepts a socket.
    ///
    /// - Throws: A 404, or a 400 if the consultation is not active.
    public func checkSocket(on id: String, by user: UserID) throws(APIError) {
        let consultation = consultations[try position(of: id, ownedBy: user)].consultation
        guard consultation.isActive else { throw .consultationNotActive(consultation.id, status: consultation.status) }
    }

    /// Opens a socket after its handshake, and sends `connected`.
    ///
    /// The answer to a waiting first question starts, in the apps' protocol.
    ///
    /// - Throws: The errors of ``checkSocket(on:by:)``.
    public mutating func openSocket(
        _ socket: SocketID, on id: String, by user: UserID, _ turn: inout Turn
    ) throws(APIError) {
        advance(&turn)
        try checkSocket(on: id, by: user)
        precondition(sockets[socket] == nil, "An open socket's number must not be reused.")
        let position = try position(of: id, ownedBy: user)
        sockets[socket] = OpenSocket(place: .consultation(position))
        consultations[position].sockets.append(socket)
        let user = configuration.mode.servesApps ? consultations[position].consultation.userID : nil
        send(.connected(user: user), to: socket, of: position, &turn)
        guard consultations[position].awaitsAnswer else { return }
        sockets[socket]?.chatProtocol = .stream
        answerNext(in: position, turn)
    }

    /// Removes a closed socket; its streaming answer continues.
    public mutating func closeSocket(_ socket: SocketID) {
        guard let closed = sockets.removeValue(forKey: socket) else { return }
        guard case .consultation(let position) = closed.place else {
            if case .meals(let user) = closed.place { mealSockets[user]?.open = nil }
            return
        }
        consultations[position].sockets.removeAll { $0 == socket }
        consultations[position].answer?.audience.removeAll { $0.socket == socket }
    }

    /// Handles a text frame; ignores frames on a socket that the backend has closed.
    public mutating func receive(text: [UInt8], from socket: SocketID, _ turn: inout Turn) {
        advance(&turn)
        guard let open = sockets[socket] else { return }
        guard let position = open.position else { return receiveOnMealSocket(text: text, from: socket, &turn) }
        do throws(FrameError) {
            switch try ClientFrame(text: text, in: socketForm) {
            case .ping: send(.pong, to: socket, of: position, &turn)
            case .chat(let chatProtocol, let content):
                let script = try checkedScript(for: content, in: position)
                sockets[socket]?.chatProtocol = chatProtocol
                accept(content, answeredBy: script, in: position, &turn)
            }
        } catch {
            send(.error(error), to: socket, of: position, &turn)
        }
    }

    /// Refuses a binary frame.
    public mutating func receiveBinary(from socket: SocketID, _ turn: inout Turn) {
        advance(&turn)
        guard let open = sockets[socket] else { return }
        guard let position = open.position else { return receiveOnMealSocket(text: nil, from: socket, &turn) }
        send(.error(.binaryFrame), to: socket, of: position, &turn)
    }

    /// Stores a question and answers it (`POST /api/v1/consultations/{id}/messages`).
    ///
    /// The answer is sent to the open sockets. If there are no open sockets, the answer completes immediately after the
    /// answers to earlier questions. A socket that has not been used for chat gets the answer in the apps' protocol.
    ///
    /// - Throws: In this order, 404, 400 if the consultation is not active, 429 if too many questions are waiting, and
    ///   507 if the history or the world is full.
    public mutating func sendMessage(
        _ request: SendMessageRequest, in id: String, by user: UserID, _ turn: inout Turn
    ) throws(APIError) -> [UInt8] {
        advance(&turn)
        try checkSocket(on: id, by: user)
        let position = try position(of: id, ownedBy: user)
        let listening = consultations[position].sockets
        if listening.isEmpty { answerAtOnce(in: position, turn) }
        let script: AnswerScript?
        do throws(FrameError) {
            script = try checkedScript(for: request.content, in: position)
        } catch {
            throw APIError(refusing: error)
        }
        for socket in listening where sockets[socket]?.chatProtocol == nil { sockets[socket]?.chatProtocol = .stream }
        let question = accept(request.content, answeredBy: script, in: position, &turn)
        guard listening.isEmpty else { return question.body(answeredBy: nil) }
        answerAtOnce(in: position, turn)
        let last = consultations[position].history.messages.last
        return question.body(answeredBy: last?.role == .assistant ? last : nil)
    }

    /// Chooses the answer's script after checking the limits for the question.
    private func checkedScript(for content: String, in position: Int) throws(FrameError) -> AnswerScript? {
        let record = consultations[position]
        let limit = configuration.limits.waitingMessages
        // A question that does not have to wait is always allowed.
        guard record.answer == nil || record.waiting.count < limit else { throw .tooManyWaiting(limit: limit) }
        let script = script(for: content, number: record.askedCount, in: record.consultation)
        try checkRoom(for: script?.messageCount ?? 1, in: position)
        return script
    }

    /// Chooses an answer's script when the question is accepted, so that later changes cannot exceed the history's
    /// limit.
    ///
    /// - Parameter number: The number of earlier questions.
    func script(for content: String, number: Int, in consultation: Consultation) -> AnswerScript? {
        script.answer(
            to: content, turn: number + 1, persona: consultation.persona, contextType: consultation.context.type)
    }

    private func checkRoom(for answers: Int, in position: Int) throws(FrameError) {
        let limits = configuration.limits
        let record = consultations[position]
        // Counts the question, its answers, and the answers in progress.
        let pending = record.waiting.reduce(record.answer?.unstored.count ?? 0) { $0 + $1.messageCount }
        guard record.history.count + pending + 1 + answers <= limits.messages else {
            throw .historyFull(limit: limits.messages, in: configuration.mode)
        }
        guard storedBytes < storageRoom.bytes else { throw .storeFull(limit: storageRoom.limit) }
    }

    /// Stores a question, acknowledges it to all sockets that are used for chat, and answers it now or later.
    ///
    /// - Parameter isInitial: Whether the question has to wait for a socket.
    @discardableResult
    mutating func accept(
        _ content: String, answeredBy script: AnswerScript?, in position: Int, isInitial: Bool = false,
        _ turn: inout Turn
    ) -> Message {
        let message = Message(
            id: turn.identifiers.next(), consultationID: consultations[position].consultation.id, role: .user,
            content: content, createdAt: turn.date)
        let mode = configuration.mode
        update(position, at: turn.date) { $0.store(message, in: mode) }
        for listener in listeners(of: position) {
            let receipt: ServerFrame =
                switch listener.chatProtocol {
                case .stream: .messageReceived
                case .assistantMessage: .userMessage(id: message.id, content: content)
                }
            if receipt.isKnown(in: socketForm) { send(receipt, to: listener.socket, of: position, &turn) }
        }
        let question = Question(
            content: content, number: consultations[position].askedCount,
            answerID: isInitial ? message.answerID : turn.identifiers.next(), script: script)
        consultations[position].askedCount += 1
        consultations[position].waiting.append(question)
        if !isInitial { answerNext(in: position, turn) }
        return message
    }

    /// The sockets that get a consultation's chat frames.
    func listeners(of position: Int) -> [Listener] {
        consultations[position].sockets.compactMap { socket in
            sockets[socket]?.chatProtocol.map { Listener(socket: socket, chatProtocol: $0) }
        }
    }

    /// Notifies a consultation's sockets that it is no longer active, and closes them.
    mutating func closeSockets(of position: Int, _ turn: inout Turn, reason: String = "Consultation is not active") {
        for socket in consultations[position].sockets {
            send(.error(.consultationNotActive), to: socket, of: position, &turn)
            turn.effects.append(.close(socket, code: 1000, reason: reason))
            sockets[socket] = nil
        }
        consultations[position].sockets = []
    }

    func send(_ frame: ServerFrame, to socket: SocketID, of position: Int, _ turn: inout Turn) {
        let id = consultations[position].consultation.id
        turn.effects.append(.send(socket, frame.encoded(consultationID: id, at: turn.date, in: socketForm)))
    }

    var socketForm: GuideMode { configuration.mode.form(of: .webSocket) }
}

extension Message {
    /// The id of the answer to a first question; it is derived, so that exports can omit it.
    var answerID: ResourceID { ResourceIDSequence.first(of: id.seed) }
}

/// A user's meal socket, and the recent connections that count towards its limit.
package struct MealSocket: Sendable {
    package internal(set) var open: SocketID?
    var heardAt: Timestamp
    /// The times at which connections were accepted in the last minute, oldest first.
    var openings: [Timestamp] = []
}

/// The socket for events about all of a user's meals (`/ws/meal-logs`).
extension Backend {
    private static let minute: Int64 = 60_000_000_000

    /// Opens a meal socket after its handshake, sends `connected` and closes the user's older meal socket with 1008.
    ///
    /// Beyond ``Limits/mealSocketsPerMinute``, the new socket gets an `error` frame and is closed with 1008.
    public mutating func openMealSocket(_ socket: SocketID, by user: UserID, _ turn: inout Turn) {
        advance(&turn)
        precondition(sockets[socket] == nil, "An open socket's number must not be reused.")
        let limit = configuration.limits.mealSocketsPerMinute
        var record = mealSockets[user] ?? MealSocket(heardAt: turn.now)
        record.openings.removeAll { turn.now >= $0.advanced(byNanoseconds: Self.minute) }
        guard record.openings.count < limit else { return refuse(socket, .tooManyConnections(limit: limit), &turn) }
        if let older = record.open {
            sockets[older] = nil
            refuse(older, .replaced, &turn)
        }
        (record.open, record.heardAt) = (socket, turn.now)
        record.openings.append(turn.now)
        mealSockets[user] = record
        sockets[socket] = OpenSocket(place: .meals(user))
        scheduleIdleCheck(of: socket, by: user, heardAt: turn.now)
        send(.connected(user: users[user].id), toMealSocket: socket, &turn)
    }

    /// Closes a user's meal socket because the credentials are no longer valid.
    public mutating func closeMealSocket(of user: UserID, _ turn: inout Turn) {
        guard let socket = mealSockets[user]?.open else { return }
        sockets[socket] = nil
        mealSockets[user]?.open = nil
        refuse(socket, .userIsGone, &turn)
    }

    private func refuse(_ socket: SocketID, _ error: MealSocketError, _ turn: inout Turn) {
        send(error.frame, toMealSocket: socket, &turn)
        turn.effects.append(.close(socket, code: 1008, reason: error.reason))
    }

    /// Handles any frame from a client by restarting a meal socket's idle timeout.
    public mutating func heard(from socket: SocketID, _ turn: inout Turn) {
        guard case .meals(let user)? = sockets[socket]?.place else { return }
        advance(&turn)
        mealSockets[user]?.heardAt = turn.now
    }

    /// Handles a text frame; rejects a binary frame, for which `text` is nil.
    mutating func receiveOnMealSocket(text: [UInt8]?, from socket: SocketID, _ turn: inout Turn) {
        heard(from: socket, &turn)
        let frame: ServerFrame
        do throws(FrameError) {
            guard let text else { throw .binaryFrame }
            frame = try ClientFrame(text: text, in: .union) == .ping ? .pong : MealSocketError.onlyPings.frame
        } catch {
            frame = MealSocketError.unusable(error).frame
        }
        send(frame, toMealSocket: socket, &turn)
    }

    private func send(_ frame: ServerFrame, toMealSocket socket: SocketID, _ turn: inout Turn) {
        turn.effects.append(.send(socket, frame.encoded(consultationID: nil, at: turn.date, in: .union)))
    }

    private mutating func scheduleIdleCheck(of socket: SocketID, by user: UserID, heardAt: Timestamp) {
        let time = heardAt.advanced(byNanoseconds: configuration.limits.mealSocketIdle)
        schedule.insert(ScheduledStep(time: time, position: user.index, work: .mealSocket(socket)))
    }

    /// Closes a meal socket that has been silent for ``Limits/mealSocketIdle``; otherwise schedules the next check.
    mutating func closeIfIdle(_ socket: SocketID, _ turn: inout Turn) {
        guard case .meals(let user)? = sockets[socket]?.place, let record = mealSockets[user] else { return }
        let limit = configuration.limits.mealSocketIdle
        guard turn.now >= record.heardAt.advanced(byNanoseconds: limit) else {
            return scheduleIdleCheck(of: socket, by: user, heardAt: record.heardAt)
        }
        sockets[socket] = nil
        mealSockets[user]?.open = nil
        let minutes = limit / Self.minute
        turn.effects.append(.close(socket, code: 1000, reason: "No frame in \(minutes) minutes"))
    }
}
