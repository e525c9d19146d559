import FitIQAPI
import JSON

extension Player {
    /// When the next effect is due, or nil if every socket waits for its client or has ended.
    public var nextDeadline: Timestamp? { deadlines.next }

    /// Starts a socket whose 101 was sent; its times count from here.
    ///
    /// Call ``advance(to:)`` after this, as after ``receive(_:on:at:)``, for the effects that are due at once.
    public mutating func opened(_ socket: ReplaySocket, at now: Timestamp) {
        sockets[socket]?.open(at: now.nanosecondsSinceEpoch)
        schedule(socket)
    }

    /// Receives a client's message; a frame that was not recorded is noted with its differences.
    ///
    /// Control frames other than the close frame belong to the codec. On a socket that has ended, nothing is expected
    /// or noted. The date of a miss is the time, unless the system's clock was set.
    public mutating func receive(
        _ message: ReplayMessage, on socket: ReplaySocket, at now: Timestamp, date: Timestamp? = nil
    ) {
        let (bytes, isText): ([UInt8], Bool)
        switch message {
        case .text(let text): (bytes, isText) = (text, true)
        case .binary(let binary): (bytes, isText) = (binary, false)
        case .close: return
        }
        // It is removed from the table while it changes, so that nothing of it is copied.
        guard sockets[socket]?.isOver == false, var play = sockets.removeValue(forKey: socket) else { return }
        let miss = take(bytes, isText: isText, on: &play, at: now.nanosecondsSinceEpoch)
        sockets[socket] = play
        if let miss {
            note(frame: bytes, isText: isText, on: socket, miss, at: date ?? now)
        } else {
            tally.framesReceived += 1
            schedule(socket)
        }
    }

    /// Takes a recorded frame, or returns why there is none.
    private mutating func take(
        _ bytes: [UInt8], isText: Bool, on play: inout SocketPlay, at time: Int64
    ) -> ReplayFrameMiss.Reason? {
        if isText, !play.script.keepAlives.isEmpty, KeepAliveFrame(bytes) == .ping {
            // In `timed`, pongs are sent at their recorded times.
            return settings.frames == .timed || play.ping(at: time) ? nil : .tooMany
        }
        var (shape, index) = (Shape(), Int?.none)
        for reading in Reading.allCases where index == nil && reading != .ofAnyBody {
            guard let empty = empty(for: reading, origins(play.origin)) else { continue }
            shape = SocketScript.shape(of: bytes, isText: isText, empty)
            index = recognise(shape, in: &play)
        }
        if index == nil, settings.frames == .triggered {
            // Repeated with a new ID: the messages that follow are about that one.
            index = play.trigger(shape.key) { following.fitsAnew(shape.values, $0.values) }
        }
        guard let index else { return .different }
        let recorded = play.script.messages[index]
        if settings.frames == .triggered {
            var own: [Int: ExactString] = [:]
            for (value, number) in zip(shape.values, recorded.values) where Bindings.isSafe(value.text) {
                own[number] = value.text
            }
            guard play.beginRun(after: index, at: time, own: own) else { return .tooMany }
            following.learnAnew(shape.values, recorded.values)
        }
        play.come(index, at: time)
        following.learn(shape, recorded.values, free: recorded.shape.free)
        return nil
    }

    private func recognise(_ shape: Shape, in play: inout SocketPlay) -> Int? {
        let fits = { (message: SocketScript.Message) in
            message.shape.key == shape.key && self.following.fits(shape.values, message.values)
        }
        return settings.frames == .triggered ? play.trigger(shape.key, where: fits) : play.message(where: fits)
    }

    /// Ends a socket, opened or not, regardless of which side ended it; nothing more is due on it.
    public mutating func ended(_ socket: ReplaySocket, at now: Timestamp) {
        guard let play = sockets.removeValue(forKey: socket) else { return }
        tally.framesNeverSent += play.missingCount
        dropStaleDeadlines()
    }

    /// Returns the effects due up to a time, in order; each has its own time, however late the call.
    public mutating func advance(to now: Timestamp) -> [ReplayEffect] {
        var effects: [ReplayEffect] = []
        while let (socket, time) = deadlines.popDue(at: now) {
            guard var play = sockets.removeValue(forKey: socket) else {
                preconditionFailure("a deadline at the top is true")
            }
            var (action, own) = play.take(at: time.nanosecondsSinceEpoch)
            play.scheduled = nil
            sockets[socket] = play
            tally.framesSent += 1
            if case .text(let bytes) = action {
                action = .text(rewriter(origin: play.origin, own: own).rewritten(bytes))
            }
            effects.append(ReplayEffect(socket: socket, action: action))
            schedule(socket)
        }
        return effects
    }

    private mutating func schedule(_ socket: ReplaySocket) {
        if var play = sockets.removeValue(forKey: socket) {
            let due = play.due()
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
