import FitIQAPI
import HTTPTypes
import JSON

extension Overlay {
    /// Reads a file of changes, which is a part of a scenario: a mapping with `overlay`, in YAML or JSON.
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

    /// What the values of its changes have in JSON: the server may write them into each element of a list.
    private var valueBytes: Int {
        changes.reduce(0) { sum, change in
            if case .value(let value, _) = change.action { sum + value.encoded().count } else { sum }
        }
    }

    /// The tree of its file.
    public var json: JSONValue { ["overlay": .array(changes.map(\.json))] }
}

extension Cursor {
    /// Refuses an array of more than one element in a value, at any depth.
    ///
    /// The value of another change is written into each element, so arrays within arrays would multiply.
    fileprivate func refusesLongArray() -> Bool {
        switch node.content {
        case .list(let nodes):
            guard nodes.count <= 1 else {
                refuse(Messages.tooLongArray(nodes.count)) as Void
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
        fields.refuse([endpoint.isSocket ? "status" : "type"], unless: false, Messages.kindOfOther(endpoint))
        let kind =
            endpoint.isSocket
            ? fields.required("type", Messages.changedType)?.text(1...200).map { Overlay.Kind.type($0) }
            : fields.required("status", Messages.changedStatus)?.integer(200...599).map { .status($0) }
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
                return cursor.refuse(expected: Messages.otherStatus)
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
