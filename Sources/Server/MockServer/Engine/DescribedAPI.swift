import FitIQAPI
import JSON
import Scenarios

/// An API description as a JSON tree that resolves references.
public struct DescribedAPI: Sendable {
    private var root: JSONValue

    /// Parses a mode's description, which takes tens of milliseconds.
    public init(_ description: APIDescription, in mode: GuideMode) { root = description.json(for: mode) }

    /// An endpoint's answers by status; the schema is nil if the answer is not JSON.
    public func answers(of endpoint: Endpoint) -> [(status: Int, mediaType: String?, schema: JSONValue?)] {
        (operation(of: endpoint)?["responses"]?.object ?? [:]).compactMap { status, answer in
            guard let status = Int(status) else { return nil }
            let content = resolved(answer)["content"]?.object?.first { _ in true }
            return (status, content?.key, content?.value["schema"])
        }
    }

    /// The messages that the server sends on a socket, with their types.
    public func messages(of endpoint: Endpoint) -> [(type: String, schema: JSONValue)] {
        names(ofMessagesOn: endpoint).compactMap { name in
            guard let schema = root["components"]?["messages"]?[name]?["payload"] else { return nil }
            return type(of: schema).map { ($0, schema) }
        }
    }

    private func operation(of endpoint: Endpoint) -> JSONValue? {
        root["paths"]?[endpoint.template]?[endpoint.method.rawValue.lowercased()]
    }

    private func names(ofMessagesOn endpoint: Endpoint) -> [String] {
        let channel = root["channels"]?.object?.first { $0.value["address"]?.string == endpoint.template }
        let operation = root["operations"]?.object?.first {
            $0.value["action"] == "send" && $0.value["channel"]?["$ref"]?.string == "#/channels/\(channel?.key ?? "")"
        }
        return (operation?.value["messages"]?.array ?? []).compactMap { reference in
            // The reference leads to the channel's message, which refers to the actual message.
            let target = reference["$ref"]?.string.flatMap(target)
            return (target?["$ref"] ?? reference["$ref"])?.string?.split(separator: "/").last.map(String.init)
        }
    }

    private func type(of schema: JSONValue) -> String? {
        resolved(schema)["properties"]?["type"].flatMap { resolved($0)["const"]?.string }
    }

    private func target(_ reference: String) -> JSONValue? {
        reference.split(separator: "/").dropFirst().reduce(root) { $0?[String($1)] }
    }

    /// A schema with the members of its top-level `$ref` and `allOf` merged in.
    public func resolved(_ schema: JSONValue) -> JSONObject {
        guard var object = schema.object else { return [:] }
        let parts = (object["$ref"]?.string.flatMap(target).map { [$0] } ?? []) + (object["allOf"]?.array ?? [])
        guard !parts.isEmpty else { return object }
        (object["$ref"], object["allOf"]) = (nil, nil)
        for part in parts {
            for (key, value) in resolved(part) {
                switch (object[key], value) {
                case (nil, _): object[key] = value
                case (.object(let own)?, .object(let more)) where key == "properties":
                    // A property in both schemas must satisfy both.
                    let all = own.map { name, schema in
                        (name, more[name].map { ["allOf": [schema, $0]] } ?? schema)
                    }
                    object[key] = .object(JSONObject(Array(more) + all))
                case (.array(let own)?, .array(let more)) where key == "required":
                    object[key] = .array(own + more.filter { !own.contains($0) })
                default: break
                }
            }
        }
        return object
    }
}

// MARK: With an overlay

extension DescribedAPI {
    /// The description with an overlay's changes applied, as JSON, which is also valid YAML.
    func changed(by overlay: Overlay) -> [UInt8] {
        var copy = self
        for change in overlay.changes { copy.make(change) }
        return copy.root.encoded(indent: 2) + [0x0A]
    }

    private mutating func make(_ change: Overlay.Change) {
        switch change.kind {
        case .status(let status):
            let method = change.endpoint.method.rawValue.lowercased()
            guard var answers = operation(of: change.endpoint)?["responses"]?.object else { return }
            Self.change(&answers, String(status), by: change, in: self)
            root.set(.object(answers), at: ["paths", change.endpoint.template, method, "responses"])
        case .type(let type):
            let names = names(ofMessagesOn: change.endpoint)
            guard
                let name = names.first(where: { name in
                    root["components"]?["messages"]?[name]?["payload"].flatMap(self.type) == type
                }), let payload = root["components"]?["messages"]?[name]?["payload"]
            else { return }
            var change = change
            if case .becomes(.type(let new)) = change.action {
                change.member = [.name("type")]
                change.action = .value(.string(new), insteadOf: [type])
            }
            root.set(
                self.changed(payload, at: change.member[...], by: change.action),
                at: ["components", "messages", name, "payload"])
        }
    }

    private static func change(
        _ answers: inout JSONObject, _ status: String, by change: Overlay.Change, in api: DescribedAPI
    ) {
        var answer = answers[status].map(api.resolved)
        switch change.action {
        case .becomes(.status(let new)):
            guard answers[status] != nil else { return }
            answers[String(new)] = answers[status]
            answers[status] = nil
            return
        case .becomes(.type): return
        case .known: answer = answer ?? ["description": "The real server may answer like this; the fake does not."]
        case .contentType(let type):
            if let content = answer?["content"]?.object {
                answer?["content"] = .object(JSONObject(content.map { (type, $0.value) }))
            }
        case .value, .rename, .remove:
            guard let content = answer?["content"]?.object else { return }
            let changed = content.map { type, media in
                var media = media.object ?? [:]
                media["schema"] = media["schema"].map { api.changed($0, at: change.member[...], by: change.action) }
                // The examples show answers as they are before the overlay is applied.
                (media["example"], media["examples"]) = (nil, nil)
                return (type, JSONValue.object(media))
            }
            answer?["content"] = .object(JSONObject(changed))
        }
        answers[status] = answer.map { .object($0) }
    }

    /// A schema with a change applied at a path; references along the path are replaced by their targets.
    private func changed(_ schema: JSONValue, at member: ArraySlice<Overlay.Step>, by action: Overlay.Action)
        -> JSONValue
    {
        var object = resolved(schema)
        var isChoice = false
        for key in ["anyOf", "oneOf"] {
            guard let choices = object[key]?.array else { continue }
            isChoice = true
            object[key] = .array(choices.map { changed($0, at: member, by: action) })
        }
        guard let step = member.first else { return isChoice ? .object(object) : Self.replaced(object, by: action) }
        let rest = member.dropFirst()
        switch step {
        case .elements:
            if let items = object["items"] { object["items"] = changed(items, at: rest, by: action) }
        case .name(let name):
            guard var properties = object["properties"]?.object else { break }
            var required = object["required"]?.array ?? []
            switch (properties[name], action) {
            case (_?, .remove) where rest.isEmpty:
                properties[name] = nil
                required.removeAll { $0 == .string(name) }
            case (_?, .rename(let new)) where rest.isEmpty:
                properties = JSONObject(properties.map { ($0.key.isExactly(name) ? new : $0.key, $0.value) })
                required = required.map { $0 == .string(name) ? .string(new) : $0 }
            case (let property?, _): properties[name] = changed(property, at: rest, by: action)
            case (nil, .value(let sample, insteadOf: nil)) where rest.isEmpty:
                properties[name] = Self.schema(of: sample)
                required.append(.string(name))
            case (nil, _): break
            }
            object["properties"] = .object(properties)
            object["required"] = required.isEmpty ? nil : .array(required)
        }
        return .object(object)
    }

    private static func replaced(_ schema: JSONObject, by action: Overlay.Action) -> JSONValue {
        guard case .value(let sample, let words) = action else { return .object(schema) }
        guard let words else {
            var changed = Self.schema(of: sample).object ?? [:]
            changed["description"] = schema["description"]
            return .object(changed)
        }
        var changed = schema
        let all = schema["enum"]?.array ?? schema["const"].map { [$0] } ?? []
        guard !all.isEmpty else { return .object(schema) }
        let left = all.filter { word in !words.contains { .string($0) == word } && word != sample }
        (changed["const"], changed["enum"]) = (nil, .array(left + [sample]))
        return .object(changed)
    }

    /// A schema for values that are similar to a sample.
    private static func schema(of sample: JSONValue) -> JSONValue {
        switch sample {
        case .null: return ["type": "null"]
        case .bool: return ["type": "boolean"]
        case .number: return ["type": "number"]
        case .array(let elements):
            return elements.first.map { ["type": "array", "items": schema(of: $0)] } ?? ["type": "array"]
        case .object(let object):
            return [
                "type": "object", "properties": .object(JSONObject(object.map { ($0.key, schema(of: $0.value)) })),
                "required": .array(object.keys.map { .string($0) }),
            ]
        case .string:
            let format = ["time": "date-time", "date": "date", "id": "uuid"].first { word, _ in
                ValueKind(sample).words.split(separator: " ").dropFirst().first == word[...]
            }
            return format.map { ["type": "string", "format": .string($0.value)] } ?? ["type": "string"]
        }
    }
}

extension JSONValue {
    /// Sets a member in existing nested objects.
    fileprivate mutating func set(_ value: JSONValue, at path: ArraySlice<String>) {
        guard let name = path.first else {
            self = value
            return
        }
        guard case .object(var object) = self, var inner = object[name] else { return }
        // Move the object out of the tree, so that changing it does not copy it.
        (self, object[name]) = (.null, .null)
        inner.set(value, at: path.dropFirst())
        object[name] = inner
        self = .object(object)
    }
}
