import FitIQAPI
import JSON

/// Changes to what the fake answers, so that it answers as a real server does.
///
/// A comparison writes them (`conform --accept`), and the server applies them to its own answers and messages, in the
/// order of the file. Answers of faults, stubs and sessions stay as they are.
public struct Overlay: Sendable, Equatable {
    public let changes: [Change]
    /// The changes of each endpoint that act: of several that replace all values at one place, the first.
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

    public var isEmpty: Bool { changes.isEmpty }

    public struct Change: Sendable, Hashable {
        public var endpoint: Endpoint
        /// The answers or messages to change, as earlier changes leave them.
        public var kind: Kind
        /// Where the value is; empty for the answer itself.
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

    /// What answers are told apart by.
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
        /// Gives the value the kind and the form of this one, or adds it to objects that lack it; only words in place of
        /// which it is given, unless they are nil.
        case value(JSONValue, insteadOf: [String]?)
        case rename(String)
        case remove
        case becomes(Kind)
        case contentType(String)
        /// The server may answer so; the fake never does.
        case known
    }
}

// MARK: What the server applies

extension Overlay {
    /// An answer after its changes; nil for what is as it was.
    public struct Changed: Sendable, Equatable {
        public var status: Int?
        public var body: [UInt8]?
        public var contentType: String?
    }

    /// Whether answers of an endpoint may change.
    public func concerns(_ endpoint: Endpoint) -> Bool { acting[endpoint] != nil }

    /// How many changes are applied to an answer of an endpoint, at most.
    public func count(for endpoint: Endpoint) -> Int { acting[endpoint]?.count ?? 0 }

    /// Changes an answer; parses its body once.
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

    /// The text of a message after its changes.
    public func change(_ text: [UInt8], of endpoint: Endpoint) -> [UInt8] {
        guard let acting = acting[endpoint], let old = try? JSON.parse(text), let type = old["type"]?.string else {
            return text
        }
        var value: JSONValue? = old
        _ = Self.apply(acting, to: &value, .type(type)) { _ in }
        guard let value, value != old else { return text }
        return value.encoded()
    }

    /// Applies changes in order, and returns the kind that the answer has then.
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
    /// The notation: `data.goals[].created_at`; empty for the whole.
    public var path: String {
        reduce(into: "") { path, step in
            switch step {
            case .elements: path += "[]"
            case .name(let name): path += path.isEmpty ? name : "." + name
            }
        }
    }

    /// Reads the notation; nil if a name is empty or has a bracket.
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
