import FitIQAPI
import JSON
import WebSocket

/// A fault injected into an open WebSocket; "the frame" means the server text message at the rule's point.
///
/// At a ``SocketPoint/byte(_:)``, `delay`, `dribble` and faults that end the connection (except `end`) start at that
/// byte, which is the first byte lost or delayed. All other faults affect the whole frame. ``SocketFaults`` describes
/// how several faults combine.
public enum SocketFault: Sendable, Equatable {
    /// The server sends a close frame instead of the frame, empty if there is no code; any code is possible, even a
    /// forbidden one.
    case close(code: UInt16?, reason: String)
    /// The server sends FIN instead of the frame, and no close frame.
    case finish
    /// The server sends RST instead of the frame.
    case reset
    /// From this frame on, the server sends and reads nothing, not even pings; the connection stays open.
    case silence
    /// The server sends the first bytes of the frame, header included, then FIN or RST; if the fault starts at a byte,
    /// the count starts there.
    case cut(after: Int, reset: Bool)
    /// The server sends the whole frame, even if the fault starts at a byte, waits this many nanoseconds, and ends the
    /// connection; later messages are not sent.
    ///
    /// During the wait, the connection is open, and the server reads input.
    case end(Ending, after: Int64)
    /// The frame is masked, which a server must not do (RFC 6455 §5.1).
    case masked
    /// The frame has reserved bits set, 1 to 7: 4 is RSV1 (RFC 6455 §5.2).
    case reservedBits(UInt8)
    /// The last byte of the text is not valid UTF-8 (RFC 6455 §8.1).
    case invalidUTF8
    /// The message comes in fragments that begin at these bytes of the text, even inside a character; offsets outside
    /// the text are ignored.
    case fragments(at: [Int])
    /// Non-ASCII characters are sent as JSON escapes, `\uXXXX`; characters beyond U+FFFF need two escapes (RFC 8259
    /// §7).
    ///
    /// The escapes change the text, so fragments can begin inside an escape or between the two escapes of a pair.
    case escape
    /// The message waits for later messages, so that this many messages share one frame, separated by newlines.
    ///
    /// Fewer messages share the frame if the next message is not selected, an answer ends, or the connection closes.
    /// Unless the point has a type, the frame also ends after `connected`, `pong`, `error` and meal events, because the
    /// server sends nothing on its own after them.
    case coalesce(count: Int)
    case binary
    case lose
    case double
    /// The frame is sent after the next one, or lost if the connection closes first.
    case swap
    /// The frame and later output are delayed by this many nanoseconds.
    case delay(Int64)
    /// The frame is sent in pieces of this many bytes, at intervals in nanoseconds.
    case dribble(bytes: Int, every: Int64)
    /// The frame has this text instead of its own.
    case replace(text: String)
    /// An extra text message is sent before the frame; rules do not count the extra message.
    case insert(text: String)
    /// Times in the frame have nine fractional digits.
    case nanosecondTimestamps
    /// From this frame on, the server answers neither protocol nor JSON pings; if the frame is a JSON `pong`, it is not
    /// sent.
    case withholdPong
    /// From this frame on, the server reads nothing from the client.
    case stallReading
    /// This frame and all later frames in the same direction wait until an operator releases them.
    ///
    /// At a point that selects frames or a type, the breakpoint may also hold the client's messages, which it counts
    /// separately.
    case hold(Hold)

    /// The message is compressed incorrectly or in an unusual way; on a socket that does not use compression, only
    /// ``CompressionFault/undeclared`` takes effect.
    case compression(CompressionFault)

    /// How a connection ends without a close frame.
    public enum Ending: String, Sendable, CaseIterable { case finish, reset, silence }
}

/// The point on a WebSocket connection where a fault starts.
public enum SocketPoint: Sendable, Equatable {
    /// The server's text messages after the handshake; `connected` is the first one.
    case frames(Selection)
    /// The messages of this `type`.
    case type(String, Selection)
    /// The chunks of the connection's n-th answer, or of every answer, counted per answer.
    ///
    /// A chunk is a `stream_chunk` or an `assistant_message_chunk`. An answer ends with `stream_complete` or
    /// `assistant_message_end`; an interrupted answer ends with the next `assistant_message_start`.
    case chunks(Selection, ofAnswer: Int?)
    /// The n-th byte of the server's text messages, from 1 and including frame headers; the frame is cut at this byte.
    ///
    /// Bytes are counted as if there were no faults; control frames are not counted, because their number depends on
    /// the client.
    case byte(Int)
}

/// The wire output for one text message: the transmission, then the close frame.
public struct Outgoing: Sendable, Equatable {
    /// Encoded server frames, whole or cut; often there are none.
    public var transmission = Transmission()
    /// A close frame to send afterwards, with `WebSocket.Connection.closeAnyway`.
    public var close: Close?
    /// The outcomes of messages, for a journal, in the order in which the client receives them.
    ///
    /// The outcomes include messages that waited until now. A message that is still waiting for others appears in a
    /// later result of ``SocketFaults/send(_:)``, ``SocketFaults/close()`` or ``SocketFaults/abandon()``.
    public var messages: [Message] = []
    /// The rules that took effect on this message, in order.
    public var ruleNames: [String] = []
    /// The rule that ends or silences the connection, if any.
    public var endingRule: String?
    /// The lasting faults that start with this message, in order, one per rule.
    public var setIn: [LastingFault] = []
    /// The message held by a breakpoint; call ``SocketFaults/release(_:)`` for it.
    public var held: Held?

    /// A message that a breakpoint holds back.
    public struct Held: Sendable, Equatable {
        public let breakpoint: Breakpoint
        public let text: [UInt8]
        /// When the message arrived, by the world's clock.
        public let time: Timestamp
    }

    /// A fault that affects the connection, starting with a message.
    public struct LastingFault: Sendable, Equatable {
        /// `withholdPong` or `stallReading`.
        public let fault: SocketFault
        public let ruleName: String
    }

    /// A message whose outcome is final.
    public struct Message: Sendable, Equatable {
        public var text: [UInt8]
        public var extent = Extent.whole
        /// The payload's size on the wire, if the message is compressed and alone in its frame.
        public var compressedSize: Int?
        /// The rules that took effect on it, in order.
        public var ruleNames: [String] = []

        func lost() -> Message { Message(text: text, extent: .nothing, ruleNames: ruleNames) }
    }

    /// The part of a message that is sent, now or later.
    public enum Extent: Sendable {
        case whole
        /// The start of its frame.
        case beginning
        case nothing
    }

    public struct Close: Sendable, Equatable {
        /// The code, possibly a forbidden one; nil for an empty frame.
        public var code: UInt16?
        public var reason = ""
    }
}

/// The faults injected into one WebSocket connection: a pipe between the backend's text messages and the wire.
///
/// For each message, while the WebSocket connection may still send, the engine must
/// 1. call `send` with the text, and write the transmission to the output instead of a frame;
/// 2. then write the ``Outgoing/close`` with `closeAnyway`, if any;
/// 3. obey the flags ``withholdsPongs``, ``stallsReading`` and ``isSilent``.
///
/// Before any other close frame, the engine must send the result of `close()`.
///
/// Several faults on one message take effect in this order: changes to its text in rule order; loss; swapping;
/// coalescing; framing; doubling; waits. Only the first fault that ends the connection (`close`, `finish`, `reset`,
/// `silence`, `cut`, `end`) takes effect, and it does so immediately. A message that waits for swapping is lost, and
/// messages that wait for coalescing are sent before the end. Faults do not affect message counts: a lost message
/// counts, and a doubled message counts once.
public struct SocketFaults: Sendable {
    struct Rule: Sendable {
        /// The data that a rule's sockets share, because one call can add 1,000 rules to every open socket.
        final class Shared: Sendable {
            let name: ExactString
            let fault: SocketFault
            let point: SocketPoint

            init(name: ExactString, fault: SocketFault, point: SocketPoint) {
                (self.name, self.fault, self.point) = (name, fault, point)
            }
        }

        private let shared: Shared
        /// The chance for the point's `perMille`.
        let chance: Chance
        var typeCount = 0
        /// The number of the client's messages that have the point's type.
        var clientTypeCount = 0
        var isEnabled: Bool
        /// Whether the rule was removed, in which case another rule may now have its name.
        var isRemoved = false
        /// Whether a lasting fault has started.
        var hasSetIn = false

        init(_ shared: Shared, chance: Chance, isEnabled: Bool = true) {
            (self.shared, self.chance, self.isEnabled) = (shared, chance, isEnabled)
        }

        var name: ExactString { shared.name }
        var fault: SocketFault { shared.fault }
        var point: SocketPoint { shared.point }
    }

    /// Whether the server leaves protocol and JSON pings unanswered: set `answersPings` accordingly; ``send(_:at:)``
    /// drops the JSON `pong`.
    public internal(set) var withholdsPongs = false
    public internal(set) var stallsReading = false
    /// Whether the server has stopped sending and reading while the connection stays open.
    public internal(set) var isSilent = false
    /// Whether the server has stopped sending: a fault ended the connection, or `close()` was called.
    public internal(set) var isOver = false
    var rules: [Rule]
    let seed: UInt64
    /// The window size for compressed messages as a power of 2, from 8 to 15; nil if messages are not compressed.
    ///
    /// Each message is compressed separately, so that faults can lose, repeat and reorder it. A message whose frames
    /// are changed or cut by a rule is not compressed, so that the rule's offsets are valid.
    public var windowBits: Int?
    var counts = MessageCounts()
    /// The message that is waiting to be sent after the next message.
    var swapped: Waiting?
    /// The messages that are waiting for a shared frame.
    var batch: Batch?
    /// The messages that are waiting for an operator, oldest first.
    var held: [HeldMessage] = []
    var heldByteCount = 0
    /// Whether a breakpoint holds the first waiting message.
    public internal(set) var isHolding = false
    /// The name of the gate that stops all messages; nil if it is open.
    var gateName: String?
    public var isGated: Bool { gateName != nil }
    /// The breakpoints that hold the next server message and the next client message.
    var stepping: Breakpoint?
    var clientStepping: Breakpoint?
    /// The number of the client's messages.
    var clientCount = 0

    /// Creates the pipe for a socket that has no rules.
    ///
    /// - Parameter seed: The seed for the digits of times.
    public init(seed: UInt64) { self.init(rules: [], seed: seed) }

    init(rules: [Rule], seed: UInt64) { (self.rules, self.seed) = (rules, seed) }

    /// The total size of waiting messages: up to ``FaultLimits/waitingBytes``, plus one or two more messages and the
    /// held messages.
    public var waitingByteCount: Int {
        (batch?.draft.text.count ?? 0) + (swapped?.draft.text.count ?? 0) + heldByteCount
    }
    /// The total size of messages that are waiting for an operator.
    public var heldBytes: Int { heldByteCount }

    public enum Change: Sendable, Equatable {
        case enabled(Bool)
        /// The rule is permanently disabled.
        case removed
    }

    /// Changes to rules, by name.
    public struct Changes: ExpressibleByDictionaryLiteral, Sendable {
        fileprivate let list: [(name: ExactString, change: Change)]
        fileprivate let places: [ExactString: Int]

        /// - Parameter list: A list in which each name appears once, preferably in the order of the rules.
        public init(_ list: [(ExactString, Change)]) {
            self.list = list
            places = Dictionary(uniqueKeysWithValues: list.indices.map { (list[$0].0, $0) })
        }

        public init(dictionaryLiteral elements: (ExactString, Change)...) { self.init(elements) }
    }

    /// Applies changes to this connection's rules by name; returns false if none of the names belongs to a rule.
    ///
    /// Pongs and reading resume when no enabled rule stops them. Silence and the end of a connection are permanent.
    public mutating func change(_ changes: Changes) -> Bool {
        var (isChanged, place) = (false, 0)
        for index in rules.indices where !rules[index].isRemoved {
            // The name usually belongs to the next rule; a search would hash the name for each rule of each socket.
            if place == changes.list.count || changes.list[place].name != rules[index].name {
                guard changes.list.count > 1, let found = changes.places[rules[index].name] else { continue }
                place = found
            }
            switch changes.list[place].change {
            case .enabled(let isEnabled): rules[index].isEnabled = isEnabled
            case .removed: (rules[index].isRemoved, rules[index].isEnabled) = (true, false)
            }
            (isChanged, place) = (true, place + 1)
        }
        if isChanged { updateFlags() }
        return isChanged
    }

    /// Ends the connection's messages, and returns the output to send before the close frame.
    ///
    /// Held messages and messages that wait for a shared frame are sent; a message that waits for swapping is lost. The
    /// result is empty if a fault has ended the connection, and on repeated calls.
    public mutating func close() -> Outgoing {
        var outgoing = Outgoing()
        guard !isOver else { return outgoing }
        flush(into: &outgoing)
        isOver = true
        releaseBatch(into: &outgoing)
        loseSwapped(into: &outgoing)
        return outgoing
    }

    mutating func updateFlags() {
        withholdsPongs = isLasting(.withholdPong)
        stallsReading = isGated || isLasting(.stallReading)
    }

    private func isLasting(_ fault: SocketFault) -> Bool {
        rules.contains { $0.isEnabled && $0.hasSetIn && $0.fault == fault }
    }
}

/// Messages that are waiting for an operator, at a breakpoint or at a gate that stops the whole socket.
extension SocketFaults {
    /// A waiting server message, with the changes that rules have made so far.
    struct HeldMessage: Sendable {
        var plan: Plan
        let message: ServerText
        var text: [UInt8]
        var ruleNames: [String]
        /// When the message arrived, by the world's clock.
        let time: Timestamp
    }

    /// The message that a breakpoint holds; nil if there is none.
    public var heldMessage: (payload: [UInt8], isText: Bool)? {
        guard isHolding, let first = held.first else { return nil }
        return (first.plan.draft.text, first.plan.draft.opcode == .text)
    }

    /// The number of messages that are waiting behind the held one.
    public var behindCount: Int { max(0, held.count - 1) }

    /// Stops all messages, and reading from the client, until ``ungate()``.
    ///
    /// - Parameter name: A name to list among the rules of each waiting message.
    public mutating func gate(named name: String = "by hand") {
        gateName = name
        updateFlags()
    }

    /// Opens the gate and returns the messages that were waiting.
    public mutating func ungate() -> Outgoing {
        var outgoing = Outgoing()
        gateName = nil
        updateFlags()
        drain(into: &outgoing)
        return outgoing
    }

    /// Releases the held message and later messages up to the next breakpoint.
    ///
    /// - Parameters:
    ///   - text: The new text of the message, or nil to keep its text.
    ///   - steps: Whether to hold the next message too.
    ///   - isDeclined: Whether the message passes as if there were no breakpoint, because of the limit or a disabled
    ///     rule.
    public mutating func release(
        text: [UInt8]? = nil, isLost: Bool = false, steps: Bool = false, isDeclined: Bool = false
    ) -> Outgoing {
        var outgoing = Outgoing()
        guard isHolding, let breakpoint = held.first?.plan.breakpoint else { return outgoing }
        isHolding = false
        held[0].plan.breakpoint = nil
        if !isDeclined { held[0].note(breakpoint.name.text) }
        if steps { stepping = breakpoint }
        if let text {
            heldByteCount += text.count - held[0].plan.draft.text.count
            (held[0].plan.draft.text, held[0].text) = (text, text)
        }
        if isLost { (held[0].plan.ending, held[0].plan.isLost) = (nil, true) }
        drain(into: &outgoing, first: true)
        return outgoing
    }

    /// Whether a message must wait for an operator or an earlier message.
    func waits(_ plan: Plan) -> Bool { plan.breakpoint != nil || isGated || !held.isEmpty }

    mutating func wait(_ message: HeldMessage, into outgoing: inout Outgoing) {
        var message = message
        if let name = isHolding ? held.first?.plan.breakpoint?.name.text : gateName { message.note(name) }
        held.append(message)
        heldByteCount += message.plan.draft.text.count
        if held.count == 1 { drain(into: &outgoing) }
    }

    /// Sends waiting messages up to the next breakpoint.
    ///
    /// - Parameter first: Whether the first message was just released, so that no step holds it again.
    private mutating func drain(into outgoing: inout Outgoing, first: Bool = false) {
        var count = 0
        while !isHolding, !isGated, !isOver, count < held.count {
            if let stepping, !(first && count == 0), !held[count].plan.isLost {
                held[count].plan.breakpoint = held[count].plan.breakpoint ?? stepping
                self.stepping = nil
            }
            if let breakpoint = held[count].plan.breakpoint {
                isHolding = true
                outgoing.held = .init(breakpoint: breakpoint, text: held[count].plan.draft.text, time: held[count].time)
            } else {
                heldByteCount -= held[count].plan.draft.text.count
                emit(held[count], into: &outgoing)
                count += 1
            }
        }
        held.removeFirst(count)
        // Nothing can be sent after the connection has ended.
        if isOver { (held, heldByteCount) = ([], 0) }
    }

    /// Sends waiting messages, because the connection is closing; a message that would have ended the connection is
    /// lost.
    mutating func flush(into outgoing: inout Outgoing) {
        for var message in takeHeld() {
            if message.plan.ending != nil { message.plan.isLost = true }
            (message.plan.ending, message.plan.breakpoint) = (nil, nil)
            emit(message, into: &outgoing)
        }
    }

    /// Removes and returns the waiting messages.
    mutating func takeHeld() -> [HeldMessage] {
        if isHolding, let name = held.first?.plan.breakpoint?.name.text { held[0].note(name) }
        defer { (held, heldByteCount, isHolding, stepping) = ([], 0, false, nil) }
        return held
    }

    /// The type of a message in either direction; nil if the message has no type or a type of more than 64 bytes.
    public static func type(ofMessage text: [UInt8]) -> String? { ServerText(text).type }

    // MARK: Client messages

    /// Counts a client message, and returns the breakpoint that holds the message, if any.
    ///
    /// Rules count client messages and server messages separately.
    ///
    /// - Parameter isText: Whether the message is a text message, which may have a type.
    public mutating func receive(_ payload: [UInt8], isText: Bool) -> Breakpoint? {
        clientCount += 1
        var breakpoint = clientStepping
        clientStepping = nil
        var message: ServerText?
        for index in rules.indices where rules[index].isEnabled {
            guard case .hold(let hold) = rules[index].fault, hold.fromClient else { continue }
            let chance = rules[index].chance.mixing(UInt64(clientCount))
            switch rules[index].point {
            case .frames(let selection):
                guard selection.contains(clientCount, chance) else { continue }
            case .type(let type, let selection):
                if isText, message == nil { message = ServerText(payload) }
                guard message?.type == type else { continue }
                rules[index].clientTypeCount += 1
                guard selection.contains(rules[index].clientTypeCount, chance) else { continue }
            case .chunks, .byte: continue
            }
            if breakpoint == nil, hold.concerns(payload) { breakpoint = .init(name: rules[index].name, hold: hold) }
        }
        return breakpoint
    }

    /// Holds the client's next message.
    public mutating func holdNextFromClient(_ breakpoint: Breakpoint) { clientStepping = breakpoint }

    /// Holds the server's next message.
    public mutating func holdNextFromServer(_ breakpoint: Breakpoint) { stepping = breakpoint }
}

extension SocketFaults.HeldMessage {
    /// Adds a rule that took effect on the message, unless it is already present.
    mutating func note(_ name: String) {
        if !ruleNames.contains(where: { $0.utf8.elementsEqual(name.utf8) }) { ruleNames.append(name) }
    }
}
