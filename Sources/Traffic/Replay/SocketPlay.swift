import JSON

/// The progress of a WebSocket through its script.
struct SocketPlay: Sendable {
    let entry: Int
    let script: SocketScript
    let settings: ReplaySettings
    let origin: String
    /// Whether the 101 was sent; nothing is due before the 101.
    private var isOpen = false
    /// Whether the recorded server has ended the connection; nothing follows.
    private(set) var isOver = false
    /// When the next step is due; callers that change the play must update it.
    var scheduled: Int64?

    /// The index of the script's next step.
    ///
    /// Lock-step also needs the times at which the previous step happened and was recorded.
    private var cursor = 0
    private var base: Int64 = 0
    private var offset: Int64 = 0
    /// The number of received pings, and of pongs in flight.
    private var pingCount = 0
    private var pongs: [(time: Int64, action: ReplayEffect.Action)] = []
    /// The index of the client's first missing message, and the indices of later messages that have arrived.
    private(set) var nextMessage = 0
    private var early: Set<Int> = []
    private var comeCount = 0
    /// For lock-step, the arrival times of messages that the script has not reached yet.
    private var arrivals: [Int: Int64] = [:]
    /// For a triggered socket, the active runs and the number of used messages of each shape.
    private var runs: [Run] = []
    private var triggerCursors: [ShapeKey: Int] = [:]

    /// The server frames that follow a client message.
    private struct Run: Sendable {
        var cursor: Int
        /// When the run started, and the corresponding recorded time.
        var base: Int64
        var offset: Int64
        /// The client's values in the triggering message, keyed by the recorded values' numbers.
        var own: [Int: ExactString] = [:]
    }

    init(entry: Int, script: SocketScript, settings: ReplaySettings, origin: String) {
        (self.entry, self.script, self.settings, self.origin) = (entry, script, settings, origin)
    }

    mutating func open(at time: Int64) {
        isOpen = true
        base = time
        if settings.frames == .triggered { runs = [Run(cursor: 0, base: time, offset: 0)] }
    }

    /// The number of the client's messages that are still missing.
    var missingCount: Int { script.messages.count - comeCount }

    // MARK: Due steps

    /// When the server's next step is due, or nil if the server is waiting for the client or has finished.
    mutating func due() -> Int64? {
        guard isOpen, !isOver else { return nil }
        let step =
            switch settings.frames {
            case .timed: timedDue()
            case .lockStep: lockStepDue()
            case .triggered: triggeredDue()
            }
        guard let pong = pongs.map(\.time).min() else { return step }
        return min(pong, step ?? pong)
    }

    private mutating func timedDue() -> Int64? {
        while cursor < script.steps.count {
            let step = script.steps[cursor]
            if case .server = step.kind { return base.advanced(capped: settings.played(step.time)) }
            cursor += 1
        }
        return nil
    }

    private mutating func lockStepDue() -> Int64? {
        while cursor < script.steps.count {
            let step = script.steps[cursor]
            switch step.kind {
            case _ where step.isKeepAlive: break
            case .server: return base.advanced(capped: settings.played(step.time - offset))
            case .clientEnds, .ping: return nil
            case .client(let message):
                guard hasCome(message) else { return nil }
                base = max(base, arrivals.removeValue(forKey: message) ?? base)
                offset = step.time
            }
            cursor += 1
        }
        return nil
    }

    private mutating func triggeredDue() -> Int64? {
        let steps = script.steps
        for run in runs.indices {
            while runs[run].cursor < steps.count, steps[runs[run].cursor].isKeepAlive { runs[run].cursor += 1 }
        }
        runs.removeAll { run in
            guard run.cursor < steps.count, case .server = steps[run.cursor].kind else { return true }
            return false
        }
        return runs.map(dueTime).min()
    }

    private func dueTime(_ run: Run) -> Int64 {
        run.base.advanced(capped: settings.played(script.steps[run.cursor].time - run.offset))
    }

    mutating func take(at time: Int64) -> (action: ReplayEffect.Action, own: [Int: ExactString]) {
        if let pong = pongs.firstIndex(where: { $0.time == time }) { return (pongs.remove(at: pong).action, [:]) }
        var step = cursor
        var own: [Int: ExactString] = [:]
        if settings.frames == .triggered {
            guard let run = runs.firstIndex(where: { dueTime($0) == time }) else {
                preconditionFailure("a deadline must belong to a run")
            }
            (step, own) = (runs[run].cursor, runs[run].own)
            runs[run].cursor += 1
        } else {
            cursor += 1
            if settings.frames == .lockStep { (base, offset) = (time, script.steps[step].time) }
        }
        guard case .server(let action) = script.steps[step].kind else {
            preconditionFailure("only the server's actions can be due")
        }
        switch action {
        case .close, .finish, .reset: isOver = true
        case .text, .binary, .ping: break
        }
        return (action, own)
    }

    // MARK: Client messages

    /// Answers an API ping as recorded; returns false if no ping was recorded or too many pongs are in flight.
    mutating func ping(at time: Int64) -> Bool {
        guard let last = script.keepAlives.last, pongs.count < ReplayLimits.runs else { return false }
        let keepAlive = pingCount < script.keepAlives.count ? script.keepAlives[pingCount] : last
        pingCount += 1
        if let pong = keepAlive.pong { pongs.append((time.advanced(capped: settings.played(pong.after)), pong.action)) }
        return true
    }

    /// The index of a client's message: the next message or, unless the order is strict, a message soon after it.
    func message(where fits: (SocketScript.Message) -> Bool) -> Int? {
        var left = settings.match == .strict ? 1 : ReplayLimits.framesAhead
        for index in nextMessage..<script.messages.count where !hasCome(index) {
            if fits(script.messages[index]) { return index }
            left -= 1
            if left == 0 { break }
        }
        return nil
    }

    private func hasCome(_ message: Int) -> Bool { message < nextMessage || early.contains(message) }

    mutating func come(_ message: Int, at time: Int64) {
        if settings.frames == .lockStep { arrivals[message] = time }
        guard !hasCome(message) else { return }
        comeCount += 1
        early.insert(message)
        while early.remove(nextMessage) != nil { nextMessage += 1 }
    }

    /// The message of this shape to trigger: each matching message in turn, and then the last one repeatedly.
    mutating func trigger(_ key: ShapeKey, where fits: (SocketScript.Message) -> Bool) -> Int? {
        guard let messages = script.messagesOfShape[key] else { return nil }
        var cursor = triggerCursors[key] ?? 0
        while cursor < messages.count, hasCome(messages[cursor]) { cursor += 1 }
        triggerCursors[key] = cursor
        for message in messages[cursor...].prefix(ReplayLimits.candidates)
        where !hasCome(message) && fits(script.messages[message]) { return message }
        return messages.reversed().prefix(ReplayLimits.candidates).first { fits(script.messages[$0]) }
    }

    /// Starts sending the frames that followed a message; returns false if too many runs are active.
    mutating func beginRun(after message: Int, at time: Int64, own: [Int: ExactString]) -> Bool {
        guard runs.count < ReplayLimits.runs else { return false }
        let step = script.messages[message].step
        runs.append(Run(cursor: step + 1, base: time, offset: script.steps[step].time, own: own))
        return true
    }
}
