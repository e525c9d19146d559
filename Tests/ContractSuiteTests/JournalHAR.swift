import FitIQAPI
import Foundation
import JSON
import Testing

/// A HAR made of a world's journal: what a recorder next to the server would have seen.
struct JournalHAR {
    private let entries: [JSONValue]
    private let origin: String

    /// - Parameter lines: the journal, as the admin API gives it.
    init(_ lines: [UInt8], origin: String) throws {
        entries = try lines.split(separator: 0x0A).map { try JSON.parse(Array($0)) }
        self.origin = origin
    }

    /// The file.
    func encoded() throws -> [UInt8] {
        var list: [JSONValue] = []
        for (index, entry) in entries.enumerated() {
            switch entry["kind"]?.string {
            case "exchange": list.append(try exchange(entry))
            case "opened": list.append(try socket(entry, behind: index))
            default: break
            }
        }
        return JSONValue.object(["log": .object(["version": "1.2", "entries": .array(list)])]).encoded()
    }

    /// What the server sent: bodies of answers and messages, in order.
    static func sent(_ lines: [UInt8]) throws -> [String] {
        try lines.split(separator: 0x0A).compactMap { line in
            let entry = try JSON.parse(Array(line))
            guard entry["delivery"] == nil else { return nil }
            if let body = entry["response"]?["body"]?.string { return body }
            return entry["direction"]?.string == "server_to_client" ? entry["payload"]?.string : nil
        }
    }

    private func exchange(_ entry: JSONValue) throws -> JSONValue {
        var members = try start(entry)
        let response = try #require(entry["response"]?.object)
        members["response"] = .object([
            "status": response["status"] ?? 0, "headers": response["fields"] ?? [],
            "content": .object(["text": response["body"] ?? "", "mimeType": "application/json"]),
        ])
        return .object(members)
    }

    private func socket(_ entry: JSONValue, behind index: Int) throws -> JSONValue {
        var members = try start(entry)
        members["response"] = .object(["status": 101, "headers": entry["response"]?["fields"] ?? []])
        members["_resourceType"] = "websocket"
        var messages: [JSONValue] = []
        var ours: JSONObject = [:]
        following: for frame in entries[(index + 1)...] where frame["connection"] == entry["connection"] {
            switch frame["kind"]?.string {
            case "frame" where frame["opcode"]?.string == "text" && frame["delivery"] == nil:
                messages.append(
                    .object([
                        "type": frame["direction"]?.string == "client_to_server" ? "send" : "receive",
                        "time": try seconds(frame), "opcode": 1, "data": frame["payload"] ?? "",
                    ]))
            case "closed":
                ours["ending"] = .object([
                    "time": try seconds(frame), "by": frame["by"] ?? "client", "cause": Self.cause(frame),
                ])
                break following
            default: break
            }
        }
        members["_webSocketMessages"] = .array(messages)
        if !ours.isEmpty { members["_fitiq"] = .object(ours) }
        return .object(members)
    }

    /// A fault of the fake's is to a recorder what it did.
    private static func cause(_ closing: JSONValue) -> JSONValue {
        let cause = closing["cause"]?.string ?? ""
        return ["close_frame", "reset"].contains(cause) ? .string(cause) : "finish"
    }

    private func start(_ entry: JSONValue) throws -> JSONObject {
        let request = try #require(entry["request"])
        var members: JSONObject = [
            "startedDateTime": entry["requested_at"] ?? "", "time": 0,
            "timings": .object(["send": 0, "wait": 0, "receive": 0]),
        ]
        var asked: JSONObject = [
            "method": request["method"] ?? "", "url": .string(origin + (request["target"]?.string ?? "")),
            "headers": request["fields"] ?? [],
        ]
        if let body = request["body"]?.string, !body.isEmpty {
            asked["postData"] = .object(["mimeType": "application/json", "text": .string(body)])
        }
        members["request"] = .object(asked)
        return members
    }

    private func seconds(_ entry: JSONValue) throws -> JSONValue {
        // 2025-01-29T10:30:00.123456789Z
        let text = try #require(entry["time"]?.string)
        let whole = try #require(DateTime(text)?.secondsSinceEpoch)
        let fraction = text.split(separator: ".").dropFirst().first?.dropLast() ?? "0"
        return .number(try #require(JSONNumber("\(whole).\(fraction)")))
    }
}
