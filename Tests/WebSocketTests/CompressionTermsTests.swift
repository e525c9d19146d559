import HTTPTypes
import Testing

@testable import WebSocket

@Suite("RFC 7692 §7.1: negotiation")
struct CompressionTermsTests {
    static func fields(_ lines: [String]) -> HTTPFields {
        var fields = HTTPFields()
        fields[values: .secWebSocketExtensions] = lines
        return fields
    }

    /// Lines of a request, and the server's answer; nil if it sends none.
    static let answers: [([String], String?)] = [
        ([], nil),
        ([""], nil),
        (["permessage-deflate"], "permessage-deflate"),
        (["Permessage-Deflate"], "permessage-deflate"),
        (["x-webkit-deflate-frame"], nil),
        (["permessage-bzip2, permessage-deflate"], "permessage-deflate"),
        (["permessage-bzip2", " permessage-deflate\t"], "permessage-deflate"),
        (["permessage-deflate; client_max_window_bits"], "permessage-deflate; client_max_window_bits=12"),
        (["permessage-deflate;client_max_window_bits=15"], "permessage-deflate; client_max_window_bits=12"),
        (["permessage-deflate; client_max_window_bits=10"], "permessage-deflate; client_max_window_bits=10"),
        (["permessage-deflate; server_max_window_bits=8"], "permessage-deflate; server_max_window_bits=8"),
        (["permessage-deflate; server_max_window_bits=\"9\""], "permessage-deflate; server_max_window_bits=9"),
        (["permessage-deflate; server_max_window_bits = 9"], "permessage-deflate; server_max_window_bits=9"),
        (
            ["permessage-deflate; client_no_context_takeover; server_no_context_takeover"],
            "permessage-deflate; server_no_context_takeover; client_no_context_takeover"
        ),
        // The server declines an offer with bad parameters and considers the next offer.
        (["permessage-deflate; server_max_window_bits=16, permessage-deflate"], "permessage-deflate"),
        (["permessage-deflate; server_max_window_bits"], nil),
        (["permessage-deflate; server_max_window_bits=7"], nil),
        (["permessage-deflate; server_max_window_bits=08"], nil),
        (["permessage-deflate; server_max_window_bits=+9"], nil),
        (["permessage-deflate; server_max_window_bits=9; server_max_window_bits=9"], nil),
        (["permessage-deflate; client_max_window_bits=99999999999999999999"], nil),
        (["permessage-deflate; server_no_context_takeover=1"], nil),
        (["permessage-deflate; client_no_context_takeover=\"\""], nil),
        (["permessage-deflate; quality=9"], nil),
        // This is not a list of extensions at all.
        (["permessage-deflate;"], nil),
        (["permessage-deflate; =9"], nil),
        (["permessage-deflate; server_no_context_takeover="], nil),
        (["permessage-deflate; a b"], nil),
        (["per message, permessage-deflate"], nil),
        (["permessage-deflate, ;"], nil),
        (["permessage-deflate; server_max_window_bits=\"9"], nil),
    ]

    @Test("A server accepts the first offer that it supports", arguments: answers)
    func server(lines: [String], answer: String?) {
        let terms = CompressionTerms(answering: Self.fields(lines))
        #expect(terms?.fieldValue == answer)
        if let terms { #expect(CompressionTerms(agreedIn: Self.fields([terms.fieldValue])) == terms) }
    }

    static let handshake = ClientHandshake(key: [UInt8](1...16))

    /// An offer, a server's answer, and whether it is valid.
    static let agreements: [(CompressionOffer, String, Bool)] = {
        let bare = CompressionOffer(allowsClientBits: false)
        let open = CompressionOffer()
        var demanding = CompressionTerms()
        (demanding.serverNoContextTakeover, demanding.serverMaxWindowBits) = (true, 10)
        demanding.clientMaxWindowBits = 11
        let strict = CompressionOffer(demanding)
        let kept = "permessage-deflate; server_no_context_takeover; server_max_window_bits=10"
        return [
            (bare, "permessage-deflate", true),
            (bare, "permessage-deflate; server_max_window_bits=9; client_no_context_takeover", true),
            (bare, "permessage-deflate; client_max_window_bits=12", false),
            (bare, "permessage-deflate, permessage-deflate", false),
            (bare, "permessage-deflate; unknown", false),
            (bare, "x-other", false),
            (bare, "", false),
            (open, "permessage-deflate; client_max_window_bits=8", true),
            (open, "permessage-deflate; client_max_window_bits", false),
            (open, "permessage-deflate; server_max_window_bits=16", false),
            (strict, kept, true),
            (strict, kept + "; client_max_window_bits=11", true),
            (strict, kept + "; client_max_window_bits=12", false),
            (strict, "permessage-deflate; server_no_context_takeover", false),
            (strict, "permessage-deflate; server_no_context_takeover; server_max_window_bits=11", false),
            (strict, "permessage-deflate; server_max_window_bits=10", false),
        ]
    }()

    @Test("A client accepts only an answer to its offer", arguments: agreements)
    func client(offer: CompressionOffer, answer: String, isAnswer: Bool) {
        let handshake = ClientHandshake(key: [UInt8](1...16), offer: offer)
        #expect(handshake.requestFields[.secWebSocketExtensions] == offer.fieldValue)
        var fields: HTTPFields = [
            .upgrade: "websocket", .connection: "Upgrade",
            .secWebSocketAccept: ServerHandshake.accept(for: handshake.key),
        ]
        #expect(handshake.verify(status: .switchingProtocols, fields: fields) == nil, "declined")
        fields[.secWebSocketExtensions] = answer
        let failure = handshake.verify(status: .switchingProtocols, fields: fields)
        #expect(failure == (isAnswer ? nil : .compression(answer)))
        #expect(Self.handshake.verify(status: .switchingProtocols, fields: fields) != nil, "nothing was offered")
    }

    @Test("A server accepts every offer from our client, and the client accepts the answer")
    func bothSides() throws {
        for settings in 0..<64 {
            var terms = CompressionTerms()
            terms.serverNoContextTakeover = settings & 1 != 0
            terms.clientNoContextTakeover = settings & 2 != 0
            if settings & 4 != 0 { terms.serverMaxWindowBits = 8 + settings % 8 }
            if settings & 8 != 0 { terms.clientMaxWindowBits = 8 + settings / 8 }
            let handshake = ClientHandshake(
                key: [UInt8](1...16), offer: CompressionOffer(terms, allowsClientBits: settings & 16 != 0))
            let answer = try #require(CompressionTerms(answering: handshake.requestFields))
            let fields: HTTPFields = [
                .upgrade: "websocket", .connection: "Upgrade", .secWebSocketExtensions: answer.fieldValue,
                .secWebSocketAccept: ServerHandshake.accept(for: handshake.key),
            ]
            #expect(handshake.verify(status: .switchingProtocols, fields: fields) == nil)
        }
    }
}
