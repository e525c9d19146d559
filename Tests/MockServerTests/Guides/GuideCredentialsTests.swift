import FitIQAPI
import TestSupport
import Testing

@testable import MockServer

@Suite("Credentials of the guides' clients") struct GuideCredentialsTests {
    @Test("Each guide's client can open its socket in its own mode and in the union", arguments: GuideMode.guides)
    func sockets(guide: GuideMode) throws {
        for server in [guide, .union] {
            let client = GuideClient(guide, of: server)
            #expect(try client.connect(client.consultation()).takeTypes() == ["connected"])
        }
    }

    static let wrongWays: [(GuideMode, [String])] = [
        (.consultationWebSocket, ["has only '?token='", "'Authorization: Bearer <JWT>' and 'X-API-Key: <key>'"]),
        (.mealLogWebSocket, ["has only '?token='", "'Authorization: Bearer <JWT>' and 'X-API-Key: <key>'"]),
        (.enhancedConsultations, ["has only header fields", "append '?token=<JWT>' to its URL"]),
        (.webSocketArchitecture, ["has only header fields", "append '?token=<JWT>' to its URL"]),
    ]

    @Test("The error for another guide's credentials explains how the mode's guide sends them", arguments: wrongWays)
    func wrongWay(guide: GuideMode, words: [String]) throws {
        let client = GuideClient(guide, of: guide)
        let path = "/api/v1/consultations/\(try client.consultation())/ws"
        let handshake =
            guide.webSocketCredentials == .headers
            ? Request.handshake("\(path)?token=\(Request.token(for: TestUser.anna))")
            : Request.handshake(path, as: TestUser.anna)
        let response = try client.network.exchange(handshake)
        #expect(response.status == 401)
        for word in words + [guide.rawValue, "this server follows that guide"] {
            #expect(response.message.contains(word))
        }
    }

    @Test("A client without an API key works only in the mode of its own guide")
    func keyless() throws {
        for (guide, list) in [(GuideMode.goalLinking, "goals"), (.webSocketArchitecture, "meal-logs")] {
            let bearer = Request.bearer(Request.token(for: TestUser.anna))
            let request = Request(target: "/api/v1/" + list, fields: [bearer])
            #expect(try VirtualNetwork(guide).exchange(request).status == 200)
            let refused = try VirtualNetwork(.union).exchange(request)
            #expect(refused.status == 401 && refused.message.contains("X-API-Key"))
        }
    }
}
