import JSON
import WebSocket

extension ValueComparison {
    /// The differences between two aligned entries.
    func changes(
        _ first: (entry: SessionExchange, url: RequestURL), _ second: (entry: SessionExchange, url: RequestURL)
    ) -> [SessionChange] {
        var comparison = self
        if !isSamePath(first.url, second.url) {
            comparison.note("path", quoted(first.url.path), quoted(second.url.path))
        }
        comparison.compareQueries(first.url, second.url)
        let (first, second) = (first.entry, second.entry)
        precondition(first.isSocket == second.isSocket, "a WebSocket and a request have different keys")
        if first.isSocket {
            comparison.compareSockets(first, second)
        } else {
            if !first.request.hasUnknownBody, !second.request.hasUnknownBody {
                comparison.compare(first.request, second.request)
            }
            comparison.compare(first.response, second.response)
        }
        return comparison.changes
    }

    fileprivate mutating func compare(_ first: SessionResponse?, _ second: SessionResponse?) {
        let (status, other) = (first.map { String($0.status) }, second.map { String($0.status) })
        if status != other { note("status", status ?? Messages.silence, other ?? Messages.silence) }
        guard let first, let second else { return }
        let (type, otherType) = (Self.mediaType(first), Self.mediaType(second))
        if type != otherType { note("response.content-type", type, otherType) }
        compare(first.body, second.body, at: "response.body")
        if first.isComplete != second.isComplete {
            note("response", Messages.completeness(first.isComplete), Messages.completeness(second.isComplete))
        }
    }

    /// The media type without parameters, which tools omit.
    private static func mediaType(_ response: SessionResponse) -> String? {
        guard let value = response.fields.value(of: "content-type") else { return nil }
        return String(value.prefix { $0 != ";" }.filter { $0 != " " }).lowercased()
    }

    fileprivate mutating func compareSockets(_ first: SessionExchange, _ second: SessionExchange) {
        let left = first.frames.filter { !$0.opcode.isControl }
        let right = second.frames.filter { !$0.opcode.isControl }
        let alignment = Alignment(left.map(FrameKey.init), right.map(FrameKey.init))
        for pair in alignment.pairs {
            let frame = left[pair.first]
            compare(frame.payload, right[pair.second].payload, at: Self.place(frame, pair.first))
        }
        for index in alignment.onlyFirst {
            note(Self.place(left[index], index), Self.excerpt(left[index].payload), nil)
        }
        for index in alignment.onlySecond {
            note(Self.place(right[index], index), nil, Self.excerpt(right[index].payload))
        }
        // Browsers and proxies record no ends: an unknown end is not a difference.
        guard let end = first.endingText, let otherEnd = second.endingText, !end.isExactly(otherEnd) else { return }
        note("end", end, otherEnd)
    }

    private static func place(_ frame: SessionFrame, _ index: Int) -> String {
        "message \(index + 1) \(frame.sender == .client ? "→" : "←")"
    }
}

extension SessionExchange {
    /// The first close frame, or how the transport ended, or nil if neither was recorded.
    fileprivate var endingText: String? {
        if let close = frames.first(where: { $0.opcode == .close }) {
            return Messages.sent(Messages.close(close.payload.bytes), by: close.sender)
        }
        return ending.map(Messages.describe)
    }
}

/// Identifies messages by their sender, and by their type if they are JSON objects with one.
private struct FrameKey: Hashable {
    let sender: Party
    let opcode: Opcode
    let type: ExactString?

    init(_ frame: SessionFrame) {
        sender = frame.sender
        opcode = frame.opcode
        type = frame.opcode == .text ? (try? JSON.parse(frame.payload.bytes))?["type"]?.exactString : nil
    }
}
