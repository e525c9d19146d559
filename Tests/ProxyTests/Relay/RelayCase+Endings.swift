@testable import Proxy

extension RelayCase {
    static let sentPostWithoutBody =
        "POST /a HTTP/1.1\r\nHost: api.example.com\r\nAccept-Encoding: identity\r\nContent-Length: 0\r\n\r\n"

    static let endings = [
        RelayCase(
            "a client that goes between requests takes the upstream's connection with it",
            [.client(get), .upstream(ok), .clientFinishes], toUpstream: [sentGet], toClient: ok, ending: .close),
        RelayCase(
            "a client that has ended its stream still gets its answer", [.client(get), .clientFinishes],
            toUpstream: [sentGet], toClient: "", finishesUpstream: true),
        RelayCase(
            "also where the upstream has to be asked again",
            [.client(get), .upstream(ok), .client(get), .clientFinishes, .upstreamFinishes],
            toUpstream: [sentGet + sentGet, sentGet], toClient: ok, wanted: 2, finishesUpstream: true),
        RelayCase(
            "and then goes", [.client(get), .clientFinishes, .upstream(ok)], toUpstream: [sentGet],
            toClient: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi", ending: .close),
        RelayCase(
            "a client that breaks off has the upstream's connection reset", [.client(get), .clientBreaks],
            toUpstream: [sentGet], toClient: "", ending: .reset, resetsUpstream: true),
        RelayCase(
            "an upstream that closes between requests is connected to anew, even for a POST",
            [.client(get), .upstream(ok), .upstreamFinishes, .client(post()), .upstream(ok)],
            toUpstream: [sentGet, sentPost()], toClient: ok + ok, wanted: 2),
        RelayCase(
            "so is one that says it will",
            [
                .client(get), .upstream("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi"),
                .client(get), .upstream(ok),
            ], toUpstream: [sentGet, sentGet], toClient: ok + ok, wanted: 2),
        RelayCase(
            "so is one that says something unasked",
            [
                .client(get), .upstream(ok), .upstream("HTTP/1.1 408 Request Timeout\r\n\r\n"), .client(get),
                .upstream(ok),
            ], toUpstream: [sentGet, sentGet], toClient: ok + ok, wanted: 2),
        RelayCase(
            "a GET that crossed the end of a used connection is asked again",
            [.client(get), .upstream(ok), .client(get), .upstreamFinishes, .upstream(ok)],
            toUpstream: [sentGet + sentGet, sentGet], toClient: ok + ok, wanted: 2),
        RelayCase(
            "also where that was a reset", [.client(get), .upstream(ok), .client(get), .upstreamBreaks, .upstream(ok)],
            toUpstream: [sentGet + sentGet, sentGet], toClient: ok + ok, wanted: 2),
        RelayCase(
            "but only once", [.client(get), .upstream(ok), .client(get), .upstreamFinishes, .upstreamFinishes],
            toUpstream: [sentGet + sentGet, sentGet], toClient: ok, ending: .close),
        RelayCase(
            "a POST is not: it may have been carried out",
            [.client(get), .upstream(ok), .client("POST /a HTTP/1.1\r\nHost: h\r\n\r\n"), .upstreamFinishes],
            toUpstream: [sentGet + sentPostWithoutBody], toClient: ok, ending: .close),
        RelayCase(
            "nor is a GET on a fresh connection: that was no crossing", [.client(get), .upstreamFinishes],
            toUpstream: [sentGet], toClient: "", ending: .close),
        RelayCase(
            "nor one whose answer has begun",
            [.client(get), .upstream(ok), .client(get), .upstream("HTTP/1.1 2"), .upstreamFinishes],
            toUpstream: [sentGet + sentGet], toClient: ok, ending: .close),
        RelayCase(
            "a reset without an answer is a reset", [.client(get), .upstreamBreaks], toUpstream: [sentGet],
            toClient: "", ending: .reset, resetsUpstream: true),
        RelayCase(
            "an answer that is cut off is cut off",
            [.client(get), .upstream("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi"), .upstreamFinishes],
            toUpstream: [sentGet], toClient: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi", ending: .close),
        RelayCase(
            "an answer that is reset is reset, after what came of it",
            [.client(get), .upstream("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi"), .upstreamBreaks],
            toUpstream: [sentGet], toClient: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi", ending: .reset,
            resetsUpstream: true),
        RelayCase(
            "an early answer whose upstream then goes is an answer",
            [
                .client(post("hel", of: 5)), .upstream(ok), .upstreamFinishes, .client("lo"), .client(get),
                .upstream(ok),
            ], toUpstream: [sentPost("hel", of: 5), sentGet], toClient: ok + ok, wanted: 2),
        RelayCase(
            "also where it is reset, though the client sends no more",
            [.client(post("hel", of: 5)), .upstream(ok), .upstreamBreaks, .clientFinishes],
            toUpstream: [sentPost("hel", of: 5)], toClient: ok, ending: .close, resetsUpstream: true),
    ]
}
