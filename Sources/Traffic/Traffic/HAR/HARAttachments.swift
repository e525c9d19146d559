import Digests
import JSON

/// Bodies and messages in separate files, as Playwright writes them with `content: "attach"`.
///
/// `content._file` names the file of a response's body or, for a WebSocket, of its messages, one JSON object per line;
/// `postData._file` names that of a request's body. They are inserted where HAR has them, so that the rest of the
/// reader need not know.
struct HARAttachments {
    let limits: HARLimits
    /// How many bytes may still be read.
    var remaining: Int
    let read: (String) -> [UInt8]?
    private(set) var notes: [HARNote] = []

    mutating func embed(into root: inout JSONValue) throws(HARError) {
        guard var file = root.object, var log = file["log"]?.object, var entries = log["entries"]?.array else { return }
        var isChanged = false
        for index in entries.indices {
            guard var entry = entries[index].object else { continue }
            do throws(HARError) {
                guard try embed(into: &entry, number: index + 1) else { continue }
            } catch {
                throw error.inEntry(index + 1)
            }
            entries[index] = .object(entry)
            isChanged = true
        }
        guard isChanged else { return }
        log["entries"] = .array(entries)
        file["log"] = .object(log)
        root = .object(file)
    }

    private mutating func embed(into entry: inout JSONObject, number: Int) throws(HARError) -> Bool {
        var isChanged = false
        if var request = entry["request"]?.object, var data = request["postData"]?.object,
            Self.isEmpty(data["text"]),
            let name = data["_file"]?.string, let bytes = try attachment(name, entry: number)
        {
            put(bytes, into: &data)
            request["postData"] = .object(data)
            entry["request"] = .object(request)
            isChanged = true
        }
        guard var response = entry["response"]?.object, var content = response["content"]?.object,
            let name = content["_file"]?.string
        else { return isChanged }
        if entry["_resourceType"]?.string == "websocket" {
            guard entry["_webSocketMessages"] == nil, let bytes = try attachment(name, entry: number) else {
                return isChanged
            }
            entry["_webSocketMessages"] = .array(try lines(of: bytes, in: name))
        } else {
            guard Self.isEmpty(content["text"]), let bytes = try attachment(name, entry: number) else {
                return isChanged
            }
            put(bytes, into: &content)
            response["content"] = .object(content)
            entry["response"] = .object(response)
        }
        return true
    }

    /// Playwright writes an empty text next to the name of a file.
    private static func isEmpty(_ text: JSONValue?) -> Bool { text == nil || text == .null || text == "" }

    private func put(_ bytes: [UInt8], into object: inout JSONObject) {
        if let text = String(validating: bytes, as: UTF8.self) {
            object["text"] = .string(text)
        } else {
            object["text"] = .string(Base64.encode(bytes))
            object["encoding"] = "base64"
        }
    }

    private mutating func attachment(_ name: String, entry: Int) throws(HARError) -> [UInt8]? {
        guard Self.isPlain(name), let bytes = read(name) else {
            notes.append(.missingAttachment(name: name, entry: entry))
            return nil
        }
        remaining -= bytes.count
        guard remaining >= 0 else { throw HARError(.tooLarge(limit: limits.bytes)) }
        return bytes
    }

    /// Whether a name stays in the folder of the HAR, regardless of its author.
    static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 255 && name.utf8.first != UInt8(ascii: ".")
            && name.utf8.allSatisfy {
                $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "\\")
                    && $0 != UInt8(ascii: ":")
            }
    }

    /// The values of a file with one per line; a truncated last line is omitted.
    private func lines(of bytes: [UInt8], in name: String) throws(HARError) -> [JSONValue] {
        var values: [JSONValue] = []
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            var copy = Array(line)
            _ = LoneSurrogates.replace(in: &copy)
            do throws(JSONError) {
                values.append(try JSON.parse(copy, limits: JSON.Limits(bytes: limits.bytes)))
            } catch {
                if line.endIndex == bytes.endIndex { break }
                var placed = error
                placed.line = values.count + 1
                throw HARError(.json(placed), path: name)
            }
        }
        return values
    }
}
