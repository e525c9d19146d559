import Testing
import WebSocket

@testable import Faults

@Suite("Faults on a compressed socket")
struct CompressedFaultTests {
    @Test("A message is compressed separately unless a rule changes or cuts its frames")
    func messages() throws {
        let rules: [(SocketFault, SocketPoint)] = [
            (.lose, .frames(.only(2))), (.fragments(at: [3]), .frames(.only(3))), (.double, .frames(.only(4))),
            (.reservedBits(2), .frames(.only(5))), (.cut(after: 4, reset: false), .frames(.only(6))),
        ]
        var faults = try socketFaults(rules)
        faults.windowBits = 9
        var client = Connection(role: .client, compression: CompressionTerms())
        var (events, output): ([Event], [UInt8]) = ([], [])
        var firstBytes: [UInt8?] = []
        var sizes: [Bool] = []
        for text in [Talk.connected, Talk.received] + (1...4).map(Talk.chunk) {
            let sent = faults.send(bytes(text))
            firstBytes.append(sent.transmission.bytes.first)
            sizes += sent.messages.map { $0.compressedSize != nil }
            client.receive(sent.transmission.bytes, events: &events, output: &output)
        }
        #expect(firstBytes.prefix(4) == [0xC1, nil, 0x01, 0xC1])
        #expect(firstBytes.suffix(2) == [0xA1, 0x81])
        #expect(sizes.prefix(4) == [true, false, false, true])
        let texts = events.compactMap { event -> String? in
            guard case .text(let text) = event else { return nil }
            return String(decoding: text, as: UTF8.self)
        }
        #expect(texts.prefix(4) == [Talk.connected, Talk.chunk(1), Talk.chunk(2), Talk.chunk(2)])
        guard case .failed? = events.last else {
            Issue.record("RSV2 passed")
            return
        }
    }

    @Test(
        "A client reports damage to a compressed message",
        arguments: [
            (.undeclared, nil, "no extension was negotiated"), (.undeclared, 15, nil), (.fragmented, nil, nil),
            (.fragmented, 15, nil), (.marked, 15, "RSV1 is set in a continuation"),
            (.forgotten, 15, "cannot be inflated"), (.trailing, 15, "cannot be inflated"),
            (.corrupt, 15, "cannot be inflated"), (.corrupt, nil, nil),
        ] as [(CompressionFault, Int?, String?)])
    func damage(_ fault: CompressionFault, bits: Int?, _ mistake: String?) throws {
        var faults = try socketFaults([(.compression(fault), .frames(.only(1)))])
        faults.windowBits = bits
        let sent = faults.send(bytes(Talk.connected))
        var client = Connection(role: .client, compression: bits.map { _ in CompressionTerms() })
        var (events, output): ([Event], [UInt8]) = ([], [])
        client.receive(sent.transmission.bytes, events: &events, output: &output)
        switch events.first {
        case .text(let text)?: #expect(text == bytes(Talk.connected) && mistake == nil)
        case .failed(_, let message)?: #expect(try message.contains(#require(mistake)))
        case let other: Issue.record("\(fault) gave \(String(describing: other))")
        }
        #expect((sent.transmission.bytes[0] & 0x80 == 0) == (bits != nil && [.fragmented, .marked].contains(fault)))
    }
}
