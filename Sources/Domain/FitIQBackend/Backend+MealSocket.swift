import FitIQAPI

/// The meal socket of a user, and the connections to it that count.
package struct MealSocket: Sendable {
    package internal(set) var open: SocketID?
    var heardAt: Timestamp
    /// The times of the accepted connections of the last minute, oldest first.
    var openings: [Timestamp] = []
}

/// The socket with the events of all meals of a user (`/ws/meal-logs`).
extension Backend {
    private static let minute: Int64 = 60_000_000_000

    /// Opens a meal socket after its handshake and sends `connected`; the user's older one is closed with 1008.
    ///
    /// Beyond ``Limits/mealSocketsPerMinute`` the new one gets an `error` frame and is closed with 1008.
    public mutating func openMealSocket(_ socket: SocketID, by user: UserID, _ turn: inout Turn) {
        advance(&turn)
        precondition(sockets[socket] == nil, "The number of an open socket was given to another one.")
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

    /// Closes the meal socket of a user, whose credentials are no longer valid.
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

    /// Notes a frame of any kind from a client, which keeps a meal socket open.
    public mutating func heard(from socket: SocketID, _ turn: inout Turn) {
        guard case .meals(let user)? = sockets[socket]?.place else { return }
        advance(&turn)
        mealSockets[user]?.heardAt = turn.now
    }

    /// Handles a text frame, or refuses a binary one, which has no text.
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

    /// Closes a meal socket from which nothing has come for ``Limits/mealSocketIdle``; checks again later otherwise.
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
