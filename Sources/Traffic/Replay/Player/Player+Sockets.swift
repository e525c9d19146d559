import FitIQAPI
import JSON
import Traffic

extension Player {
    /// When the next effect is due, or nil if every socket waits for its client or has ended.
    public var nextDeadline: Timestamp? { deadlines.next }

    /// Starts a socket whose 101 was sent; its times count from here.
    ///
    /// Call ``advance(to:)`` after this, as after ``receive(_:on:at:)``, for the effects that are due at once.
    public mutating func opened(_ socket: ReplaySocket, at now: Timestamp) {
        sockets[socket]?.open(at: now.nanosecondsSinceEpoch, order: settings.frames)
        schedule(socket)
    }

    /// Receives a client's message; a frame that was not recorded is noted with its differences.
    ///
    /// Control frames other than the close frame belong to the codec. On a socket that has ended, nothing is expected
    /// or noted.
    public mutating func receive(_ message: ReplayMessage, on socket: ReplaySocket, at now: Timestamp) {
        let (bytes, isText): ([UInt8], Bool)
        switch message {
        case .text(let text): (bytes, isText) = (text, true)
        case .binary(let binary): (bytes, isText) = (binary, false)
        case .close: return
        }
        // It is removed from the table while it changes, so that nothing of it is copied.
        guard var play = sockets.removeValue(forKey: socket) else { return }
        let outcome =
            play.isOver ? .noted : take(bytes, isText: isText, on: &play, at: now.nanosecondsSinceEpoch)
        sockets[socket] = play
        switch outcome {
        case .recognised:
            tally.framesReceived += 1
            schedule(socket)
        case .noted: break
        case .unknown: note(frame: bytes, isText: isText, on: socket, isTooMany: false, at: now)
        case .oneTooMany: note(frame: bytes, isText: isText, on: socket, isTooMany: true, at: now)
        }
    }

    private enum Outcome {
        case recognised
        case unknown
        case oneTooMany
        case noted
    }

    private mutating func take(
        _ bytes: [UInt8], isText: Bool, on play: inout SocketPlay, at time: Int64
    ) -> Outcome {
        let script = plan.scripts[play.script]
        if isText, !script.keepAlives.isEmpty, KeepAliveFrame(bytes) == .ping {
            // In `timed`, pongs are sent at their recorded times.
            if settings.frames == .timed { return .recognised }
            return play.ping(at: time, script, played: played) ? .recognised : .oneTooMany
        }
        var shape = SocketScript.shape(of: bytes, isText: isText)
        var index = recognise(shape, in: &play, script)
        if index == nil, !following.bindings.isEmpty {
            shape = SocketScript.shape(of: bytes, isText: isText, known: following.bindings)
            index = recognise(shape, in: &play, script)
        }
        if index == nil, settings.frames == .triggered {
            // Repeated with a new ID: the messages that follow are about that one.
            index = play.trigger(shape.key, in: script) {
                following.fitsAnew(shape.values, $0.values, in: plan.vocabulary)
            }
        }
        guard let index else { return .unknown }
        let recorded = script.messages[index]
        if settings.frames == .triggered {
            var own: [Int: ExactString] = [:]
            for (value, number) in zip(shape.values, recorded.values) where Bindings.isSafe(value.text) {
                own[number] = value.text
            }
            guard play.beginRun(after: index, at: time, own: own, in: script) else { return .oneTooMany }
            following.learnAnew(shape.values, recorded.values, in: plan.vocabulary)
        }
        play.come(index, at: time, order: settings.frames)
        following.learn(shape.values, recorded.values, in: plan.vocabulary)
        following.learn(shape.times, for: recorded.shape.times, in: plan.vocabulary)
        following.learn(shape.secrets, for: recorded.shape.secrets, in: plan.vocabulary)
        return .recognised
    }

    private func recognise(_ shape: Shape, in play: inout SocketPlay, _ script: SocketScript) -> Int? {
        let fits = { (message: SocketScript.Message) in
            message.shape.key == shape.key
                && self.following.fits(shape.values, message.values, in: self.plan.vocabulary)
        }
        switch settings.frames {
        case .triggered: return play.trigger(shape.key, in: script, where: fits)
        case .timed, .lockStep:
            return play.message(in: script, mayComeEarly: settings.match != .strict, where: fits)
        }
    }

    /// Ends a socket, opened or not, regardless of which side ended it; nothing more is due on it.
    public mutating func ended(_ socket: ReplaySocket, at now: Timestamp) {
        guard let play = sockets.removeValue(forKey: socket) else { return }
        tally.framesNeverSent += plan.scripts[play.script].messages.count - play.comeCount
        dropStaleDeadlines()
    }

    /// Returns the effects due up to a time, in order; each has its own time, however late the call.
    public mutating func advance(to now: Timestamp) -> [ReplayEffect] {
        var effects: [ReplayEffect] = []
        while let (socket, time) = deadlines.popDue(at: now) {
            guard var play = sockets.removeValue(forKey: socket) else {
                preconditionFailure("a deadline at the top is true")
            }
            let (action, own) = play.take(
                at: time.nanosecondsSinceEpoch, plan.scripts[play.script], settings.frames, played: played)
            play.scheduled = nil
            sockets[socket] = play
            tally.framesSent += 1
            effects.append(ReplayEffect(socket: socket, action: rewritten(action, origin: play.origin, own: own)))
            schedule(socket)
        }
        return effects
    }

    private func rewritten(
        _ action: ReplayEffect.Action, origin: String, own: [Int: ExactString]
    ) -> ReplayEffect.Action {
        switch action {
        case .text(let bytes): .text(rewriter(origin: origin, own: own).rewritten(bytes))
        case .binary, .ping, .close, .finish, .reset: action
        }
    }

    private mutating func schedule(_ socket: ReplaySocket) {
        if var play = sockets.removeValue(forKey: socket) {
            let due = play.due(plan.scripts[play.script], settings.frames, played: played)
            if due != play.scheduled, let due {
                deadlines.insert(socket, at: Timestamp(nanosecondsSinceEpoch: due))
            }
            play.scheduled = due
            sockets[socket] = play
        }
        dropStaleDeadlines()
    }

    private mutating func dropStaleDeadlines() {
        while let (socket, time) = deadlines.first, sockets[socket]?.scheduled != time.nanosecondsSinceEpoch {
            deadlines.removeFirst()
        }
    }
}
