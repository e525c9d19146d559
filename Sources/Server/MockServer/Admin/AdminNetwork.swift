import FitIQAPI
import JSON
import Scenarios

/// The admin API's network of a world.
extension AdminCall {
    /// `GET /__admin/network`: returns the network as it would appear in a scenario file.
    func showNetwork() -> Answer {
        .object { writer in
            if let profile = world.network?.profile {
                profile.writeMember(into: &writer)
            } else {
                writer.memberNull("network")
            }
        }
    }

    /// `PUT /__admin/network`: sets the network from a name, a mapping, or null for none; throws 400 for other values.
    func setNetwork() throws(APIError) -> Answer {
        let value = try body(keys: ["network"])["network"] ?? .null
        let scenario = try Scenario(json: ["name": "live", "network": value])
        enterDue()
        engine.network.set(scenario.network, of: world, at: now)
        return showNetwork()
    }
}
