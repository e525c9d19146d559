import FitIQAPI
import JSON
import WebSocket

/// What goes wrong with an open WebSocket; "the frame" is the one that the rule's point names, a text message of the server's.
///
/// At a ``SocketPoint/byte(_:)`` what ends the connection, `delay` and `dribble` set in at that byte, which is the first that
/// is not sent, or sent late; all else concerns the whole frame. ``SocketFaults`` says how several faults go together.
public enum SocketFault: Sendable, Equatable {
    /// A close frame in place of the frame; without a code an empty one. Any code, those that must not be sent as well.
    case close(code: UInt16?, reason: String)
    /// FIN in place of the frame, without a close frame.
    case finish
    /// RST in place of the frame.
    case reset
    /// From the frame on nothing is sent and nothing read, pings included; the connection stays open.
    case silence
    /// The first bytes of the frame, header included, then FIN, or RST; at a byte, so many more from there.
    case cut(after: Int, reset: Bool)
    /// The frame is masked, which a server must not do (RFC 6455 §5.1).
    case masked
    /// The frame has reserved bits set, 1 to 7: 4 is RSV1 (RFC 6455 §5.2).
    case reservedBits(UInt8)
    /// The last byte of the text is no UTF-8 (RFC 6455 §8.1).
    case invalidUTF8
    /// The message comes in fragments that begin at these bytes of the text, inside a character too.
    ///
    /// Places outside the text are left out.
    case fragments(at: [Int])
    /// The message waits for those that follow, and so many come in one frame, separated by newlines.
    ///
    /// Fewer come where the next message is not meant, an answer ends, the connection closes, or, unless the point names a
    /// type, where the server would say nothing more by itself: after `connected`, `pong`, `error` and meal events.
    case coalesce(count: Int)
    /// The text comes in a binary frame.
    case binary
    /// The frame is not sent.
    case lose
    /// The frame is sent twice.
    case double
    /// The frame is sent after the next one; lost if the connection closes before.
    case swap
    /// So many nanoseconds before the frame, and what follows it.
    case delay(Int64)
    /// The frame in pieces of so many bytes, with so many nanoseconds between.
    case dribble(bytes: Int, every: Int64)
    /// Another text in place of the frame's.
    case replace(text: String)
    /// Times in the frame have nine digits of a second's fraction.
    case nanosecondTimestamps
    /// From the frame on, pings (of both kinds) are not answered: a JSON `pong` that would be the frame is not sent.
    case withholdPong
    /// From the frame on, nothing that the client sends is read.
    case stallReading
}

/// Where on a WebSocket connection a fault sets in.
public enum SocketPoint: Sendable, Equatable {
    /// The server's text messages after the handshake, counted from `connected`, which is the first.
    case frames(Selection)
    /// The messages of this `type`.
    case type(String, Selection)
    /// The chunks of an answer, counted in each answer; of the n-th answer on the connection, or of each.
    ///
    /// A chunk is a `stream_chunk` or an `assistant_message_chunk`. An answer ends with `stream_complete` or
    /// `assistant_message_end`; one that broke off, with the next `assistant_message_start`.
    case chunks(Selection, ofAnswer: Int?)
    /// The n-th byte of the server's text messages, frame headers included, from 1; the frame in which it lies is cut there.
    ///
    /// Counted as they would be sent without faults, and without control frames, whose number depends on the client.
    case byte(Int)
}

/// What goes on the wire in place of one text message: first the transmission, then the close frame.
public struct Outgoing: Sendable, Equatable {
    /// Encoded server frames, whole or cut; often empty.
    public var transmission = Transmission()
    /// A close frame to be sent behind it, with `WebSocket.Connection.closeAnyway`.
    public var close: Close?
    /// What became of messages, for a journal, in the order in which the client has them.
    ///
    /// Among them are messages that waited until now. A message that waits for others is not here: it comes with a later
    /// call of ``SocketFaults/send(_:)``, with ``SocketFaults/close()`` or ``SocketFaults/abandon()``.
    public var messages: [Message] = []
    /// The rules that acted on this message, in their order.
    public var ruleNames: [String] = []
    /// The one of them that ends the connection or silences it; nil where none does.
    public var endingRule: String?

    /// A message whose fate is decided.
    public struct Message: Sendable, Equatable {
        /// The text as the backend sent it.
        public var text: [UInt8]
        /// How much of it the client gets.
        public var extent = Extent.whole
        /// The rules that acted on it, in their order.
        public var ruleNames: [String] = []

        func lost() -> Message { Message(text: text, extent: .nothing, ruleNames: ruleNames) }
    }

    /// How much of a message goes on the wire, sooner or later.
    public enum Extent: Sendable {
        case whole
        /// The beginning of its frame.
        case beginning
        case nothing
    }

    /// What a close frame holds.
    public struct Close: Sendable, Equatable {
        /// The code, which need not be one that may be sent; nil for an empty frame.
        public var code: UInt16?
        public var reason: String

        public init(code: UInt16?, reason: String = "") {
            self.code = code
            self.reason = reason
        }
    }
}

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
