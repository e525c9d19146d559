@testable import Proxy

extension RelayCase {
    private static let head = "HEAD /a HTTP/1.1\r\nHost: localhost\r\n\r\n"
    private static let sentHead = "HEAD /a HTTP/1.1\r\nHost: api.example.com\r\nAccept-Encoding: identity\r\n\r\n"
    private static let expecting = "POST /a HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"
    private static let sentExpecting =
        "POST /a HTTP/1.1\r\nHost: api.example.com\r\nExpect: 100-continue\r\nAccept-Encoding: identity\r\n"
        + "Content-Length: 5\r\n\r\n"

    static let exchanges = [
        RelayCase(
            "two requests over one connection each", [.client(get), .upstream(ok), .client(get), .upstream(ok)],
            toUpstream: [sentGet + sentGet], toClient: ok + ok),
        RelayCase(
            "requests that came at once are asked one after the other",
            [.client(get + post() + get), .upstream(ok), .upstream(ok), .upstream(ok)],
            toUpstream: [sentGet + sentPost() + sentGet], toClient: ok + ok + ok),
        RelayCase(
            "a body of known length", [.client(post("X: 1\r\n")), .upstream(ok)], toUpstream: [sentPost("X: 1\r\n")],
            toClient: ok),
        RelayCase(
            "hop-by-hop fields end here, in both directions",
            [
                .client(
                    "GET /a?b=1 HTTP/1.1\r\nHost: localhost:8080\r\nConnection: keep-alive, X-Mine\r\nX-Mine: 1\r\n"
                        + "Keep-Alive: timeout=5\r\nTE: trailers\r\nProxy-Connection: keep-alive\r\n"
                        + "Proxy-Authorization: Basic eA==\r\nAccept-Encoding: gzip, br\r\nX-Kept: 1\r\nx-kept: 2\r\n\r\n"
                ),
                .upstream(
                    "HTTP/1.1 200 Fine\r\nServer: s\r\nConnection: Keep-Alive, X-Theirs\r\nKeep-Alive: timeout=5\r\n"
                        + "X-Theirs: 1\r\nAlt-Svc: h3=\":443\"\r\nStrict-Transport-Security: max-age=1\r\n"
                        + "Trailer: X\r\nContent-Length: 2\r\n\r\nhi"),
            ],
            toUpstream: [
                "GET /a?b=1 HTTP/1.1\r\nHost: api.example.com\r\nX-Kept: 1\r\nx-kept: 2\r\nAccept-Encoding: gzip\r\n\r\n"
            ], toClient: "HTTP/1.1 200 Fine\r\nServer: s\r\nContent-Length: 2\r\n\r\nhi"),
        RelayCase(
            "HEAD has the length and no body",
            [.client(head), .upstream("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n"), .client(get), .upstream(ok)],
            toUpstream: [sentHead + sentGet], toClient: "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n" + ok),
        RelayCase(
            "HEAD of a chunked body",
            [
                .client(head), .upstream("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), .client(get),
                .upstream(ok),
            ], toUpstream: [sentHead + sentGet], toClient: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + ok),
        RelayCase(
            "which a client of HTTP/1.0 would not understand",
            [.client("HEAD /a HTTP/1.0\r\n\r\n"), .upstream("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")],
            toUpstream: [sentHead], toClient: "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", ending: .close),
        RelayCase(
            "HEAD of a body without a length",
            [.client(head), .upstream("HTTP/1.1 200 OK\r\n\r\n"), .client(get), .upstream(ok)],
            toUpstream: [sentHead + sentGet], toClient: "HTTP/1.1 200 OK\r\n\r\n" + ok),
        RelayCase(
            "204 and 304 have no body",
            [
                .client(get + get), .upstream("HTTP/1.1 204 No Content\r\n\r\n"),
                .upstream("HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\nContent-Length: 7\r\n\r\n"),
            ], toUpstream: [sentGet + sentGet],
            toClient: "HTTP/1.1 204 No Content\r\n\r\n"
                + "HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\nContent-Length: 7\r\n\r\n"),
        RelayCase(
            "a client that waits for 100 gets the upstream's",
            [.client(expecting), .upstream("HTTP/1.1 100 Continue\r\n\r\n"), .client("hello"), .upstream(ok)],
            toUpstream: [sentExpecting + "hello"], toClient: "HTTP/1.1 100 Continue\r\n\r\n" + ok),
        RelayCase(
            "answered after its 100 and before its body, a client goes on",
            [
                .client(expecting), .upstream("HTTP/1.1 100 Continue\r\n\r\n" + ok), .client("hello" + get),
                .upstream(ok),
            ], toUpstream: [sentExpecting + "hello" + sentGet], toClient: "HTTP/1.1 100 Continue\r\n\r\n" + ok + ok),
        RelayCase(
            "refused before its 100, a client has to connect anew",
            [
                .client(expecting), .upstream("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n"),
                .client("hello"),
            ], toUpstream: [sentExpecting],
            toClient: "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", ending: .close
        ),
        RelayCase(
            "early hints pass", [.client(get), .upstream("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + ok)],
            toUpstream: [sentGet], toClient: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + ok),
        RelayCase(
            "an answer that comes before the request is complete does not stop it",
            [
                .client(post("abc", of: 6)), .upstream("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc"),
                .client("def"), .upstream("def"), .client(get), .upstream(ok),
            ], toUpstream: [sentPost("abcdef", of: 6) + sentGet],
            toClient: "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabcdef" + ok),
        RelayCase(
            "nor does one that is complete by then, and the connection is used again",
            [.client(post("abc", of: 6)), .upstream(ok), .client("def" + get), .upstream(ok)],
            toUpstream: [sentPost("abcdef", of: 6) + sentGet], toClient: ok + ok),
        RelayCase(
            "the rest of a request is not sent to an upstream that closes, and the client goes on",
            [
                .client(post("abc", of: 6)),
                .upstream("HTTP/1.1 401 Unauthorized\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"),
                .client("def"), .client(get), .upstream(ok),
            ], toUpstream: [sentPost("abc", of: 6), sentGet],
            toClient: "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n" + ok, wanted: 2),
        RelayCase(
            "a client of HTTP/1.0 gets its answer's end by the connection's",
            [
                .client("GET /a?b=1 HTTP/1.0\r\n\r\n"),
                .upstream("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"),
            ], toUpstream: [sentGet], toClient: "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhi", ending: .close),
        RelayCase(
            "a client of HTTP/1.0 that keeps its connection",
            [
                .client("GET /a?b=1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"), .upstream(ok),
                .client("GET /a?b=1 HTTP/1.0\r\n\r\n"), .upstream(ok),
            ], toUpstream: [sentGet + sentGet],
            toClient: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nhi"
                + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi", ending: .close),
        RelayCase(
            "a client that wants its connection closed",
            [.client("GET /a?b=1 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"), .upstream(ok)],
            toUpstream: [sentGet], toClient: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi",
            ending: .close),
        RelayCase(
            "an absolute target loses its origin, which is the proxy's",
            [
                .client(
                    "GET http://localhost:8080/a?b=1 HTTP/1.1\r\nHost: other\r\nOrigin: http://localhost:8080\r\n\r\n"),
                .upstream(ok),
            ],
            toUpstream: [
                "GET /a?b=1 HTTP/1.1\r\nHost: api.example.com\r\nOrigin: http://api.example.com\r\n"
                    + "Accept-Encoding: identity\r\n\r\n"
            ], toClient: ok),
        RelayCase(
            "Origin, Referer, Location and cookies lead through the proxy", upstream: "https://api.example.com:8443",
            [
                .client(
                    "GET /a HTTP/1.1\r\nHost: localhost:8080\r\nOrigin: http://localhost:8080\r\n"
                        + "Referer: http://localhost:8080/docs?x\r\n\r\n"),
                .upstream(
                    "HTTP/1.1 302 Found\r\nLocation: https://api.example.com:8443/b\r\n"
                        + "Set-Cookie: a=1; Domain=example.com; Path=/; Secure; HttpOnly; SameSite=None\r\n"
                        + "Access-Control-Allow-Origin: https://api.example.com:8443\r\nContent-Length: 0\r\n\r\n"),
            ],
            toUpstream: [
                "GET /a HTTP/1.1\r\nHost: api.example.com:8443\r\nOrigin: https://api.example.com:8443\r\n"
                    + "Referer: https://api.example.com:8443/docs?x\r\nAccept-Encoding: identity\r\n\r\n"
            ],
            toClient: "HTTP/1.1 302 Found\r\nLocation: http://localhost:8080/b\r\nSet-Cookie: a=1; Path=/; HttpOnly\r\n"
                + "Access-Control-Allow-Origin: http://localhost:8080\r\nContent-Length: 0\r\n\r\n"),
        RelayCase(
            "a change to another protocol than WebSocket is not proposed",
            [
                .client(
                    "GET /a?b=1 HTTP/1.1\r\nHost: h\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                        + "HTTP2-Settings: AAMAAABk\r\n\r\n"), .upstream(ok),
            ], toUpstream: [sentGet], toClient: ok),
        RelayCase(
            "bytes of a field's value that are no UTF-8 pass as they are",
            [.client(get), .upstream("HTTP/1.1 200 Größe\r\nX: größe\r\nContent-Length: 2\r\n\r\nhi")],
            toUpstream: [sentGet], toClient: "HTTP/1.1 200 Größe\r\nX: größe\r\nContent-Length: 2\r\n\r\nhi"),
    ]
}
