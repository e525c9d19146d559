import TestSupport
import Testing

@testable import MockServer

@Suite("The server's URLs in answers over TLS")
struct SecuredURLTests {
    @Test(
        "Over TLS, every server URL in the JSON becomes a TLS URL",
        arguments: [
            (#"{"url":"http://127.0.0.1:8080"}"#, #"{"url":"https://127.0.0.1:8443"}"#),
            (#"{ "url":"http://127.0.0.1:8080/w/w1"}"#, #"{ "url":"https://127.0.0.1:8443/w/w1"}"#),
            (
                #"[{"url":"http://127.0.0.1:8080"},{"url":"http://127.0.0.1:8080"}]"#,
                #"[{"url":"https://127.0.0.1:8443"},{"url":"https://127.0.0.1:8443"}]"#
            ),
            (#"{"ws_url":"ws://127.0.0.1:8080"}"#, #"{"ws_url":"wss://127.0.0.1:8443"}"#),
            (#"{"avatar":"http://127.0.0.1:8080/a"}"#, #"{"avatar":"https://127.0.0.1:8443/a"}"#),
            // A fragment of JSON that ends with a URL.
            (#""url":"http://127.0.0.1:8080"#, #""url":"https://127.0.0.1:8443"#),
            (#"{"url":"http://127.0.0.1:8081"}"#, #"{"url":"http://127.0.0.1:8081"}"#),
            (#"{"url":"http://127"#, #"{"url":"http://127"#), ("", ""),
        ])
    func urls(plain: String, secure: String) {
        let network = VirtualNetwork { $0.secureOrigin = "https://127.0.0.1:8443" }
        #expect(String(decoding: network.engine.origins.securing(Array(plain.utf8)), as: UTF8.self) == secure)
    }
}
