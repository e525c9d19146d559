import Faults
import FitIQAPI
import JSON

enum FaultReader {
    static func rules(_ cursor: Cursor) -> [FaultRule] {
        var rules: [FaultRule] = []
        var names: Set<ExactString> = []
        for (index, element) in (cursor.elements(limit: FaultLimits.rules, of: "faults") ?? []).enumerated() {
            guard let fields = Fields(element, as: .fault) else { continue }
            let name = fields["name"].map { $0.text(1...100, bytes: 100) ?? "" } ?? "fault-\(index + 1)"
            if !name.isEmpty, !names.insert(ExactString(name)).inserted {
                if fields["name"] == nil {
                    element.refuse(Messages.madeUpNameIsTaken(name))
                } else {
                    fields.refuse("name", Messages.notUnique("name"))
                }
            }
            if let rule = rule(fields, name: name) { rules.append(rule) }
        }
        return rules
    }

    private static func rule(_ fields: Fields, name: String) -> FaultRule? {
        let isEnabled = fields["enabled"]?.flag() ?? true
        guard let target = fields.required("on", Messages.target).flatMap(FaultTarget.read) else { return nil }
        let place = target.place
        let selection = selection(fields, at: place)
        checkModifiers(fields, at: place)
        let action = action(fields, at: place)
        let fault: Fault? =
            switch target {
            case .endpoints(let endpoints):
                action.flatMap { $0.rest?.fault($0.key, of: fields) }.map { .response($0, on: endpoints) }
            case .handshake: action.flatMap { $0.handshake?.fault($0.key, of: fields) }.map { .handshake($0) }
            case .socket: socketFault(action, fields)
            }
        return fault.map {
            FaultRule(name: ExactString(name), isEnabled: isEnabled, fault: $0, of: target.socket, selection: selection)
        }
    }

    private static func socketFault(_ action: FaultAction?, _ fields: Fields) -> Fault? {
        let fault = action.flatMap { $0.socket?.fault($0.key, of: fields) }
        let isOfClient: Bool? = if case .hold(let hold) = fault { hold.fromClient } else { fault == nil ? nil : false }
        let point = fields["at"].map { SocketPoint.read($0, ofClient: isOfClient) } ?? .frames(.all)
        guard let fault, let point else { return nil }
        return .socket(fault, at: point)
    }

    private static func selection(_ fields: Fields, at place: FaultPlace) -> Selection {
        let (key, other) = place == .response ? ("requests", "connections") : ("connections", "requests")
        fields.refuse([other], unless: false, Messages.notForPlace(instead: key, at: place))
        return fields[key].flatMap { $0.selection() } ?? .all
    }

    /// The rule's action; `content_type` is an action only if there is no replacement.
    private static func action(_ fields: Fields, at place: FaultPlace) -> FaultAction? {
        let parts =
            fields["quota"] != nil ? ["status", "content_type"] : fields["status"] != nil ? ["content_type"] : []
        let present = FaultAction.all.filter { action in
            guard !parts.contains(action.key) else { return false }
            return (action.key == "content_type" ? fields.including(action.key) : fields[action.key]) != nil
        }
        guard let action = present.first else { return fields.cursor.refuse(Messages.noAction(place)) }
        for other in present.dropFirst() { fields.refuse(other.key, Messages.twoActions(action)) }
        guard action.places.contains(place) else {
            fields.refuse(action.key, Messages.wrongPlace(action, at: place))
            return nil
        }
        return action
    }

    /// Reports modifiers that require a different action or place.
    private static func checkModifiers(_ fields: Fields, at place: FaultPlace) {
        let replaces = fields["status"] != nil || fields["quota"] != nil
        fields.refuse(
            ["body", "code", "message", "retry_after", "processed"], unless: replaces,
            Messages.needs("'status' or 'quota'"))
        if replaces {
            fields.refuse(["processed"], unless: place == .response, Messages.notForPlace(instead: nil, at: place))
            fields.refuse(["code", "message"], unless: fields["body"] == nil, Messages.contradicts("body"))
        }
        fields.refuse(["at"], unless: place == .socket, Messages.needs("'on: socket'"))
    }
}

enum FaultTarget {
    /// At these endpoints, or at all endpoints if the set is empty.
    case endpoints(Set<Endpoint>)
    /// At this kind of socket; nil for all kinds.
    case handshake(Endpoint?)
    case socket(Endpoint?)

    var place: FaultPlace {
        switch self {
        case .endpoints: .response
        case .handshake: .handshake
        case .socket: .socket
        }
    }

    /// The kind of socket that the fault is limited to.
    var socket: Endpoint? {
        switch self {
        case .endpoints: nil
        case .handshake(let endpoint), .socket(let endpoint): endpoint
        }
    }

    static let endpoints: [(name: String, endpoint: Endpoint)] = Endpoint.allCases.filter { !$0.isSocket }.map {
        ("\($0.method.rawValue) \($0.template)", $0)
    }

    /// The notations for places other than a list of endpoints.
    static let places: [(name: String, target: FaultTarget)] =
        [("any", .endpoints([])), ("handshake", .handshake(nil)), ("socket", .socket(nil))]
        + Endpoint.allCases.filter(\.isSocket).flatMap {
            [("handshake \($0.template)", .handshake($0)), ("socket \($0.template)", .socket($0))]
        }

    static func read(_ cursor: Cursor) -> FaultTarget? {
        if let place = places.first(where: { $0.name == cursor.written }) { return place.target }
        guard let cursors = cursor.oneOrMore(limit: 100, of: "REST endpoints") else { return nil }
        let endpoints = cursors.map(endpoint)
        guard !endpoints.contains(nil) else { return nil }
        return .endpoints(Set(endpoints.compactMap { $0 }))
    }

    private static func endpoint(_ cursor: Cursor) -> Endpoint? {
        guard let text = cursor.written else {
            return cursor.refuse(Messages.unknownTarget(cursor.node.excerpt, nearest: nil))
        }
        if let found = endpoints.first(where: { $0.name == text }) { return found.endpoint }
        if places.contains(where: { $0.name == text }) {
            cursor.refuse(Messages.mixedTargets)
        } else if let socket = Endpoint.allCases.first(where: { $0.isSocket && text == "GET \($0.template)" }) {
            cursor.refuse(Messages.webSocketTarget(socket))
        } else {
            let names = places.map(\.name) + endpoints.map(\.name)
            let nearest = template(of: text) ?? Messages.nearest(text, names)
            cursor.refuse(Messages.unknownTarget(cursor.node.excerpt, nearest: nearest))
        }
        return nil
    }
}

extension FaultTarget {
    /// The text with `{…}` in place of ids: `GET /api/v1/goals/{goalId}` for `GET /api/v1/goals/123`.
    private static func template(of text: String) -> String? {
        func isPlaceholder(_ segment: Substring) -> Bool { segment.hasPrefix("{") }
        let segments = text.split(separator: "/", omittingEmptySubsequences: false)
        let names = places.map(\.name) + endpoints.map(\.name)
        return names.first { name in
            let other = name.split(separator: "/", omittingEmptySubsequences: false)
            return other.count == segments.count
                && zip(other, segments).allSatisfy { $0 == $1 || isPlaceholder($0) && !$1.isEmpty }
        }
    }
}

enum FaultPlace {
    case response, handshake, socket

    var description: String {
        switch self {
        case .response: "REST requests"
        case .handshake: "on: handshake"
        case .socket: "on: socket"
        }
    }
}
