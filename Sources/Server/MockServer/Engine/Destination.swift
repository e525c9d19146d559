import FitIQAPI
import HTTP1
import JSON

/// Where a request goes: a world, and an endpoint in it.
///
/// The plain paths are the default world's; those below `/w/{id}` another one's (CONTRACT: worlds).
struct Destination {
    /// The id in the path; nil for the default world.
    private(set) var worldID: ExactString?
    /// The world; nil where there is none with this id.
    private(set) var world: World?
    /// The endpoint; nil where there is none with this path.
    private(set) var route: ServerRoute?
    /// Whether the path is the admin API's; below a world's prefix there is none.
    private(set) var isAdmin = false

    init(of target: RequestTarget, in engine: Engine) {
        var shortCut: Route?
        var hasPrefix = false
        target.readPath { path in
            hasPrefix =
                path.count > 3 && path[0] == UInt8(ascii: "/") && path[1] == UInt8(ascii: "w")
                && path[2] == UInt8(ascii: "/")
            if !hasPrefix { shortCut = Route(entityPath: path) }
        }
        guard hasPrefix else {
            world = engine.defaultWorld
            if let shortCut {
                route = .api(shortCut)
            } else {
                let segments = target.segments
                isAdmin = segments.first == "__admin"
                route = ServerRoute(segments: segments)
            }
            return
        }
        let segments = target.segments
        let id = ExactString(segments[1])
        worldID = id
        world = engine.worlds[id]
        let rest = Array(segments.dropFirst(2))
        isAdmin = rest.first == "__admin"
        route = isAdmin ? nil : ServerRoute(segments: rest)
    }
}
