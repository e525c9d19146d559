import FitIQAPI
import TestSupport
import Testing

@testable import MockServer

@Suite("Error forms")
struct ErrorFormTests {
    @Test(
        "Only union errors repeat their message at the top level",
        arguments: [
            (GuideMode.union, "/api/v1/nothing", true), (GuideMode.union, "/__admin/held/7", false),
            (GuideMode.goalLinking, "/api/v1/nothing", false),
        ])
    func topLevelMessage(mode: GuideMode, path: String, hasMessage: Bool) throws {
        let response = try VirtualNetwork.answer(.authorized(.get, path)) { $0.mode = mode }
        #expect(response.status == 404)
        #expect((response.json?["message"] != nil) == hasMessage, "\(response.text)")
    }

    @Test("/w/ without a world id returns the ordinary 404")
    func emptyPrefix() throws {
        let response = try VirtualNetwork.answer(Request(target: "/w/"))
        #expect(response.status == 404)
        #expect(response.message == Route.refusal(ofUnknownPath: "/w/", in: .union).message)
    }
}

extension VirtualNetwork {
    /// A new server's answer to a single request.
    fileprivate static func answer(
        _ request: Request, _ configure: (inout Engine.Configuration) -> Void = { _ in }
    ) throws -> Response {
        let network = VirtualNetwork(configure)
        return try network.exchange(request)
    }
}
