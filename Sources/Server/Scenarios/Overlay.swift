import FitIQAPI
import HTTPTypes
import JSON

/// Changes that make the fake's answers imitate a real server.
///
/// A comparison writes these changes (`conform --accept`), and the server applies them to the fake's answers and
/// messages in file order. Answers from faults, stubs and sessions stay unchanged.
public struct Overlay: Sendable, Equatable {
    public let changes: [Change]
    /// The effective changes for each endpoint; if several changes replace all values in one place, only the first
    /// takes effect.
    private let acting: [Endpoint: [Change]]

    public init(_ changes: [Change] = []) {
        self.changes = changes
        var places: Set<Change.Place> = []
        var acting: [Endpoint: [Change]] = [:]
        for change in changes where change.acts {
            guard !change.replacesAll || places.insert(change.place).inserted else { continue }
            acting[change.endpoint, default: []].append(change)
        }
        self.acting = acting
    }

    public struct Change: Sendable, Hashable {
        public var endpoint: Endpoint
        /// The answers or messages to change, identified by their kind after earlier changes.
        public var kind: Kind
        /// The value's path; empty for the whole answer.
        public var member: [Step]
        public var action: Action

        public init(_ endpoint: Endpoint, _ kind: Kind, at member: [Step] = [], _ action: Action) {
            (self.endpoint, self.kind, self.member, self.action) = (endpoint, kind, member, action)
        }

        fileprivate struct Place: Hashable {
            let endpoint: Endpoint
            let kind: Kind
            let member: [Step]
        }
        fileprivate var place: Place { Place(endpoint: endpoint, kind: kind, member: member) }
        fileprivate var acts: Bool {
            switch action {
            case .known, .value(_, insteadOf: []?): false
            default: true
            }
        }
        fileprivate var replacesAll: Bool {
            switch action {
            case .value(_, insteadOf: nil), .remove, .rename, .becomes: true
            default: false
            }
        }
    }

    /// The key that distinguishes answers.
    public enum Kind: Sendable, Hashable {
        case status(Int)
        /// The `type` of a message on a socket.
        case type(String)
    }

    public enum Step: Sendable, Hashable {
        case name(String)
        /// All elements of an array.
        case elements
    }

    public enum Action: Sendable, Hashable {
        /// A value for this path.
        ///
        /// An existing value gets the kind and form of this value, and this value is added to an object that lacks it.
        /// With `insteadOf`, the value replaces only these words.
        case value(JSONValue, insteadOf: [String]?)
        case rename(String)
        case remove
        case becomes(Kind)
        case contentType(String)
        /// The real server may answer like this, but the fake never does.
        case known
    }
}

// MARK: Applying changes

extension Overlay {
    /// An answer after its changes; nil for unchanged parts.
    public struct Changed: Sendable, Equatable {
        public var status: Int?
        public var body: [UInt8]?
        public var contentType: String?
    }

    /// Whether the overlay may change an endpoint's answers.
    public func concerns(_ endpoint: Endpoint) -> Bool { acting[endpoint] != nil }

    /// The maximum number of changes applied to an endpoint's answer.
    public func count(for endpoint: Endpoint) -> Int { acting[endpoint]?.count ?? 0 }

    /// Changes an answer, parsing its body only once.
    public func change(_ status: Int, _ body: [UInt8], of endpoint: Endpoint) -> Changed {
        var changed = Changed()
        guard let acting = acting[endpoint] else { return changed }
        var value = try? JSON.parse(body)
        let old = value
        let kind = Self.apply(acting, to: &value, .status(status)) { changed.contentType = $0 }
        if case .status(let new) = kind, new != status { changed.status = new }
        if value != old { changed.body = value?.encoded() }
        return changed
    }

    /// A message's text after the changes.
    public func change(_ text: [UInt8], of endpoint: Endpoint) -> [UInt8] {
        guard let acting = acting[endpoint], let old = try? JSON.parse(text), let type = old["type"]?.string else {
            return text
        }
        var value: JSONValue? = old
        _ = Self.apply(acting, to: &value, .type(type)) { _ in }
        guard let value, value != old else { return text }
        return value.encoded()
    }

    /// Applies changes in order and returns the resulting kind.
    private static func apply(
        _ changes: [Change], to value: inout JSONValue?, _ kind: Kind, noteType: (String) -> Void
    ) -> Kind {
        var kind = kind
        for change in changes where change.kind == kind {
            switch change.action {
            case .becomes(let new):
                kind = new
                if case .type(let type) = new, var object = value?.object {
                    object["type"] = .string(type)
                    value = .object(object)
                }
            case .contentType(let type): noteType(type)
            case .known: break
            case .value, .rename, .remove: value = value.map { changed($0, at: change.member[...], by: change.action) }
            }
        }
        return kind
    }

    private static func changed(_ value: JSONValue, at member: ArraySlice<Step>, by action: Action) -> JSONValue {
        guard let step = member.first else { return replaced(value, by: action) }
        let rest = member.dropFirst()
        switch (step, value) {
        case (.elements, .array(let elements)): return .array(elements.map { changed($0, at: rest, by: action) })
        case (.name(let name), .object(var object)):
            switch (object[name], action) {
            case (_?, .remove) where rest.isEmpty: object[name] = nil
            case (_?, .rename(let new)) where rest.isEmpty:
                object = JSONObject(
                    object.filter { !$0.key.isExactly(new) }.map {
                        ($0.key.isExactly(name) ? new : $0.key, $0.value)
                    })
            case (let old?, _): object[name] = changed(old, at: rest, by: action)
            case (nil, .value(let sample, insteadOf: nil)) where rest.isEmpty: object[name] = sample
            case (nil, _): break
            }
            return .object(object)
        default: return value
        }
    }

    private static func replaced(_ value: JSONValue, by action: Action) -> JSONValue {
        guard case .value(let sample, let words) = action else { return value }
        guard let words else { return value.inForm(of: sample) }
        let isMeant = value.string.map { text in words.contains { $0.isExactly(text) } } ?? false
        return isMeant ? sample : value
    }
}

// MARK: Paths

extension [Overlay.Step] {
    /// The path as text, such as `data.goals[].created_at`; empty for the whole answer.
    public var path: String {
        reduce(into: "") { path, step in
            switch step {
            case .elements: path += "[]"
            case .name(let name): path += path.isEmpty ? name : "." + name
            }
        }
    }

    /// Reads a path from text; nil if a name is empty or contains a bracket.
    public init?(path: String) {
        self = []
        for (index, part) in path.split(separator: ".", omittingEmptySubsequences: false).enumerated() {
            var name = part
            var depth = 0
            while name.hasSuffix("[]") { (name, depth) = (name.dropLast(2), depth + 1) }
            guard !name.isEmpty || index == 0 && depth > 0, !name.contains(where: { "[]".contains($0) }) else {
                return nil
            }
            if !name.isEmpty { append(.name(String(name))) }
            self += repeatElement(.elements, count: depth)
        }
    }
}

extension Overlay {
    /// Reads a file of changes, which is part of a scenario: a mapping that contains `overlay`, in YAML or JSON.
    ///
    /// - Parameter file: The file's name in messages.
    public static func read(_ bytes: [UInt8], file: String? = nil) throws(ScenarioErrors) -> Overlay {
        guard bytes.count <= ScenarioLimits.fileBytes else {
            throw ScenarioErrors(TreeError(message: Messages.fileTooLarge(bytes.count)), file: file)
        }
        let tree: Node
        do {
            tree = try TreeBuilder.tree(ofYAML: Scenario.withoutByteOrderMarks(bytes))
        } catch {
            var error = error
            if error.message == Messages.emptyFile { error.message = Messages.emptyOverlay }
            throw ScenarioErrors(error, file: file)
        }
        let diagnosis = Diagnosis(isSaved: false)
        let fields = Fields(Cursor(node: tree, path: .document, diagnosis: diagnosis), as: .overlay)
        let overlay = fields?.required("overlay", Messages.changes).flatMap(read)
        guard let overlay, diagnosis.isClean else { throw diagnosis.errors(file: file) }
        return overlay
    }

    static func read(_ cursor: Cursor) -> Overlay? {
        guard let changes = cursor.elements(limit: ScenarioLimits.changes, of: "changes") else { return nil }
        let overlay = Overlay(changes.compactMap(Change.read))
        let bytes = overlay.valueBytes
        guard bytes <= ScenarioLimits.changeBytes else { return cursor.refuse(Messages.tooLongValues(bytes)) }
        return overlay
    }

    /// The total size of all changes' values as JSON; the server may write each value into every element of a list.
    private var valueBytes: Int {
        changes.reduce(0) { sum, change in
            if case .value(let value, _) = change.action { sum + value.encoded().count } else { sum }
        }
    }

    /// The tree of its file.
    public var json: JSONValue { ["overlay": .array(changes.map(\.json))] }
}

extension Cursor {
    /// Refuses arrays of more than one element in a value, at any depth.
    ///
    /// Other changes write their value into each element, so nested arrays would multiply in size.
    fileprivate func refusesLongArray() -> Bool {
        switch node.content {
        case .list(let nodes):
            guard nodes.count <= 1 else {
                refuse(
                    "has \(nodes.count) elements; an array in a change's value may have at most one, which "
                        + "represents all elements.") as Void
                return true
            }
            return nodes.contains {
                Cursor(node: $0, path: .index(0, of: path), diagnosis: diagnosis).refusesLongArray()
            }
        case .mapping(let members):
            return members.contains {
                Cursor(node: $0.value, path: .key($0.key, of: path), diagnosis: diagnosis).refusesLongArray()
            }
        case .null, .plain, .text: return false
        }
    }
}

extension Overlay.Change {
    private static let actions = ["value", "rename", "remove", "becomes", "content_type"]

    static func read(_ cursor: Cursor) -> Overlay.Change? {
        guard let fields = Fields(cursor, as: .change) else { return nil }
        let on = fields.required("on", Messages.changedEndpoint)
        var endpoint: Endpoint?
        switch on.flatMap(FaultTarget.read) {
        case .endpoints(let some)? where some.count == 1: endpoint = some.first
        case .socket(let socket?)?: endpoint = socket
        case nil: break
        default: on?.refuse(expected: Messages.changedEndpoint)
        }
        let member = fields["member"].map { cursor -> [Overlay.Step]? in
            cursor.text(1...1000).flatMap { [Overlay.Step](path: $0) ?? cursor.refuse(expected: Messages.memberPath) }
        }
        guard let endpoint else { return nil }
        fields.refuse(
            [endpoint.isSocket ? "status" : "type"], unless: false,
            endpoint.isSocket
                ? "is for REST; a socket's messages have a 'type'." : "is for sockets; answers have a 'status'.")
        let kind =
            endpoint.isSocket
            ? fields.required("type", "the type of the messages to change")?.text(1...200).map { Overlay.Kind.type($0) }
            : fields.required("status", "the status of the answers to change")?.integer(200...599).map { .status($0) }
        let action = action(fields, of: endpoint)
        if fields["member"] == nil {
            fields.refuse(["rename", "remove"], unless: false, Messages.needs("'member'"))
        } else {
            fields.refuse(["becomes", "content_type"], unless: false, Messages.contradicts("member"))
        }
        fields.refuse(["instead_of"], unless: fields["value"] != nil, Messages.needs("'value'"))
        guard let kind, let action, let member = member ?? [] else { return nil }
        return Overlay.Change(endpoint, kind, at: member, action)
    }

    private static func action(_ fields: Fields, of endpoint: Endpoint) -> Overlay.Action? {
        let cursor = fields.including("value")
        guard cursor?.refusesLongArray() != true else { return nil }
        let value = cursor?.node.json
        if let value, fields["value"] == nil, fields.present(of: actions).isEmpty {
            return .value(value, insteadOf: nil)
        }
        switch fields.one(of: actions, isRequired: fields["member"] != nil) {
        case "value"?:
            guard let value else { return nil }
            guard let words = fields["instead_of"] else { return .value(value, insteadOf: nil) }
            return .value(
                value,
                insteadOf: words.elements(limit: ScenarioLimits.changes, of: "words")?.compactMap { $0.text(0...1000) })
        case "rename"?: return fields["rename"]?.text(1...1000).map { .rename($0) }
        case "remove"?: return fields["remove"]?.isTrue() == true ? .remove : nil
        case "becomes"?:
            guard let cursor = fields["becomes"], let text = cursor.text(1...200) else { return nil }
            if endpoint.isSocket { return .becomes(.type(text)) }
            guard let status = cursor.number?.int, (200...599).contains(status) else {
                return cursor.refuse(expected: "a status from 200 to 599 for a REST endpoint")
            }
            return .becomes(.status(status))
        case "content_type"?:
            return fields["content_type"].flatMap { cursor in
                cursor.text(1...200).flatMap {
                    HTTPField.isValidValue($0) ? .contentType($0) : cursor.refuse(expected: Messages.mediaType)
                }
            }
        default: return fields["member"] == nil ? .known : nil
        }
    }

    fileprivate var json: JSONValue {
        var object: JSONObject = [
            "on": .string(endpoint.isSocket ? "socket \(endpoint.template)" : "\(endpoint.method) \(endpoint.template)")
        ]
        switch kind {
        case .status(let status): object["status"] = .number(JSONNumber(status))
        case .type(let type): object["type"] = .string(type)
        }
        if !member.isEmpty { object["member"] = .string(member.path) }
        switch action {
        case .value(let value, let words):
            object["value"] = value
            object["instead_of"] = words.map { .array($0.map { .string($0) }) }
        case .rename(let name): object["rename"] = .string(name)
        case .remove: object["remove"] = true
        case .becomes(.status(let status)): object["becomes"] = .number(JSONNumber(status))
        case .becomes(.type(let type)): object["becomes"] = .string(type)
        case .contentType(let type): object["content_type"] = .string(type)
        case .known: break
        }
        return .object(object)
    }
}
