import JSON
import Traffic

/// Advice that is based on the traffic of a failed case in which the client broke no obligation.
///
/// The advice describes the last exchange, and earlier input that the client ignored.
struct Advice {
    private let entries: [JournalEntry]
    private let isAboutSwift: Bool

    /// - Parameters:
    ///   - entries: The journal of the case.
    ///   - isAboutSwift: Whether the client is written in Swift.
    init(_ entries: [JournalEntry], isAboutSwift: Bool) { (self.entries, self.isAboutSwift) = (entries, isAboutSwift) }

    var sentence: String {
        guard let end = entries.last(where: { $0.event.isOnTheWire })?.event else { return Messages.sentNothing }
        let exchanges = entries.compactMap { if case .exchange(let exchange) = $0.event { exchange } else { nil } }
        let unrepeated = Self.unrepeated(exchanges)
        if let unrepeated, exchanges.last?.hasFailed == true { return unrepeated }
        guard case .exchange(let exchange) = end, let status = exchange.status else {
            return unread ?? unrepeated ?? Messages.lostWithin(isSwift: isAboutSwift)
        }
        if status >= 400 {
            return Messages.refused(exchange.title, status: status, message: exchange.refusal?.message)
        }
        return unread
            ?? Messages.stopped(after: exchange.title, status: status, unrepeated, isSwift: isAboutSwift)
    }

    /// The server's last failure, unless a later attempt by the client succeeded.
    private static func unrepeated(_ exchanges: [RecordedExchange]) -> String? {
        guard let last = exchanges.lastIndex(where: \.hasFailed) else { return nil }
        let failed = exchanges[last]
        guard !exchanges[(last + 1)...].contains(where: { $0.isSameRequest(as: failed) }) else { return nil }
        let tries = exchanges.count { $0.isSameRequest(as: failed) }
        return Messages.notRepeated(failed.title, status: failed.status, tries: tries)
    }

    /// Advice to read the history if a chat was lost and the client did not read the history afterwards.
    private var unread: String? {
        let lost = entries.last { entry in
            // When a consultation is archived, the server closes its sockets with 1000.
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
    /// The method and path without the world, such as `POST /api/v1/goals`.
    fileprivate var title: String {
        let target = head.target.description
        let path = target.firstRange(of: "/api/").map { String(target[$0.lowerBound...]) } ?? target
        return "\(head.method.rawValue) \(path.onOneLine(limit: 100))"
    }

    fileprivate var hasFailed: Bool { (status ?? 500) >= 500 }

    fileprivate func isSameRequest(as other: RecordedExchange) -> Bool {
        head.method == other.head.method
            && ExactString(head.target.description) == ExactString(other.head.target.description)
    }
}

extension JournalEvent {
    /// Whether the client and the server exchanged the entry; false for pings and pongs.
    var isOnTheWire: Bool {
        switch self {
        case .frame(let frame): frame.opcode != .ping && frame.opcode != .pong
        case .exchange, .opened, .closed: true
        case .fault, .clock, .note, .held, .released: false
        }
    }
}
