@testable import Proxy

extension RelayCase {
    static let sentPostWithoutBody =
        "POST /a HTTP/1.1\r\nHost: api.example.com\r\nAccept-Encoding: identity\r\nContent-Length: 0\r\n\r\n"

    static let endings = [
        RelayCase(
            name: "a client that goes between requests takes the upstream's connection with it",
            steps: [.client(get), .upstream(ok), .clientFinishes], toUpstream: [sentGet], toClient: ok, ending: .close,
            wanted: nil),
        RelayCase(
            name: "a client that has ended its stream still gets its answer",
            steps: [.client(get), .clientFinishes], toUpstream: [sentGet], toClient: "", finishesUpstream: true),
        RelayCase(
            name: "also where the upstream has to be asked again",
            steps: [.client(get), .upstream(ok), .client(get), .clientFinishes, .upstreamFinishes],
            toUpstream: [sentGet + sentGet, sentGet], toClient: ok, wanted: 2, finishesUpstream: true),
        RelayCase(
            name: "and then goes",
            steps: [.client(get), .clientFinishes, .upstream(ok)], toUpstream: [sentGet],
            toClient: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi", ending: .close,
            wanted: nil),
        RelayCase(
            name: "a client that breaks off has the upstream's connection reset",
            steps: [.client(get), .clientBreaks], toUpstream: [sentGet], toClient: "", ending: .reset, wanted: nil,
            resetsUpstream: true),
        RelayCase(
            name: "an upstream that closes between requests is connected to anew, even for a POST",
            steps: [.client(get), .upstream(ok), .upstreamFinishes, .client(post()), .upstream(ok)],
            toUpstream: [sentGet, sentPost()], toClient: ok + ok, wanted: 2),
        RelayCase(
            name: "so is one that says it will",
            steps: [
                .client(get), .upstream("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi"),
                .client(get), .upstream(ok),
            ], toUpstream: [sentGet, sentGet], toClient: ok + ok, wanted: 2),
        RelayCase(
            name: "so is one that says something unasked",
            steps: [
                .client(get), .upstream(ok), .upstream("HTTP/1.1 408 Request Timeout\r\n\r\n"), .client(get),
                .upstream(ok),
            ], toUpstream: [sentGet, sentGet], toClient: ok + ok, wanted: 2),
        RelayCase(
            name: "a GET that crossed the end of a used connection is asked again",
            steps: [.client(get), .upstream(ok), .client(get), .upstreamFinishes, .upstream(ok)],
            toUpstream: [sentGet + sentGet, sentGet], toClient: ok + ok, wanted: 2),
        RelayCase(
            name: "also where that was a reset",
            steps: [.client(get), .upstream(ok), .client(get), .upstreamBreaks, .upstream(ok)],
            toUpstream: [sentGet + sentGet, sentGet], toClient: ok + ok, wanted: 2),
        RelayCase(
            name: "but only once",
            steps: [.client(get), .upstream(ok), .client(get), .upstreamFinishes, .upstreamFinishes],
            toUpstream: [sentGet + sentGet, sentGet], toClient: ok, ending: .close, wanted: nil),
        RelayCase(
            name: "a POST is not: it may have been carried out",
            steps: [
                .client(get), .upstream(ok), .client("POST /a HTTP/1.1\r\nHost: h\r\n\r\n"), .upstreamFinishes,
            ],
            toUpstream: [sentGet + sentPostWithoutBody], toClient: ok, ending: .close, wanted: nil),
        RelayCase(
            name: "nor is a GET on a fresh connection: that was no crossing",
            steps: [.client(get), .upstreamFinishes], toUpstream: [sentGet], toClient: "", ending: .close, wanted: nil),
        RelayCase(
            name: "nor one whose answer has begun",
            steps: [.client(get), .upstream(ok), .client(get), .upstream("HTTP/1.1 2"), .upstreamFinishes],
            toUpstream: [sentGet + sentGet], toClient: ok, ending: .close, wanted: nil),
        RelayCase(
            name: "a reset without an answer is a reset",
            steps: [.client(get), .upstreamBreaks], toUpstream: [sentGet], toClient: "", ending: .reset, wanted: nil,
            resetsUpstream: true),
        RelayCase(
            name: "an answer that is cut off is cut off",
            steps: [.client(get), .upstream("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi"), .upstreamFinishes],
            toUpstream: [sentGet], toClient: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi", ending: .close,
            wanted: nil),
        RelayCase(
            name: "an answer that is reset is reset, after what came of it",
            steps: [.client(get), .upstream("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi"), .upstreamBreaks],
            toUpstream: [sentGet], toClient: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi", ending: .reset,
            wanted: nil, resetsUpstream: true),
        RelayCase(
            name: "an early answer whose upstream then goes is an answer",
            steps: [
                .client("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhel"), .upstream(ok),
                .upstreamFinishes, .client("lo"), .client(get), .upstream(ok),
            ],
            toUpstream: [
                "POST /a HTTP/1.1\r\nHost: api.example.com\r\nAccept-Encoding: identity\r\nContent-Length: 5\r\n\r\nhel",
                sentGet,
            ], toClient: ok + ok, wanted: 2),
        RelayCase(
            name: "also where it is reset, though the client sends no more",
            steps: [
                .client("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhel"), .upstream(ok), .upstreamBreaks,
                .clientFinishes,
            ],
            toUpstream: [
                "POST /a HTTP/1.1\r\nHost: api.example.com\r\nAccept-Encoding: identity\r\nContent-Length: 5\r\n\r\nhel"
            ], toClient: ok, ending: .close, wanted: nil, resetsUpstream: true),
    ]
}
