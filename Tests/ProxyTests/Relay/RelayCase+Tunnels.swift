@testable import Proxy

extension RelayCase {
    static let handshake =
        "GET /ws?token=t HTTP/1.1\r\nHost: localhost:8080\r\nConnection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\n"
        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        + "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n"
    static let sentHandshake =
        "GET /ws?token=t HTTP/1.1\r\nHost: api.example.com\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nAccept-Encoding: identity\r\n"
        + "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
    static let accepted =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
        + "Connection: Upgrade\r\n\r\n"

    static let tunnels = [
        RelayCase(
            "after a 101 bytes pass as they are, those that came with it too",
            [.client(handshake + "abc"), .upstream(accepted + "def"), .client("\r\n\0g"), .upstream("\u{16}h")],
            toUpstream: [sentHandshake + "abc\r\n\0g"], toClient: accepted + "def\u{16}h"),
        RelayCase(
            "a refused handshake is an answer",
            [
                .client(handshake),
                .upstream("HTTP/1.1 426 Upgrade Required\r\nUpgrade: websocket\r\nContent-Length: 0\r\n\r\n"),
                .client(get), .upstream(ok),
            ], toUpstream: [sentHandshake + sentGet],
            toClient: "HTTP/1.1 426 Upgrade Required\r\nUpgrade: websocket\r\nContent-Length: 0\r\n"
                + "Connection: upgrade\r\n\r\n" + ok),
        RelayCase(
            "a client that ends its stream ends ours to the upstream, which goes on",
            [.client(handshake), .upstream(accepted), .clientFinishes, .upstream("x")], toUpstream: [sentHandshake],
            toClient: accepted + "x", finishesUpstream: true),
        RelayCase(
            "an upstream that ends its stream ends ours to the client, which goes on",
            [.client(handshake), .upstream(accepted), .upstreamFinishes, .client("x")],
            toUpstream: [sentHandshake + "x"], toClient: accepted, ending: .finish),
        RelayCase(
            "when both have, it is over",
            [.client(handshake), .upstream(accepted), .upstreamFinishes, .client("x"), .clientFinishes],
            toUpstream: [sentHandshake + "x"], toClient: accepted, ending: .close),
        RelayCase(
            "in either order",
            [.client(handshake), .upstream(accepted), .clientFinishes, .upstream("x"), .upstreamFinishes],
            toUpstream: [sentHandshake], toClient: accepted + "x", ending: .close),
        RelayCase(
            "a reset by the upstream is one for the client",
            [.client(handshake), .upstream(accepted + "x"), .upstreamBreaks], toUpstream: [sentHandshake],
            toClient: accepted + "x", ending: .reset, resetsUpstream: true),
        RelayCase(
            "a reset by the client is one for the upstream", [.client(handshake), .upstream(accepted), .clientBreaks],
            toUpstream: [sentHandshake], toClient: accepted, ending: .reset, resetsUpstream: true),
    ]
}
