import FitIQAPI
import HTTPTypes
import JSON
import TestSupport
import Testing

@testable import MockServer

@Suite("What the apps sync, over HTTP")
struct DocumentEndpointTests {
    private static let operations = Endpoint.allCases.filter { $0.documents != nil }
    private static let unknown = "00000000-0000-4000-8000-000000000000"

    private static func request(_ endpoint: Endpoint, _ id: String = unknown, as user: String? = nil) -> Request {
        let target = endpoint.template.replacing("{id}", with: id).replacing("{userId}", with: "bert")
        let request =
            user.map { .authorized(endpoint.method, target, as: $0) }
            ?? Request(method: endpoint.method, target: target)
        return endpoint.body != .none ? request.json(#"{"user_ids":["bert"]}"#) : request
    }

    @Test("Each operation has a path of its own, in the union alone, and asks for credentials")
    func paths() throws {
        #expect(Self.operations.count == 36)
        #expect(Set(Self.operations.map { "\($0.method) \($0.template)" }).count == 36)
        let union = VirtualNetwork()
        for endpoint in Self.operations {
            #expect(try union.exchange(Self.request(endpoint)).status == 401, "\(endpoint)")
            let answer = try union.exchange(Self.request(endpoint, as: TestUser.anna))
            let expected = endpoint.template.contains("{") ? 404 : endpoint.method == .post ? 201 : 200
            #expect(answer.status == expected, "\(endpoint): \(answer.text)")
        }
        for mode in GuideMode.guides {
            let network = VirtualNetwork { $0.mode = mode }
            for endpoint in Self.operations {
                #expect(try network.exchange(Self.request(endpoint, as: TestUser.anna)).status == 404)
            }
        }
    }

    @Test("A document that another user asks for, or that is named in upper case, is 404 on every path")
    func foreignDocuments() throws {
        let network = VirtualNetwork()
        let lists = DocumentCollection.allCases.map { #""\#($0.rawValue)":[{"id":"\#(Self.id($0))"}]"# }
        let state = #"{"name":"a","users":[{"id":"\#(TestUser.anna)","documents":{\#(lists.joined(separator: ","))}}]}"#
        #expect(try network.admin(.put, "state", state).status == 200)
        for endpoint in Self.operations where endpoint.template.contains("{") {
            let id = Self.id(try #require(endpoint.documents))
            for (id, user) in [(id, TestUser.ben), (id.uppercased(), TestUser.anna)] {
                let answer = try network.exchange(Self.request(endpoint, id, as: user))
                #expect(answer.status == 404, "\(endpoint): \(answer.text)")
                #expect(answer.message.contains("lower-case it") == (user == TestUser.anna), "\(answer.message)")
            }
        }
    }

    private static func id(_ collection: DocumentCollection) -> String {
        let number = DocumentCollection.allCases.firstIndex(of: collection) ?? 0
        return "abcdef00-0000-4000-8000-00000000000\(number)"
    }

    @Test("An insight is marked as read, as archived, and as archived no more")
    func marks() throws {
        let network = VirtualNetwork()
        let id = Self.id(.insights)
        let state = #"{"name":"a","users":[{"id":"\#(TestUser.anna)","documents":{"insights":[{"id":"\#(id)"}]}}]}"#
        #expect(try network.admin(.put, "state", state).status == 200)
        for (path, mark) in [
            ("read", #""is_read":true"#), ("archive", #""is_archived":true"#), ("unarchive", #""is_archived":false"#),
        ] {
            let request = Request.authorized(.post, "/api/v1/insights/\(id)/\(path)", as: TestUser.anna)
            let answer = try network.exchange(request)
            #expect(answer.status == 200 && answer.text.contains(mark), "\(path): \(answer.text)")
        }
    }

    @Test("Refusals come in their order: 401, 404, 415, 400")
    func order() throws {
        let network = VirtualNetwork()
        let path = "/api/v1/journal"
        func request(_ method: HTTPRequest.Method, _ target: String, _ type: String, _ body: String) -> Request {
            var request = Request.authorized(method, target, as: TestUser.anna)
            request.body = Array(body.utf8)
            request.fields.append("Content-Type: \(type)")
            return request
        }
        #expect(try network.exchange(request(.put, "\(path)/\(Self.unknown)", "text/plain", "?")).status == 404)
        #expect(try network.exchange(request(.post, path, "text/plain", "?")).status == 415)
        #expect(try network.exchange(request(.post, path, "application/json", "?")).errorCode == "INVALID_JSON")
        #expect(try network.exchange(request(.post, path, "application/json", "[]")).errorCode == "VALIDATION_FAILED")
        #expect(try network.exchange(request(.post, path, "application/json", "")).errorCode == "INVALID_JSON")
        let put = try network.exchange(request(.patch, path, "application/json", "{}"))
        #expect(put.status == 405 && put.fields[.allow] == "GET, HEAD, POST, OPTIONS")
        for query in ["limit=0", "limit=101", "limit=x", "offset=-1", "page=0", "from=yesterday", "to=2025-13-01"] {
            let answer = try network.exchange(.authorized(.get, "\(path)?\(query)", as: TestUser.anna))
            #expect(answer.errorCode == "VALIDATION_FAILED", "\(query)")
        }
        #expect(try network.exchange(.authorized(.get, "\(path)?sort=x", as: TestUser.anna)).status == 200)
    }
}
