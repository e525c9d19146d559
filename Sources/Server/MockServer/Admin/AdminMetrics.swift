import FitIQAPI
import Traffic

/// Metrics in the Prometheus text format.
extension AdminCall {
    /// `GET /__admin/metrics`: gauges of the current state, and counters since the server started.
    func metrics() -> Answer {
        var text = MetricsText()
        let (counts, worlds, connections) = (engine.recorder.counts, engine.worlds, engine.connections)
        let all = [worlds.main] + Array(worlds.values)
        text.gauge("build_info", "The version, as a label.", [([("version", Version.current)], 1)])
        let lasted = now.nanoseconds(since: engine.startedAt) / 1_000_000_000
        text.gauge("uptime_seconds", "Time since the server started.", Int(lasted))
        text.gauge("connections", "Open connections.", connections.count)
        text.gauge("web_sockets", "Open WebSockets.", connections.webSocketCount)
        text.gauge("held_bytes", "Memory held by connections, in bytes.", connections.heldBytes)
        text.gauge(
            "held_things", "Requests, responses, handshakes and frames held by breakpoints.",
            all.reduce(0) { $0 + ($1.live?.holds.things.count ?? 0) })
        text.gauge("worlds", "Worlds, including the default world.", all.count)
        text.counter("worlds_made_total", "Worlds created.", [([], worlds.madeCount)])
        text.gauge("stored_bytes", "The state of all worlds, as JSON.", worlds.storedBytes)
        text.gauge("journal_bytes", "The journals of all worlds.", worlds.journalWeight)
        text.gauge("journal_entries", "Entries in the journals.", all.reduce(0) { $0 + $1.journal.count })
        let (backend, kind) = (worlds.main.backend, "kind")
        text.gauge(
            "default_world_entities", "Entities in the default world.",
            [
                ([(kind, "users")], backend.userCount), ([(kind, "consultations")], backend.consultationCount),
                ([(kind, "goals")], backend.goalCount), ([(kind, "meal_logs")], backend.mealLogCount),
            ])
        text.counter(
            "requests_total", "Requests to the API, by operation and status class.",
            counts.requests.counts.map { request, count in
                let status = request.statusClass.map { "\($0)xx" } ?? "none"
                return ([("endpoint", request.endpoint?.name ?? "none"), ("status", status)], count)
            })
        text.counter("request_body_bytes_total", "Request bodies.", [([], counts.requestBytes)])
        text.counter("response_body_bytes_total", "Answer bodies.", [([], counts.responseBytes)])
        text.counter("refusals_total", "Connections refused because of their input.", [([], counts.refusals)])
        text.counter(
            "frames_total", "WebSocket frames, as in the journal.",
            counts.frames.counts.map { frame, count in
                ([("direction", frame.sender.direction), ("opcode", frame.opcode.name)], count)
            })
        text.counter(
            "sockets_closed_total", "Closed WebSockets, by the side that ended them.",
            counts.socketsClosed.counts.map { party, count in ([("by", party.rawValue)], count) })
        func byKind(_ tally: Tally<JournalEvent.Kind>) -> [MetricsText.Sample] {
            tally.counts.map { kind, count in ([("kind", kind.rawValue)], count) }
        }
        text.counter("journal_entries_total", "Entries written.", byKind(counts.entries))
        text.counter("faults_acted_total", "Journal entries about fault effects and held items.", byKind(counts.faulty))
        return Answer(body: text.bytes, contentType: "text/plain; version=0.0.4; charset=utf-8")
    }
}

/// Writes the Prometheus text format, version 0.0.4.
struct MetricsText {
    /// A value with its labels; label values must not contain quotation marks, backslashes or line ends.
    typealias Sample = (labels: [(name: String, value: String)], value: Int)

    private(set) var bytes: [UInt8] = []

    /// Writes a gauge, whose value can rise and fall.
    mutating func gauge(_ name: String, _ help: String, _ value: Int) { gauge(name, help, [([], value)]) }
    mutating func gauge(_ name: String, _ help: String, _ samples: [Sample]) { write(name, "gauge", help, samples) }

    /// Writes a counter, which never decreases, with its samples in the order of their labels.
    mutating func counter(_ name: String, _ help: String, _ samples: [Sample]) { write(name, "counter", help, samples) }

    private mutating func write(_ name: String, _ type: String, _ help: String, _ samples: [Sample]) {
        let name = "fitiq_mock_" + name
        let lines = samples.map { labels, value in
            let list = labels.map { "\($0.name)=\"\($0.value)\"" }.joined(separator: ",")
            return "\(name)\(list.isEmpty ? "" : "{\(list)}") \(value)\n"
        }
        bytes += Array("# HELP \(name) \(help)\n# TYPE \(name) \(type)\n".utf8)
        bytes += Array(lines.sorted().joined().utf8)
    }
}
