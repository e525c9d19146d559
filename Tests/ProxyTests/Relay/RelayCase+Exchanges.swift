@testable import Proxy

extension RelayCase {
    static let exchanges = [
        RelayCase(
            name: "two requests over one connection each",
            steps: [.client(get), .upstream(ok), .client(get), .upstream(ok)],
            toUpstream: [sentGet + sentGet], toClient: ok + ok),
        RelayCase(
            name: "requests that came at once are asked one after the other",
            steps: [.client(get + post() + get), .upstream(ok), .upstream(ok), .upstream(ok)],
            toUpstream: [sentGet + sentPost() + sentGet], toClient: ok + ok + ok),
        RelayCase(
            name: "a body of known length", steps: [.client(post("X: 1\r\n")), .upstream(ok)],
            toUpstream: [sentPost("X: 1\r\n")], toClient: ok),
        RelayCase(
            name: "hop-by-hop fields end here, in both directions",
            steps: [
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
            ],
            toClient: "HTTP/1.1 200 Fine\r\nServer: s\r\nContent-Length: 2\r\n\r\nhi"),
        RelayCase(
            name: "HEAD has the length and no body",
            steps: [
                .client("HEAD /a HTTP/1.1\r\nHost: localhost\r\n\r\n"),
                .upstream("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n"), .client(get), .upstream(ok),
            ],
            toUpstream: ["HEAD /a HTTP/1.1\r\nHost: api.example.com\r\nAccept-Encoding: identity\r\n\r\n" + sentGet],
            toClient: "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n" + ok),
        RelayCase(
            name: "HEAD of a chunked body",
            steps: [
                .client("HEAD /a HTTP/1.1\r\nHost: localhost\r\n\r\n"),
                .upstream("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), .client(get), .upstream(ok),
            ],
            toUpstream: ["HEAD /a HTTP/1.1\r\nHost: api.example.com\r\nAccept-Encoding: identity\r\n\r\n" + sentGet],
            toClient: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + ok),
        RelayCase(
            name: "which a client of HTTP/1.0 would not understand",
            steps: [
                .client("HEAD /a HTTP/1.0\r\n\r\n"),
                .upstream("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
            ],
            toUpstream: ["HEAD /a HTTP/1.1\r\nHost: api.example.com\r\nAccept-Encoding: identity\r\n\r\n"],
            toClient: "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", ending: .close, wanted: nil),
        RelayCase(
            name: "HEAD of a body without a length",
            steps: [
                .client("HEAD /a HTTP/1.1\r\nHost: localhost\r\n\r\n"), .upstream("HTTP/1.1 200 OK\r\n\r\n"),
                .client(get), .upstream(ok),
            ],
            toUpstream: ["HEAD /a HTTP/1.1\r\nHost: api.example.com\r\nAccept-Encoding: identity\r\n\r\n" + sentGet],
            toClient: "HTTP/1.1 200 OK\r\n\r\n" + ok),
        RelayCase(
            name: "204 and 304 have no body",
            steps: [
                .client(get + get), .upstream("HTTP/1.1 204 No Content\r\n\r\n"),
                .upstream("HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\nContent-Length: 7\r\n\r\n"),
            ],
            toUpstream: [sentGet + sentGet],
            toClient: "HTTP/1.1 204 No Content\r\n\r\n"
                + "HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\nContent-Length: 7\r\n\r\n"),
        RelayCase(
            name: "a client that waits for 100 gets the upstream's",
            steps: [
                .client("POST /a HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"),
                .upstream("HTTP/1.1 100 Continue\r\n\r\n"), .client("hello"), .upstream(ok),
            ],
            toUpstream: [
                "POST /a HTTP/1.1\r\nHost: api.example.com\r\nExpect: 100-continue\r\nAccept-Encoding: identity\r\n"
                    + "Content-Length: 5\r\n\r\nhello"
            ],
            toClient: "HTTP/1.1 100 Continue\r\n\r\n" + ok),
        RelayCase(
            name: "answered after its 100 and before its body, a client goes on",
            steps: [
                .client("POST /a HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"),
                .upstream("HTTP/1.1 100 Continue\r\n\r\n" + ok), .client("hello" + get), .upstream(ok),
            ],
            toUpstream: [
                "POST /a HTTP/1.1\r\nHost: api.example.com\r\nExpect: 100-continue\r\nAccept-Encoding: identity\r\n"
                    + "Content-Length: 5\r\n\r\nhello" + sentGet
            ],
            toClient: "HTTP/1.1 100 Continue\r\n\r\n" + ok + ok),
        RelayCase(
            name: "refused before its 100, a client has to connect anew",
            steps: [
                .client("POST /a HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"),
                .upstream("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n"), .client("hello"),
            ],
            toUpstream: [
                "POST /a HTTP/1.1\r\nHost: api.example.com\r\nExpect: 100-continue\r\nAccept-Encoding: identity\r\n"
                    + "Content-Length: 5\r\n\r\n"
            ],
            toClient: "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            ending: .close, wanted: nil),
        RelayCase(
            name: "early hints pass",
            steps: [.client(get), .upstream("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + ok)],
            toUpstream: [sentGet], toClient: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + ok),
        RelayCase(
            name: "an answer that comes before the request is complete does not stop it",
            steps: [
                .client("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 6\r\n\r\nabc"),
                .upstream("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc"), .client("def"), .upstream("def"),
                .client(get), .upstream(ok),
            ],
            toUpstream: [
                "POST /a HTTP/1.1\r\nHost: api.example.com\r\nAccept-Encoding: identity\r\nContent-Length: 6\r\n\r\nabcdef"
                    + sentGet
            ],
            toClient: "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabcdef" + ok),
        RelayCase(
            name: "nor does one that is complete by then, and the connection is used again",
            steps: [
                .client("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 6\r\n\r\nabc"), .upstream(ok),
                .client("def" + get), .upstream(ok),
            ],
            toUpstream: [
                "POST /a HTTP/1.1\r\nHost: api.example.com\r\nAccept-Encoding: identity\r\nContent-Length: 6\r\n\r\nabcdef"
                    + sentGet
            ],
            toClient: ok + ok),
        RelayCase(
            name: "the rest of a request is not sent to an upstream that closes, and the client goes on",
            steps: [
                .client("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 6\r\n\r\nabc"),
                .upstream("HTTP/1.1 401 Unauthorized\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"),
                .client("def"), .client(get), .upstream(ok),
            ],
            toUpstream: [
                "POST /a HTTP/1.1\r\nHost: api.example.com\r\nAccept-Encoding: identity\r\nContent-Length: 6\r\n\r\nabc",
                sentGet,
            ],
            toClient: "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n" + ok, wanted: 2),
        RelayCase(
            name: "a client of HTTP/1.0 gets its answer's end by the connection's",
            steps: [
                .client("GET /a?b=1 HTTP/1.0\r\n\r\n"),
                .upstream("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"),
            ],
            toUpstream: [sentGet], toClient: "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhi", ending: .close,
            wanted: nil),
        RelayCase(
            name: "a client of HTTP/1.0 that keeps its connection",
            steps: [
                .client("GET /a?b=1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"), .upstream(ok),
                .client("GET /a?b=1 HTTP/1.0\r\n\r\n"), .upstream(ok),
            ],
            toUpstream: [sentGet + sentGet],
            toClient: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nhi"
                + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi",
            ending: .close, wanted: nil),
        RelayCase(
            name: "a client that wants its connection closed",
            steps: [.client("GET /a?b=1 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"), .upstream(ok)],
            toUpstream: [sentGet], toClient: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi",
            ending: .close, wanted: nil),
        RelayCase(
            name: "an absolute target loses its origin, which is the proxy's",
            steps: [
                .client(
                    "GET http://localhost:8080/a?b=1 HTTP/1.1\r\nHost: other\r\nOrigin: http://localhost:8080\r\n\r\n"),
                .upstream(ok),
            ],
            toUpstream: [
                "GET /a?b=1 HTTP/1.1\r\nHost: api.example.com\r\nOrigin: http://api.example.com\r\n"
                    + "Accept-Encoding: identity\r\n\r\n"
            ], toClient: ok),
        RelayCase(
            name: "Origin, Referer, Location and cookies lead through the proxy",
            upstream: "https://api.example.com:8443",
            steps: [
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
            name: "a change to another protocol than WebSocket is not proposed",
            steps: [
                .client(
                    "GET /a?b=1 HTTP/1.1\r\nHost: h\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                        + "HTTP2-Settings: AAMAAABk\r\n\r\n"), .upstream(ok),
            ],
            toUpstream: [sentGet], toClient: ok),
        RelayCase(
            name: "bytes of a field's value that are no UTF-8 pass as they are",
            steps: [.client(get), .upstream("HTTP/1.1 200 Größe\r\nX: größe\r\nContent-Length: 2\r\n\r\nhi")],
            toUpstream: [sentGet], toClient: "HTTP/1.1 200 Größe\r\nX: größe\r\nContent-Length: 2\r\n\r\nhi"),
    ]
}
