import Sessions

/// A recorded request that no recording answers, since the server that plays the session back answers it itself.
///
/// Browsers and probes ask for such paths by themselves: they would never count as asked for, and in `strict` keep all that
/// follows from its turn.
enum OwnRequest {
    /// Its name for a note, a path or `CONNECT`; nil for a request that is played back.
    static func name(of request: SessionRequest) -> String? {
        // A tunnel ends at another server.
        if request.method.uppercased() == "CONNECT" { return "CONNECT" }
        return name(of: RequestURL(request.url).segments)
    }

    /// The same of a path's segments, without the world's.
    static func name(of segments: [String]) -> String? {
        switch segments {
        case ["health"], ["ready"], ["docs"], ["docs", "deviations"], ["openapi.yaml"], ["asyncapi.yaml"],
            ["favicon.ico"]:
            "/" + segments.joined(separator: "/")
        default: segments.first == "__admin" ? "/__admin" : nil
        }
    }
}
