import FitIQAPI
import JSON
import TestSupport
import Testing

@testable import MockServer
@testable import Scenarios

/// Query parameters that no operation reads are accepted, marked in the journal, and mentioned in a hint from a judge.
@Suite("Unknown query parameters") struct UnknownParameterTests {
    private func entry(of target: String, _ mode: GuideMode = .union) throws -> (status: Int, entry: JSONValue) {
        let network = VirtualNetwork { $0.mode = mode }
        let response = try network.exchange(.authorized(.get, "/api/v1/" + target, as: TestUser.anna))
        let entries = try network.admin(.get, "requests").json?["entries"]?.array
        return (response.status, try #require(entries?.first))
    }

    @Test(
        "The journal lists each unknown parameter once",
        arguments: [
            ("goals?sort=title&limit=2&sort=id", ["sort"]), ("goals?Limit=2", ["Limit"]), ("goals?limit=2", nil),
            ("goals", nil), ("goals?", nil), ("meal-logs?page_size=2&q=egg", ["page_size", "q"]),
            ("sleep?q=a", ["q"]), ("journal/search?q=a", nil),
            ("wellness/mood-entries/analytics?from=2025-01-01&to=2025-01-02&limit=2", ["limit"]),
            ("workouts?type=Running", ["type"]), ("profile/metrics?from=2025-01-01", ["from"]),
            ("users/me?fields=name", ["fields"]), ("nothing?sort=title", nil),
        ] as [(String, [String]?)])
    func marked(target: String, names: [String]?) throws {
        let (status, entry) = try entry(of: target)
        #expect(status == (target.hasPrefix("nothing") ? 404 : 200))
        #expect(entry["unknown_parameters"]?.array?.compactMap(\.string) == names)
    }

    @Test("A socket's token parameter does not count as unknown", arguments: [Endpoint.webSocket, .mealSocket])
    func token(endpoint: Endpoint) {
        #expect(endpoint.unknownParameters(in: [("token", "a"), ("sort", "b")]) == ["sort"])
    }

    @Test("In a guide mode, the journal lists no unknown parameters", arguments: GuideMode.guides)
    func guides(mode: GuideMode) throws {
        for list in ["goals", "meal-logs"] {
            #expect(try entry(of: list + "?sort=title", mode).entry["unknown_parameters"] == nil)
        }
    }

    @Test("The description lists exactly the parameters that each operation reads")
    func described() throws {
        let document = try TreeBuilder.tree(ofYAML: APIDescription.openAPI.bytes(for: .union)).json
        func queryNames(_ parameters: JSONValue?) -> [String] {
            (parameters?.array ?? []).compactMap { parameter in
                let name = parameter["$ref"]?.string.map { String($0.split(separator: "/").last ?? "") }
                let resolved = name.map { document["components"]?["parameters"]?[$0] ?? .null } ?? parameter
                return resolved["in"] == "query" ? resolved["name"]?.string : nil
            }
        }
        // For sockets, the parameter `token` is a credential.
        for endpoint in Endpoint.allCases where !endpoint.isSocket {
            let path = document["paths"]?.object?.first { path in
                path.key.replacing(#/{\w+}/#, with: "{}") == endpoint.template.replacing(#/{\w+}/#, with: "{}")
            }
            let operation = path?.value[endpoint.method.rawValue.lowercased()]
            let names = queryNames(path?.value["parameters"]) + queryNames(operation?["parameters"])
            #expect(Set(names) == Set(endpoint.parameters), "\(endpoint)")
        }
    }
}
