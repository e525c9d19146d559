import JSON
import TestSupport
import Testing

@testable import MockServer

/// A world with a manual clock, and helpers for breakpoint tests.
struct HeldWorld {
    let network: VirtualNetwork
    let world: WorldClient

    init(_ network: VirtualNetwork = .manual(), adding breakpoint: String? = nil) throws {
        self.network = network
        world = try network.plainWorld()
        if let breakpoint { try add(breakpoint) }
    }

    /// A world that holds one request because of a breakpoint, and the request's client.
    static func holding(
        _ breakpoint: String, _ request: (HeldWorld) -> Request = \.goal
    ) throws -> (HeldWorld, HTTPClient<VirtualClient>) {
        let held = try HeldWorld(adding: breakpoint)
        return (held, try held.sending(request(held)))
    }

    @discardableResult
    func add(_ json: String) throws -> String {
        let response = try world.ask(.post, "breakpoints", json)
        #expect(response.status == 201, "\(response.text)")
        return try #require(response.json?["name"]?.string)
    }

    /// The held items, oldest first.
    func held() throws -> [JSONValue] { try #require(try world.ask(.get, "held").json?["held"]?.array) }

    /// The number of the only held item.
    func number() throws -> Int {
        let held = try held()
        try #require(held.count == 1, "\(held)")
        return try #require(held[0]["held"]?.int)
    }

    /// Acts on the oldest held item.
    @discardableResult
    func act(_ json: String, status: Int = 200) throws -> Response {
        let number = try #require(try held().first?["held"]?.int)
        let response = try world.ask(.post, "held/\(number)", json)
        #expect(response.status == status, "\(response.text)")
        return response
    }

    func proceed() throws { try act(#"{"action":"continue"}"#) }

    /// The journal's entries, as `kind` or `kind action`, with the faults in brackets.
    func story() throws -> [String] {
        try world.journal().map { entry in
            let faults = entry["faults"]?.array?.compactMap(\.string).joined(separator: ",")
            let details = [entry["action"]?.string, entry["place"]?.string, entry["cause"]?.string]
            return ([entry["kind"]?.string] + details + [faults.map { "[\($0)]" }])
                .compactMap(\.self).joined(separator: " ")
        }
    }

    func sending(_ request: Request) throws -> HTTPClient<VirtualClient> { try network.sending(request) }

    var goal: Request { world.request(.post, "/api/v1/goals", WorldClient.goal) }
    var goals: Request { world.request(.get, "/api/v1/goals") }
    func goalCount() throws -> Int? { try world.exchange(.get, "/api/v1/goals").json?["data"]?["goals"]?.array?.count }
}
