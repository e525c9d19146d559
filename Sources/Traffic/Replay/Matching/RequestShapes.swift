import FitIQAPI

/// The shapes of a request: all of it, and its route alone.
struct RequestShapes: Sendable {
    /// The method, `HANDSHAKE` for one of a WebSocket: no method of HTTP is that, and a GET of the path is another request.
    let method: String
    let url: RequestURL
    let body: [UInt8]

    static let handshake = "HANDSHAKE"

    init(method: String, isHandshake: Bool, url: RequestURL, body: [UInt8]) {
        self.method = isHandshake ? Self.handshake : method.uppercased()
        self.url = url
        self.body = body
    }

    /// Method, path, query and body; nil for the body stands for one that is not known.
    func full(known: Bindings? = nil, as method: String? = nil, ignoringBody: Bool = false) -> Shape {
        var shape = Shape(known: known)
        shape.add(literally: method ?? self.method)
        for segment in url.segments { shape.add(text: segment) }
        shape.add(literally: "?")
        shape.add(items: url.items)
        shape.add(literally: ignoringBody ? "no body is compared" : "")
        if !ignoringBody { shape.add(body: body) }
        shape.finish()
        return shape
    }

    /// Method and path, with any id where one stands in a path of the API, or where something looks like one.
    func route(as method: String? = nil) -> Shape {
        var shape = Shape()
        shape.add(literally: method ?? self.method)
        let idIndex = Self.idIndex(in: url.segments)
        for (index, segment) in url.segments.enumerated() {
            if index == idIndex { shape.add(id: segment) } else { shape.add(text: segment) }
            shape.add(literally: "/")
        }
        return shape
    }

    private static func idIndex(in segments: [String]) -> Int? {
        switch Route(segments: segments) {
        case .consultation, .messages, .archive, .webSocket, .goal, .mealLog: 3
        default: nil
        }
    }
}
