import Foundation
import TestSupport
import Testing

@testable import MockServer

@Suite("Admin API: the page") struct AdminPageTests {
    @Test("The admin page's headers set its content policy and forbid framing, sniffing and caching")
    func fields() throws {
        let answer = try VirtualNetwork().admin(.get, "ui")
        #expect(answer.status == 200 && answer.fields[.contentType] == "text/html; charset=utf-8")
        let page = String(decoding: answer.body, as: UTF8.self)
        let policy = try #require(
            page.firstMatch(of: #/<meta http-equiv="Content-Security-Policy" content="([^"]+)">/#)?.1)
        #expect(answer.fields[.contentSecurityPolicy] == policy + "; frame-ancestors 'none'")
        #expect(policy.hasPrefix("default-src 'none'; script-src 'sha256-") && policy.contains("style-src 'sha256-"))
        #expect(!policy.contains("unsafe") && policy.contains("connect-src 'self'"))
        #expect(answer.fields[.xContentTypeOptions] == "nosniff" && answer.fields[.cacheControl] == "no-store")
        #expect(answer.fields[.referrerPolicy] == "no-referrer")
    }

    @Test("The server finds the content policy even at the end of a page")
    func policy() {
        let page = #"<meta http-equiv="Content-Security-Policy" content="default-src 'none'""#
        #expect(AdminCall.policy(of: Array(page.utf8)) == "default-src 'none'")
    }

    @Test("The admin page is one document of at most 155 kB without external resources")
    func document() throws {
        let network = VirtualNetwork()
        let bytes = APIDescription.adminPageBytes
        #expect(bytes.count <= 155_000)
        let page = String(decoding: bytes, as: UTF8.self)
        #expect(page.matches(of: #/<script>/#).count == 1 && page.matches(of: #/<style>/#).count == 1)
        #expect(page.firstMatch(of: #/(src|href)="(https?:)?\/\//#) == nil && !page.contains("@import"))
        #expect(page.contains("<!-- runs -->"))
        _ = try network.exchange(Request.create())
        #expect(try network.admin(.get, "ui").body == bytes)
    }
}
