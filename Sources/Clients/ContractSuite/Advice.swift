import FitIQAPI
import JSON
import Text
import Traffic

/// What the traffic of a failed case tells the client's author, if the client broke no obligation.
///
/// Only the first that applies is told: each explains what follows it.
struct Advice {
    private let entries: [JournalEntry]
    private let language: String?

    /// - Parameters:
    ///   - entries: the journal of the case.
    ///   - language: the language that the client is written in, if known.
    init(_ entries: [JournalEntry], language: String?) {
        self.entries = entries
        self.language = language
    }

    var sentence: String {
        guard entries.contains(where: { $0.event.isOnTheWire }) else { return Messages.sentNothing }
        return unrepeated ?? refusal ?? unread ?? Messages.lostWithin(isSwift: language?.lowercased() == "swift")
    }

    private var exchanges: [RecordedExchange] {
        entries.compactMap { if case .exchange(let exchange) = $0.event { exchange } else { nil } }
    }

    /// The last failure of the server, if the client did not get past it.
    private var unrepeated: String? {
        let exchanges = exchanges
        guard let last = exchanges.lastIndex(where: { ($0.status ?? 500) >= 500 }) else { return nil }
        let failed = exchanges[last]
        let tries = exchanges.filter { $0.isSameRequest(as: failed) }
        // A later try that succeeded makes up for it.
        guard exchanges[last...].dropFirst().allSatisfy({ !$0.isSameRequest(as: failed) }) else { return nil }
        return Messages.notRepeated(failed.title, status: failed.status, tries: tries.count)
    }

    /// The last exchange, if it was a refusal and nothing came after it.
    private var refusal: String? {
        guard case .exchange(let exchange) = entries.last(where: { $0.event.isOnTheWire })?.event,
            let status = exchange.status, status >= 400
        else { return nil }
        let message = (try? JSON.parse(exchange.responseBody.bytes))?["error"]?["message"]?.string
        return Messages.refused(exchange.title, status: status, message: message)
    }

    /// The history, if a chat was lost and the client did not read it afterwards.
    private var unread: String? {
        let lost = entries.last { entry in
            // It closes the sockets of an archived consultation with 1000.
            guard case .closed(let closing) = entry.event, closing.party == .server,
                closing.summary.sent?.code?.rawValue != 1000
            else { return false }
            return entries.contains { opening in
                guard opening.connection == entry.connection, case .opened(let opening) = opening.event else {
                    return false
                }
                return opening.endpoint == .webSocket
            }
        }
        guard let lost else { return nil }
        let isRead = entries.contains { entry in
            guard entry.number > lost.number, case .exchange(let exchange) = entry.event else { return false }
            return exchange.endpoint == .listMessages && exchange.status == 200
        }
        return isRead ? nil : Messages.historyUnread
    }
}

extension RecordedExchange {
    /// `POST /api/v1/goals`, without the world.
    fileprivate var title: String {
        let target = head.target.description
        let path = target.firstRange(of: "/api/").map { String(target[$0.lowerBound...]) } ?? target
        return "\(head.method.rawValue) \(path.onOneLine(limit: 100))"
    }

    fileprivate func isSameRequest(as other: RecordedExchange) -> Bool {
        head.method == other.head.method
            && ExactString(head.target.description) == ExactString(other.head.target.description)
    }
}

extension JournalEvent {
    /// Whether it went between client and server, and is more than a sign of life.
    var isOnTheWire: Bool {
        switch self {
        case .frame(let frame): frame.opcode != .ping && frame.opcode != .pong
        case .exchange, .opened, .closed: true
        case .fault, .clock, .note, .held, .released: false
        }
    }

    /// Whether it is a ping or a pong, as a control frame or as one of the API.
    var isSignOfLife: Bool {
        guard case .frame(let frame) = self else { return false }
        // The longest: {"type":"pong","timestamp":"2025-01-29T10:30:00Z"}.
        guard frame.opcode == .text, frame.payload.byteCount <= 100 else { return !isOnTheWire }
        let type = (try? JSON.parse(frame.payload.bytes))?["type"]?.string
        return type == "ping" || type == "pong"
    }
}
