import HTTPTypes
import Scenarios
import TestSupport
import Testing

@testable import MockServer

extension VirtualNetwork {
    /// A network whose default world has this scenario.
    static func serving(
        _ scenario: String, _ configure: (inout Engine.Configuration) -> Void = { _ in }
    ) throws -> VirtualNetwork {
        let scenario = try Scenario.read(scenario)
        return VirtualNetwork {
            $0.adopt(scenario)
            configure(&$0)
        }
    }

    /// Sends a user's request to a path below `/api/v1/` on its own connection.
    func call(
        _ method: HTTPRequest.Method, _ path: String, _ json: String? = nil, as user: String = TestUser.anna
    ) throws -> Response {
        let request = Request.authorized(method, "/api/v1/" + path, as: user)
        return try exchange(json.map(request.json) ?? request)
    }

    /// Copies this world's state to another network, whose export must be the same.
    func copied(to copy: VirtualNetwork = VirtualNetwork()) throws -> VirtualNetwork {
        let state = try admin(.get, "state").text
        let imported = try copy.admin(.put, "state", state)
        #expect(imported.status == 200, "\(imported.text)")
        #expect(try copy.admin(.get, "state").text == state)
        return copy
    }
}
