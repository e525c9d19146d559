import FitIQAPI
import HTTP1
import HTTPTypes
import JSON

/// A session as the journals of its worlds, in time order, for judging.
///
/// An exchange is placed at the completion of its response, a WebSocket's opening at the 101. It omits entries outside
/// the API and those that another program recorded without a response, because they may never have been sent. Time and
/// memory are linear in the session, except for sorting.
public struct SessionJournal: Sendable {
    /// An entry, and the world whose journal contains it.
    public struct Line: Sendable {
        /// The world in the path's `/w/{id}`, or nil if there is none.
        public let world: ExactString?
        /// The entry; numbers begin with 1 in each world.
        public let entry: JournalEntry
    }

    /// The entries of all worlds.
    public let lines: [Line]
    /// Whether control frames and the ends of WebSockets are included; other programs do not record them.
    public let tellsSocketEnds: Bool
    /// Whether requests have their credentials or placeholders; browsers omit them when asked to.
    public let tellsCredentials: Bool

    /// Reads the API entries of a file.
    public init(_ file: HARFile) { self.init(file.session, isWhole: file.isWhole) }

    /// - Parameter isWhole: whether all traffic was recorded.
    init(_ session: Session, isWhole: Bool) {
        let calls = SessionCall.calls(in: session, isWhole: isWhole)
        let tellsCredentials = isWhole || calls.contains { $0.head.fields.contains(.authorization) }
        let users = SessionUsers(calls, areTold: tellsCredentials)
        var drafts: [Draft] = []
        for (index, call) in calls.enumerated() {
            let source = Source(call, connection: UInt64(index + 1), user: users.user(of: call), isWhole: isWhole)
            source.append(to: &drafts)
        }
        tellsSocketEnds = isWhole
        self.tellsCredentials = tellsCredentials
        lines = Self.lines(drafts)
    }

    private static func lines(_ drafts: [Draft]) -> [Line] {
        // Simultaneous entries keep the order of the session.
        let order = drafts.indices.sorted { (drafts[$0].time, $0) < (drafts[$1].time, $1) }
        var numbers: [ExactString?: Int] = [:]
        return order.map { index in
            let draft = drafts[index]
            let number = (numbers[draft.world] ?? 0) + 1
            numbers[draft.world] = number
            let entry = JournalEntry(number: number, time: draft.time, connection: draft.connection, event: draft.event)
            // The same limit as in a journal, so that both are judged alike.
            return Line(world: draft.world, entry: entry.excerpt(bodies: Journal.Limits().body))
        }
    }

    /// An entry before its place is known.
    private struct Draft {
        let time: Timestamp
        let world: ExactString?
        let connection: UInt64
        let event: JournalEvent
    }

    /// A request or a WebSocket, with what is needed to create its entries.
    private struct Source {
        let call: SessionCall
        let connection: UInt64
        let user: ExactString?
        let isWhole: Bool

        init(_ call: SessionCall, connection: UInt64, user: ExactString?, isWhole: Bool) {
            self.call = call
            self.connection = connection
            self.user = user
            self.isWhole = isWhole
        }

        func append(to drafts: inout [Draft]) {
            switch call.entry {
            case .exchange(let exchange): append(exchange, to: &drafts)
            case .socket(let socket): append(socket, to: &drafts)
            }
        }

        private func add(_ event: JournalEvent, at time: Timestamp, to drafts: inout [Draft]) {
            drafts.append(Draft(time: time, world: call.world, connection: connection, event: event))
        }

        private func append(_ exchange: SessionExchange, to drafts: inout [Draft]) {
            let response = exchange.response
            var recorded = RecordedExchange(
                head: call.head, requestedAt: exchange.started, endpoint: call.endpoint, user: user,
                unmatched: call.endpoint != nil ? nil : call.route == nil ? .unknownPath : .wrongMethod,
                status: response?.status,
                delivery: response.map { $0.isComplete ? .complete : .partial } ?? .none)
            recorded.body = body(exchange.request.body, isExpected: [.post, .put, .patch].contains(call.head.method))
            if let response {
                let isExpected = call.head.method != .head && response.status != 204 && response.status != 304
                recorded.responseBody = body(response.body, isExpected: isExpected)
            }
            let answered = exchange.started.advanced(byNanoseconds: max(0, exchange.lasted))
            add(.exchange(recorded), at: answered, to: &drafts)
        }

        /// A body; one that is missing from another program's file counts as truncated if there must have been one.
        private func body(_ body: RecordedBody?, isExpected: Bool) -> RecordedBody {
            let body = body ?? RecordedBody()
            return body.byteCount == 0 && isExpected && !isWhole ? RecordedBody([], of: 1) : body
        }

        private func append(_ socket: SessionSocket, to drafts: inout [Draft]) {
            var time = max(socket.started, socket.opened)
            // Browsers truncate the start to milliseconds: what led to the handshake may seem to come after it.
            let started = isWhole ? socket.started : min(time, socket.started.advanced(byNanoseconds: 1_000_000))
            let opening = RecordedOpening(
                head: call.head, requestedAt: started, endpoint: call.endpoint, user: user)
            add(.opened(opening), at: time, to: &drafts)
            var closing = SessionClosing()
            for (index, frame) in socket.frames.enumerated() {
                time = max(time, frame.time)
                add(.frame(frame.value), at: time, to: &drafts)
                closing.observe(frame.value)
                guard closing.isOver else { continue }
                // Nothing after the end counts, except the other side's close frame.
                for frame in socket.frames[(index + 1)...] { closing.observe(frame.value) }
                return add(.closed(closing.recorded), at: time, to: &drafts)
            }
            guard let ending = socket.ending else { return }
            add(.closed(closing.recorded(ending.value)), at: max(time, ending.time), to: &drafts)
        }
    }
}
