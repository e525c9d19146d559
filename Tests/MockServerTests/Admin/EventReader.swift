import TestSupport

@testable import MockServer

/// Reads the parts of `text/event-stream` that the admin API uses, in chunks (HTML Living Standard §9.2.6).
struct EventReader {
    struct Event: Equatable {
        var id = ""
        var name = "message"
        var data = ""
    }

    let wire: VirtualClient
    private(set) var head = ""
    private(set) var comments: [String] = []
    private(set) var retry: String?
    /// The world descriptions at the start and after each restart, which ``take()`` does not return.
    private(set) var worlds: [String] = []
    private(set) var isFinished = false
    private var text: [UInt8] = []
    private var rest: [UInt8] = []

    init(_ network: VirtualNetwork, _ path: String = "events", lastID: String? = nil, window: Int = .max) throws {
        wire = try network.open(window: window)
        wire.send(
            Request(target: "/__admin/" + path, fields: lastID.map { ["Last-Event-ID: \($0)"] } ?? []).bytes)
    }

    /// The events that have arrived since the last call.
    mutating func take() -> [Event] {
        rest += wire.takeReceived()
        if head.isEmpty, let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) {
            head = String(decoding: rest[..<end.lowerBound], as: UTF8.self)
            rest = Array(rest[end.upperBound...])
        }
        while !head.isEmpty, let line = rest.firstRange(of: [0x0D, 0x0A]) {
            let size = Int(String(decoding: rest[..<line.lowerBound], as: UTF8.self), radix: 16) ?? 0
            guard rest.count >= line.upperBound + size + 2 else { break }
            if size == 0 { isFinished = true }
            text += rest[line.upperBound..<(line.upperBound + size)]
            rest = Array(rest[(line.upperBound + size + 2)...])
        }
        var events: [Event] = []
        while let end = text.firstRange(of: [0x0A, 0x0A]) {
            var event = Event()
            var data: [Substring] = []
            for line in String(decoding: text[..<end.lowerBound], as: UTF8.self).split(separator: "\n") {
                let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                let value = parts[1].hasPrefix(" ") ? parts[1].dropFirst() : parts[1]
                switch parts[0] {
                case "": comments.append(String(value))
                case "id": event.id = String(value)
                case "event": event.name = String(value)
                case "data": data.append(value)
                case "retry": retry = String(value)
                default: break
                }
            }
            event.data = data.joined(separator: "\n")
            if event.name == "world" {
                worlds.append(event.data)
            } else if !data.isEmpty {
                events.append(event)
            }
            text = Array(text[end.upperBound...])
        }
        return events
    }
}
