import JSON
import Traffic

private func har(_ name: String, _ input: @escaping @Sendable (Int) -> [UInt8]) -> Work {
    Work(name: "HAR, \(name)") { bytes in
        let text = input(bytes)
        return { (try? HARFile(reading: text)).map { !$0.session.entries.isEmpty } ?? false }
    }
}

private let start = "{\"log\":{\"entries\":[{\"startedDateTime\":\"2026-01-01T00:00:00Z\",\"request\":{"
private let address = "\"method\":\"POST\",\"url\":\"http://h/\""
private let end = ",\"response\":{\"status\":200}}]}}"
/// A whole entry.
private let entry =
    "{\"startedDateTime\":\"2026-01-01T00:00:00Z\",\"request\":{\(address)},\"response\":{\"status\":200}}"

private func pairs(_ member: String, _ bytes: Int) -> [UInt8] {
    numbered(bytes, from: start + address + ",\"\(member)\":[", to: "{\"name\":\"a\",\"value\":\"b\"}]}" + end) {
        "{\"name\":\"n\($0)\",\"value\":\"v\"},"
    }
}

let trafficWork: [Work] = [
    har("entries") { repeated(entry + ",", $0, from: "{\"log\":{\"entries\":[", to: entry + "]}}") },
    har("entries of a torn file") { repeated(entry + ",", $0, from: "{\"log\":{\"entries\":[") },
    har("a torn text") { repeated("[", $0, from: "{\"log\":{\"entries\":[" + entry + ",{\"a\":\"") },
    har("zeros after a torn file") { repeated("\0", $0, from: "{\"log\":{\"entries\":[" + entry + ",") },
    har("fields") { pairs("headers", $0) }, har("cookies") { pairs("cookies", $0) },
    har("items of a query") { pairs("queryString", $0) },
    har("halves of characters") {
        repeated("\\ud83d", $0, from: start + address + ",\"comment\":\"", to: "\"}" + end)
    },
    har("base64 in lines") {
        let content = ",\"postData\":{\"encoding\":\"base64\",\"text\":\""
        return repeated("aGk1\\n", $0, from: start + address + content, to: "\"}}" + end)
    },
    har("messages") { bytes in
        let socket =
            start + "\"method\":\"GET\",\"url\":\"ws://h/\"},\"response\":{\"status\":101},\"_webSocketMessages\":["
        let message = "{\"type\":\"send\",\"time\":1767225600,\"opcode\":1,\"data\":\"a\"}"
        return repeated(message + ",", bytes, from: socket, to: message + "]}]}}")
    },
    journal("lines", size: .max) { repeated(note("a"), $0) }, journal("lines", size: 1) { repeated(note("a"), $0) },
    journal("a long line", size: 1) { Array(note(String(repeating: "a", count: $0)).utf8) },
    journal("empty lines", size: 1) { repeated("\n", $0, to: note("a")) },
]

private func note(_ text: String) -> String {
    "{\"number\":1,\"time\":\"2026-01-01T00:00:00Z\",\"kind\":\"note\",\"text\":\"\(text)\"}\n"
}

private func journal(_ name: String, size: Int, _ input: @escaping @Sendable (Int) -> [UInt8]) -> Work {
    Work(name: "journal, \(name), \(size == 1 ? "in single bytes" : "whole")") { bytes in
        let text = input(bytes)
        return {
            var (reader, count) = (JournalReader(), 0)
            for start in stride(from: 0, to: text.count, by: min(size, text.count)) {
                reader.receive(text[start..<min(start + min(size, text.count), text.count)])
                while (try? reader.next()) != nil { count += 1 }
            }
            return count > 0
        }
    }
}

/// Pieces of texts, each of which may begin or end a secret.
private let pieces = [
    "\"token\"", "\"token\":", "\"token\":\"", "\"token\":[", "\"token\":[\"a\",", "\\\"token\\\":\\\"", "\\", "\\\"",
    "\"token\" ", "a@", "@", "a@b.", "a@b.cd", "%40", "a%40", "\\u0040", "a\\u0040b.", "%41", "?token=", "&token=a",
    "token=", "=", "\"", " ", "a", ".", "'", "eyJhbGciOiJIUzI1NiJ9.", "user-1@redacted.example", "\"token\":1",
    "{\"token\":", "\"token\":{\"a\":", "\"token\":[[", "\"token\":{}", "\"token\":[-", "\"token\":[\\", "\":",
    "\\\":", "\"token\":{\"\":", "://", "://a", ":\\/\\/", "%3A%2F%2F", "://a@", "a.token=", "?[%41",
]
private let partPieces = [
    "\r\n--x y", "\r\n--x ", "\r\n", "--x y\r\n\r\n", "\n", "\r\n--x y\r\ncontent-disposition:", ";name=\"token\"",
]

let redactionWork: [Work] =
    alikeWork
    + pieces.map { piece in
        Work(name: "redaction, text of \(piece.debugDescription)") { bytes in
            // Secrets that resemble each other and the texts.
            var redactor = Redactor()
            for index in 0..<50 {
                let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1In0.\(index * 7919)aaaa\(index)"
                var known = "{\"token\":\"\(token)\",\"secret\":\"aaaaaaaa\(index)\"}"
                redactor.redact(&known)
            }
            let text = String(decoding: repeated(piece, bytes), as: UTF8.self)
            return {
                var (redactor, text) = (redactor, text)
                redactor.redact(&text)
                return !text.isEmpty
            }
        }
    }
    + partPieces.map { piece in
        Work(name: "redaction, form of \(piece.debugDescription)") { bytes in
            let body = JSONValue.string(String(decoding: repeated(piece, bytes, from: "--x y\r\n"), as: UTF8.self))
            let form = "\"postData\":{\"text\":" + String(decoding: body.encoded(), as: UTF8.self) + "}"
            let type =
                "\"headers\":[{\"name\":\"Content-Type\",\"value\":\"multipart/form-data; boundary=\\\"x y\\\"\"}]"
            let file = try? HARFile(reading: Array("\(start)\(address),\(type),\(form)}\(end)".utf8))
            guard let exchange = file?.session.entries.first else { return { false } }
            return {
                var (redactor, exchange) = (Redactor(), exchange)
                redactor.redact(&exchange)
                return !(exchange.request.body?.bytes.isEmpty ?? true)
            }
        }
    }

/// Long secrets that differ only at the beginning, and a text of their common part, whole and in short parts.
private let alikeWork: [Work] = [
    ("a", "a"), ("a", String(repeating: "a", count: 56) + "!"), ("abcdefgh", "abcdefgh"),
].map { piece, part in
    Work(name: "redaction beside long secrets, text of \(part)") { bytes in
        var redactor = Redactor()
        for index in 0..<8 {
            var known = "?token=" + String(decoding: repeated(piece, 4000, from: "k\(index)"), as: UTF8.self)
            redactor.redact(&known)
        }
        let text = String(decoding: repeated(part, bytes), as: UTF8.self)
        return {
            var (redactor, text) = (redactor, text)
            redactor.redact(&text)
            return !text.isEmpty
        }
    }
}
