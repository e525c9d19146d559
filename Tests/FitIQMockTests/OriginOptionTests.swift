import MockServer
import Scenarios
import Testing

@testable import fitiq_mock

@Suite("--allow-origin and --cors")
struct OriginOptionTests {
    private func allowed(_ options: [String]) throws -> Set<AllowedOrigin> {
        try ServeOptions.parse(options).engineConfiguration(Scenario()).allowedOrigins
    }

    @Test("--allow-origin can be repeated and allows nothing by default")
    func values() throws {
        #expect(try allowed([]).isEmpty)
        let origin = try #require(AllowedOrigin("http://localhost:3000"))
        #expect(try allowed(["--allow-origin", "http://localhost:3000"]) == [origin])
        #expect(
            try allowed(["--allow-origin", "HTTP://localhost:3000", "--allow-origin", "null", "--allow-origin", "*"])
                == [origin, .null, .any])
    }

    @Test("An origin that may read may also write")
    func cors() throws {
        let line = ["--allow-origin", "null", "--cors", "http://a", "--cors", "http://b"]
        let configuration = try ServeOptions.parse(line).engineConfiguration(Scenario())
        let readers = Set(["http://a", "http://b"].compactMap { AllowedOrigin($0) })
        #expect((configuration.readingOrigins, configuration.allowedOrigins) == (readers, readers.union([.null])))
    }

    @Test("An invalid origin is rejected", arguments: ["", "localhost:3000", "http://a/", "http://*.a", "http://a b"])
    func mistakes(_ text: String) {
        for option in ["--allow-origin", "--cors"] {
            let failure = #expect(throws: Failure.self) { try allowed([option, text]) }
            #expect(failure?.exitCode == 2 && failure?.message.hasPrefix("\(option) must be") == true)
            #expect(failure?.message.hasSuffix("got '\(text)'.") == true)
        }
    }
}
