import HTTPTypes
import Testing

@testable import HTTP1

@Suite("Character classes and lines")
struct GrammarTests {
    @Test("A token consists of exactly the characters of RFC 9110 §5.6.2")
    func tokenCharacters() {
        let letters = "abcdefghijklmnopqrstuvwxyz"
        let allowed = Set(("!#$%&'*+-.^_`|~0123456789" + letters + letters.uppercased()).utf8)
        for byte in UInt8.min...UInt8.max { #expect(byte.isTokenCharacter == allowed.contains(byte), "\(byte)") }
    }

    @Test("Only letters have a lowercase form")
    func lowercase() {
        for byte in UInt8.min...UInt8.max {
            let expected = (0x41...0x5a).contains(byte) ? byte + 32 : byte
            #expect(byte.lowercased == expected)
        }
    }

    @Test("Each hexadecimal digit is parsed as its value")
    func hexadecimal() {
        for byte in UInt8.min...UInt8.max {
            let expected = byte < 128 ? Character(UnicodeScalar(byte)).hexDigitValue : nil
            #expect(byte.hexValue.map(Int.init) == expected)
        }
    }

    @Test("The search finds the first line feed at any position")
    func lineFeed() {
        for count in 0...40 {
            for position in 0...count {
                // A word-at-a-time search that is slightly wrong mistakes 0x0B and 0x8A for a line feed.
                var bytes = (0..<count).map { $0.isMultiple(of: 2) ? UInt8(0x0b) : 0x8a }
                if position < count { bytes[position] = 0x0a }
                for second in position..<count where second > position + 1 { bytes[second] = 0x0a }
                bytes.withUnsafeBufferPointer { buffer in
                    for start in 0...count {
                        let expected = (start..<count).first { buffer[$0] == 0x0a }
                        #expect(buffer.firstLineFeed(from: start) == expected)
                    }
                }
            }
        }
    }

    @Test(
        "Numbers are written as decimal or hexadecimal digits",
        arguments: [0, 1, 9, 10, 15, 16, 255, 256, 1_048_576, Int.max])
    func digits(number: Int) {
        var decimal: [UInt8] = []
        decimal.appendDecimal(number)
        #expect(String(decoding: decimal, as: UTF8.self) == String(number))
        var hexadecimal: [UInt8] = []
        hexadecimal.appendHexadecimal(number)
        #expect(String(decoding: hexadecimal, as: UTF8.self) == String(number, radix: 16, uppercase: true))
    }

    @Test(
        "A status line contains the code and the given reason",
        arguments: [100, 200, 201, 404, 418, 511, 512, 599, 999])
    func statusLine(code: Int) {
        var line: [UInt8] = []
        StatusLine.append(.init(code: code, reasonPhrase: "Own Words"), to: &line)
        #expect(String(decoding: line, as: UTF8.self) == "HTTP/1.1 \(code) Own Words\r\n")
    }

    @Test("Preencoded status lines equal the lines written by the encoder")
    func encodedStatusLine() {
        var line: [UInt8] = []
        StatusLine.append(.ok, to: &line)
        StatusLine.append(.httpVersionNotSupported, to: &line)
        let expected = "HTTP/1.1 200 OK\r\nHTTP/1.1 505 HTTP Version Not Supported\r\n"
        #expect(String(decoding: line, as: UTF8.self) == expected)
    }
}

@Suite("The state table")
struct StateMachineTests {
    private static let states: [State] = [
        .idle, .sendResponse, .sendBody, .done, .mustClose, .closed, .mightSwitchProtocol, .switchedProtocol, .error,
    ]
    private static let actions: [StateMachine.Action] = [
        .request, .informational, .response, .body, .end, .switchProtocols, .close,
    ]

    @Test("The state table has exactly the expected transitions")
    func table() {
        var found: [String] = []
        for role in [Role.client, .server] {
            for state in Self.states {
                for action in Self.actions {
                    if let next = StateMachine.next(role, state, action) {
                        found.append("\(role) \(state) \(action) → \(next)")
                    }
                }
            }
        }
        #expect(
            found == [
                "client idle request → sendBody",
                "client idle close → closed",
                "client sendBody body → sendBody",
                "client sendBody end → done",
                "client done close → closed",
                "client mustClose close → closed",
                "client closed close → closed",
                "server idle response → sendBody",
                "server idle close → closed",
                "server sendResponse informational → sendResponse",
                "server sendResponse response → sendBody",
                "server sendResponse switchProtocols → switchedProtocol",
                "server sendBody body → sendBody",
                "server sendBody end → done",
                "server done close → closed",
                "server mustClose close → closed",
                "server closed close → closed",
            ])
    }

    @Test("The connection starts over once both ends are done, in either order", arguments: [true, false])
    func cycle(responseFirst: Bool) {
        var states = StateMachine()
        states.process(.request, by: .client)
        if responseFirst {
            states.process(.response, by: .server)
            states.process(.end, by: .server)
            states.process(.end, by: .client)
        } else {
            states.process(.end, by: .client)
            states.process(.response, by: .server)
            states.process(.end, by: .server)
        }
        #expect(states == StateMachine())
    }

    @Test("Without keep-alive, both ends must close")
    func withoutKeepAlive() {
        var states = StateMachine()
        states.process(.request, by: .client)
        states.disableKeepAlive()
        states.process(.end, by: .client)
        #expect(states.client == .mustClose)
        states.process(.response, by: .server)
        states.process(.end, by: .server)
        #expect(states.server == .mustClose)
    }

    @Test("After one end fails, the other end can only finish")
    func failure() {
        var states = StateMachine()
        states.process(.request, by: .client)
        states.fail(.client)
        #expect(states.server == .sendResponse)
        states.process(.response, by: .server)
        states.process(.end, by: .server)
        #expect(states.server == .mustClose)
    }
}
