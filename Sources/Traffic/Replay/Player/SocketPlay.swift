import JSON

/// The progress of a WebSocket through its script.
struct SocketPlay: Sendable {
    let entry: Int
    let script: Int
    let origin: String
    /// Whether the 101 was sent; nothing is due before.
    private(set) var isOpen = false
    /// Whether the recorded server has ended the connection; nothing follows.
    private(set) var isOver = false
    /// When the next step is due; every caller that changes this value must update it.
    var scheduled: Int64?

    /// The next step of the script; for lock-step, when the previous one happened and when it was recorded.
    private var cursor = 0
    private var base: Int64 = 0
    private var offset: Int64 = 0
    /// The number of pings received, and the pongs in flight.
    private var pingCount = 0
    private var pongs: [Pong] = []
    /// The client's first missing message, and the later ones that have arrived, by index.
    private(set) var nextMessage = 0
    private var early: Set<Int> = []
    private(set) var comeCount = 0
    /// For lock-step, when messages arrived that the script has not reached.
    private var arrivals: [Int: Int64] = [:]
    /// For a triggered socket, the active runs and the progress of each shape's messages.
    private var runs: [Run] = []
    private var triggerCursors: [ShapeKey: Int] = [:]

    private struct Pong: Sendable {
        var time: Int64
        var action: ReplayEffect.Action
    }

    /// Frames that follow a message of the client.
    private struct Run: Sendable {
        var cursor: Int
        /// When it began, and the corresponding recorded time.
        var base: Int64
        var offset: Int64
        /// The client's own values in the triggering message, by the numbers of the recorded ones.
        var own: [Int: ExactString] = [:]
    }

    init(entry: Int, script: Int, origin: String) {
        self.entry = entry
        self.script = script
        self.origin = origin
    }

    mutating func open(at time: Int64, order: ReplaySettings.FrameOrder) {
        isOpen = true
        base = time
        if order == .triggered { runs = [Run(cursor: 0, base: time, offset: 0)] }
    }

    // MARK: What is due

    /// When the server's next step is due, or nil if it waits for the client or nothing is left.
    mutating func due(
        _ script: SocketScript, _ order: ReplaySettings.FrameOrder, played: (Int64) -> Int64
    ) -> Int64? {
        guard isOpen, !isOver else { return nil }
        let step: Int64? =
            switch order {
            case .timed: timedDue(script, played)
            case .lockStep: lockStepDue(script, played)
            case .triggered: triggeredDue(script, played)
            }
        guard let pong = pongs.map(\.time).min() else { return step }
        return min(pong, step ?? pong)
    }

    private mutating func timedDue(_ script: SocketScript, _ played: (Int64) -> Int64) -> Int64? {
        while cursor < script.steps.count {
            if case .server = script.steps[cursor].kind {
                return base.advanced(capped: played(script.steps[cursor].time))
            }
            cursor += 1
        }
        return nil
    }

    private mutating func lockStepDue(_ script: SocketScript, _ played: (Int64) -> Int64) -> Int64? {
        while cursor < script.steps.count {
            let step = script.steps[cursor]
            if step.isKeepAlive {
                cursor += 1
                continue
            }
            switch step.kind {
            case .server: return base.advanced(capped: played(step.time - offset))
            case .clientEnds, .ping: return nil
            case .client(let message):
                guard hasCome(message) else { return nil }
                base = max(base, arrivals.removeValue(forKey: message) ?? base)
                offset = step.time
                cursor += 1
            }
        }
        return nil
    }

    private mutating func triggeredDue(_ script: SocketScript, _ played: (Int64) -> Int64) -> Int64? {
        for run in runs.indices {
            while runs[run].cursor < script.steps.count, script.steps[runs[run].cursor].isKeepAlive {
                runs[run].cursor += 1
            }
        }
        runs.removeAll { run in
            guard run.cursor < script.steps.count else { return true }
            if case .server = script.steps[run.cursor].kind { return false }
            return true
        }
        return runs.map { dueTime($0, script, played) }.min()
    }

    private func dueTime(_ run: Run, _ script: SocketScript, _ played: (Int64) -> Int64) -> Int64 {
        run.base.advanced(capped: played(script.steps[run.cursor].time - run.offset))
    }

    /// Takes the step that is due at that time.
    mutating func take(
        at time: Int64, _ script: SocketScript, _ order: ReplaySettings.FrameOrder, played: (Int64) -> Int64
    ) -> (action: ReplayEffect.Action, own: [Int: ExactString]) {
        if let pong = pongs.firstIndex(where: { $0.time == time }) { return (pongs.remove(at: pong).action, [:]) }
        var step = cursor
        var own: [Int: ExactString] = [:]
        if order == .triggered {
            guard let run = runs.firstIndex(where: { dueTime($0, script, played) == time }) else {
                preconditionFailure("a deadline belongs to a run")
            }
            (step, own) = (runs[run].cursor, runs[run].own)
            runs[run].cursor += 1
        } else {
            cursor += 1
            if order == .lockStep { (base, offset) = (time, script.steps[step].time) }
        }
        guard case .server(let action) = script.steps[step].kind else {
            preconditionFailure("only what the server does is due")
        }
        switch action {
        case .close, .finish, .reset: isOver = true
        case .text, .binary, .ping: break
        }
        return (action, own)
    }

    // MARK: What the client sends

    /// Answers a ping of the API as recorded; false if none was recorded or too many pongs are in flight.
    mutating func ping(at time: Int64, _ script: SocketScript, played: (Int64) -> Int64) -> Bool {
        guard let last = script.keepAlives.last, pongs.count < ReplayLimits.runs else { return false }
        let keepAlive = pingCount < script.keepAlives.count ? script.keepAlives[pingCount] : last
        pingCount += 1
        if let pong = keepAlive.pong {
            pongs.append(Pong(time: time.advanced(capped: played(pong.after)), action: pong.action))
        }
        return true
    }

    /// The index of the client's message: the next one or, if messages may come early, one soon after it.
    func message(in script: SocketScript, mayComeEarly: Bool, where fits: (SocketScript.Message) -> Bool) -> Int? {
        var looked = 0
        var index = nextMessage
        while index < script.messages.count, looked < (mayComeEarly ? ReplayLimits.framesAhead : 1) {
            if !hasCome(index) {
                if fits(script.messages[index]) { return index }
                looked += 1
            }
            index += 1
        }
        return nil
    }

    private func hasCome(_ message: Int) -> Bool { message < nextMessage || early.contains(message) }

    /// Records that a message has arrived.
    mutating func come(_ message: Int, at time: Int64, order: ReplaySettings.FrameOrder) {
        if order == .lockStep { arrivals[message] = time }
        guard !hasCome(message) else { return }
        comeCount += 1
        early.insert(message)
        while early.remove(nextMessage) != nil { nextMessage += 1 }
    }

    /// The triggering message of a shape: the matching ones in turn, then the last one repeatedly.
    mutating func trigger(_ key: ShapeKey, in script: SocketScript, where fits: (SocketScript.Message) -> Bool) -> Int?
    {
        guard let messages = script.messagesOfShape[key] else { return nil }
        var cursor = triggerCursors[key] ?? 0
        while cursor < messages.count, hasCome(messages[cursor]) { cursor += 1 }
        triggerCursors[key] = cursor
        for message in messages[cursor...].prefix(ReplayLimits.candidates)
        where !hasCome(message) && fits(script.messages[message]) {
            return message
        }
        return messages.reversed().prefix(ReplayLimits.candidates).first { fits(script.messages[$0]) }
    }

    /// Starts the frames that followed a message; false if too many runs are active.
    mutating func beginRun(
        after message: Int, at time: Int64, own: [Int: ExactString], in script: SocketScript
    ) -> Bool {
        guard runs.count < ReplayLimits.runs else { return false }
        let step = script.messages[message].step
        runs.append(Run(cursor: step + 1, base: time, offset: script.steps[step].time, own: own))
        return true
    }
}

extension Int64 {
    /// The sum, capped at the largest number.
    func advanced(capped span: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(span)
        return overflow ? .max : sum
    }
}
