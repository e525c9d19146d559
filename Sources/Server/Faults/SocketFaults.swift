import FitIQAPI
import JSON
import WebSocket

/// What goes wrong on one WebSocket connection: a pipe between the backend's text messages and the wire.
///
/// How an engine uses it, for each message while its own connection may still send:
/// 1. `send` the text, and put the transmission into the output in place of a frame of its own;
/// 2. if there is a ``Outgoing/close``, write it with `closeAnyway` behind that;
/// 3. obey the flags: ``withholdsPongs``, ``stallsReading``, ``isSilent``.
///
/// Before it writes a close frame of another origin, the engine sends what `close()` returns.
///
/// Several faults on one message act so: what changes its text in the order of the rules; loss; swapping; coalescing;
/// framing; doubling; waits. What ends the connection (`close`, `finish`, `reset`, `silence`, `cut`; the first of them)
/// acts at once: a message that waits to be swapped is lost, what waits to be coalesced goes before the end. Messages are
/// counted as they would be without faults, so that a lost one counts and a doubled one counts once.
public struct SocketFaults: Sendable {
    /// A rule that was laid on this connection.
    struct Rule: Sendable {
        let name: ExactString
        let fault: SocketFault
        let point: SocketPoint
        /// Decides `perMille` in the point.
        let chance: Chance
        var isEnabled = true
        /// Whether it was taken out: what is switched by its name now is another rule.
        var isRemoved = false
        /// How many messages of the point's type there were.
        var typeCount = 0
        /// Whether a fault that lasts has begun.
        var hasSetIn = false

        init(name: ExactString, fault: SocketFault, point: SocketPoint, chance: Chance) {
            (self.name, self.fault, self.point, self.chance) = (name, fault, point, chance)
        }
    }

    /// Whether pings of both kinds are left unanswered: set `answersPings` so; the JSON `pong` is dropped here.
    public internal(set) var withholdsPongs = false
    /// Whether nothing that the client sends is to be read.
    public internal(set) var stallsReading = false
    /// Whether nothing is sent and nothing read, and the connection stays open; for good.
    public internal(set) var isSilent = false
    /// Whether nothing more is sent: a fault has ended the connection, or `close()` was called.
    public internal(set) var isOver = false

    var rules: [Rule]
    let seed: UInt64
    var counts = MessageCounts()
    /// The message that is sent after the next one.
    var swapped: Waiting?
    /// The messages that wait to come in one frame.
    var batch: Batch?

    init(rules: [Rule], seed: UInt64) {
        self.rules = rules
        self.seed = seed
    }

    /// The names of the rules on this connection, in their order.
    public var ruleNames: [String] { rules.map(\.name.text) }

    /// Bytes of text that wait for another message; at most ``FaultLimits/waitingBytes`` and one message or two.
    public var waitingByteCount: Int { (batch?.draft.text.count ?? 0) + (swapped?.draft.text.count ?? 0) }

    /// Puts a rule of this connection in force, or out of it; false where none has the name.
    ///
    /// Pongs and reading go on once no rule is in force that stopped them. Silence and ends stay.
    @discardableResult
    public mutating func setEnabled(_ isEnabled: Bool, named name: ExactString) -> Bool {
        guard let index = index(named: name) else { return false }
        rules[index].isEnabled = isEnabled
        updateFlags()
        return true
    }

    /// Takes a rule of this connection out of force for good; false where none has the name.
    @discardableResult
    public mutating func remove(named name: ExactString) -> Bool {
        guard let index = index(named: name) else { return false }
        rules[index].isRemoved = true
        rules[index].isEnabled = false
        updateFlags()
        return true
    }

    /// What becomes of a rule.
    public enum Change: Sendable, Equatable {
        /// It is put in force, or out of it.
        case enabled(Bool)
        /// It is taken out of force for good.
        case removed
    }

    /// Does to each rule of this connection what is asked for its name; false where none has one of the names.
    public mutating func change(_ changes: [ExactString: Change]) -> Bool {
        var isChanged = false
        for index in rules.indices where !rules[index].isRemoved {
            switch changes[rules[index].name] {
            case .enabled(let isEnabled): rules[index].isEnabled = isEnabled
            case .removed: (rules[index].isRemoved, rules[index].isEnabled) = (true, false)
            case nil: continue
            }
            isChanged = true
        }
        if isChanged { updateFlags() }
        return isChanged
    }

    private func index(named name: ExactString) -> Int? { rules.firstIndex { $0.name == name && !$0.isRemoved } }

    /// Ends the connection's messages, and returns what still goes before the close frame.
    ///
    /// Messages that wait to come in one frame are sent; one that waits to be swapped is lost. Empty after a fault has ended
    /// the connection, and from the second call on.
    public mutating func close() -> Outgoing {
        var outgoing = Outgoing()
        guard !isOver else { return outgoing }
        isOver = true
        releaseBatch(into: &outgoing)
        loseSwapped(into: &outgoing)
        return outgoing
    }

    mutating func updateFlags() {
        withholdsPongs = isLasting(.withholdPong)
        stallsReading = isLasting(.stallReading)
    }

    private func isLasting(_ fault: SocketFault) -> Bool {
        rules.contains { $0.isEnabled && $0.hasSetIn && $0.fault == fault }
    }
}
