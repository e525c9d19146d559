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
        let response = try VirtualNetwork { $0.mode = mode }.exchange(.authorized(.get, path))
        #expect(response.status == 404 && (response.json?["message"] != nil) == hasMessage, "\(response.text)")
    }

    @Test("/w/ without a world id returns the ordinary 404")
    func emptyPrefix() throws {
        let response = try VirtualNetwork().exchange(Request(target: "/w/"))
        #expect(response.status == 404 && response.message == Route.refusal(ofUnknownPath: "/w/", in: .union).message)
    }
}
