import FitIQAPI
import Foundation
import TestSupport
import Testing

@testable import MockServer

/// A guide's answers to `paths.txt` and `script.txt` in `Fixtures/guides-before-apps`, as text.
struct GuidePlay {
    let mode: GuideMode
    let place: GuideStage.Place
    private(set) var lines: [String] = []

    static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

    init(_ mode: GuideMode, _ place: GuideStage.Place) throws {
        (self.mode, self.place) = (mode, place)
        for path in try Self.paths() { try send(to: path) }
        try tell()
    }

    /// The lines of a file, without comments and empty lines.
    private static func script(_ name: String) throws -> [String] {
        try textOfPackage("Fixtures/guides-before-apps/\(name)").split(separator: "\n").map(String.init)
            .filter { !$0.hasPrefix("#") }
    }

    /// The answers in order of first appearance, each with the requests that it answers.
    struct Answers {
        private var answers: [(text: String, asked: [(who: String, what: String)])] = []

        mutating func add(_ text: String, who: String, what: String) {
            let place = answers.firstIndex { $0.text == text } ?? answers.endIndex
            if place == answers.endIndex { answers.append((text, [])) }
            answers[place].asked.append((who, what))
        }

        var lines: [String] {
            answers.flatMap { answer in
                var asked: [(who: String, what: String)] = []
                for (who, what) in answer.asked {
                    if let last = asked.last, last.who == who {
                        asked[asked.endIndex - 1].what += " " + what
                    } else {
                        asked.append((who, what))
                    }
                }
                if asked.count > 1, asked[0].what == asked[1].what {
                    asked[0].who += ", " + asked.remove(at: 1).who
                }
                return asked.map { "> \($0.who): \($0.what)" } + [answer.text, ""]
            }
        }
    }

    // MARK: Every method of every path

    struct Path {
        let path: String
        var bodies: [(method: String, body: String?)] = []

        /// The body for a method: an object by default.
        func body(of method: String) -> String? {
            if let body = bodies.first(where: { $0.method == method }) { return body.body }
            return ["POST", "PUT", "PATCH"].contains(method) ? "{}" : nil
        }
    }

    static func paths() throws -> [Path] {
        try script("paths.txt").reduce(into: []) { paths, line in
            guard line.hasPrefix("  ") else { return paths.append(Path(path: line)) }
            let words = line.dropFirst(2).split(separator: " ", maxSplits: 1).map(String.init)
            paths[paths.endIndex - 1].bodies.append((words[0], words.count > 1 ? words[1] : nil))
        }
    }

    private mutating func send(to path: Path) throws {
        let stage = try GuideStage(mode, place)
        var answers = Answers()
        for (who, user) in [("without credentials", "nobody"), ("with credentials", "anna"), ("afterwards", "anna")] {
            for method in who == "afterwards" ? ["GET"] : Self.methods {
                let request = try stage.request(method, path.path, path.body(of: method), stage.credentials(of: user))
                answers.add(try stage.answer(to: request.bytes), who: who, what: method)
            }
        }
        lines += ["== \(path.path)"] + answers.lines
    }

    // MARK: The script

    /// A section of the script while it is running.
    private struct Section {
        let stage: GuideStage
        var user = "anna"
        /// The next request's fields, in place of or in addition to the user's credentials.
        var fields: [String]?
        var added: [String] = []
        var type: String?
        var sockets: [(name: String, socket: VirtualSocket)] = []
        var list: (target: String, answers: Answers)?
        /// The answers in the section, each with the first line that received it.
        private var answers: [(text: String, line: String)] = []

        init(_ stage: GuideStage) { self.stage = stage }

        mutating func takeFields() -> [String] {
            defer { (fields, added) = (nil, []) }
            return (fields ?? stage.credentials(of: user)) + added
        }

        /// A script line with its answer; identical answers are written only once.
        mutating func lines(_ line: String, _ answer: String) -> [String] {
            if let earlier = answers.first(where: { $0.text == answer }) {
                return ["> \(line)", "(as to \(earlier.line))", ""]
            }
            answers.append((answer, line))
            return ["> \(line)", answer, ""]
        }

        /// The frames that arrived on the sockets, one per line.
        mutating func takeFrames(at time: String = "") -> [String] {
            var lines: [String] = []
            for (name, socket) in sockets {
                for event in socket.takeEvents() {
                    if case .text(let bytes) = event {
                        lines.append("\(name)\(time) " + stage.plain(String(decoding: bytes, as: UTF8.self)))
                    } else {
                        lines.append("\(name)\(time) (\(event))")
                    }
                }
            }
            for (name, socket) in sockets where socket.wire.ending != .open {
                lines.append("\(name)\(time) (\(socket.wire.ending))")
            }
            sockets.removeAll { $0.socket.wire.ending != .open }
            return lines
        }

        func socket(_ name: String) -> VirtualSocket? { sockets.first { $0.name == name }?.socket }
    }

    private mutating func tell() throws {
        var section = Section(try GuideStage(mode, place))
        for line in try Self.script("script.txt") {
            if !line.hasPrefix("  "), let list = section.list {
                lines += ["== \(list.target)"] + list.answers.lines
                section.list = nil
            }
            if line.hasPrefix("  ") {
                try ask(line.trimmingCharacters(in: .whitespaces), in: &section)
            } else if line.hasPrefix("== ") {
                section = Section(try GuideStage(mode, place))
                lines.append(line)
            } else {
                try play(line, in: &section)
            }
        }
    }

    /// Requests a section's list with one of its queries.
    private func ask(_ query: String, in section: inout Section) throws {
        let target = try #require(section.list?.target)
        let request = try section.stage.request("GET", "\(target)?\(query)", nil, section.takeFields())
        section.list?.answers.add(try section.stage.answer(to: request.bytes), who: "GET", what: query)
    }

    private mutating func play(_ line: String, in section: inout Section) throws {
        let stage = section.stage
        let words = line.split(separator: " ", maxSplits: 2).map(String.init)
        let rest = line.split(separator: " ", maxSplits: 1).last.map(String.init) ?? ""
        switch words[0] {
        case "AS": section.user = words[1]
        case "FIELDS": section.fields = rest.split(separator: " | ").map(String.init)
        case "ADD": section.added.append(rest)
        case "TYPE": section.type = rest
        case "QUERIES": section.list = (rest, Answers())
        case "OPEN":
            let client = try stage.network.client()
            let request = stage.handshake(words[2], section.takeFields())
            client.wire.send(request.bytes)
            let answer = client.wire.received
            if String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/1.1 101") {
                let end = answer.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound ?? answer.endIndex
                lines += ["> \(line)", stage.text(ofAnswer: Array(answer[..<end]))]
                section.sockets.append((words[1], try client.acceptUpgrade(request)))
            } else {
                lines += section.lines(line, stage.text(ofAnswer: answer))
                client.wire.vanish()
            }
        case "SEND", "BINARY", "PING", "CLOSE":
            lines.append("> \(line)")
            guard let socket = section.socket(words[1]) else { return lines.append("(there is no such socket)") }
            switch words[0] {
            case "SEND": socket.send(stage.expanded(words[2].replacing("⏎", with: "\n")))
            case "BINARY": socket.send(binary: [1])
            case "PING": socket.ping("p")
            default: socket.close()
            }
        case "WAIT":
            let start = stage.network.now.nanosecondsSinceEpoch
            lines.append("> \(line)")
            stage.network.advance(by: .seconds(try #require(Int(rest)))) {
                let time = " " + VirtualNetwork.text(stage.network.now.nanosecondsSinceEpoch - start)
                lines += section.takeFrames(at: time)
            }
            return
        case "RAW":
            let bytes = Array(rest.replacing(#"\r\n"#, with: "\r\n").utf8)
            lines += section.lines(line, try stage.answer(to: bytes))
        default:
            let request = try stage.request(
                words[0], words[1], words.count > 2 ? words[2] : nil, section.takeFields(), type: section.type)
            section.type = nil
            lines += section.lines(line, try stage.answer(to: request.bytes))
        }
        stage.network.settle()
        lines += section.takeFrames()
    }
}
